"""LP-AODE and LP-AODE*: the logarithmic pool of SPODEs, regions and a line (§12, §14). Not from the paper."""

from __future__ import annotations

import warnings
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from skcredal._arrays import BoolArray, FloatArray, IntArray
from skcredal._encoding.encoding import EncodedTable
from skcredal._encoding.regions import Regions
from skcredal._ensemble.counts import Counts
from skcredal._ensemble.explain import describe_odds, with_sentences
from skcredal._ensemble.log_pool import PoolEvidence, WeightSet, pooled
from skcredal._ensemble.pool_weights import ENOUGH, PoolWeights, pool_weights
from skcredal._threads import one_blas_thread, run_in_threads, thread_count
from skcredal._validation import warn
from skcredal.classifiers._aode import spode_answers
from skcredal.classifiers._base import TabularClassifier
from skcredal.classifiers._credal import CredalMixin
from skcredal.classifiers._experts import Experts, count_part
from skcredal.classifiers._rows import Part, Rows, row_hashes

if TYPE_CHECKING:
    import pandas

__all__ = ["CredalLogPoolAODE", "Expert", "LogPoolAODE"]

# Folds that the rows are dealt into, and the fewest rows that are: with fewer, the prior weights stay (§14).
MOST_FOLDS, ROWS_PER_FOLD, LEAST_ROWS = 10, 3, 6


class Expert(NamedTuple):
    """An expert of a pool: a SPODE with the name or index of its super-parent, the regions, or the line."""

    kind: str
    super_parent: Any


