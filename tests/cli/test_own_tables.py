"""fit, predict, explain, evaluate and datasets, as someone with a table and no notebook calls them."""

import contextlib
import html
import importlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import unicodedata
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from typer.testing import CliRunner

import skcredal
from flips import scores_under_prior
from skcredal import CredalCompAODE, CredalLogPoolAODE, LogPoolAODE
from skcredal._cli.app import app
from skcredal.datasets import list_datasets, load_dataset
from skcredal.evaluation._classifiers import CLASSIFIERS, is_credal, make_classifiers
from skcredal.evaluation._cross_validation import evaluate_table
from skcredal.evaluation._names import COMPARED


def patients(n=60, seed=0):
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 90, n)
    smoker = rng.choice(["yes", "no"], n)
    pain = rng.choice(["none", "mild", "strong"], n)
    ill = (age / 90 + (smoker == "yes") * 0.4 + (pain == "strong") * 0.4 + rng.normal(0, 0.2, n)) > 0.9
    return pd.DataFrame(
        {"age": age.astype(float), "smoker": smoker, "pain": pain, "outcome": np.where(ill, "ill", "well")}
    )


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runner = CliRunner()
    return lambda *arguments, **options: runner.invoke(app, list(map(str, arguments)), **options)


@pytest.fixture
def table(tmp_path):
    frame = patients()
    frame.to_csv(tmp_path / "patients.csv", index=False)
    return frame


