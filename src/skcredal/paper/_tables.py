"""The finished folds as tables: a summary by data set and classifier, the studies, means and tests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from skcredal._arrays import FloatArray
from skcredal.evaluation._classifiers import BASELINES
from skcredal.evaluation._names import counted
from skcredal.metrics._outcomes import MEASURES
from skcredal.paper._compare import bayesian_signed_rank, friedman_test, wilcoxon_test
from skcredal.paper._experiment import Record

# A measure of a classifier, as ("comp-aode*", "u65").
Value = tuple[str, str]

# The claims, the ranks and the tests of the paper are about these, whatever else was run.
PAPER_CLASSIFIERS = (
    *("aode", "bma-aode", "comp-aode", "maplmg", "naive-bayes", "tan", "null"),
    *("bma-aode*", "comp-aode*", "ncc", "cma", "cdt"),
)
# The point of each study, and its measures.
_STUDIES = {
    "epsilon": (
        "epsilon",
        ("determinacy", "single_accuracy", "set_accuracy", "output_size", "u65", "u80"),
    ),
    "set-aside": ("set_aside", ("accuracy",)),
    "rivals": ("judged_by", ("utility", "determinacy", "single_accuracy", "set_accuracy", "output_size")),
    "reliability": ("at_most", ("probability", "accuracy")),
}
_QUOTIENTS = {**MEASURES, "utility": ("utility", "n"), "probability": ("probability", "n")}
# Whom LP-AODE is compared with, by probabilities and by utility-optimal sets, and LP-AODE*, by its sets.
_AGAINST_LP = ("aode", "comp-aode", "maplmg", *BASELINES)
_AGAINST_CREDAL_LP = ("comp-aode*", "bma-aode*", "ncc", "cma", "cdt")
_LOSSES = ("brier_multiclass", "log_loss")
_TEST_COLUMNS = (
    *("classifier", "against", "measure", "datasets", "better", "worse", "difference", "p"),
    *("P(better)", "P(equal)", "P(worse)"),
)


def fold_table(records: Iterable[Record]) -> pd.DataFrame:
    """Return the measures of every classifier on every fold."""
    folds = _sums_of_folds(records)
    keys = folds[["dataset", "classifier", "run", "fold"]].assign(n_test=folds["n"])
    found = _measures(folds, MEASURES).assign(n_undecided=folds["undecided"])
    return pd.concat([keys, found], axis="columns")


def summary_table(records: Iterable[Record]) -> pd.DataFrame:
    """Return the measures of every classifier on every data set, pooled over all test rows of all folds.

    Parameters
    ----------
    records : iterable of dict
        Finished folds, as in ``run_plan(plan, journal).records``.

    Returns
    -------
    DataFrame
        The columns of ``summary.csv``: the data set, its rows ``n``, its kept features ``k`` and ``classes``,
        the classifier, and its measures, NaN if there is nothing to average.
    """
    records = list(records)
    sums = _sums_of_folds(records).drop(columns=["run", "fold"])
    pooled = sums.groupby(["dataset", "classifier"], sort=False).sum(min_count=1)
    found = _measures(pooled, MEASURES).assign(n_undecided=pooled["undecided"]).reset_index()
    sizes = pd.DataFrame(records, columns=["dataset", "n", "k", "classes"]).drop_duplicates("dataset")
    return sizes.merge(found, on="dataset")


def study_tables(records: Iterable[Record]) -> dict[str, pd.DataFrame]:
    """Return the measures of each study by data set, series and point; a study without rows is left out."""
    records = list(records)
    tables = {}
    for study, (point, measures) in _STUDIES.items():
        rows = [{"dataset": one["dataset"], **row} for one in records for row in one["studies"][study]]
        if rows:
            sums = pd.DataFrame(rows).groupby(["dataset", "series", point], sort=False).sum(min_count=1)
            found = _measures(sums, measures)
            if study == "reliability":
                found.insert(0, "rows", sums["n"])
            tables[study] = found.reset_index()
    return tables


def _sums_of_folds(records: Iterable[Record]) -> pd.DataFrame:
    outcomes = dict.fromkeys(name for pair in MEASURES.values() for name in pair)
    rows = [
        {"dataset": one["dataset"], "classifier": name, "run": one["run"], "fold": one["fold"], **sums}
        for one in records
        for name, sums in one["classifiers"].items()
    ]
    # A classifier without sets has no sums of them.
    return pd.DataFrame(rows, columns=["dataset", "classifier", "run", "fold", *outcomes])


def _measures(sums: pd.DataFrame, names: Iterable[str]) -> pd.DataFrame:
    quotients = {name: _QUOTIENTS[name] for name in names}
    return pd.DataFrame({name: sums[part] / sums[whole] for name, (part, whole) in quotients.items()})


class NotRunError(LookupError):
    """The results lack classifiers that are asked for, or data sets that have all of them."""


class Results:
    """A summary by classifier and measure: the ``table`` has a row for each data set, in their order."""

    def __init__(self, summary: pd.DataFrame) -> None:
        # pandas reads the name "null" in a CSV file as missing.
        summary = summary.dropna(subset=["dataset", "classifier"])
        self.classifiers = [str(name) for name in summary["classifier"].unique()]
        wide = summary.pivot(index="dataset", columns="classifier")
        self.table: pd.DataFrame = wide.swaplevel(axis="columns").sort_index()

    def paired(self, *wanted: Value) -> pd.DataFrame:
        """Return measures on the data sets that have all of them, so that every comparison is paired."""
        if missing := [name for name in dict.fromkeys(n for n, _ in wanted) if name not in self.classifiers]:
            raise NotRunError(f"Not run: {', '.join(missing)}.")
        columns = self.table.reindex(columns=pd.MultiIndex.from_tuples(wanted)).dropna()
        if columns.empty:
            raise NotRunError("No data set has all of these values.")
        return columns

    def arrays(self, *wanted: Value) -> list[FloatArray]:
        """Return the same as arrays."""
        return list(self.paired(*wanted).to_numpy(np.float64).T.copy())

    def utilities(self, classifiers: Sequence[str], utility: str) -> pd.DataFrame:
        """Return a utility of several classifiers, paired; that of a classifier without sets is accuracy."""
        values = [
            self.table[name, utility if self.table[name, utility].notna().any() else "accuracy"]
            for name in classifiers
            if name in self.classifiers
        ]
        if len(values) < len(classifiers):
            raise NotRunError(f"Not all were run: {', '.join(classifiers)}.")
        return pd.concat(values, axis="columns", keys=classifiers).dropna()


def rank_table(results: Results, classifiers: Sequence[str], utility: str) -> pd.DataFrame:
    """Return the average rank of each classifier over the data sets that have all, best first."""
    values = results.utilities(classifiers, utility)
    if values.empty:
        raise NotRunError("No data set has all classifiers.")
    ranks = friedman_test(values).average_ranks
    table = pd.DataFrame({"classifier": classifiers, "rank": ranks, "datasets": len(values)})
    return table.sort_values("rank", kind="stable", ignore_index=True)


def mean_table(summary: pd.DataFrame, studies: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the means over data sets of every classifier; ``optimal_u65`` is of utility-optimal sets."""
    values = _with_optimal_sets(summary, studies)
    measures = ["accuracy", "brier", "relative_brier", "brier_multiclass", "log_loss"]
    measures += ["optimal_u65", "optimal_u80", "u65", "u80", "determinacy", "set_accuracy", "output_size"]
    means = values.groupby("classifier", sort=False)[measures].mean()
    return means.dropna(axis="columns", how="all").reset_index()


