"""Files become tables: encodings, delimiters, numbers of two countries, missing values, sheets, formats."""

import csv
import gzip
import io
import math
import re
import unicodedata
import warnings
from datetime import date, time

import numpy as np
import openpyxl
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from skcredal.evaluation._reading import STYLES, ReadingWarning, read_table_file

TABLE = "größe;farbe\n1,5;grün\n2;blau\n"


def read(content, **options):
    options.setdefault("format", "csv")
    content = content if isinstance(content, bytes) else content.encode()
    return read_table_file(io.BytesIO(content), **options)


def read_sheets(rows, *others, **options):
    book = openpyxl.Workbook()
    book.active.title = "Patients"
    sheets = [(book.active, rows), *((book.create_sheet(name), more) for name, more in others)]
    for sheet, content in sheets:
        for row in content:
            sheet.append(row)
    file = io.BytesIO()
    book.save(file)
    return read_table_file(io.BytesIO(file.getvalue()), **options)


def as_lists(frame):
    return {
        name: [None if value is None or value != value else value for value in frame[name]] for name in frame
    }


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252", "latin-1"])
def test_encodings_are_found(encoding):
    assert as_lists(read(TABLE.encode(encoding))) == {"größe": [1.5, 2.0], "farbe": ["grün", "blau"]}


def test_an_encoding_can_be_given():
    assert as_lists(read("a,b\nд,1\n".encode("cp1251"), encoding="cp1251")) == {"a": ["д"], "b": [1.0]}


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_delimiters_and_line_ends_are_found(delimiter, line_end):
    rows = [["a", "b c", "d"], ["1", "x, y; z", "3"], ["2", 'say "no" | yes', "4"]]
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator=line_end).writerows(rows)
    assert as_lists(read(text.getvalue())) == {"a": [1, 2], "b c": [rows[1][1], rows[2][1]], "d": [3, 4]}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sep=;\na;b,c\n1;2\n", {"a": [1], "b,c": [2]}),
        # More commas than semicolons, but not the same number in every row.
        ("note;n\na, b, c;1\nd;2\n", {"note": ["a, b, c", "d"], "n": [1, 2]}),
        ('a , "b"\n x ,  "y, z" \n', {"a": ["x"], "b": ["y, z"]}),
        (",a,\n1,2,3\n", {"column 1": [1], "a": [2], "column 3": [3]}),
        # What may be a header is not taken for a title.
        (",a\nx,red\ny,blue\n", {"column 1": ["x", "y"], "a": ["red", "blue"]}),
        ("a,,\nx,y,\nx,y,z\n", {"a": ["x", "x"], "column 2": ["y", "y"], "column 3": [None, "z"]}),
    ],
)
def test_what_a_table_is(text, expected):
    assert as_lists(read(text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a;b\n1,5;x\n-2,25;y\n", [1.5, -2.25]),
        ("a;b\n1,234;x\n2;y\n", [1.234, 2.0]),  # with semicolons a comma is decimal
        ('a,b\n"1,5",x\n2,y\n', [1.5, 2.0]),  # quoted, as spreadsheets write it
        ('a,b\n"1,234",x\n2,y\n', [1234.0, 2.0]),  # in a file with commas between cells it groups digits
        # Another column tells what the comma is.
        ("a;b\n1.275;25,5\n576;3\n", [1275.0, 576.0]),
        ('a,b\n"1,275",2.5\n"1,275,300.25",3\n', [1275.0, 1275300.25]),
        ("a;b\n0.275;x\n1.300;y\n", [0.275, 1.3]),  # nothing that is grouped begins with a zero
        ("a;b\n1\u202f275;x\n1\u00a0576;y\n", [1275.0, 1576.0]),
        ("a;b\n1'275.5;x\n576;y\n", [1275.5, 576.0]),
        ("a,b\n003,1\n12,2\n", ["003", "12"]),  # a code
    ],
)
def test_numbers_are_found_by_the_whole_file(text, expected):
    assert read(text)["a"].tolist() == expected