@pytest.fixture(scope="module")
def fitted_once(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fitted")
    patients().to_csv(folder / "patients.csv", index=False)
    call = ["fit", str(folder / "patients.csv"), "--target", "outcome", "-o", str(folder / "m.skcredal")]
    result = CliRunner().invoke(app, call)
    assert result.exit_code == 0, result.output
    assert result.stdout == ""
    return folder / "m.skcredal"


@pytest.fixture
def model(run, table, fitted_once, tmp_path):
    return Path(shutil.copy(fitted_once, tmp_path))


def one_line(result):
    """Return the only line of standard error."""
    (line,) = result.stderr.splitlines()
    assert "Traceback" not in line
    return line


def test_predictions_are_those_of_the_library(run, table, model):
    result = run("predict", "m.skcredal", "patients.csv")
    assert result.exit_code == 0, result.output
    assert one_line(result).startswith("Note: Of 60 rows, ")
    found = pd.read_csv(io.StringIO(result.stdout), keep_default_na=False)
    features = table.drop(columns="outcome")
    clf = CredalLogPoolAODE().fit(features, table["outcome"])
    assert found.columns.tolist() == [
        "predicted",
        "probability_ill",
        "probability_well",
        "set",
        "set_size",
        "lower_ill",
        "lower_well",
        "upper_ill",
        "upper_well",
        "robustness",
    ]
    assert found["predicted"].tolist() == clf.predict(features).tolist()
    np.testing.assert_allclose(
        found[["probability_ill", "probability_well"]], clf.predict_proba(features), rtol=1e-5
    )
    sets = [set(text.split("|")) for text in found["set"]]
    assert sets == [set(clf.classes_[mask]) for mask in clf.predict_set(features)]
    np.testing.assert_allclose(found["robustness"], clf.robustness(features), rtol=1e-5)
    assert found["set_size"].tolist() == [len(labels) for labels in sets]
    bounds = found.iloc[:, 5:9].to_numpy().reshape(len(found), 2, 2).swapaxes(1, 2)
    np.testing.assert_allclose(bounds, clf.predict_interval(features), rtol=1e-5)


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_every_classifier_is_learned_and_asked(run, table, name):
    written = run("fit", "patients.csv", "--target", "outcome", "--classifier", name, "-o", "m")
    assert written.exit_code == 0, written.output
    result = run("predict", "m", "patients.csv", "-o", "answers.csv")
    assert result.exit_code == 0, result.output
    assert result.stdout == ""
    found = pd.read_csv("answers.csv")
    assert len(found) == len(table)
    assert "probability_ill" in found
    assert ("set" in found) == ("lower_ill" in found) == is_credal(name)
    explained = run("explain", "m", "patients.csv", "--row", "1")
    if name.endswith("aode*"):
        assert explained.exit_code == 0
        assert explained.stdout.startswith("Row 1: ")
    else:
        assert explained.exit_code == 2
        kind = type(CLASSIFIERS[name]()).__name__
        message = f"{kind} cannot explain its answers; lp-aode*, comp-aode* and bma-aode* can."
        assert one_line(explained) == f"Error: {message}"


def test_star_may_be_spelled_out(run, table):
    call = ("fit", "patients.csv", "--target", "outcome", "--classifier")
    assert "CredalBmaAODE" in run(*call, "bma-aode-star", "-o", "m").stderr


def test_rows_can_come_and_go_by_pipes(run, table, model):
    content = (model.parent / "patients.csv").read_bytes()
    result = run("predict", "m.skcredal", "-", "-o", "-", input=content)
    assert result.exit_code == 0, result.output
    assert result.stdout == run("predict", "m.skcredal", "patients.csv").stdout
    fitted = run("fit", "-", "--target", "outcome", "-o", "again", input=content)
    assert fitted.exit_code == 0, fitted.output


@pytest.mark.parametrize("classifier", ["comp-aode*", "naive-bayes"])
@pytest.mark.parametrize("target", ["outcome", "number"])
def test_a_table_without_rows_is_answered_by_one(run, table, tmp_path, classifier, target):
    """A step of a pipeline that had nothing to do on a day is no failure, and types stay what they are."""
    pq = pytest.importorskip("pyarrow.parquet")
    table = table.assign(number=(table["outcome"] == "ill").astype(int))
    table.to_csv("patients.csv", index=False)
    drop = "number" if target == "outcome" else "outcome"
    fit = ("fit", "patients.csv", "--target", target, "--drop", drop, "--classifier", classifier, "-o", "m")
    assert run(*fit).exit_code == 0
    table[:0].to_csv("none.csv", index=False)
    table[:0].to_parquet("none.parquet")
    header = run("predict", "m", "patients.csv").stdout.splitlines()[0] + "\n"
    for source in ("none.csv", "none.parquet"):
        result = run("predict", "m", source)
        assert (result.exit_code, result.stdout) == (0, header)
        assert one_line(result) == f"Note: {source} has no rows, so the output has none either."
    for source in ("none.csv", "none.parquet"):
        result = run("predict", "m", "-", "-o", "-", input=(tmp_path / source).read_bytes())
        assert (result.exit_code, result.stdout) == (0, header)
        assert "Standard input has no rows" in one_line(result)
    assert run("predict", "m", "none.csv", "-o", "none.answers.parquet").exit_code == 0
    assert run("predict", "m", "patients.csv", "-o", "answers.parquet").exit_code == 0
    empty, full = pq.read_table("none.answers.parquet"), pq.read_table("answers.parquet")
    assert empty.num_rows == 0
    assert empty.schema.names == full.schema.names
    # The two kinds of strings that Arrow has are read alike.
    assert [str(kind).replace("large_", "").replace("element", "item") for kind in empty.schema.types] == [
        str(kind).replace("large_", "").replace("element", "item") for kind in full.schema.types
    ]


def test_what_is_not_even_a_header_and_what_needs_rows_is_refused(run, table, model):
    Path("nothing.csv").write_text("")
    table[:0].to_csv("none.csv", index=False)
    for call in (
        ("predict", "m.skcredal", "nothing.csv"),
        ("explain", "m.skcredal", "none.csv", "--row", "1"),
        ("fit", "none.csv", "--target", "outcome", "-o", "n"),
        ("evaluate", "none.csv", "--target", "outcome"),
    ):
        result = run(*call)
        assert result.exit_code == 1, call
        assert re.search(r"\.csv (has no rows|is empty)", one_line(result))
    table[:0].drop(columns="age").to_csv("none.csv", index=False)
    result = run("predict", "m.skcredal", "none.csv")
    assert result.exit_code == 1
    assert "none.csv lacks a column that the model was fitted to: age." in one_line(result)


def test_columns_may_stand_in_any_order_with_others(run, table, model):
    strange = table[["pain", "age", "outcome", "smoker"]].assign(note="x, y")
    strange.to_csv("strange.csv", index=False)
    expected = run("predict", "m.skcredal", "patients.csv").stdout
    assert run("predict", "m.skcredal", "strange.csv").stdout == expected


def test_a_missing_column_is_named(run, table, model):
    table.drop(columns=["age", "pain"]).to_csv("short.csv", index=False)
    result = run("predict", "m.skcredal", "short.csv")
    assert result.exit_code == 1
    assert one_line(result).endswith("short.csv lacks 2 columns that the model was fitted to: age, pain.")


def test_text_that_looks_like_numbers_stays_what_was_learned(run, table):
    table["grade"] = np.where(np.arange(60) % 3 == 0, "high", (np.arange(60) % 3).astype(str))
    table.to_csv("graded.csv", index=False)
    run("fit", "graded.csv", "--target", "outcome", "-o", "m")
    whole = run("predict", "m", "graded.csv").stdout.splitlines()
    rows = [r for r in range(60) if table["grade"][r] != "high"]
    table.iloc[rows].to_csv("only_numbers.csv", index=False)
    part = run("predict", "m", "only_numbers.csv")
    assert one_line(part).startswith("Note: Of 40 rows, ")
    assert part.stdout.splitlines()[1:] == [whole[1 + r] for r in rows]


def test_a_word_among_numbers_is_refused_with_its_row(run, table, model):
    table["age"] = table["age"].astype(object)
    table.loc[28, "age"] = "k.A."
    table.to_csv("words.csv", index=False)
    refused = run("predict", "m.skcredal", "words.csv")
    assert refused.exit_code == 1
    *_, last = refused.stderr.splitlines()
    assert "Column 'age' was numeric during fit, but row 29 of words.csv contains 'k.A.'" in last
    assert run("predict", "m.skcredal", "words.csv", "--missing", "k.A.").exit_code == 0


def test_a_model_of_parquet_reads_csv(run, table):
    pytest.importorskip("pyarrow")
    typed = table.assign(smoker=table["smoker"] == "yes", pain=table["pain"].astype("category"))
    typed.to_parquet("typed.parquet")
    typed.to_csv("typed.csv", index=False)
    run("fit", "typed.parquet", "--target", "outcome", "-o", "m")
    of_parquet, of_csv = run("predict", "m", "typed.parquet"), run("predict", "m", "typed.csv")
    assert of_parquet.exit_code == of_csv.exit_code == 0, of_csv.output
    assert of_parquet.stdout == of_csv.stdout
    assert one_line(of_csv).startswith("Note: Of 60 rows, ")
    run("predict", "m", "typed.csv", "-o", "answers.parquet")
    answers = pd.read_parquet("answers.parquet")
    assert set(answers["set"][0]) <= {"ill", "well"}


def test_explanations_tell_the_set_the_bounds_the_votes_and_the_prior(run, table):
    run("fit", "patients.csv", "--target", "outcome", "--classifier", "comp-aode*", "-o", "m")
    sets = CredalCompAODE().fit(table.drop(columns="outcome"), table["outcome"])
    features = table.drop(columns="outcome")
    result = run("explain", "m", "patients.csv", "--row", 3, "--row", 1)
    assert result.exit_code == 0, result.output
    sentence = sets.explain(features.iloc[[2]])["sentence"][0]
    assert f"Row 3: {sentence}" in unwrapped(result.stdout)
    low, high = sets.predict_interval(features.iloc[[2]])[0, 0]
    (ill,) = (
        line.split() for line in result.stdout.partition("Row 1")[0].splitlines() if line.startswith("  ill ")
    )
    assert [ill[2], ill[4]] == [f"{low:.3f}", f"{high:.3f}"]
    for expected in ("Row 1: ", "Robustness", "super-parent", "prior", "smoker"):
        assert expected in result.stdout


def unwrapped(text):
    return " ".join(text.split())


def factors_of(text):
    """Return the printed name, factor and bar of each line of the table of features."""
    lines = text.partition("  feature ")[2].splitlines()[1:]
    found = [re.fullmatch(r"  (.+?)  .*(×\S+)  (.*)", line).groups() for line in lines if line]
    powers = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
    numbers = [
        10.0 ** int(factor[3:].translate(powers))
        if factor[-1] in "⁰¹²³⁴⁵⁶⁷⁸⁹"
        else float(factor[1:].replace(",", ""))
        for _, factor, _ in found
    ]
    return [(name, number, rest) for (name, _, rest), number in zip(found, numbers, strict=True)]


def test_explanations_of_a_pool_tell_what_each_feature_multiplies_the_odds_by(run):
    patients(25).to_csv("few.csv", index=False)
    table = patients(seed=1)
    table.loc[0, "age"] = None
    table.loc[1, "smoker"] = "pipe"
    table.to_csv("t.csv", index=False)
    assert run("fit", "few.csv", "--target", "outcome", "-o", "m").exit_code == 0
    clf, features = skcredal.load("m"), table.drop(columns="outcome")
    explained, bounds = clf.explain(features), clf.predict_interval(features)
    assert set(explained["set_size"]) == {1, 2}
    result = run("explain", "m", "t.csv", *(part for r in range(60) for part in ("--row", r + 1)))
    assert result.exit_code == 0, result.output
    assert "super-parent" not in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80
    for r, text in enumerate(result.stdout.split("\n\nRow ")):
        case = explained.loc[r]
        answer, rival = case["predicted"], case["rival"]
        assert f"{r + 1}: {case['sentence']}" in unwrapped(text)
        (line,) = (line.split() for line in text.splitlines() if line.startswith(f"  {answer} "))
        low, high = bounds[r, list(clf.classes_).index(answer)]
        assert [line[2], line[4]] == [f"{low:.3f}", f"{high:.3f}"]
        up_to = f"{answer} beats every other class up to a credibility of {case['robustness']:.3f}; the set"
        if case["robustness"] < 0.9995:
            assert up_to in unwrapped(text)
        assert f"What each feature multiplies the odds of {answer} over {rival} by:" in unwrapped(text)
        printed = factors_of(text)
        assert [name for name, *_ in printed] == ["class frequencies", *case["features"], "product"]
        logs = [case["frequencies"], *case["contributions"]]
        expected = np.exp([*logs, sum(logs)])
        np.testing.assert_allclose([factor for _, factor, _ in printed], expected, rtol=0.06)
        for (_, _, bar), log in zip(printed, logs, strict=False):
            against, for_answer = bar[1:-1].split("|")
            assert (len(against), len(for_answer)) == (7, 7)
            length = round(7 * abs(log) / max(map(abs, logs)))
            assert (against.strip(), for_answer.strip()) == (
                ("-" * length, "") if log < 0 else ("", "+" * length)
            )
        assert np.exp(sum(logs)) == pytest.approx(case["odds"])
        assert re.fullmatch(r"= odds of \S+ to 1", printed[-1][2])
    first, second = result.stdout.split("\n\nRow ")[:2]
    assert re.search(r"\n  age +missing, read as \d+ +×", first)
    # An unknown value goes down the trees as the most frequent one, and tells nothing else.
    assert re.search(r"\n  smoker +pipe +×", second)


def test_of_many_features_the_strongest_are_told_and_the_others_together(run):
    rng = np.random.default_rng(0)
    y = rng.choice(["no", "yes"], 80)
    names = [f"a measurement with a long name, number {j:02}" for j in range(27)]
    shift = (y == "yes")[:, None] * np.linspace(0.5, 0.0, 27)
    table = pd.DataFrame(rng.normal(size=(80, 27)) + shift, columns=names).assign(y=y)
    table["words\nin two lines, and very many of them"] = rng.choice(["x" * 40, "y" * 40], 80)
    table.to_csv("t.csv", index=False)
    run("fit", "t.csv", "--target", "y", "-o", "m")
    result = run("explain", "m", "t.csv", "--row", 1)
    assert result.exit_code == 0, result.output
    assert max(map(len, result.stdout.splitlines())) <= 80
    case = skcredal.load("m").explain(table[:1].drop(columns="y")).loc[0]
    printed = factors_of(result.stdout)
    assert len(printed) == 1 + 20 + 2
    assert printed[-2][0] == f"{len(case['features']) - 20} more together"
    weakest = sorted(case["contributions"], key=abs)[:-20]
    assert printed[-2][1] == pytest.approx(np.exp(sum(weakest)), rel=0.06)
    assert printed[1][0].startswith("a measurem…")


def test_a_pool_of_a_table_without_names_explains_its_columns_by_number(run, table):
    numbers = np.random.default_rng(0).normal(size=(60, 2)) + (table["outcome"] == "ill").to_numpy()[:, None]
    skcredal.save(CredalLogPoolAODE().fit(numbers, table["outcome"]), "m")
    pd.DataFrame(numbers, columns=["a", "b"]).to_csv("t.csv", index=False)
    result = run("explain", "m", "t.csv", "--row", 7)
    assert result.exit_code == 0, result.output
    assert re.search(rf"\n  feature 1 +{numbers[6, 1]:.6g}, .+ ×", result.stdout)


def test_nothing_known_is_explained_by_the_frequencies_alone(run, table):
    table = pd.DataFrame({"x": ["a"] * 6, "y": ["ill"] * 4 + ["well"] * 2})
    table.to_csv("t.csv", index=False)
    run("fit", "t.csv", "--target", "y", "-o", "m")
    result = run("explain", "m", "t.csv", "--row", 1)
    assert result.exit_code == 0, result.output
    assert "nothing is known of this case but how frequent the classes are" in unwrapped(result.stdout)
    assert [name for name, *_ in factors_of(result.stdout)] == ["class frequencies", "product"]


def test_missing_and_unseen_values_make_the_round_trip_through_text(run, table):
    table.loc[::7, "age"] = None
    table.loc[::5, "pain"] = None
    table.to_csv("t.csv", index=False)
    new = table.drop(columns="outcome").iloc[::-1].reset_index(drop=True)
    new.loc[3, "pain"] = "unbearable"
    new.loc[4] = [np.nan, None, None]
    new.to_csv("new.csv", index=False)
    features = table.drop(columns="outcome")
    for name, kind in (("lp-aode", LogPoolAODE), ("lp-aode*", CredalLogPoolAODE)):
        run("fit", "t.csv", "--target", "outcome", "--classifier", name, "-o", "m")
        result = run("predict", "m", "new.csv", "-o", "answers.csv")
        assert result.exit_code == 0, result.output
        found, clf = pd.read_csv("answers.csv"), kind().fit(features, table["outcome"])
        assert found["predicted"].tolist() == clf.predict(new).tolist()
        proba = found[["probability_ill", "probability_well"]]
        np.testing.assert_allclose(proba, clf.predict_proba(new), rtol=1e-5)
    np.testing.assert_allclose(found["robustness"], clf.robustness(new), rtol=1e-5)
    np.testing.assert_allclose(found["upper_ill"], clf.predict_interval(new)[:, 0, 1], rtol=1e-5)
    assert found["set_size"].tolist() == clf.predict_set(new).sum(axis=1).tolist()


def test_the_default_is_the_pool_with_sets(run, table):
    result = run("fit", "patients.csv", "--target", "outcome", "-o", "m")
    assert "Fitted CredalLogPoolAODE to 60 rows" in result.stderr
    assert type(skcredal.load("m")) is CredalLogPoolAODE
    for command in ("fit", "evaluate"):
        text = unwrapped(run(command, "--help").stdout)
        assert re.search(r"[Dd]efault: lp-aode\*|opens with lp-aode\*", text), text


def test_a_row_beyond_the_table_is_refused(run, table, model):
    result = run("explain", "m.skcredal", "patients.csv", "--row", 61)
    assert result.exit_code == 2
    assert "--row must be at most 60" in one_line(result)


@pytest.mark.parametrize("name", ["bma-aode*", "comp-aode*"])
def test_the_prior_that_is_said_to_flip_the_answer_does(run, name):
    patients(20).to_csv("few.csv", index=False)
    run("fit", "few.csv", "--target", "outcome", "--classifier", name, "-o", "m")
    table = patients(seed=1)
    table.to_csv("t.csv", index=False)
    clf, features = skcredal.load("m"), table.drop(columns="outcome")
    explained, spodes = clf.explain(features), clf.spode_proba(features)
    undecided = explained.index[explained["set_size"] > 1].tolist()
    assert undecided
    texts = run("explain", "m", "t.csv", *(part for r in undecided for part in ("--row", r + 1))).stdout
    for r, text in zip(undecided, texts.split("\n\nRow "), strict=True):
        case = explained.loc[r]
        rival = case["rival"]
        printed = [line.split() for line in text.partition("vote\n")[2].splitlines()]
        assert [cells[0] for cells in printed] == case["super_parents"]
        assert [cells[2] for cells in printed] == [f"{prior:.3f}" for prior in case["prior"]]
        tied = max(map(abs, case["votes"])) < 1e-9
        claim = f"favours {rival} most" if tied else f"flips the answer to {rival}"
        assert f"the prior over the models that {claim}:" in unwrapped(text)
        assert ("about the same for both" in text) == any(abs(vote) < 0.0005 for vote in case["votes"])
        scores = scores_under_prior(clf, spodes[r], case, compression=name == "comp-aode*")
        of_class = dict(zip(clf.classes_, scores, strict=True))
        assert of_class[rival] >= of_class[case["predicted"]] - 1e-9


def test_the_class_that_the_table_knows_is_told(run, table, model):
    table.loc[1, "outcome"] = None
    table.to_csv("patients.csv", index=False)
    result = run("explain", "m.skcredal", "patients.csv", "--row", 1, "--row", 2)
    first, second = result.stdout.split("\n\nRow 2")
    assert f"In the table, outcome is {table['outcome'][0]}.\n" in first
    assert "In the table" not in second
    table.drop(columns="outcome").to_csv("patients.csv", index=False)
    assert "In the table" not in run("explain", "m.skcredal", "patients.csv", "--row", 1).stdout


def test_a_model_remembers_how_its_table_was_read(run, table):
    table["dose"] = (np.arange(60) % 7 + 1.0 + (table["outcome"] == "ill")).map(lambda dose: f"{dose:.3f}")
    table["dose"] = table["dose"].str.replace(".", ",")
    table["pain"] = table["pain"].where(np.arange(60) % 5 > 0, "null")
    # Whole numbers: with a decimal comma, 64.0 would be text.
    table["age"] = table["age"].astype(int)
    table.loc[::6, "age"] = -9
    table.to_csv("t.tsv", index=False, sep="\t")
    reading = ("--missing", "-9", "--decimal", ",", "--no-usual-missing")
    fitted = run("fit", "t.tsv", "--target", "outcome", "-o", "m", *reading)
    assert fitted.exit_code == 0, fitted.output
    features = table.drop(columns="outcome").assign(
        age=table["age"].replace(-9, np.nan), dose=table["dose"].str.replace(",", ".").astype(float)
    )
    clf = CredalLogPoolAODE().fit(features, table["outcome"])
    for given in ((), reading):
        found = pd.read_csv(io.StringIO(run("predict", "m", "t.tsv", *given).stdout))
        np.testing.assert_allclose(found["robustness"], clf.robustness(features), rtol=1e-5)
    # With the usual markers "null" is no value; and a comma that separates cells is not decimal.
    features.to_csv("t.csv", index=False)
    of_comma = run("predict", "m", "t.csv", "--missing", "", "--usual-missing")
    missing = features.assign(pain=features["pain"].where(features["pain"] != "null", None))
    found = pd.read_csv(io.StringIO(of_comma.stdout))
    np.testing.assert_allclose(found["robustness"], clf.robustness(missing), rtol=1e-5)


@pytest.mark.parametrize(
    "notes",
    [
        {"target": 3},
        {"reading": []},
        {"reading": {"missing": "x"}},
        {"reading": {"missing": [1]}},
        {"reading": {"decimal": ";"}},
        {"reading": {"usual_missing": "no"}},
    ],
)
def test_notes_of_a_stranger_are_checked(run, table, fitted_once, notes):
    skcredal.save(skcredal.load(fitted_once), "m", notes=notes)
    result = run("predict", "m", "patients.csv")
    assert result.exit_code == 1
    assert "m cannot be used: its notes on how its table was read are damaged" in one_line(result)


def test_a_model_without_notes_will_do(run, table, model):
    expected = run("predict", "m.skcredal", "patients.csv").stdout
    skcredal.save(skcredal.load(model), "m")
    assert run("predict", "m", "patients.csv").stdout == expected


def evaluated(result):
    assert result.exit_code == 0, result.output
    # There is a classifier called "null".
    found = pd.read_csv("m.csv", keep_default_na=False, na_values=[""])
    return {row["classifier"]: row for row in found.to_dict("records")}


def test_evaluation_orders_by_utility_and_counts_both_kinds_of_doubt(run, table):
    call = ("evaluate", "patients.csv", "--target", "outcome", "--folds", 5, "-o", "m.csv")
    result = run(*call)
    rows = evaluated(result)
    assert set(rows) == {*COMPARED, "all classes"}
    u65 = [row["u65"] for row in rows.values()]
    assert u65 == sorted(u65, reverse=True)
    assert rows["null"]["u65"] == rows["null"]["u80"] == rows["null"]["accuracy"]
    assert rows["ncc"]["n_decided"] + rows["ncc"]["n_undecided"] == 60
    assert rows["all classes"]["n_undecided"] == 60
    verdicts = [row["against_best"] for row in rows.values()]
    assert verdicts[0] == "best"
    assert set(verdicts) <= {"best", "no clear difference", "probably worse", "worse"}
    for expected in ("5-fold", "against the best", "decided", "close calls", "undecided", "comp-aode*"):
        assert expected in result.stdout
    for word in ("safe", "dependent", "rank"):
        assert word not in result.stdout
        assert not [name for name in rows["null"] if word in name]
    assert max(map(len, result.stdout.splitlines())) <= 80
    some = evaluated(run(*call, "--classifiers", "aode,ncc,comp-aode-star"))
    assert some["ncc"]["u65"] == rows["ncc"]["u65"]
    assert set(some) == {"aode", "ncc", "comp-aode*", "all classes"}


def doubts_shown(stdout):
    """Return, for each classifier, the numbers of decided, close and undecided rows that were printed."""
    text = stdout[stdout.index("Two kinds of doubt") :]
    lines = (line.split() for line in text.splitlines())
    return {
        words[0]: (words[1], words[3], words[5]) for words in lines if len(words) == 8 and "*" in words[0]
    }


@pytest.mark.parametrize("close_call", [None, 0.6, 0.95, 0.0])
def test_evaluate_counts_close_calls_below_the_threshold(run, table, close_call):
    options = () if close_call is None else ("--close-call", close_call)
    names = ["lp-aode*", "bma-aode*"]
    call = ("evaluate", "patients.csv", "--target", "outcome", "--folds", 3, "--classifiers", ",".join(names))
    result = run(*call, *options)
    assert result.exit_code == 0, result.output
    features, target = table.drop(columns="outcome"), table["outcome"].to_numpy(str)
    found = evaluate_table(make_classifiers(names), features, target, folds=3)
    shown = doubts_shown(result.stdout)
    assert set(shown) == set(names)
    for name, cases in found.cases.items():
        several = [sum(row) > 1 for row in cases.sets.tolist()]
        below = [max(row) < (close_call or 0.75) * (close_call != 0.0) for row in cases.proba.tolist()]
        close = sum(low and not more for low, more in zip(below, several, strict=True))
        assert shown[name] == (str(60 - sum(several)), str(close), str(sum(several)))
    assert f"below {100 * (0.75 if close_call is None else close_call):.4g} %" in result.stdout


@pytest.mark.parametrize("close_call", [0.75, 0.9])
def test_predict_ends_with_how_many_rows_are_in_doubt(run, table, model, close_call):
    result = run("predict", "m.skcredal", "patients.csv", "--close-call", close_call)
    found = pd.read_csv(io.StringIO(result.stdout))
    several = found["set_size"] > 1
    probability = found[["probability_ill", "probability_well"]].max(axis=1)
    n, close = int(several.sum()), int((~several & (probability < close_call)).sum())
    assert n > 1
    assert close > 1
    assert one_line(result) == (
        f"Note: Of 60 rows, {n} are undecided (several classes remain) and {close} are close calls "
        f"(one class, but with a probability below {100 * close_call:.4g} %)."
    )
    assert run("predict", "m.skcredal", "patients.csv", "--close-call", 2).exit_code == 2


def test_explain_says_that_a_row_is_a_close_call(run, table, model):
    found = pd.read_csv(io.StringIO(run("predict", "m.skcredal", "patients.csv").stdout))
    single = found["set_size"] == 1
    probability = found[["probability_ill", "probability_well"]].max(axis=1)
    rows = {
        True: int(probability[single].idxmin()),
        False: int(probability[single].idxmax()),
    }
    between = float((probability[rows[True]] + probability[rows[False]]) / 2)
    for is_close, row in rows.items():
        said = run("explain", "m.skcredal", "patients.csv", "--row", row + 1, "--close-call", between).stdout
        assert ("A close call: one class remains" in said) == is_close
    undecided = int(np.flatnonzero(~single)[0])
    said = run("explain", "m.skcredal", "patients.csv", "--row", undecided + 1, "--close-call", 1).stdout
    assert "A close call" not in said


def test_evaluation_writes_a_page(run, tmp_path):
    table = patients(seed=5)
    table.loc[0, "outcome"] = None
    table["<script>"] = "x"
    table["case"] = [f"c{r}" for r in range(60)]
    table["notes"] = "none"
    table.to_csv("t.csv", index=False)
    call = ("evaluate", "t.csv", "--target", "outcome", "--folds", 3, "--id", "case", "--drop", "notes")
    result = run(*call, "--classifiers", "aode,lp-aode*", "--close-call", 0.8, "--report", "page.html")
    assert result.exit_code == 0, result.output
    assert "Note: Wrote page.html, which opens with the cases of lp-aode*.\n" in result.stderr
    page = (tmp_path / "page.html").read_text()
    assert page.startswith("<!DOCTYPE html>")
    assert "<h1>outcome in t.csv</h1>" in page
    assert "59 rows, 4 features, 2 classes" in page
    assert str(tmp_path) not in page
    assert "its probability is below 80" in page
    assert set(re.findall(r'data-line="([^"]+)"', page)) == {"aode", "lp-aode*", "null", "all classes"}
    features = table.drop(columns=["outcome", "case", "notes"])[1:].reset_index(drop=True)
    made = {"lp-aode*": CredalLogPoolAODE()}
    cases = evaluate_table(made, features, table["outcome"][1:].to_numpy(str), folds=3).cases["lp-aode*"]
    # Numbers are those of the rows in the file, the one without a class included.
    shown = re.findall(r'data-kind="undecided".*?<span data-value="(\d+)">\d+<small>(c\d+)</small>', page)
    assert {int(number) for number, _ in shown} == {r + 2 for r in np.flatnonzero(cases.undecided)}
    assert all(name == f"c{int(number) - 1}" for number, name in shown)
    # Everything that was read is told: types, use and bins, what is left out and why, what was said.
    notes = page[page.index('id="notes"') : page.index('id="run"')]
    lines = {
        cells[0]: cells[1:]
        for cells in (re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", line) for line in notes.split("<tr>")[2:])
    }
    assert lines["age"][0].startswith("numbers from 2")
    assert re.match(r"\d+ bins: up to \d|bins of equal frequency", lines["age"][1])
    assert lines["pain"] == ["categories", "3 categories: mild, none, strong", "none"]
    assert lines["&lt;script&gt;"][1].startswith("left out: ")
    assert lines["outcome"][1] == "the target: 2 classes"
    assert lines["case"][1] == "an id: carried along, never learned from"
    assert lines["notes"][1] == "left out, as you asked"
    assert "<li>1 of 60 rows have no &#39;outcome&#39; and are left out.</li>" in notes


def test_what_was_said_while_reading_stands_on_the_page(run, tmp_path):
    table = patients(seed=5)
    table["record_id"] = range(60)
    table["amount"] = [*(str(1.5 * r % 20) for r in range(59)), "many"]
    table.to_csv("t.csv", index=False)
    call = ("evaluate", "t.csv", "--target", "outcome", "--folds", 2, "--classifiers", "aode")
    result = run(*call, "--report", "page.html")
    assert result.exit_code == 0, result.output
    said = [line.split(": ", 1)[1] for line in result.stderr.splitlines() if "page.html" not in line]
    assert any("record_id" in line for line in said)
    assert any("amount" in line for line in said)
    page = (tmp_path / "page.html").read_text()
    for line in said:
        assert f"<li>{line}</li>" in html.unescape(page)


@pytest.mark.parametrize("report", ["page.pdf", "no/folder.html", "."])
def test_a_place_that_a_page_cannot_go_to_is_refused_before_any_work(run, table, report):
    result = run("evaluate", "patients.csv", "--target", "outcome", "--report", report)
    assert result.exit_code == 2
    assert "--report must" in one_line(result)


def test_evaluation_drops_what_it_is_told_to(run, table):
    table.assign(id=range(60), other="x").to_csv("ids.csv", index=False)
    call = ("evaluate", "ids.csv", "--target", "outcome", "--classifiers", "aode", "--folds", 2)
    warned = run(*call)
    assert one_line(warned) == (
        "Warning: id looks like an identifier and may say nothing about new cases; consider --drop id"
    )
    assert run(*call, "--drop", "id", "--drop", "other").stderr == ""


def test_text_that_identifies_rows_is_pointed_out(run, table):
    table.assign(name=[f"patient {r}" for r in range(60)]).to_csv("names.csv", index=False)
    result = run("fit", "names.csv", "--target", "outcome", "-o", "m")
    assert result.exit_code == 0
    warning, learned, read = result.stderr.splitlines()
    assert warning.startswith("Warning: name looks like an identifier")
    assert learned.startswith("Note: Fitted CredalLogPoolAODE to 60 rows and 4 columns, 2 classes")
    assert read == "Note: Read 1 numeric and 3 categorical columns."


def test_rows_without_a_class_are_left_out_aloud(run, table):
    table.loc[[3, 7], "outcome"] = None
    table.to_csv("gaps.csv", index=False)
    result = run("fit", "gaps.csv", "--target", "outcome", "-o", "m")
    assert result.exit_code == 0
    assert "Note: 2 of 60 rows have no 'outcome' and are left out." in result.stderr
    assert "58 rows" in result.stderr


def test_whole_numbers_are_classes_and_stay_numbers(run, table):
    table["outcome"] = np.where(table["outcome"] == "ill", 10, 9)
    table.to_csv("numbers.csv", index=False)
    assert run("fit", "numbers.csv", "--target", "outcome", "-o", "m").exit_code == 0
    found = pd.read_csv(io.StringIO(run("predict", "m", "numbers.csv").stdout))
    assert found.columns.tolist()[-5:-1] == ["lower_9", "lower_10", "upper_9", "upper_10"]
    assert set(found["predicted"]) == {9, 10}


@pytest.mark.parametrize("command", ["fit", "evaluate"])
@pytest.mark.parametrize(
    ("values", "message", "code"),
    [
        (["a"] * 60, "Column 'y' must have at least two classes, got only 'a' in 60 rows", 1),
        ([None] * 60, "Column 'y' of t.csv is empty: no row has a class", 1),
        (np.arange(60) * 0.37, "has 60 different numbers in 60 rows, which looks like regression", 1),
        (np.arange(60), "which looks like regression", 1),
        ([f"{r},5" for r in range(60)], "which looks like regression", 1),
        (["unknown", *range(59)], "which looks like regression", 1),
        ([f"name {r}" for r in range(60)], "looks like an identifier or free text", 1),
    ],
)
def test_targets_that_are_no_classes_are_refused(run, table, command, values, message, code):
    out = ["-o", "m"] if command == "fit" else []
    table.assign(y=values).to_csv("t.csv", index=False)
    result = run(command, "t.csv", "--target", "y", *out)
    assert result.exit_code == code
    assert message in one_line(result)
    assert not os.path.exists("m")  # noqa: PTH110


def test_accents_may_be_written_in_either_way(run, table):
    parts = {name: unicodedata.normalize("NFD", name) for name in ("größe", "métier", "café")}
    table = table.rename(columns={"smoker": parts["métier"], "outcome": parts["größe"]})
    table[parts["größe"]] = [("café", parts["café"], "thé")[r % 3] for r in range(60)]
    table.to_csv("t.csv", index=False)
    fitted = run("fit", "t.csv", "--target", "größe", "--drop", parts["métier"], "-o", "m")
    assert fitted.exit_code == 0, fitted.output
    assert "60 rows and 2 columns, 2 classes" in fitted.stderr
    pytest.importorskip("pyarrow")
    table.to_parquet("t.parquet")
    assert run("fit", "t.parquet", "--target", "größe", "-o", "m").exit_code == 0


def test_dates_are_refused_with_the_option_that_drops_them(run, table):
    pytest.importorskip("pyarrow")
    table.assign(seen=pd.date_range("2020", periods=60)).to_parquet("t.parquet")
    call = ("fit", "t.parquet", "--target", "outcome", "-o", "m")
    refused = run(*call)
    assert refused.exit_code == 1
    assert one_line(refused).startswith("Error: Column 'seen' contains dates or times")
    assert one_line(refused).endswith("--drop seen")
    assert run(*call, "--drop", "seen").exit_code == 0


def test_a_tiny_table_is_evaluated_with_fewer_folds(run):
    """The twelve patients of the documentation."""
    patients(12).assign(outcome=["well", "ill"] * 6).to_csv("t.csv", index=False)
    call = ("evaluate", "t.csv", "--target", "outcome", "--classifiers", "null")
    result = run(*call)
    assert result.exit_code == 0
    assert (
        one_line(result)
        == "Note: Using 6 folds instead of 10, because the most frequent class has only 6 rows."
    )
    assert "12 rows, 1 × 6-fold cross-validation" in result.stdout
    assert "--folds must be at most 6" in one_line(run(*call, "--folds", 7))


def test_rows_of_classes_of_their_own_cannot_be_evaluated(run):
    Path("t.csv").write_text("a,b\n1,x\n2,y\n")
    result = run("evaluate", "t.csv", "--target", "b")
    assert result.exit_code == 1
    assert one_line(result).startswith("Error: Each of 2 rows has its own class")


def test_of_many_classes_the_most_probable_are_told(run, table):
    table.assign(y=[f"class {r % 25}" for r in range(60)]).to_csv("t.csv", index=False)
    run("fit", "t.csv", "--target", "y", "--drop", "outcome", "-o", "m")
    text = run("explain", "m", "t.csv", "--row", 1).stdout
    classes = text.partition("\n\nRobustness")[0]
    assert sum(line.startswith("  class ") for line in classes.splitlines()) == 1 + 20
    assert "\n  and 5 more, " in text


def test_numbers_are_classes_if_the_user_says_so(run, table):
    table.assign(y=np.arange(60) % 30).to_csv("t.csv", index=False)
    call = ("fit", "t.csv", "--target", "y", "-o", "m")
    assert run(*call).exit_code == 1
    assert run(*call, "--as-classes").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("fit", "patients.csv", "--target", "Outcom", "-o", "m"),
            "no column 'Outcom' in patients.csv. Did you mean 'outcome'? The columns are age,",
        ),
        (("fit", "patients.csv", "--target", "outcome", "--drop", "agee", "-o", "m"), "--drop: there is no"),
        (("fit", "patients.csv", "--target", "age", "--drop", "age", "-o", "m"), "--drop must not name"),
        (("fit", "nowhere.csv", "--target", "y", "-o", "m"), "nowhere.csv cannot be read: No such file"),
        (("fit", ".", "--target", "y", "--format", "csv", "-o", "m"), ". cannot be read: Is a directory"),
        (("fit", "patients.sav", "--target", "y", "-o", "m"), "specify its --format"),
        (
            ("fit", "patients.csv", "--target", "outcome", "-o", "no/folder"),
            "-o must be a file in an existing folder",
        ),
        (("fit", "patients.csv", "--target", "outcome", "-o", "-"), "cannot be written to standard output"),
        (
            ("fit", "patients.csv", "--target", "outcome", "-o", "patients.csv"),
            "-o must not be one of the input files",
        ),
        (("fit", "patients.csv", "--target", "outcome", "-o", "m", "--classifier", "c45"), "no classifier"),
        (("fit", "patients.csv", "--target", "y", "-o", "m", "--format", "xls"), "--format must be one of"),
        (("fit", "patients.csv", "--target", "y", "-o", "m", "--decimal", "x"), "--decimal must be"),
        (("fit", "patients.csv", "-o", "m"), "Missing option '--target'"),
        (("evaluate", "patients.csv", "--target", "outcome", "--folds", "1"), "'--folds'"),
        (("evaluate", "patients.csv", "--target", "outcome", "--folds", "55"), "--folds must be at most"),
        (("evaluate", "patients.csv", "--target", "outcome", "--classifiers", ","), "must name at least one"),
        (("evaluate", "patients.csv", "--target", "outcome", "--classifiers", "aode,c45"), "no classifier"),
        (("predict", "nothing.skcredal", "patients.csv"), "There is no model file 'nothing.skcredal'"),
        (("datasets", "--data", "nowhere"), "--data must be"),
        (("evaluate", "patients.csv", "--target", "outcome", "--jobs", "0"), "--jobs must be"),
        (("reproduce", "--jobs", "0"), "--jobs must be"),
        (
            ("fit", "patients.csv", "--target", "y", "-o", "m", "--encoding", "klingon"),
            "--encoding: unknown text encoding 'klingon'",
        ),
        (("fit", "patients.csv", "--target", "y", "-o", "m", "--delimiter", "::"), "--delimiter must be"),
        (("evalute",), "No such command 'evalute'"),
    ],
)
def test_a_wrong_call_is_one_line_and_exit_code_2(run, table, arguments, message):
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in one_line(result)
    assert result.stdout == ""


