"""The arguments and options of the commands. Nothing here takes long to import: help must not wait."""

from __future__ import annotations

import argparse
import codecs
import inspect
import re
import unicodedata
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NoReturn

import skcredal
from skcredal._cli import commands
from skcredal._cli.console import CallError
from skcredal.evaluation._names import CLOSE_CALL, COMPARED, DEFAULT, NAMES

__all__ = ["build_parser"]


class _Parser(argparse.ArgumentParser):
    """A parser that leaves it to the caller to report an error, in one line."""

    def error(self, message: str) -> NoReturn:
        raise CallError(message)


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    how: dict[str, Any] = {"allow_abbrev": False, "formatter_class": argparse.RawDescriptionHelpFormatter}
    parser = _Parser(prog="skcredal", description="Credal classification with AODE ensembles.", **how)
    parser.epilog = "To get started: skcredal datasets iris -o iris.csv"
    parser.add_argument("--version", action="version", version=f"skcredal {skcredal.__version__}")
    parser.add_argument(
        "--debug", action="store_true", help="show the traceback of an error; anywhere in the call"
    )
    some = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, groups in _COMMANDS.items():
        text = inspect.getdoc(getattr(commands, name)) or ""
        command = some.add_parser(name, help=text.partition("\n")[0], description=text, **how)
        for group in groups.split(", "):
            where = command.add_argument_group(group) if group in _TITLED else command
            for names, options in _OPTIONS[group]:
                where.add_argument(*names, **options)
    return parser


def _option(names: str, help: str, metavar: str | None = None, **more: Any) -> tuple[list[str], Any]:  # noqa: A002
    shown = {} if metavar is None else {"metavar": metavar}
    return names.split(), {"help": help, **shown, **more}


def _type(kind: Callable[[str], Any], rule: str, is_right: Callable[[Any], Any]) -> Callable[[str], Any]:
    """Return a type of values; argparse reports the rule if a value breaks it."""

    def value(text: str) -> Any:
        with suppress(ValueError, LookupError):
            if is_right(kind(text)):
                return kind(text)
        raise argparse.ArgumentTypeError(f"must be {rule}, got {text!r}")

    return value


def _column(text: str) -> str:
    # Accents may be composed in the call and decomposed in the file, or the other way round.
    return unicodedata.normalize("NFC", text.strip())


def _folds(runs: int, folds: int | None, jobs: int | None) -> list[tuple[list[str], Any]]:
    many, few = folds or "10, or fewer for a tiny table", jobs or "depends on the size of the table"
    return [
        _option("--runs", f"repetitions with new folds (default: {runs})", "N", type=_FROM_1, default=runs),
        _option("--folds", f"number of folds (default: {many})", "N", type=_FROM_2, default=folds),
        _option("--seed", "random seed of the folds (default: 0)", "N", type=_SEED, default=0),
        _option("--jobs", f"processes; -1: one per core (default: {few})", "N", type=_JOBS, default=jobs),
    ]


def _close_call(text: str) -> float:
    # Below one half, another answer is more likely to be right: a close call in any case.
    return float(max(0.5, _PROBABILITY(text)))


_SEED = _type(int, "a whole number from 0 to 4294967295", lambda n: 0 <= n < 2**32)
_FROM_1 = _type(int, "a whole number, at least 1", lambda n: n >= 1)
_FROM_2 = _type(int, "a whole number, at least 2", lambda n: n >= 2)
_JOBS = _type(int, "a number of processes, or -1 for one per core", lambda n: n != 0)
_PROBABILITY = _type(float, "a number from 0 to 1", lambda p: 0.0 <= p <= 1.0)
_LIST = _type(lambda text: re.findall("[^, ]+", text), "a list of names", len)
_ENCODING = _type(str, "a text encoding", lambda name: codecs.lookup(name)._is_text_encoding)
_SIGN = _type(lambda text: "\t" if text == "tab" else text, "one sign", re.compile(r'[^\w"\r\n]').fullmatch)

