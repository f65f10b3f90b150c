// The cases: a list to filter and sort, and what there is to say about each.
const PAGE = 50;
const table = find(".cases table"), body = table.tBodies[0];
const filters = find(".filters"), pages = find(".pages");
const byText = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
const alphabetical = classes.map((_, c) => c).sort((a, b) => byText.compare(classes[a], classes[b]));
const order = [];
alphabetical.forEach((c, at) => { order[c] = at; });

let cases = [], columns = [], shown = [], about = null;
let sorted = null, ascending = true, page = 0;

const kindOf = (one) => (one.set.length > 1 ? "undecided" : one.probability < threshold / 100 - 1e-9 ? "close call" : "decided");
const remaining = (set) => set.map((c) => classes[c]).join(", ");
const idsOf = (one) => data.ids.rows[one.row] || [];

const track = (kind, left, width) => {
  const bar = make("i");
  bar.style.left = `${100 * left}%`;
  bar.style.width = `${100 * width}%`;
  const outer = make("div", { className: kind }, bar);
  outer.setAttribute("aria-hidden", "true");
  return outer;
};
// A bar to the right of the middle speaks for the answer, one to the left for its rival.
const balance = (part) => {
  const outer = track("track vote", 0.5 - 0.5 * Math.max(0, -part), 0.5 * Math.abs(part));
  if (part < 0) outer.firstChild.className = "against";
  return outer;
};
const headed = (heads, lines, kind = "", foot = []) => make("table", { className: kind },
  make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...lines), ...foot);
const specialists = (...content) => make("details", {}, make("summary", {}, "For specialists"), ...content);

const bounds = (one) => {
  if (!one.bounds) return [make("p", { className: "not" }, "There is more to see only for less certain cases.")];
  const known = one.bounds.some((bound) => bound.length > 2), credal = about.credal;
  const lines = one.bounds.map(([c, probability, lower, upper]) => {
    const inSet = one.set.includes(c), mark = make("b");
    const bar = known ? track("track", lower, upper - lower) : track("track", 0, probability);
    mark.style.left = `calc(${100 * probability}% - 1px)`;
    bar.append(mark);
    return make("tr", { className: inSet ? "in-set" : "not" }, make("th", { scope: "row" }, classes[c]),
      ...(credal ? [make("td", {}, make("span", { className: "held" }, inSet ? "remains" : "excluded"))] : []), make("td", {}, bar),
      cell(decimals(probability)), ...(known ? [cell(decimals(lower)), cell(decimals(upper))] : []));
  });
  const rest = one.unlikely ? [make("p", { className: "not" }, `${one.unlikely} more with ${known ? "an upper" : "a"} probability close to 0.`)] : [];
  const heads = [head("class"), ...(credal ? [head("")] : []), head(""), head("prob.", "number"), ...(known ? [head("lower", "number"), head("upper", "number")] : [])];
  return [make("h4", {}, known ? "How probable each class is, and within which bounds" : "How probable each class is"), headed(heads, lines), ...rest];
};

const leftOut = (one) => (one.left_out && one.left_out.length
  ? [make("p", { className: "not" }, `Left out for lack of weight: ${one.left_out.length > 8 ? `${one.left_out.length} models` : `the model${one.left_out.length > 1 ? "s" : ""} around ${listed(one.left_out)}`}.`)] : []);

const voices = (one) => {
  if (!one.voices.length || one.rival === null) return leftOut(one);
  const answer = classes[one.predicted], rival = classes[one.rival];
  const speaks = (vote) => (Math.abs(vote) < 0.0005 ? "neither" : vote > 0 ? answer : rival);
  const lines = one.voices.map(([at, value, vote]) => make("tr", {}, make("th", { scope: "row" }, names[at]), make("td", {}, value),
    make("td", {}, speaks(vote)), cell(decimals(Math.abs(vote))), make("td", {}, balance(vote))));
  const priors = one.voices.map(([at, , , prior]) => make("tr", {}, make("th", { scope: "row" }, names[at]), cell(decimals(prior))));
  const rest = one.silent ? [make("p", { className: "not" }, `${one.silent} more, with weaker votes.`)] : [];
  return [
    make("h4", {}, `What the models say: ${answer} or ${rival}?`),
    make("p", { className: "not" }, "Each model looks at the case from one feature, by which it judges all others."),
    headed([head("model around"), head("its value"), head("votes for"), head("by", "number"), head("")], lines, "votes"),
    ...rest, ...leftOut(one),
    specialists(make("p", {}, `The features above are the super-parents of the models. The answer is ${answer} if all models have the same prior probability; this prior favours ${rival} most${one.set.length > 1 ? `, which then wins or draws level` : ""}:`),
      headed([head("super-parent"), head("prior", "number")], priors)),
  ];
};

