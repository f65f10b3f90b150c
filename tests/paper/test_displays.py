"""The numbers of a display are tested; of the picture, that it shows them."""

import json
import subprocess
import sys
import textwrap
from functools import partial

import numpy as np
import pandas as pd
import pytest

from report_problems import DATASETS, made_up_studies, made_up_summary
from skcredal.paper._compare import bayesian_signed_rank
from skcredal.paper._displays import (
    AccuracyScatterDisplay,
    BayesianDisplay,
    CriticalDifferenceDisplay,
    EpsilonDisplay,
    RanksDisplay,
    RelativeBrierDisplay,
    RelativeUtilityDisplay,
    ReliabilityDisplay,
    RivalsDisplay,
    SafeDependentDisplay,
    SetAsideDisplay,
)

matplotlib = pytest.importorskip("matplotlib")

DISPLAYS = {
    AccuracyScatterDisplay: {"classifier": "comp-aode"},
    RanksDisplay: {},
    RelativeBrierDisplay: {"classifier": "comp-aode"},
    RelativeUtilityDisplay: {"classifier": "comp-aode*"},
    SafeDependentDisplay: {"classifier": "comp-aode*"},
}
each_display = pytest.mark.parametrize(
    "display", [partial(kind.from_summary, **options) for kind, options in DISPLAYS.items()]
)


def drawn(display):
    """Draw a display, and return its axes."""
    from matplotlib.figure import Figure

    ax = Figure(figsize=display.figure_size).add_subplot()
    display.plot(ax)
    return ax


@pytest.fixture(scope="module")
def summary():
    return made_up_summary()


def column(summary, classifier, name):
    rows = summary[summary["classifier"] == classifier]
    return dict(zip(rows["dataset"], rows[name], strict=True))


def table(**by_classifier):
    """Return a summary of one measure, a list of values per classifier."""
    measure = by_classifier.pop("measure")
    rows = [
        {"dataset": f"set {index}", "classifier": name.replace("_", "-"), "accuracy": value, measure: value}
        for name, values in by_classifier.items()
        for index, value in enumerate(values)
    ]
    return pd.DataFrame(rows)


def test_the_accuracies_are_those_of_the_summary(summary):
    display = AccuracyScatterDisplay.from_summary(summary, classifier="bma-aode")
    assert display.datasets == list(DATASETS)
    assert display.x == list(column(summary, "bma-aode", "accuracy").values())
    assert display.y == list(column(summary, "aode", "accuracy").values())


def test_the_order_of_the_rows_does_not_mix_data_sets_up(summary):
    shuffled = summary.sample(frac=1.0, random_state=0)
    display = AccuracyScatterDisplay.from_summary(shuffled, classifier="tan")
    assert dict(zip(display.datasets, display.x, strict=True)) == column(summary, "tan", "accuracy")
    assert dict(zip(display.datasets, display.y, strict=True)) == column(summary, "aode", "accuracy")


def test_the_caption_of_accuracies_counts_ties_up_to_rounding():
    found = table(measure="brier", aode=[0.9, 0.8, 0.3, 0.7], comp_aode=[0.8, 0.7, 0.1 + 0.2, 0.8])
    assert AccuracyScatterDisplay.from_summary(found, classifier="comp-aode").caption == (
        "AODE has the higher accuracy on 2 of 4 data sets, COMP-AODE on 1, and both are equal on 1."
    )


def test_relative_brier_losses_are_quotients(summary):
    display = RelativeBrierDisplay.from_summary(summary, classifier="maplmg")
    above, below = column(summary, "maplmg", "brier"), column(summary, "aode", "brier")
    np.testing.assert_allclose(display.ratio, [above[name] / below[name] for name in display.datasets])
    lower = sum(above[name] < below[name] for name in DATASETS)
    assert f"lower Brier loss on {lower} of 8 data sets" in display.caption


def test_a_reference_without_loss_leaves_its_data_set_out():
    found = table(measure="brier", aode=[0.0, 0.2], comp_aode=[0.1, 0.1])
    display = RelativeBrierDisplay.from_summary(found, classifier="comp-aode")
    assert (display.datasets, display.ratio) == (["set 1"], [0.5])
    found = table(measure="brier", aode=[0.0], comp_aode=[0.1])
    with pytest.raises(ValueError, match="Brier loss of aode is not 0, has none"):
        RelativeBrierDisplay.from_summary(found, classifier="comp-aode")


