"""Models on disk: they answer as before, are whole or refused, and never run code from the file."""

import contextlib
import io
import json
import tracemalloc
import warnings
import zipfile
from copy import deepcopy
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import skcredal
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
from skcredal.persistence import ESTIMATORS, read_notes
from table_limits import limited_to

CLASSIFIERS = [kind for kind in ESTIMATORS.values() if kind is not MDLDiscretizer]
ANSWERS = [
    "predict",
    "predict_proba",
    "predict_set",
    "predict_interval",
    "robustness",
    "spode_proba",
    "apply",
]


def mixed_table(n=150):
    rng = np.random.default_rng(5)
    y = rng.integers(0, 3, n)
    X = pd.DataFrame(
        {
            "number": y + rng.normal(size=n),
            "kind": np.where(rng.random(n) < 0.6, np.array(["ä", "b", "c"])[y], "b"),
            "flag": rng.random(n) < 0.2 + 0.2 * y,
            "size": pd.Categorical(rng.choice(["s", "m", "l"], n), ["s", "m", "l", "xl"], ordered=True),
            "width": np.round(2 * y + rng.normal(size=n), 1),
        }
    )
    X.loc[::9, "number"] = np.nan
    X.loc[::11, "kind"] = None
    return X, np.array(["low", "middle", "high"])[y]


def answers(estimator, X):
    found = {name: getattr(estimator, name)(X) for name in ANSWERS if hasattr(estimator, name)}
    if hasattr(estimator, "explain"):
        found["explain"] = estimator.explain(X[:20]).to_dict("list")
    if hasattr(estimator, "export_text"):
        found["export_text"] = estimator.export_text(show_counts=True)
    return found


def assert_same_answers(found, expected, X):
    found, expected = answers(found, X), answers(expected, X)
    assert found.keys() == expected.keys()
    for name, answer in expected.items():
        if isinstance(answer, np.ndarray):
            assert found[name].dtype == answer.dtype, name
        np.testing.assert_equal(found[name], answer, err_msg=name)


def kept(estimator, folder):
    skcredal.save(estimator, folder / "model.skcredal")
    return skcredal.load(folder / "model.skcredal")


def test_all_classifiers_are_there():
    ours = (getattr(skcredal, name) for name in skcredal.__all__)
    assert set(ESTIMATORS.values()) == {one for one in ours if hasattr(one, "fit")}


@pytest.mark.parametrize("missing", ["impute", "marginalize"])
@pytest.mark.parametrize("kind", CLASSIFIERS, ids=lambda kind: kind.__name__)
def test_a_loaded_classifier_answers_bitwise_alike(kind, missing, tmp_path):
    X, y = mixed_table()
    clf = kind(missing=missing).fit(X, y, np.linspace(0.5, 1.5, len(y)))
    loaded = kept(clf, tmp_path)
    assert type(loaded) is kind
    assert loaded.get_params() == clf.get_params()
    assert set(vars(loaded)) == set(vars(clf))
    assert loaded.encoding_ == clf.encoding_
    assert_same_answers(loaded, clf, X)


@pytest.mark.parametrize(
    "clf",
    [
        AODE(
            categories=[["b", "ä", "new"], [True, False], np.array(["l", "m", "s"])], handle_unknown="ignore"
        ),
        AODE(categorical_features=np.array(["width"]), max_categories=3),
        NaiveCredal(conservative_features=("number", "kind")),
        NaiveCredal(conservative_features=np.array([True, False, True, False, False])),
        BmaAODE(likelihood="marginal", n_jobs=np.int64(1)),
        LogPoolAODE(n_regions=np.int64(3), line=np.bool_(False), max_rows=50),
        CredalLogPoolAODE(n_regions=0, random_state=2**70),
        CredalTree(s=np.float64(2.0)),
    ],
    ids=lambda clf: type(clf).__name__,
)
def test_parameters_are_kept(clf, tmp_path):
    X, y = mixed_table()
    loaded = kept(clf.fit(X, y), tmp_path)
    for name, value in clf.get_params().items():
        np.testing.assert_equal(loaded.get_params()[name], value)
    assert_same_answers(loaded, clf, X)


