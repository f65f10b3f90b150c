"""What the page shows, as data and as HTML."""

import base64
import hashlib
import html
import re

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
from skcredal.evaluation._fold import splits
from skcredal.evaluation._page import page_data
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
    counts, by_class = np.array(view["confusion"]), view["by_class"]
    for c in range(4):
        of_class, named = cases.true == c, cases.predicted == c
        for d in range(4):
            assert counts[c, d] == (of_class & ~undecided & (cases.predicted == d)).sum()
        assert counts[c, 4] == (of_class & undecided & contains).sum()
        assert counts[c].sum() == by_class["cases"][c] == of_class.sum()
        assert by_class["decided"][c] == (of_class & named & ~undecided).sum()
        assert by_class["contains"][c] == cases.sets[of_class, c].sum()
        assert by_class["undecided"][c] == (of_class & undecided).sum()
    # The bins are those of the experiment.
    sums = reliability_sums(cases.probability, correct)
    expected = [(p / n, right / n, n) for n, p, right in sums.tolist() if n]
    np.testing.assert_allclose([point[:3] for point in view["reliability"]["points"]], expected)
    # Half of the cases set aside: the most probable half is left.
    kept = np.argsort(-cases.probability)[:100]
    assert view["aside"]["lines"]["probability"][-1] == pytest.approx((0.5, correct[kept].mean()))
    assert ("robustness" in view["aside"]["lines"]) == (key == "lp-aode*")


def test_a_case_shows_its_set_its_bounds_and_its_reasons(evaluation, data):
    views = {one["key"]: one for one in data["views"]}
    cases = evaluation.cases["lp-aode*"]
    assert [len(views[name]["cases"]) for name in ("lp-aode*", "ncc")] == [200, 100]
    for case in views["lp-aode*"]["cases"]:
        r = case["number"] - 1
        assert case["ids"] == [(HOSTILE, f"</script>{r}"), ("ward", "A")]
        assert case["set"] == [str(label) for label in CLASSES[cases.sets[r]]]
        assert (case["kind"] == "undecided") == cases.undecided[r]
        proba = [probability for _, _, probability, _, _ in case["bounds"]]
        assert proba == sorted(proba, reverse=True)
        assert all(lower <= probability <= upper for _, _, probability, lower, upper in case["bounds"])
        assert [name for name, *_ in case["reason"]["factors"]] == ["class frequencies", *FEATURES]
        product = float(case["reason"]["product"].removeprefix("×").replace(",", ""))
        assert product == pytest.approx(cases.details[r]["reason"]["odds"], rel=0.06)
        assert [feature for feature, *_ in case["changes"]] == ["age", HOSTILE]
    # The others show probabilities alone.
    assert all(case["reason"] is None and not case["has_bounds"] for case in views["ncc"]["cases"])
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


def written(tmp_path, evaluation, **options):
    path = write_evaluation(tmp_path / "p.html", evaluation, **{"title": "t", **options})
    return path.read_text(encoding="utf-8")


def of_noise(rng):
    features = pd.DataFrame({f"x{j}": rng.normal(size=200) for j in range(4)})
    return features, np.where(rng.random(200) < 0.3, "ill", "well")


def of_a_rare_class(rng):
    """One in twelve is ill, at most one in three of any kind: the most frequent class is always right."""
    risk = rng.integers(0, 4, 1200)
    target = np.where(rng.random(1200) < np.array([0.0, 0.0, 0.0, 0.33])[risk], "ill", "well")
    return pd.DataFrame({"risk": risk.astype(str), "noise": rng.normal(size=1200)}), target


@pytest.mark.parametrize(
    ("make", "better", "words"),
    [
        (of_noise, (False, False), ["No better than always saying “well”"]),
        (of_a_rare_class, (True, False), ["Not clearly more accurate than", "tell cases apart", "are “ill”"]),
    ],
)
def test_the_page_begins_with_what_the_classifier_is_worth(tmp_path, make, better, words):
    features, target = make(np.random.default_rng(1))
    made = make_classifiers(["lp-aode*", "null"], n_regions=2)
    found = evaluate_table(made, features, target, folds=5)
    assert {one["key"]: one for one in page_data(found)["views"]}["lp-aode*"]["against_null"] == better
    lead = " ".join(written(tmp_path, found).partition("<header>")[2].partition("</header>")[0].split())
    assert all(one in lead for one in words)
    # The rare class is pointed out, with its share.
    rare = f"only {100 * (target == 'ill').mean() + 1e-9:.1f} % of the cases are “ill”"
    assert (rare in lead) == (make is of_a_rare_class)