@pytest.mark.parametrize(
    "out", ["answers.xlsx", "answers.arff", "no/folder.csv", "patients.csv", "m.skcredal"]
)
def test_a_place_that_predictions_cannot_go_to_is_refused_before_any_work(run, table, model, out):
    result = run("predict", "m.skcredal", "patients.csv", "-o", out)
    assert result.exit_code == 2
    assert "-o must" in one_line(result)


@pytest.mark.parametrize(
    ("package", "extra", "call"),
    [
        ("pyarrow", "scale", ("predict", "m.skcredal", "patients.csv", "-o", "answers.parquet")),
        ("pyarrow", "scale", ("evaluate", "patients.csv", "--target", "outcome", "-o", "table.parquet")),
        *((package, "paper", ("reproduce",)) for package in ("matplotlib", "baycomp", "jinja2")),
    ],
)
def test_a_package_that_is_lacking_is_named_before_any_work(run, model, monkeypatch, package, extra, call):
    imported = importlib.import_module

    def without(name, *more):
        if name.partition(".")[0] == package:
            raise ModuleNotFoundError(name)
        return imported(name, *more)

    monkeypatch.setattr("skcredal._extras.import_module", without)
    for work in ("user_tables.label_table", "models.read_for_model"):
        monkeypatch.setattr(f"skcredal._cli.{work}", lambda *_, **__: pytest.fail("work was begun"))
    result = run(*call)
    assert result.exit_code == 1
    assert f"needs {package}. Install it with: pip install 'skcredal[{extra}]'" in one_line(result)


