"""What the page shows, as data and as HTML."""

import base64
import hashlib
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics
from sklearn.model_selection import cross_val_predict

from evaluation_problems import CLASSES, FEATURES, HOSTILE, made_up, made_up_ids
from skcredal import CredalLogPoolAODE
from skcredal.datasets import load_dataset
from skcredal.evaluation import evaluate_table, make_classifiers, ranking, write_evaluation
from skcredal.evaluation._cases import Cases, least_certain
from skcredal.evaluation._cross_validation import Evaluation
from skcredal.evaluation._fold import splits
from skcredal.evaluation._page import page_data
from skcredal.evaluation._results import fold_sums
from skcredal.metrics._curves import reliability_sums


@pytest.fixture(scope="module")
def evaluation():
    return made_up()


@pytest.fixture(scope="module")
def data(evaluation):
    return page_data(evaluation, ids=made_up_ids(200))


@pytest.mark.parametrize("key", ["lp-aode*", "ncc", "random-forest"])
def test_numbers_are_those_of_the_cases(evaluation, data, key):
    cases, (view,) = evaluation.cases[key], [one for one in data["views"] if one["key"] == key]
    undecided, correct = cases.undecided, cases.correct
    close = cases.close_calls(0.75)
    assert (close & undecided).sum() == 0
    contains = cases.sets[np.arange(200), cases.true]
    together = (cases.proba * cases.sets).sum(axis=1)
    for name, rows in {"decided": ~undecided, "close": close, "undecided": undecided}.items():
        assert view[name]["n"] == rows.sum()
        if rows.any():
            expected = [correct[rows].mean(), contains[rows].mean(), together[rows].mean()]
            assert [view[name][part] for part in ("right", "contains", "together")] == expected
    # Class by class, undecided cases stand in two columns of their own.
    counts = np.array(view["confusion"])
    for c in range(4):
        of_class = cases.true == c
        for d in range(4):
            assert counts[c, d] == (of_class & ~undecided & (cases.predicted == d)).sum()
        assert counts[c, 4] == (of_class & undecided & contains).sum()
        assert counts[c].sum() == of_class.sum()
    # The bins are those of the experiment.
    sums = reliability_sums(cases.probability, correct)
    expected = [(p / n, right / n, n) for n, p, right in sums.tolist() if n]
    np.testing.assert_allclose([point[:3] for point in view["reliability"]["points"]], expected)
    # Half of the cases set aside: the most probable half is left.
    kept = np.argsort(-cases.probability)[:100]
    assert view["aside"]["lines"]["probability"][-1] == pytest.approx((0.5, correct[kept].mean()))
    assert ("robustness" in view["aside"]["lines"]) == (key == "lp-aode*")


def test_a_close_call_is_not_told_from_the_threshold_by_rounding(evaluation):
    cases = evaluation.cases["random-forest"]
    threshold = float(cases.probability[3])
    assert not cases.close_calls(threshold)[3]
    assert cases.close_calls(threshold + 1e-6)[3]


def test_a_case_shows_its_set_its_bounds_and_its_reasons(evaluation, data):
    views = {one["key"]: one for one in data["views"]}
    cases = evaluation.cases["lp-aode*"]
    assert len(views["lp-aode*"]["cases"]) == 200
    assert len(views["ncc"]["cases"]) == 100
    for case in views["lp-aode*"]["cases"]:
        r = case["number"] - 1
        assert case["ids"] == [(HOSTILE, f"</script>{r}"), ("ward", "A")]
        assert case["set"] == [str(label) for label in CLASSES[cases.sets[r]]]
        assert case["kind"] == ("undecided" if cases.undecided[r] else case["kind"])
        proba = [probability for _, _, probability, _, _ in case["bounds"]]
        assert proba == sorted(proba, reverse=True)
        for _, _, probability, lower, upper in case["bounds"]:
            assert lower <= probability <= upper
        reason = cases.details[r]["reason"]
        assert [name for name, *_ in case["reason"]["factors"]] == ["class frequencies", *FEATURES]
        assert max(abs(part) for *_, part in case["reason"]["factors"]) == 1.0
        product = float(case["reason"]["product"].removeprefix("×").replace(",", ""))
        assert product == pytest.approx(reason["odds"], rel=0.06)
        assert [feature for feature, *_ in case["changes"]] == ["age", HOSTILE]
    # The others show probabilities alone.
    assert all(case["reason"] is None and not case["has_bounds"] for case in views["ncc"]["cases"])


