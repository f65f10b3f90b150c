"""The numbers of six data sets, as they were when they were last looked at (``make golden`` renews them)."""

import importlib.util
import json
import os
from pathlib import Path

import pytest

EXPECTED = Path(__file__).parent.parent / "expected"


@pytest.mark.parametrize("setting", ["honest", "paper"])
def test_the_numbers_have_not_moved(setting):
    spec = importlib.util.spec_from_file_location("make_golden", EXPECTED / "make_golden.py")
    make_golden = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make_golden)
    folder = os.environ.get("SKCREDAL_DATA")
    if not folder or not all((Path(folder) / f"{name}.arff").exists() for name in make_golden.DATASETS):
        pytest.skip("SKCREDAL_DATA names no folder with the six data sets")
    golden = json.loads((EXPECTED / "golden.json").read_text(encoding="utf-8"))[setting]
    found = make_golden.golden_values(folder, setting)
    assert list(found) == list(golden)
    for dataset, classifiers in golden.items():
        assert list(found[dataset]) == list(classifiers)
        for classifier, measured in classifiers.items():
            for measure, value in measured.items():
                where = (dataset, classifier, measure)
                assert found[dataset][classifier][measure] == pytest.approx(value, abs=1e-8), where