class LogPoolAODE(TabularClassifier):
    """LP-AODE: a logarithmic pool of SPODEs, regions of the table, and a line.

    AODE averages the probabilities of its SPODEs. This classifier takes a weighted sum of their logarithms,
    together with two other experts: regions of the table, the leaves of randomised trees, which are
    super-parents like the features; and a line, by logistic regression, which keeps the order of numbers. The
    weights are those with which the pool as a whole best predicts the classes of training rows that none of
    its experts has seen.

    This is our own method, not the paper's. Its definition and the proofs are in the documentation, under
    theory, §12 and §14.

    Parameters
    ----------
    ess : float, default=4.0
        Equivalent sample size of the BDeu prior over the parameters, from 1e-6 to 1e6.
    n_regions : int, default=20
        How many randomised trees divide the table into regions; 0 for none.
    line : bool, default=True
        Whether one of the experts is a line, fitted by logistic regression.
    max_rows : int, default=5000
        The largest number of training rows from which trees, line and weights are learned. Cuts and counts
        always come from all rows.
    random_state : int, default=0
        Seed for choosing these rows, growing the trees and assigning rows to folds.
    categorical_features : {"from_dtype", "all"} or array-like, default="from_dtype"
        Which features are categorical besides those with text, booleans or declared categories.
    categories : "auto" or list of array-like, default="auto"
        The states of each categorical feature; ``"auto"``: those its dtype declares, or else those observed.
    missing : {"impute", "marginalize"}, default="impute"
        Whether a missing value becomes the training median or mode, or is left out.
    handle_unknown : {"ignore", "error"}, default="ignore"
        Whether an unknown value is left out or raises an error.
    max_categories : int, optional
        The largest number of states of a categorical feature; the rarest are merged into one.
    n_jobs : int, optional
        Number of threads; ``None`` means one, -1 means all cores. The answers do not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_features_in_ : int
        Number of features seen in :meth:`fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if ``X`` has column names and all of them are strings.
    counts_ : Counts
        How often each class, value and pair of values was seen.
    regions_ : ndarray of shape (n_regions,)
        The number of leaves of each tree; empty without trees.
    experts_ : list of Expert
        The experts, as named tuples of ``kind`` and ``super_parent``: ``"spode"`` for each feature with two
        bins or observed values (its name, or else index), then ``"regions"`` and ``"line"``.
    weights_ : ndarray of shape (n_experts,)
        The weight of each expert. Their sum is free: the larger it is, the sharper are the probabilities.
    null_weight_ : float
        The weight of the null model, which knows only the class frequencies. It may be negative.
    covariance_ : ndarray of shape (1 + n_experts, 1 + n_experts)
        How uncertain the weights are, the null model first; 0 for a weight at its bound.

    Warns
    -----
    ConvergenceWarning
        If the weights may be so far from the best ones that the log-odds of a training row are off by more
        than 1e-6.

    See Also
    --------
    CredalLogPoolAODE : The same with a set of weights instead of the best ones alone.
    MaplmgAODE : The linear mixture that best predicts each row from all others.

    Notes
    -----
    The pool is ``P(c|a) ∝ exp Σ_j w_j log p_j(c|a)``. Its weights minimise the log-loss of training rows,
    plus a penalty that draws them towards equal weights of SPODEs, regions and line. The rows are split into
    ten folds (fewer if there are fewer than 30 rows). For each fold, cuts, states, trees, line and counts are
    learned anew from the others: an expert is judged by rows that it has not seen. The weights are at least
    0, that of the null model at least -1. If the value of its super-parent is unknown, a SPODE falls back on
    the class frequencies.

    The answers depend on the order of rows and columns, on the names of classes and categories, on monotone
    changes of a number, on ``random_state``, and on the version of scikit-learn, which grows the trees. A row
    of weight 2 is not exactly the same as two rows, which may fall into different folds. Fitting takes longer
    than with the other classifiers, because everything is learned once for each fold; ``n_jobs`` shares the
    folds among threads.

    References
    ----------
    C. Genest and J. V. Zidek, "Combining probability distributions: a critique and an annotated
    bibliography", Statistical Science 1, 1986, on logarithmic pools.

    Examples
    --------
    >>> import pandas as pd
    >>> fruit = pd.DataFrame(
    ...     {
    ...         "colour": ["red", "red", "green", "green", "yellow", "yellow"],
    ...         "weight": [150.0, 160.0, 140.0, None, 120.0, 118.0],
    ...     }
    ... )
    >>> kind = ["apple", "apple", "apple", "apple", "banana", "banana"]
    >>> from skcredal import LogPoolAODE
    >>> clf = LogPoolAODE().fit(fruit, kind)
    >>> clf.predict_proba(pd.DataFrame({"colour": ["yellow"], "weight": [121.0]})).round(2)
    array([[0.02, 0.98]])
    >>> clf.experts_[1:3]
    [Expert(kind='spode', super_parent='weight'), Expert(kind='regions', super_parent=None)]
    >>> clf.weights_.round(2)
    array([0.29, 0.29, 0.97, 0.49])
    """

    _scores = ("weights_", "null_weight_", "covariance_", "_trees", "_line")

    _experts: Experts

    def __init__(
        self,
        *,
        ess: float = 4.0,
        n_regions: int = 20,
        line: bool = True,
        max_rows: int = 5000,
        random_state: int = 0,
        categorical_features: Any = "from_dtype",
        categories: Any = "auto",
        missing: str = "impute",
        handle_unknown: str = "ignore",
        max_categories: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.ess = ess
        self.n_regions = n_regions
        self.line = line
        self.max_rows = max_rows
        self.random_state = random_state
        self._keep_shared(categorical_features, categories, missing, handle_unknown, max_categories, n_jobs)

    def _sample_size(self) -> tuple[int, int]:
        return int(self.max_rows), int(self.random_state)

    def _used_columns(self) -> set[int]:
        return self._experts.columns

    def _count(self, rows: Rows) -> None:
        """Learn the experts and their weights, once for all classifiers of the same rows and parameters."""
        parameters = self.ess, self.n_regions, self.line, *self._sample_size()
        experts, found = rows.once(lambda: self._learn_pool(rows), parameters)
        self.counts_, self._trees, self._line = experts.counts, experts.trees, experts.line
        self.null_weight_, self.weights_ = float(found.weights[0]), found.weights[1:]
        self.covariance_ = found.covariance

    def _learn_pool(self, rows: Rows) -> tuple[Experts, PoolWeights]:
        n_classes, n_threads = len(rows.classes), thread_count(self.n_jobs)
        self._refuse_large_tables(rows.encoding)
        sample = rows.sample(*self._sample_size())

        def count_all(trees: Regions | None) -> Counts:
            if trees is not None:
                self._refuse_large_tables(rows.encoding, int(trees.n_leaves.sum()))
            return rows.sum(lambda part: count_part(part, trees, n_classes, n_threads), "counts")

        with one_blas_thread(), warnings.catch_warnings():
            # That of scikit-learn: the line stands for the minimum, which it reaches but for rounding.
            warnings.simplefilter("ignore", ConvergenceWarning)
            settings = int(self.n_regions), bool(self.line), int(self.random_state), float(self.ess)
            whole = Experts.learn(sample, n_classes, count_all, *settings)
            logs = self._out_of_fold(sample, whole, learns_encoding=rows.learns_encoding)
        # If nothing is known about a row, the frequencies answer for it, for any weights.
        used = whole.speaks(sample.rows)[: len(logs)]
        labels, weights = sample.labels[: len(logs)][used], sample.weights[: len(logs)][used]
        found = pool_weights(logs[used], labels, weights, whole.sizes)
        if found.error > ENOUGH:
            warn(
                f"The weights did not converge: log-odds of training rows may be off by {found.error:.1e}.",
                ConvergenceWarning,
            )
        return whole, found

    def _out_of_fold(self, sample: Part, whole: Experts, *, learns_encoding: bool) -> FloatArray:
        """Return what experts say about a row they have not seen, (n, n_classes, 1 + m); no rows if too few.

        For each fold, everything is learned anew from the others. Logarithms are those over the first class.
        """
        n, n_classes, seed = len(sample.labels), len(self.classes_), int(self.random_state)
        logs = np.zeros((n, n_classes, 1 + sum(whole.sizes)))
        if n < LEAST_ROWS or n_classes == 1:
            return logs[:0]
        fold_of = deal(sample, seed)
        settings = len(whole.counts.n_leaves), whole.line is not None, seed, whole.ess

        def ask(fold: int) -> None:
            own, others = sample.select(fold_of == fold), sample.select(fold_of != fold)
            if learns_encoding:
                labelled = others.labels, others.weights, n_classes
                encoding = whole.encoding.learned_from(others.rows.cells, *labelled)
                own, others = own.encoded(encoding), others.encoded(encoding)
            count_others = partial(count_part, others, n_classes=n_classes)
            experts = Experts.learn(others, n_classes, count_others, *settings)
            logs[fold_of == fold, 1:] = experts.odds(own.rows, whole).transpose(2, 1, 0)

        run_in_threads(ask, range(int(fold_of.max()) + 1), thread_count(self.n_jobs))
        return logs

    def _derive(self) -> None:
        self._experts = Experts(self._encoding, self._trees, self._line, self.counts_, float(self.ess))
        self.experts_ = [Expert("spode", name) for name in self.features_.tolist()]
        self.experts_ += [Expert("regions", None)] * (self._trees is not None)
        self.experts_ += [Expert("line", None)] * (self._line is not None)
        self.regions_ = self.counts_.n_leaves

    def spode_proba(self, X: Any) -> FloatArray:
        """Return the probabilities that each SPODE gives, without regions and line.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_features)
            The rows to classify.

        Returns
        -------
        proba : ndarray of shape (n_rows, k, n_classes)
            The probabilities, SPODEs in the order of ``experts_``, columns as in ``classes_``; NaN where the
            value of the super-parent is unknown.
        """
        return self._over_rows(X, lambda model, chunk: spode_answers(model._experts.tables, chunk.states))

    def _said(self, chunk: EncodedTable) -> tuple[FloatArray, BoolArray]:
        """Return what the experts say about rows, and which rows know anything."""
        return self._experts.odds(chunk, self._experts), self._experts.speaks(chunk)

    def _posterior(self, chunk: EncodedTable) -> FloatArray:
        weights = np.append(self.null_weight_, self.weights_)
        return pooled(weights, *self._said(chunk), self._experts.tables.log_c)


def deal(sample: Part, seed: int) -> IntArray:
    """Return the fold of each row: class by class, and inside a class by the hash of its number (§14)."""
    n = len(sample.labels)
    order, fold_of = np.lexsort((row_hashes(sample.numbers, seed), sample.labels)), np.empty(n, np.int64)
    fold_of[order] = np.arange(n) % min(MOST_FOLDS, n // ROWS_PER_FOLD)
    return fold_of


class CredalLogPoolAODE(CredalMixin, LogPoolAODE):
    """LP-AODE*: the logarithmic pool of SPODEs, regions and a line, with a set of weights.

    The fewer training rows there are, the less certain are the weights of the pool. This classifier takes all
    weights in an ellipsoid around the best ones, and :meth:`predict_set` returns the classes that no other
    class beats under all of them; a closed form decides this exactly. :meth:`predict` and
    :meth:`predict_proba` answer with the best weights, like :class:`LogPoolAODE`.

    This is our own method, not the paper's. Its definition and the proofs are in the documentation, under
    theory, §12 and §14.

    Parameters
    ----------
    ess : float, default=4.0
        Equivalent sample size of the BDeu prior over the parameters, from 1e-6 to 1e6.
    n_regions : int, default=20
        How many randomised trees divide the table into regions; 0 for none.
    line : bool, default=True
        Whether one of the experts is a line, fitted by logistic regression.
    max_rows : int, default=5000
        The largest number of training rows from which trees, line and weights are learned. Cuts and counts
        always come from all rows.
    random_state : int, default=0
        Seed for choosing these rows, growing the trees and assigning rows to folds.
    credibility : float, default=0.95
        The credibility of the interval that the set of weights gives to each log-odds of two classes, at
        least 0 and less than 1. A larger value gives larger sets of classes.
    criterion : {"maximality", "interval_dominance"}, default="maximality"
        Which classes :meth:`predict_set` returns: those that no other dominates under all weights of the set
        (``"maximality"``), or those whose upper probability reaches the largest lower one
        (``"interval_dominance"``, larger sets).
    categorical_features : {"from_dtype", "all"} or array-like, default="from_dtype"
        Which features are categorical besides those with text, booleans or declared categories.
    categories : "auto" or list of array-like, default="auto"
        The states of each categorical feature; ``"auto"``: those its dtype declares, or else those observed.
    missing : {"impute", "marginalize"}, default="impute"
        Whether a missing value becomes the training median or mode, or is left out.
    handle_unknown : {"ignore", "error"}, default="ignore"
        Whether an unknown value is left out or raises an error.
    max_categories : int, optional
        The largest number of states of a categorical feature; the rarest are merged into one.
    n_jobs : int, optional
        Number of threads; ``None`` means one, -1 means all cores. The answers do not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_features_in_ : int
        Number of features seen in :meth:`fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if ``X`` has column names and all of them are strings.
    counts_ : Counts
        How often each class, value and pair of values was seen.
    regions_ : ndarray of shape (n_regions,)
        The number of leaves of each tree; empty without trees.
    experts_ : list of Expert
        The experts, as named tuples of ``kind`` and ``super_parent``: ``"spode"`` for each feature with two
        bins or observed values (its name, or else index), then ``"regions"`` and ``"line"``.
    weights_ : ndarray of shape (n_experts,)
        The weight of each expert. Their sum is free: the larger it is, the sharper are the probabilities.
    null_weight_ : float
        The weight of the null model, which knows only the class frequencies. It may be negative.
    covariance_ : ndarray of shape (1 + n_experts, 1 + n_experts)
        How uncertain the weights are, the null model first; 0 for a weight at its bound.

    Warns
    -----
    ConvergenceWarning
        If the weights may be so far from the best ones that the log-odds of a training row are off by more
        than 1e-6.

    See Also
    --------
    LogPoolAODE : The same with the best weights alone.
    CredalCompAODE : The paper's own, with a set of priors over the SPODEs.

    Notes
    -----
    A class dominates another if its log-odds are positive under all weights of the set. Their minimum is
    ``ŵᵀδ - z·√(δᵀ C δ)``, where ŵ are the best weights, C is their covariance, and δ are the log-odds that
    the single experts give: z standard deviations below the log-odds of the best weights. If the weights are
    taken as normally distributed, a class is left out if another one is ahead of it with a probability above
    ``(1 + credibility)/2``. The bounds of :meth:`predict_interval` are exact for two classes; for more they
    contain the exact ones.

    Examples
    --------
    >>> import pandas as pd
    >>> fruit = pd.DataFrame(
    ...     {
    ...         "colour": ["red", "red", "green", "green", "yellow", "yellow"],
    ...         "weight": [150.0, 160.0, 140.0, None, 120.0, 118.0],
    ...     }
    ... )
    >>> kind = ["apple", "apple", "apple", "apple", "banana", "banana"]
    >>> from skcredal import CredalLogPoolAODE, set_labels
    >>> clf = CredalLogPoolAODE().fit(fruit, kind)
    >>> new = pd.DataFrame({"colour": ["red", "red"], "weight": [150.0, 100.0]})
    >>> [labels.tolist() for labels in set_labels(clf.predict_set(new), clf.classes_)]
    [['apple'], ['apple', 'banana']]
    >>> clf.robustness(new).round(2)
    array([0.99, 0.27])
    >>> print(clf.explain(new)["sentence"][1])
    Most likely banana (1.2 to 1). weight supports banana (×15), colour counts against it (×0.2). The data
    leave the odds anywhere between 0.52 and 2.6 to 1, so neither class can be ruled out.
    """

    _priors: WeightSet

    def __init__(
        self,
        *,
        ess: float = 4.0,
        n_regions: int = 20,
        line: bool = True,
        max_rows: int = 5000,
        random_state: int = 0,
        credibility: float = 0.95,
        criterion: str = "maximality",
        categorical_features: Any = "from_dtype",
        categories: Any = "auto",
        missing: str = "impute",
        handle_unknown: str = "ignore",
        max_categories: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.ess = ess
        self.n_regions = n_regions
        self.line = line
        self.max_rows = max_rows
        self.random_state = random_state
        self.credibility = credibility
        self.criterion = criterion
        self._keep_shared(categorical_features, categories, missing, handle_unknown, max_categories, n_jobs)

    def _derive(self) -> None:
        super()._derive()
        weights, experts = np.append(self.null_weight_, self.weights_), self._experts
        self._priors = WeightSet.of(
            weights, experts.tables.log_c, self.covariance_, experts.sizes, float(self.credibility)
        )

    def robustness(self, X: Any) -> FloatArray:
        """Return the credibility up to which the answer of :meth:`predict` dominates every other class.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_features)
            The rows to classify.

        Returns
        -------
        robustness : ndarray of shape (n_rows,)
            Between 0, where another class is as probable, and 1. With maximality, the rows whose robustness
            exceeds ``credibility`` are those with a single class.
        """
        return self._over_rows(X, lambda model, chunk: model._priors.robustness(model._evidence(chunk)))

    def explain(self, X: Any) -> pandas.DataFrame:
        """Explain what each feature contributes to an answer, and why a row is decided or left undecided.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_features)
            The rows to classify.

        Returns
        -------
        explanation : DataFrame
            One row for each row of ``X``, as a DataFrame of the same library (pandas for an array), with the
            columns ``predicted`` and ``probability`` (the answer under the best weights), ``rival`` and
            ``rival_probability`` (the class that some weights of the set bring closest to it, or past it),
            ``set``, ``set_size`` and ``robustness`` as in :func:`answers`, ``odds`` of the answer over the
            rival under the best weights, ``lower_odds`` and ``upper_odds`` (their bounds over the set of
            weights), ``frequencies`` (what the class frequencies contribute to the logarithm of the odds),
            ``features`` (from the one that favours the answer most to the one that favours the rival most),
            ``contributions`` (what each of them contributes; with the frequencies, they add up to the
            logarithm of the odds) and ``sentence`` (the same in words).
        """
        explanation: pandas.DataFrame = self._explain(X)
        return explanation

    def _explain_chunk(self, chunk: EncodedTable) -> dict[str, list[Any]]:
        evidence = self._evidence(chunk)
        contest = self._priors.contest(evidence)
        frequencies, by_feature = self._experts.contributions(
            chunk, self._priors.weights, evidence.best, contest.rival
        )
        sets = self._sets(evidence)
        # All columns that coding, trees or line use.
        columns = sorted({*self._encoding.kept, *self._experts.columns})
        by_feature = by_feature[columns]
        names = getattr(self, "feature_names_in_", None)
        shown = [f"feature {j}" if names is None else str(names[j]) for j in columns]
        order = np.argsort(-by_feature, axis=0, kind="stable").T
        # A single class is its own rival in the contest.
        rival = contest.rival if len(self.classes_) > 1 else np.full(len(evidence.best), -1)
        found = {
            **self._explained_answers(evidence, sets, rival),
            "odds": _odds(contest.log_odds),
            "lower_odds": _odds(contest.lower),
            "upper_odds": _odds(contest.upper),
            "frequencies": frequencies.tolist(),
            "features": [[shown[i] for i in line] for line in order],
            "contributions": np.take_along_axis(by_feature.T, order, axis=1).tolist(),
        }
        return with_sentences(found, describe_odds, evidence.reference, sets, evidence.speaks)

    def _evidence(self, chunk: EncodedTable) -> PoolEvidence:
        return self._priors.evidence(*self._said(chunk))


def _odds(log_odds: Any) -> list[float]:
    with np.errstate(over="ignore"):
        odds: list[float] = np.exp(log_odds).tolist()
    return odds
