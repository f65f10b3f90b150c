
// Says that a wide table goes on to the right, as long as it does.
for (const wide of document.querySelectorAll(".wide")) {
  const cue = Object.assign(document.createElement("p"), { className: "cue", textContent: "More columns to the right →" });
  cue.setAttribute("aria-hidden", "true");
  const scroller = Object.assign(document.createElement("div"), { className: "scroller" });
  wide.replaceWith(scroller);
  scroller.append(cue, wide);
  const update = () => {
    // Less than a pixel is rounding.
    const more = wide.scrollLeft + wide.clientWidth < wide.scrollWidth - 1;
    scroller.classList.toggle("more", more);
    cue.hidden = !more;
  };
  wide.addEventListener("scroll", update, { passive: true });
  const observer = new ResizeObserver(update);
  [wide, ...wide.children].forEach((element) => observer.observe(element));
  update();
}
