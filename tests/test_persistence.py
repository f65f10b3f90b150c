"""Models on disk, in our format and in those of others: they answer as before.

Our files are whole or refused, and never run code. Other formats are pickle, joblib, cloudpickle and skops.
"""

import contextlib
import io
import json
import pickle
import tracemalloc
import warnings
import zipfile
from copy import deepcopy
from decimal import Decimal

import cloudpickle
import joblib
import numpy as np
import pandas as pd
import pytest
import skops.io
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import skcredal
from pressure_problems import CLASSIFIERS, answers, assert_same, messy_table
from skcredal import (
    AODE,
    BmaAODE,
    CredalCompAODE,
    CredalLogPoolAODE,
    CredalTree,
    LogPoolAODE,
    MDLDiscretizer,
    NaiveCredal,
)
from skcredal.persistence import read_notes
from table_limits import limited_to

NAN, INFINITE = float("nan"), float("inf")


def assert_same_answers(found, expected, X):
    assert_same(answers(found, X), answers(expected, X))


def kept(estimator, folder):
    skcredal.save(estimator, folder / "model.skcredal")
    return skcredal.load(folder / "model.skcredal")


def kept_by_skops(estimator, folder):
    content = skops.io.dumps(estimator)
    return skops.io.loads(content, trusted=skops.io.get_untrusted_types(data=content))


OTHERS = {
    "pickle": lambda estimator, folder: pickle.loads(pickle.dumps(estimator)),
    "cloudpickle": lambda estimator, folder: cloudpickle.loads(cloudpickle.dumps(estimator)),
    "joblib": lambda estimator, folder: joblib.load(joblib.dump(estimator, folder / "model.joblib")[0]),
    "skops": kept_by_skops,
}


@pytest.mark.parametrize("missing", ["impute", "marginalize"])
@pytest.mark.parametrize("kind", CLASSIFIERS, ids=lambda kind: kind.__name__)
def test_a_loaded_classifier_answers_bitwise_alike(kind, missing, tmp_path):
    X, y = messy_table(150)
    clf = kind(missing=missing).fit(X, y, np.linspace(0.5, 1.5, len(y)))
    loaded = kept(clf, tmp_path)
    assert type(loaded) is kind
    assert loaded.get_params() == clf.get_params()
    assert set(vars(loaded)) == set(vars(clf))
    assert loaded.encoding_ == clf.encoding_
    assert_same_answers(loaded, clf, X)
    for keep in OTHERS.values():
        assert_same_answers(keep(clf, tmp_path), clf, X)
    constant = kind().fit([[1.0]] * 6, [0, 1] * 3)
    assert_same_answers(kept(constant, tmp_path), constant, np.array([[1.0], [2.0]]))


@pytest.mark.parametrize(
    "clf",
    [
        AODE(categories=[["t2", "t1", "ä"], [True, False], np.array(["L", "M", "S"])]),
        NaiveCredal(conservative_features=np.array([True, False, True, False, False])),
        BmaAODE(likelihood="marginal", n_jobs=np.int64(1)),
        LogPoolAODE(n_regions=np.int64(3), line=np.bool_(False), max_rows=50),
        CredalLogPoolAODE(n_regions=0, random_state=2**70),
    ],
    ids=lambda clf: type(clf).__name__,
)
def test_parameters_are_kept(clf, tmp_path):
    X, y = messy_table(150)
    loaded = kept(clf.fit(X, y), tmp_path)
    for name, value in clf.get_params().items():
        np.testing.assert_equal(loaded.get_params()[name], value)
    assert_same_answers(loaded, clf, X)


def test_a_discretizer_and_a_stream_are_kept(tmp_path):
    X, y = messy_table(150)
    numbers = X[["number", "noise"]]
    discretizer = MDLDiscretizer().fit(numbers, y)
    stream = AODE().partial_fit(X[:100], y[:100], classes=np.unique(y))
    copy = OTHERS["pickle"](stream, tmp_path).partial_fit(X[100:], y[100:])
    assert_same_answers(copy, stream.partial_fit(X[100:], y[100:]), X)
    found = kept(discretizer, tmp_path).transform(numbers)
    np.testing.assert_array_equal(found, discretizer.transform(numbers))


STATES = [[False, True], [0, 1], [0.5, 1.5], ["x", "1"], [1, "1"], [np.int8(3), np.int8(4)]]
OTHER_STATES = [[b"x", b"y"], [Decimal(1), Decimal(2)], [("a", 1), ("b", 2)]]


