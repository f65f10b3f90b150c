"""Models in formats of other packages answer as before: pickle, joblib, cloudpickle, skops and MLflow's."""

import io
import pickle
from copyreg import __newobj__
from decimal import Decimal

import cloudpickle
import joblib
import numpy as np
import pandas as pd
import pytest
import skops.io

import skcredal
from skcredal import answers
from skcredal.evaluation import CLASSIFIERS


def joblib_dumps(model):
    buffer = io.BytesIO()
    joblib.dump(model, buffer)
    return buffer.getvalue()


def skops_loads(content):
    return skops.io.loads(content, trusted=skops.io.get_untrusted_types(data=content))


FORMATS = {
    "pickle": (pickle.dumps, pickle.loads),
    "joblib": (joblib_dumps, lambda content: joblib.load(io.BytesIO(content))),
    "cloudpickle": (cloudpickle.dumps, cloudpickle.loads),
    "skops": (skops.io.dumps, skops_loads),
}


def rows(n=80):
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, n)
    return rng, y, rng.random(n) < 0.2 + 0.6 * y


def column(kind):
    """Return a column of two states that tells the classes apart, and its classes."""
    _, y, flag = rows()
    states = {
        "bool": [False, True],
        "pandas boolean": [False, True],
        "categorical of bool": [False, True],
        "tuple": [("a", 1), ("b", 2)],
        "bytes": [b"x", b"y"],
        "integer": [0, 1],
        "number": [0.5, 1.5],
        "decimal": [Decimal("0.1"), Decimal("0.2")],
    }[kind]
    cells = np.empty(len(flag), object)
    cells[:] = [states[int(cell)] for cell in flag]
    if kind == "bool":
        return flag, y
    if kind == "pandas boolean":
        # With missing cells, which a column of numpy's own booleans cannot have.
        return pd.array(np.where(np.arange(len(flag)) % 9 == 0, None, cells), dtype="boolean"), y
    return pd.Categorical(cells, categories=pd.Index(states, tupleize_cols=False)), y


KINDS = [
    "bool",
    "pandas boolean",
    "categorical of bool",
    "tuple",
    "bytes",
    "integer",
    "number",
    "decimal",
]


def problem(kind):
    cells, y = column(kind)
    rng, _, _ = rows()
    return pd.DataFrame({"column": cells, "letter": rng.choice(["a", "b", "c"], len(y))}), y


def assert_same_answers(back, model, X):
    ours, theirs = answers(back, X).columns(), answers(model, X).columns()
    assert ours.keys() == theirs.keys()
    for name, values in theirs.items():
        np.testing.assert_array_equal(ours[name], values, err_msg=name)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", FORMATS)
def test_categories_of_any_type_are_kept(name, kind):
    dumps, loads = FORMATS[name]
    X, y = problem(kind)
    model = skcredal.CredalCompAODE().fit(X, y)
    # The states matter: otherwise a model that knows none of them would pass, too.
    assert len(np.unique(model.predict_proba(X), axis=0)) > 3
    for one in (model, skcredal.CredalCompAODE().fit(X, y)):  # the first has answered before, the second not
        back = loads(dumps(one))
        assert_same_answers(back, model, X)
        assert back.encoding_ == model.encoding_


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_every_classifier_answers_as_before(name, classifier):
    dumps, loads = FORMATS[name]
    X, y = problem("bool")
    model = CLASSIFIERS[classifier]().fit(X, y)
    assert_same_answers(loads(dumps(model)), model, X)


@pytest.mark.parametrize("name", FORMATS)
def test_a_stream_goes_on_after_it_was_kept(name):
    dumps, loads = FORMATS[name]
    X, y = problem("bool")
    model = skcredal.AODE().partial_fit(X[:40], y[:40], classes=[0, 1])
    back = loads(dumps(model)).partial_fit(X[40:], y[40:])
    assert_same_answers(back, model.partial_fit(X[40:], y[40:]), X)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("serialization", ["skops", "pickle", "cloudpickle"])
def test_mlflow_keeps_the_answers(serialization, kind, tmp_path):
    mlflow = pytest.importorskip("mlflow.sklearn", reason="MLflow is not installed")
    X, y = problem(kind)
    model = skcredal.CredalCompAODE().fit(X, y)
    trusted = {}
    if serialization == "skops":
        trusted["skops_trusted_types"] = skops.io.get_untrusted_types(data=skops.io.dumps(model))
    mlflow.save_model(
        model, tmp_path / "model", serialization_format=serialization, pip_requirements=[], **trusted
    )
    assert_same_answers(mlflow.load_model(tmp_path / "model"), model, X)


# What a fitted classifier holds.


def parts(owner, seen):
    """Yield everything inside an object: what pickle would keep, and all else that its attributes hold."""
    if id(owner) in seen or isinstance(owner, (type, str, bytes, int, float, type(None))):
        return
    seen[id(owner)] = owner  # kept alive, so that no other object gets the same id
    yield owner
    inside = []
    if isinstance(owner, dict):
        inside += [*owner.keys(), *owner.values()]
    elif isinstance(owner, (list, tuple, set, frozenset)):
        inside += owner
    elif isinstance(owner, np.ndarray):
        inside += owner.ravel().tolist() if owner.dtype == object else []
    else:
        inside += list(getattr(owner, "__dict__", {}).values())
        slots = [slot for kind in type(owner).__mro__ for slot in getattr(kind, "__slots__", ())]
        inside += [getattr(owner, slot) for slot in slots if hasattr(owner, slot) and slot != "__weakref__"]
        make, arguments, *state = owner.__reduce_ex__(4)[:3]
        inside += [part for part in arguments[make is __newobj__ :] if part is not owner]
        inside += state
    for part in inside:
        yield from parts(part, seen)


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_no_classifier_holds_a_dict_with_states_as_keys(classifier):
    """Not every format keeps the keys of a dict: skops makes {True: 1} of {False: 0, True: 1}."""
    X, y = problem("bool")
    X["number"] = np.arange(len(y)) * (2 * y - 1.0)
    models = [CLASSIFIERS[classifier]().fit(X, y)]
    if hasattr(models[0], "partial_fit"):
        models.append(CLASSIFIERS[classifier]().partial_fit(X, y, classes=[0, 1]))
    for model in models:
        answers(model, X)
        found = list(parts(model, {}))
        features = [part for part in found if type(part).__name__ == "CategoricalFeature"]
        assert features or classifier == "null"
        for part in found:
            assert not isinstance(part, dict) or all(type(key) in (str, int) for key in part), part


@pytest.mark.parametrize("name", ["aode", "comp-aode*", "bma-aode*", "maplmg", "lp-aode*"])
def test_a_pickle_is_hardly_larger_than_counts_and_encoding(name):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 9, (300, 20))).astype(str)
    model = CLASSIFIERS[name]().fit(X, rng.integers(0, 3, 300))
    counts = model.counts_
    needed = counts.n_ca.nbytes + counts.n_cab.nbytes + counts.n_cza.nbytes
    needed += len(pickle.dumps(model._encoding))
    assert len(pickle.dumps(model)) < 1.2 * needed
