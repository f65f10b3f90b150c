"""The paper's experiment: which classifiers, on which folds, and what came out."""
