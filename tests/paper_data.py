"""The paper's data sets, where the environment variable SKCREDAL_DATA names their folder."""

import os
from pathlib import Path

import pytest

from skcredal.datasets import load_dataset

# Features after imputation and discretisation of the whole set, as in the paper's table of data sets.
_FEATURES = """
anneal 31, breast_w 9, cmc 9, credit_a 15, credit_g 15, diabetes 6, ecoli 6, glass 7, grub_damage 6,
haberman 2, hayes_roth 3, heart_c 11, heart_h 9, hepatitis 16, hypothyroid 25, ionosphere 33, iris 4,
kr_vs_kp 36, labor 11, liver_disorders 1, lymph 18, monks1 6, monks2 6, monks3 6, nursery 8, page_blocks 10,
pendigits 16, postoperative 8, segment 18, solarflare_c 10, solarflare_m 10, solarflare_x 10, sonar 21, tae 2,
waveform 19, white_clover 6, wine 13, yeast 7, zoo 16
"""
PAPER_FEATURES = {name: int(k) for name, k in (entry.split() for entry in _FEATURES.split(","))}


def load_paper_dataset(name):
    """Load one of the 39, or skip the test where they are not at hand."""
    folder = os.environ.get("SKCREDAL_DATA")
    if not folder or not (Path(folder) / f"{name}.arff").exists():
        pytest.skip(f"SKCREDAL_DATA names no folder with {name}.arff")
    return load_dataset(name, folder)
