import threading

import joblib
import pytest

from skcredal._threads import run_in_threads, thread_count


def test_tasks_run_at_once_and_keep_their_order():
    barrier = threading.Barrier(3, timeout=30)
    # Each task waits for the two others: with fewer than three threads the barrier would break.
    assert len(run_in_threads(lambda _: barrier.wait(), range(3), 3)) == 3
    assert run_in_threads(lambda x: x * x, range(100), 7) == [x * x for x in range(100)]
    assert run_in_threads(lambda x: x, [], 4) == []


def test_n_jobs_is_read_as_in_scikit_learn():
    assert [thread_count(None), thread_count(3), thread_count(-1)] == [1, 3, joblib.cpu_count()]
    with joblib.parallel_config(backend="threading", n_jobs=2):
        assert thread_count(None) == 2
    for n_jobs, error in [(0, ValueError), (1.5, TypeError), ("2", TypeError), (True, TypeError)]:
        with pytest.raises(error, match=rf"n_jobs must be .*whole number.*, got {n_jobs!r}"):
            thread_count(n_jobs)
