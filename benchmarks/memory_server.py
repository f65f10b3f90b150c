"""What the server that measurements of memory are forked from does once: import, and load every kernel."""

from benchmarks.warm_up import load_kernels

load_kernels()
