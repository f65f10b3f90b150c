"""The HTML of the evaluation page. The table of cases is filled in by the page's script."""

from __future__ import annotations

import bisect
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from skcredal._validation import naming
from skcredal.evaluation._html import document, escape, fact_list, read_resource

__all__ = ["render_evaluation"]

# Size and margins of the drawing, in the units of its viewBox.
_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP, _RIGHT = 560, 290, 60, 56, 14, 24
# More labels on an axis would touch each other on a phone.
_MOST_TICKS = 6
# Of how many set aside the curve is put into words, at most.
_MOST_SET_ASIDE = 0.5
# What a reader is told where the sets range over priors, and where over weights.
_UNDECIDED = {"prior": "prior-dependent", "weights": "undecided"}
_SAFE_MEANS = {
    "prior": "One class remains, whatever the prior.",
    "weights": "One class remains under all credible weights of the models.",
}
_UNDECIDED_MEANS = {
    "prior": "Several classes remain: which one wins depends on the prior.",
    "weights": "Several classes remain: which one wins depends on weights that the data leave open.",
}
_NONE = {
    "prior": "There are none: no answer depends on the prior.",
    "weights": "There are none: one class remains everywhere.",
}
_ROBUSTNESS = {
    "prior": (
        "Robustness is the share of the prior over the models that can be replaced by anything before the "
        "answer changes. A safe case can have a robustness below 1, because safe means: for every prior that "
        "gives each model at least a little weight."
    ),
    "weights": (
        "Robustness is the credibility up to which the most probable class beats every other: the more "
        "credible the set of weights is to be, the larger it is, and the more classes remain. A case is "
        "undecided where the classifier is asked for more credibility than that."
    ),
}
_MEASURES = (
    (
        "u65",
        "u65",
        "Utility: 1 for the true class alone, 0.65 for a pair that contains it; without sets, the accuracy",
    ),
    ("u80", "u80", "The same with 0.80 for a pair"),
    ("accuracy", "accuracy", "How often the most probable class is the true one"),
    ("brier", "Brier", "Mean of (1 - probability of the true class)²; lower is better"),
    ("determinacy", "determinacy", "Share of cases with a single class"),
    ("single_accuracy", "single", "Accuracy on these cases"),
    ("set_accuracy", "set", "Share of the cases with several classes that contain the true one"),
    ("output_size", "size", "Mean number of classes in these sets"),
)


def render_evaluation(data: Mapping[str, Any]) -> str:
    """Make a self-contained HTML page of an evaluation.

    Parameters
    ----------
    data : mapping
        As returned by :func:`~skcredal.evaluation._page_data.evaluation_data`, possibly after a round trip
        through JSON.

    Returns
    -------
    str
        The page, including styles, script and data. Names and values are escaped, whatever they contain.

    Examples
    --------
    >>> page = render_evaluation({
    ...     "title": "A < B", "classifier": "NCC", "classes": [], "n": 0, "safe": {"n": 0, "correct": 0},
    ...     "dependent": {"n": 0, "correct": 0, "held": 0}, "classifiers": [], "cases": [], "names": [],
    ...     "over": "prior", "curve": {"set_aside": [], "accuracy": [], "threshold": []}, "facts": []})
    >>> "<h1>A &lt; B</h1>" in page, "http" in page.replace("http-equiv", "")
    (True, False)
    """
    with naming("data"):
        return _render(data)


def _render(data: Mapping[str, Any]) -> str:
    kind = _UNDECIDED[data["over"]]
    sections = (
        ("split", f"Safe and {kind} cases", _split(data)),
        ("classifiers", "Classifiers side by side", _classifiers(data["classifiers"])),
        ("curve", "Setting aside the least robust cases", _curve(data)),
        ("cases", f"The {kind} cases", _cases(data)),
        ("run", "How it was run", fact_list(data["facts"])),
    )
    return document(
        data["title"],
        sections,
        styles=[read_resource(__package__, name) for name in ("_page.css", "_evaluation.css")],
        script=read_resource(__package__, "_evaluation.js"),
        lead=_lead(data),
        data=_json({name: data[name] for name in ("classes", "cases", "names", "over")}),
    )


