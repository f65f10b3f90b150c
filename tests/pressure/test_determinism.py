"""No answer depends on the number of threads, nor on the run."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pressure_problems import CLASSIFIERS, answers, assert_same, messy_table

# More rows than two chunks of the prediction and of the likelihoods have.
N_ROWS = 2500


@pytest.mark.parametrize("missing", ["impute", "marginalize"])
@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_the_number_of_threads_changes_no_bit(classifier, missing):
    X, y = messy_table(N_ROWS)
    weights = np.random.default_rng(0).integers(0, 9, N_ROWS) / 3.0
    everything = [
        {
            "predict_proba": clf.predict_proba(X),
            **answers(clf, X[:50]),
            **{
                name: np.asarray(value)
                for name, value in vars(clf).items()
                if name.endswith("_") and isinstance(value, (float, np.ndarray))
            },
        }
        for n_jobs in (1, 2, 3, -1)
        for clf in [classifier(n_jobs=n_jobs, missing=missing).fit(X, y, sample_weight=weights)]
    ]
    for found in everything[1:]:
        assert_same(found, everything[0])


def digest():
    """Return a hash of all that all classifiers answer."""
    found = hashlib.sha256()
    for classifier in CLASSIFIERS:
        clf = classifier(n_jobs=2)
        if hasattr(clf, "n_regions"):  # the default of this process is another than that of a new one
            clf.set_params(n_regions=2)
        clf.fit(*messy_table(300))
        for method, values in sorted(answers(clf, messy_table(50, seed=1)[0]).items()):
            found.update(values.to_json().encode() if method == "explain" else values.tobytes())
    return found.hexdigest()


def test_another_process_gives_the_same_answers():
    """Hashes of text differ from process to process; no answer hangs on them."""
    seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    other = subprocess.run(
        [sys.executable, "-c", "import test_determinism; print(test_determinism.digest())"],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parent,
        env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert other.stdout.strip() == digest()
