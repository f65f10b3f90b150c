"""The credal decision tree of Abellán and Moral (§8)."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from skcredal._arrays import FloatArray, IntArray
from skcredal._encoding.encoding import EncodedTable
from skcredal._encoding.features import CategoricalFeature, NumericFeature
from skcredal._ensemble.spodes import class_prior
from skcredal._ensemble.tree import LeafEvidence, LeafPriors, TreeNode, grow_tree, idm_sets
from skcredal._validation import check_integer
from skcredal.classifiers._base import TabularClassifier
from skcredal.classifiers._credal import CredalMixin
from skcredal.classifiers._rows import Rows

__all__ = ["CredalTree"]


class CredalTree(CredalMixin, TabularClassifier):
    """CDT: a decision tree that splits and answers with the imprecise Dirichlet model.

    A node splits on the feature with the largest imprecise information gain: its upper entropy under the
    imprecise Dirichlet model less those of its children. It stays a leaf if no gain is positive, so the tree
    needs no pruning. A leaf answers with every class that may be the most frequent one after s more rows.
    Numeric features are discretised on the training rows.

    Parameters
    ----------
    s : float, default=1.0
        Strength of the prior, from 1e-6 to 1e6: the answers remain valid if a leaf gets this many more rows,
        of any class.
    criterion : {"maximality", "interval_dominance"}, default="maximality"
        Which classes :meth:`predict_set` returns: those that no other dominates under every prior
        (``"maximality"``), or those whose upper probability reaches the largest lower one
        (``"interval_dominance"``); for this classifier the two are the same.
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
    features_ : ndarray of shape (k,)
        The names (or indices) of the features kept; those with a single bin or observed value are dropped.
    counts_ : Counts
        How often each class and value was seen.
    tree_ : DecisionTree
        The tree: ``tree_.node(0)`` is the root, with its feature, class counts and children; ``tree_`` also
        has ``n_nodes``, ``n_leaves`` and ``depth``.

    See Also
    --------
    CredalCompAODE : A credal ensemble of Bayesian networks.

    Notes
    -----
    A path splits on a feature at most once, into one branch for every state or bin that occurs in the node;
    on equal gains (within 1e-12) the first column is chosen. A row whose value is unknown, or has no branch,
    stops at that node, which answers for it. With ``missing="marginalize"``, training rows whose value is
    missing count in the node that splits but in none of its children; the gain of the split is that of the
    other rows, times their share.

    Examples
    --------
    >>> import pandas as pd
    >>> from skcredal import CredalTree, set_labels
    >>> fruit = pd.DataFrame({"colour": ["red"] * 4 + ["yellow"] * 4 + ["green"] * 2})
    >>> kind = ["apple"] * 4 + ["banana"] * 4 + ["apple", "banana"]
    >>> clf = CredalTree().fit(fruit, kind)
    >>> print(clf.export_text(show_counts=True))
    |--- colour = green
    |   |--- classes: apple, banana (1, 1)
    |--- colour = red
    |   |--- class: apple (4, 0)
    |--- colour = yellow
    |   |--- class: banana (0, 4)
    >>> clf.predict_interval(pd.DataFrame({"colour": ["red"]}))
    array([[[0.8, 1. ],
            [0. , 0.2]]])
    >>> new = pd.DataFrame({"colour": ["red", "blue"]})
    >>> [labels.tolist() for labels in set_labels(clf.predict_set(new), clf.classes_)]
    [['apple'], ['apple', 'banana']]
    """

    _scores = ("tree_",)
    _needs_all_rows = "every split goes over the rows of its node again"

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
        self._keep_shared(categorical_features, categories, missing, handle_unknown, max_categories, n_jobs)

    def apply(self, X: Any) -> IntArray:
        """Return the node of ``tree_`` that answers for each row.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_features)
            The rows to classify.

        Returns
        -------
        nodes : ndarray of shape (n_rows,)
            The index of a leaf, or of the node at which the row's value has no branch.
        """
        model = self._snapshot()
        return model.tree_.find(model._encode(X).states)

    def export_text(self, *, max_depth: int | None = None, show_counts: bool = False) -> str:
        """Return the tree as text, like :func:`sklearn.tree.export_text`.

        Parameters
        ----------
        max_depth : int, optional
            How many splits deep to go; a line marks each branch that is cut off. ``None``: all the way.
        show_counts : bool, default=False
            Whether to show the class counts of the leaves, in the order of ``classes_``.

        Returns
        -------
        text : str
            One line for each branch and each leaf, with the classes that the leaf answers with.
        """
        check_is_fitted(self)
        deepest = np.inf if max_depth is None else check_integer("max_depth", max_depth, low=0)
        tree, lines = self.tree_, list[str]()
        numeric = [isinstance(self._encoding.features[j], NumericFeature) for j in self._encoding.kept]
        # Nodes are in depth-first order: what is below a node follows it.
        for index, depth in enumerate(tree.depths.tolist()):
            if depth > deepest:
                continue
            node = tree.node(index)
            if index:
                j = int(tree.feature[tree.parent[index]])
                relation, state = "in" if numeric[j] else "=", tree.states[j][tree.value[index]]
                lines.append(f"{'|   ' * (depth - 1)}|--- {tree.features[j]} {relation} {state}")
            indent = "|   " * depth + "|--- "
            if node.is_leaf:
                lines.append(indent + self._leaf_text(node, show_counts=show_counts))
            elif depth == deepest:
                lines.append(f"{indent}truncated branch of depth {tree.depth_below(index)}")
        return "\n".join(lines)

    def _score(self, rows: Rows) -> None:
        # Counts of single values do not suffice: splits are chosen from the rows of each node.
        features = self.features_.tolist()
        names = [state_texts(self._encoding.features[j]) for j in self._encoding.kept]
        n_classes, s = len(self.classes_), float(self.s)
        self.tree_ = rows.sum(
            lambda part: grow_tree(*part.labelled, n_classes, s, features=features, names=names), "tree"
        )

    def _derive(self) -> None:
        self._priors = LeafPriors(float(self.s))

    def _posterior(self, chunk: EncodedTable) -> FloatArray:
        return self._evidence(chunk).reference

    def _evidence(self, chunk: EncodedTable) -> LeafEvidence:
        counts = self.tree_.counts[self.tree_.find(chunk.states)]
        return LeafEvidence(counts, class_prior(counts, self._priors.s))

    def _leaf_text(self, node: TreeNode, *, show_counts: bool) -> str:
        """Return what a leaf answers, as text."""
        answer = self.classes_[idm_sets(node.counts, self._priors.s)]
        word = "class" if len(answer) == 1 else "classes"
        counts = f" ({', '.join(f'{n:.10g}' for n in node.counts)})" if show_counts else ""
        return f"{word}: {', '.join(str(label) for label in answer)}{counts}"


def state_texts(feature: NumericFeature | CategoricalFeature) -> list[str]:
    """Return the names of a feature's states: its bins as intervals, or its categories.

    Examples
    --------
    >>> import numpy as np
    >>> state_texts(NumericFeature(np.array([1.5, 3.0]), np.nan))
    ['(-inf, 1.5]', '(1.5, 3]', '(3, inf)']
    """
    if isinstance(feature, CategoricalFeature):
        texts = [str(state) for state in feature.states]
        # 1 and "1" may be states of one feature; the names must be distinct.
        return texts if len(set(texts)) == len(texts) else [f"{a}: {text}" for a, text in enumerate(texts)]
    # Six digits are easy to read; only if they make two cuts look the same are all digits needed.
    cuts = [f"{cut:.6g}" for cut in feature.cuts]
    if len(set(cuts)) < len(cuts):
        cuts = [repr(cut) for cut in feature.cuts.tolist()]
    ends = ["-inf", *cuts]
    return [f"({low}, {high}]" for low, high in zip(ends, cuts, strict=False)] + [f"({ends[-1]}, inf)"]