def test_a_discretizer_and_a_model_without_features_are_kept(tmp_path):
    X, y = mixed_table()
    discretizer = MDLDiscretizer().fit(X[["number", "width"]], y)
    loaded = kept(discretizer, tmp_path)
    np.testing.assert_array_equal(
        loaded.transform(X[["number", "width"]]), discretizer.transform(X[["number", "width"]])
    )
    for kind in CLASSIFIERS:
        constant = kind().fit([[1.0]] * 6, [0, 1] * 3)
        assert_same_answers(kept(constant, tmp_path), constant, np.array([[1.0], [2.0]]))
    # Without cuts, there are regions and a line alone.
    numbers = np.random.default_rng(0).normal(size=(40, 2))
    pool = CredalLogPoolAODE().fit(numbers, [0, 1] * 20)
    assert [kind for kind, _ in pool.experts_] == ["regions", "line"]
    assert_same_answers(kept(pool, tmp_path), pool, numbers)


@pytest.mark.parametrize(
    "classes",
    [np.array([2, 5], np.int8), np.array([False, True]), np.array([0.0, 1.0]), np.array(["a", "b"], object)],
)
def test_classes_keep_their_type(classes, tmp_path):
    clf = AODE().fit([["a"], ["b"]] * 3, classes[[0, 1] * 3])
    assert_same_answers(kept(clf, tmp_path), clf, [["a"], ["b"]])


@pytest.mark.parametrize(
    "states", [[False, True], [0, 1], [0.5, 1.5], ["x", "1"], [1, "1"], [np.int8(3), np.int8(4)]]
)
def test_states_of_every_kind_are_kept(states, tmp_path):
    X = pd.DataFrame({"column": pd.Series([states[i] for i in (0, 1, 0, 1)], dtype=object)})
    clf = AODE(categorical_features="all").fit(X, [0, 1, 0, 1])
    assert_same_answers(kept(clf, tmp_path), clf, X)


