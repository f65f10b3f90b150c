"""Compare our answers with those of other implementations: the tables of ``docs/experiment/results.rst``.

    python -m benchmarks.peers.run

``make peers`` sets up what this needs: Debian's Weka is downloaded into ``benchmarks/build``; Orange and
pgmpy have environments of their own. What cannot be had is left out, and the table says so.
"""

import csv
import json
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
import sklearn
from sklearn.naive_bayes import CategoricalNB

from benchmarks.peers.problems import OURS, read_problems
from benchmarks.peers.weka import UnavailableError, WekaPeer, laplace_naive_proba
from benchmarks.weka import laplace_joint_proba
from skcredal._ties import best_class
from skcredal.evaluation._classifiers import display_name

ROOT = Path(__file__).parents[2]
DATA = ROOT / "docs" / "experiment" / "data"
SUMMARY, ACCURACIES = DATA / "peers.csv", DATA / "peers-weka.csv"
ORANGE, PGMPY = ROOT / ".orange-venv", ROOT / ".pgmpy-venv"
HERE = Path(__file__).parent
# pgmpy takes seconds for each network, and AODE has one for every feature.
PGMPY_FEATURES, PGMPY_ROWS = 10, 20
WEKA = {
    "naive-bayes": ("weka.classifiers.bayes.NaiveBayes", laplace_naive_proba),
    "aode": ("weka.classifiers.bayes.AODE", laplace_joint_proba),
}
HEADER = ["implementation", "what", "compared", "the same", "largest difference", "why not all"]


def is_installed(environment):
    """Tell whether make has set an environment up."""
    return (environment / ".installed").exists()


def compare_cuts(ours, theirs):
    """Return how many columns have the same cuts to the last bit, and the indices of the others."""
    same = [np.array_equal(a, b) for a, b in zip(ours, theirs, strict=True)]
    return sum(same), [j for j, equal in enumerate(same) if not equal]


def known_columns(problem):
    """Yield the known cells of each numeric column, and their classes."""
    for column in problem.numbers.T:
        known = ~np.isnan(column)
        yield column[known].tolist(), problem.labels[known].tolist()


def orange_rows(problems):
    """Return the line of Orange's cuts in the summary."""
    what = "MDL cuts of numeric columns, bit by bit"
    if not is_installed(ORANGE):
        return [["Orange", what, "", "", "", "not to be had here"]]
    columns = [column for problem in problems for column in known_columns(problem)]
    ours = [cuts for problem in problems for cuts in problem.cuts]
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "in", Path(folder) / "out"
        source.write_text(json.dumps(columns), encoding="utf-8")
        subprocess.run([ORANGE / "bin" / "python", HERE / "in_orange.py", source, target], check=True)
        found = json.loads(target.read_text(encoding="utf-8"))
    as_is, different = compare_cuts(ours, [plain for plain, _ in found["cuts"]])
    levelled, _ = compare_cuts(ours, [lowest for _, lowest in found["cuts"]])
    why = "" if not different else f"cuts of equal entropy: with the lowest taken, {levelled} are the same"
    return [[found["version"], what, len(ours), as_is, "", why]]


def weka_rows(problems):
    """Return the lines of Weka in the summary, and the accuracies of its classifiers beside ours."""
    what = "MDL cuts of numeric columns, bit by bit"
    try:
        weka = WekaPeer()
    except UnavailableError as error:
        return [["Weka", what, "", "", "", str(error)]], []
    accuracies, seen, largest = [], Counter(), Counter()
    with weka:
        n_columns = n_same = 0
        for problem in problems:
            if problem.numbers.shape[1]:
                found = weka.cuts(problem.numbers, problem.labels, problem.n_classes)
                n_columns += len(found)
                n_same += compare_cuts(problem.cuts, found)[0]
            if problem.codes.shape[1]:
                line = {"data set": problem.name}
                for name in WEKA:
                    sums, difference = weka_accuracy(weka, problem, name)
                    line |= {f"{name} {key}": value for key, value in sums.items()}
                    seen[name] += len(problem.labels)
                    largest[name] = max(largest[name], difference)
                accuracies.append(line)
    summary = [[weka.version, what, n_columns, n_same, "", ""]]
    for name in WEKA:
        same = seen[name] - sum(line[f"{name} left"] for line in accuracies)
        what = f"answers of {display_name(name)} with Weka's definition on our counts"
        summary.append([weka.version, what, seen[name], same, f"{largest[name]:.0e}", ""])
    return summary, accuracies


def weka_accuracy(weka, problem, name):
    """Return how often ours and Weka's are right, where they differ, and where they still do by definition.

    Weka adds 1 to every count, and its AODE averages joint probabilities. ``left`` is how many answers differ
    once our counts are turned into probabilities in that way: all other differences are of definition. The
    second value is the largest difference of these probabilities.
    """
    sums, largest = Counter(ours=0, theirs=0, differ=0, left=0), 0.0
    class_, definition = WEKA[name]
    for fold, train, test in problem.folds:
        learner, proba = problem.ours(name, fold)
        codes = problem.codes
        theirs = weka.proba(
            class_, codes[train], problem.labels[train], codes[test], problem.n_states, problem.n_classes
        )
        # A training fold may lack a class, which we then leave out and Weka does not.
        columns = np.searchsorted(problem.classes, learner.classes_)
        defined = definition(learner.counts_, codes[test])
        if len(columns) == problem.n_classes:
            largest = max(largest, float(np.abs(defined - theirs).max()))
        our_answer, their_answer = columns[best_class(proba)], best_class(theirs)
        sums["ours"] += int((our_answer == problem.labels[test]).sum())
        sums["theirs"] += int((their_answer == problem.labels[test]).sum())
        sums["differ"] += int((our_answer != their_answer).sum())
        sums["left"] += int((columns[best_class(defined)] != their_answer).sum())
    return dict(sums), largest