const contributions = (one) => {
  if (one.rival === null) return [];
  const answer = classes[one.predicted], rival = classes[one.rival];
  const [, lower, upper] = one.odds, [count, ...together] = one.others;
  const parts = [
    { name: "how frequent the classes are", value: "", factor: one.frequencies, kind: "not" },
    ...one.factors.map(([at, value, ...factor]) => ({ name: names[at], value, factor, kind: "" })),
  ];
  if (count) parts.push({ name: `${count} more together`, value: "", factor: together, kind: "not" });
  const longest = Math.max(...parts.map(({ factor }) => Math.abs(factor[0]))) || 1;
  const lines = parts.map(({ name, value, factor: [log, text], kind }) => make("tr", { className: kind },
    make("th", { scope: "row" }, name), make("td", {}, value), cell(text), make("td", {}, balance(log / longest))));
  const sides = make("div", { className: "sides" }, make("span", {}, `← ${rival}`), make("span", {}, `${answer} →`));
  const foot = make("tfoot", {}, make("tr", {}, make("th", { scope: "row" }, "product"), make("td"), cell(one.product), make("td", {}, `odds of ${one.product.slice(1)} to 1`)));
  return [
    make("h4", {}, `What speaks for ${answer}, and what for ${rival}`),
    headed([head("feature"), head("its value"), head("factor", "number"), head(sides)], lines, "factors", [foot]),
    make("p", { className: "not" }, `A factor multiplies the odds of ${answer} over ${rival}: above 1 it speaks for ${answer}, below 1 for ${rival}. Given how uncertain the model is, the odds lie between ${lower} and ${upper} to 1.`),
  ];
};

const changes = (one) => {
  if (!one.changes) return [];
  const lines = one.changes.map(([at, condition, set]) => make("li", {}, "With ", make("b", {}, names[at]), ` ${condition} the answer would be `,
    set.length > 1 ? `undecided between ${listed(set.map((c) => classes[c]))}.` : `${classes[set[0]]}${about.credal && one.set.length > 1 ? " alone" : ""}.`));
  return [make("h4", {}, "What would change the answer"),
    lines.length ? make("ul", { className: "changes" }, ...lines) : make("p", {}, "No change of a single feature would.")];
};

const robust = (one) => {
  if (one.robustness === null) return [];
  const meaning = about.view.over === "weights" ? "up to this credibility the most probable class beats every other"
    : "this share of the assumptions about the models may be replaced before the answer changes";
  return [make("p", { className: "not" }, `Robustness ${decimals(one.robustness)}: ${meaning}.`)];
};

const why = (one) => {
  const kind = kindOf(one), answer = classes[one.predicted];
  const verdict = kind === "undecided" ? `Undecided between ${listed(one.set.map((c) => classes[c]))}; ${answer} is the most probable (${percent(one.probability)}).`
    : `${answer}, with a probability of ${percent(one.probability)}${kind === "close call" ? ": a close call" : ""}.`;
  const truth = one.set.length > 1 ? `is ${one.set.includes(one.true) ? "" : "not "}among them` : one.true === one.predicted ? "is the same" : "is another";
  const ids = data.ids.names.map((name, at) => `${name} ${idsOf(one)[at]}`).join(", ");
  const inside = make("div", { className: "why-inside" }, ...(ids ? [make("p", { className: "not" }, ids)] : []),
    make("p", { className: "verdict" }, make("strong", {}, verdict), ` The true class, ${classes[one.true]}, ${truth}.`),
    ...changes(one), ...bounds(one), ...(one.sentence ? [make("p", {}, one.sentence)] : []),
    ...(one.factors ? contributions(one) : one.voices ? voices(one) : []), ...robust(one));
  return make("tr", { className: "why", id: `why-${one.row}` }, make("td", { colSpan: columns.length }, inside));
};

const toggle = (line, one) => {
  const wasOpen = line.classList.contains("open");
  body.querySelectorAll("tr.why").forEach((other) => other.remove());
  body.querySelectorAll("tr.case.open").forEach((other) => {
    other.classList.remove("open");
    other.querySelector("button").setAttribute("aria-expanded", "false");
  });
  if (wasOpen) return;
  line.classList.add("open");
  line.querySelector("button").setAttribute("aria-expanded", "true");
  line.after(why(one));
};

const drawCases = () => {
  const last = Math.max(0, Math.ceil(shown.length / PAGE) - 1);
  page = Math.min(Math.max(page, 0), last);
  body.replaceChildren(...shown.slice(page * PAGE, (page + 1) * PAGE).map((one) => {
    const line = make("tr", { className: "case" });
    columns.forEach((column, at) => {
      const box = make("td", { className: column.number ? "number" : "" });
      if (at === 0) {
        const button = make("button", { type: "button" }, column.show(one));
        button.setAttribute("aria-expanded", "false");
        button.setAttribute("aria-controls", `why-${one.row}`);
        button.setAttribute("aria-label", `Row ${one.row}: why?`);
        box.append(button);
      } else {
        box.append(column.show(one));
      }
      if (column.name === "true class" && !one.set.includes(one.true)) box.classList.add("wrong");
      line.append(box);
    });
    line.addEventListener("click", () => {
      // Selecting text to copy it is not a click.
      if (!String(window.getSelection())) toggle(line, one);
    });
    return line;
  }));
  pages.hidden = last === 0;
  previous.disabled = page === 0;
  next.disabled = page === last;
  where.textContent = `Page ${page + 1} of ${last + 1}`;
  const how = sorted === null ? "the least certain first" : `sorted by ${columns[sorted].name}, ${ascending ? "ascending" : "descending"}`;
  const left = data.n > cases.length ? `; only the ${cases.length} least certain of all ${data.n} cases are listed` : "";
  find(".sorted").textContent = `${shown.length} of ${counted(cases.length, "case")}, ${how}${left}.`;
};