@pytest.mark.parametrize(
    "states", [[b"x", b"y"], [Decimal(1), Decimal(2)], [pd.Interval(0, 1), pd.Interval(1, 2)]]
)
def test_other_states_are_refused_with_column_and_value(states, tmp_path):
    X = pd.DataFrame({"strange": pd.Categorical([states[i] for i in (0, 1, 0, 1)])})
    clf = AODE().fit(X, [0, 1, 0, 1])
    with pytest.raises(TypeError, match=r"column 'strange' .* not .*(b'x'|Decimal|Interval)"):
        skcredal.save(clf, tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


def test_what_is_not_ours_is_for_others(tmp_path):
    X, y = [[1.0], [2.0]] * 5, [0, 1] * 5
    for other in (
        make_pipeline(StandardScaler(), AODE()).fit(X, y),
        LogisticRegression().fit(X, y),
        AODE,
        None,
    ):
        with pytest.raises(TypeError, match=r"estimator must be .* pickle, joblib or skops"):
            skcredal.save(other, tmp_path / "model")
    with pytest.raises(NotFittedError):
        skcredal.save(AODE(), tmp_path / "model")
    for path, error in ((tmp_path, IsADirectoryError), (tmp_path / "no" / "m", FileNotFoundError)):
        with pytest.raises(error, match="path must be"):
            skcredal.save(AODE().fit(X, y), path)
    with pytest.raises(TypeError):
        skcredal.save(AODE().fit(X, y), 3)
    with pytest.raises(FileNotFoundError):
        skcredal.load(tmp_path / "nothing")


def test_a_parameter_that_load_would_refuse_is_not_saved(tmp_path):
    clf = AODE().fit([["a"], ["b"]], [0, 1]).set_params(ess=-1)
    with pytest.raises(ValueError, match="ess must lie in"):
        skcredal.save(clf, tmp_path / "model")


def test_notes(tmp_path):
    clf, path = AODE().fit([["a"], ["b"]], [0, 1]), tmp_path / "model"
    skcredal.save(clf, path)
    assert read_notes(path) == {}
    notes = {"target": "ä", "ids": [1, None], "array": {"array": 3}}  # which a model file has, too
    skcredal.save(clf, path, notes=notes)
    assert read_notes(path) == notes
    for notes in ({"a": object()}, [1]):
        with pytest.raises(TypeError, match="notes"):
            skcredal.save(clf, path, notes=notes)
    assert read_notes(path)["target"] == "ä"


@pytest.mark.skipif(not hasattr(AODE, "partial_fit"), reason="no partial_fit")
def test_learning_goes_on_where_it_was_kept(tmp_path):
    X, y = mixed_table()
    classes = np.unique(y)
    clf = AODE().partial_fit(X[:100], y[:100], classes=classes)
    loaded = kept(clf, tmp_path).partial_fit(X[100:], y[100:])
    assert_same_answers(loaded, clf.partial_fit(X[100:], y[100:]), X)


# --- Files that are damaged or forged ---


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """Return saved models: their files as bytes, and a table."""
    X, y = mixed_table(60)
    folder, found = tmp_path_factory.mktemp("models"), {}
    for kind in (CredalCompAODE, CredalLogPoolAODE, CredalTree, NaiveCredal):
        conservative = {"conservative_features": ["kind"]} if kind is NaiveCredal else {}
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


STRANGE = [
    0,
    -1,
    1,
    2,
    2**31,
    2**62,
    1e308,
    0.5,
    float("nan"),
    float("inf"),
    None,
    True,
    "x",
    [],
    {},
    [[1]],
    "\x00",
]


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
    bombs = {
        "pairs": zipped({**parts, "n_cab": bytes(200_000_000)}, zipfile.ZIP_DEFLATED),
        "header": zipped(
            {**parts, "model.json": " " * 200_000_000 + json.dumps(header)}, zipfile.ZIP_DEFLATED
        ),
        "states": zipped({**parts, "model.json": json.dumps(many_states(header))}, zipfile.ZIP_DEFLATED),
        "width": zipped({**parts, "model.json": json.dumps(header).replace("<U6", "<U99999999")}),
        "lzma": zipped({**parts, "n_cab": bytes(len(parts["n_cab"]))}, zipfile.ZIP_LZMA),
    }
    regions = parts_of(files[CredalLogPoolAODE])
    many_leaves = json.loads(regions["model.json"])
    counts = many_leaves["learned"]["counts_"]["Counts"]
    counts["n_leaves"]["array"][2] = [10**9 for _ in counts["n_leaves"]["array"][2]]
    bombs["leaves"] = zipped({**regions, "model.json": json.dumps(many_leaves)})
    bombs["regions"] = zipped({**regions, "n_cza": bytes(200_000_000)}, zipfile.ZIP_DEFLATED)
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
        (b"", "not a zip file"),
        (b"eggs, milk", "not a zip file"),
        (b"skcredal model, format 1\nabc\n{}", "not a zip file"),  # of version 0.1.0.dev0
        (zipped({"other.txt": "eggs"}), "about.json"),
        (zipped({**parts, "about.json": json.dumps(about)}), r"version 9\.0"),
        (zipped({**parts, "model.json": json.dumps({**header, "class": "os.system"})}), "os.system"),
        (zipped({**parts, "model.json": "[" * 100_000}), "recursion"),
    ]:
        path.write_bytes(content)
        with pytest.raises(ValueError, match=rf"altered cannot be loaded: .*{reason}.*\.$"):
            skcredal.load(path)


def change(array, place, value):
    """Return how to forge one entry of an array of the header, or all of it."""

    def forge(parts):
        content = parts[array]["array"]
        if isinstance(value, float):
            content[0] = "<f8"
        if place is None:
            content[2] = [value] * len(content[2])
        else:
            content[2][place] = value

    return forge


def shorten(array):
    def forge(parts):
        content = parts[array]["array"]
        width = int(np.prod(content[1][1:]))
        content[1][0] -= 1
        content[2] = content[2][:-width]

    return forge


def forged_arrays(kind, arrays):
    return [
        (kind, f"{kind}-{array}-{place}-{value}", change(array, place, value))
        for array, place, value in arrays
    ]


