"""fit, predict, explain and evaluate on tables as users have them, and calls that are refused."""

import io
import re
import shlex
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pytest

import skcredal
from command_line import invoke
from skcredal import CredalLogPoolAODE
from skcredal.datasets import list_datasets, load_dataset
from skcredal.evaluation import CLASSIFIERS, evaluate_table, make_classifiers
from table_limits import limited_to

FIT = ("fit", "patients.csv", "--target", "outcome", "-o", "m")
EVALUATE = ("evaluate", "patients.csv", "--target", "outcome")


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
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    patients().to_csv("patients.csv", index=False)
    assert run(*FIT, "-o", "m.skcredal").stdout == ""
    return patients()


def run(*words, **options):
    result = invoke(*words, **options)
    assert result.exit_code == 0, result.output
    return result


def refused(code, *words, **options):
    result = invoke(*words, **options)
    assert (result.exit_code, result.stdout) == (code, ""), result.output
    (line,) = result.stderr.splitlines()
    assert line.startswith("Error: ")
    return line


def answers_of(result):
    return pd.read_csv(io.StringIO(result.stdout), keep_default_na=False)


def unwrapped(text):
    return " ".join(text.split())


def test_predictions_are_those_of_the_library(table):
    found, features = answers_of(run("predict", "m.skcredal", "patients.csv")), table.drop(columns="outcome")
    clf = CredalLogPoolAODE().fit(features, table["outcome"])
    expected = skcredal.answers(clf, features).to_frame()
    assert found.columns.tolist() == expected.columns.tolist()
    sets = [set(text.split("|")) for text in found.pop("set")]
    assert sets == [set(labels) for labels in expected.pop("set")]
    pd.testing.assert_frame_equal(found, expected, check_dtype=False, rtol=1e-5)


@pytest.mark.parametrize("name", ["lp-aode", "ncc2", "bma-aode*", "comp-aode-star"])
def test_classifiers_are_chosen_by_name(table, name):
    run(*FIT, "--classifier", name)
    (made,) = make_classifiers([name]).values()
    assert repr(skcredal.load("m")) == repr(made)
    found = answers_of(run("predict", "m", "patients.csv"))
    assert ("set" in found) == ("lower_ill" in found) == hasattr(made, "predict_set")
    explain = ("explain", "m", "patients.csv", "--row", 1)
    if hasattr(made, "explain"):
        assert run(*explain).stdout.startswith("Row 1: ")
    else:
        assert "cannot explain" in refused(2, *explain)


def test_rows_come_and_go_by_pipes_and_in_any_order(table):
    expected = run("predict", "m.skcredal", "patients.csv").stdout
    content = Path("patients.csv").read_bytes()
    assert run("predict", "m.skcredal", "-", "-o", "-", input=content).stdout == expected
    run("fit", "-", "--target", "outcome", "-o", "again", input=content)
    table[["pain", "age", "outcome", "smoker"]].assign(note="x, y").to_csv("strange.csv", index=False)
    assert run("predict", "again", "strange.csv").stdout == expected


@pytest.mark.parametrize("out", ["answers.csv", "answers.tsv", "answers.xlsx", "answers.parquet"])
def test_answers_are_written_by_suffix_with_ids_first(table, out):
    table.assign(case=[f"p{r}" for r in range(60)]).to_csv("ids.csv", index=False)
    run("fit", "ids.csv", "--target", "outcome", "--id", "case", "-o", "m")
    run("predict", "m", "ids.csv", "-o", out)
    readers = {"parquet": pd.read_parquet, "xlsx": partial(pd.read_excel, engine="calamine")}
    readers |= dict.fromkeys(["csv", "tsv"], lambda out: pd.read_csv(out, sep="[,\t]", engine="python"))
    found = readers[out.partition(".")[2]](out)
    assert found["case"].tolist() == [f"p{r}" for r in range(60)]
    assert list(found)[:2] == ["case", "predicted"]
    labels = found["set"][0] if out.endswith("parquet") else found["set"][0].split("|")
    assert set(labels) <= {"ill", "well"}


