"""Excel files: what is stored as numbers and dates, what is text, sheets and messages."""

import io
import sys
import warnings
from datetime import date, datetime, time

import numpy as np
import openpyxl
import pandas as pd
import pytest

from skcredal.evaluation._table_files import read_table_file


@pytest.fixture
def read(tmp_path):
    def read_rows(rows, *others, **options):
        book = openpyxl.Workbook()
        book.active.title = "Patients"
        for sheet, content in [
            (book.active, rows),
            *((book.create_sheet(name), more) for name, more in others),
        ]:
            for row in content:
                sheet.append(row)
        path = tmp_path / "t.xlsx"
        book.save(path)
        return read_table_file(path, **options)

    return read_rows


def cells(frame, column):
    return [None if value is None or value != value else value for value in frame[column]]


def test_numbers_dates_and_truth_values_are_what_is_stored(read):
    frame = read(
        [
            ["size", "born", "ill", "name", "nothing"],
            [1.5, date(2020, 1, 2), True, "a", None],
            [None, datetime(9999, 1, 1, 10, 30), None, " b ", None],
            [7, None, False, None, None],
        ]
    )
    assert [frame[column].dtype.kind for column in frame] == ["f", "M", "O", "O", "f"]
    assert cells(frame, "size") == [1.5, None, 7.0]
    assert frame["born"].dropna().dt.year.tolist() == [2020, 9999]
    assert cells(frame, "ill") == [True, None, False]
    assert cells(frame, "name") == ["a", "b", None]


@pytest.mark.parametrize(
    ("stored", "expected"),
    [
        (["1,5", "-2,25", "1.275,5"], [1.5, -2.25, 1275.5]),  # German
        (["1.5", "1,275.5", "1,275,300"], [1.5, 1275.5, 1275300.0]),  # American
        (["1,5", 2.5, 3], [1.5, 2.5, 3.0]),  # what is stored as a number has no decimal sign
        ([1234.5, "2,5", "-"], [1234.5, 2.5, None]),
        ([1, "NA", "?"], [1.0, None, None]),
        ([1, "003", 2.5], ["1", "003", "2.5"]),
        ([1, "many", 2.0], ["1", "many", "2"]),
        ([True, "NA", False], [True, None, False]),
        ([True, 1, "x"], ["TRUE", "1", "x"]),
        ([date(2024, 3, 1), 2, "x"], ["2024-03-01", "2", "x"]),
        ([time(10, 30), "x", 1], ["10:30:00", "x", "1"]),
        (["=1/0", 1, 2], [None, 1.0, 2.0]),
    ],
)
def test_a_column_with_text_is_typed_by_that_text(read, stored, expected):
    assert cells(read([["a", "b"], *([cell, "x"] for cell in stored)]), "a") == expected


def test_dates_may_be_stored_as_text(read):
    frame = read([["a"], [date(2024, 3, 1)], ["31.12.2024"], ["NA"]])
    assert frame["a"].dtype.kind == "M"
    assert frame["a"].isna().tolist() == [False, False, True]


def test_other_columns_tell_the_decimal_sign_of_text(read):
    rows = [["a", "b", "c"], ["1.275", "25,5", 0.5], ["576", "3", 1.25]]
    assert cells(read(rows), "a") == [1275.0, 576.0]


def test_what_can_be_read_in_two_ways_is_said_without_a_row(read):
    rows = [["a", "b"], ["1.275", 2.5], ["576", 3]]
    with pytest.warns(UserWarning, match=r"t\.xlsx, sheet 'Patients': column 'a' can be read in two ways"):
        assert cells(read(rows), "a") == [1.275, 576.0]
    assert cells(read(rows, thousands="."), "a") == [1275.0, 576.0]


def test_options_of_cells_count_for_stored_ones_as_well(read):
    rows = [["a", "b", "c"], [1, "01", 2.5], [-9, "12", 3], [2, None, None]]
    frame = read(rows, missing=["-9"], text_columns=["c"], numeric_columns=["b"])
    assert [cells(frame, column) for column in frame] == [[1, None, 2], [1, 12, None], ["2.5", "3", None]]
    assert cells(read(rows, usual_missing=False), "c") == [2.5, 3, None]
    with pytest.raises(ValueError, match=r"t\.xlsx, sheet 'Patients', row 3, column 'a': must be a number"):
        read([["a"], [1], ["x"]], numeric_columns=["a"])
    with pytest.raises(ValueError, match=r"row 2, column 'a': must be a number, got 'TRUE'"):
        read([["a"], [True]], numeric_columns=["a"])


def test_rows_are_counted_as_in_excel(read):
    rows = [[], ["a", "b"], [], *([i, "x"] for i in range(30)), ["unknown", "x"]]
    with pytest.warns(UserWarning, match=r"sheet 'Patients', row 34: column 'a' is read as text, because"):
        assert len(read(rows)) == 31
    with pytest.raises(ValueError, match=r"t\.xlsx, sheet 'Patients', row 2: column names must be unique"):
        read([[], ["a", "a"], [1, 2]])
    with pytest.raises(ValueError, match=r"sheet 'Patients', row 3, column 'a': a number must be finite"):
        read([["a"], [1], ["inf"]])


def test_columns_are_named_as_in_csv(read):
    frame = read([[None, " a ", None, None, 2024], [1, 2, None, 3, 4]])
    assert list(frame) == ["column 1", "a", "column 4", "2024"]
    with pytest.warns(UserWarning, match="row 1: the first line should contain the column names"):
        read([[1, 2], [3, 4]])


def test_a_header_alone_is_a_table_without_rows(read):
    assert read([["a", "b"]]).shape == (0, 2)


def test_sheets_are_chosen_by_name_or_number(read):
    others = [("2020", [["b"], [2]]), ("1", [["c"], [3]])]
    for sheet, column in [
        (None, "a"),
        ("Patients", "a"),
        ("2020", "b"),
        (2, "b"),
        ("2", "b"),
        ("1", "c"),
        (3, "c"),
    ]:
        assert list(read([["a"], [1]], *others, sheet=sheet)) == [column]
    for sheet in ("patients", 0, 4, -1, "", "²"):
        with pytest.raises(
            ValueError, match=r"t\.xlsx has no sheet .*: its sheets are 'Patients', '2020', '1'\."
        ):
            read([["a"], [1]], *others, sheet=sheet)


def test_an_empty_sheet_is_refused(read):
    with pytest.raises(ValueError, match=r"t\.xlsx, sheet 'Patients' is empty\."):
        read([])
    with pytest.raises(ValueError, match=r"t\.xlsx, sheet 'More' is empty\."):
        read([["a"], [1]], ("More", [[None, " "]]), sheet="More")


def test_a_stream_is_recognised_by_its_content():
    file = io.BytesIO()
    table = pd.DataFrame({"size": [1.5, np.nan], "colour": ["red", "blue"]})
    table.to_excel(file, index=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = read_table_file(io.BytesIO(file.getvalue()))
    pd.testing.assert_frame_equal(found, table.astype({"colour": object}))
    damaged = file.getvalue()[:-300]
    with pytest.raises(ValueError, match="standard input cannot be read as an Excel file: "):
        read_table_file(io.BytesIO(damaged))


def test_without_an_engine(monkeypatch):
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    expected = (
        r"^Reading an Excel file needs python_calamine\. Install it with: pip install 'skcredal\[cli\]'$"
    )
    with pytest.raises(ImportError, match=expected):
        read_table_file(io.BytesIO(b"PK"), format="xlsx")