def test_a_case_of_models_shows_their_votes():
    (view,) = page_data(made_up(60, 20, names=("bma-aode*",)))["views"]
    for case in view["cases"]:
        # The model without weight is named, not heard.
        assert [name for name, *_ in case["reason"]["voices"]] == FEATURES[:2]
        assert case["reason"]["left_out"] == ["__proto__"]


def test_the_least_certain_cases_come_first_and_undecided_ones_before_all():
    first = np.array([0.9, 0.5, 0.8, 0.6])
    proba, undecided = np.stack([first, 1 - first], axis=1), np.array([True, False, False, True])

    def ordered(undecided, robustness):
        sets = np.stack([np.ones(4, bool), undecided], axis=1)
        return least_certain(Cases(np.zeros(4, int), proba, sets, np.array(robustness), {}), 4).tolist()

    assert ordered(undecided, [np.nan] * 4)[:3] == [3, 0, 1]
    assert ordered(~undecided, [0.1, 0.9, 0.2, 0.3])[:2] == [1, 2]


def test_rows_keep_the_numbers_of_the_file(evaluation):
    found = page_data(evaluation, numbers=np.arange(1000, 1200))
    assert {case["number"] for case in found["views"][0]["cases"]} <= set(range(1000, 1200))
    with pytest.raises(ValueError, match=r"numbers.*200"):
        page_data(evaluation, numbers=np.arange(3))


def lead_of(tmp_path, features, target, **options):
    """Return the data of a page and how it begins, about a classifier in five folds."""
    made = make_classifiers(["lp-aode*", "null"], n_regions=2)
    found = evaluate_table(made, features, target, folds=5, **options)
    page = write_evaluation(tmp_path / "p.html", found, title="t").read_text(encoding="utf-8")
    return page_data(found), " ".join(page.partition("<header>")[2].partition("</header>")[0].split())


def test_noise_is_no_better_than_the_most_frequent_class(tmp_path):
    rng = np.random.default_rng(0)
    features = pd.DataFrame({f"x{j}": rng.normal(size=200) for j in range(4)})
    data, lead = lead_of(tmp_path, features, np.where(rng.random(200) < 0.3, "ill", "well"))
    assert data["views"][0]["against_null"] == (False, False)
    assert "No better than always saying “well”" in lead


def test_probabilities_that_tell_cases_apart_count_without_accuracy(tmp_path):
    """One in twelve is ill, at most one in three of any kind: the most frequent class is always right."""
    rng = np.random.default_rng(1)
    risk = rng.integers(0, 4, 1200)
    target = np.where(rng.random(1200) < np.array([0.0, 0.0, 0.0, 0.33])[risk], "ill", "well")
    features = pd.DataFrame({"risk": risk.astype(str), "noise": rng.normal(size=1200)})
    data, lead = lead_of(tmp_path, features, target)
    view = next(one for one in data["views"] if one["key"] == "lp-aode*")
    assert view["against_null"] == (True, False)
    assert view["auc"] > 0.85
    assert "Not clearly more accurate than always saying “well”" in lead
    assert "tell cases apart" in lead
    # The rare class is pointed out, with its share.
    assert f"only {100 * (target == 'ill').mean() + 1e-9:.1f} % of the cases are “ill”" in lead


def test_what_is_clearly_better_is_said_to_be(tmp_path):
    iris = load_dataset("iris")
    data, lead = lead_of(tmp_path, iris.features, iris.target.to_numpy())
    assert data["views"][0]["against_null"] == (True, True)
    assert "Clearly better than always saying" in lead
    assert "imbalanced" not in lead


