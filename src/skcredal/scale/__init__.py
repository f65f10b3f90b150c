"""Rows that do not fit in memory: batches, Parquet and Dask. It may import ``classifiers`` and below."""

from skcredal._progress import Progress
from skcredal.scale._batches import fit_batches
from skcredal.scale._dask import fit_dask, predict_dask
from skcredal.scale._parquet import scan_parquet
from skcredal.scale._predictions import predict_batches

__all__ = ["Progress", "fit_batches", "fit_dask", "predict_batches", "predict_dask", "scan_parquet"]
