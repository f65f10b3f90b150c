"""The whole chain on the paper's data sets, from the ARFF file to the sets."""

import pytest

from paper_data import PAPER_FEATURES, load_paper_dataset
from skcredal import AODE


@pytest.mark.parametrize(("name", "k"), PAPER_FEATURES.items())
def test_as_many_features_are_kept_as_in_the_paper(name, k):
    data = load_paper_dataset(name)
    assert len(AODE().fit(data.features, data.target).super_parents_) == k
