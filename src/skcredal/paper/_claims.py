"""The paper's thirty claims, each compared with what an experiment found (§11).

The rules are in :mod:`skcredal.paper._claim_rules`, :mod:`skcredal.paper._figure_rules` and
:mod:`skcredal.paper._rank_rules`.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from typing import TYPE_CHECKING

from skcredal._validation import naming
from skcredal.datasets._openml import OPENML
from skcredal.paper._claim_rules import (
    CONTRADICTED,
    DOES_NOT_HOLD,
    HOLDS,
    NEEDED_MEASURES,
    NOT_JUDGED,
    NOT_SEEN,
    SAME_DIRECTION,
    Finding,
    Rule,
    accuracy_drops,
    lower_on_average,
    not_significant,
    significantly_higher,
    significantly_lower,
)
from skcredal.paper._figure_rules import (
    ABOUT_COUNT,
    ABOUT_SIZE,
    GENERALLY,
    N_DATASETS,
    correlation_about,
    fully_determinate,
    gains_about,
    gains_below,
    gains_within,
    mean_about,
    mean_ratio_about,
)
from skcredal.paper._rank_rules import best_rank, no_rank_differs, only_these_differ
from skcredal.paper._summary import NotRunError, Results, check_columns
from skcredal.paper._verdicts import Claim

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["are_papers_datasets", "check_claims"]

_DETERMINATE = "Determinate classifiers"
_CREDAL = "Credal classifiers"
_UTILITY = "Utility-based measures"
_PREVIOUS = "Comparison with previous credal classifiers"
_ACCURACY_PLOT = "figure of accuracies"
_BRIER_PLOT = "figure of relative Brier losses"
_DROP_PLOT = "figure of accuracies on safe and prior-dependent instances"
_UTILITY_PLOT = "figure of relative utilities"
_RANK_PLOT = "figure of ranks"

_BMA, _COMP = "bma-aode*", "comp-aode*"
_RANKED = ("cdt", "cma", _COMP)
_SLIP = "The paper's own ranks order CMA and CDT the other way round and reach no difference at 90 %."

# Text, where it is in the paper, the paper's value, the rule.
_CLAIMS: tuple[tuple[str, str, str, Rule], ...] = (
    (
        "AODE has a higher accuracy than BMA-AODE",
        f"{_DETERMINATE}, {_ACCURACY_PLOT} (a)",
        "p < .01",
        significantly_higher((("aode", "accuracy"), ("bma-aode", "accuracy"))),
    ),
    (
        "AODE has a lower Brier loss than BMA-AODE",
        f"{_DETERMINATE}, {_BRIER_PLOT} (a)",
        "lower",
        lower_on_average(("aode", "brier"), ("bma-aode", "brier")),
    ),
    (
        "Mean relative Brier loss BMA-AODE/AODE",
        f"{_DETERMINATE}, {_BRIER_PLOT} (a)",
        "about 1.03",
        mean_ratio_about(("bma-aode", "brier"), ("aode", "brier"), 1.03),
    ),
    (
        "Accuracies of COMP-AODE and AODE do not differ significantly",
        f"{_DETERMINATE}, {_ACCURACY_PLOT} (b)",
        "not significant",
        not_significant(("comp-aode", "accuracy"), ("aode", "accuracy")),
    ),
    (
        "COMP-AODE has a lower Brier loss than AODE",
        f"{_DETERMINATE}, {_BRIER_PLOT} (b)",
        "p < .01",
        significantly_lower(("comp-aode", "brier"), ("aode", "brier")),
    ),
    (
        "Mean relative Brier loss COMP-AODE/AODE",
        f"{_DETERMINATE}, {_BRIER_PLOT} (b)",
        "about 0.97",
        mean_ratio_about(("comp-aode", "brier"), ("aode", "brier"), 0.97),
    ),
    ("Mean determinacy of BMA-AODE*", _CREDAL, "94 %", mean_about((_BMA, "determinacy"), 0.94)),
    ("BMA-AODE* is fully determinate on some data sets", _CREDAL, "7 data sets", fully_determinate(_BMA, 7)),
    (
        "Correlation of the determinacy of BMA-AODE* with n",
        _CREDAL,
        "0.3",
        correlation_about((_BMA, "determinacy"), (_BMA, "n"), 0.3),
    ),
    ("Mean set-accuracy of BMA-AODE*", _CREDAL, "90 %", mean_about((_BMA, "set_accuracy"), 0.90)),
    (
        "Mean indeterminate output size of BMA-AODE*",
        _CREDAL,
        "2.3 (3.6 classes on average)",
        mean_about((_BMA, "output_size"), 2.3, margin=ABOUT_SIZE, beside="classes"),
    ),
    (
        "Accuracy of BMA-AODE drops on what BMA-AODE* finds prior-dependent",
        f"{_CREDAL}, {_DROP_PLOT} (a)",
        "83 % safe, 52 % prior-dependent, p < .01",
        accuracy_drops(_BMA, 0.83, 0.52),
    ),
    ("Mean determinacy of COMP-AODE*", _CREDAL, "99 %", mean_about((_COMP, "determinacy"), 0.99)),
    (
        "COMP-AODE* is fully determinate on some data sets",
        _CREDAL,
        "18 data sets",
        fully_determinate(_COMP, 18),
    ),
    ("Mean set-accuracy of COMP-AODE*", _CREDAL, "95 %", mean_about((_COMP, "set_accuracy"), 0.95)),
    (
        "Mean indeterminate output size of COMP-AODE*",
        _CREDAL,
        "2",
        mean_about((_COMP, "output_size"), 2.0, margin=ABOUT_SIZE),
    ),
    (
        "Accuracy of COMP-AODE drops on what COMP-AODE* finds prior-dependent",
        f"{_CREDAL}, {_DROP_PLOT} (b)",
        "82 % safe, 47 % prior-dependent, p < .01",
        accuracy_drops(_COMP, 0.82, 0.47),
    ),
    (
        "Utility of BMA-AODE* is above the accuracy of BMA-AODE under u65 and u80",
        _UTILITY,
        "p < .01 each",
        significantly_higher(
            ((_BMA, "u65"), ("bma-aode", "accuracy")), ((_BMA, "u80"), ("bma-aode", "accuracy"))
        ),
    ),
    (
        "Mean relative gain of BMA-AODE* over BMA-AODE under u65 and u80",
        f"{_UTILITY}, {_UTILITY_PLOT}, first row",
        "about 1 % and 2 %",
        gains_about(_BMA, "bma-aode", {"u65": 0.01, "u80": 0.02}),
    ),
    (
        "Relative gain of BMA-AODE* on the prior-dependent instances, generally",
        _UTILITY,
        "+10 % to +40 %",
        gains_within(_BMA, 0.10, 0.40, share=GENERALLY),
    ),
    (
        "Utility of COMP-AODE* is above the accuracy of COMP-AODE under u65 and u80",
        _UTILITY,
        "p < .01 each",
        significantly_higher(
            ((_COMP, "u65"), ("comp-aode", "accuracy")), ((_COMP, "u80"), ("comp-aode", "accuracy"))
        ),
    ),
    (
        "Relative gain of COMP-AODE* over COMP-AODE, generally",
        f"{_UTILITY}, {_UTILITY_PLOT}, second row",
        "below 1 %",
        gains_below(_COMP, "comp-aode", 0.01),
    ),
    (
        "Relative gain of COMP-AODE* on the indeterminate instances",
        _UTILITY,
        "+39 % to +60 %",
        gains_within(_COMP, 0.39, 0.60, share=1.0),
    ),
    (
        "COMP-AODE* has a higher u65 than BMA-AODE*",
        _UTILITY,
        "p < .05",
        significantly_higher(((_COMP, "u65"), (_BMA, "u65")), level=0.05),
    ),
    (
        "u80 of COMP-AODE* and BMA-AODE* do not differ significantly",
        _UTILITY,
        "not significant",
        not_significant((_COMP, "u80"), (_BMA, "u80")),
    ),
    (
        "Utility of COMP-AODE* is above the accuracy of AODE under u65 and u80",
        _UTILITY,
        "p < .01 each",
        significantly_higher(((_COMP, "u65"), ("aode", "accuracy")), ((_COMP, "u80"), ("aode", "accuracy"))),
    ),
    (
        "Utility of COMP-AODE* is above that of NCC under u65 and u80",
        _PREVIOUS,
        "p < .01 each",
        significantly_higher(((_COMP, "u65"), ("ncc", "u65")), ((_COMP, "u80"), ("ncc", "u80"))),
    ),
    (
        "Friedman test over CDT, CMA, COMP-AODE*: no significant difference at 95 %",
        _PREVIOUS,
        "not significant under both utilities",
        no_rank_differs(_RANKED, level=0.05),
    ),
    (
        "COMP-AODE* has the best mean rank of the three under u65 and u80",
        f"{_PREVIOUS}, {_RANK_PLOT}",
        "u65: COMP-AODE* 1.84, CMA 2.00, CDT 2.16; u80: COMP-AODE* 1.82, CDT 2.05, CMA 2.13",
        best_rank(_COMP, _RANKED),
    ),
    (
        "At 90 % two ranks differ significantly",
        _PREVIOUS,
        "COMP-AODE* above CMA under u65; COMP-AODE* above CDT under u80",
        only_these_differ(_RANKED, {"u65": (_COMP, "cma"), "u80": (_COMP, "cdt")}, level=0.10, remark=_SLIP),
    ),
)


def are_papers_datasets(datasets: Collection[str]) -> bool:
    """Tell whether results are about the data sets of the paper: no others, and nearly all of them."""
    return set(datasets) <= set(OPENML) and len(set(datasets)) >= N_DATASETS - ABOUT_COUNT


def check_claims(summary: DataFrame) -> list[Claim]:
    """Judge the paper's thirty claims by a summary of results.

    Parameters
    ----------
    summary : DataFrame
        A row for each data set and classifier: the columns of ``summary.csv``, and ``u65_dependent`` and
        ``u80_dependent``, the utilities on the prior-dependent rows. NaN if there is nothing to average.

    Returns
    -------
    list of Claim
        All thirty in order; a claim about a classifier that was not run is not judged. On other data sets
        than the paper's, figures are not comparable, and verdicts have other words.

    Examples
    --------
    >>> import pandas as pd
    >>> from skcredal.paper._claim_rules import NEEDED_MEASURES
    >>> summary = pd.DataFrame(columns=["dataset", "classifier", *NEEDED_MEASURES])
    >>> summary.loc[0, ["dataset", "classifier", "determinacy"]] = ["iris", "comp-aode*", 0.98]
    >>> claims = check_claims(summary)
    >>> claims[12].text, claims[12].paper, claims[12].ours, claims[12].verdict
    ('Mean determinacy of COMP-AODE*', '99 %', '98.0 % (1 data set)', 'not comparable')
    >>> claims[0].verdict, claims[0].note
    ('not judged', 'Not run: aode, bma-aode.')
    """
    with naming("summary"):
        results = Results(summary, NEEDED_MEASURES)
        check_columns("summary", summary.columns, NEEDED_MEASURES, "summary.csv")
    datasets = set(summary["dataset"])
    judge = _judged if are_papers_datasets(datasets) else partial(_judged_elsewhere, n_datasets=len(datasets))
    claims = []
    for number, (text, where, paper, rule) in enumerate(_CLAIMS, start=1):
        try:
            finding = rule(results)
        except NotRunError as error:
            finding = Finding("–", None, None, f"Not run: {', '.join(error.missing)}.")
        holds, verdict, note = judge(finding)
        claims.append(Claim(number, text, where, paper, finding.ours, finding.p_value, holds, verdict, note))
    return claims


def _judged(finding: Finding) -> tuple[bool | None, str, str]:
    """Return whether a claim holds on the paper's data sets, the verdict in words, and the note."""
    words = {True: HOLDS, False: DOES_NOT_HOLD, None: NOT_JUDGED}
    return finding.holds, words[finding.holds], finding.note


def _judged_elsewhere(finding: Finding, n_datasets: int) -> tuple[bool | None, str, str]:
    """Return the same for other data sets, which may be too few to tell."""
    holds = {HOLDS: True, CONTRADICTED: False}.get(finding.elsewhere)
    verdict = finding.elsewhere
    if verdict in (SAME_DIRECTION, NOT_SEEN):
        these = "this data set" if n_datasets == 1 else f"these {n_datasets} data sets"
        verdict = f"{verdict} on {these}"
    note = finding.note if finding.note_elsewhere is None else finding.note_elsewhere
    return holds, verdict, note
