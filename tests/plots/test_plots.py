"""Displays: what is drawn are the classifier's own numbers, whatever names, styles and axes there are."""

import warnings
from functools import cache

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest
from matplotlib.colors import same_color, to_rgb, to_rgba
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from skcredal import Answers, CredalBmaAODE, CredalCompAODE, CredalLogPoolAODE, NaiveCredal, answers
from skcredal._colours import COLOURS
from skcredal.datasets import load_dataset
from skcredal.evaluation._cases import Cases
from skcredal.evaluation._page import _confusion, _set_aside
from skcredal.evaluation._words import values_with_bins
from skcredal.plots import (
    AnswersDisplay,
    ReasonsDisplay,
    SetAsideDisplay,
    SetBoundaryDisplay,
    SetConfusionDisplay,
)

SCRIPT = "<script>alert(1)</script>"
CLASSES = {2: ["$a$", "_b"], 5: [SCRIPT, "$x_1$", "_c", "w" * 80, "plain"]}
FEATURES = [SCRIPT, "$x_1$", "n" * 80, "constant"]


@pytest.fixture(autouse=True)
def quietly():
    """Nothing is warned about, and no setting changes."""
    matplotlib.use("agg")
    before = matplotlib.rcParams.copy()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield
        for number in plt.get_fignums():
            plt.figure(number).canvas.draw()
    assert matplotlib.rcParams == before
    plt.close("all")


@cache
def problem(n_classes, n=150):
    """Return a table and its classes, with names that are markup, mathematics and too long."""
    rng = np.random.default_rng(n_classes)
    y = rng.integers(0, n_classes, n)
    numbers, words = rng.normal(size=n) + y, np.array(["u", "v", "w"])[(y + rng.integers(0, 2, n)) % 3]
    table = pd.DataFrame(dict(zip(FEATURES, [numbers, words, rng.normal(size=n), 1.0], strict=True)))
    table.loc[::20, SCRIPT] = np.nan
    return table.set_index(pd.Index([f"case {r}" for r in range(n)])), np.array(CLASSES[n_classes])[y]


@cache
def fitted(kind, n_classes):
    X, y = problem(n_classes)
    return kind().fit(X[:60], y[:60])


def new_rows(n_classes):
    X, y = problem(n_classes)
    return X[60:], y[60:]


def texts(items):
    return [item.get_text() for item in items]


def shown(name, most):
    """What a long name is shortened to."""
    return name if len(name) <= most else f"{name[: most // 2]}…{name[most // 2 + 1 - most :]}"


@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize("n", [1, 12])
def test_strips_reach_from_bound_to_bound_and_are_filled_inside_the_set(n_classes, n):
    clf, X = fitted(CredalLogPoolAODE, n_classes), new_rows(n_classes)[0][:n]
    display = AnswersDisplay.from_estimator(clf, X)
    found, ax = answers(clf, X), display.ax_
    (bars,) = ax.containers
    drawn = np.array([(bar.get_x(), bar.get_x() + bar.get_width()) for bar in bars])
    np.testing.assert_allclose(drawn.reshape(n, n_classes, 2), found.interval, atol=1e-12)
    filled = np.array([bar.get_facecolor()[3] == 1 for bar in bars]).reshape(n, n_classes)
    np.testing.assert_array_equal(filled, found.sets)
    edges = [COLOURS[c] for c in range(n_classes)] * n
    assert all(same_color(bar.get_edgecolor(), edge) for bar, edge in zip(bars, edges, strict=True))
    marks = np.array([line[0, 0] for line in ax.collections[0].get_segments()])
    np.testing.assert_allclose(marks.reshape(n, n_classes), found.proba)
    assert texts(ax.get_yticklabels()) == list(X.index)
    assert texts(ax.get_legend().get_texts()) == [shown(label, 24) for label in clf.classes_]
    # The strips of a case are around its name, the first class on top.
    middles = np.array([bar.get_y() + bar.get_height() / 2 for bar in bars]).reshape(n, n_classes)
    np.testing.assert_allclose(middles.mean(axis=1), ax.get_yticks(), atol=1e-12)
    assert (np.diff(middles, axis=1) > 0).all()
    assert ax.yaxis.get_inverted()


