"""What the tests of the report share."""

from functools import partial

import pytest

from skcredal.paper._compare import bayesian_signed_rank


@pytest.fixture(scope="module")
def few_samples():
    """Draw 500 samples of each posterior: how many are drawn is the tests' of the comparison to judge."""
    with pytest.MonkeyPatch.context() as patch:
        few = partial(bayesian_signed_rank, n_samples=500)
        patch.setattr("skcredal.paper._displays.tests.bayesian_signed_rank", few)
        patch.setattr("skcredal.paper._beyond._SAMPLES", 500)
        yield
