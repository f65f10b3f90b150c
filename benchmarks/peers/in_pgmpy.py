"""Run by the Python of ``.pgmpy-venv``: probabilities of the networks of pgmpy for a problem, into a file.

    python in_pgmpy.py IN OUT ROWS

Parameters are pgmpy's BDeu estimates with an equivalent sample size of 1, probabilities its own inference.
"""

import json
import logging
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pgmpy
from pgmpy.estimators import BayesianEstimator
from pgmpy.inference import VariableElimination
from pgmpy.models import DiscreteBayesianNetwork

logging.disable(logging.WARNING)


def posteriors(edges, problem, test):
    """Return P(class | row) of a network in which the class is a parent of every feature."""
    k = len(problem["n_states"])
    names = [f"a{j}" for j in range(k)]
    train = pd.DataFrame(problem["train"], columns=names).assign(c=problem["train_labels"])
    states = {name: list(range(v)) for name, v in zip(names, problem["n_states"], strict=True)}
    states["c"] = list(range(problem["n_classes"]))
    network = DiscreteBayesianNetwork([("c", name) for name in names])
    network.add_edges_from([(names[parent], names[child]) for parent, child in edges])
    network.add_nodes_from(["c"])
    estimator = BayesianEstimator(network, train, state_names=states)
    network.add_cpds(*estimator.get_parameters(prior_type="BDeu", equivalent_sample_size=1))
    inference = VariableElimination(network)
    rows = []
    for row in test:
        evidence = dict(zip(names, row, strict=True))
        found = inference.query(["c"], evidence=evidence, show_progress=False)
        rows.append([float(found.get_value(c=c)) for c in states["c"]])
    return np.array(rows)


if __name__ == "__main__":
    source, target, n_rows = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    problem = json.loads(source.read_text(encoding="utf-8"))
    test, k = problem["test"][:n_rows], len(problem["n_states"])
    spodes = [posteriors([(j, i) for i in range(k) if i != j], problem, test) for j in range(k)]
    found = {
        "version": f"pgmpy {pgmpy.__version__}",
        "naive-bayes": posteriors([], problem, test).tolist(),
        "tan": posteriors(problem["edges"], problem, test).tolist(),
        "aode": np.mean(spodes, axis=0).tolist(),
    }
    target.write_text(json.dumps(found), encoding="utf-8")
