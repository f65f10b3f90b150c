"""The limit of memory: how it is set, and that it is kept before anything is allocated."""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from skcredal import AODE, CredalBmaAODE, LogPoolAODE, get_config, set_config
from table_limits import limited_to


def run(text):
    code = "import skcredal; print(skcredal.get_config()['pair_table_limit'])"
    environment = {name: value for name, value in os.environ.items() if "PAIR_TABLE" not in name}
    environment |= {} if text is None else {"SKCREDAL_PAIR_TABLE_LIMIT": text}
    found = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    return found.stdout.strip() or found.stderr.splitlines()[-1]


def test_the_limit_comes_from_the_environment_or_is_four_gib():
    assert [run(None), run("351")] == [str(4 * 1024**3), "351"]
    assert run("2 GiB").startswith("ValueError: SKCREDAL_PAIR_TABLE_LIMIT")


@pytest.mark.parametrize(("limit", "error"), [(-1, ValueError), (1.5, TypeError), (True, TypeError)])
def test_a_bad_limit_is_refused_with_the_rule_and_the_value(limit, error):
    with pytest.raises(error, match=rf"pair_table_limit must be .*at least 0, got {limit!r}\."):
        set_config(pair_table_limit=limit)
    with limited_to(np.int64(7)):
        set_config()
        assert get_config() == {"pair_table_limit": 7}


@pytest.mark.parametrize("classifier", [AODE, CredalBmaAODE, LogPoolAODE])
def test_the_refusal_names_the_largest_features_and_the_way_out(classifier):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({f"v{v}": rng.permutation(np.arange(120) % v).astype(str) for v in (7, 40, 2, 30, 20)})
    y = rng.integers(0, 3, 120)
    with limited_to(1000), pytest.raises(ValueError) as refusal:
        classifier().fit(X, y)
    for text in ("v40 (40 states), v30 (30 states), v20 (20 states)", "max_categories", "pair_table_limit"):
        assert text in str(refusal.value)
    with limited_to(1_000_000):
        classifier(max_categories=5).fit(X, y)
