"""Answers as strips, the confusion matrix of sets, and accuracy as doubtful cases are set aside."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from skcredal._arrays import AnyArray, BoolArray, FloatArray
from skcredal._colours import COLOURS
from skcredal._validation import check_choice, check_integer
from skcredal.classifiers._answers import Answers, answers
from skcredal.metrics._curves import SET_ASIDE, retained_correct
from skcredal.metrics._measures import outcomes
from skcredal.plots._drawing import Display, asked, legend, occurring, set_names, short, ticks


@dataclass(eq=False)
class AnswersDisplay(Display):
    """Cases as strips: for each class a bar from its lower to its upper probability.

    The bars of classes that cannot be ruled out are filled, the others hollow; a line across each bar marks
    the probability. Without bounds there is a point for each probability, that of the most probable class
    filled.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
        The classes, in the order of the columns below.
    proba : ndarray of shape (n_cases, n_classes)
        The probability of every class.
    sets : ndarray of bool of shape (n_cases, n_classes)
        Which bars are filled.
    interval : ndarray of shape (n_cases, n_classes, 2) or None
        The lower and upper probabilities.
    labels : list of length n_cases
        The names of the cases.

    Attributes
    ----------
    ax_, figure_ : matplotlib.axes.Axes, matplotlib.figure.Figure
        Where it was drawn.

    Examples
    --------
    >>> from skcredal import CredalCompAODE
    >>> from skcredal.datasets import load_dataset
    >>> from skcredal.plots import AnswersDisplay
    >>> data = load_dataset("iris")
    >>> clf = CredalCompAODE().fit(data.features, data.target)
    >>> display = AnswersDisplay.from_estimator(clf, data.features[68:73])
    >>> display.labels
    [68, 69, 70, 71, 72]
    """

    classes: AnyArray
    proba: FloatArray
    sets: BoolArray
    interval: FloatArray | None
    labels: list[Any]

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, *, ax: Any = None) -> Self:
        """Draw the answers of a fitted classifier.

        Parameters
        ----------
        estimator : classifier
            A classifier with ``predict_proba``, a pipeline that ends in one, or a search over one.
        X : array-like or DataFrame of shape (n_cases, n_features)
            At most 30 cases; their names are the index of a pandas DataFrame, or else numbers from 0.
        ax : matplotlib.axes.Axes, optional
            Where to draw; by default a new figure.

        Returns
        -------
        display : AnswersDisplay
            The display.
        """
        found = answers(*asked(cls, estimator, X, "predict_proba"))
        return cls.from_predictions(found, labels=X.index if hasattr(X, "iloc") else None, ax=ax)

    @classmethod
    def from_predictions(cls, answers: Answers, *, labels: Any = None, ax: Any = None) -> Self:
        """Draw answers that are there already.

        Parameters
        ----------
        answers : Answers
            The answers to at most 30 cases, as :func:`skcredal.answers` returns them.
        labels : sequence of length n_cases, optional
            The names of the cases; by default numbers from 0.
        ax : matplotlib.axes.Axes, optional
            Where to draw; by default a new figure.

        Returns
        -------
        display : AnswersDisplay
            The display.
        """
        n, k = answers.proba.shape
        if not 1 <= n <= 30:  # more strips than these are not read
            choice = "X[:30], or the undecided ones, X[clf.predict_set(X).sum(axis=1) > 1][:30]"
            raise ValueError(f"AnswersDisplay draws 1 to 30 cases, got {n}. Choose some, as in {choice}.")
        names = list(range(n) if labels is None else labels)
        if len(names) != n:
            raise ValueError(f"labels must have one name for each of the {n} cases, got {len(names)}.")
        sets = np.eye(k, dtype=np.bool_)[answers.predicted_index] if answers.sets is None else answers.sets
        return cls(answers.classes, answers.proba, sets, answers.interval, names).plot(ax)

    def _draw(self, ax: Any, ink: str) -> float:
        from matplotlib.patches import Patch

        n, k = self.proba.shape
        high, colours, marks = 0.8 / k, (COLOURS * k)[:k], self.proba.ravel()
        at = (np.arange(n)[:, None] + high * (np.arange(k) - (k - 1) / 2)).ravel()
        faces = np.where(self.sets, colours, "none").ravel()
        if self.interval is None:
            ax.hlines(at, 0.0, marks, colors=colours * n, linewidth=1.0)
            ax.scatter(marks, at, s=30, c=faces, edgecolors=colours * n, zorder=3, clip_on=False)
            meaning = "probability (filled: the most probable class)"
        else:
            lower, upper = self.interval.reshape(-1, 2).T
            ax.barh(at, upper - lower, 0.8 * high, left=lower, color=faces, edgecolor=colours * n)
            ax.vlines(marks, at - 0.4 * high, at + 0.4 * high, colors=ink, linewidth=1.5, zorder=3)
            meaning = "probability and its bounds (filled: cannot be ruled out)"
        ax.hlines(np.arange(n - 1) + 0.5, 0.0, 1.0, colors=ink, linewidth=0.3)
        ax.set(xlim=(-0.02, 1.02), ylim=(n - 0.5, -0.5))
        ax.set_xlabel(meaning, loc="right")
        ticks(ax.yaxis, self.labels)
        legend(ax, [Patch(color=one) for one in colours], [short(label, 24) for label in self.classes])
        return float(1.2 + n * max(0.3, 0.14 * k + 0.1))


@dataclass(eq=False)
class SetConfusionDisplay(Display):
    """The confusion matrix of sets: a row for each true class, a column for each set that occurs.

    Columns are single classes in their order, then sets of several classes by their size and how often they
    occur. Cells whose set contains the true class are framed.

    Parameters
    ----------
    matrix : ndarray of shape (n_rows, n_columns)
        How many cases of each class were answered with each set, or which share of them.
    classes : list of length n_rows
        The true class of each row; the last may be ``"(other)"``, for classes that no set can contain.
    sets : list of str of length n_columns
        The set of each column, in words; the last may be ``"other sets"``.
    contains : ndarray of bool of shape (n_rows, n_columns)
        Which cells are framed; none of ``"other sets"``.

    Attributes
    ----------
    ax_, figure_ : matplotlib.axes.Axes, matplotlib.figure.Figure
        Where it was drawn.

    Examples
    --------
    >>> from skcredal.plots import SetConfusionDisplay
    >>> y_true = ["ill", "ill", "ill", "well", "well"]
    >>> y_set = [[1, 0], [1, 0], [1, 1], [1, 1], [0, 1]]
    >>> display = SetConfusionDisplay.from_predictions(y_true, y_set)
    >>> display.sets
    ['ill', 'well', 'ill or well']
    >>> display.matrix
    array([[2, 0, 1],
           [0, 1, 1]])
    """

    matrix: AnyArray
    classes: list[Any]
    sets: list[str]
    contains: BoolArray

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, normalize: Any = None, max_sets: int = 12, ax: Any = None
    ) -> Self:
        """Draw the matrix of a fitted classifier.

        Parameters
        ----------
        estimator : classifier
            A classifier with ``predict_set``, a pipeline that ends in one, or a search over one.
        X : array-like or DataFrame of shape (n_cases, n_features)
            Cases that it has not learned from.
        y : array-like of shape (n_cases,)
            Their true classes.
        normalize : {"true"}, optional
            With ``"true"``, shares of each row instead of counts.
        max_sets : int, default=12
            How many columns there may be; all further sets stand together as "other sets".
        ax : matplotlib.axes.Axes, optional
            Where to draw; by default a new figure.

        Returns
        -------
        display : SetConfusionDisplay
            The display.
        """
        classifier, rows = asked(cls, estimator, X, "predict_set")
        how = {"labels": classifier.classes_, "normalize": normalize, "max_sets": max_sets, "ax": ax}
        return cls.from_predictions(y, classifier.predict_set(rows), **how)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_set: Any,
        *,
        labels: Any = None,
        normalize: Any = None,
        max_sets: int = 12,
        ax: Any = None,
    ) -> Self:
        """Draw the matrix of sets that are there already.

        Parameters
        ----------
        y_true : array-like of shape (n_cases,)
            The true classes.
        y_set : array-like of bool, shape (n_cases, n_classes)
            The sets, as ``predict_set`` or :func:`skcredal.evaluation.cross_val_predict_set` return them.
        labels : array-like of shape (n_classes,), optional
            The classes of the columns, ``clf.classes_``; by default the sorted classes of ``y_true``.
        normalize : {"true"}, optional
            With ``"true"``, shares of each row instead of counts.
        max_sets : int, default=12
            How many columns there may be; all further sets stand together as "other sets".
        ax : matplotlib.axes.Axes, optional
            Where to draw; by default a new figure.

        Returns
        -------
        display : SetConfusionDisplay
            The display.
        """
        check_choice("normalize", "true" if normalize is None else normalize, ("true",))
        most = check_integer("max_sets", max_sets, low=1)
        _, _, true, classes = outcomes(y_true, y_set, labels, None)
        sets, column = occurring(np.asarray(y_set, np.bool_))
        names, contains = set_names(sets, classes)[:most], sets.T[:, :most]
        if len(sets) > most:
            names, contains = [*names, "other sets"], np.pad(contains, ((0, 0), (0, 1)))
        if (true < 0).any():
            classes, contains = [*classes, "(other)"], np.pad(contains, ((0, 1), (0, 0)))
        matrix = np.zeros(contains.shape, np.int64)
        np.add.at(matrix, (true, column.clip(max=most)), 1)
        shown = matrix if normalize is None else matrix / matrix.sum(axis=1, keepdims=True).clip(min=1)
        return cls(shown, classes, names, contains).plot(ax)

    def _draw(self, ax: Any, ink: str) -> float:
        from matplotlib.patches import Rectangle

        form, largest = "{:.0%}" if self.matrix.dtype.kind == "f" else "{}", max(self.matrix.max(), 1e-9)
        for (i, j), value in np.ndenumerate(self.matrix):
            edge, weight = (ink, "bold") if self.contains[i, j] else ("none", "normal")
            # Never so dark that a text could not be read on it.
            face = (COLOURS[0], 0.6 * value / largest)
            ax.add_patch(Rectangle((j - 0.47, i - 0.47), 0.94, 0.94, facecolor=face, edgecolor=edge))
            text = form.format(value) if value else "·"
            ax.text(j, i, text, ha="center", va="center", color=ink, weight=weight)
        ax.set_xlabel("answer (framed: contains the true class)", loc="right")
        ax.set(xlim=(-0.5, len(self.sets) - 0.5), ylim=(len(self.classes) - 0.5, -0.5), ylabel="true class")
        ticks(ax.yaxis, self.classes)
        return 1.7 + 0.45 * len(self.classes) + ticks(ax.xaxis, self.sets)


@dataclass(eq=False)
class SetAsideDisplay(Display):
    """Accuracy of the other cases as those are set aside that a classifier is least certain about.

    Cases of the same score are equally likely to be set aside, so that no curve depends on the order of the
    rows. A classifier with probabilities alone has one curve.

    Parameters
    ----------
    share : ndarray of shape (n_shares,)
        The shares of cases that are set aside.
    accuracy : dict of ndarray of shape (n_shares,)
        Accuracy on the others, by what orders the cases: ``"probability"``, ``"robustness"``,
        ``"size of the set"``.
    level : float
        Accuracy on all cases.

    Attributes
    ----------
    ax_, figure_ : matplotlib.axes.Axes, matplotlib.figure.Figure
        Where it was drawn.

    Examples
    --------
    >>> from skcredal import CredalBmaAODE
    >>> from skcredal.datasets import load_dataset
    >>> from skcredal.plots import SetAsideDisplay
    >>> data = load_dataset("wine")
    >>> X, y = data.features, data.target
    >>> clf = CredalBmaAODE().fit(X[::4], y[::4])
    >>> display = SetAsideDisplay.from_estimator(clf, X[1::2], y[1::2])
    >>> for by, accuracy in display.accuracy.items():
    ...     print(f"a tenth set aside by {by}: {display.level:.3f} becomes {accuracy[10]:.3f}")
    a tenth set aside by probability: 0.966 becomes 0.988
    a tenth set aside by robustness: 0.966 becomes 0.988
    a tenth set aside by size of the set: 0.966 becomes 0.983
    """

    share: FloatArray
    accuracy: dict[str, FloatArray]
    level: float

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, ax: Any = None) -> Self:
        """Draw the curves of a fitted classifier.

        Parameters
        ----------
        estimator : classifier
            A classifier with ``predict_proba``, a pipeline that ends in one, or a search over one.
        X : array-like or DataFrame of shape (n_cases, n_features)
            Cases that it has not learned from.
        y : array-like of shape (n_cases,)
            Their true classes.
        ax : matplotlib.axes.Axes, optional
            Where to draw; by default a new figure.

        Returns
        -------
        display : SetAsideDisplay
            The display.
        """
        return cls.from_predictions(y, answers(*asked(cls, estimator, X, "predict_proba")), ax=ax)

    @classmethod
    def from_predictions(cls, y_true: Any, answers: Answers, *, ax: Any = None) -> Self:
        """Draw the curves of answers that are there already.

        Parameters
        ----------
        y_true : array-like of shape (n_cases,)
            The true classes.
        answers : Answers
            The answers, as :func:`skcredal.answers` returns them; those of several folds joined by
            :meth:`skcredal.Answers.joined`.
        ax : matplotlib.axes.Axes, optional
            Where to draw; by default a new figure.

        Returns
        -------
        display : SetAsideDisplay
            The display.
        """
        proba, all_classes = answers.proba, np.ones_like(answers.proba)
        correct = outcomes(y_true, all_classes, answers.classes, None, y_proba=proba)[0]["correct"]
        scores = {"probability": proba.max(axis=1), "robustness": answers.robustness}
        scores["size of the set"] = None if answers.set_size is None else -answers.set_size
        kept = len(correct) * (1.0 - SET_ASIDE)
        curves = {by: retained_correct(x, correct, kept) / kept for by, x in scores.items() if x is not None}
        return cls(SET_ASIDE, curves, float(correct.mean())).plot(ax)

    def _draw(self, ax: Any, ink: str) -> None:
        from matplotlib.ticker import PercentFormatter

        # At least 20 % high: a flat curve is not magnified into noise.
        ax.update_datalim([(0.0, 0.8), (0.5, 1.0)])
        lines = [ax.axhline(self.level, color=ink, linewidth=0.8, linestyle=":", label="none set aside")]
        for (by, curve), colour, dash in zip(self.accuracy.items(), COLOURS, ("--", "-", "-."), strict=False):
            lines += ax.plot(self.share, curve, color=colour, linestyle=dash, label=f"by {by}")
        ax.set(xlabel="share of cases set aside", ylabel="accuracy on the others")
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_formatter(PercentFormatter(1.0))
        ax.legend(handles=lines)
