"""Data sets by name, from this package, a folder of ARFF files or OpenML. It may import only helpers."""

from skcredal.datasets._arff import read_arff
from skcredal.datasets._sources import Dataset, list_datasets, load_dataset

__all__ = ["Dataset", "list_datasets", "load_dataset", "read_arff"]