def test_a_file_that_is_no_model_is_refused(run, table):
    result = run("predict", "patients.csv", "patients.csv")
    assert result.exit_code == 1
    assert "patients.csv" in one_line(result)


def test_a_model_of_another_version_says_so(run, table, model, monkeypatch):
    def refuse(path):
        raise ValueError(f"{path} was written by skcredal 9.0.")

    monkeypatch.setattr("skcredal._cli.models.load", refuse)
    result = run("predict", "m.skcredal", "patients.csv")
    assert result.exit_code == 1
    assert one_line(result) == "Error: m.skcredal was written by skcredal 9.0."


def test_a_damaged_table_is_refused_with_its_line(run, table, model):
    (model.parent / "bad.csv").write_text("age,smoker,pain\n1,yes,mild\n2,no\n")
    result = run("predict", "m.skcredal", "bad.csv")
    assert result.exit_code == 1
    assert "bad.csv, line 3: a row must have 3 cells" in one_line(result)


def test_debug_shows_where_an_error_comes_from(run, table):
    result = run("fit", "patients.csv", "--target", "nothing", "-o", "m", "--debug")
    assert type(result.exception).__name__ == "CallError"


def test_an_error_of_ours_is_one_line_too(run, table, model, monkeypatch):
    def fail(*_):
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr("skcredal.classifiers._answers.answers", fail)
    result = run("predict", "m.skcredal", "patients.csv")
    assert result.exit_code == 1
    assert one_line(result) == "Error: ZeroDivisionError: division by zero (--debug shows where)"