def test_data_sets_without_prior_dependent_rows_are_left_out(summary):
    display = SafeDependentDisplay.from_summary(summary, classifier="bma-aode*")
    known = {name: x for name, x in column(summary, "bma-aode*", "accuracy_dependent").items() if x == x}
    assert display.n_left_out == 2
    assert dict(zip(display.datasets, display.dependent, strict=True)) == known
    assert display.caption.startswith("BMA-AODE is more accurate on the safe")
    assert display.caption.endswith("2 data sets without both kinds left out.")


def test_relative_utilities_are_those_over_the_accuracy_of_the_counterpart(summary):
    display = RelativeUtilityDisplay.from_summary(summary, classifier="bma-aode*")
    accuracy = column(summary, "bma-aode", "accuracy")
    for utility in ("u65", "u80"):
        expected = [value / accuracy[name] for name, value in column(summary, "bma-aode*", utility).items()]
        np.testing.assert_allclose(getattr(display, utility), expected)
    assert "above the accuracy of BMA-AODE on" in display.caption


def test_ranks_average_ties_and_have_the_critical_distance_of_the_table():
    """Demšar (2006, table 5): q is 2.343 for three classifiers at 5 %."""
    found = table(measure="u65", cdt=[0.7, 0.9, 0.5, 0.5], cma=[0.8, 0.9, 0.6, 0.4], ncc=[0.9, 0.8, 0.7, 0.3])
    display = RanksDisplay.from_summary(found, classifiers=["cdt", "cma", "ncc"])
    # Ranks: 3 2 1, then 1.5 1.5 3, then 3 2 1, then 1 2 3.
    np.testing.assert_allclose(display.ranks, [8.5 / 4, 7.5 / 4, 2.0])
    assert display.critical_distance == pytest.approx(2.343 * np.sqrt(3 * 4 / (6 * 4)), abs=1e-3)
    assert "CMA has the best average rank under u65, 1.88 over 4 data sets" in display.caption
    assert "not significantly better" in display.caption


def test_ranks_name_who_is_significantly_worse():
    rng = np.random.default_rng(0)
    noise = rng.normal(0.0, 0.01, 40)
    found = table(measure="u80", cdt=0.5 + noise, cma=0.8 + noise, ncc=0.8 - noise)
    display = RanksDisplay.from_summary(found, classifiers=["cdt", "cma", "ncc"], measure="u80")
    assert "significantly better than CDT (" in display.caption


def test_the_utility_of_a_determinate_classifier_is_its_accuracy(summary):
    display = RanksDisplay.from_summary(summary, classifiers=["aode", "ncc"], measure="u80")
    aode, ncc = column(summary, "aode", "accuracy"), column(summary, "ncc", "u80")
    assert display.ranks[0] == np.mean([1.0 if aode[name] > ncc[name] else 2.0 for name in DATASETS])


def test_ranks_use_the_data_sets_that_all_have(summary):
    lacking = summary[(summary["dataset"] != "iris") | (summary["classifier"] != "cma")]
    assert RanksDisplay.from_summary(lacking).n_datasets == 7


@each_display
def test_what_cannot_be_shown_is_refused(display, summary):
    with pytest.raises(ValueError, match=r"must have the classifier .*, has null\."):
        display(summary[summary["classifier"] == "null"])
    with pytest.raises(ValueError, match="is empty"):
        display(summary.head(0))
    with pytest.raises(ValueError, match="lacks dataset, classifier"):
        display(pd.DataFrame())
    with pytest.raises(ValueError, match="one row for aode on anneal, has several"):
        display(pd.concat([summary, summary.head(1)]))
    measures = [*summary.columns[5:]]
    with pytest.raises(ValueError, match=r"must have a data set with .*, has none"):
        display(summary.assign(**dict.fromkeys(measures, float("nan"))))


@each_display
def test_json_can_hold_what_is_drawn(display, summary):
    shown = display(summary)
    numbers = json.loads(json.dumps(shown.numbers(), allow_nan=False))
    again = type(shown)(**numbers)
    assert again.numbers() == shown.numbers()
    assert again.caption == shown.caption
    assert shown.caption.endswith(".")


@each_display
@pytest.mark.parametrize("n", [1, 2])
def test_few_data_sets_can_be_drawn(display, n):
    drawn(display(made_up_summary(DATASETS[:n]))).figure.canvas.draw()