@pytest.mark.parametrize("classifier", ["comp-aode*", "naive-bayes"])
def test_a_table_without_rows_is_answered_by_one(table, classifier):
    run(*FIT, "--classifier", classifier)
    table[:0].to_csv("none.csv", index=False)
    header = run("predict", "m", "patients.csv").stdout.splitlines()[0] + "\n"
    result = run("predict", "m", "none.csv")
    assert result.stdout == header
    assert "none.csv has no rows" in result.stderr
    assert "none.csv has no rows" in refused(1, "evaluate", "none.csv", "--target", "outcome")


american = "{:,}".format


def german(number):
    return american(number).translate(str.maketrans(",.", ".,"))


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
@pytest.mark.parametrize(("style", "separator"), [(german, ";"), (american, ",")])
def test_a_real_export_goes_through_all_commands(table, style, separator, ending):
    """A title, dates, identifiers, money, percentages and missing cells: only the target is to be named."""
    rng, n, coin = np.random.default_rng(2), 60, "{} €" if style is german else "${}"
    amount, rate = rng.normal(1500, 400, n).round(2), rng.uniform(1, 30, n).round(1)
    shown = pd.DataFrame(
        {
            "customer no": rng.permutation(n) + 1000,
            "opened": pd.date_range("2024-01-01", periods=n).strftime("%d.%m.%Y"),
            "amount": [coin.format(style(value)) for value in amount],
            "rate": [f"{style(value)} %" for value in rate],
            "purpose": rng.choice(["car", "home"], n),
            "risk": np.where(amount + 40 * rate > 2000, "bad", "good"),
        }
    )
    shown.loc[3, ["amount", "purpose"]] = None
    name = f"loans.{ending}"
    if ending == "csv":
        Path(name).write_text(f"Loans of 2024\n{shown.to_csv(index=False, sep=separator)}")
    else:
        shown.to_excel(name, index=False, startrow=2)
        book = openpyxl.load_workbook(name)
        book.active["A1"] = "Loans of 2024"
        book.save(name)
    said = run("fit", name, "--target", "risk", "-o", "m").stderr
    assert "Warning" not in said
    money = f"amount ({shown['amount'][0]} is {amount[0]:.15g})"
    for part in ("Loans of 2024", money, "as identifiers: customer no;", "as dates: opened."):
        assert part in said
    features = pd.DataFrame({"amount": amount, "rate": rate, "purpose": shown["purpose"]})
    features.loc[3, "amount"] = None
    plain = CredalLogPoolAODE().fit(features, shown["risk"])
    run("predict", "m", name, "-o", "answers.xlsx")
    found = pd.read_excel("answers.xlsx", engine="calamine")
    np.testing.assert_allclose(found["probability_bad"], plain.predict_proba(features)[:, 0], rtol=1e-12)
    # A row alone is read in the same way.
    shown[7:8].to_csv("one.csv", index=False, sep=separator)
    one = answers_of(run("predict", "m", "one.csv"))
    np.testing.assert_allclose(one["probability_bad"], found["probability_bad"][[7]], rtol=1e-5)
    assert run("explain", "m", name, "--row", 3).stdout.startswith("Row 3: ")
    call = ("evaluate", name, "--target", "risk", "--folds", 2, "--report", "page.html")
    assert "random-forest" not in run(*call, "--no-baselines").stdout
    assert "Loans of 2024" in Path("page.html").read_text(encoding="utf-8")


def test_sheets_and_header_rows_can_be_given(table):
    with pd.ExcelWriter("t.xlsx") as book:
        pd.DataFrame({"read": ["me"]}).to_excel(book, sheet_name="Cover", index=False)
        table.to_excel(book, sheet_name="All patients", index=False, startrow=2)
    assert "in sheet 'All patients'" in refused(2, "fit", "t.xlsx", "--target", "outcome", "-o", "m")
    found = run("predict", "m.skcredal", "t.xlsx", "--sheet", "All patients", "--header-row", 3).stdout
    assert found == run("predict", "m.skcredal", "patients.csv").stdout


def test_ambiguous_cells_are_said_in_the_words_of_the_command_line(table):
    table.assign(age=[f"1.{r:03}" for r in range(100, 220, 2)]).to_csv("t.csv", index=False, sep=";")
    said = run("fit", "t.csv", "--target", "outcome", "-o", "m").stderr
    assert "'1.100' was read as 1.1; use --decimal . or --thousands ." in said
    assert "Warning" not in run("fit", "t.csv", "--target", "outcome", "-o", "m", "--thousands", ".").stderr
    assert {one.name: one for one in skcredal.load("m").encoding_}["age"].range == (1100.0, 1218.0)