@pytest.mark.parametrize("error", [KeyboardInterrupt, pa.lib.ArrowCancelled("Operation cancelled")])
def test_an_interrupt_is_one_line_and_exit_code_130(run, table, monkeypatch, error):
    """Also one that Arrow has taken for itself."""

    def interrupt(*_, **__):
        raise error

    monkeypatch.setattr("skcredal._cli.user_tables.label_table", interrupt)
    result = run("evaluate", "patients.csv", "--target", "outcome")
    assert result.exit_code == 130
    assert one_line(result).startswith("Interrupted")


def example_of(run, command):
    """Return the example in a help page, which stands on a line of its own, as it would be pasted."""
    result = run(command, "--help")
    assert result.exit_code == 0
    (line,) = (line for line in result.stdout.splitlines() if "Example: " in line)
    words = shlex.split(line.partition("Example: ")[2])
    assert words[:2] == ["skcredal", command]
    return words[1:]


def test_examples_of_the_help_pages_work_one_after_the_other(run):
    for command in ("datasets", "fit", "predict", "explain", "evaluate"):
        result = run(*example_of(run, command))
        assert result.exit_code == 0, result.output
    assert {path.name for path in Path().iterdir()} == {
        "iris.csv",
        "iris.skcredal",
        "answers.csv",
        "iris.html",
    }
    assert example_of(run, "reproduce") == ["reproduce", "--datasets", "iris,wine", "--runs", "1"]


