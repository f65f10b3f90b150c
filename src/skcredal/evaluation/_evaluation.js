
"use strict";
(() => {
  const holder = document.getElementById("data");
  const table = document.querySelector(".cases table");
  if (!holder || !table) return;
  const { classes, cases, names, over } = JSON.parse(holder.textContent);
  const SIZE = 50;
  const status = document.querySelector(".sorted");
  const filters = document.querySelector(".filters");
  const pages = document.querySelector(".pages");
  const byText = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
  const rank = classes.map((_, c) => c).sort((a, b) => byText.compare(classes[a], classes[b]));
  const order = [];
  rank.forEach((c, at) => { order[c] = at; });

  // Everything is inserted as text nodes: no name or value is ever parsed as markup.
  const make = (tag, properties = {}, ...children) => {
    const { role, scope, ...plain } = properties;
    const element = Object.assign(document.createElement(tag), plain);
    if (role) element.setAttribute("role", role);
    if (scope) element.setAttribute("scope", scope);
    element.append(...children);
    return element;
  };
  const decimals = (value, digits = 3) => (value === null ? "–" : value.toFixed(digits));

  const columns = [
    { name: "row", key: (one) => one.row, show: (one) => String(one.row) },
    { name: "true class", key: (one) => order[one.true], show: (one) => classes[one.true] },
    { name: "most probable", key: (one) => order[one.predicted], show: (one) => classes[one.predicted] },
    { name: "set", key: (one) => one.set.length, show: (one) => one.set.map((c) => classes[c]).join(", ") },
    { name: "robustness", key: (one) => one.robustness, show: (one) => decimals(one.robustness), number: true },
  ];
  // Not every classifier can tell how robust its answers are.
  if (cases.every((one) => one.robustness === null)) columns.pop();
  let sorted = columns.length === 5 ? 4 : 0, ascending = true, page = 0, open = null;
  let shown = cases;

  const ofWeights = over === "weights";

  const bounds = (one) => {
    const body = make("tbody");
    one.bounds.forEach(([c, lower, probability, upper]) => {
      const inSet = one.set.includes(c);
      const range = make("i"), mark = make("b");
      range.style.left = `${100 * lower}%`;
      range.style.width = `${100 * (upper - lower)}%`;
      mark.style.left = `calc(${100 * probability}% - 1px)`;
      const track = make("div", { className: "track" }, range, mark);
      track.setAttribute("aria-hidden", "true");
      body.append(make("tr", { className: inSet ? "in-set" : "not" },
        make("th", { scope: "row" }, classes[c]), make("td", {}, make("span", { className: "held" }, inSet ? "in set" : "excluded")), make("td", {}, track),
        ...[lower, probability, upper].map((value) => make("td", { className: "number" }, decimals(value)))));
    });
    const heads = ["class", "", "", "lower", "prob.", "upper"].map((name, at) =>
      make("th", { scope: "col", className: at > 2 ? "number" : "" }, name));
    const drawn = make("table", {}, make("thead", {}, make("tr", {}, ...heads)), body);
    const rest = one.unlikely ? [make("p", { className: "not" }, `${one.unlikely} more with an upper probability near 0.`)] : [];
    return [make("h4", {}, `Bounds on the probability of each class over all ${ofWeights ? "credible weights of the models" : "priors"}`), drawn, ...rest];
  };

  const voices = (one) => {
    if (!one.voices.length || one.rival === null) return [];
    const answer = classes[one.predicted], rival = classes[one.rival];
    const body = make("tbody");
    one.voices.forEach(([parent, value, vote, prior]) => {
      const bar = make("i", { className: vote < 0 ? "against" : "" });
      bar.style.left = `${50 - 50 * Math.max(0, -vote)}%`;
      bar.style.width = `${50 * Math.abs(vote)}%`;
      const track = make("div", { className: "track vote" }, bar);
      track.setAttribute("aria-hidden", "true");
      const speaks = Math.abs(vote) < 0.0005 ? "neither" : vote > 0 ? answer : rival;
      body.append(make("tr", {},
        make("th", { scope: "row" }, names[parent]), make("td", {}, value === null ? "missing" : value),
        make("td", {}, speaks), make("td", { className: "number" }, decimals(Math.abs(vote))),
        make("td", { className: "wide-only" }, track), make("td", { className: "number" }, decimals(prior))));
    });
    const heads = ["super-parent", "its value", "votes for", "by", "", "prior"].map((name, at) =>
      make("th", { scope: "col", className: at === 4 ? "wide-only" : at === 3 || at === 5 ? "number" : "" }, name));
    const drawn = make("table", {}, make("thead", {}, make("tr", {}, ...heads)), body);
    const rest = one.silent ? [make("p", { className: "not" }, `${one.silent} more, with weaker votes.`)] : [];
    return [
      make("h4", {}, "What each super-parent votes for, and the prior that flips the answer"),
      make("p", {}, `The answer is ${answer} if all models have the same prior probability. With the prior in the last column, ${rival} wins or draws level.`),
      drawn, ...rest,
    ];
  };

  const contributions = (one) => {
    const answer = classes[one.predicted], rival = classes[one.rival];
    const [, lower, upper] = one.odds;
    const [count, ...together] = one.others;
    const lines = [
      { name: "class frequencies", value: "", factor: one.frequencies, kind: "not" },
      ...one.factors.map(([at, value, ...factor]) => ({ name: names[at], value: value === null ? "missing" : value, factor, kind: "" })),
    ];
    if (count) lines.push({ name: `${count} more together`, value: "", factor: together, kind: "not" });
    const longest = Math.max(...lines.map(({ factor }) => Math.abs(factor[0]))) || 1;
    const body = make("tbody", {}, ...lines.map(({ name, value, factor: [log, text], kind }) => {
      const bar = make("i", { className: log < 0 ? "against" : "" });
      bar.style.left = `${50 - 50 * Math.max(0, -log / longest)}%`;
      bar.style.width = `${50 * Math.abs(log / longest)}%`;
      const track = make("div", { className: "track vote" }, bar);
      track.setAttribute("aria-hidden", "true");
      return make("tr", { className: kind }, make("th", { scope: "row" }, name), make("td", {}, value),
        make("td", { className: "number" }, text), make("td", {}, track));
    }));
    const sides = make("div", { className: "sides" }, make("span", {}, `← ${rival}`), make("span", {}, `${answer} →`));
    const heads = ["feature", "its value", "factor", sides].map((name, at) =>
      make("th", { scope: "col", className: at === 2 ? "number" : "" }, name));
    const total = make("tr", {}, make("th", { scope: "row" }, "product"), make("td"), make("td", { className: "number" }, one.product),
      make("td", {}, `odds of ${one.product.slice(1)} to 1`));
    return [
      make("h4", {}, `What each feature multiplies the odds of ${answer} over ${rival} by`),
      make("table", { className: "factors" }, make("thead", {}, make("tr", {}, ...heads)), body, make("tfoot", {}, total)),
      make("p", {}, `A factor above 1 speaks for ${answer}, one below 1 for ${rival}. As uncertain as the weights are, the odds lie between ${lower} and ${upper} to 1.`),
    ];
  };

  const meaning = ofWeights ? "the credibility up to which the most probable class beats every other."
    : "the share of the prior that can be replaced by anything before the answer changes.";
  const why = (one) => {
    const right = one.set.includes(one.true);
    const inside = make("div", { className: "why-inside" },
      make("p", {}, one.sentence),
      make("p", {}, `The set: ${one.set.map((c) => classes[c]).join(", ")}. The true class, ${classes[one.true]}, is ${right ? "in it" : "not in it"}. ` +
        (one.robustness === null ? "" : `Robustness ${decimals(one.robustness)}: ${meaning}`)),
      ...bounds(one), ...(ofWeights ? contributions(one) : voices(one)));
    const cell = make("td", { colSpan: columns.length }, inside);
    return make("tr", { className: "why", id: `why-${one.row}` }, cell);
  };

  const body = table.tBodies[0];
  const toggle = (line, one) => {
    const button = line.querySelector("button");
    const wasOpen = line.classList.contains("open");
    body.querySelectorAll("tr.why").forEach((other) => other.remove());
    body.querySelectorAll("tr.case.open").forEach((other) => {
      other.classList.remove("open");
      other.querySelector("button").setAttribute("aria-expanded", "false");
    });
    open = wasOpen ? null : one.row;
    if (wasOpen) return;
    line.classList.add("open");
    button.setAttribute("aria-expanded", "true");
    line.after(why(one));
  };

  const draw = () => {
    const last = Math.max(0, Math.ceil(shown.length / SIZE) - 1);
    page = Math.min(Math.max(page, 0), last);
    body.replaceChildren(...shown.slice(page * SIZE, (page + 1) * SIZE).map((one) => {
      const line = make("tr", { className: "case" });
      columns.forEach((column, at) => {
        const cell = make("td", { className: column.number ? "number" : "" });
        if (at === 0) {
          const button = make("button", { type: "button" }, column.show(one));
          button.setAttribute("aria-expanded", "false");
          button.setAttribute("aria-controls", `why-${one.row}`);
          button.setAttribute("aria-label", `Row ${one.row}: why?`);
          cell.append(button);
        } else {
          cell.append(column.show(one));
        }
        if (column.name === "most probable" && one.predicted !== one.true) cell.classList.add("wrong");
        line.append(cell);
      });
      line.addEventListener("click", () => {
        // Selecting text to copy it is not a click.
        if (!String(window.getSelection())) toggle(line, one);
      });
      return line;
    }));
    open = null;
    pages.hidden = last === 0;
    previous.disabled = page === 0;
    next.disabled = page === last;
    where.textContent = `Page ${page + 1} of ${last + 1}`;
  };

  const sort = () => {
    const key = columns[sorted].key, sign = ascending ? 1 : -1;
    shown = [...shown].sort((a, b) => sign * (key(a) - key(b)) || a.row - b.row);
  };
  const tell = () => {
    status.textContent = `${shown.length} of ${cases.length} cases, sorted by ${columns[sorted].name}, ${ascending ? "ascending" : "descending"}.`;
  };

  const headers = columns.map((column, at) => {
    const button = make("button", { type: "button" }, column.name);
    const header = make("th", { scope: "col", className: column.number ? "number" : "" }, button);
    button.addEventListener("click", () => {
      ascending = sorted === at ? !ascending : true;
      sorted = at;
      headers.forEach((other, index) =>
        other.setAttribute("aria-sort", index === sorted ? (ascending ? "ascending" : "descending") : "none"));
      sort();
      page = 0;
      draw();
      tell();
    });
    header.setAttribute("aria-sort", at === sorted ? "ascending" : "none");
    return header;
  });
  table.tHead.append(make("tr", {}, ...headers));

  const choices = {};
  const choose = (name, options) => {
    const select = make("select", { id: `filter-${name.replaceAll(" ", "-")}` }, new Option("all", ""));
    options.forEach(([value, label]) => select.append(new Option(label, value)));
    choices[name] = select;
    select.addEventListener("change", filter);
    const label = make("label", { htmlFor: select.id }, name);
    filters.append(make("span", {}, label, " ", select));
  };
  const occurring = (get) => {
    const found = new Set(cases.flatMap(get));
    return rank.filter((c) => found.has(c)).map((c) => [String(c), classes[c]]);
  };
  function filter() {
    const [held, truth, answer] = ["class in the set", "true class", "answer"].map((name) => choices[name].value);
    shown = cases.filter((one) => (!held || one.set.includes(Number(held))) && (!truth || one.true === Number(truth)) &&
      (!answer || (one.predicted === one.true) === (answer === "right")));
    sort();
    page = 0;
    draw();
    tell();
  }
  choose("class in the set", occurring((one) => one.set));
  choose("true class", occurring((one) => [one.true]));
  choose("answer", [["right", "right"], ["wrong", "wrong"]]);
  filters.hidden = false;

  const previous = make("button", { type: "button" }, "Previous");
  const next = make("button", { type: "button" }, "Next");
  const where = make("span", { role: "status" });
  const turn = (step) => () => {
    page += step;
    draw();
    document.querySelector(".cases").scrollTop = 0;
  };
  previous.addEventListener("click", turn(-1));
  next.addEventListener("click", turn(1));
  pages.append(previous, where, next);

  table.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || open === null) return;
    const line = body.querySelector("tr.case.open");
    line.querySelector("button").focus();
    line.click();
  });
  sort();
  draw();
  tell();
})();