@pytest.mark.parametrize(
    ("cells", "expected", "way"),
    [
        (["$1,169.00", "-$5", "$ -3", "0"], [1169, -5, -3, 0], "1,234.5$"),
        (["€ 12,50", "1.234,50 €", "-€ 7", "?"], [12.5, 1234.5, -7, None], "1.234,5€"),
        (["12.3%", "7 %", "NA", "-1%"], [12.3, 7, None, -1], "1234.5%"),
        (["12,3 %", "7%", "", "1.000 %", "0"], [12.3, 7, None, 1000, 0], "1.234,5%"),
        (["5 %", "7%", "12 %", "%"], ["5 %", "7%", "12 %", "%"], "text"),
        (["5 %", "7", "12 %", "0"], ["5 %", "7", "12 %", "0"], "text"),  # 7, or 700 %?
        (["5 %", "7 €", "12", "0"], ["5 %", "7 €", "12", "0"], "text"),
        (["$5", "7 €", "12", "0"], ["$5", "7 €", "12", "0"], "text"),
    ],
)
def test_money_and_percentages_are_numbers_where_all_cells_fit(cells, expected, way):
    content = "a|b\n" + "".join(f"{cell}|x\n" for cell in cells)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        table = read(content)
    assert as_lists(table)["a"] == expected
    assert table.attrs["read_as"]["a"] == way
    # A note, without anything to settle.
    assert [one.message.settings for one in said] == ([] if way == "text" else [{}])
    assert all(f"({cells[0]} is {expected[0]:.15g})" in str(one.message) for one in said)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for cell, number in zip(cells, expected, strict=True):
            row = read(f"a|b\n{cell}|x\n", read_as=table.attrs["read_as"])
            assert as_lists(row)["a"] == [number]


TITLED = [["Patients", None, None], [], ["age", "sex", "ill"], [51, "f", "no"], [25, None, "yes"]]


@pytest.mark.parametrize("rows", [TITLED, [["Ward 3"], *TITLED], TITLED[:3]])
def test_titles_above_the_header_are_found(rows):
    expected = {"age": [51, 25], "sex": ["f", None], "ill": ["no", "yes"]}
    expected = expected if len(rows) > 3 else {"age": [], "sex": [], "ill": []}
    number = rows.index(["age", "sex", "ill"]) + 1
    lines = [";".join("" if cell is None else str(cell) for cell in row) for row in rows]
    for reader in (lambda **how: read_sheets(rows, **how), lambda **how: read("\n".join(lines), **how)):
        with pytest.warns(ReadingWarning, match=f"row {number}, below the title '.*Patients'"):
            assert as_lists(reader()) == expected
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert as_lists(reader(header_row=number)) == expected


def test_what_can_be_read_in_two_ways_is_said_in_the_words_of_python():
    with pytest.warns(ReadingWarning, match=r"column 'a'.*'1\.275'.* decimal='\.' or thousands='\.'"):
        assert read("a;b\n1.275;x\n576;y\n")["a"].tolist() == [1.275, 576.0]
    with pytest.warns(ReadingWarning, match=r"'1,234' was read as text"):
        assert read("a\tb\n1,234\tx\n2\ty\n")["a"].tolist() == ["1,234", "2"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read("a;b\n1.275;x\n576;y\n", thousands=".")["a"].tolist() == [1275.0, 576.0]
        assert read("a\tb\n1,234\tx\n2\ty\n", decimal=",")["a"].tolist() == [1.234, 2.0]


@pytest.mark.parametrize("style", STYLES)
def test_a_row_alone_is_read_like_the_table_before(style):
    decimal, group = STYLES[style]
    numbers = [1234567.25, 12.5, 999.0]
    cells = [f"{number:,}".replace(",", "g").replace(".", decimal).replace("g", group) for number in numbers]
    before = read("a|code|n\n" + "".join(f"{cell}|0{i}|{i}\n" for i, cell in enumerate(cells)))
    assert before["a"].tolist() == numbers
    assert before.attrs["read_as"] == {"a": style, "code": "text", "n": style.replace(group, "")}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        row = read(f"a|code|n\n1{group}275|12|3\n", read_as=before.attrs["read_as"])
    assert as_lists(row) == {"a": [1275.0], "code": ["12"], "n": [3.0]}


def test_columns_can_be_declared():
    assert read("a,b\n003,1\n12,2\n", read_as={"a": "number"})["a"].tolist() == [3.0, 12.0]
    assert read("a,b\n01,2\n3.0,\n", read_as={"a": "text"})["a"].tolist() == ["01", "3.0"]
    # What looks the same is the same, however it is encoded.
    same = ["größe", unicodedata.normalize("NFD", "größe")]
    for written, asked in (same, same[::-1]):
        assert read(f"{written},b\n003,1\n", read_as={asked: "number"})["größe"].tolist() == [3.0]
    with pytest.raises(ValueError, match=r"row 2, column 'a': must be a number, got 'x'"):
        read("a,b\n1,1\nx,2\n", read_as={"a": "number"})


@pytest.mark.parametrize(
    "dates",
    [["2024-03-01", "2024-12-31"], ["01.03.2024", "31.12.2024"], ["2024-03-01 10:30", "2024-12-31 00:00:00"]],
)
def test_dates_are_dates(dates):
    text = read("a,b\n" + "".join(f"{one},1\n" for one in [*dates, ""]))["a"]
    stored = read_sheets([["a"], [date(2024, 3, 1)], dates[1:], ["NA"]])["a"]
    for found in (text, stored) if dates[0] == "2024-03-01" else (text,):
        assert found.dtype.kind == "M"
        assert found.dt.strftime("%Y-%m-%d").tolist()[:2] == ["2024-03-01", "2024-12-31"]
        assert found.isna().tolist() == [False, False, True]


def test_missing_markers():
    marks = ["", "?", "NA", "N/A", "NaN", "nan", "null", "NULL", " ", "<NA>"]
    frame = read("n,t\n1,mild\n" + "".join(f"{mark},{mark}\n" for mark in marks) + "2,None\n3,none\n4,-\n")
    nothing = [None] * len(marks)
    assert as_lists(frame) == {"n": [1, *nothing, 2, 3, 4], "t": ["mild", *nothing, "None", "none", "-"]}
    assert as_lists(read("n\n1\nNone\n-\n.\nnone\n")) == {"n": [1, None, None, None, None]}
    text = "n,t\n1,null\n-9,NA\n2,-9\n,x\n"
    assert as_lists(read(text, na=["-9"])) == {"n": [1, None, 2, None], "t": [None, None, None, "x"]}
    only = read(text, na=["-9", ""], usual_na=False)
    assert as_lists(only) == {"n": [1, None, 2, None], "t": ["null", "NA", None, "x"]}


def test_strange_columns_are_pointed_out():
    with pytest.warns(ReadingWarning, match=r"column 'a' .*'unknown'.* na='unknown'"):
        read("a,b\n" + "".join(f"{'unknown' if i == 10 else i},x\n" for i in range(40)))
    with pytest.warns(UserWarning, match="names of the columns"):
        read("1,2\n3,4\n")


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("", {}, "it is empty"),
        ("a,b\n1,2\n1,2,3\n", {}, "line 3"),
        ("a,b,a\n1,2,3\n", {}, "column names must be unique, got 'a' twice"),
        (b"\xff", {"encoding": "utf-8"}, "cannot be decoded as utf-8"),
        ("a,b\n", {"decimal": ",", "thousands": ","}, "thousands=','"),
        ("a,b\n", {"format": "xls"}, "format must be"),
        ("a,b\n1,2\n", {"header_row": 9}, "standard input: "),
    ],
)
def test_what_cannot_be_read_is_refused(content, options, message):
    with pytest.raises(ValueError, match=re.escape(message)) as refusal:
        read(content, **options)
    assert "\n" not in str(refusal.value)