def test_a_data_set_is_written_as_a_table(run):
    result = run("datasets", "wine")
    data = load_dataset("wine")
    found = pd.read_csv(io.StringIO(result.stdout), dtype={"class": str})
    np.testing.assert_array_equal(found.drop(columns="class"), data.features)
    assert found["class"].tolist() == data.target.astype(str).tolist()
    for call, message in (
        (("datasets", "irises"), "got 'irises'"),
        (("datasets", "-o", "x.csv"), "-o needs the NAME"),
        (("datasets", "iris", "--data", "nowhere"), "--data must be"),
    ):
        refused = run(*call)
        assert refused.exit_code == 2
        assert message in one_line(refused)


def test_data_sets_are_listed_with_their_sizes(run):
    result = run("datasets")
    assert result.exit_code == 0
    rows = {line.split()[0]: line.split()[1:] for line in result.stdout.splitlines()[1:]}
    assert list(rows) == list_datasets()
    assert rows["wine"] == ["178", "13", "3"]
    data = load_dataset("monks1")
    assert rows["monks1"] == [*map(str, data.features.shape), "2"]
    assert "iris" in run("datasets", "--data", "openml").stdout


def test_a_broken_file_does_not_hide_the_other_data_sets(run, tmp_path):
    (tmp_path / "good.arff").write_text(
        "@relation r\n@attribute a real\n@attribute c {x,y}\n@data\n1,x\n2,y\n"
    )
    (tmp_path / "bad.arff").write_text("@relation r\n@attribute a real\n")
    result = run("datasets", "--data", ".")
    assert result.exit_code == 1
    assert "good" in result.stdout
    assert "bad.arff" in one_line(result)