def _json(data: Mapping[str, Any]) -> str:
    """Return JSON that is safe inside of a script element: nothing in it can close the element."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    # "</script>" in a name would end the element, and U+2028 a line of JavaScript.
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    # Lone surrogates cannot be encoded in UTF-8.
    return text.encode("utf-8", errors="replace").decode()


def _percent(part: int, whole: int) -> str:
    return _share(part / whole) if whole else "–"


def _share(value: float) -> str:
    return f"{value * 100:.1f}\u00a0%"


def _lead(data: Mapping[str, Any]) -> str:
    if not data["n"]:
        return ""
    return (
        f'<p class="lead">The cases of <strong>{escape(data["classifier"])}</strong>, each judged by a model '
        "that has not seen it.</p>\n"
    )


def _split(data: Mapping[str, Any]) -> str:
    n, safe, dependent, over = data["n"], data["safe"], data["dependent"], data["over"]
    if not n:
        return ""
    held = (
        f"; {dependent['held']} sets ({_percent(dependent['held'], dependent['n'])}) contain the true class"
        if dependent["n"]
        else ""
    )

    def card(kind: str, title: str, part: Mapping[str, int], meaning: str) -> str:
        return (
            f'<li class="{kind}"><strong>{part["n"]}</strong> {title} <span>{_percent(part["n"], n)}</span>'
            f"<p>Correct on {part['correct']} of them: accuracy <b>{_percent(part['correct'], part['n'])}</b>"
            f"{held if kind == 'dependent' else ''}.</p><small>{meaning}</small></li>"
        )

    return (
        '<ul class="cards">'
        + card("safe", "safe", safe, _SAFE_MEANS[over])
        + card("dependent", _UNDECIDED[over], dependent, _UNDECIDED_MEANS[over])
        + f"</ul>\n<p>By {escape(data['classifier'])}, in the first run of the cross-validation.</p>\n"
    )


def _classifiers(rows: Sequence[Mapping[str, Any]]) -> str:
    if not rows:
        return ""
    headers = "".join(
        f'<th scope="col" class="number"><abbr title="{escape(meaning)}">{label}</abbr></th>'
        for _, label, meaning in _MEASURES
    )
    lines = "".join(
        f'<tr><td class="number">{row["rank_u65"]}</td><th scope="row">{escape(row["name"])}</th>'
        f"{''.join(_measure(row[name], name) for name, _, _ in _MEASURES)}"
        f'<td class="number">{row["rank_u80"]}</td></tr>\n'
        for row in rows
    )
    meanings = "".join(
        f"<div><dt>{label}</dt><dd>{escape(meaning)}</dd></div>" for _, label, meaning in _MEASURES
    )
    return (
        '<div class="wide" role="region" aria-labelledby="classifiers-title" tabindex="0">'
        '<table class="side" aria-labelledby="classifiers-title"><thead><tr>'
        f'<th scope="col" class="number"><abbr title="Rank by u65">#</abbr></th>'
        f'<th scope="col">classifier</th>{headers}'
        '<th scope="col" class="number"><abbr title="Rank by u80"># by u80</abbr></th></tr></thead>\n'
        f"<tbody>\n{lines}</tbody></table></div>\n"
        f"<details><summary>What the columns mean</summary><dl>{meanings}</dl></details>\n"
    )


def _measure(value: float | None, name: str) -> str:
    if value is None:
        return '<td class="number">–</td>'
    if name in ("u65", "u80"):
        return f'<td class="number bar" style="--part:{value:.4f}">{value:.3f}</td>'
    return f'<td class="number">{value:.3f}</td>'


def _curve(data: Mapping[str, Any]) -> str:
    n: int = data["n"]
    curve: Mapping[str, Sequence[float]] = data["curve"]
    shares, accuracies = curve["set_aside"], curve["accuracy"]
    if not n or not shares:
        return ""
    if len(shares) == 1:
        return "<p>All answers are equally robust: there is nothing to set aside.</p>\n"
    right = max(shares)
    low, high = min(accuracies), max(accuracies)
    # At least half a percent, so that a flat curve is not magnified into noise.
    margin = max((high - low) * 0.15, 0.005)
    low, high = max(0.0, low - margin), min(1.0, high + margin)

    def x(share: float) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * share / right

    def y(accuracy: float) -> float:
        return _TOP + (_HEIGHT - _TOP - _BOTTOM) * (high - accuracy) / (high - low)

    # A step function, because rows of equal robustness are set aside together.
    path = f"M{x(shares[0]):.1f} {y(accuracies[0]):.1f}" + "".join(
        f"H{x(share):.1f}V{y(accuracy):.1f}"
        for share, accuracy in zip(shares[1:], accuracies[1:], strict=True)
    )
    grid = "".join(
        f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y(at):.1f}" y2="{y(at):.1f}"/>'
        f'<text x="{_LEFT - 8}" y="{y(at) + 4:.1f}" text-anchor="end">{label}</text>'
        for at, label in _ticks(low, high)
    )
    ticks = "".join(
        f'<text x="{x(at):.1f}" y="{_HEIGHT - _BOTTOM + 22}" text-anchor="middle">{label}</text>'
        for at, label in _ticks(0.0, right)
    )
    # Where every case has a robustness of its own, the curve ends with the accuracy on a single one.
    last = max(1, bisect.bisect_right(shares, _MOST_SET_ASIDE) - 1)
    summary = (
        f"Accuracy is {_share(accuracies[0])} on all {n} cases, and {_share(accuracies[last])} on the others "
        f"if the least robust {_share(shares[last])} are set aside."
    )
    return (
        f'<figure class="curve"><svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'aria-label="{escape(summary)}">'
        f'{grid}{ticks}<line class="all" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y(accuracies[0]):.1f}" '
        f'y2="{y(accuracies[0]):.1f}"/><path class="line" d="{path}"/>'
        f'<text x="{(_LEFT + _WIDTH - _RIGHT) / 2:.0f}" y="{_HEIGHT - 8}" text-anchor="middle">'
        "share of cases set aside, the least robust first</text>"
        f"</svg><figcaption>{escape(summary)} The dashed line is what setting aside random cases would give."
        f"</figcaption></figure>\n<p>{_ROBUSTNESS[data['over']]}</p>\n"
    )


def _ticks(low: float, high: float) -> list[tuple[float, str]]:
    """Return three to six round shares within a range, with their labels.

    Examples
    --------
    >>> [label.replace("\u00a0", " ") for _, label in _ticks(0.491, 0.572)]
    ['50 %', '52 %', '54 %', '56 %']
    >>> [label.replace("\u00a0", " ") for _, label in _ticks(0.0, 0.011)]
    ['0.0 %', '0.2 %', '0.4 %', '0.6 %', '0.8 %', '1.0 %']
    """
    # Steps of 1, 2 or 5 times a power of ten are the ones that readers expect.
    power = 10.0 ** math.floor(math.log10(high - low))
    step = next(
        part * power for part in (0.1, 0.2, 0.5, 1.0, 2.0) if (high - low) / (part * power) < _MOST_TICKS
    )
    decimals = max(0, -math.floor(math.log10(step) + 1e-9) - 2)
    # The tolerance keeps a tick that rounding puts just outside of the range.
    multiples = range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
    return [(i * step, f"{i * step * 100:.{decimals}f}\u00a0%") for i in multiples]


def _cases(data: Mapping[str, Any]) -> str:
    if not data["n"]:
        return ""
    if not data["cases"]:
        return f"<p>{_NONE[data['over']]}</p>\n"
    return (
        "<noscript><p>The table of cases needs JavaScript.</p></noscript>\n"
        '<div class="filters" hidden></div><p class="sorted" role="status"></p>\n'
        '<div class="wide cases" role="region" aria-labelledby="cases-title" tabindex="0">'
        '<table class="results" aria-labelledby="cases-title"><thead></thead><tbody></tbody></table></div>\n'
        '<div class="pages" hidden></div>\n'
    )