def test_a_model_remembers_what_marks_a_missing_value(table):
    table["pain"] = table["pain"].where(np.arange(60) % 5 > 0, "null")
    table.loc[::6, "age"] = -9
    table.to_csv("t.csv", index=False)
    run("fit", "t.csv", "--target", "outcome", "-o", "m", "--na", "-9.0", "--no-usual-na")
    features = table.drop(columns="outcome").assign(age=table["age"].replace(-9, np.nan))
    clf = CredalLogPoolAODE().fit(features, table["outcome"])
    found = answers_of(run("predict", "m", "t.csv"))
    np.testing.assert_allclose(found["robustness"], clf.robustness(features), rtol=1e-5)


def test_notes_of_a_stranger_are_checked(table):
    expected, model = run("predict", "m.skcredal", "patients.csv").stdout, skcredal.load("m.skcredal")
    skcredal.save(model, "m")
    assert run("predict", "m", "patients.csv").stdout == expected
    for notes in ({"target": 3}, {"na": "x"}, {"ids": [1]}, {"usual_na": 3}, {"read_as": {"age": "date"}}):
        skcredal.save(model, "m", notes=notes)
        assert re.search("notes|read_as", refused(1, "predict", "m", "patients.csv"))


def test_text_stays_text_and_numbers_are_asked_for(table):
    grade = np.arange(60) % 3
    table.assign(grade=np.where(grade == 0, "high", grade.astype(str))).to_csv("graded.csv", index=False)
    run("fit", "graded.csv", "--target", "outcome", "-o", "m")
    whole = run("predict", "m", "graded.csv").stdout.splitlines()
    table.assign(grade=grade)[grade > 0].to_csv("part.csv", index=False)
    part = run("predict", "m", "part.csv").stdout.splitlines()
    assert part[1:] == [whole[1 + r] for r in range(60) if r % 3]
    table.astype({"age": object}).replace({"age": {table["age"][28]: "k.A."}}).to_csv(
        "words.csv", index=False
    )
    assert "column 'age'" in refused(1, "predict", "m.skcredal", "words.csv")
    run("predict", "m.skcredal", "words.csv", "--na", "k.A.")
    table.drop(columns=["age", "pain"]).to_csv("short.csv", index=False)
    assert "short.csv lacks 2 columns" in refused(1, "predict", "m.skcredal", "short.csv")


def test_parameters_of_classifiers_can_be_given(table):
    given = ("--credibility", 0.5, "--ess", 2, "--criterion", "interval_dominance", "--max-categories", 2)
    run(*FIT, *given, "--missing", "marginalize", "--unknown", "error")
    found, expected = skcredal.load("m"), {"credibility": 0.5, "ess": 2.0, "criterion": "interval_dominance"}
    expected |= {"missing": "marginalize", "handle_unknown": "error"}
    assert {name: found.get_params()[name] for name in expected} == expected
    assert {one.name: one for one in found.encoding_}["pain"].states[-1] == "(other)"
    run(*FIT, "--classifier", "comp-aode-star", "--epsilon", "0.05")
    assert skcredal.load("m").epsilon_ == 0.05


def test_what_was_read_and_what_is_strange_is_said(table):
    table.assign(one=1).to_csv("p.csv", index=False)
    said = run("fit", "p.csv", "--target", "outcome", "-o", "m", "--classifier", "aode").stderr
    assert "left out: one (it has a single value)" in said
    table.loc[[1, 2], "smoker"] = "x"
    table.loc[3, "age"] = 9000.0
    table.to_csv("new.csv", index=False)
    said = run("predict", "m.skcredal", "new.csv").stderr
    assert re.search(r"range in age \(1 row\).*not seen in smoker \(2 rows\)", said)


@pytest.mark.parametrize("close_call", [0.0, 0.9])
def test_doubtful_rows_are_counted_and_explained(table, close_call):
    result = run("predict", "m.skcredal", "patients.csv", "--close-call", close_call)
    found = answers_of(result)
    several = found["set_size"] > 1
    probability = found[["probability_ill", "probability_well"]].max(axis=1)
    # Below one half a single class is a close call in any case.
    is_close = ~several & (probability < max(close_call, 0.5))
    assert f"{several.sum()} are undecided" in result.stderr
    assert f"{is_close.sum()} are close calls" in result.stderr
    assert f"below {100 * max(close_call, 0.5):.4g} %" in result.stderr
    for r in (int(is_close.idxmax()), int(several.idxmax())):
        said = run("explain", "m.skcredal", "patients.csv", "--row", r + 1, "--close-call", close_call).stdout
        assert ("A close call" in said) == is_close[r]
        assert f"In the table, outcome is {table['outcome'][r]}." in said


