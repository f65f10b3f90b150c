"""Tables as two countries' spreadsheets write them, and the options that say how columns are meant."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import skcredal
from skcredal._cli.app import app


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runner = CliRunner()

    def call(*arguments):
        result = runner.invoke(app, list(map(str, arguments)))
        assert result.exit_code == 0, result.output
        return result

    call.refused = lambda *arguments: runner.invoke(app, list(map(str, arguments)))
    return call


def patients(n=80):
    rng = np.random.default_rng(4)
    ill = rng.random(n) < 0.5
    return pd.DataFrame(
        {
            "case": [f"P{i:03}" for i in range(n)],
            "platelets": (rng.normal(260_000, 60_000, n) - 80_000 * ill).round().astype(int),
            "crp": (rng.gamma(2, 4, n) + 12 * ill).round(1),
            "ward": rng.choice(["003", "011", "012"], n),
            "sex": rng.choice(["f", "m"], n),
            "outcome": np.where(ill, "ill", "well"),
        }
    )


def german(number):
    return f"{number:,}".replace(",", " ").replace(".", ",").replace(" ", ".")


def american(number):
    return f"{number:,}"


@pytest.mark.parametrize(("style", "separator"), [(german, ";"), (american, ",")])
def test_spreadsheets_of_two_countries_need_no_options(run, style, separator):
    frame = patients()
    shown = frame.assign(platelets=frame["platelets"].map(style), crp=frame["crp"].map(style))
    shown.to_csv("patients.csv", index=False, sep=separator)
    result = run("fit", "patients.csv", "--target", "outcome", "--id", "case", "-o", "m.skcredal")
    assert "Warning" not in result.stderr
    model = skcredal.load("m.skcredal")
    by_name = {one.name: one for one in model.encoding_}
    assert by_name["platelets"].range == (frame["platelets"].min(), frame["platelets"].max())
    assert by_name["crp"].range == (frame["crp"].min(), frame["crp"].max())
    assert by_name["ward"].states == ("003", "011", "012")
    assert "case" not in by_name
    run("predict", "m.skcredal", "patients.csv", "-o", "answers.csv")
    found = pd.read_csv("answers.csv")
    assert found["case"].tolist() == frame["case"].tolist()
    assert list(found)[:2] == ["case", "predicted"]
    expected = model.predict(frame.drop(columns=["case", "outcome"]))
    assert found["predicted"].tolist() == expected.tolist()
    assert run("explain", "m.skcredal", "patients.csv", "--row", "2").stdout.startswith("Row 2, case P001: ")
    run("evaluate", "patients.csv", "--target", "outcome", "--drop", "case", "--classifiers", "lp-aode-star")


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
@pytest.mark.parametrize(("style", "separator"), [(german, ";"), (american, ",")])
def test_a_spreadsheet_goes_through_all_commands_with_no_option_at_all(run, style, separator, ending):
    """Not one option beyond what to learn and where to write: the answers are those of the plain numbers."""
    frame = patients()
    shown = frame.assign(platelets=frame["platelets"].map(style), crp=frame["crp"].map(style))
    shown.loc[5, "crp"] = None
    frame.loc[5, "crp"] = None
    name = f"patients.{ending}"
    if ending == "csv":
        shown.to_csv(name, index=False, sep=separator, encoding="cp1252")
    else:
        shown.to_excel(name, index=False)
    run("fit", name, "--target", "outcome", "-o", "m.skcredal")
    model = skcredal.load("m.skcredal")
    features = frame.drop(columns="outcome")
    plain = skcredal.CredalLogPoolAODE().fit(features, frame["outcome"])
    run("predict", "m.skcredal", name, "-o", "answers.csv")
    found = pd.read_csv("answers.csv")
    assert found["predicted"].tolist() == plain.predict(features).tolist()
    np.testing.assert_allclose(found["probability_ill"], plain.predict_proba(features)[:, 0], rtol=1e-5)
    said = run("explain", "m.skcredal", name, "--row", "2").stdout
    assert plain.explain(features.iloc[[1]])["sentence"].iloc[0] in " ".join(said.split())
    result = run("evaluate", name, "--target", "outcome", "--report", "page.html")
    for expected in ("lp-aode*", "logistic-regression", "random-forest", "null", "all classes", "undecided"):
        assert expected in result.stdout
    page = Path("page.html").read_text(encoding="utf-8")
    notes = page[page.index('id="notes"') : page.index('id="run"')]
    low, high = (f"{edge:.4g}" for edge in (frame["crp"].min(), frame["crp"].max()))
    assert f'<th scope="row">crp</th><td>numbers from {low} to {high}</td>' in notes
    assert "<td>1 (1%)</td>" in notes
    assert '<th scope="row">ward</th><td>categories</td><td>3 categories: 003, 011, 012</td>' in notes
    by_name = {one.name: one for one in model.encoding_}
    assert by_name["platelets"].range == (frame["platelets"].min(), frame["platelets"].max())


def test_what_was_read_is_said_in_short(run):
    patients().assign(one=1, noise=np.random.default_rng(0).normal(size=80)).to_csv("p.csv", index=False)
    options = ["--target", "outcome", "--drop", "case", "--classifier", "aode", "-o", "m.skcredal"]
    said = " ".join(run("fit", "p.csv", *options).stderr.split())
    assert "Read 4 numeric and 2 categorical columns; left out: one (it has a single value), noise (" in said


def test_columns_can_be_declared(run):
    frame = patients().assign(stage=np.random.default_rng(1).integers(1, 4, 80))
    frame.to_parquet("p.parquet")
    options = ["--target", "outcome", "--drop", "case", "-o", "m.skcredal"]
    run("fit", "p.parquet", *options, "--categorical", "stage")
    by_name = {one.name: one for one in skcredal.load("m.skcredal").encoding_}
    assert by_name["stage"].states == ("1", "2", "3")
    # The same column as numbers, without the option: the model knows that they are categories.
    result = run("predict", "m.skcredal", "p.parquet", "-o", "answers.csv")
    assert "not seen" not in result.stderr
    frame.to_csv("p.csv", index=False)
    run("fit", "p.csv", *options, "--numeric", "ward")
    assert {one.name: one.kind for one in skcredal.load("m.skcredal").encoding_}["ward"] == "numeric"
    result = run.refused("fit", "p.csv", *options, "--numeric", "sex")
    assert result.exit_code == 1
    assert "column 'sex': must be a number, got" in result.stderr


def test_what_predict_met_is_said_in_one_line(run):
    frame = patients()
    frame.to_csv("p.csv", index=False)
    run("fit", "p.csv", "--target", "outcome", "--drop", "case", "-o", "m.skcredal")
    frame.loc[[1, 2], "sex"] = "x"
    frame.loc[3, "crp"] = 9000.0
    frame.to_csv("new.csv", index=False)
    said = run("predict", "m.skcredal", "new.csv", "-o", "answers.csv").stderr
    assert said.splitlines()[-1] == (
        "Note: The table holds categories that the model has not seen in sex (2 rows) and numbers far "
        "outside the training range in crp (1 row)."
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--id", "nobody"], "--id: there is no column 'nobody'"),
        (["--id", "outcome"], "--id must not name the target"),
        (["--categorical", "sex", "--numeric", "sex"], "must name different columns, got 'sex'"),
        (["--thousands", "x"], "--thousands must be"),
        (["--thousands", ",", "--decimal", ","], "--thousands must be another sign than decimal"),
    ],
)
def test_options_that_make_no_sense_are_refused(run, arguments, message):
    patients().to_csv("p.csv", index=False)
    result = run.refused("fit", "p.csv", "--target", "outcome", "-o", "m.skcredal", *arguments)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())


def test_an_id_must_not_hide_an_answer(run):
    patients().rename(columns={"case": "predicted"}).to_csv("p.csv", index=False)
    run("fit", "p.csv", "--target", "outcome", "--id", "predicted", "-o", "m.skcredal")
    result = run.refused("predict", "m.skcredal", "p.csv", "-o", "answers.csv")
    assert result.exit_code == 2
    assert "--id must not be the name of a column of the answers, got 'predicted'" in result.stderr


def test_parameters_of_classifiers_can_be_given(run):
    patients().to_csv("p.csv", index=False)
    options = ["--target", "outcome", "--drop", "case", "-o", "m.skcredal"]
    run(
        *(
            "fit",
            "p.csv",
            *options,
            "--credibility",
            "0.5",
            "--ess",
            "2",
            "--criterion",
            "interval_dominance",
        ),
        *("--treat-missing", "marginalize", "--unknown", "error"),
    )
    found = skcredal.load("m.skcredal").get_params()
    given = {"credibility": 0.5, "ess": 2.0, "criterion": "interval_dominance"}
    given |= {"missing": "marginalize", "handle_unknown": "error"}
    assert {name: found[name] for name in given} == given
    run("fit", "p.csv", *options, "--classifier", "comp-aode-star", "--epsilon", "0.05")
    assert skcredal.load("m.skcredal").epsilon_ == 0.05
    evaluated = ["evaluate", "p.csv", "--target", "outcome", "--drop", "case", "-o", "-"]
    small = run(*evaluated, "--classifiers", "lp-aode-star,ncc", "--credibility", "0.1").stdout
    large = run(*evaluated, "--classifiers", "lp-aode-star,ncc", "--credibility", "0.99").stdout
    assert small != large


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--epsilon", "0.1"], "--epsilon is not a parameter of lp-aode*."),
        (["--credibility", "2"], "--credibility: credibility must lie in"),
        (["--treat-missing", "drop"], "--treat-missing: missing must be"),
        (["--criterion", "x"], "--criterion: criterion must be"),
    ],
)
def test_parameters_that_make_no_sense_are_refused_before_the_table_is_read(run, arguments, message):
    result = run.refused("fit", "no.csv", "--target", "outcome", "-o", "m.skcredal", *arguments)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())


@pytest.mark.parametrize("style", [german, american])
def test_an_excel_file_goes_through_all_commands(run, style):
    """Numbers as numbers, numbers as text, and a second sheet that is not the table."""
    frame = patients()
    shown = frame.assign(platelets=frame["platelets"].map(style), crp=frame["crp"].map(style), age=54.5)
    other = pd.DataFrame({"read me": ["the other sheet has the table"]})
    with pd.ExcelWriter("p.xlsx") as file:
        other.to_excel(file, sheet_name="notes", index=False)
        shown.to_excel(file, sheet_name="table", index=False)
    options = ["--target", "outcome", "--sheet", "table"]
    run("fit", "p.xlsx", *options, "--id", "case", "-o", "m.skcredal")
    by_name = {one.name: one for one in skcredal.load("m.skcredal").encoding_}
    assert by_name["platelets"].range == (frame["platelets"].min(), frame["platelets"].max())
    assert by_name["ward"].states == ("003", "011", "012")
    run("predict", "m.skcredal", "p.xlsx", "--sheet", "table", "-o", "answers.csv")
    assert pd.read_csv("answers.csv")["case"].tolist() == frame["case"].tolist()
    run("explain", "m.skcredal", "p.xlsx", "--sheet", "table", "--row", "1")
    run("evaluate", "p.xlsx", *options, "--drop", "case", "--classifiers", "lp-aode-star")
    result = run.refused("predict", "m.skcredal", "p.xlsx", "--sheet", "nowhere")
    assert result.exit_code != 0
    assert "notes" in result.stderr


def test_the_quality_of_probabilities_is_printed_beside_the_utilities(run):
    patients().to_csv("p.csv", index=False)
    call = ["evaluate", "p.csv", "--target", "outcome", "--drop", "case", "--classifiers", "aode,lp-aode"]
    text = run(*call).stdout
    header = next(line for line in text.splitlines() if "u65" in line)
    assert header.split()[-2:] == ["Brier", "log-loss"]
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize("classifier", ["lp-aode-star", "comp-aode-star"])
def test_explanations_show_the_bin_beside_the_value(run, classifier):
    frame = patients()
    frame.to_csv("p.csv", index=False)
    options = ["--target", "outcome", "--drop", "case", "--classifier", classifier]
    run("fit", "p.csv", *options, "-o", "m.skcredal")
    # LP-AODE* has those of all codings.
    cut = next(one.cuts for one in skcredal.load("m.skcredal").encoding_ if one.name == "crp")[-1]
    row = int((frame["crp"] > cut).to_numpy().argmax())
    text = run("explain", "m.skcredal", "p.csv", "--row", row + 1).stdout
    line = next(line for line in text.splitlines() if line.startswith("  crp"))
    assert f"{frame['crp'][row]:g}, above {cut:.4g}" in line
    assert max(map(len, text.splitlines())) <= 80
