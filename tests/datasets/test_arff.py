"""ARFF files: the format rule by rule, every refusal, and scipy's reader as the independent judge."""

import os
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal, assert_series_equal
from scipy.io import arff as scipy_arff

from skcredal.datasets._arff import read_arff

FOLDER = os.environ.get("SKCREDAL_DATA")
FILES = sorted(Path(FOLDER).glob("*.arff")) if FOLDER else []


@pytest.fixture
def read(tmp_path):
    def read_content(content):
        path = tmp_path / "table.arff"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_arff(path)

    return read_content


def nominal(values, domain):
    return pd.Series(pd.Categorical(values, categories=pd.Index(domain, dtype=str)))


def column(table):
    (name,) = table.frame.columns
    return table.frame[name]


def test_three_kinds_of_attributes(read):
    table = read(
        "% a comment\n\n@relation zoo\n@attribute legs integer\n@attribute kind {bird, fish, ape}\n"
        "@attribute name string\n@data\n% the rows\n2,bird,wren\n\n0 , fish , ?\n?,?,'sea horse'\n"
    )
    assert table.relation == "zoo"
    expected = {
        "legs": [2.0, 0.0, np.nan],
        "kind": nominal(["bird", "fish", None], ["bird", "fish", "ape"]),
        "name": pd.Series(["wren", None, "sea horse"], dtype=object),
    }
    assert_frame_equal(table.frame, pd.DataFrame(expected))
    assert table.frame["name"][1] is None


@pytest.mark.parametrize(
    "declared",
    ["numeric", "REAL", "Integer", "integer [1,10]", "real[0.5, 9]", "REAL (0,1)", "numeric % in metres"],
)
def test_numeric_types(read, declared):
    values = column(read(f"@relation r\n@attribute x {declared}\n@data\n-1.5\n?\n+2e3\n.5\n7.\n'4'\n"))
    assert_series_equal(values, pd.Series([-1.5, np.nan, 2000, 0.5, 7, 4]), check_names=False)


@pytest.mark.parametrize(
    ("declared", "domain"),
    [
        ("{a,b}", ["a", "b"]),
        ("{ b ,  a }", ["b", "a"]),
        ("{a, 'b c', \"d\"}", ["a", "b c", "d"]),
        (r"{'it\'s', '\"', '\\', 'tab\tend'}", ["it's", '"', "\\", "tab\tend"]),
        ("{'a,b', '}', '{', '%'} % done", ["a,b", "}", "{", "%"]),
        ("{'?', ''}", ["?", ""]),
        ("{new car, used}", ["new car", "used"]),
        ("{a b\tc}", ["a", "b", "c"]),
        ("{0<=X<8.8, 50%, a-b_c.d}", ["0<=X<8.8", "50%", "a-b_c.d"]),
        ("{%, a}", ["%", "a"]),
        ("{}", []),
    ],
)
def test_domains_are_kept_as_declared(read, declared, domain):
    values = column(read(f"@relation r\n@attribute x {declared}\n@data\n?\n"))
    assert values.cat.categories.to_list() == domain
    assert not values.cat.ordered
    assert values.isna().all()


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("x", "x"),
        ("'blood pressure'", "blood pressure"),
        ('"x"', "x"),
        (r"'it\'s \\ \"so\"'", 'it\'s \\ "so"'),
        ("bw/me(%)", "bw/me(%)"),
        ("größe", "größe"),
        ("real", "real"),
    ],
)
@pytest.mark.parametrize("separator", [" ", "\t", "  \t "])
def test_names_of_attributes(read, written, name, separator):
    table = read(f"@relation r\n@attribute{separator}{written}{separator}real\n@data\n1\n")
    assert table.frame.columns.to_list() == [name]


def test_a_domain_may_touch_the_name(read):
    assert column(read("@relation r\n@attribute x{a,b}\n@data\nb\n")).to_list() == ["b"]


@pytest.mark.parametrize(
    ("written", "relation"),
    [
        ("@relation iris", "iris"),
        ("@RELATION 'my \\'own\\' data' % note", "my 'own' data"),
        ("@Relation two words", "two words"),
        ("@relation", ""),
        ("% none", ""),
    ],
)
def test_relations(read, written, relation):
    assert read(f"{written}\n@attribute x real\n@data\n1\n").relation == relation


def test_keywords_in_any_case(read):
    table = read("@RELATION r\n@Attribute x REAL\n@aTTRIBUTE y {A,a}\n@DATA\n1,a\n")
    assert table.frame.iloc[0].to_list() == [1.0, "a"]


def test_only_an_unquoted_question_mark_is_missing(read):
    values = column(read("@relation r\n@attribute x {'?',a}\n@data\n'?'\n?\n\"?\"\na\n"))
    assert values.to_list()[::2] == ["?", "?"]
    assert values.isna().to_list() == [False, True, False, False]


@pytest.mark.parametrize(
    "row", ["1,b c,d", "1, 'b c' ,\td", '  1 ,b c,"d"  ', "1 'b c' d", "1\t\t'b c'\td", "'1','b c','d'"]
)
def test_separators(read, row):
    header = "@relation r\n@attribute x real\n@attribute y {'b c'}\n@attribute z string\n@data\n"
    assert read(header + row).frame.iloc[0].to_list() == [1.0, "b c", "d"]


