"""Wrong arguments to everything but classifiers: measures, decisions, settings, readers."""

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import skcredal
from skcredal import MDLDiscretizer, decisions, metrics
from skcredal.datasets import list_datasets, load_dataset
from skcredal.datasets._arff import read_arff
from strange_problems import CELLS, oddities, outcome, rows_of, tables, vectors

EXAMPLES = settings(max_examples=60)
# What numpy and pandas warn of while a strange argument is made or read is not under test.
pytestmark = pytest.mark.filterwarnings("ignore")


def masks(n, n_classes):
    """Draw sets, or anything else."""
    return st.one_of(
        st.lists(st.lists(st.booleans(), min_size=n_classes, max_size=n_classes), min_size=n, max_size=n),
        tables(n),
        vectors(n),
        oddities(n),
    )


def probabilities(n, n_classes):
    """Draw distributions, or anything else."""
    rows = st.lists(st.integers(0, 3), min_size=n_classes, max_size=n_classes).filter(any)
    normal = rows.map(lambda row: [part / sum(row) for part in row])
    return st.one_of(st.lists(normal, min_size=n, max_size=n), tables(n), vectors(n))


# --- Measures -------------------------------------------------------------------------------------

MEASURES = [name for name in metrics.__all__ if name.endswith(("_score", "_loss", "_size"))]
SETS_ALONE = ("determinacy_score", "indeterminate_output_size")


@pytest.mark.parametrize("name", MEASURES)
@EXAMPLES
@given(data=st.data())
def test_a_measure_is_a_number_or_a_refusal(name, data):
    n = data.draw(st.sampled_from([0, 1, 4, 4]))
    arguments = [] if name in SETS_ALONE else [data.draw(vectors(n), "y_true")]
    given_answers = probabilities(n, 2) if name == "true_class_brier_loss" else masks(n, 2)
    arguments.append(data.draw(given_answers, "y_set"))
    options = {"sample_weight": data.draw(st.one_of(st.none(), vectors(n)), "sample_weight")}
    if name == "utility_score":
        options["w"] = data.draw(st.sampled_from([0.5, 0.8, 1, 2, math.nan, "a", None, 1j, [0.5]]))
    if name not in SETS_ALONE:
        labels = st.one_of(st.none(), st.sampled_from([["a", "b"], [0, 1], [True, False]]), vectors(2))
        options["labels"] = data.draw(labels, "labels")
    value = outcome(
        lambda: getattr(metrics, name)(*arguments, **options), "y_true|y_set|y_proba|labels|sample_weight|w"
    )
    assert value is None or isinstance(value, float)
    if value is not None and not math.isnan(value):
        assert 0 <= value <= (4 if name == "indeterminate_output_size" else 1) * (1 + 1e-12)


@EXAMPLES
@given(data=st.data())
def test_a_summary_and_a_report_are_made_or_refused(data):
    n = data.draw(st.sampled_from([0, 1, 4, 4]))
    y_true, y_set = data.draw(vectors(n), "y_true"), data.draw(masks(n, 2), "y_set")
    options = {
        "y_pred": data.draw(st.one_of(st.none(), vectors(n)), "y_pred"),
        "y_proba": data.draw(st.one_of(st.none(), probabilities(n, 2)), "y_proba"),
        "labels": data.draw(
            st.one_of(st.none(), st.sampled_from([["a", "b"], [0, 1]]), vectors(2)), "labels"
        ),
    }
    names = "y_true|y_set|y_pred|y_proba|labels|target_names|digits"
    summary = outcome(lambda: metrics.credal_summary(y_true, y_set, **options), names)
    assert summary is None or all(isinstance(value, float) for value in summary.values())
    more = {
        "target_names": data.draw(st.sampled_from([None, ["p", "q"], ["p"], 3, "pq", [1, None]])),
        "digits": data.draw(st.sampled_from([2, 0, 20, -1, 1.5, "2", None])),
    }
    report = outcome(lambda: metrics.credal_report(y_true, y_set, **options, **more), names)
    assert report is None or (summary is not None and isinstance(report, str))


