import threading

import joblib
import pytest

from skcredal._threads import run_in_threads, thread_count


def test_results_come_in_the_order_of_the_tasks():
    assert run_in_threads(lambda x: x * x, range(100), 7) == [x * x for x in range(100)]
    assert run_in_threads(lambda x: x, [], 4) == []


def test_several_threads_work_at_once():
    barrier = threading.Barrier(3, timeout=30)
    # Each task waits for the two others: with fewer than three threads the barrier would break.
    assert len(run_in_threads(lambda _: barrier.wait(), range(3), 3)) == 3


def test_an_error_stops_the_other_threads():
    done = []

    def work(task):
        if task == 0:
            raise ValueError("no")
        done.append(task)

    with pytest.raises(ValueError, match="no"):
        run_in_threads(work, range(100_000), 2)
    assert len(done) < 99_999


@pytest.mark.parametrize(
    ("n_jobs", "error"), [(0, ValueError), (1.5, TypeError), ("2", TypeError), (True, TypeError)]
)
def test_n_jobs_is_checked(n_jobs, error):
    with pytest.raises(error, match=r"n_jobs must be None or a whole number other than 0, got"):
        thread_count(n_jobs)


def test_n_jobs_is_read_as_in_scikit_learn():
    assert thread_count(None) == 1
    assert thread_count(3) == 3
    assert thread_count(-1) == joblib.cpu_count()
    with joblib.parallel_config(backend="threading", n_jobs=2):
        assert thread_count(None) == 2