def comparison_table(summary: pd.DataFrame, studies: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return tests of LP-AODE and LP-AODE* against others, over the data sets that have both.

    Better is higher, but lower for a loss; the probabilities are those of the Bayesian signed-rank test.
    """
    results = Results(_with_optimal_sets(summary, studies))
    of_probabilities = ("accuracy", *_LOSSES, "optimal_u65", "optimal_u80")
    pairs = [
        *(("lp-aode", name, measure) for measure in of_probabilities for name in _AGAINST_LP),
        *(("lp-aode*", name, measure) for measure in ("u65", "u80") for name in _AGAINST_CREDAL_LP),
    ]
    rows = []
    for first, second, measure in pairs:
        # The tests ask who is higher; of a loss, less is better.
        sign = -1.0 if measure in _LOSSES else 1.0
        try:
            a, b = (sign * values for values in results.arrays((first, measure), (second, measure)))
        except NotRunError:
            continue
        test, probabilities = wilcoxon_test(a, b), bayesian_signed_rank(a, b)
        counts = test.n_pairs, test.n_higher, test.n_lower
        difference = sign * test.mean_difference
        rows.append((first, second, measure, *counts, difference, test.p_value, *probabilities))
    return pd.DataFrame(rows, columns=_TEST_COLUMNS)


def _with_optimal_sets(summary: pd.DataFrame, studies: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the summary with Brier losses relative to AODE's, and utilities of utility-optimal sets."""
    brier = summary.pivot(index="dataset", columns="classifier", values="brier")
    reference = brier.get("aode", brier.iloc[:, 0] * np.nan)
    # A loss of 0 has no ratio to it.
    found = summary.assign(
        relative_brier=summary["brier"] / summary["dataset"].map(reference.where(reference > 0.0))
    )
    keys = ["dataset", "classifier"]
    rivals = studies.get("rivals", pd.DataFrame(columns=["dataset", "series", "judged_by", "utility"]))
    optimal = rivals[rivals["series"].str.startswith("utility-optimal, ")]
    optimal = optimal.assign(classifier=optimal["series"].str.removeprefix("utility-optimal, "))
    for utility in ("u65", "u80"):
        judged = optimal[optimal["judged_by"] == utility].set_index(keys)["utility"]
        found[f"optimal_{utility}"] = judged.reindex(pd.MultiIndex.from_frame(found[keys])).to_numpy(float)
    return found


def datasets_word(n: int) -> str:
    """Return a number of data sets in words."""
    return counted(n, "data set")
