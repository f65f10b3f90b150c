"""LP-AODE*: the logarithmic pool with a set of weights (§12). Not from the paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from skcredal._arrays import BoolArray, CodeArray, FloatArray
from skcredal._ensemble.explain import describe_odds
from skcredal._ensemble.log_pool import PoolEvidence, WeightSet
from skcredal._ensemble.priors import put_back
from skcredal._validation import check_real
from skcredal.classifiers._credal import CredalMixin
from skcredal.classifiers._log_pool import LogPoolAODE

__all__ = ["CredalLogPoolAODE"]


class CredalLogPoolAODE(CredalMixin, LogPoolAODE):
    """LP-AODE*: the logarithmic pool of the SPODEs of several codings, with a set of weights.

    The fewer training rows there are, the less certain are the weights of the pool. This classifier takes all
    weights in an ellipsoid around the best ones, and :meth:`predict_set` returns the classes that no other
    class beats under all of them; that is decided exactly, by a closed form. :meth:`predict` and
    :meth:`predict_proba` answer with the best weights, like :class:`LogPoolAODE`.

    It is ours, not the paper's. Its definition and the proofs are in the documentation's theory, §12.

    Parameters
    ----------
    ess : float, default=4.0
        Equivalent sample size of the BDeu prior over the parameters, from 1e-6 to 1e6.
    bins : sequence of int, default=(5, 10)
        Numbers of bins of equal frequency. Each is another coding of the numeric features, beside the MDL
        cuts. With ``()``, or if no numeric feature varies, there is one coding.
    max_rows : int, default=2000
        The most training rows that the weights are learned from. The counts are always those of all rows.
    random_state : int, default=0
        Which rows those are, if there are more.
    credibility : float, default=0.95
        The credibility of the interval that the set of weights gives to each log-odds of two classes, at
        least 0 and less than 1. The larger it is, the larger are the sets of classes.
    criterion : {"maximality", "interval_dominance"}, default="maximality"
        Which classes :meth:`predict_set` returns: those that no other dominates under all weights of the set
        (``"maximality"``), or those whose upper probability reaches the largest lower one
        (``"interval_dominance"``, larger sets).
    categorical_features : {"from_dtype", "all"} or array-like, default="from_dtype"
        Which features are categorical: ``"from_dtype"``, those with strings, booleans or declared categories;
        ``"all"``; or a list of names or indices, or a mask, of features to add to those of ``"from_dtype"``.
    categories : "auto" or list of array-like, default="auto"
        The states of each categorical feature, in column order. ``"auto"``: those that the dtype declares
        (pandas categorical, polars Enum, Arrow dictionary), otherwise those that occur in training.
    missing : {"impute", "marginalize"}, default="impute"
        ``"impute"``: a missing value is replaced by the training median or mode. ``"marginalize"``: it is
        left out of the counts in training and of the factors in prediction.
    handle_unknown : {"ignore", "error"}, default="ignore"
        What to do with a value that is not among the states: leave out its factors, or raise an error.
    max_categories : int, optional
        The largest number of states of a categorical feature; the rarest are merged into one "other" state.
    n_jobs : int, optional
        Number of threads; ``None`` means one, -1 all cores. The answers do not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_features_in_ : int
        Number of features seen in :meth:`fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if ``X`` has column names and all of them are strings.
    counts_ : CodingCounts
        How often each class, value and pair of values was seen, in every coding.
    experts_ : list of Expert
        The SPODEs, as named tuples of ``coding`` and ``super_parent`` (its name, or else index). A feature
        with a single bin or observed value in a coding is dropped from that coding.
    weights_ : ndarray of shape (n_experts,)
        The weight of each SPODE. Their sum is free: the larger it is, the sharper are the probabilities.
    null_weight_ : float
        The weight of the null model, which knows only the class frequencies. It may be negative.
    covariance_ : ndarray of shape (1 + n_experts, 1 + n_experts)
        How uncertain the weights are, the null model's first; zeros for weights at their bounds.

    Warns
    -----
    ConvergenceWarning
        If it is not proven that the weights are close enough to the best ones for the log-odds of all
        training rows to be off by at most 1e-6.

    See Also
    --------
    LogPoolAODE : The same with the best weights alone.
    CredalCompAODE : The paper's own, with a set of priors over the SPODEs.

    Notes
    -----
    A class dominates another if its log-odds are positive under all weights of the set. Their minimum is
    ``ŵᵀδ - z·√(δᵀ C δ)``, where ŵ are the best weights, C is their covariance, and δ are the log-odds that
    the single experts give: z standard deviations below the log-odds of the best weights. Read with normally
    distributed weights, a class is left out if some other is ahead of it with a probability above
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
    array([0.98, 0.12])
    >>> print(clf.explain(new)["sentence"][1])
    apple rather than banana by odds of 1.1 to 1; colour speaks most for apple (×8.1), weight most against
    (×0.058); as uncertain as the weights are, the odds lie between 0.5 and 2.2 to 1, so both remain.
    """

    covariance_: FloatArray
    _priors: WeightSet

    _scores = ("weights_", "null_weight_", "covariance_")

    def __init__(
        self,
        *,
        ess: float = 4.0,
        bins: Sequence[int] = (5, 10),
        max_rows: int = 2000,
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
        self.bins = bins
        self.max_rows = max_rows
        self.random_state = random_state
        self.credibility = credibility
        self.criterion = criterion
        self.categorical_features = categorical_features
        self.categories = categories
        self.missing = missing
        self.handle_unknown = handle_unknown
        self.max_categories = max_categories
        self.n_jobs = n_jobs

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_real("credibility", self.credibility, low=0.0, high=1.0, high_open=True)

    def _keep_covariance(self, covariance: FloatArray) -> None:
        self.covariance_ = covariance

    def _derive(self) -> None:
        super()._derive()
        self._priors = WeightSet.of(self._pool, self.covariance_, float(self.credibility))

    def robustness(self, X: Any) -> FloatArray:
        """Return up to which credibility the answer of :meth:`predict` dominates every other class.

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
        return self._robustness(X)

    def explain(self, X: Any) -> Any:
        """Return what speaks for and against the answer to each row, and why it was decided or left open.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_features)
            The rows to classify.

        Returns
        -------
        explanation : DataFrame
            Of the library of ``X`` (of pandas for an array), a row for each of its rows, with the columns
            ``predicted`` and ``probability`` (the answer under the best weights), ``rival`` and
            ``rival_probability`` (the class that some weights of the set bring closest to it, or past it),
            ``set``, ``set_size`` and ``robustness`` as in :func:`answers`, ``odds`` of the answer over the
            rival under the best weights, ``lower_odds`` and ``upper_odds`` (their bounds over the set of
            weights), ``frequencies`` (what the class frequencies contribute to the logarithm of the odds),
            ``features`` (from the one that speaks most for the answer to the one that speaks most for the
            rival), ``contributions`` (what each of them contributes; with the frequencies, they add up to the
            logarithm of the odds) and ``sentence`` (the same in words).
        """
        return self._explain(X)

    def _explain_chunk(self, chunk: CodeArray) -> dict[str, list[Any]]:
        evidence = self._evidence(chunk)
        contest = self._priors.contest(evidence)
        frequencies, by_expert = self._pool.contributions(chunk, evidence.best, contest.rival)
        # Features are the same in all codings: what each contributes is summed over them.
        columns, index = np.unique(self._encoding.kept, return_inverse=True)
        by_feature = np.zeros((len(columns), chunk.shape[1]))
        np.add.at(by_feature, index, by_expert)
        sets = self._sets_of_evidence(evidence)
        put_back(sets, evidence.reference)  # as in the mixin
        names = getattr(self, "feature_names_in_", None)
        shown = [f"feature {j}" if names is None else str(names[j]) for j in columns]
        order = np.argsort(-by_feature, axis=0, kind="stable").T
        # A single class is its own rival in the contest.
        rival = contest.rival if len(self.classes_) > 1 else np.full(chunk.shape[1], -1)
        found = {
            **self._explained_answers(evidence, sets, rival),
            "odds": _odds(contest.log_odds),
            "lower_odds": _odds(contest.lower),
            "upper_odds": _odds(contest.upper),
            "frequencies": frequencies.tolist(),
            "features": [[shown[i] for i in line] for line in order],
            "contributions": np.take_along_axis(by_feature.T, order, axis=1).tolist(),
        }
        found["sentence"] = [
            self._sentence({name: column[r] for name, column in found.items()}, evidence.speaks[r])
            for r in range(chunk.shape[1])
        ]
        return found

    @staticmethod
    def _sentence(case: dict[str, Any], speaks: bool) -> str:
        answer = f"{case['predicted']} ({case['probability']:.0%})"
        if case["rival"] is None:
            return f"{answer}: the only class there is."
        if not speaks:
            return f"{answer}: nothing is known of this case but how frequent the classes are."
        return describe_odds(
            str(case["predicted"]),
            str(case["rival"]),
            [str(label) for label in case["set"]],
            (case["odds"], case["lower_odds"], case["upper_odds"]),
            case["features"],
            _odds(case["contributions"]),
        )

    def _evidence(self, chunk: CodeArray) -> PoolEvidence:
        return self._priors.evidence(chunk, self._pool.posterior(chunk))

    def _sets(self, chunk: CodeArray) -> BoolArray:
        # Sets alone need neither all spreads nor the probabilities, whose best class is never dominated.
        return super()._sets(chunk) if self.criterion != "maximality" else self._priors.sets(chunk)


def _odds(log_odds: Any) -> list[float]:
    with np.errstate(over="ignore"):
        odds: list[float] = np.exp(log_odds).tolist()
    return odds