MESSY = """\
\ufeffAlter;Größe (m);Raucher;Schmerz;Ausgang;Nr
51;1,80;nein;"keiner; laut Patient";gesund;1
25;NA;ja;mild;gesund;2
;1,75;?;mild;krank;3
67;1,62;ja;stark;krank;4
58;1,90;ja;None;krank;5
44;1,71;nein;stark;;6
"""


def test_a_messy_table_from_end_to_end(run, tmp_path):
    (tmp_path / "tabelle.csv").write_bytes(MESSY.encode("utf-16"))
    fitted = run("fit", "tabelle.csv", "--target", "Ausgang", "--drop", "Nr", "-o", "m")
    assert fitted.exit_code == 0, fitted.stderr
    assert fitted.stdout == ""
    result = run("predict", "m", "-", input=MESSY.encode("cp1252", errors="ignore"))
    assert result.exit_code == 0, result.stderr
    found = pd.read_csv(io.StringIO(result.stdout))
    assert len(found) == 6
    assert set(found["predicted"]) <= {"gesund", "krank"}


def test_a_reader_that_has_enough_is_no_error(tmp_path, table, model):
    pd.concat([table] * 50).to_csv(tmp_path / "many.csv", index=False)
    call = [sys.executable, "-m", "skcredal", "predict", "m.skcredal", "-"]
    with (
        (tmp_path / "many.csv").open("rb") as rows,
        subprocess.Popen(
            call, stdin=rows, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path
        ) as writer,
    ):
        assert writer.stdout.readline().startswith(b"predicted,probability_ill,")
        writer.stdout.close()
        assert writer.stderr.read() == b""
    assert writer.returncode == 0