@pytest.mark.parametrize("name", ["breast_cancer", "balance_scale"])
def test_scikit_learn_finds_the_same_numbers(name):
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
    if len(classes) == 2:
        assert view["auc"] == pytest.approx(metrics.roc_auc_score(target == classes[1], proba[:, 1]))
    else:
        assert np.isnan(view["auc"])
    # Mean absolute contributions, of the models of the folds.
    sums = pd.Series(0.0, index=features.columns)
    for train, test in folds:
        for _, case in clf.fit(features.iloc[train], target[train]).explain(features.iloc[test]).iterrows():
            sums[case["features"]] += np.abs(case["contributions"])
    shown = evaluation.cases["lp-aode*"].importance
    np.testing.assert_allclose([shown.get(column, 0.0) for column in features], sums)


def test_names_stay_text_and_nothing_is_fetched(tmp_path):
    evaluation, hostile = made_up(60, 30), {"title": HOSTILE, "facts": {HOSTILE: HOSTILE}}
    hostile |= {"ids": made_up_ids(60), "columns": [(HOSTILE, "a", "<b>", "p = 5 %")]}
    page = written(tmp_path, evaluation, messages=[HOSTILE, "100 % of p = \ud800"], **hostile)
    assert page.count("<script") == page.count("</script") == 1
    assert "<b>x" not in page
    assert '"quoted"' not in page
    words = html.unescape(page)
    assert all(one in words for one in (HOSTILE, *CLASSES, "p = 5 %", "100 % of p = ?"))
    # One script is allowed.
    script = re.search(r"<script>(.*?)</script>", page, flags=re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert (
        f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{digest}'" in words
    )
    assert not re.search(r'(src|href)="(?!#|data:,)', page)
    # The ranking is that of the function.
    assert re.findall(r'data-line="([^"]+)"', page) == [row["classifier"] for row in ranking(evaluation)]


def test_a_set_is_what_cannot_be_ruled_out_and_has_a_probability(tmp_path):
    evaluation = made_up(60, 30)
    page = write_evaluation(tmp_path / "p.html", evaluation, title="t").read_text(encoding="utf-8")
    words = " ".join(re.sub("<[^>]*>", " ", page.partition("<body>")[2].partition("<script>")[0]).split())
    assert not re.search("excluded|remains", words)
    assert "cannot be ruled out" in words
    assert "cannot be the most probable" in words
    cases = evaluation.cases["lp-aode*"]
    together = (cases.proba * cases.sets).sum(axis=1)
    for r in np.flatnonzero(cases.undecided)[:5]:
        share = f"{100 * together[r] + 1e-9:.1f}\xa0%"
        assert f"together have a probability of {share}" in page
        assert f'<span data-value="{together[r]}">{share}' in page


def test_a_notebook_shows_the_page_in_a_frame_or_says_how_large_it_is(tmp_path):
    small = made_up(20, 5)
    shown = small._repr_html_()
    assert shown.startswith("<iframe srcdoc=")
    assert 'sandbox="allow-scripts"' in shown
    page = html.unescape(re.search('srcdoc="([^"]*)"', shown)[1])
    written = write_evaluation(tmp_path / "page.html", small, title="20 cases").read_text(encoding="utf-8")
    body = slice(page.index("<body>"), None)
    assert page[body] == written[written.index("<body>") :]
    large = made_up(400, 300)
    size = len(write_evaluation(tmp_path / "page.html", large, title="400 cases").read_bytes())
    assert size > 2_000_000
    assert re.fullmatch(rf"<p>.* {size / 1e6:.1f} MB.*write_evaluation.*</p>", large._repr_html_())
    assert len(repr(large)) < 300
