"""The estimators, one family a file, and what authors of classifiers subclass.

They may import ``_encoding``, ``_ensemble`` and ``_kernels``. Users find the estimators in ``skcredal``.
"""

from skcredal.classifiers._base import TabularClassifier
from skcredal.classifiers._credal import CredalMixin
from skcredal.classifiers._rows import Part, Rows

__all__ = ["CredalMixin", "Part", "Rows", "TabularClassifier"]