def test_probabilities_alone_are_points():
    X, y = load_dataset("wine").features[::4], load_dataset("wine").target[::4]
    forest = RandomForestClassifier(20, random_state=0).fit(X, y)
    display = AnswersDisplay.from_estimator(make_pipeline(StandardScaler(), forest).fit(X, y), X[:7])
    points = display.ax_.collections[1]
    np.testing.assert_allclose(points.get_offsets()[:, 0], display.proba.ravel())
    filled = (points.get_facecolors()[:, 3] == 1).reshape(display.proba.shape)
    np.testing.assert_array_equal(filled, np.eye(3)[display.proba.argmax(axis=1)])
    assert texts(display.ax_.get_yticklabels()) == [str(label) for label in X.index[:7]]


def test_cases_are_named_and_at_most_thirty():
    clf, X = fitted(CredalCompAODE, 2), new_rows(2)[0]
    found = answers(clf, X[:3])
    assert texts(AnswersDisplay.from_predictions(found).ax_.get_yticklabels()) == ["0", "1", "2"]
    named = AnswersDisplay.from_predictions(found, labels=["$x$", "_y", "z" * 80])
    assert texts(named.ax_.get_yticklabels()) == ["$x$", "_y", shown("z" * 80, 36)]
    assert not named.ax_.get_yticklabels()[0].get_parse_math()
    with pytest.raises(ValueError, match="one name for each of the 3 cases, got 1"):
        AnswersDisplay.from_predictions(found, labels=["a"])
    with pytest.raises(ValueError, match=r"1 to 30 cases, got 31.*predict_set"):
        AnswersDisplay.from_estimator(clf, X[:31])


def waterfall(display):
    """Return what each bar adds to the logarithm of the odds, as drawn."""
    (bars,) = display.ax_.containers
    lengths = [np.log((bar.get_x() + bar.get_width()) / bar.get_x()) for bar in bars]
    signs = [1 if same_color(bar.get_facecolor(), COLOURS[0]) else -1 for bar in bars]
    return np.array(lengths) * signs


@pytest.mark.parametrize("n_classes", [2, 5])
def test_the_waterfall_adds_up_to_the_odds(n_classes):
    clf, (X, _) = fitted(CredalLogPoolAODE, n_classes), new_rows(n_classes)
    for row in range(0, 60, 6):
        (why,) = clf.explain(X.iloc[[row]]).to_dict("records")
        display = ReasonsDisplay.from_estimator(clf, X, row=row)
        ax, parts = display.ax_, [why["frequencies"], *why["contributions"]]
        np.testing.assert_allclose(display.parts, parts, atol=1e-12)
        np.testing.assert_allclose(waterfall(display), parts, atol=1e-12)
        assert abs(waterfall(display).sum() - np.log(why["odds"])) < 1e-10
        assert ax.get_xscale() == "log"
        even, interval, answer = ax.lines
        assert list(even.get_xdata()) == [1, 1]
        odds = [why[name] for name in ("lower_odds", "odds", "upper_odds")]
        np.testing.assert_allclose([*interval.get_xdata(), *answer.get_xdata()], [*odds, why["odds"]])
        cells = values_with_bins(clf, X.iloc[[row]])[0]
        cells = {name: shown(cell.partition(",")[0], 13) for name, cell in cells.items()}
        values = [f"{shown(name, 20)} = {cells[name]}" for name in why["features"]]
        assert texts(ax.get_yticklabels())[:-1] == ["class frequencies", *values]
        assert "".join(ax.get_title(loc="right").split()) == "".join(why["sentence"].split())
        assert all(ax.get_xlim()[0] < x < ax.get_xlim()[1] for x in odds)


def test_ten_features_have_bars_and_the_others_one_together():
    data = load_dataset("breast_cancer")
    clf = CredalLogPoolAODE().fit(data.features[:80], data.target[:80])
    (why,) = clf.explain(data.features[80:81]).to_dict("records")
    display, logs = ReasonsDisplay.from_estimator(clf, data.features[80:]), np.array(why["contributions"])
    strongest = np.sort(np.argsort(-np.abs(logs), kind="stable")[:10])
    names = ["class frequencies", *(shown(why["features"][i], 20) for i in strongest)]
    more = f"{len(logs) - 10} more together"
    assert [label.partition(" = ")[0] for label in display.labels] == [*names, more]
    np.testing.assert_allclose(display.parts[1:11], logs[strongest])
    assert abs(waterfall(display).sum() - np.log(why["odds"])) < 1e-10


