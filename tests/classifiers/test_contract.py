"""The whole of scikit-learn's contract, for every estimator."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from skcredal import AODE, BmaAODE, CompAODE, CredalBmaAODE, CredalCompAODE, MDLDiscretizer

ESTIMATORS = [
    AODE(),
    AODE(average="joint"),
    BmaAODE(),
    CompAODE(),
    CredalBmaAODE(),
    CredalCompAODE(),
    CredalCompAODE(missing="marginalize", n_jobs=2),
    MDLDiscretizer(),
]


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_contract(estimator, check):
    check(estimator)
