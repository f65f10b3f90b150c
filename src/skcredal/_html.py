"""Tables for notebooks: HTML that can be read on a light and on a dark ground."""

from collections.abc import Iterable

from skcredal._colours import COLOURS


def table(rows: Iterable[Iterable[str]], below: str) -> str:
    """Return rows of cells, which are HTML, as a table with a line below it."""
    lines = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div style="overflow-x: auto"><table>{lines}</table><p>{below}</p></div>'


def bar(p: float, low: float, high: float, is_inside: bool) -> str:
    """Return a probability as a line across a bar between its bounds, which are equal if there are none."""
    # Two percent of its length are the least that is seen.
    ends = f"{low:.1%}, {COLOURS[0 if is_inside else 6]} 0 {max(high, low + 0.02):.1%}, transparent 0"
    ground = f"border: 1px solid #8c959f80; background: linear-gradient(90deg, transparent {ends}) no-repeat"
    line = f'<i style="position: absolute; left: {p:.1%}; height: 100%; border-left: 2px solid"></i>'
    numbers = f"{p:.2f} ({low:.2f} to {high:.2f})" if high > low else f"{p:.2f}"
    return f'<div style="position: relative; width: 8em; height: .9em; {ground}">{line}</div>{numbers}'