@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize("kind", [CredalCompAODE, CredalBmaAODE])
def test_votes_have_the_weight_of_their_model_and_the_prior_against_them(kind, n_classes):
    clf, (X, _) = fitted(kind, n_classes), new_rows(n_classes)
    sizes = clf.predict_set(X).sum(axis=1)
    for row in (sizes.argmin(), sizes.argmax()):
        (why,) = clf.explain(X.iloc[[row]]).to_dict("records")
        ax = ReasonsDisplay.from_estimator(clf, X, row=int(row)).ax_
        (bars,) = ax.containers
        np.testing.assert_allclose([bar.get_width() for bar in bars], why["votes"])
        weights = pd.Series(clf.weights_, clf.super_parents_)[why["super_parents"]]
        end = max(*weights, *why["prior"])
        for points, mass in zip(ax.collections[-2:], (weights, why["prior"]), strict=True):
            np.testing.assert_allclose((points.get_offsets()[:, 0] - 1.25) * end, mass, atol=1e-12)
        assert texts(ax.get_xticklabels())[-1] == f"{end:.2g}"
        names = [label.partition(" = ")[0] for label in texts(ax.get_yticklabels())]
        assert names == [shown(name, 20) for name in why["super_parents"]]
        assert ("turns the answer" in texts(ax.get_legend().get_texts())[1]) == (sizes[row] > 1)


def names_of(sets, classes):
    return [" or ".join(shown(label, 14) for label in np.array(classes)[mask]) for mask in sets]


@pytest.mark.parametrize("n_classes", [2, 5])
def test_the_matrix_counts_true_classes_by_sets(n_classes):
    clf, (X, y) = fitted(CredalLogPoolAODE, n_classes), new_rows(n_classes)
    display, sets = SetConfusionDisplay.from_estimator(clf, X, y, max_sets=99), clf.predict_set(X)
    counted = pd.crosstab(y, names_of(sets, clf.classes_))
    frame = pd.DataFrame(display.matrix, clf.classes_, display.sets)
    assert frame.loc[counted.index, counted.columns].equals(counted)
    assert frame.to_numpy().sum() == len(y)
    # Single classes in their order, then by size, then the most frequent first.
    rows = names_of(np.eye(n_classes, dtype=bool), clf.classes_)
    singles = [name for name in rows if name in counted]
    assert display.sets[: len(singles)] == singles
    order = [(name.count(" or "), -n) for name, n in frame.sum().items()][len(singles) :]
    assert order == sorted(order)
    ax = display.ax_
    drawn = np.array(texts(ax.texts)).reshape(display.matrix.shape)
    np.testing.assert_array_equal(drawn, np.where(display.matrix == 0, "·", display.matrix.astype(str)))
    framed = [one.get_edgecolor()[3] == 1 for one in ax.patches]
    inside = [[label in name.split(" or ") for name in display.sets] for label in rows]
    np.testing.assert_array_equal(np.reshape(framed, drawn.shape), inside)
    assert texts(ax.get_xticklabels()) == [shown(name, 36) for name in display.sets]
    assert texts(ax.get_yticklabels()) == [shown(name, 36) for name in clf.classes_]
    # The page's matrix has the same counts, sets of several together.
    cases = Cases(np.searchsorted(clf.classes_, y), answers(clf, X).proba, sets, np.full(len(y), np.nan), {})
    together = (display.matrix * display.contains)[:, len(singles) :].sum(axis=1)
    np.testing.assert_array_equal(np.array(_confusion(cases))[:, -2], together)


def test_sets_beyond_the_last_column_and_unknown_classes_are_counted_together():
    y_true, y_set = ["a", "b", "c", "z"], [[1, 0, 0], [1, 1, 0], [1, 1, 1], [0, 1, 0]]
    display = SetConfusionDisplay.from_predictions(y_true, y_set, labels=["a", "b", "c"], max_sets=2)
    assert display.sets == ["a", "b", "other sets"]
    assert display.classes == ["a", "b", "c", "(other)"]
    assert display.matrix.tolist() == [[1, 0, 0], [0, 0, 1], [0, 0, 1], [0, 1, 0]]
    assert display.contains.tolist() == [[True, False, False], [False, True, False], [False] * 3, [False] * 3]
    shares = SetConfusionDisplay.from_predictions(["a", "a", "b"], [[1, 0], [1, 1], [1, 1]], normalize="true")
    assert shares.matrix.tolist() == [[0.5, 0.5], [0, 1]]
    assert texts(shares.ax_.texts) == ["50%", "50%", "·", "100%"]
    for options, words in (({"normalize": "all"}, "must be 'true', got 'all'"), ({"max_sets": 0}, "least 1")):
        with pytest.raises(ValueError, match=words):
            SetConfusionDisplay.from_predictions(y_true, y_set, **options)


