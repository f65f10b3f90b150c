import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import log_loss

from skcredal.evaluation._sums import FoldSums, fold_sums, measures, pool
from skcredal.metrics import credal_summary


@st.composite
def predictions(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, n_classes = draw(st.integers(1, 40)), draw(st.integers(2, 5))
    classes = np.array([f"class {c}" for c in range(n_classes)], dtype=object)
    y_proba = rng.dirichlet(np.ones(n_classes), n)
    y_set = rng.random((n, n_classes)) < 0.4
    y_set[np.arange(n), y_proba.argmax(axis=1)] = True
    # Some rows are of a class that training lacked.
    y_true = np.append(classes, "unseen")[rng.integers(0, n_classes + 1, n)]
    return y_true, y_proba, y_set, classes


@given(predictions())
def test_measures_are_those_of_the_metrics(given_predictions):
    y_true, y_proba, y_set, classes = given_predictions
    found = measures(fold_sums(y_true, y_proba, y_set, classes), credal=True)
    expected = credal_summary(y_true, y_set, y_proba=y_proba, labels=classes)
    for name, value in expected.items():
        # In the sums, which the paper's experiment uses, they have the paper's names.
        ours = name.replace("_undecided", "_dependent").replace("_decided", "_safe")
        if name != "n":
            assert found[ours] == pytest.approx(value, nan_ok=True, rel=1e-12), name


@given(predictions(), st.integers(1, 39))
def test_parts_pool_to_the_whole(given_predictions, cut):
    y_true, y_proba, y_set, classes = given_predictions
    whole = fold_sums(y_true, y_proba, y_set, classes)
    parts = [
        fold_sums(y_true[rows], y_proba[rows], y_set[rows], classes)
        for rows in (slice(None, cut), slice(cut, None))
    ]
    pooled = pool(parts)
    assert (pooled.n, pooled.correct, pooled.set_correct) == (whole.n, whole.correct, whole.set_correct)
    assert pooled.u65 == pytest.approx(whole.u65, rel=1e-12)
    assert pooled.brier == pytest.approx(whole.brier, rel=1e-12)


@given(predictions())
def test_sums_do_not_depend_on_the_order_of_rows(given_predictions):
    y_true, y_proba, y_set, classes = given_predictions
    order = np.random.default_rng(0).permutation(len(y_true))
    assert fold_sums(y_true, y_proba, y_set, classes) == fold_sums(
        y_true[order], y_proba[order], y_set[order], classes
    )


@given(predictions())
def test_losses_are_those_of_scikit_learn(given_predictions):
    """An unseen class has the probability 0."""
    y_true, y_proba, _, classes = given_predictions
    found = measures(fold_sums(y_true, y_proba, None, classes), credal=False)
    labels = [*classes, "unseen"]
    proba = np.column_stack([y_proba, np.zeros(len(y_true))])
    one_hot = (y_true[:, None] == np.array(labels, dtype=object)).astype(float)
    assert found["brier_multiclass"] == pytest.approx(((proba - one_hot) ** 2).sum(axis=1).mean(), rel=1e-9)
    expected = log_loss(y_true, np.maximum(proba, 1e-15), labels=labels)
    assert found["log_loss"] == pytest.approx(expected, rel=1e-9)


def test_a_certain_error_has_a_finite_log_loss():
    certain = fold_sums(np.array(["a", "b"]), np.array([[1.0, 0.0]] * 2), None, np.array(["a", "b"]))
    assert certain.log_loss == pytest.approx(-math.log(1e-15))
    # For two classes the proper loss is twice the paper's.
    assert certain.brier_multiclass == 2.0 * certain.brier == 2.0


def test_without_rows_measures_are_nan():
    found = measures(FoldSums(2, 2, 0.0, 0.0, 0.0, determinate=2, single_correct=2), credal=True)
    assert found["accuracy"] == found["determinacy"] == found["accuracy_safe"] == 1.0
    for name in ("set_accuracy", "output_size", "accuracy_dependent", "u65_dependent"):
        assert math.isnan(found[name])
    assert all(math.isnan(v) for name, v in measures(pool([]), credal=True).items())
    determinate = measures(FoldSums(2, 1, 0.5, 1.0, 1.5), credal=False)
    assert math.isnan(determinate["u65"])
    assert determinate["accuracy"] == 0.5
