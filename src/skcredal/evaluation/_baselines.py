"""For the paper's experiment until it uses _classifiers."""

from skcredal.evaluation._classifiers import BASELINES

__all__ = ["BASELINES"]
