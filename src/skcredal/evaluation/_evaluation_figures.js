// First of the parts of one script (see _page_data.py): what the others build with, and the figures.
const data = JSON.parse(document.getElementById("data").textContent);
const { classes, names } = data;
const find = (selector) => document.querySelector(selector);

// Everything is inserted as text nodes: no name or value is ever parsed as markup.
const make = (tag, properties = {}, ...children) => {
  const { role, scope, ...plain } = properties;
  const element = Object.assign(document.createElement(tag), plain);
  if (role) element.setAttribute("role", role);
  if (scope) element.setAttribute("scope", scope);
  element.append(...children);
  return element;
};
const draw = (tag, attributes = {}, ...children) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
  element.append(...children);
  return element;
};
const decimals = (value, digits = 3) => (value === null || value === undefined ? "–" : value.toFixed(digits));
const percent = (part, whole = 1, digits = 1) => (whole ? `${(100 * part / whole).toFixed(digits)}\u00a0%` : "–");
const listed = (words, joint = "and") => (words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} ${joint} ${words.at(-1)}`);
const counted = (n, thing) => `${n} ${thing}${n === 1 ? "" : "s"}`;
const cell = (text, kind = "number") => make("td", { className: kind }, text);
const head = (text, kind = "") => make("th", { scope: "col", className: kind }, text);
const fill = (table, heads, lines) => {
  table.tHead.replaceChildren(make("tr", {}, ...heads));
  table.tBodies[0].replaceChildren(...lines);
};

// The figures: how far probabilities can be trusted, and what setting cases aside is worth.
const SIZE = { width: 560, height: 330, left: 92, right: 24, top: 14, bottom: 60 };

const frame = (xs, ys, xTitle, yTitle, label) => {
  const { width, height, left, right, top, bottom } = SIZE;
  const x = (value) => left + (width - left - right) * (value - xs.low) / (xs.high - xs.low);
  const y = (value) => top + (height - top - bottom) * (ys.high - value) / (ys.high - ys.low);
  const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
  ys.ticks.forEach((at) => svg.append(
    draw("line", { class: "grid", x1: left, x2: width - right, y1: y(at), y2: y(at) }),
    draw("text", { x: left - 8, y: y(at) + 4, "text-anchor": "end" }, percent(at, 1, 0))));
  xs.ticks.forEach((at) => svg.append(draw("text", { x: x(at), y: height - bottom + 22, "text-anchor": "middle" }, percent(at, 1, 0))));
  svg.append(
    draw("text", { class: "axis", x: (left + width - right) / 2, y: height - 8, "text-anchor": "middle" }, xTitle),
    draw("text", { class: "axis", x: 18, y: (top + height - bottom) / 2, "text-anchor": "middle", transform: `rotate(-90 18 ${(top + height - bottom) / 2})` }, yTitle));
  return { svg, x, y };
};
const steps = (low, high, by) => Array.from({ length: Math.round((high - low) / by) + 1 }, (_, i) => low + i * by);

const drawReliability = (groups) => {
  const lowest = Math.floor(Math.min(...groups.map(([p, accuracy]) => Math.min(p, accuracy))) * 10) / 10;
  const low = Math.min(lowest, 0.5), by = low < 0.45 ? 0.2 : 0.1;
  const axis = { low, high: 1, ticks: steps(low, 1, by).filter((at) => at <= 1.0001) };
  const words = `Accuracy of cases by their probability: ${groups.map(([p, accuracy]) => `${percent(p, 1, 0)} said, ${percent(accuracy, 1, 0)} right`).join("; ")}.`;
  const { svg, x, y } = frame(axis, axis, "probability of the most probable class", "share that was right", words);
  svg.append(draw("line", { class: "all", x1: x(low), y1: y(low), x2: x(1), y2: y(1) }));
  const most = Math.max(...groups.map(([, , n]) => n));
  groups.forEach(([p, accuracy, n]) => {
    // Wilson's interval, which stays within 0 and 1 for few cases, too.
    const z = 1.96, centre = (accuracy + z * z / (2 * n)) / (1 + z * z / n);
    const half = z * Math.sqrt(accuracy * (1 - accuracy) / n + z * z / (4 * n * n)) / (1 + z * z / n);
    svg.append(
      draw("line", { class: "spread", x1: x(p), x2: x(p), y1: y(Math.max(low, centre - half)), y2: y(Math.min(1, centre + half)) }),
      draw("circle", { class: "point", cx: x(p), cy: y(accuracy), r: 3 + 6 * Math.sqrt(n / most) }, draw("title", {}, `${counted(n, "case")}: ${percent(p)} said, ${percent(accuracy)} right`)));
  });
  find(".figure.reliability").replaceChildren(make("figure", { className: "curve" }, svg));
};

const drawAside = ({ probability, robustness }, n) => {
  const all = probability[0][1];
  // Up to 100 %, and at least 20 % wide: a flat curve is not magnified into noise.
  const low = Math.max(0, Math.floor((Math.min(all, 0.85) - 0.05) * 10) / 10);
  const by = 1 - low > 0.5 ? 0.2 : 0.1;
  const ys = { low, high: 1, ticks: steps(low, 1, by).filter((at) => at <= 1.0001) };
  // Beyond a half, the curve would be about a few cases.
  const most = 0.5;
  const after = (curve, share) => curve.filter(([at]) => at <= share + 1e-9).at(-1)[1];
  const kinds = [["probability", probability, "first", "the least probable first"], ["robustness", robustness, "second", "the least robust first"]].filter(([, curve]) => curve);
  const tenth = kinds.map(([name, curve]) => `${percent(after(curve, 0.1))} by ${name}`);
  const summary = `Accuracy is ${percent(all)} on all ${counted(n, "case")}; with a tenth set aside, accuracy on the others is ${listed(tenth)}.`;
  const { svg, x, y } = frame({ low: 0, high: most, ticks: steps(0, most, 0.1) }, ys, "share of cases set aside", "accuracy on the others", summary);
  svg.append(draw("line", { class: "all", x1: x(0), x2: x(most), y1: y(all), y2: y(all) }));
  const legend = make("ul", { className: "legend" });
  kinds.forEach(([, curve, kind, words]) => {
    const within = curve.filter(([at]) => at <= most);
    // A step function, because rows of equal score are set aside together.
    const path = within.map(([at, accuracy], i) => (i ? `H${x(at).toFixed(1)}V` : `M${x(0)} `) + y(Math.max(low, accuracy)).toFixed(1)).join("");
    svg.append(draw("path", { class: `line ${kind}`, d: `${path}H${x(within.length < curve.length ? most : within.at(-1)[0]).toFixed(1)}` }));
    legend.append(make("li", { className: kind }, words));
  });
  const caption = make("figcaption", {}, `${summary} The dashed line is what setting aside random cases would give.`);
  const alone = robustness ? [] : [make("p", { className: "note" }, "This classifier does not tell how robust its answers are.")];
  find(".figure.aside").replaceChildren(make("figure", { className: "curve" }, svg, legend, caption), ...alone);
};