@pytest.mark.parametrize("n_classes", [2, 5])
def test_setting_aside_draws_the_curves_of_the_page(n_classes):
    clf, (X, y) = fitted(CredalCompAODE, n_classes), new_rows(n_classes)
    display, found = SetAsideDisplay.from_estimator(clf, X, y), answers(clf, X)
    cases = Cases(np.searchsorted(clf.classes_, y), found.proba, found.sets, found.robustness, {})
    page = _set_aside({"probability": cases.probability, "robustness": cases.robustness}, cases)
    lines = {line.get_label(): line for line in display.ax_.lines}
    assert list(lines) == ["none set aside", "by probability", "by robustness", "by size of the set"]
    for by, curve in page["lines"].items():
        np.testing.assert_allclose(lines[f"by {by}"].get_xydata(), curve, atol=1e-12)
    assert display.level == page["all"] == (clf.predict(X) == y).mean()
    assert set(lines["none set aside"].get_ydata()) == {display.level}
    # The largest sets go first, at random among those of one size.
    sizes, right = found.set_size, clf.predict(X) == y
    share, accuracy = lines["by size of the set"].get_data()
    some = share[share <= (sizes == sizes.max()).mean()]
    rest = (right.mean() - some * right[sizes == sizes.max()].mean()) / (1 - some)
    np.testing.assert_allclose(accuracy[: len(some)], rest)


def test_setting_aside_takes_probabilities_alone_and_a_single_row():
    clf, (X, y) = fitted(NaiveCredal, 2), new_rows(2)
    assert list(SetAsideDisplay.from_estimator(clf, X, y).accuracy) == ["probability", "size of the set"]
    alone = Answers(clf.classes_, clf.predict_proba(X))
    assert list(SetAsideDisplay.from_predictions(y, alone).accuracy) == ["probability"]
    one = SetAsideDisplay.from_estimator(clf, X[:1], clf.predict(X[:1]))
    assert all((curve == 1).all() for curve in one.accuracy.values())


@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize("features", [(SCRIPT, "$x_1$"), ("$x_1$", "n" * 80), ("constant", SCRIPT)])
@pytest.mark.parametrize("values", [None, {"constant": 2.0, SCRIPT: -1.0, "$x_1$": "w"}])
def test_the_plane_has_the_answers_at_medians_and_modes_or_given_values(n_classes, features, values):
    (X, y), clf = problem(n_classes), fitted(CredalLogPoolAODE, n_classes)
    X, y = X[:60], y[:60]
    options = {"features": features, "values": values, "grid_resolution": 13}
    display = SetBoundaryDisplay.from_estimator(clf, X, y, **options)
    usual = {name: X[name].mode()[0] if name == "$x_1$" else X[name].median() for name in FEATURES}
    plane = [dict(zip(features, (a, b), strict=True)) for b in display.at[1] for a in display.at[0]]
    table = pd.DataFrame([usual | (values or {}) | point for point in plane])
    np.testing.assert_array_equal(display.sets.reshape(len(plane), -1), clf.predict_set(table))
    for axis, name, points, at in zip("xy", features, display.points, display.at, strict=True):
        if name == "$x_1$":
            labels = texts(getattr(display.ax_, f"get_{axis}ticklabels")())
            assert labels == list(at) == sorted(X[name].unique())
            assert [at[int(code)] for code in points] == list(X[name])
        else:
            np.testing.assert_array_equal(points, X[name])
            assert at[0] < X[name].min() <= X[name].max() < at[-1]