cells = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.integers(-(10**6), 10**6).map(str),
    st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=8),
)


@given(st.integers(1, 4).flatmap(lambda n: st.lists(st.lists(cells, min_size=n, max_size=n), max_size=6)))
def test_what_a_writer_wrote_is_read(rows):
    header = [f"column {j}" for j in range(len(rows[0]) if rows else 1)]
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows([header, *rows])
    found = read(text.getvalue(), delimiter=",", read_as=dict.fromkeys(header, "text"))
    markers = {"", "?", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "Null"}
    # What looks the same is the same.
    kept = [
        [unicodedata.normalize("NFC", re.sub("[\u00a0\u2009\u202f]", " ", cell)).strip() for cell in row]
        for row in rows
    ]
    assert found.values.tolist() == [[None if cell in markers else cell for cell in row] for row in kept]


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False) | st.none(), min_size=1, max_size=20))
def test_numbers_come_back_exactly(numbers):
    found = read(pd.DataFrame({"a": numbers, "b": "x"}).to_csv(index=False, sep=";"))["a"]
    assert found.dtype == np.float64
    for got, put in zip(found, numbers, strict=True):
        assert got == put or (math.isnan(got) and put is None)


STRANGE = st.one_of(
    st.binary(max_size=200),
    st.text(",;|\t\"'\n\r\0 abc01.-eE?\ufeffé", max_size=200).map(lambda text: text.encode()),
    st.text(',;|\t"\n ab01.', max_size=100).map(lambda text: text.encode("utf-16")),
)
MAGIC = st.sampled_from([b"", b"PAR1", b"\x1f\x8b", b"\x1f\x8b\x08\0", b"@relation", b"PK\x03\x04xl/"])
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "encoding": st.sampled_from(["utf-8", "utf-16", "latin-1", "unicode_escape", "idna", "hex", "x"]),
        "delimiter": st.sampled_from([",", ";", " ", ":", "\t", "."]),
        "na": st.lists(st.text(max_size=2), max_size=2),
        "read_as": st.dictionaries(
            st.sampled_from(["a", "1"]), st.sampled_from(["text", "number", "1,234.5"])
        ),
    },
)