def test_quoted_values_hold_anything(read):
    text = (
        r"@attribute x string"
        + "\n@data\n"
        + r"""'a,b'
"it's"
'say \"so\" \'twice\''
'back\\slash'
'two\nlines\r\tend'
'% no comment'
''
' blank '
'{1 a}'
"""
    )
    values = column(read(text)).to_list()
    assert values == [
        "a,b",
        "it's",
        "say \"so\" 'twice'",
        "back\\slash",
        "two\nlines\r\tend",
        "% no comment",
        "",
        " blank ",
        "{1 a}",
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_and_byte_order_mark(read, end, mark):
    text = mark + end.join(["@relation r", "@attribute x {a,b}", "@data", "a", "b", "", "  ", "% end"])
    assert column(read(text)).to_list() == ["a", "b"]


def test_utf8_then_latin1(read):
    text = "@relation r\n@attribute x {é,'\x85x','\xa0'}\n@data\né\n'\x85x'\n'\xa0'\n"
    for encoding in ("utf-8", "latin-1"):
        assert column(read(text.encode(encoding))).to_list() == ["é", "\x85x", "\xa0"]


def test_a_cell_without_anything_is_missing(read):
    frame = read("@attribute x real\n@attribute y {a}\n@attribute z string\n@data\n,,\n1,a,\n").frame
    assert frame.isna().to_numpy().tolist() == [[True] * 3, [False, False, True]]


def test_integers_keep_a_fraction(read):
    assert column(read("@attribute x integer\n@data\n1.5\n")).to_list() == [1.5]


def test_no_rows(read):
    frame = read("@relation r\n@attribute x real\n@attribute y {a}\n@attribute z string\n@data\n").frame
    expected = {"x": pd.Series(dtype=float), "y": nominal([], ["a"]), "z": pd.Series(dtype=object)}
    assert_frame_equal(frame, pd.DataFrame(expected))


HEADER = "@relation r\n@attribute size real\n@attribute kind {a, b}\n@data\n"


ROW = ", line 5: a row must have a cell for each attribute, 2 in all, got "
QUOTES = "a value with blanks, quotes or braces must be quoted, a quote closed"
TYPE = ", line 1: @attribute must have a name and a type (numeric, real, integer, string or a domain whose"
LINE = "a line up to @data must be @relation, @attribute (one at least) or a % comment, got "


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (HEADER + "1,a,b\n", ROW + "'1,a,b'."),
        (HEADER + "1 a b\n", ROW + "'1 a b'."),
        (HEADER + "%\n\n1,a\n2\n", ", line 8: a row must have a cell for each attribute, 2 in all, got '2'."),
        (HEADER + "x" * 100, ROW + f"'{'x' * 57}...'."),
        (
            HEADER + "1,a\n\n% note\n2,c\n",
            ", line 8: attribute 'kind' must be one of 'a', 'b' or ?, got 'c'.",
        ),
        (HEADER + "1,A\n", ", line 5: attribute 'kind' must be one of 'a', 'b' or ?, got 'A'."),
        (HEADER + "1,'?'\n", "'a', 'b' or ?, got '?'."),
        (HEADER + "1,%d\n", "'a', 'b' or ?, got '%d'."),
        ("@attribute x {0,1,2,3,4,5,6,7,8,9}\n@data\n10\n", "'7', ... or ?, got '10'."),
        ("@attribute x {}\n@data\na\n", ", line 3: attribute 'x' must be"),
        *(
            (
                HEADER + f"1,a\n{cell},b\n",
                f", line 6: attribute 'size' must be a finite number or ?, got '{value}'.",
            )
            for cell, value in [
                ("big", "big"),
                ("'?'", "?"),
                ("''", ""),
                ("inf", "inf"),
                ("1e999", "1e999"),
                ("-1e999", "-1e999"),
                ("1.2.3", "1.2.3"),
                ("1 2", "1 2"),
                ("e", "e"),
            ]
        ),
        *(
            (HEADER + f"1,{cell}\n", f", line 5: {QUOTES}")
            for cell in ["'a", "a'", "'a'b", "'it''s'", "a 'b'", "{a}", "b{", r"'\d'"]
        ),
        (HEADER + "{0 1, 1 a}\n", ", line 5: sparse rows are not supported, got '{0 1, 1 a}'."),
        ("", ", line 1: an ARFF file must have a @data section, but ends here."),
        (HEADER[:-7], ", line 3: an ARFF file must have a @data section, but ends here."),
        ("@relation r\n@data\n1\n", f", line 2: {LINE}'@data'."),
        (
            "@attribute x real\n@attribute 'x' {a}\n@data\n",
            ", line 2: attribute names must be unique, this one is repeated, got 'x'.",
        ),
        ("@attribute x {a,b,a}\n", ", line 1: values of a domain must be unique, got 'a,b,a'."),
        *(
            (f"@attribute {declared}\n@data\n", TYPE)
            for declared in [
                "",
                "x",
                "xreal",
                "'x real",
                "x {a,\nb}",
                "x {a,'b}",
                "x {a} b",
                "x {{a}}",
                "x real real",
                "x string 1",
                "x real [1",
                "x double",
                "x date 'yyyy-MM-dd'",
                "x RELATIONAL",
                f"x {{{','.join(map(str, range(1000)))}}} b",  # liac-arff alone would take forever
            ]
        ),
        ("@relation 'r\n", f", line 1: {LINE}"),
        ("@relation 'r' s\n", f", line 1: {LINE}"),
        ("@attribute x real\n@data 1\n", f", line 2: {LINE}'@data 1'."),
        ("a,b\n1,2\n", f", line 1: {LINE}'a,b'."),
        ("@inputs x\n", f", line 1: {LINE}"),
        (b"\x1f\x8b\x08\x00gzip", ": an ARFF file must be text in UTF-8 or Latin-1, got NUL bytes"),
        (HEADER.encode("utf-16"), ": an ARFF file must be text in UTF-8 or Latin-1, got NUL bytes"),
    ],
)
def test_refusals(read, tmp_path, content, message):
    with pytest.raises(ValueError) as caught:
        read(content)
    assert str(caught.value).startswith(str(tmp_path / "table.arff"))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_arff(tmp_path / "none.arff")


