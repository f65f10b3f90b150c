"""Rows that do not fit in memory: batches, Parquet and Dask."""

__all__: list[str] = []
