// The page: which classifier, which threshold, what a pair is worth; everything is drawn anew when one changes.
let current = data.opening, threshold = Math.round(100 * data.close_call), worth = data.worths.indexOf(0.65), byOptimal = false;
const classifier = () => data.classifiers[current];

const showLead = () => {
  const { name, accuracy, credal } = classifier();
  const sets = credal ? "" : " It has no sets: it always answers with one class.";
  find("#lead").replaceChildren(make("strong", {}, name), ` names the right class first in ${percent(accuracy)} of ${counted(data.n, "case")}, each judged by a model that has not seen it.${sets}`);
};

const showAnswers = () => {
  const { view, beats_null: beatsNull } = classifier();
  const sum = (rows, at) => rows.reduce((total, row) => total + row[at], 0);
  const decided = sum(view.decided, 0), close = view.decided.slice(0, threshold);
  const card = (kind, n, title, ...lines) => make("li", { className: kind }, make("strong", {}, String(n)), ` ${title} `,
    make("span", {}, percent(n, data.n)), ...lines.map((line) => make("p", {}, line)));
  const { undecided } = view;
  const cards = [
    card("decided", decided, "decided", `One class remains. It was right in ${percent(sum(view.decided, 1), decided)} of these cases.`),
    card("close", sum(close, 0), "close calls", `Among the decided: one class remains, but its probability is below ${threshold}\u00a0%. It was right in ${percent(sum(close, 1), sum(close, 0))} of these cases.`),
  ];
  if (classifier().credal) {
    cards.push(card("undecided", undecided.n, "undecided", `Several classes remain${undecided.n ? `; the true one is among them in ${percent(undecided.held, undecided.n)}, and the most probable is right in ${percent(undecided.correct, undecided.n)} of these cases` : " in no case"}.`));
  }
  find(".cards").replaceChildren(...cards);
  find("#threshold-shown").textContent = `${threshold}\u00a0%`;
  const warning = find(".null-model"), { class: most, share } = data.most_frequent;
  warning.hidden = beatsNull !== false;
  warning.textContent = `No better than always saying “${classes[most]}”, which is right in ${percent(share)} of the cases: it has learned nothing useful from this table.`;
};

const showClassifiers = () => {
  const [values, verdicts] = byOptimal ? ["optimal", "best_optimal_is"] : ["utility", "best_is"];
  const value = (one) => (one[values] ? one[values][worth] : -1);
  const ranked = data.classifiers.map((one, at) => ({ one, at })).sort((a, b) => value(b.one) - value(a.one) || a.at - b.at);
  const most = classes[data.most_frequent.class];
  const lines = ranked.map(({ one, at }) => {
    const name = make("th", { scope: "row" }, one.view ? make("button", { type: "button", className: "plain", onclick: () => choose(at) }, one.name) : one.name);
    if (one.beats_null === false) name.append(make("small", {}, `no better than always saying “${most}”`));
    const bar = cell(decimals(one.utility[worth]), "number bar");
    bar.style.setProperty("--part", one.utility[worth]);
    const line = make("tr", { className: at === current ? "chosen" : "" }, name, bar, cell(decimals(one.optimal && one.optimal[worth])),
      cell(one[verdicts] ? one[verdicts][worth] : "–", "verdict"), cell(decimals(one.accuracy)), cell(decimals(one.brier_multiclass)), cell(decimals(one.log_loss)),
      ...["determinacy", "single_accuracy", "set_accuracy"].map((measure) => cell(decimals(one.credal ? one[measure] : null))));
    if (at === current) line.setAttribute("aria-current", "true");
    return line;
  });
  const sortable = (text, optimal) => {
    const button = make("button", { type: "button", onclick: () => { byOptimal = optimal; showClassifiers(); } }, text);
    const header = make("th", { scope: "col", className: "number" }, button);
    header.setAttribute("aria-sort", optimal === byOptimal ? "descending" : "none");
    return header;
  };
  fill(find("#classifiers table"), [head("classifier"), sortable("utility", false), sortable("optimal sets", true),
    head("the best is"), ...["accuracy", "Brier", "log-loss", "decided", "right if decided", "set holds it"].map((text) => head(text, "number"))], lines);
  find("#worth-shown").textContent = `${decimals(data.worths[worth], 2)} (u${Math.round(100 * data.worths[worth])})`;
};

const showClasses = () => {
  const { confusion } = classifier().view, { credal } = classifier(), k = classes.length;
  const said = classes.map((_, d) => confusion.reduce((total, row) => total + row[d], 0));
  const total = (row) => row.reduce((a, b) => a + b, 0);
  fill(find(".by-class"), [head("class"), ...["cases", "found", "right when said", ...(credal ? ["undecided"] : [])].map((text) => head(text, "number"))],
    confusion.map((row, c) => make("tr", {}, make("th", { scope: "row" }, classes[c]), cell(String(total(row))), cell(percent(row[c], total(row))),
      cell(percent(row[c], said[c])), ...(credal ? [cell(percent(row[k] + row[k + 1], total(row)))] : []))));
  const shown = credal ? k + 2 : k;
  fill(find(".confusion"), [head("true class"), ...[...classes.map((name) => `said ${name}`), "undecided, true class in the set", "undecided, without it"].slice(0, shown).map((text) => head(text, "number"))],
    confusion.map((row, c) => make("tr", {}, make("th", { scope: "row" }, classes[c]),
      ...row.slice(0, shown).map((n, d) => cell(n ? String(n) : "·", d === c ? "number right" : d < k && n ? "number wrong" : "number")))));
};

const choose = (at) => {
  current = at;
  find("#classifier").value = String(at);
  showAll();
};
const showAll = () => {
  showLead();
  showAnswers();
  showClassifiers();
  showClasses();
  drawReliability(classifier().view.reliability);
  drawAside(classifier().view.aside, data.n);
  showCases(classifier());
};

const select = make("select", { id: "classifier", onchange: () => choose(Number(select.value)) });
data.classifiers.forEach((one, at) => { if (one.view) select.append(new Option(one.name, at)); });
find("#choice").append(make("label", { htmlFor: "classifier" }, "Classifier"), " ", select);
const slider = (id, value, change) => {
  const input = find(id);
  input.value = String(value);
  input.addEventListener("input", () => change(Number(input.value)));
};
slider("#threshold", threshold, (value) => { threshold = value; showAnswers(); filterCases(); });
slider("#worth", worth, (value) => { worth = value; showClassifiers(); });
choose(current);
