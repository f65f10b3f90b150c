"""Pictures of answers that are sets, after scikit-learn's displays; they need matplotlib.

They may import ``classifiers`` and ``metrics``. matplotlib is imported when something is drawn.
"""

from skcredal.plots._boundary import SetBoundaryDisplay
from skcredal.plots._reasons import ReasonsDisplay
from skcredal.plots._sets import AnswersDisplay, SetAsideDisplay, SetConfusionDisplay

__all__ = [
    "AnswersDisplay",
    "ReasonsDisplay",
    "SetAsideDisplay",
    "SetBoundaryDisplay",
    "SetConfusionDisplay",
]