def test_regions_have_the_colours_of_their_sets_and_rows_those_of_their_classes():
    (X, y), clf = problem(5), fitted(CredalLogPoolAODE, 5)
    X, y = X[:60], y[:60]
    display = SetBoundaryDisplay.from_estimator(clf, X, y, features=[SCRIPT, "n" * 80], grid_resolution=30)
    picture, rows = display.ax_.images[0].get_array(), display.ax_.collections[0]
    assert (display.sets.sum(axis=2) > 1).any()
    for i, j in np.ndindex(30, 30):
        cell = picture[i * 20 : (i + 1) * 20, j * 20 : (j + 1) * 20]
        drawn = {tuple(colour) for colour in cell.reshape(-1, 4).tolist()}
        inside = {to_rgba(COLOURS[c], 0.5) for c in np.flatnonzero(display.sets[i, j])}
        # A small cell has not room for the stripes of many classes.
        assert drawn == inside if len(inside) < 3 else drawn <= inside
    expected = [to_rgb(COLOURS[list(clf.classes_).index(label)]) for label in y]
    np.testing.assert_allclose(rows.get_facecolors()[:, :3], expected)
    known = X[[SCRIPT, "n" * 80]].dropna()
    np.testing.assert_allclose(rows.get_offsets()[X[SCRIPT].notna()], known)
    assert texts(display.ax_.get_legend().get_texts())[:5] == [shown(label, 14) for label in clf.classes_]


def test_tables_of_every_kind_are_drawn():
    y, rng = problem(2)[1], np.random.default_rng(0)
    plain = np.column_stack([rng.normal(size=60) + (y[:60] == "_b"), rng.integers(0, 3, 60), rng.random(60)])
    clf = CredalCompAODE(categorical_features=[1]).fit(plain, y[:60])
    display = SetBoundaryDisplay.from_estimator(clf, plain.tolist(), y[:60], features=[1, 0], values={2: 0.5})
    assert display.at[0].tolist() == [0, 1, 2]  # categories, although they are numbers
    np.testing.assert_array_equal(display.sets[40, 2], clf.predict_set([[display.at[1][40], 2, 0.5]])[0])
    assert "feature 1 = " in "".join(ReasonsDisplay.from_estimator(clf, plain, row=3).labels)
    table = pl.DataFrame({"a": plain[:, 0], "b": ["u", "v"] * 30})
    for frame in (table, table.to_arrow(), table.to_pandas().astype({"b": "category"})):
        clf = CredalCompAODE().fit(frame, y[:60])
        assert SetBoundaryDisplay.from_estimator(clf, frame, features=["b", "a"]).sets.shape == (100, 2, 2)
        assert len(ReasonsDisplay.from_estimator(clf, frame, row=59).labels) >= 1
        assert AnswersDisplay.from_estimator(clf, frame[:5]).labels == [0, 1, 2, 3, 4]


def test_pipelines_and_searches_are_asked_themselves():
    X, y = problem(2)[0][[SCRIPT, "n" * 80]].fillna(0.0)[:60], problem(2)[1][:60]
    pipeline = make_pipeline(StandardScaler(), CredalLogPoolAODE()).fit(X, y)
    search = GridSearchCV(pipeline, {"credallogpoolaode__ess": [4.0]}, cv=2).fit(X, y)
    for model in (pipeline, search):
        display = SetBoundaryDisplay.from_estimator(model, X, y, features=list(X), grid_resolution=5)
        grid = np.array([(a, b) for b in display.at[1] for a in display.at[0]])
        scaled = pipeline[0].transform(pd.DataFrame(grid, columns=list(X)))
        np.testing.assert_array_equal(display.sets.reshape(25, 2), pipeline[1].predict_set(scaled))
        labels = " ".join(ReasonsDisplay.from_estimator(model, X, row=7).labels)
        assert f"feature 0 = {pipeline[0].transform(X)[7, 0]:.6g}" in labels
        strips = AnswersDisplay.from_estimator(model, X[:4])
        np.testing.assert_array_equal(strips.interval, answers(pipeline, X[:4]).interval)
        assert SetConfusionDisplay.from_estimator(model, X, y).matrix.sum() == 60