@pytest.mark.parametrize(
    ("display", "attributes"),
    [
        (AccuracyScatterDisplay, ("x", "y")),
        (SafeDependentDisplay, ("dependent", "safe")),
        (RelativeBrierDisplay, ("ratio",)),
        (RelativeUtilityDisplay, ("u65", "u80")),
        (RanksDisplay, ("ranks",)),
    ],
)
def test_every_value_is_a_visible_point(display, attributes, summary):
    shown = display.from_summary(summary, **DISPLAYS[display])
    ax = drawn(shown)
    groups = [group for group in ax.collections if (group.get_gid() or "").startswith("points")]
    points = np.concatenate([group.get_offsets() for group in groups])
    low, high = np.sort([ax.get_xlim(), ax.get_ylim()]).T
    assert ((points > low) & (points < high)).all()
    for name in attributes:
        assert set(np.round(getattr(shown, name), 9)) <= set(np.round(points.ravel(), 9))


def test_points_are_named_in_the_order_they_are_drawn(summary):
    for display in (RelativeBrierDisplay, RelativeUtilityDisplay):
        shown = display.from_summary(summary, **DISPLAYS[display])
        for group in drawn(shown).collections:
            if names := shown.point_names.get(group.get_gid()):
                values = [float(name.rpartition(": ")[2].split()[0]) for name in names]
                np.testing.assert_allclose(group.get_offsets()[:, 0], values, atol=5e-4)


def test_names_of_data_sets_are_no_mathematics():
    strange = "$\\frac{$ and _ & <b>"
    summary = made_up_summary([strange, "x" * 100])
    ax = drawn(RelativeBrierDisplay.from_summary(summary, classifier="comp-aode"))
    ax.figure.canvas.draw()
    written = [tick.get_text() for tick in ax.get_yticklabels()]
    assert strange in written
    assert "x" * 23 + "…" in written


def test_numbers_need_no_matplotlib():
    code = """
    import sys
    class Blocker:
        def find_spec(self, name, path=None, target=None):
            if name.partition(".")[0] == "matplotlib":
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    sys.meta_path.insert(0, Blocker())
    import pandas as pd
    from skcredal.paper._page import render_page
    from skcredal.paper._report import report_data
    summary = pd.DataFrame({
        "dataset": "iris", "classifier": ["aode", "comp-aode"], "accuracy": 0.9, "brier": [0.2, 0.1]
    })
    data = report_data(summary, [], {})
    print(len(data["figures"]))
    try:
        render_page(data)
    except ImportError as error:
        print(error)
    """
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    n_figures, message = result.stdout.splitlines()
    assert n_figures == "3"
    assert message == "A report needs matplotlib. Install it with: pip install 'skcredal[paper]'"


@pytest.fixture(scope="module")
def studies():
    return made_up_studies()


def test_the_lines_of_epsilon_are_means_over_the_data_sets_that_have_them(studies):
    table = studies["epsilon"]
    display = EpsilonDisplay.from_table(table.sample(frac=1.0, random_state=0), measure="set_accuracy")
    assert display.epsilon == [0.001, 0.01, 0.1]
    rows = table[(table["series"] == "comp-aode*") & (table["epsilon"] == 0.01)]
    assert display.values["comp-aode*"][1] == pytest.approx(rows["set_accuracy"].mean())
    assert display.values["bma-aode*"][2] is None
    assert display.n_datasets["bma-aode*"] == [8, 8, 0]
    assert "From ε = 0.001 to 0.1, the accuracy of the sets of several classes" in display.caption
    lines = {line.get_label(): line for line in drawn(display).lines}
    np.testing.assert_allclose(lines["COMP-AODE*"].get_ydata()[:2], display.values["comp-aode*"][:2])


def test_what_is_set_aside_is_averaged(studies):
    table = studies["set-aside"]
    display = SetAsideDisplay.from_table(table)
    rows = table[(table["series"] == "robustness") & (table["set_aside"] == 0.5)]
    assert display.accuracy["robustness"][2] == pytest.approx(rows["accuracy"].mean())
    assert "with 10 % and 50 % of the rows set aside" in display.caption
    assert drawn(display).get_xlim()[1] > 50.0