@pytest.mark.parametrize(
    ("states", "ours"), [*((s, True) for s in STATES), *((s, False) for s in OTHER_STATES)], ids=str
)
def test_states_of_every_kind_are_kept_or_refused_by_column_and_value(states, ours, tmp_path):
    cells = np.empty(8, object)
    cells[:] = states * 4
    X, y = pd.DataFrame({"column": pd.Series(cells, dtype=object)}), np.int8([2, 5] * 4)
    clf = AODE(categorical_features="all").fit(X, y)
    assert len(np.unique(clf.predict_proba(X), axis=0)) == 2  # the states matter
    if ours:
        assert_same_answers(kept(clf, tmp_path), clf, X)
    else:
        with pytest.raises(TypeError, match=r"column 'column' .* not .*(b'x'|Decimal|'a', 1)"):
            skcredal.save(clf, tmp_path / "model")
        assert list(tmp_path.iterdir()) == []
    for keep in OTHERS.values():
        # Not every format keeps the keys of a dict: skops makes {True: 1} of {False: 0, True: 1}.
        assert_same_answers(keep(clf, tmp_path), clf, X)


def test_what_cannot_be_saved_is_refused(tmp_path):
    X, y = [[1.0], [2.0]] * 5, [0, 1] * 5
    clf = AODE().fit(X, y)
    for other in (make_pipeline(StandardScaler(), AODE()).fit(X, y), AODE, None):
        with pytest.raises(TypeError, match=r"estimator must be .* pickle, joblib or skops"):
            skcredal.save(other, tmp_path / "model")
    with pytest.raises(NotFittedError):
        skcredal.save(AODE(), tmp_path / "model")
    with pytest.raises(FileNotFoundError, match="path must be"):
        skcredal.save(clf, tmp_path / "no" / "model")
    with pytest.raises(TypeError, match="notes"):
        skcredal.save(clf, tmp_path / "model", notes={"a": object()})
    with pytest.raises(FileNotFoundError):
        skcredal.load(tmp_path / "model")


def test_notes(tmp_path):
    clf, path = AODE().fit([["a"], ["b"]], [0, 1]), tmp_path / "model"
    skcredal.save(clf, path)
    assert read_notes(path) == {}
    skcredal.save(clf, path, notes={"target": "ä", "ids": [1, None], "array": {"array": 3}})
    assert read_notes(path) == {"target": "ä", "ids": [1, None], "array": {"array": 3}}


# --- Files that are damaged or forged ---


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    X, y = messy_table(60)
    folder, found = tmp_path_factory.mktemp("models"), {}
    for kind in (CredalCompAODE, CredalLogPoolAODE, CredalTree, NaiveCredal):
        conservative = {"conservative_features": ["text"]} if kind is NaiveCredal else {}
        skcredal.save(kind(**conservative).fit(X, y), folder / "model")
        found[kind] = (folder / "model").read_bytes()
    return found, X, folder / "altered"


def parts_of(content):
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        return {name: file.read(name) for name in file.namelist()}


def zipped(parts, compression=zipfile.ZIP_STORED):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as file:
        for name, part in parts.items():
            file.writestr(name, part)
    return stream.getvalue()


def load_and_use(content, X, path):
    """Load a file: it is refused with a ValueError that names it, or answers, right or wrong."""
    path.write_bytes(content)
    try:
        model = skcredal.load(path)
    except ValueError as error:
        assert str(error).startswith(f"{path} cannot be loaded: ")  # noqa: PT017 - most are refused, not all
        return False
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        # A model may answer with an error, but not with a crash.
        with contextlib.suppress(Exception):
            answers(model, X)
    return True


@given(data=st.data())
@settings(max_examples=150)
def test_damaged_files_are_refused(models, data):
    files, X, path = models
    content = bytearray(files[data.draw(st.sampled_from(list(files)))])
    where = data.draw(st.integers(0, len(content) - 1))
    if data.draw(st.booleans()):
        assert not load_and_use(bytes(content[:where]), X, path)
    else:
        content[where] ^= data.draw(st.integers(1, 255))
        load_and_use(bytes(content), X, path)


STRANGE = [0, -1, 1, 2, 2**31, 2**62, 1e308, 0.5, NAN, INFINITE, None, True, "x", [], {}, [[1]], "\x00"]


def alter(node, data):
    """Replace something inside of a JSON value by something strange."""
    keys = list(node) if isinstance(node, dict) else list(range(len(node)))
    key = data.draw(st.sampled_from(keys))
    inner = node[key]
    if isinstance(inner, (dict, list)) and inner and data.draw(st.integers(0, 9)) > 1:
        alter(inner, data)
    elif isinstance(node, list) and data.draw(st.booleans()):
        node[:] = deepcopy(data.draw(st.sampled_from([node[:key], node * 2])))
    else:
        node[key] = deepcopy(data.draw(st.sampled_from(STRANGE)))


@given(data=st.data())
@settings(max_examples=400)
def test_forged_headers_end_in_an_error_or_an_answer(models, data):
    files, X, path = models
    parts = parts_of(files[data.draw(st.sampled_from(list(files)))])
    header = json.loads(parts["model.json"])
    for _ in range(data.draw(st.integers(1, 3))):
        alter(header, data)
    load_and_use(zipped({**parts, "model.json": json.dumps(header)}), X, path)