NAN, INFINITE = float("nan"), float("inf")
FORGED = [
    *forged_arrays(
        "Regions",
        [
            ("feature", 0, 99),
            ("feature", None, 5),
            ("columns", 0, 5),
            ("columns", 0, -1),
            ("left", 0, 1.5),
            ("left", 0, 0),  # in circles
            ("right", 0, 0),
            ("left", 0, -1),
            ("left", 0, 10**6),
            ("left", -1, 10**6),  # of a leaf
            ("right", 0, 2**62),
            ("left", 1, 0),  # before its parent
            ("roots", 0, 1),
            ("roots", 1, 0),
            ("roots", 1, 10**6),
            ("threshold", 0, NAN),
            ("threshold", 0, INFINITE),
            ("fills", 0, NAN),
            ("low", 0, INFINITE),
            ("high", 0, -INFINITE),
        ],
    ),
    *(("Regions", f"short {array}", shorten(array)) for array in ("feature", "left", "right", "threshold")),
    *(
        ("Regions", f"short {array}", shorten(array))
        for array in ("columns", "fills", "low", "high", "roots")
    ),
    *forged_arrays(
        "Line",
        [
            ("column", 0, 5),
            ("column", 0, -1),
            ("slopes", 0, NAN),
            ("slopes", 0, INFINITE),
            ("intercepts", 0, NAN),
            ("mean", 0, NAN),
            ("deviation", 0, 0.0),
            ("deviation", 0, NAN),
            ("state", 0, 1.0),  # a rank too many
        ],
    ),
    *(("Line", f"short {array}", shorten(array)) for array in ("column", "state", "mean", "deviation")),
    *(("Line", f"short {array}", shorten(array)) for array in ("slopes", "intercepts")),
    *(
        ("Line", f"{array} {value}", lambda parts, a=array, v=value: change(a, 0, v)({a: parts[a][0]}))
        for array, value in (("values", NAN), ("weights", INFINITE))
    ),
    *(
        ("Line", f"short {array} of a rank", lambda parts, a=array: shorten(a)({a: parts[a][0]}))
        for array in ("values", "weights")
    ),
    ("Line", "a rank less", lambda parts: parts["values"].pop()),
    *(("Counts", f"short {array}", shorten(array)) for array in ("n_leaves", "n_cz")),
    *forged_arrays("Counts", [("n_leaves", 0, 1), ("n_cz", 0, NAN), ("n_cz", 0, -1.0)]),
]


@pytest.mark.parametrize(("kind", "name", "forge"), FORGED, ids=[name for _, name, _ in FORGED])
def test_forged_trees_and_lines_are_refused(models, kind, name, forge):
    files, _, path = models
    parts = parts_of(files[CredalLogPoolAODE])
    header = json.loads(parts["model.json"])
    learned = header["learned"]
    attribute = {"Counts": "counts_", "Regions": "_trees", "Line": "_line"}[kind]
    found = learned[attribute][kind]
    forge(found)
    path.write_bytes(zipped({**parts, "model.json": json.dumps(header)}))
    with pytest.raises(ValueError, match=r"altered cannot be loaded: .*\.$"):
        skcredal.load(path)


def test_a_pool_without_its_trees_or_line_is_refused(models):
    files, _, path = models
    parts = parts_of(files[CredalLogPoolAODE])
    for part in ("_trees", "_line"):
        header = json.loads(parts["model.json"])
        header["learned"][part] = None
        path.write_bytes(zipped({**parts, "model.json": json.dumps(header)}))
        with pytest.raises(ValueError, match=r"altered cannot be loaded: .*\.$"):
            skcredal.load(path)


def test_a_tree_leads_onwards_only(models):
    files, _, path = models
    parts = parts_of(files[CredalTree])
    header = json.loads(parts["model.json"])
    for array, node, number in [
        *(("parent", 1, number) for number in (1, -1)),
        ("feature", 0, 99),
    ]:
        forged = json.loads(json.dumps(header))
        forged["learned"]["tree_"]["DecisionTree"][array]["array"][2][node] = number
        path.write_bytes(zipped({**parts, "model.json": json.dumps(forged)}))
        with pytest.raises(ValueError, match=r"damaged, or was altered: .* node does not fit"):
            skcredal.load(path)
