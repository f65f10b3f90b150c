"""The figures of the studies, drawn from what was measured."""

import matplotlib.pyplot as plt
import measured

from skcredal.paper import _figures


def draw(*names, size, below=False):
    """Draw pictures side by side, or one below the other."""
    plt.style.use(_figures.STYLE)
    shape = (len(names), 1) if below else (1, len(names))
    _, axes = plt.subplots(*shape, figsize=size, layout="constrained", squeeze=False)
    pictures = measured.pictures()
    for name, ax in zip(names, axes.ravel(), strict=True):
        figure, arguments = pictures[name]
        figure(ax, *arguments)


def epsilon():
    """Determinacy and both utilities against ε."""
    draw("epsilon-determinacy", "epsilon-u65", "epsilon-u80", size=(11, 3.2))


def set_aside():
    """Accuracy of what is retained."""
    draw("set-aside", size=(6.5, 3.6))


def rivals():
    """Other ways to make sets."""
    draw("rivals-u65", "rivals-u80", size=(7.5, 6), below=True)


def bayesian():
    """Probabilities of a practical difference."""
    draw("bayesian-u65", "bayesian-u80", size=(11, 3.2))


def ranks_u65():
    """Ranks under u65."""
    draw("ranks-u65", size=(7, 4))


def ranks_u80():
    """Ranks under u80."""
    draw("ranks-u80", size=(7, 4))


def reliability():
    """How often the most probable class is right."""
    draw("reliability-rows", "reliability-data sets", size=(9.5, 4.4))
