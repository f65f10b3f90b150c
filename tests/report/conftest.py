"""What the tests of pages share."""

from functools import partial

import pytest

from skcredal.experiment.compare import bayesian_signed_rank


@pytest.fixture(scope="module")
def few_samples():
    """Draw 500 samples of each posterior: how many are drawn is the tests' of the comparison to judge."""
    with pytest.MonkeyPatch.context() as patch:
        few = partial(bayesian_signed_rank, n_samples=500)
        patch.setattr("skcredal.report._tests.bayesian_signed_rank", few)
        yield