def is_table_or_refusal(name, read_it):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            frame, refusal = read_it(), name
        except ValueError as error:
            frame, refusal = pd.DataFrame(), str(error)
    assert refusal.startswith(name)
    assert frame.columns.is_unique


@given(MAGIC, STRANGE, OPTIONS)
@example(b"", b"\xff\xfe\x00\xd8\x00\x00", {"encoding": "utf-16"})
@example(b"", rb"a\ud800", {"encoding": "unicode_escape"})
@example(b"", b"1;2\n3;4", {"delimiter": "."})
def test_any_stream_is_a_table_or_a_refusal_that_names_it(magic, content, options):
    is_table_or_refusal("standard input", lambda: read_table_file(io.BytesIO(magic + content), **options))


@pytest.mark.parametrize(
    "name", ["t.csv", "t.tsv", "t.csv.gz", "T.CSV", "t.parquet", "t.pq", "t.arff", "t.txt", "t.xlsx"]
)
def test_the_format_is_that_of_the_name(tmp_path, name):
    table = pd.DataFrame({"size": [1.5, np.nan, 3.0, 4.0], "colour": ["red", "red", None, "blue"]})
    path = tmp_path / name
    if name.endswith("arff"):
        header = "@relation t\n@attribute size real\n@attribute colour {red, blue}\n@data\n"
        path.write_text(f"{header}1.5,red\n?,red\n3,?\n4,blue\n")
    elif name.endswith(("parquet", "pq")):
        table.to_parquet(path)
    elif name.endswith("xlsx"):
        table.to_excel(path, index=False)
    else:
        content = table.to_csv(index=False, sep="\t" if "tsv" in name else ",").encode()
        path.write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    assert as_lists(read_table_file(path)) == as_lists(table)
    with path.open("rb") as stream:
        assert as_lists(read_table_file(stream)) == as_lists(table)


def test_a_name_that_tells_no_format_is_refused(tmp_path):
    (tmp_path / "t.sav").write_bytes(b"a\tb,c\n1\t2\n")
    with pytest.raises(ValueError, match=r"got 't\.sav'"):
        read_table_file(tmp_path / "t.sav")
    assert list(read_table_file(tmp_path / "t.sav", format="tsv")) == ["a", "b,c"]


def test_parquet_keeps_named_indices_and_makes_numbers_of_decimals(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "t.parquet"
    prices = arrow.array([1, None, 3]).cast(arrow.decimal128(25, 2))
    parquet.write_table(arrow.table({"price": prices}), path)
    assert as_lists(read_table_file(path)) == {"price": [1.0, None, 3.0]}
    pd.DataFrame({"size": [1.5]}, index=pd.Index(["red"], name="colour")).to_parquet(path)
    assert as_lists(read_table_file(path)) == {"colour": ["red"], "size": [1.5]}


@pytest.mark.parametrize(
    ("stored", "expected"),
    [
        (["1,5", "-2,25", "1.275,5"], [1.5, -2.25, 1275.5]),  # German
        (["1,5", 2.5, 3], [1.5, 2.5, 3.0]),  # what is stored as a number has no decimal sign
        ([1, "003", 2.5], ["1", "003", "2.5"]),
        ([True, None, False], ["TRUE", None, "FALSE"]),
        ([date(2024, 3, 1), time(10, 30), "x"], ["2024-03-01", "10:30:00", "x"]),
        (["=1/0", 1, 2], [None, 1.0, 2.0]),
    ],
)
def test_cells_of_excel_are_what_is_stored_or_typed_by_their_text(stored, expected):
    frame = read_sheets([["a", "b"], *([cell, "x"] for cell in stored)])
    assert as_lists(frame)["a"] == expected


def test_empty_rows_and_columns_of_excel_are_left_out():
    frame = read_sheets([[], [None, " a ", None, None, 2024], [], [1, 2, None, 3, 4]])
    assert as_lists(frame) == {"column 1": [1], "a": [2], "column 4": [3], "2024": [4]}
    with pytest.raises(ValueError, match="sheet 'Patients' is empty"):
        read_sheets([])


def test_sheets_are_chosen_by_name_or_number():
    others = [("2020", [["b"], [2]]), ("1", [["c"], [3]])]
    columns = {None: "a", "Patients": "a", "2020": "b", 2: "b", "2": "b", "1": "c", 3: "c"}
    for sheet, column in columns.items():
        assert list(read_sheets([["a"], [1]], *others, sheet=sheet)) == [column]
    for sheet in ("patients", 0, 4, -1, "", "²"):
        with pytest.raises(ValueError, match=r"has no sheet .* 'Patients', '2020', '1'"):
            read_sheets([["a"], [1]], *others, sheet=sheet)