# --- Decisions ------------------------------------------------------------------------------------

COSTS = st.sampled_from([0.2, 0.2, 0.4, 0, 0.5, 1, math.nan, -1, "a", None, 1j, True])


@EXAMPLES
@given(data=st.data())
def test_a_decision_is_made_or_refused(data):
    n = data.draw(st.sampled_from([0, 1, 4, 4]))
    proba, y_set = data.draw(probabilities(n, 2), "proba"), data.draw(masks(n, 2), "y_set")
    cost = data.draw(COSTS, "cost")
    y_true, weights = data.draw(vectors(n), "y_true"), data.draw(st.one_of(st.none(), vectors(n)), "weights")
    maybe = data.draw(st.sampled_from([None, y_set]))
    names = "proba_or_interval|y_set|cost|classes|y_true|y_pred|rejected|sample_weight|proba|utility|beta"
    rejected = outcome(lambda: decisions.reject(proba, maybe, cost=cost), names)
    assert rejected is None or (rejected.dtype == bool and rejected.ndim == 1)
    y_pred = data.draw(vectors(n), "y_pred")
    given_up = data.draw(st.one_of(st.lists(st.booleans(), min_size=n, max_size=n), vectors(n)), "rejected")
    score = outcome(
        lambda: decisions.reject_cost_score(y_true, y_pred, given_up, cost=cost, sample_weight=weights), names
    )
    assert score is None or math.isnan(score) or 0 <= score <= 1
    classes = data.draw(st.one_of(st.just(["a", "b"]), vectors(2), oddities(2)), "classes")
    found = outcome(lambda: decisions.set_labels(y_set, classes), names)
    assert found is None or isinstance(found, list)
    utility = data.draw(
        st.sampled_from(
            [
                *("u65", "u80", ("fbeta", 1), ("fbeta", "1"), ("fbeta",), "u", None, len, 1.0),
                *(lambda m: -1.0, lambda m: "a", lambda m: None, lambda m: math.nan),
                *(lambda m: 1 / m, lambda m: np.ones(2)),
            ]
        )
    )
    sets = outcome(lambda: decisions.utility_optimal_sets(proba, utility=utility), names)
    assert sets is None or (sets.dtype == bool and sets.any(axis=1).all())


class Guesser:
    """Answers with what it is told to."""

    def __init__(self, answer, classes):
        self.answer, self.classes_ = answer, classes

    def predict_set(self, X):
        return self.answer


@EXAMPLES
@given(data=st.data())
def test_a_scorer_scores_or_refuses(data):
    n = data.draw(st.sampled_from([1, 4]))
    guesser = Guesser(
        data.draw(masks(n, 2), "y_set"), data.draw(st.one_of(st.just([0, 1]), vectors(2)), "labels")
    )
    estimator = data.draw(st.sampled_from([guesser, guesser, None, 3, "a", object()]), "estimator")
    scorer = metrics.make_set_scorer(metrics.u65_score)
    y = data.draw(vectors(n), "y")
    score = outcome(lambda: scorer(estimator, np.ones((n, 1)), y), "estimator|y_true|y_set|labels")
    assert score is None or math.isnan(score) or 0 <= score <= 1


def test_a_scorer_of_an_estimator_without_classes_names_it():
    guesser = Guesser([[True]], [0])
    del guesser.classes_
    with pytest.raises(ValueError, match=r"^estimator cannot be read: .*classes_"):
        metrics.make_set_scorer(metrics.u65_score)(guesser, [[1.0]], [0])


@pytest.mark.parametrize("metric", [None, 3, "u65", object(), [], min, dict])
def test_a_scorer_of_no_measure_is_refused(metric):
    outcome(lambda: metrics.make_set_scorer(metric), "metric")