def draw(name, ax=None):
    """Draw one of the displays anew."""
    clf, paper, (X, y) = fitted(CredalLogPoolAODE, 5), fitted(CredalCompAODE, 5), new_rows(5)
    kind, model, *given = {
        "answers": (AnswersDisplay, clf, X[:4]),
        "odds": (ReasonsDisplay, clf, X),
        "votes": (ReasonsDisplay, paper, X),
        "confusion": (SetConfusionDisplay, clf, X, y),
        "aside": (SetAsideDisplay, clf, X, y),
        "boundary": (SetBoundaryDisplay, clf, X, y),
    }[name]
    options = {"features": [SCRIPT, "$x_1$"], "grid_resolution": 9} if name == "boundary" else {}
    return kind.from_estimator(model, *given, **options, ax=ax)


def state(ax):
    legend = ax.get_legend().get_texts() if ax.get_legend() else []
    return ax.get_xlim(), ax.get_ylim(), texts([*ax.get_xticklabels(), *ax.get_yticklabels(), *legend])


@pytest.mark.parametrize("name", ["answers", "odds", "votes", "confusion", "aside", "boundary"])
def test_a_display_is_drawn_on_given_axes_twice_in_a_dark_style_and_with_names_as_they_are(name):
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 5))
    display = draw(name, left)
    assert (display.ax_, display.figure_) == (left, figure)
    before = state(left)
    assert display.plot(ax=left) is display
    assert state(left) == before
    assert display.plot(right).ax_ is right
    assert plt.get_fignums() == [1]
    assert display.plot().figure_ is plt.figure(2)
    with plt.style.context("dark_background"):
        ax = draw(name).ax_
        ax.figure.canvas.draw()
    assert same_color(ax.figure.get_facecolor(), "black")
    written = [*(ax.get_legend().get_texts() if ax.get_legend() else []), ax._right_title, *ax.texts]
    for axis in (ax.xaxis, ax.yaxis):
        low, high = sorted(axis.get_view_interval())
        written += [tick.label1 for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
        written.append(axis.label)
    box = ax.figure.bbox.padded(1)
    for text in (one for one in written if one.get_text()):
        assert same_color(text.get_color(), "white")
        assert "$" not in text.get_text() or not text.get_parse_math()
        extent = text.get_window_extent()
        assert box.x0 <= extent.x0 <= extent.x1 <= box.x1, text


def test_what_a_classifier_lacks_is_named():
    X, y = load_dataset("iris").features, load_dataset("iris").target
    forest, machine, ncc = (one.fit(X, y) for one in (RandomForestClassifier(3), SVC(), NaiveCredal()))
    plane = {"features": list(X)[:2]}
    for display, estimator, options, words in (
        (SetConfusionDisplay, forest, {"y": y}, "predict_set.* got RandomForestClassifier"),
        (SetBoundaryDisplay, make_pipeline(forest), plane, "predict_set.* got RandomForestClassifier"),
        (ReasonsDisplay, ncc, {}, "explain.* got NaiveCredal"),
        (AnswersDisplay, machine, {}, "predict_proba.* got SVC"),
        (SetAsideDisplay, machine, {"y": y}, "predict_proba.* got SVC"),
    ):
        with pytest.raises(TypeError, match=f"{display.__name__} needs .*{words}"):
            display.from_estimator(estimator, X, **options)
    for options in ({"features": ["a", "b"]}, {"features": list(X)[:1]}, {**plane, "values": {"c": 1}}):
        with pytest.raises(ValueError, match="features must be two different columns of X"):
            SetBoundaryDisplay.from_estimator(ncc, X, **options)
    with pytest.raises(ValueError, match="row must be at most 149, got 150"):
        ReasonsDisplay.from_estimator(ncc, X, row=150)


def test_a_single_class_and_a_column_without_values_are_drawn_or_refused():
    X = problem(2)[0][:20].assign(empty=np.nan)
    for kind in (CredalLogPoolAODE, CredalCompAODE):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            clf = kind().fit(X, ["only"] * 20)
        assert ReasonsDisplay.from_estimator(clf, X).reason["rival"] is None
        assert AnswersDisplay.from_estimator(clf, X[:1]).proba.tolist() == [[1]]
        assert SetConfusionDisplay.from_estimator(clf, X, ["only"] * 20).matrix.tolist() == [[20]]
        assert SetBoundaryDisplay.from_estimator(clf, X, features=["constant", SCRIPT]).sets.all()
        with pytest.raises(ValueError, match="features must have values in X"):
            SetBoundaryDisplay.from_estimator(clf, X, features=["empty", SCRIPT])