def test_a_small_file_does_not_take_large_memory(models):
    files, X, path = models
    parts = parts_of(files[CredalCompAODE])
    header = json.loads(parts["model.json"])
    states = zipped({**parts, "model.json": json.dumps(many_states(header))}, zipfile.ZIP_DEFLATED)
    bombs = {
        "pairs": zipped({**parts, "n_cab": bytes(200_000_000)}, zipfile.ZIP_DEFLATED),
        "header": zipped({**parts, "model.json": " " * 200_000_000}, zipfile.ZIP_DEFLATED),
        "states": states,
        "width": zipped({**parts, "model.json": json.dumps(header).replace("<U1", "<U99999999")}),
    }
    for name, content in bombs.items():
        tracemalloc.start()
        load_and_use(content, X, path)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert most < 50_000_000, name


def many_states(header):
    """Let each column have 20,000 states: pairs of them would take terabytes."""
    header = json.loads(json.dumps(header))
    for feature in header["learned"]["_encoding"]["Encoding"]["features"]:
        if "NumericFeature" in feature:
            feature["NumericFeature"]["cuts"]["array"][1:] = [[20_000], [float(cut) for cut in range(20_000)]]
    return header


def test_what_fit_refuses_load_refuses(models):
    files, _, path = models
    path.write_bytes(files[CredalCompAODE])
    with limited_to(100), pytest.raises(ValueError, match=r"pair tables .* more than the limit"):
        skcredal.load(path)
    path.write_bytes(files[NaiveCredal])
    with limited_to(100):
        skcredal.load(path)


def test_other_files_are_refused_in_one_sentence(models):
    files, _, path = models
    parts = parts_of(files[CredalTree])
    header = json.loads(parts["model.json"])
    about = {**json.loads(parts["about.json"]), "format": 99, "version": "9.0"}
    for content, reason in [
        (b"eggs, milk", "not a zip file"),
        (zipped({"other.txt": "eggs"}), "about.json"),
        (zipped({**parts, "about.json": json.dumps(about)}), r"version 9\.0"),
        (zipped({**parts, "model.json": json.dumps({**header, "class": "os.system"})}), "os.system"),
        (zipped({**parts, "model.json": "[" * 100_000}), "recursion"),
    ]:
        path.write_bytes(content)
        with pytest.raises(ValueError, match=rf"altered cannot be loaded: .*{reason}.*\.$"):
            skcredal.load(path)


def arrays_of(node, name=""):
    """Yield the name and the content (dtype, shape, numbers) of every array of a header."""
    if isinstance(node, dict) and node.keys() == {"array"}:
        yield name, node["array"]
    elif isinstance(node, (dict, list)):
        for key, inner in node.items() if isinstance(node, dict) else enumerate(node):
            # States and names are compared with those of rows when these are read.
            if key not in ("_encoding", "feature_names_in_", "value"):
                yield from arrays_of(inner, key if isinstance(key, str) else name)


def forgeries(content):
    """Yield changes of an array that no model can have: too short, not a number, beyond everything."""
    dtype, (n, *shape), numbers = content
    width = int(np.prod(shape))
    if n:
        yield [dtype, [n - 1, *shape], numbers[:-width]]
    if n and isinstance(numbers[0], float):
        yield from ([dtype, [n, *shape], [wrong, *numbers[1:]]] for wrong in (NAN, INFINITE))
    elif n and isinstance(numbers[0], int):
        yield [dtype, [n, *shape], [*numbers[:-1], 10**6]]


@pytest.mark.parametrize("kind", [CredalCompAODE, CredalLogPoolAODE, CredalTree, NaiveCredal])
def test_every_forged_array_is_refused(models, kind):
    files, _, path = models
    parts = parts_of(files[kind])
    header = json.loads(parts["model.json"])
    learned = header["learned"]
    found = [(content, wrong) for _, content in arrays_of(learned) for wrong in forgeries(content)]
    assert len(found) > 5
    if kind is CredalLogPoolAODE:  # paths that lead back, and a part that is lacking
        left = dict(arrays_of(learned))["left"]
        for node, child in ((0, 0), (1, 0), (0, -1)):
            numbers = left[2].copy()
            numbers[node] = child
            found.append((left, [left[0], left[1], numbers]))
    if kind is CredalTree:
        parent = dict(arrays_of(learned))["parent"]
        found.append((parent, [parent[0], parent[1], [parent[2][0], 1, *parent[2][2:]]]))
    for content, wrong in found:
        before = content.copy()
        content[:] = wrong
        path.write_bytes(zipped({**parts, "model.json": json.dumps(header)}))
        content[:] = before
        with pytest.raises(ValueError, match=r"altered cannot be loaded: .*\.$"):
            skcredal.load(path)
    for name in {"_trees", "_line", "tree_", "counts_"} & learned.keys():
        forged = {**header, "learned": {**learned, name: None}}
        path.write_bytes(zipped({**parts, "model.json": json.dumps(forged)}))
        with pytest.raises(ValueError, match=r"altered cannot be loaded: .*\.$"):
            skcredal.load(path)