const choices = {};
const addFilter = (name) => {
  const select = make("select", { id: `filter-${name.replaceAll(" ", "-")}`, onchange: () => filterCases() });
  choices[name] = select;
  filters.append(make("span", {}, make("label", { htmlFor: select.id }, name), " ", select));
};
["show", "class in the set", "true class", "answer"].forEach(addFilter);
const setOptions = (name, options) => choices[name].replaceChildren(new Option("all", ""), ...options.map(([value, label]) => new Option(label, value)));

function filterCases() {
  const [kind, held, truth, answer] = ["show", "class in the set", "true class", "answer"].map((name) => choices[name].value);
  shown = cases.filter((one) => (!kind || kindOf(one) === kind) && (!held || one.set.includes(Number(held))) &&
    (!truth || one.true === Number(truth)) && (!answer || (one.predicted === one.true) === (answer === "right")));
  if (sorted !== null) {
    const { key } = columns[sorted], sign = ascending ? 1 : -1;
    const compare = (a, b) => (typeof a === "string" ? byText.compare(a, b) : a - b);
    shown.sort((a, b) => sign * compare(key(a), key(b)) || a.row - b.row);
  }
  page = 0;
  drawCases();
}

const showCases = (chosen) => {
  about = chosen;
  cases = chosen.view.cases.map(([row, truth, predicted, probability, set, robustness]) =>
    ({ row, true: truth, predicted, probability, set, robustness, ...chosen.view.details[row] }));
  columns = [
    { name: "row", key: (one) => one.row, show: (one) => String(one.row) },
    { name: chosen.credal ? "what remains" : "answer", key: (one) => one.set.length * classes.length + order[one.predicted], show: (one) => remaining(one.set) },
    { name: "probability", key: (one) => one.probability, show: (one) => percent(one.probability), number: true },
    { name: "robustness", key: (one) => one.robustness, show: (one) => decimals(one.robustness), number: true },
    { name: "true class", key: (one) => order[one.true], show: (one) => classes[one.true] },
    { name: "kind", key: (one) => ["undecided", "close call", "decided"].indexOf(kindOf(one)), show: kindOf },
    ...data.ids.names.map((name, at) => ({ name, key: (one) => idsOf(one)[at], show: (one) => idsOf(one)[at] })),
  ].filter(({ name }) => name !== "robustness" || cases.some((one) => one.robustness !== null));
  sorted = null;
  const headers = columns.map((column, at) => {
    const header = make("th", { scope: "col", className: column.number ? "number" : "" }, make("button", { type: "button", onclick: () => {
      ascending = sorted === at ? !ascending : true;
      sorted = at;
      headers.forEach((other, index) => other.setAttribute("aria-sort", index === at ? (ascending ? "ascending" : "descending") : "none"));
      filterCases();
    } }, column.name));
    header.setAttribute("aria-sort", "none");
    return header;
  });
  table.tHead.replaceChildren(make("tr", {}, ...headers));
  const occurring = (get) => {
    const found = new Set(cases.flatMap(get));
    return alphabetical.filter((c) => found.has(c)).map((c) => [String(c), classes[c]]);
  };
  const kinds = chosen.credal ? ["undecided", "close call", "decided"] : ["close call", "decided"];
  setOptions("show", kinds.map((kind) => [kind, kind]));
  setOptions("class in the set", occurring((one) => one.set));
  setOptions("true class", occurring((one) => [one.true]));
  setOptions("answer", [["right", "most probable class right"], ["wrong", "most probable class wrong"]]);
  const none = !chosen.view.undecided.n;
  choices.show.value = none ? "" : "undecided";
  find(".none-undecided").hidden = !none;
  find(".none-undecided").textContent = `${chosen.credal ? "No case is undecided." : "A classifier without sets leaves no case undecided."} ` +
    `Here are the least ${columns.some(({ name }) => name === "robustness") ? "robust and the least " : ""}probable answers.`;
  filters.hidden = false;
  filterCases();
};

const previous = make("button", { type: "button" }, "Previous");
const next = make("button", { type: "button" }, "Next");
const where = make("span", { role: "status" });
const turn = (step) => () => {
  page += step;
  drawCases();
  find(".cases").scrollTop = 0;
};
previous.addEventListener("click", turn(-1));
next.addEventListener("click", turn(1));
pages.append(previous, where, next);
table.addEventListener("keydown", (event) => {
  const line = body.querySelector("tr.case.open");
  if (event.key !== "Escape" || !line) return;
  line.querySelector("button").focus();
  line.click();
});
