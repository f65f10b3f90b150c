"""MAPLMG: the SPODEs weighted by the most probable linear mixture (§5)."""

from __future__ import annotations

from typing import Any

from sklearn.exceptions import ConvergenceWarning

from skcredal._ensemble.maplmg import Mixture, log_own_left_out, maplmg_weights
from skcredal._threads import thread_count
from skcredal._validation import check_integer, check_real, warn
from skcredal.classifiers._rows import Part, Rows
from skcredal.classifiers._spodes import SpodeEnsemble

__all__ = ["MaplmgAODE"]


class MaplmgAODE(SpodeEnsemble):
    """MAPLMG-AODE: the SPODEs weighted by the maximum a posteriori linear mixture.

    With these weights the mixture as a whole, not each SPODE by itself, best predicts the class of each
    training row from all other rows; a Dirichlet prior keeps every weight above 0.

    Parameters
    ----------
    ess : float, default=1.0
        Equivalent sample size of the BDeu prior over the parameters, from 1e-6 to 1e6.
    max_iter : int, default=10000
        Largest number of steps of Newton's method, which usually takes a dozen or so.
    tol : float, default=1e-10
        Tolerance, relative to the objective: the method stops when the objective is provably this close to
        its maximum, or as close as rounding allows.
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
    super_parents_ : ndarray of shape (k,)
        The names (or else indices) of the features kept, each the super-parent of one SPODE; those with a
        single bin or observed value are dropped.
    counts_ : Counts
        How often each class, value and pair of values was seen.
    weights_ : ndarray of shape (k,)
        The weight of each SPODE.
    objective_ : float
        What the weights maximise (see Notes); NaN if no feature is kept.
    n_iter_ : int
        Number of steps of Newton's method; 0 if no feature is kept.

    Warns
    -----
    ConvergenceWarning
        If the objective is not provably within ``tol`` of its maximum after ``max_iter`` steps.

    See Also
    --------
    BmaAODE : Weights each SPODE by its own likelihood.
    CompAODE : Weights the SPODEs by how much they compress the classes.

    Notes
    -----
    The weights maximise ``Σ_i log Σ_j w_j P_{-i}(c_i|a_i,s_j) + Σ_j log w_j`` on the simplex, where
    ``P_{-i}`` is learned from all rows but the i-th; cuts, states and the features kept come from all rows.
    The objective is concave: Newton's method climbs it from uniform weights, and its tangent bounds how far
    away the maximum can be.

    A row of whole weight w stands for w copies: each leaves itself out, and the others stay. A row of weight
    below 1 is left out altogether; in general, ``min(1, w)`` is subtracted from the counts.

    References
    ----------
    J. Cerquides and R. López de Màntaras, "Robust Bayesian linear classifier ensembles", ECML 2005.

    Examples
    --------
    The class tells whether the first two features agree; the third is noise. With one of the first two as
    super-parent, the other decides; with the third, neither tells anything:

    >>> from skcredal import MaplmgAODE
    >>> X = [[a, b, c] for a in "xy" for b in "xy" for c in "xy"] * 2
    >>> y = ["agree" if a == b else "differ" for a, b, c in X]
    >>> clf = MaplmgAODE().fit(X, y)
    >>> clf.weights_.round(2)
    array([0.46, 0.46, 0.07])
    >>> clf.predict_proba([["x", "y", "x"]]).round(2)
    array([[0.06, 0.94]])
    """

    _needs_all_rows = "each step of Newton's method needs the leave-one-out probabilities of all rows"
    _scores = ("weights_", "n_iter_", "objective_")

    n_iter_: int
    objective_: float

    def __init__(
        self,
        *,
        ess: float = 1.0,
        max_iter: int = 10_000,
        tol: float = 1e-10,
        categorical_features: Any = "from_dtype",
        categories: Any = "auto",
        missing: str = "impute",
        handle_unknown: str = "ignore",
        max_categories: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.ess = ess
        self.max_iter = max_iter
        self.tol = tol
        self.categorical_features = categorical_features
        self.categories = categories
        self.missing = missing
        self.handle_unknown = handle_unknown
        self.max_categories = max_categories
        self.n_jobs = n_jobs

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_integer("max_iter", self.max_iter, low=1)
        check_real("tol", self.tol, low=0.0)

    def _score(self, rows: Rows) -> None:
        super()._score(rows)
        n_threads = thread_count(self.n_jobs)

        def work(part: Part) -> Mixture:
            # An array of rows × SPODEs, over which every step of Newton's method passes.
            log_own = log_own_left_out(
                self._tables, part.states, part.labels, part.weights, n_threads=n_threads
            )
            return maplmg_weights(log_own, part.weights, max_iter=int(self.max_iter), tol=float(self.tol))

        mixture = rows.sum(work, "weights")
        if not mixture.converged:
            warn(
                f"The weights did not converge in max_iter={self.max_iter} iterations: the objective may be "
                f"{mixture.gap / abs(mixture.objective):.1e} of its size below the maximum, more than "
                f"tol={self.tol:g}. Raise max_iter or tol.",
                ConvergenceWarning,
            )
        self.weights_, self.n_iter_, self.objective_ = mixture.weights, mixture.n_iter, mixture.objective
