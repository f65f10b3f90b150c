"""The results as tables: made from the store, and checked where a user has read them from a file."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from skcredal._arrays import FloatArray
from skcredal._extras import require
from skcredal._validation import check_instance, naming, real_numbers, safe_repr
from skcredal.evaluation._registry import is_credal
from skcredal.evaluation._sums import MEASURES, FoldSums, measures, pool
from skcredal.paper._run import DatasetFacts, Plan
from skcredal.paper._store import ResultStore
from skcredal.paper._studies import STUDIES

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = [
    "FOLD_COLUMNS",
    "PAPER_CLASSIFIERS",
    "SUMMARY_COLUMNS",
    "NotRunError",
    "Results",
    "Value",
    "check_columns",
    "check_summary",
    "check_table",
    "datasets_word",
    "fold_table",
    "study_table",
    "summary_table",
]

# A measure of a classifier, as ("comp-aode*", "u65").
Value = tuple[str, str]

# The claims, the ranks and the tests of the paper are about these, whatever else was run.
PAPER_CLASSIFIERS = (
    *("aode", "bma-aode", "comp-aode", "maplmg", "naive-bayes", "tan", "null"),
    *("bma-aode*", "comp-aode*", "ncc", "cma", "cdt"),
)
SUMMARY_COLUMNS = (
    "dataset",
    "n",
    "k",
    "classes",
    "classifier",
    *MEASURES[:13],
    "fit_seconds",
    "predict_seconds",
)
# Also needed by the claims; at the end, so that the documented columns come first.
EXTRA_COLUMNS = ("u65_dependent", "u80_dependent", "n_indeterminate")
FOLD_COLUMNS = (
    "dataset",
    "classifier",
    "run",
    "fold",
    "n_test",
    *MEASURES,
    "n_indeterminate",
    "fit_seconds",
    "predict_seconds",
)


def summary_table(plan: Plan, store: ResultStore, facts: dict[str, DatasetFacts]) -> Any:
    """Return a DataFrame with a row per data set and classifier, pooled over folds.

    Data sets with missing folds are left out. The seconds are means over the folds.

    Parameters
    ----------
    plan : Plan
        What was run.
    store : ResultStore
        Where the results are stored.
    facts : dict
        Size and checksum of each data set, as in ``run_plan(plan, store).facts``.

    Returns
    -------
    DataFrame
        With the columns of ``summary.csv``.
    """
    check_instance("plan", plan, Plan)
    check_instance("store", store, ResultStore)
    check_instance("facts", facts, dict)
    for fact in facts.values():
        check_instance("facts", fact, DatasetFacts)
    pandas = require("pandas", extra="cli", purpose="A table of results")
    rows = []
    for dataset, fact in facts.items():
        for name in plan.names:
            parts = list(_stored_folds(plan, store, dataset, fact, name).values())
            # Means over some of the folds would not be comparable with the others.
            if len(parts) < plan.runs * plan.folds:
                continue
            total = pool(parts)
            rows.append(
                {
                    "dataset": dataset,
                    "n": fact.n,
                    "k": fact.k,
                    "classes": fact.classes,
                    "classifier": name,
                    **_measured(total, name),
                    "fit_seconds": total.fit_seconds / len(parts),
                    "predict_seconds": total.predict_seconds / len(parts),
                }
            )
    return pandas.DataFrame(rows, columns=[*SUMMARY_COLUMNS, *EXTRA_COLUMNS])


def fold_table(plan: Plan, store: ResultStore, facts: dict[str, DatasetFacts]) -> Any:
    """Return a DataFrame with a row per data set, classifier, run and fold in the store."""
    pandas = require("pandas", extra="cli", purpose="A table of results")
    rows = [
        {
            "dataset": dataset,
            "classifier": name,
            "run": run,
            "fold": fold,
            "n_test": sums.n,
            **_measured(sums, name),
            "fit_seconds": sums.fit_seconds,
            "predict_seconds": sums.predict_seconds,
        }
        for dataset, fact in facts.items()
        for name in plan.names
        for (run, fold), sums in _stored_folds(plan, store, dataset, fact, name).items()
    ]
    return pandas.DataFrame(rows, columns=list(FOLD_COLUMNS))


def _stored_folds(
    plan: Plan, store: ResultStore, dataset: str, fact: DatasetFacts, classifier: str
) -> dict[tuple[int, int], FoldSums]:
    there = store.read(plan.digest(dataset, fact.checksum, classifier), classifier)
    # The store may have more runs of this plan than are asked for now.
    return {(run, fold): sums for (run, fold), sums in there.items() if run < plan.runs}


def _measured(sums: FoldSums, classifier: str) -> dict[str, float | None]:
    credal = is_credal(classifier)
    return {**measures(sums, credal=credal), "n_indeterminate": sums.indeterminate if credal else None}


def study_table(study: str, plan: Plan, store: ResultStore, facts: dict[str, DatasetFacts]) -> Any:
    """Return a DataFrame with a row per data set, series and point; a data set lacking folds is left out."""
    pandas = require("pandas", extra="cli", purpose="A table of results")
    about, rows = STUDIES[study], []
    for dataset, fact in facts.items():
        digest = plan.study_digest(dataset, fact.checksum, study)
        parts = [series for (run, _), series in store.read_study(digest).items() if run < plan.runs]
        if len(parts) < plan.runs * plan.folds:
            continue
        for name in parts[0]:
            total = np.sum([part[name] for part in parts], axis=0)
            for point, sums in zip(about.points, total, strict=True):
                found = about.measures(sums, point)
                rows.append({"dataset": dataset, "series": name, about.point_name: point, **found})
    return pandas.DataFrame(rows)


def check_table(name: str, table: DataFrame, text: Sequence[str], measures: Sequence[str]) -> DataFrame:
    """Return a table with its measures as floats, NaN if missing; refuse anything but a table of results.

    Columns that it lacks are skipped: which ones are needed depends on what is done with it.
    """
    pandas = require("pandas", extra="paper", purpose="A table of results")
    if not isinstance(table, pandas.DataFrame):
        raise TypeError(f"{name} must be a pandas DataFrame, got a {type(table).__name__}.")
    twice = table.columns[table.columns.duplicated()]
    if len(twice):
        raise ValueError(f"{name} must have unique column names, got {safe_repr(twice[0])} twice.")
    with naming(name):
        for column in text:
            for value in table[column].dropna() if column in table.columns else ():
                if not isinstance(value, str):
                    raise TypeError(
                        f"{name} must have text in the column {column!r}, got {safe_repr(value)}."
                    )
    numbers = {
        column: real_numbers(f"{name}, column {column!r},", table[column].to_numpy(dtype=object))
        for column in measures
        if column in table.columns
    }
    checked: DataFrame = table.assign(**numbers)
    return checked


def check_columns(name: str, there: Collection[str], columns: Sequence[str], file: str) -> None:
    """Refuse a table that lacks columns of the file it should come from."""
    if lacking := [column for column in dict.fromkeys(columns) if column not in there]:
        raise ValueError(f"{name} must have the columns of {file}, lacks {', '.join(lacking)}.")


def check_summary(summary: DataFrame, measures: Sequence[str]) -> DataFrame:
    """Return a summary with its measures as floats; refuse one without names, or with a row repeated."""
    summary = check_table("summary", summary, ("dataset", "classifier"), measures)
    check_columns("summary", summary.columns, ("dataset", "classifier"), "summary.csv")
    twice = summary.duplicated(["dataset", "classifier"])
    if twice.any():
        dataset, classifier = summary.loc[twice, ["dataset", "classifier"]].iloc[0]
        raise ValueError(f"summary must have one row for {classifier} on {dataset}, has several.")
    return summary


class NotRunError(ValueError):
    """A summary lacks classifiers that are asked for."""

    def __init__(self, missing: list[str], there: list[str]) -> None:
        has = f"has {', '.join(there)}" if there else "is empty"
        super().__init__(f"summary must have the classifier {' and '.join(missing)}, {has}.")
        self.missing = missing


class Results:
    """A summary by classifier and measure, aligned on its data sets.

    The ``table`` has a row for each data set, in the order of the summary, and a column for each classifier
    and measure. What the summary lacks is refused only if it is asked for.
    """

    def __init__(self, summary: DataFrame, measures: Sequence[str]) -> None:
        summary = check_summary(summary, measures).dropna(subset=["dataset", "classifier"])
        self._measures = [measure for measure in dict.fromkeys(measures) if measure in summary.columns]
        self.classifiers = [str(name) for name in summary["classifier"].unique()]
        # As an object, since a categorical would make the columns categories.
        summary = summary.assign(classifier=summary["classifier"].astype(object))
        wide = summary.pivot(index="dataset", columns="classifier", values=self._measures)
        self.table: DataFrame = wide.swaplevel(axis="columns").reindex(summary["dataset"].unique())

    def common(self, *wanted: Value) -> DataFrame:
        """Return measures on the data sets that have all of them, so that every comparison is paired."""
        names = dict.fromkeys(name for name, _ in wanted)
        if missing := [name for name in names if name not in self.classifiers]:
            raise NotRunError(missing, self.classifiers)
        # Only now: a summary without credal classifiers need not have their columns.
        check_columns("summary", self._measures, [measure for _, measure in wanted], "summary.csv")
        columns = self.table[list(wanted)]
        known: DataFrame = columns.loc[np.isfinite(columns.to_numpy()).all(axis=1)]
        return known

    def arrays(self, *wanted: Value) -> list[FloatArray]:
        """Return the same as arrays, by name of data set: a claim must not hang on the order of rows."""
        return list(self.common(*wanted).sort_index().to_numpy(np.float64).T.copy())


def datasets_word(n: int, total: int | None = None) -> str:
    """Return a number of data sets in words.

    Examples
    --------
    >>> datasets_word(1), datasets_word(0), datasets_word(3, 39)
    ('1 data set', 'no data sets', '3 of 39 data sets')
    """
    if total is not None:
        return f"{n} of {total} data set{'' if total == 1 else 's'}"
    return f"{n or 'no'} data set{'' if n == 1 else 's'}"
