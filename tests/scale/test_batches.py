"""Learning from batches is learning from all rows."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from messy_tables import as_arrow, as_polars, messy_table, seeds, split
from same_models import assert_same_model, fitted
from skcredal import (
    AODE,
    TAN,
    BmaAODE,
    CompAODE,
    CompressionNB,
    CredalBmaAODE,
    CredalCompAODE,
    CredalLogPoolAODE,
    CredalModelAveraging,
    CredalTree,
    LogPoolAODE,
    MaplmgAODE,
    NaiveBayes,
    NaiveCredal,
    NullClassifier,
)
from skcredal.scale import fit_batches

# The second chooses among the rows.
POOLS = [LogPoolAODE(), CredalLogPoolAODE(max_rows=20, random_state=5)]
LEARNERS = [
    *(AODE(), BmaAODE(), CompAODE(), CredalBmaAODE(), CredalCompAODE(), BmaAODE(likelihood="marginal")),
    *(TAN(), NaiveBayes(), NaiveCredal(), CredalModelAveraging(), NullClassifier()),
    *(NaiveCredal(conservative_features="all"), *POOLS),
]


@given(
    seed=seeds,
    learner=st.sampled_from(LEARNERS),
    weighting=st.sampled_from(["none", "whole", "eighths"]),
    missing=st.sampled_from(["impute", "marginalize"]),
    choices=st.sampled_from([{}, {"categorical_features": "all"}, {"max_categories": 2}]),
    n_jobs=st.sampled_from([1, 3]),
    kind=st.sampled_from([lambda X: X, as_polars, as_arrow]),
)
@settings(max_examples=140)
def test_the_model_is_that_of_all_rows(seed, learner, weighting, missing, choices, n_jobs, kind):
    rng = np.random.default_rng(seed)
    X, y, weights = messy_table(rng, weighting=weighting)
    if len(as_polars(X).columns) == 0:
        kind = lambda X: X  # noqa: E731
    clf = clone(learner).set_params(missing=missing, n_jobs=n_jobs, **choices)
    batches = [(kind(batch[0]), *batch[1:]) for batch in split(rng, X, y, weights)]
    if learner not in POOLS:  # these depend on the order of the rows
        rng.shuffle(batches)
    model = fitted(lambda: fit_batches(clone(clf), batches))
    expected = fitted(lambda: clone(clf).fit(kind(X), y, weights))
    assert_same_model(model, expected)


def test_memory_does_not_grow_with_the_rows():
    """What is held from batch to batch; for the cuts of a column there is a table of up to 128 MiB."""
    held = []

    def batches(n_batches):
        for number in range(n_batches):
            rng = np.random.default_rng(number)
            y = rng.integers(0, 2, 20_000)
            number = rng.integers(0, 50_000, 20_000) / 64
            held.append(tracemalloc.get_traced_memory()[0])
            yield pd.DataFrame({"a": number, "b": rng.integers(0, 4, 20_000) + y, "c": number % 7}), y

    def most(n_batches):
        held.clear()
        tracemalloc.start()
        try:
            fit_batches(CompAODE(), lambda: batches(n_batches))
        finally:
            tracemalloc.stop()
        return max(held)

    most(1)
    assert most(40) < 1.2 * most(8)


@pytest.mark.parametrize(
    ("batches", "error", "message"),
    [
        ((batch for batch in []), TypeError, "batches must be .*<generator"),
        ("rows.parquet", TypeError, r"got 'rows\.parquet'; scan_parquet reads"),
        ([], ValueError, "a row of positive weight"),
        ([np.zeros((2, 2))], TypeError, r"must yield \(X, y\).* got ndarray"),
        ([([["a"]], [0], [0.0])], ValueError, "a row of positive weight"),
        ([([[1.0]], [0]), ([["a"]], [1])], ValueError, "Feature 0 must contain the same kind"),
        ([([[1.0]], [0]), ([[np.inf]], [1])], ValueError, "Feature 0 contains infinity"),
        ([([[1.0]], [0]), ([[1.0, 2.0]], [1])], ValueError, "2 features"),
        ([(pd.DataFrame({"a": [1]}), [0]), (pd.DataFrame({"b": [1]}), [0])], ValueError, "feature names"),
    ],
)
def test_bad_batches_are_refused(batches, error, message):
    clf = AODE()
    with pytest.raises(error, match=message) as caught:
        fit_batches(clf, batches)
    assert vars(clf) == vars(AODE())
    if "infinity" in message:
        assert "batch 2" in caught.value.__notes__[0]


@pytest.mark.parametrize("stage", ["encoding", "counts", "likelihoods"])
def test_an_interrupt_leaves_the_classifier_as_it_was(stage):
    def interrupt(progress):
        if progress.stage == stage:
            raise KeyboardInterrupt

    for clf in (CompAODE(), CompAODE().fit([["u"], ["v"]], ["p", "q"])):
        before = vars(clf).copy()
        with pytest.raises(KeyboardInterrupt):
            fit_batches(clf, [([["a"], ["b"]], [0, 1])] * 2, progress=interrupt)
        assert vars(clf) == before


@pytest.mark.parametrize("learner", [MaplmgAODE, CompressionNB, CredalTree])
def test_those_that_need_all_rows_are_refused(learner):
    with pytest.raises(TypeError, match=f"{learner.__name__} cannot learn"):
        fit_batches(learner(), [])
    with pytest.raises(TypeError, match="cannot learn"):
        fit_batches(object(), [])


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (lambda n_pass: [([["a"], ["b"]], [0, 1])] * (1 if n_pass == 2 else 2), "same rows.*for the counts"),
        (lambda n_pass: [] if n_pass == 2 else [([["a"], ["b"]], [0, 1])], "every pass, got none"),
        (lambda n_pass: [([["a"], ["b"]], [0, 2 if n_pass == 2 else 1])], "same rows.*class 2"),
    ],
)
def test_batches_that_change_between_passes_are_refused(changed, message):
    passes = []

    def batches():
        passes.append(None)
        return changed(len(passes))

    clf = CompAODE()
    with pytest.raises(ValueError, match=message):
        fit_batches(clf, batches)
    assert vars(clf) == vars(CompAODE())
