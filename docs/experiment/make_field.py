"""Write the tables of BMA-SPODE and COMP-NB beside their neighbours, from a run of `reproduce`.

    python docs/experiment/make_field.py results/field

The folder is the one given to ``--out``, of the honest setting.
"""

import sys
from pathlib import Path

from make_tables import read, write

from skcredal.evaluation._classifiers import display_name
from skcredal.paper._compare import format_p_value, wilcoxon_test

CLASSIFIERS = ("aode", "bma-aode", "bma-spode", "comp-aode", "comp-nb", "naive-bayes")
PAIRS = (
    *(("bma-spode", other) for other in ("aode", "bma-aode")),
    *(("comp-nb", other) for other in ("naive-bayes", "aode", "comp-aode")),
)
# Header, and whether more is better.
MEASURES = {
    "accuracy": ("accuracy", True),
    "brier": ("Brier", False),
    "brier_multiclass": ("Brier, all", False),
    "log_loss": ("log-loss", False),
}

if __name__ == "__main__":
    summary = read(Path(sys.argv[1]), "summary")
    values = {
        measure: summary.pivot(index="dataset", columns="classifier", values=measure) for measure in MEASURES
    }
    headers = [header for header, _ in MEASURES.values()]
    means = [
        [display_name(name), *(f"{values[measure][name].mean():.3f}" for measure in MEASURES)]
        for name in CLASSIFIERS
    ]
    write("field-means.csv", ["classifier", *headers], means)
    tests = []
    for first, second in PAIRS:
        for measure, (header, more_is_better) in MEASURES.items():
            found = wilcoxon_test(*(values[measure][name].to_numpy() for name in (first, second)))
            better, worse = found.n_higher, found.n_lower
            if not more_is_better:
                better, worse = worse, better
            numbers = [
                str(better),
                str(worse),
                f"{found.mean_difference:+.4f}",
                format_p_value(found.p_value),
            ]
            tests.append([display_name(first), display_name(second), header, *numbers])
    columns = ["classifier", "against", "measure", "better", "worse", "difference", "p"]
    write("field-tests.csv", columns, tests)
