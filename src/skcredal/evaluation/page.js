"use strict";
(() => {
  // The page is complete without this script: it chooses a classifier, filters the cases and sorts them.
  document.body.classList.add("scripted");
  const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];
  const choice = document.getElementById("choice");
  const show = (key) => {
    all("[data-view]").forEach((part) => { part.hidden = part.dataset.view !== key; });
    all("[data-line]").forEach((line) => line.setAttribute("aria-current", String(line.dataset.line === key)));
    choice.value = key;
  };
  choice.addEventListener("change", () => show(choice.value));
  all("[data-choose]").forEach((button) => button.addEventListener("click", () => show(button.dataset.choose)));
  show(choice.value); // a browser may keep the choice when the page is loaded again

  // A second click turns the order round; what a classifier does not have comes last.
  const order = new Intl.Collator(undefined, { numeric: true });
  const sortable = (heads, lines, cells) => heads.forEach((head, column) => head.addEventListener("click", () => {
    const falls = head.dataset.sorted ? head.dataset.sorted === "ascending" : "falls" in head.dataset;
    heads.forEach((other) => other.removeAttribute("data-sorted"));
    head.dataset.sorted = falls ? "descending" : "ascending";
    const [sign, last] = falls ? [-1, -Infinity] : [1, Infinity];
    const number = (cell) => (Number.isNaN(Number(cell.dataset.value)) ? last : Number(cell.dataset.value));
    const compare = (a, b) => ("value" in a.dataset ? (number(a) > number(b)) - (number(a) < number(b))
      : order.compare(a.textContent, b.textContent));
    lines.sort((a, b) => sign * compare(cells(a)[column], cells(b)[column]));
    lines[0].parentNode.append(...lines);
  }));
  all(".sortable").forEach((table) => sortable(all("thead button", table), all("tbody tr", table), (line) => line.children));

  all(".cases").forEach((list) => {
    const cases = all(".case", list), filters = all("select", list), heads = all(".heads button", list);
    const status = list.querySelector("[role=status]"), words = status.textContent;
    const filter = () => {
      cases.forEach((one) => {
        one.hidden = filters.some(({ name, value }) => value && !one.dataset[name].split(" ").includes(value));
      });
      status.textContent = `${cases.filter((one) => !one.hidden).length} shown. ${words}`;
    };
    filters.forEach((select) => select.addEventListener("change", filter));
    if (cases.some((one) => one.dataset.kind === "undecided")) filters[0].value = "undecided";
    filter();
    sortable(heads, cases, (one) => one.querySelector("summary").children);
  });
})();
