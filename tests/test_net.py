"""The answers of today: every classifier, setting and route says of messy tables what it has always said."""

from itertools import islice

import pytest
import sklearn

from net_answers import (
    CLOSE,
    CREDAL,
    EXTRAS,
    PARAMETERS,
    POOLS,
    POOLS_CLOSE,
    TABLES,
    Net,
    answers_along,
    cases,
    differences,
)
from skcredal.classifiers import CredalMixin
from skcredal.evaluation import CLASSIFIERS


@pytest.fixture(scope="module")
def net():
    return Net.read()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    # One for all tests, which write the same few files: to remove hundreds of folders takes seconds.
    return tmp_path_factory.mktemp("net")


@pytest.mark.parametrize("name", TABLES)
def test_the_tables_are_those_of_the_answers(net, name):
    assert TABLES[name].fingerprint() == net.fingerprints[name]


def test_nothing_is_stored_that_no_case_asks_for(net):
    assert {net.key(*case) for case in cases()} == set(net.cases)
    assert {classifier for _, _, classifier, _ in cases()} == set(PARAMETERS)
    # Every classifier has its answers stored.
    kinds = {type(make()) for make in CLASSIFIERS.values()}
    assert set(PARAMETERS) == {kind.__name__ for kind in kinds}
    assert set(CREDAL) == {kind.__name__ for kind in kinds if issubclass(kind, CredalMixin)}


@pytest.mark.parametrize("case", cases(), ids="-".join)
def test_the_answers_are_those_of_before(net, folder, case):
    for package in EXTRAS.get(case[-1], ()):
        pytest.importorskip(package)
    is_pool = case[2] in POOLS
    if is_pool and sklearn.__version__ != net.scikit_learn:
        pytest.skip(f"the answers are those of trees and lines of scikit-learn {net.scikit_learn}")
    found = answers_along(*case, folder)
    close = POOLS_CLOSE if is_pool else CLOSE
    different = list(islice(differences(found, net.answers(case), close), 10))
    assert not different, "\n".join(different)