# --- Settings and discretisation ------------------------------------------------------------------


@pytest.mark.parametrize("kind", CELLS)
def test_a_setting_is_taken_or_refused(kind):
    before = skcredal.get_config()
    try:
        for value in CELLS[kind]:
            outcome(lambda value=value: skcredal.set_config(pair_table_limit=value), "pair_table_limit")
            assert isinstance(skcredal.get_config()["pair_table_limit"], int)
    finally:
        skcredal.set_config(**before)


@EXAMPLES
@given(data=st.data())
def test_a_strange_table_is_discretised_or_refused(data):
    X = data.draw(tables(), "X")
    y = data.draw(vectors(rows_of(X)), "y")
    mdl, names = MDLDiscretizer(), "X|y|sample_weight|feature names"
    if outcome(lambda: mdl.fit(X, y), names) is None:
        return
    bins = mdl.transform(X)
    assert bins.shape == (len(bins), mdl.n_features_in_)
    assert ((bins >= 0) & (bins < mdl.n_bins_)).all()
    bins = outcome(lambda: mdl.transform(data.draw(tables(), "X new")), names)
    assert bins is None or ((bins >= 0) & (bins < mdl.n_bins_)).all()


# --- Readers --------------------------------------------------------------------------------------

PIECES = (
    *("@relation", "@attribute", "@data", "@end", "@", "% comment", "numeric", "real", "integer", "string"),
    *(
        "date",
        "relational",
        "{a, b}",
        "{a b}",
        "{}",
        "{",
        "}",
        "{'a', \"b\"}",
        "'a b'",
        "a",
        "b",
        "1",
        "1e400",
    ),
    *(
        "-0",
        "?",
        "'?'",
        ",",
        ",,",
        " ",
        "\t",
        "\n",
        "\n",
        "\n",
        "\r",
        "\r\n",
        "'",
        '"',
        "\\",
        "\x00",
        "\ufeff",
    ),
    *("ä", "日本", "nan", "inf", "1_000", "[0, 1]", "(", "a" * 300, "{0 1}", "\x85", "\u2028"),
)
HEADER = "@relation r\n@attribute x numeric\n@attribute c {a, b}\n@data\n"


@settings(max_examples=400)
@given(
    header=st.sampled_from(["", HEADER]),
    pieces=st.lists(st.sampled_from(PIECES), max_size=30),
    noise=st.binary(max_size=8),
    encoding=st.sampled_from(["utf-8", "latin-1", "utf-16"]),
)
def test_any_bytes_are_read_as_arff_or_refused(tmp_path_factory, header, pieces, noise, encoding):
    folder = tmp_path_factory.getbasetemp() / "arff"
    folder.mkdir(exist_ok=True)
    path = folder / "strange.arff"
    path.write_bytes((header + "".join(pieces)).encode(encoding, "replace") + noise)
    names = r"\S*strange\.arff"
    table = outcome(lambda: read_arff(path), names)
    assert table is None or table.frame.columns.is_unique
    data = outcome(lambda: load_dataset("strange", folder), names)
    assert data is None or len(data.features) == len(data.target)


@pytest.mark.parametrize("value", [None, 3, 1.5, b"iris", "", "no\x00thing", "a" * 5000, [], ["iris"], {}])
def test_a_strange_name_or_source_is_refused(value, tmp_path):
    shown = re.escape(repr(value or "."))
    works = {
        "name": [lambda: load_dataset(value), lambda: load_dataset(value, tmp_path)],
        "source": [lambda: load_dataset("no set", value), lambda: list_datasets(value)],
        "path": [lambda: read_arff(value)],
    }
    for name, attempts in works.items():
        for attempt in attempts:
            if name == "source" and value is None:
                continue  # the folder of the environment, or the embedded sets
            # What the system says of a file that it cannot open holds the name.
            with pytest.raises((ValueError, TypeError, OSError), match=f"{name}|Errno.*{shown}"):
                attempt()
