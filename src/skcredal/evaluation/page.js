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
    const order = new Intl.Collator(undefined, { numeric: true });
    heads.forEach((head, column) => head.addEventListener("click", () => {
      const descending = head.dataset.sorted === "ascending";
      heads.forEach((other) => other.removeAttribute("data-sorted"));
      head.dataset.sorted = descending ? "descending" : "ascending";
      const key = (one) => one.querySelector("summary").children[column];
      const compare = (a, b) => ("value" in key(a).dataset ? key(a).dataset.value - key(b).dataset.value
        : order.compare(key(a).textContent, key(b).textContent));
      list.append(...cases.sort((a, b) => (descending ? compare(b, a) : compare(a, b))));
    }));
  });
})();