def test_explanations_of_a_pool_show_what_each_feature_multiplies_the_odds_by(table):
    patients(25).to_csv("few.csv", index=False)
    run("fit", "few.csv", "--target", "outcome", "-o", "m")
    table.loc[0, "age"] = None
    table.to_csv("t.csv", index=False)
    clf, features = skcredal.load("m"), table.drop(columns="outcome")
    explained, bounds = clf.explain(features), clf.predict_interval(features)
    text = run("explain", "m", "t.csv", *(part for r in range(60) for part in ("--row", r + 1))).stdout
    assert re.search(r"\nage +missing, read as \d+ +×", text)
    for r, said in enumerate(text.split("\n\nRow ")):
        case = explained.loc[r]
        assert f"{r + 1}: {case['sentence']}" in unwrapped(said)
        low, high = bounds[r, list(clf.classes_).index(case["predicted"])]
        assert re.search(rf"{case['predicted']} .*{low:.3f}.*{high:.3f}", said)
        lines = said.partition("\nfeature ")[2].splitlines()[1:]
        names = [re.split("  +", line)[0] for line in lines]
        assert names == ["class frequencies", *case["features"], "product"]
        factors = [float(line.rpartition("×")[2].replace(",", "")) for line in lines]
        logs = [case["frequencies"], *case["contributions"]]
        np.testing.assert_allclose(factors, np.exp([*logs, sum(logs)]), rtol=0.06)


def test_evaluation_orders_by_utility_and_counts_both_kinds_of_doubt(table):
    call = (*EVALUATE, "--folds", 3, "-o", "m.csv")
    result = run(*call, "--classifiers", "all", "--close-call", 0.8)
    found = pd.read_csv("m.csv", keep_default_na=False, na_values=[""]).set_index("classifier")
    baselines = {"random-forest", "logistic-regression", "gradient-boosting", "all classes"}
    assert set(found.index) == {*CLASSIFIERS, *baselines}
    assert found["u65"].is_monotonic_decreasing
    assert found.loc["aode", "u65"] == found.loc["aode", "accuracy"]
    features, target = table.drop(columns="outcome"), table["outcome"].to_numpy(str)
    ours = evaluate_table(make_classifiers(["lp-aode*"]), features, target, folds=3).cases["lp-aode*"]
    close, several = int(ours.close_calls(0.8).sum()), int((ours.sets.sum(axis=1) > 1).sum())
    doubts = result.stdout[result.stdout.index("Two kinds of doubt") :]
    (row,) = (line.split() for line in doubts.splitlines() if line.startswith("lp-aode* "))
    assert (row[1], row[3], row[5]) == (str(60 - several), str(close), str(several))


def test_a_tiny_table_is_evaluated_with_fewer_folds(table):
    patients(12).assign(outcome=["well", "ill"] * 6).to_csv("t.csv", index=False)
    call = ("evaluate", "t.csv", "--target", "outcome", "--classifiers", "null")
    assert "12 rows, 1 × 6-fold cross-validation" in run(*call).stdout
    assert "--folds must be at most 6" in refused(2, *call, "--folds", 7)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["a"] * 60, "at least two classes, got only 'a'"),
        ([""] * 60, "No row has a 'y'"),
        ([f"name {r}" for r in range(60)], "60 different values in 60 rows"),
    ],
)
def test_targets_that_are_no_classes_are_refused(table, values, message):
    table.assign(y=values).to_csv("t.csv", index=False)
    assert message in refused(1, "fit", "t.csv", "--target", "y", "--drop", "outcome", "-o", "m")
    if "60 different" in message:
        run("fit", "t.csv", "--target", "y", "-o", "m", "--as-classes", "--classifier", "null")