_ALL = f"{', '.join(NAMES)} (write -star for *, which shells expand)"
_USUAL = "an empty cell, ?, NA, N/A, NaN and null (None, - and . among numbers)"
_SOURCE = '"embedded" (the default), "openml", or a folder of ARFF files whose last attribute is the class'
_SETTING: dict[str, Any] = {"choices": ["honest", "paper"], "default": "honest"}
_UNKNOWN: dict[str, Any] = {"choices": ["ignore", "error"], "dest": "handle_unknown"}
_CRITERIA = ["maximality", "interval_dominance", "e_admissibility"]
_MANY: dict[str, Any] = {"action": "append", "default": []}
_SEVERAL: dict[str, Any] = {"metavar": "COL", "type": _column, **_MANY}
_IDS = _option("--id", "identifies the rows; not learned from; can be repeated", dest="ids", **_SEVERAL)
_NAMED: dict[str, Any] = {"type": _LIST, "metavar": "NAMES"}
_TABLE = _option("-o --out", ".csv, .tsv, .xlsx or .parquet; default: standard output", "OUT", default="-")
_CLOSE = f"one class with a probability below this, or below 0.5, is a close call (default: {CLOSE_CALL})"
_SOME = f"names separated by commas: {_ALL}"
_BASELINES = "logistic-regression, random-forest, gradient-boosting"
_TITLED = ("columns", "parameters of the classifiers", "reading (default: detected from the table)")
_OPTIONS: dict[str, list[tuple[list[str], Any]]] = {
    "data": [_option("data", "a table: CSV, TSV, Excel, Parquet or ARFF; - for standard input", "DATA")],
    "model": [_option("model", "a model written by skcredal fit", "MODEL")],
    "target": [_option("--target", "the column with the class", "COL", type=_column, required=True)],
    "fit": [
        _option("-o --out", "the model file to write", "MODEL", required=True),
        _option("--classifier", f"one of {_ALL}; default: {DEFAULT}", "NAME", default=DEFAULT),
    ],
    "row": [_option("--row", "from 1; can be repeated", "N", type=_FROM_1, action="append", required=True)],
    "table": [_TABLE],
    "ids": [_IDS],
    "close call": [_option("--close-call", _CLOSE, "P", type=_close_call, default=CLOSE_CALL)],
    "evaluate": [
        _option("--classifiers", f"{_SOME}, {_BASELINES}, or all; default: {','.join(COMPARED)}", **_NAMED),
        *_folds(1, None, None),
        _option("-o --out", "also write the measures to this file: .csv, .tsv, .xlsx or .parquet", "OUT"),
        _option("--report", f"also write a page; it opens with {DEFAULT}'s doubtful cases", "FILE.html"),
        _option("--no-baselines", "leave out logistic regression and random forest", action="store_true"),
    ],
    "datasets": [
        _option("name", "write this data set as a table", "NAME", nargs="?"),
        _TABLE,
        _option("--data", _SOURCE, "SOURCE", default="embedded"),
    ],
    "reproduce": [
        _option("--data", _SOURCE, "SOURCE", default="embedded"),
        _option("--setting", "discretise in each training fold (honest, default), or once", **_SETTING),
        *_folds(10, 5, -1),
        _option("--datasets", "names of data sets, separated by commas (default: all)", **_NAMED),
        _option("--classifiers", f"some of {_ALL}, separated by commas (default: all)", **_NAMED),
        _option("--out", "folder for the results (default: results)", "FOLDER", default="results"),
        _option("--baselines", "also run scikit-learn's (takes several times as long)", action="store_true"),
        _option("--fresh", "start over, ignoring earlier results", action="store_true"),
    ],
    _TITLED[0]: [
        _option("--drop", "leave this column out; can be repeated", **_SEVERAL),
        _option("--keep", "keep it, even if it looks like an identifier; can be repeated", **_SEVERAL),
        _IDS,
        _option("--categorical", "read as categories, even if numbers; can be repeated", **_SEVERAL),
        _option("--numeric", "read as numbers; refuse anything else; can be repeated", **_SEVERAL),
        _option("--as-classes", "each value of the target is a class, even if many", action="store_true"),
    ],
    _TITLED[1]: [
        _option("--credibility", "credibility of lp-aode* (default: 0.95)", "P", type=float),
        _option("--epsilon", "ε of comp-aode*, bma-aode* and cma (default: from the table)", "X", type=float),
        _option("--ess", "sample size of the prior (default: 4 for lp-aode*, else 1)", "X", type=float),
        _option("--criterion", "which classes a set contains (default: maximality)", choices=_CRITERIA),
        _option("--missing", "missing values (default: impute)", choices=["impute", "marginalize"]),
        _option("--unknown", "unseen categories (default: ignore)", **_UNKNOWN),
        _option(
            "--max-categories", "per column; the rarest are merged (default: no limit)", "N", type=_FROM_2
        ),
    ],
    _TITLED[2]: [
        _option("--format", "of the file", choices=["csv", "tsv", "xlsx", "parquet", "arff"]),
        _option("--encoding", "encoding of a CSV", "NAME", type=_ENCODING),
        _option("--delimiter", "delimiter of a CSV: a character, or the word tab", "CHAR", type=_SIGN),
        _option("--decimal", "decimal sign: . or a comma", "CHAR", choices=[".", ","]),
        _option("--thousands", "what groups digits: . , ' or a blank", "CHAR", choices=[".", ",", "'", " "]),
        _option("--na", f"a missing value, besides {_USUAL}; can be repeated", "TEXT", **_MANY),
        _option("--usual-na", "whether these count (default: yes)", action=argparse.BooleanOptionalAction),
        _option("--sheet", "name or number of the sheet of an Excel file (default: the first)", "NAME"),
        _option("--header-row", "the row with the names of the columns, from 1", "N", type=_FROM_1),
    ],
}
_COMMANDS = {
    "fit": f"data, target, fit, {', '.join(_TITLED)}",
    "predict": f"model, data, table, ids, close call, {_TITLED[2]}",
    "explain": f"model, data, row, ids, close call, {_TITLED[2]}",
    "evaluate": f"data, target, evaluate, close call, {', '.join(_TITLED)}",
    "datasets": "datasets",
    "reproduce": "reproduce",
}
