// Parts of one script (see _page.py): what the others build with.
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
