"""Data sets by name: embedded ones, a folder of ARFF files, or OpenML. It may import nothing but helpers."""

from skcredal.datasets._arff import read_arff
from skcredal.datasets._sources import Dataset, list_datasets, load_dataset

__all__ = ["Dataset", "list_datasets", "load_dataset", "read_arff"]
