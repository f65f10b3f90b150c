"""The limit of memory: how it is set, and that it is held before anything is allocated."""

import os
import subprocess
import sys
import threading

import numpy as np
import pandas as pd
import pytest

from skcredal import AODE, CredalBmaAODE, CredalCompAODE, config_context, get_config, set_config
from skcredal import _kernels as kernels
from skcredal._ensemble import counting
from skcredal._ensemble.counts import pair_table_bytes

GIB = 1024**3


@pytest.fixture(autouse=True)
def _restore_the_limit():
    before = get_config()["pair_table_limit"]
    yield
    set_config(pair_table_limit=before)


def wide_frame(n=120):
    """Return 2 to 40 states in five columns, and a class."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({f"v{v}": rng.permutation(np.arange(n) % v).astype(str) for v in (7, 40, 2, 30, 20)})
    return X, rng.integers(0, 3, n)


def allocated(clf):
    """Return the bytes of the pair tables that a fitted model holds."""
    tables = clf._tables
    return clf.counts_.n_cab.nbytes + tables.log_ratio.nbytes - 8 * kernels.inference.LANES


def run(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_limit_is_four_gib_unless_told_otherwise():
    environment = {name: text for name, text in os.environ.items() if name != "SKCREDAL_PAIR_TABLE_LIMIT"}
    code = "import skcredal; print(skcredal.get_config())"
    found = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == str({"pair_table_limit": 4 * GIB})


def test_a_limit_that_was_set_stays():
    set_config(pair_table_limit=5)
    assert get_config() == {"pair_table_limit": 5}
    set_config()
    assert get_config() == {"pair_table_limit": 5}


def test_a_context_restores_the_limit_even_after_an_error():
    set_config(pair_table_limit=10)
    with config_context(pair_table_limit=20):
        with config_context(pair_table_limit=30):
            assert get_config()["pair_table_limit"] == 30
        with config_context():
            assert get_config()["pair_table_limit"] == 20
        assert get_config()["pair_table_limit"] == 20
    with pytest.raises(RuntimeError), config_context(pair_table_limit=40):
        raise RuntimeError
    assert get_config()["pair_table_limit"] == 10


def test_a_context_holds_for_its_own_thread_only():
    seen = []
    set_config(pair_table_limit=10)
    with config_context(pair_table_limit=20):
        thread = threading.Thread(target=lambda: seen.append(get_config()["pair_table_limit"]))
        thread.start()
        thread.join()
    assert seen == [10]


def test_what_get_config_returns_is_a_copy():
    get_config()["pair_table_limit"] = 1
    assert get_config()["pair_table_limit"] != 1


@pytest.mark.parametrize("setter", [set_config, lambda **limit: config_context(**limit).__enter__()])
@pytest.mark.parametrize(
    ("limit", "error"), [(-1, ValueError), (1.5, TypeError), ("2 GiB", TypeError), (True, TypeError)]
)
def test_a_bad_limit_is_refused_with_the_rule_and_the_value(setter, limit, error):
    with pytest.raises(error, match=rf"pair_table_limit must be .*at least 0, got {limit!r}\."):
        setter(pair_table_limit=limit)


def test_a_limit_may_be_a_numpy_integer():
    set_config(pair_table_limit=np.int64(7))
    assert get_config()["pair_table_limit"] == 7


def test_the_environment_sets_the_limit_of_worker_processes_too():
    code = (
        "import numpy as np, skcredal\n"
        "print(skcredal.get_config()['pair_table_limit'])\n"
        "X = np.array([['a', 'b'], ['b', 'a']] * 4)\n"
        "skcredal.AODE().fit(X, [0, 1] * 4)"
    )
    refused = run(code, SKCREDAL_PAIR_TABLE_LIMIT="351")
    assert refused.stdout.strip() == "351"
    assert "ValueError: The pair tables of 2 features and 2 classes would take" in refused.stderr
    accepted = run(code, SKCREDAL_PAIR_TABLE_LIMIT="352")
    assert accepted.returncode == 0, accepted.stderr


def test_a_bad_environment_is_refused_by_name():
    """In one process: an import that failed is tried anew. It is made when a name of the package is used."""
    texts = ["-1", "2 GiB", "1e9", ""]
    tried = run(f"""
import os
for text in {texts}:
    os.environ["SKCREDAL_PAIR_TABLE_LIMIT"] = text
    try:
        import skcredal
        skcredal.AODE
    except ValueError as error:
        print(error)
