"""The mathematics between counts and sets of classes. It may import ``_kernels``."""
