"""The page on large data waits for a package that has what it shows."""

from skcredal import scale

collect_ignore = [] if hasattr(scale, "fit_dask") else ["large_data.rst"]