@pytest.mark.parametrize("name", ["breast_cancer", "wine", "balance_scale"])
def test_scikit_learn_finds_the_same_numbers(tmp_path, name):
    found = load_dataset(name)
    rows = np.random.default_rng(0).permutation(len(found.target))[:150]
    features = found.features.iloc[rows].reset_index(drop=True)
    target, clf = found.target.to_numpy().astype(str)[rows], CredalLogPoolAODE(n_regions=2)
    evaluation = evaluate_table({"lp-aode*": clf}, features, target, folds=3, explain=True)
    (view,) = page_data(evaluation)["views"]
    folds, classes = splits(target, folds=3, run=0, seed=0), np.unique(target)
    proba = cross_val_predict(clf, features, target, cv=folds, method="predict_proba")
    predicted = classes[proba.argmax(axis=1)]
    assert view["accuracy"] == pytest.approx(metrics.accuracy_score(target, predicted))
    assert view["balanced_accuracy"] == pytest.approx(metrics.balanced_accuracy_score(target, predicted))
    assert view["log_loss"] == pytest.approx(metrics.log_loss(target, proba, labels=classes))
    counts = {key: np.array(values) for key, values in view["by_class"].items()}
    recall = metrics.recall_score(target, predicted, average=None)
    precision = metrics.precision_score(target, predicted, average=None, zero_division=0)
    np.testing.assert_allclose(counts["right"] / counts["cases"], recall)
    np.testing.assert_allclose(counts["right"] / np.maximum(counts["named"], 1), precision)
    if len(classes) == 2:
        assert view["auc"] == pytest.approx(metrics.roc_auc_score(target == classes[1], proba[:, 1]))
        false, true, _ = metrics.roc_curve(target == classes[1], proba[:, 1])
        assert view["roc"]["points"] == list(zip(false, true, strict=True))
        assert metrics.auc(*zip(*view["roc"]["points"], strict=True)) == pytest.approx(view["auc"])
    else:
        assert np.isnan(view["auc"])
        assert view["roc"] is None
    # Mean absolute contributions, of the models of the folds.
    sums = pd.Series(0.0, index=features.columns)
    for train, test in folds:
        for _, case in clf.fit(features.iloc[train], target[train]).explain(features.iloc[test]).iterrows():
            sums[case["features"]] += np.abs(case["contributions"])
    shown = evaluation.cases["lp-aode*"].importance
    np.testing.assert_allclose([shown.get(column, 0.0) for column in features], sums)
    first = sums.sort_values(ascending=False).index[: len(view["importance"])]
    assert [feature for feature, *_ in view["importance"]] == list(first)
    # Two probabilities are shown as numbers that sum to 1.
    page = write_evaluation(tmp_path / "p.html", evaluation, title="t").read_text(encoding="utf-8")
    bounds = page.partition('id="cases"')[2].split("<tbody>")[1::2]
    for part in bounds if len(classes) == 2 else []:
        cells = [
            line.split('<td class="number">')[1][:5] for line in part.split("</tbody>")[0].split("<tr ")[1:]
        ]
        assert sum(int(cell.replace(".", "")) for cell in cells) == 1000 or len(cells) < 2


def two_classes(n, n_right, proba=0.8):
    """Return an evaluation of two classes whose first cases are right, in five folds."""
    true, right = np.arange(n) % 2, np.arange(n) < n_right
    rows = np.full((n, 2), 1.0 - proba)
    rows[np.arange(n), np.where(right, true, 1 - true)] = proba
    cases = Cases(true, rows, rows > 0.5, np.full(n, np.nan), {})
    parts = np.array_split(np.random.default_rng(0).permutation(n), 5)
    sums = [fold_sums(true[part], rows[part], rows[part] > 0.5, np.arange(2)) for part in parts]
    return Evaluation(np.array(["a", "b"]), 5, {"ncc": sums}, {"ncc": cases})


def test_a_share_is_rounded_once_and_as_one_does_by_hand(tmp_path):
    page = write_evaluation(tmp_path / "p.html", two_classes(2000, 1587), title="t").read_text(
        encoding="utf-8"
    )
    assert "is right in 79.4\xa0% of 2000 cases" in page


def test_a_probability_below_one_half_is_a_close_call_whatever_the_threshold():
    evaluation = made_up()
    (view,) = (one for one in page_data(evaluation, close_call=0.0)["views"] if one["key"] == "lp-aode*")
    cases = evaluation.cases["lp-aode*"]
    assert view["close"]["n"] == (~cases.undecided & (cases.probability < 0.5)).sum() > 0


