"""A table becomes states: columns, cuts, categories, missing and unknown values, learned from sums."""
