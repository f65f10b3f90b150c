"""Rows that do not fit in memory: batches, Parquet and Dask."""

from skcredal.scale.batches import fit_batches
from skcredal.scale.parquet import scan_parquet
from skcredal.scale.predictions import predict_batches

__all__ = ["fit_batches", "predict_batches", "scan_parquet"]
