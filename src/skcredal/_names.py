"""What the command line calls the classifiers; apart from them, since help must not wait for imports."""

__all__ = ["CLOSE_CALL", "DEFAULT", "NAMES"]

# In the order of the tables: determinate classifiers first, then the credal ones.
NAMES = (
    "aode",
    "bma-aode",
    "comp-aode",
    "maplmg",
    "lp-aode",
    "bma-spode",
    "comp-nb",
    "naive-bayes",
    "tan",
    "null",
    "bma-aode*",
    "comp-aode*",
    "lp-aode*",
    "ncc",
    "ncc2",
    "cma",
    "cdt",
)
# Fitted, and shown on the evaluation page, where nobody names a classifier.
DEFAULT = "lp-aode*"
# An answer of one class is a close call if its probability is below this: of four such answers at least one
# is expected to be wrong.
CLOSE_CALL = 0.75
