"""A table becomes codes: columns, cuts, states, missing and unknown values. It may import ``_kernels``."""