def test_rivals_are_differences_to_comp_aode_star(studies):
    table = studies["rivals"]
    display = RivalsDisplay.from_table(table, utility="u80")
    wide = table[table["judged_by"] == "u80"].pivot(index="dataset", columns="series", values="utility")
    expected = wide["utility-optimal, aode"] - wide["comp-aode*"]
    found = dict(zip(display.datasets, display.difference["utility-optimal, aode"], strict=True))
    assert found == pytest.approx(expected.to_dict())
    assert f"mean u80 of {wide['comp-aode*'].mean():.3f} over 8 data sets" in display.caption
    names = [text.get_text() for text in drawn(display).get_yticklabels()]
    assert sorted(names) == ["conformal 90 %, COMP-AODE", "utility-optimal, AODE"]


@pytest.mark.parametrize("alike", [False, True])
def test_reliability_is_that_of_all_rows(studies, alike):
    """Row by row: as many copies of each mean as the bin has rows."""
    table = studies["reliability"]
    display = ReliabilityDisplay.from_table(table.sample(frac=1.0, random_state=0), alike=alike)
    rows = table[(table["series"] == "lp-aode") & (table["rows"] > 0)]
    per_dataset = rows.groupby("dataset")["rows"].sum()
    for index, (_, of_bin) in enumerate(rows.groupby("at_most")):
        n = of_bin["rows"].astype(int).to_numpy()
        weight = np.repeat(1.0 / per_dataset[of_bin["dataset"]].to_numpy() if alike else np.ones(len(n)), n)
        right = np.average(np.repeat(of_bin["accuracy"].to_numpy(), n), weights=weight)
        assert display.accuracy["lp-aode"][index] == pytest.approx(right)
        assert display.rows["lp-aode"][index] == n.sum()
    total = sum(display.weight["lp-aode"])
    assert total == pytest.approx(8.0 if alike else rows["rows"].sum())
    gaps = np.subtract(display.probability["lp-aode"], display.accuracy["lp-aode"])
    assert display.calibration_error("lp-aode") == pytest.approx(
        sum(np.abs(gaps) * display.weight["lp-aode"]) / total
    )
    assert f"LP-AODE {display.calibration_error('lp-aode'):.3f} (" in display.caption
    lines = {line.get_label(): line for line in drawn(display).lines}
    np.testing.assert_allclose(lines["LP-AODE"].get_ydata(), display.accuracy["lp-aode"])


def test_critical_differences_join_who_does_not_differ():
    found = table(measure="u65", aode=[0.9] * 30, tan=[0.8] * 30, null=[0.1, 0.95] * 15)
    display = CriticalDifferenceDisplay.from_summary(found)
    assert display.ranks == [1.5, 2.5, 2.0]
    assert np.array(display.p_values)[0, 1] < 0.001
    assert display.caption.startswith(
        "Under u65 over 30 data sets, AODE ranks best (1.50) and does not differ"
    )
    written = {text.get_text() for text in drawn(display).texts}
    assert written == {"AODE (1.50)", "null (2.00)", "(2.50) TAN"}


def test_bayesian_comparisons_are_those_of_the_test(summary):
    pairs = [("aode", "tan"), ("comp-aode*", "cdt"), ("aode", "absent")]
    display = BayesianDisplay.from_summary(summary, pairs=pairs, measure="u65")
    assert display.pairs == pairs[:2]
    expected = bayesian_signed_rank(
        list(column(summary, "aode", "accuracy").values()),
        list(column(summary, "tan", "accuracy").values()),
    )
    assert (display.left[0], display.rope[0], display.right[0]) == (
        expected.left,
        expected.rope,
        expected.right,
    )
    sure = table(measure="accuracy", aode=[0.9] * 12, tan=[0.5] * 12)
    caption = BayesianDisplay.from_summary(sure, pairs=[("tan", "aode")], measure="accuracy").caption
    assert caption.endswith("AODE is better than TAN (1.00).")
    widths = [bar.get_width() for bar in drawn(display).patches]
    assert sum(widths) == pytest.approx(2.0)


@pytest.mark.parametrize("display", [EpsilonDisplay, ReliabilityDisplay, RivalsDisplay, SetAsideDisplay])
def test_a_table_of_another_study_is_refused(display, studies):
    with pytest.raises(ValueError, match="is empty"):
        display.from_table(pd.DataFrame())
    other = studies["rivals" if display is not RivalsDisplay else "epsilon"]
    with pytest.raises(ValueError, match="must have the columns of"):
        display.from_table(other)
