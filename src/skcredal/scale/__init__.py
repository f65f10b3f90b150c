"""Rows that do not fit in memory: batches, Parquet and Dask."""

from skcredal.scale.batches import fit_batches
from skcredal.scale.cluster import fit_dask, predict_dask
from skcredal.scale.parquet import scan_parquet
from skcredal.scale.predictions import predict_batches

__all__ = ["fit_batches", "fit_dask", "predict_batches", "predict_dask", "scan_parquet"]