def test_a_page_is_written_even_if_nobody_reads_the_ranking(tmp_path, table):
    call = [sys.executable, "-m", "skcredal", "evaluate", "patients.csv", "--target", "outcome"]
    options = ["--classifiers", "comp-aode*", "--folds", "2", "--report", "page.html"]
    with subprocess.Popen(
        [*call, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path
    ) as writer:
        writer.stdout.close()
        assert writer.stderr.read().startswith(b"Note: Wrote page.html")
    assert writer.returncode == 0
    assert (tmp_path / "page.html").exists()


@pytest.mark.parametrize("command", ["", "fit", "predict", "explain", "evaluate", "datasets", "reproduce"])
def test_help_is_short_for_help_and_names_what_is_asked_for(run, monkeypatch, command):
    monkeypatch.setenv("COLUMNS", "80")
    text = run(*command.split(), "-h").stdout
    assert text == run(*command.split(), "--help").stdout
    assert text.startswith("Usage: ")
    assert max(map(len, text.splitlines())) <= 80
    # Neither types of Python nor cut sentences.
    assert not re.search(r"<\w[\w ]*>|\{[A-Z]+\}|\w\.\.\.$", text, re.MULTILINE), text


def test_one_bar_says_what_is_done(run, table, monkeypatch):
    titles = []

    @contextlib.contextmanager
    def watched(unit, total, title):
        titles.append(title)
        yield lambda *_: None

    monkeypatch.setattr("skcredal._progress.progress_bar", watched)
    call = ("evaluate", "patients.csv", "--target", "outcome", "--classifiers", "ncc", "--folds", 2)
    assert run(*call, "--report", "page.html").exit_code == 0
    assert titles == ["comparing classifiers"]