def test_dates_are_left_out_or_refused_by_name(table):
    table.assign(seen=pd.date_range("2024-03-01", periods=60)).to_parquet("t.parquet", index=False)
    call = ("fit", "t.parquet", "--target", "outcome", "-o", "m")
    assert "Note: Left out as dates: seen." in run(*call).stderr
    assert "'seen'" in refused(1, *call, "--keep", "seen")


def test_identifiers_are_left_out_unless_they_are_kept(table):
    """Text that differs in nearly all rows, and whole numbers that count them or are called keys."""
    numbers = np.random.default_rng(1).permutation(60)
    suspects = {"name": [f"n{r // 2 if r < 4 else r}" for r in range(60)]}  # 58 of 60
    suspects |= {"place": numbers + 17, "KundenNr": numbers**2, "visit_id": numbers * 3.0}
    others = {"ward": [f"w{r % 56}" for r in range(60)], "weight": numbers**2, "no": numbers // 2}
    others |= {"idea": numbers * 7, "code": numbers + 0.5}
    table.assign(**suspects, **others).to_csv("t.csv", index=False)
    call = ("fit", "t.csv", "--target", "outcome", "-o", "m")
    said = run(*call).stderr
    assert f"Left out as identifiers: {', '.join(suspects)};" in said
    assert set(skcredal.load("m").feature_names_in_) == {"age", "smoker", "pain", *others}
    decided = ("--keep", "name", "--categorical", "place", "--numeric", "KundenNr", "--id", "visit_id")
    assert "Left out" not in run(*call, *decided).stderr
    assert set(suspects) - set(skcredal.load("m").feature_names_in_) == {"visit_id"}
    table[["outcome"]].assign(name=suspects["name"]).to_csv("t.csv", index=False)
    assert "(name); --keep COL" in refused(2, *call)


def test_of_the_twelve_patients_the_age_stays(table):
    ages = [51, 25, 56, 31, 36, 35, 67, 58, 61, 77, 54, None]
    twelve = {"patient_id": [f"P{r:02}" for r in range(12)], "age": ages, "pain": ["none", "mild"] * 6}
    pd.DataFrame(twelve).assign(outcome=["well"] * 6 + ["ill"] * 6).to_csv("t.csv", index=False)
    assert (
        "Left out as identifiers: patient_id;" in run("fit", "t.csv", "--target", "outcome", "-o", "m").stderr
    )
    assert skcredal.load("m").feature_names_in_.tolist() == ["age", "pain"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((*FIT, "--target", "Outcom"), "--target: there is no column 'Outcom' in patients.csv. Did you"),
        ((*FIT, "--drop", "agee"), "--drop: there is no"),
        ((*FIT, "--id", "outcome"), "--id must not name the target"),
        ((*FIT, "--categorical", "age", "--numeric", "age"), "got 'age'"),
        (("fit", "nowhere.csv", "--target", "y", "-o", "m"), "nowhere.csv cannot be read: No such file"),
        ((*FIT, "-o", "no/folder"), "-o must be a file in an existing folder"),
        ((*FIT, "-o", "-"), "cannot be written to standard output"),
        ((*FIT, "-o", "patients.csv"), "-o must not be one of the input files"),
        ((*FIT, "--classifier", "c45"), "no classifier 'c45'"),
        ((*FIT, "--decimal", ",", "--thousands", ","), "--thousands must be another sign than --decimal"),
        ((*FIT, "--epsilon", "0.1"), "epsilon is not a parameter of lp-aode*"),
        ((*FIT, "--credibility", "2"), "credibility must lie in"),
        ((*FIT, "--missing", "-9"), "--missing"),
        ((*FIT, "--wrong"), "unrecognized arguments: --wrong"),
        (("fit", "patients.csv", "-o", "m"), "required: --target"),
        ((*EVALUATE, "--folds", "55"), "--folds must be at most"),
        ((*EVALUATE, "--report", "page.pdf"), "--report must end in .html"),
        (("predict", "nothing.skcredal", "patients.csv"), "There is no model file 'nothing.skcredal'"),
        (("predict", "m.skcredal", "patients.csv", "--close-call", 2), "argument --close-call"),
        (("predict", "m.skcredal", "patients.csv", "-o", "answers.docx"), "-o must end in .csv"),
        (("explain", "m.skcredal", "patients.csv", "--row", 61), "--row must be at most 60"),
        (("datasets", "--data", "nowhere"), "--data nowhere"),
        (("datasets", "irises"), "'irises'"),
        (("datasets", "-o", "x.csv"), "-o needs the NAME"),
        (("evalute",), "invalid choice: 'evalute'"),
    ],
)
def test_a_wrong_call_is_one_line_and_exit_code_2(table, arguments, message):
    assert message in refused(2, *arguments)


