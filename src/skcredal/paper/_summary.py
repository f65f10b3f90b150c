"""The results of a plan as tables: one row per data set and classifier, or one row per fold."""

from __future__ import annotations

from typing import Any

import numpy as np

from skcredal._extras import require
from skcredal._validation import check_choice, check_instance
from skcredal.evaluation._registry import is_credal
from skcredal.evaluation._sums import MEASURES, measures, pool
from skcredal.paper._plan import Plan
from skcredal.paper._run import DatasetFacts
from skcredal.paper._store import ResultStore
from skcredal.paper._studies import STUDIES

__all__ = ["FOLD_COLUMNS", "SUMMARY_COLUMNS", "fold_table", "study_table", "summary_table"]

SUMMARY_COLUMNS = (
    "dataset",
    "n",
    "k",
    "classes",
    "classifier",
    *MEASURES[:11],
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


def _check(plan: Plan, store: ResultStore, facts: dict[str, DatasetFacts]) -> None:
    check_instance("plan", plan, Plan)
    check_instance("store", store, ResultStore)
    check_instance("facts", facts, dict)
    for fact in facts.values():
        check_instance("facts", fact, DatasetFacts)


def summary_table(plan: Plan, store: ResultStore, facts: dict[str, DatasetFacts]) -> Any:
    """Return a DataFrame with a row per data set and classifier, pooled over folds.

    Data sets with missing folds are left out. The seconds are means over the folds.
    """
    _check(plan, store, facts)
    pandas = require("pandas", extra="cli", purpose="A table of results")
    rows = []
    for dataset, fact in facts.items():
        for name in plan.classifiers:
            there = store.read(plan.digest(dataset, fact.checksum, name), name)
            # The store may have more runs of this plan than are asked for now.
            parts = [sums for (run, fold), sums in there.items() if run < plan.runs and fold < plan.folds]
            # Means over some of the folds would not be comparable with the others.
            if len(parts) < plan.runs * plan.folds:
                continue
            total = pool(parts)
            found = measures(total, credal=is_credal(name))
            rows.append(
                {
                    "dataset": dataset,
                    "n": fact.n,
                    "k": fact.k,
                    "classes": fact.classes,
                    "classifier": name,
                    **found,
                    "fit_seconds": total.fit_seconds / len(parts),
                    "predict_seconds": total.predict_seconds / len(parts),
                    "n_indeterminate": total.indeterminate if is_credal(name) else None,
                }
            )
    return pandas.DataFrame(rows, columns=[*SUMMARY_COLUMNS, *EXTRA_COLUMNS])


def fold_table(plan: Plan, store: ResultStore, facts: dict[str, DatasetFacts]) -> Any:
    """Return a DataFrame with a row per data set, classifier, run and fold in the store."""
    _check(plan, store, facts)
    pandas = require("pandas", extra="cli", purpose="A table of results")
    rows = []
    for dataset, fact in facts.items():
        for name in plan.classifiers:
            for (run, fold), sums in store.read(plan.digest(dataset, fact.checksum, name), name).items():
                if run < plan.runs and fold < plan.folds:
                    rows.append(
                        {
                            "dataset": dataset,
                            "classifier": name,
                            "run": run,
                            "fold": fold,
                            "n_test": sums.n,
                            **measures(sums, credal=is_credal(name)),
                            "n_indeterminate": sums.indeterminate if is_credal(name) else None,
                            "fit_seconds": sums.fit_seconds,
                            "predict_seconds": sums.predict_seconds,
                        }
                    )
    return pandas.DataFrame(rows, columns=list(FOLD_COLUMNS))


def study_table(study: str, plan: Plan, store: ResultStore, facts: dict[str, DatasetFacts]) -> Any:
    """Return a DataFrame with a row per data set, series and point; a data set lacking folds is left out."""
    _check(plan, store, facts)
    pandas = require("pandas", extra="cli", purpose="A table of results")
    about, rows = STUDIES[check_choice("study", study, tuple(STUDIES))], []
    for dataset, fact in facts.items():
        digest = plan.study_digest(dataset, fact.checksum, study, about.points)
        parts = [
            series
            for (run, fold), series in store.read_study(digest).items()
            if run < plan.runs and fold < plan.folds
        ]
        if len(parts) < plan.runs * plan.folds:
            continue
        for name in parts[0]:
            total = np.sum([part[name] for part in parts], axis=0)
            for point, sums in zip(about.points, total, strict=True):
                found = about.measures(sums, point)
                rows.append({"dataset": dataset, "series": name, about.point_name: point, **found})
    return pandas.DataFrame(rows)
