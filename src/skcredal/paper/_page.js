
"use strict";
// Says that a wide table goes on to the right, as long as it does.
for (const scroller of document.querySelectorAll(".scroller")) {
  const wide = scroller.querySelector(".wide");
  const cue = scroller.querySelector(".cue");
  const update = () => {
    // Less than a pixel is rounding.
    const more = wide.scrollLeft + wide.clientWidth < wide.scrollWidth - 1;
    scroller.classList.toggle("more", more);
    cue.hidden = !more;
  };
  wide.addEventListener("scroll", update, { passive: true });
  new ResizeObserver(update).observe(wide);
  update();
}
(() => {
  const table = document.querySelector("#results table.results");
  if (!table) return;
  const body = table.tBodies[0];
  const headers = [...table.tHead.rows[0].cells];
  const status = document.querySelector(".sorted");
  const rows = [...body.rows];
  const byText = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

  const compare = (column, numeric, sign) => (a, b) => {
    const x = a.cells[column], y = b.cells[column];
    if (!numeric) return sign * byText.compare(x.textContent, y.textContent);
    // Cells without a value come last in both directions.
    const hasX = "value" in x.dataset, hasY = "value" in y.dataset;
    if (!hasX || !hasY) return hasY - hasX;
    return sign * (Number(x.dataset.value) - Number(y.dataset.value));
  };

  headers.forEach((header, column) => {
    const numeric = header.classList.contains("number");
    const button = document.createElement("button");
    const name = header.textContent;
    button.type = "button";
    button.textContent = name;
    header.replaceChildren(button);
    header.setAttribute("aria-sort", "none");
    button.addEventListener("click", () => {
      const ascending = header.getAttribute("aria-sort") !== "ascending";
      headers.forEach((other) => other.setAttribute("aria-sort", "none"));
      header.setAttribute("aria-sort", ascending ? "ascending" : "descending");
      rows.sort(compare(column, numeric, ascending ? 1 : -1));
      body.append(...rows);
      status.textContent = `Sorted by ${name}, ${ascending ? "ascending" : "descending"}.`;
    });
  });

  const filters = document.querySelector(".filters");
  const chosen = new Map();
  const filter = () => {
    rows.forEach((row) => {
      row.hidden = [...chosen].some(([column, value]) => value && row.cells[column].textContent !== value);
    });
    const shown = rows.filter((row) => !row.hidden).length;
    status.textContent = `${shown} of ${rows.length} rows shown.`;
  };
  headers.forEach((header, column) => {
    if (header.classList.contains("number")) return;
    const values = [...new Set(rows.map((row) => row.cells[column].textContent))];
    if (values.length < 2) return;
    const label = document.createElement("label");
    const select = document.createElement("select");
    select.append(new Option("all", ""), ...values.map((value) => new Option(value, value)));
    select.addEventListener("change", () => {
      chosen.set(column, select.value);
      filter();
    });
    select.id = `filter-${column}`;
    label.htmlFor = select.id;
    label.textContent = header.textContent;
    const pair = document.createElement("span");
    pair.append(label, " ", select);
    filters.append(pair);
    filters.hidden = false;
  });
})();