@pytest.mark.parametrize(
    ("call", "option", "value"),
    [
        *((FIT, option, "x") for option in ("--format", "--decimal", "--thousands", "--encoding", "--ess")),
        *((FIT, option, "x") for option in ("--criterion", "--missing", "--unknown", "--epsilon")),
        *((FIT, "--delimiter", "::"), (FIT, "--header-row", "0"), (FIT, "--max-categories", "1")),
        *((FIT, option, "agee") for option in ("--keep", "--categorical", "--numeric", "--id")),
        *((FIT, "--ess", "-1"), (EVALUATE, "--seed", "-1"), (EVALUATE, "-o", "x.doc")),
        *((EVALUATE, option, "0") for option in ("--jobs", "--runs", "--folds")),
        *((("explain", "m.skcredal", "patients.csv"), "--row", value) for value in ("0", "x")),
        *((EVALUATE, "--classifiers", ","), (("reproduce",), "--setting", "x")),
    ],
)
def test_a_refusal_names_the_option_and_the_value(table, call, option, value):
    said = refused(2, *call, option, value)
    assert option.lstrip("-") in said
    assert value in said


def test_advice_is_in_options_here_and_in_parameters_there(table):
    with limited_to(0):
        for call in (FIT, (*EVALUATE, "--folds", 2, "--classifiers", "aode")):
            advice = refused(1, *call)
            assert "--max-categories" in advice
            assert "set_config" not in advice
        with pytest.raises(ValueError, match=r"set max_categories .*set_config"):
            CredalLogPoolAODE().fit(table.drop(columns="outcome"), table["outcome"])


def test_other_errors_are_one_line_and_exit_code_1(table, monkeypatch):
    assert "patients.csv" in refused(1, "predict", "patients.csv", "patients.csv")

    def fail(*_):
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr("skcredal.classifiers._answers.answers", fail)
    call = ("predict", "m.skcredal", "patients.csv")
    assert refused(1, *call) == "Error: ZeroDivisionError: division by zero (--debug shows where)"
    with pytest.raises(ZeroDivisionError):
        invoke(*call, "--debug")


def test_examples_of_the_help_pages_work_one_after_the_other(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for command in ("datasets", "fit", "predict", "explain", "evaluate"):
        text = run(command, "-h").stdout
        (line,) = (line for line in text.splitlines() if "Example: " in line)
        words = shlex.split(line.partition("Example: ")[2])
        assert words[:2] == ["skcredal", command]
        run(*words[1:])
    written = {path.name for path in Path().iterdir()}
    assert written == {"iris.csv", "iris.skcredal", "answers.csv", "iris.html"}


def test_data_sets_are_listed_and_written(tmp_path):
    rows = {line.split()[0]: line.split()[1:] for line in run("datasets").stdout.splitlines()[1:]}
    assert list(rows) == list_datasets()
    assert rows["wine"] == ["178", "13", "3"]
    assert "iris" in run("datasets", "--data", "openml").stdout
    data = load_dataset("wine")
    found = pd.read_csv(io.StringIO(run("datasets", "wine").stdout), dtype={"class": str})
    np.testing.assert_array_equal(found.drop(columns="class"), data.features)
    assert found["class"].tolist() == data.target.astype(str).tolist()
    good = "@relation g\n@attribute a real\n@attribute c {x,y}\n@data\n1,x\n2,y\n"
    for name, content in (("good", good), ("bad", "@attribute a real\n")):
        (tmp_path / f"{name}.arff").write_text(content)
    result = invoke("datasets", "--data", tmp_path)
    assert (result.exit_code, "good" in result.stdout, "bad.arff" in result.stderr) == (1, True, True)


def test_readers_may_close(table):
    pd.concat([table] * 50).to_csv("many.csv", index=False)
    call = [sys.executable, "-m", "skcredal", "predict", "m.skcredal", "many.csv"]
    with subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as writer:
        assert writer.stdout.readline().startswith(b"predicted,probability_ill,")
        writer.stdout.close()
        assert b"Error" not in writer.stderr.read()
    assert writer.returncode == 0