def categorical_nb_proba(train, labels, test, n_states, n_classes):
    """Return the probabilities of scikit-learn's CategoricalNB with BDeu's pseudo-counts.

    These differ from feature to feature, 1/(l v_j), and CategoricalNB takes one number: a model for each
    feature, whose factors are multiplied.
    """
    n_c = np.bincount(labels, minlength=n_classes)
    log_prior = np.log((n_c + 1.0 / n_classes) / (n_c.sum() + 1.0))
    log_joint = np.tile(log_prior, (len(test), 1))
    for j, v in enumerate(n_states):
        model = CategoricalNB(alpha=1.0 / (n_classes * v), class_prior=np.exp(log_prior), min_categories=v)
        model.fit(train[:, [j]], labels)
        log_joint += model.predict_joint_log_proba(test[:, [j]]) - model.class_log_prior_
    joint = np.exp(log_joint - log_joint.max(axis=1, keepdims=True))
    return joint / joint.sum(axis=1, keepdims=True)


def categorical_nb_rows(problems):
    """Return the line of scikit-learn's CategoricalNB in the summary."""
    n_rows, same, largest = 0, 0, 0.0
    for problem in problems:
        fold, train, test = problem.folds[0]
        learner, proba = problem.ours("naive-bayes", fold)
        if problem.codes.shape[1] and len(learner.classes_) == problem.n_classes:
            arguments = problem.labels[train], problem.codes[test], problem.n_states, problem.n_classes
            theirs = categorical_nb_proba(problem.codes[train], *arguments)
            n_rows += len(test)
            same += int((best_class(proba) == best_class(theirs)).sum())
            largest = max(largest, float(np.abs(proba - theirs).max()))
    version = f"scikit-learn {sklearn.__version__}"
    return [[version, "CategoricalNB: naive Bayes", n_rows, same, f"{largest:.0e}", ""]]


def pgmpy_rows(problems):
    """Return the lines of pgmpy in the summary: all probabilities by its own inference."""
    if not is_installed(PGMPY):
        return [["pgmpy", "networks", "", "", "", "not to be had here"]]
    n_rows, same, largest, version = 0, Counter(), Counter(), ""
    for problem in problems:
        fold, _, _ = problem.folds[0]
        every = {name: problem.ours(name, fold) for name in OURS}
        is_complete = len(every["aode"][0].classes_) == problem.n_classes
        if not 1 <= problem.codes.shape[1] <= PGMPY_FEATURES or not is_complete:
            continue
        with tempfile.TemporaryDirectory() as folder:
            source, target = Path(folder) / "in", Path(folder) / "out"
            problem.write(source)
            # The version is fixed, so that what a later one will lack does not matter.
            python = [PGMPY / "bin" / "python", "-W", "ignore::FutureWarning"]
            subprocess.run([*python, HERE / "in_pgmpy.py", source, target, str(PGMPY_ROWS)], check=True)
            found = json.loads(target.read_text(encoding="utf-8"))
        version = found["version"]
        n_rows += len(found["aode"])
        for name, (_, proba) in every.items():
            theirs = np.array(found[name])
            ours = proba[: len(theirs)]
            same[name] += int((best_class(ours) == best_class(theirs)).sum())
            largest[name] = max(largest[name], float(np.abs(ours - theirs).max()))
        print(f"pgmpy: {problem.name}", flush=True)
    return [
        [version, f"{display_name(name)}, iss = 1", n_rows, same[name], f"{largest[name]:.0e}", ""]
        for name in OURS
    ]


def write_csv(path, header, lines):
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerows([header, *lines])


def main():
    problems = list(read_problems())
    weka, accuracies = weka_rows(problems)
    rows = [*weka, *orange_rows(problems), *categorical_nb_rows(problems), *pgmpy_rows(problems)]
    write_csv(SUMMARY, HEADER, rows)
    header = ["data set", "rows"]
    header += [f"{name}{part}" for name in ("NB", "AODE") for part in ("", ", Weka's", ", differ", ", left")]
    sizes = {problem.name: len(problem.labels) for problem in problems}
    lines = []
    for line in accuracies:
        n, cells = sizes[line["data set"]], []
        for name in WEKA:
            cells += [f"{line[f'{name} {whose}'] / n:.3f}" for whose in ("ours", "theirs")]
            cells += [line[f"{name} differ"], line[f"{name} left"]]
        lines.append([line["data set"], n, *cells])
    write_csv(ACCURACIES, header, lines)


if __name__ == "__main__":
    main()
