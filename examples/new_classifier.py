"""
A new credal classifier in an afternoon
=======================================

Holte's *one rule* uses a single feature, and answers with the most frequent class among the training rows
with the same value. Its credal version is as small: with an imprecise Dirichlet prior of s pseudo-rows over
the classes, it keeps every class that s more rows could make the most frequent. This page writes it, checks
it against scikit-learn's whole contract, and draws its answers.
"""

# %%
# A classifier learns in three steps, of which most classifiers write only the last: ``_count`` (what adds
# up over rows, by default the counts of classes and values), ``_score`` (a second pass over the rows) and
# ``_derive`` (everything else, without rows). In ``_posterior`` it returns the probabilities for a chunk of
# rows; the chunk's ``states`` are an array of features × rows. The states of all features are numbered 0 …
# V−1, and V stands for unknown. A credal classifier also derives a set of priors, an object with methods
# for undominated classes and bounds, and returns in ``_evidence`` what this object judges. Everything else
# is inherited: reading tables of any library, cuts, missing and unknown values, weights, threads, refusals,
# ``predict``, ``predict_proba``, ``predict_set`` and ``predict_interval``. ``__init__`` only stores, as
# everywhere in scikit-learn. The names of learned attributes end in an underscore (except ``_priors``):
# ``fit`` begins with a copy of everything else.

import warnings
from dataclasses import dataclass
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import numpy.typing as npt
from sklearn.exceptions import SkipTestWarning
from sklearn.utils.estimator_checks import check_estimator

from skcredal.classifiers import CredalMixin, TabularClassifier
from skcredal.datasets import load_dataset

Numbers = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


@dataclass
class CountsOfRows:
    """What the set of priors judges: the counts that answer for rows, and the reference prior's answer."""

    n: Numbers
    reference: Numbers


@dataclass
class OneRulePriors:
    """All priors that spread ``s`` unseen rows over the classes."""

    s: float

    def maximal_sets(self, rows: CountsOfRows) -> Mask:
        # c' dominates c'' iff n(c') > n(c'') + s: the prior that is worst for it gives all of s to c''.
        undominated: Mask = rows.n + self.s >= rows.n.max(axis=1, keepdims=True)
        return undominated

    def intervals(self, rows: CountsOfRows) -> Numbers:
        total = rows.n.sum(axis=1, keepdims=True) + self.s
        return np.stack([rows.n / total, (rows.n + self.s) / total], axis=-1)


class CredalOneRule(CredalMixin, TabularClassifier):
    """One rule with an imprecise Dirichlet prior over the classes of each value."""

    def __init__(
        self,
        *,
        s: float = 1.0,
        criterion: str = "maximality",
        categorical_features: Any = "from_dtype",
        categories: Any = "auto",
        missing: str = "impute",
        handle_unknown: str = "ignore",
        max_categories: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.s = s
        self.criterion = criterion
        self.categorical_features = categorical_features
        self.categories = categories
        self.missing = missing
        self.handle_unknown = handle_unknown
        self.max_categories = max_categories
        self.n_jobs = n_jobs

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if not self.s > 0.0:
            raise ValueError(f"s must be positive, got {self.s!r}.")

    def _derive(self) -> None:
        """Keep the counts of the feature whose most frequent classes are right most often."""
        features = self.features_
        tables = [self.counts_.values(j) for j in range(len(features))]
        hits = [table.max(axis=1).sum() for table in tables]
        # No feature may be left: then the class counts answer, as for an unknown value.
        self.index_ = int(np.argmax(hits)) if hits else None
        self.feature_ = None if self.index_ is None else features[self.index_]
        known = np.empty((0, len(self.classes_))) if self.index_ is None else tables[self.index_]
        self.table_: Numbers = np.vstack([known, self.counts_.n_c]).astype(np.float64)
        self._priors = OneRulePriors(float(self.s))

    def _counts_of(self, states: npt.NDArray[Any]) -> Numbers:
        """Return n(c, a) of each row; an unknown value has the last line, that of all rows."""
        if self.index_ is None:
            return np.repeat(self.table_, states.shape[1], axis=0)
        value = states[self.index_].astype(int) - self.counts_.starts[self.index_]
        n: Numbers = self.table_[np.minimum(value, len(self.table_) - 1)]
        return n

    def _posterior(self, chunk: Any) -> Numbers:
        return self._evidence(chunk).reference

    def _evidence(self, chunk: Any) -> CountsOfRows:
        n, s = self._counts_of(chunk.states), self._priors.s
        return CountsOfRows(n, (n + s / n.shape[1]) / (n.sum(axis=1, keepdims=True) + s))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # scikit-learn's test problems need more than one feature
        return tags


# %%
# First the contract. scikit-learn checks some fifty properties of an estimator: cloning, shapes, errors,
# weights, pickling, and more.

with warnings.catch_warnings():
    warnings.simplefilter("ignore", SkipTestWarning)  # a check may skip what is not installed
    checks = check_estimator(CredalOneRule())
print(sum(check["status"] == "passed" for check in checks), "checks passed")
assert not any(check["status"] == "failed" for check in checks)

# %%
# Then the laws of every credal classifier: bounds contain the probability, the set contains the predicted
# class, a larger set of priors never gives a smaller set of classes, and interval dominance drops no
# maximal class.

data = load_dataset("wine")
train, test = np.split(np.random.default_rng(0).permutation(len(data.target)), [100])
X_train, y_train, X_test = data.features.iloc[train], data.target.iloc[train], data.features.iloc[test]
clf = CredalOneRule().fit(X_train, y_train)
proba, interval, y_set = clf.predict_proba(X_test), clf.predict_interval(X_test), clf.predict_set(X_test)
assert (interval[..., 0] <= proba + 1e-12).all()
assert (proba <= interval[..., 1] + 1e-12).all()
assert y_set[np.arange(len(y_set)), proba.argmax(axis=1)].all()
assert (CredalOneRule(s=3.0).fit(X_train, y_train).predict_set(X_test) >= y_set).all()
by_bounds = CredalOneRule(criterion="interval_dominance").fit(X_train, y_train).predict_set(X_test)
assert (by_bounds >= y_set).all()
print(f"The rule looks at {clf.feature_!r}; {np.mean(y_set.sum(axis=1) > 1):.0%} of the rows are undecided.")

# %%
# And a picture: the answer along the feature that the rule has chosen. Each bin has the bounds of its
# counts.

feature = str(clf.feature_)
values = np.linspace(X_test[feature].min(), X_test[feature].max(), 400)
probe = X_test.iloc[[0] * len(values)].assign(**{feature: values})
figure, ax = plt.subplots(figsize=(7, 3.4))
for c, label in enumerate(clf.classes_):
    low, high = clf.predict_interval(probe)[:, c].T
    ax.fill_between(values, low, high, step="mid", alpha=0.35, label=label)
    ax.plot(values, clf.predict_proba(probe)[:, c], lw=1)
ax.set(xlabel=feature, ylabel="probability and its bounds", ylim=(-0.02, 1.02))
ax.legend(frameon=False)
plt.show()
