"""Rows that do not fit in memory: batches, Parquet and Dask."""

from skcredal.scale.batches import fit_batches

__all__ = ["fit_batches"]
