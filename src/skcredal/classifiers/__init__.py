"""The estimators, one family a file."""