def test_no_point_of_a_figure_is_cut(tmp_path):
    # Of the answers given 80 %, one in twenty is right.
    page = write_evaluation(tmp_path / "p.html", two_classes(100, 5), title="t").read_text(encoding="utf-8")
    heights = [float(y) for y in re.findall(r'(?:cy|y1|y2)="([0-9.-]+)"', page)]
    assert all(14 <= y <= 270 for y in heights)
    (point,) = re.findall(r'cy="([0-9.]+)"', page)
    # One tenth of the axis is 25.6 pixels.
    assert float(point) == pytest.approx(270 - 256 * 0.05, abs=0.1)


def test_a_class_with_fewer_cases_than_folds_gets_a_note(tmp_path):
    evaluation = made_up(60, 30)
    few = Evaluation(evaluation.classes, 40, evaluation.sums, evaluation.cases)
    for one, expected in ((evaluation, False), (few, True)):
        page = write_evaluation(tmp_path / "p.html", one, title="t").read_text(encoding="utf-8")
        assert ("Fewer cases than the 40 folds: “" in page) == expected


def test_a_set_is_what_cannot_be_ruled_out_and_has_a_probability(tmp_path):
    page, evaluation = page_of(tmp_path)
    texts = Elements()
    texts.feed(page)
    words = " ".join(" ".join(texts.texts).split())
    assert not re.search("excluded|remains", words)
    assert "cannot be ruled out" in words
    assert "cannot be the most probable" in words
    cases = evaluation.cases["lp-aode*"]
    together = (cases.proba * cases.sets).sum(axis=1)
    for r in np.flatnonzero(cases.undecided)[:5]:
        share = f"{100 * together[r]:.1f}\xa0%"
        assert f"together have a probability of {share}" in page
        assert f'<span data-value="{together[r]}">{share}' in page
    assert "undecided ones first, then those with the lowest probability or robustness" in words


class Elements(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.texts, self.values = [], [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.values += [value for _, value in attributes]

    def handle_data(self, text):
        self.texts.append(text)


def page_of(tmp_path, **options):
    evaluation = made_up(60, 30)
    written = write_evaluation(
        tmp_path / "page.html",
        evaluation,
        title=HOSTILE,
        ids=made_up_ids(60),
        columns=[(HOSTILE, "a", "<b>", "p = 5 %")],
        messages=[HOSTILE, "100 % of p = \ud800"],
        facts={HOSTILE: HOSTILE},
        **options,
    )
    return written.read_text(encoding="utf-8"), evaluation


def test_names_and_cells_stay_text(tmp_path):
    page, evaluation = page_of(tmp_path)
    elements = Elements()
    elements.feed(page)
    assert elements.tags.count("script") == 1
    assert elements.tags.count("h1") == 1
    assert not [value for value in elements.values if value and "alert" in value]
    assert page.count("<script>") == 1
    assert page.count("</script>") == 1
    texts = [text.strip() for text in elements.texts]
    assert {HOSTILE, *map(str, CLASSES), "p = 5 %", "100 % of p = ?"} <= set(texts)
    # The ranking is that of the function.
    names = re.findall(r'data-line="([^"]+)"', page)
    assert names == [row["classifier"] for row in ranking(evaluation)]
    assert "against the best" in page


def test_each_class_shows_how_its_cases_were_answered(tmp_path):
    page, evaluation = page_of(tmp_path)
    cases = evaluation.cases["lp-aode*"]
    section = page[page.index('id="classes"') :]
    part = section[section.index('data-view="lp-aode*"') :].split("</table>")[0]
    lines = [re.findall(r'<td class="number">(.*?)</td>', line) for line in part.split("<tr>")[2:]]
    assert len(lines) == 4
    for c, cells in enumerate(lines):
        of_class, named = cases.true == c, cases.predicted == c
        shares = [named[of_class].mean(), of_class[named].mean(), (named & ~cases.undecided)[of_class].mean()]
        shares += [cases.sets[of_class, c].mean(), cases.undecided[of_class].mean()]
        assert cells == [str(of_class.sum()), *(f"{100 * share + 1e-9:.1f}\xa0%" for share in shares)]


def test_nothing_is_fetched_and_one_script_is_allowed(tmp_path):
    page, _ = page_of(tmp_path)
    script = re.search(r"<script>(.*?)</script>", page, flags=re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{digest}'" in (
        page.replace("&#39;", "'").replace("&#43;", "+")
    )
    assert not re.search(r'(src|href)="(?!#|data:,)', page)
