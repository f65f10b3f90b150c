from dataclasses import replace

import numpy as np
import pytest

import skcredal
from report_problems import CREDAL, DETERMINATE
from skcredal import AODE, CredalCompAODE
from skcredal.evaluation._baselines import BASELINES
from skcredal.evaluation._fold import splits
from skcredal.evaluation._registry import CLASSIFIERS, is_credal, make_classifiers
from skcredal.paper._run import Plan
from skcredal.paper._studies import studies_of


def test_classifiers_answer_to_the_names_of_the_paper():
    assert list(make_classifiers(["COMP-AODE-star", "aode"])) == ["comp-aode*", "aode"]
    assert type(make_classifiers(["aode"])["aode"]) is AODE
    assert list(make_classifiers()) == list(CLASSIFIERS)
    # Others may join them, the paper's twelve stay.
    assert set(DETERMINATE) <= {name for name in CLASSIFIERS if not is_credal(name)}
    assert set(CREDAL) <= {name for name in CLASSIFIERS if is_credal(name)}
    with pytest.raises(ValueError, match=r"no classifier 'c45'. Choose from aode, bma-aode"):
        make_classifiers(["c45"])


@pytest.mark.parametrize("parameters", [{"folds": 1}, {"runs": 0}, {"seed": -1}, {"setting": "honset"}])
def test_bad_plans_are_refused(parameters):
    with pytest.raises(ValueError, match=rf"{next(iter(parameters))} must be"):
        Plan("embedded", ["iris"], make_classifiers(), **parameters)


def test_each_run_has_splits_of_its_own_and_every_row_is_tested_once():
    target = np.array(["a"] * 30 + ["b"] * 15 + ["c"] * 2, dtype=object)
    first, second = (splits(target, folds=5, run=run, seed=0) for run in (0, 1))
    for run in (first, second):
        assert np.sort(np.concatenate([test for _, test in run])).tolist() == list(range(47))
        for train, test in run:
            assert set(train).isdisjoint(test)
            assert abs((target[test] == "a").sum() - 6) <= 1
    assert any((a[1].tolist() != b[1].tolist()) for a, b in zip(first, second, strict=True))
    again = splits(target, folds=5, run=1, seed=0)
    assert [test.tolist() for _, test in again] == [test.tolist() for _, test in second]
    assert [test.tolist() for _, test in splits(target, folds=5, run=1, seed=1)] != [
        t.tolist() for _, t in again
    ]


def test_baselines_are_asked_for_and_change_no_digest_of_others():
    plan = Plan("embedded", ["iris"], make_classifiers(["aode", "comp-aode*"]), runs=1)
    with_baselines = replace(plan, baselines=True)
    assert plan.names == ["aode", "comp-aode*"]
    assert with_baselines.names == [*plan.names, *BASELINES]
    assert with_baselines.n_fits == 5 * 5
    assert plan.digest("iris", "c", "aode") == with_baselines.digest("iris", "c", "aode")
    for study in studies_of(plan.names):
        assert plan.study_digest("iris", "c", study) == with_baselines.study_digest("iris", "c", study)
    assert len({with_baselines.digest("iris", "c", name) for name in BASELINES}) == 3
    more = replace(plan, classifiers=make_classifiers(["aode", "comp-aode*", "lp-aode", "tan"]))
    # Only these two use LP-AODE, and none TAN.
    changed = [
        s for s in studies_of(plan.names) if plan.study_digest("", "", s) != more.study_digest("", "", s)
    ]
    assert changed == ["rivals", "reliability"]


def test_the_digest_names_all_that_the_numbers_depend_on(monkeypatch):
    plan = Plan("embedded", ["iris"], make_classifiers())
    digest = plan.digest("iris", "checksum", "comp-aode*")
    assert digest == Plan("elsewhere", ["iris", "wine"], make_classifiers(), runs=3).digest(
        "iris", "checksum", "comp-aode*"
    )
    others = [
        plan.digest("iris", "other checksum", "comp-aode*"),
        plan.digest("wine", "checksum", "comp-aode*"),
        plan.digest("iris", "checksum", "bma-aode*"),
        Plan("embedded", ["iris"], make_classifiers(), folds=3).digest("iris", "checksum", "comp-aode*"),
        Plan("embedded", ["iris"], make_classifiers(), seed=3).digest("iris", "checksum", "comp-aode*"),
        Plan("embedded", ["iris"], make_classifiers(), "paper").digest("iris", "checksum", "comp-aode*"),
        Plan("embedded", ["iris"], {"comp-aode*": CredalCompAODE(epsilon=0.02)}).digest(
            "iris", "checksum", "comp-aode*"
        ),
    ]
    monkeypatch.setattr(skcredal, "__version__", "0.0.0")
    others.append(plan.digest("iris", "checksum", "comp-aode*"))
    assert len({digest, *others}) == len(others) + 1
