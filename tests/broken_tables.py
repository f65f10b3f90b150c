"""Tables of results with something wrong in them, for Hypothesis."""

import math

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from strange_problems import CELLS


@st.composite
def broken(draw, table):
    """Draw a table with a column dropped, doubled, of strange values or of another type, or none at all."""
    table = table.copy()
    for _ in range(draw(st.integers(0, 2))):
        column = draw(st.sampled_from(sorted(table.columns)))
        how = draw(
            st.sampled_from(["drop", "double", "cells", "text", "missing", "infinite", "rows", "same"])
        )
        if how == "drop":
            table = table.drop(columns=column)
        elif how == "double":
            table = pd.concat([table, table[[column]]], axis=1)
        elif how == "rows":
            table = table.iloc[: draw(st.integers(0, 3))]
        elif how == "same":
            table = pd.concat([table, table.iloc[:1]])
        else:
            kind = draw(st.sampled_from(sorted(CELLS)))
            cell = {"cells": CELLS[kind][0], "text": "a", "missing": None, "infinite": math.inf}[how]
            values = (
                table[column].astype(object).to_numpy() if table[column].ndim == 1 else [cell] * len(table)
            )
            rows = np.arange(len(table)) % draw(st.integers(1, 3)) == 0
            changed = np.empty(len(table), object)
            for index, (old, is_changed) in enumerate(zip(values, rows, strict=True)):
                changed[index] = cell if is_changed else old
            table[column] = pd.Series(changed, table.index, dtype=object) if table[column].ndim == 1 else 1
        if table.columns.empty or not table.columns.is_unique:
            break
    return draw(st.sampled_from([table] * 8 + [None, 3, {}, [], "a", table.to_dict(), table.to_numpy()]))