@pytest.mark.parametrize("package", ["pandas", "arff"])
def test_without_a_package(read, monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    expected = rf"^Reading an ARFF file needs {package}\. Install it with: pip install 'skcredal\[cli\]'$"
    with pytest.raises(ImportError, match=expected):
        read(HEADER)


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)
BLANKS = st.sampled_from(["", " ", "\t", "  "])
ESCAPES = str.maketrans({"\\": r"\\", "'": r"\'", '"': r"\"", "\n": r"\n", "\r": r"\r"})


@st.composite
def cells(draw, n_rows):
    """One column: its declared type, its values and what pandas should make of them."""
    kind = draw(st.sampled_from(["numeric", "nominal", "string"]))
    if kind == "numeric":
        number = st.floats(allow_nan=False, allow_infinity=False)
        values = draw(st.lists(st.none() | number, min_size=n_rows, max_size=n_rows))
        return "real", values, pd.Series(values, dtype=float)
    if kind == "string":
        values = draw(st.lists(st.none() | TEXT, min_size=n_rows, max_size=n_rows))
        return "string", values, pd.Series(values, dtype=object)
    domain = draw(st.lists(TEXT, min_size=1, max_size=4, unique=True))
    values = draw(st.lists(st.none() | st.sampled_from(domain), min_size=n_rows, max_size=n_rows))
    return domain, values, nominal(values, domain)


@st.composite
def tables(draw):
    """The text of an ARFF file beside the frame that it describes."""

    def write(value):
        if value is None:
            return "?"
        if isinstance(value, float):
            return repr(value)
        if value.isascii() and value.isalnum() and draw(st.booleans()):
            return value
        quote = draw(st.sampled_from("'\""))
        return quote + value.translate(ESCAPES) + quote

    def join(values):
        return ",".join(draw(BLANKS) + write(value) + draw(BLANKS) for value in values)

    n_rows = draw(st.integers(0, 4))
    names = draw(st.lists(TEXT, min_size=1, max_size=4, unique=True))
    columns = [draw(cells(n_rows)) for _ in names]
    lines = ["@relation " + write(draw(TEXT))]
    for name, (declared, _, _) in zip(names, columns, strict=True):
        domain = declared if isinstance(declared, str) else "{" + join(declared) + "}"
        lines.append(f"@attribute {write(name)} {domain}")
    lines.append("@data")
    lines += [join(row) for row in zip(*(values for _, values, _ in columns), strict=True)]
    gap = draw(st.sampled_from(["\n", "\r\n", "\n\n", "\n% comment, 'open\n"]))
    frame = pd.DataFrame({name: series for name, (_, _, series) in zip(names, columns, strict=True)})
    return gap.join(lines) + gap, frame


@settings(deadline=None)
@given(tables())
def test_what_is_written_is_read(tmp_path_factory, written):
    text, frame = written
    path = tmp_path_factory.getbasetemp() / "written.arff"
    path.write_bytes(text.encode())
    assert_frame_equal(read_arff(path).frame, frame, check_exact=True, check_column_type=False)


@pytest.mark.skipif(not FILES, reason="SKCREDAL_DATA names no folder with ARFF files")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_scipy_reads_the_same(path):
    frame = read_arff(path).frame
    records, meta = scipy_arff.loadarff(path)
    # scipy leaves the quotes around names of one character.
    assert frame.columns.to_list() == [name.strip("'") for name in meta.names()]
    for column, name in zip(frame, meta.names(), strict=True):
        kind, domain = meta[name]
        values = frame[column]
        if kind == "numeric":
            np.testing.assert_array_equal(values.to_numpy(), records[name])
        else:
            assert tuple(values.cat.categories) == domain
            # scipy reads a missing value as the text "?".
            ours = [value if isinstance(value, str) else "?" for value in values]
            assert ours == [value.decode() for value in records[name]]