""")
    assert tried.returncode == 0, tried.stderr
    assert tried.stdout.splitlines() == [
        f"SKCREDAL_PAIR_TABLE_LIMIT must be a non-negative whole number of bytes, got {text!r}."
        for text in texts
    ]


# --- The guard ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n_states", "n_classes", "cells"),
    [
        ([], 3, 0),
        ([5], 3, 0),
        ([2, 2], 2, 2 * (4 + 2 * 9)),
        ([2, 3, 5], 4, 4 * (6 + 10 + 15 + 2 * (12 + 18 + 24))),
        ([70_000] * 40, 10, 10 * 780 * (70_000**2 + 2 * 70_001**2)),
    ],
)
def test_the_bytes_are_eight_for_every_count_and_every_logarithm(n_states, n_classes, cells):
    assert pair_table_bytes(n_states, n_classes) == 8 * cells
    assert pair_table_bytes(np.array(n_states, np.int64), n_classes) == 8 * cells


@pytest.mark.parametrize("complete", [True, False])
def test_the_bytes_are_those_that_a_model_holds(complete):
    X, y = wide_frame()
    if not complete:
        X.loc[3, "v7"] = None
    clf = AODE(missing="marginalize").fit(X, y)
    n_states = clf.counts_.layout.n_states
    assert pair_table_bytes(n_states, len(clf.classes_)) == allocated(clf)


@pytest.mark.parametrize("missing", ["impute", "marginalize"])
@pytest.mark.parametrize("hole", [False, True])
def test_a_model_within_the_limit_holds_no_more_than_the_limit(missing, hole):
    """A hole in the training table costs a second table of logarithms where it is not filled."""
    X, y = wide_frame()
    if hole:
        X.loc[3, "v7"] = None
    needed = allocated(AODE(missing=missing).fit(X, y))
    with config_context(pair_table_limit=needed):
        AODE(missing=missing).fit(X, y)
    with config_context(pair_table_limit=needed - 1), pytest.raises(ValueError, match="pair tables"):
        AODE(missing=missing).fit(X, y)


def test_a_cell_outside_the_categories_is_counted_as_a_hole():
    X, y = wide_frame()
    states = [sorted(set(X[name])) for name in X]
    states[1].remove("0")
    clf = AODE(categories=states).fit(X, y)
    with config_context(pair_table_limit=allocated(clf) - 1), pytest.raises(ValueError, match="pair tables"):
        AODE(categories=states).fit(X, y)


@pytest.mark.parametrize("classifier", [AODE, CredalBmaAODE, CredalCompAODE])
def test_the_refusal_names_the_largest_features_and_the_way_out(classifier):
    X, y = wide_frame()
    with config_context(pair_table_limit=1000), pytest.raises(ValueError) as refusal:
        classifier().fit(X, y)
    message = str(refusal.value)
    assert "5 features and 3 classes" in message
    assert "v40 (40 states), v30 (30 states), v20 (20 states)" in message
    assert "v7" not in message
    assert "max_categories" in message
    assert "pair_table_limit" in message


def test_the_refusal_names_features_without_names_by_index():
    X, y = wide_frame()
    with config_context(pair_table_limit=1000), pytest.raises(ValueError, match=r"1 \(40 states\), 3 \(30"):
        AODE().fit(X.to_numpy(), y)


def test_the_suggested_way_out_works():
    X, y = wide_frame()
    needed = pair_table_bytes([5, 5, 2, 5, 5], 3)
    with config_context(pair_table_limit=needed):
        clf = AODE(max_categories=5).fit(X, y)
    assert clf.counts_.layout.n_states.tolist() == [5, 5, 2, 5, 5]


def test_set_config_changes_what_fit_accepts():
    X, y = wide_frame()
    set_config(pair_table_limit=10)
    with pytest.raises(ValueError, match="pair tables"):
        AODE().fit(X, y)
    set_config(pair_table_limit=GIB)
    AODE().fit(X, y)


def test_nothing_is_counted_before_the_refusal(monkeypatch):
    """Tables of 30 TiB: whoever allocates first does not come back with a ValueError."""
    monkeypatch.setattr(counting.kernels.counting, "count_values", lambda *_: pytest.fail("counted"))
    rng = np.random.default_rng(1)
    X = np.stack([rng.permutation(20_000) for _ in range(60)], axis=1)
    with pytest.raises(ValueError, match=r"would take \d+\.\d\d GiB, more than the limit of 4\.00 GiB"):
        AODE(categorical_features="all").fit(X, rng.integers(0, 3, 20_000))
