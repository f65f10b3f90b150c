"""The arguments and options that commands share, with their help texts and checks."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import wraps
from typing import Annotated, Any, get_type_hints

import typer

from skcredal._cli.console import CallError
from skcredal.evaluation._names import NAMES

__all__ = [
    "CloseCall",
    "Columns",
    "Data",
    "Id",
    "Model",
    "Parameters",
    "Reading",
    "Runs",
    "Seed",
    "Source",
    "TableOut",
    "Target",
    "check_jobs",
    "every_name",
    "naming_data",
    "option",
    "split_names",
    "unfolded",
]


def option(metavar: str, help: str, *names: str, **more: Any) -> Any:  # noqa: A002
    """Return an option of a command."""
    return typer.Option(*names, metavar=metavar, help=help, **more)


Text = str | None
Texts = list[str] | None
Number = float | None
Data = Annotated[
    str,
    typer.Argument(metavar="DATA", help="The table: CSV, TSV, Excel, Parquet or ARFF; - for standard input."),
]
Model = Annotated[str, typer.Argument(metavar="MODEL", help="A model written by skcredal fit.")]
Target = Annotated[str, option("COL", "The column with the class.")]
TableOut = Annotated[str, option("OUT", ".csv, .tsv or .parquet; - for standard output.", "--out", "-o")]
Id = Annotated[
    Texts, option("COL", "A column that names the rows; never learned from. Can be repeated.", "--id")
]
CloseCall = Annotated[
    float,
    option(
        "P",
        "A single class is a close call if its probability is below this.",
        "--close-call",
        min=0.0,
        max=1.0,
    ),
]
Runs = Annotated[int, option("N", "Repetitions, each with new random folds.", min=1)]
Seed = Annotated[int, option("N", "Random seed of the folds.", min=0, max=2**32 - 1)]
Source = Annotated[
    str,
    option("SOURCE", '"embedded", "openml", or a folder of ARFF files whose last attribute is the class.'),
]
_DELIMITERS = {"tab": "\t", "\\t": "\t"}
# What options of the command line are called as parameters of classifiers.
_PARAMETERS = {"treat_missing": "missing", "unknown": "handle_unknown"}


@dataclass(frozen=True, slots=True)
class Columns:
    """What the user says about the columns of a table to learn from."""

    drop: Annotated[Texts, option("COL", "A column to leave out. Can be repeated.")] = None
    id: Id = None
    categorical: Annotated[
        Texts, option("COL", "A column to read as categories, even if it holds numbers. Can be repeated.")
    ] = None
    numeric: Annotated[
        Texts, option("COL", "A column of numbers: anything else in it is refused. Can be repeated.")
    ] = None
    as_classes: Annotated[
        bool,
        typer.Option(
            "--as-classes", help="Treat every value of the target as a class, however many there are."
        ),
    ] = False

    def __post_init__(self) -> None:
        for name in self.numeric or ():
            if name in (self.categorical or ()):
                raise CallError(f"--numeric and --categorical must name different columns, got {name!r}.")


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters of classifiers; those that are not given keep their defaults."""

    epsilon: Annotated[
        Number, option("X", "ε of bma-aode*, comp-aode* and cma. Default: chosen from the table.")
    ] = None
    credibility: Annotated[Number, option("P", "Credibility of lp-aode*. Default: 0.95.")] = None
    ess: Annotated[
        Number, option("X", "Equivalent sample size of the prior. Default: 4 for lp-aode*, else 1.")
    ] = None
    criterion: Annotated[
        Text,
        option(
            "NAME",
            "Which classes remain: maximality, interval_dominance or, for bma-aode*, e_admissibility. "
            "Default: maximality.",
        ),
    ] = None
    treat_missing: Annotated[
        Text,
        option(
            "HOW", "Missing values: impute (the median or mode) or marginalize (leave out). Default: impute."
        ),
    ] = None
    unknown: Annotated[
        Text, option("HOW", "Categories not seen in training: ignore or error. Default: ignore.")
    ] = None

    def make(self, names: list[str] | str | None) -> dict[str, Any]:
        """Return classifiers by name, with these parameters; one that none of them has is refused."""
        from skcredal.evaluation import make_classifiers

        try:
            make_classifiers(names)
        except ValueError as error:
            raise CallError(str(error)) from None
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        given = {name: value for name, value in given.items() if value is not None}
        for name, value in given.items():
            said = f"--{name.replace('_', '-')}"
            try:
                for classifier in make_classifiers(names, **{_PARAMETERS.get(name, name): value}).values():
                    if hasattr(classifier, "_check_parameters"):
                        classifier._check_parameters()
            except (ValueError, TypeError) as error:
                raise CallError(f"{said}: {error}") from None
        return make_classifiers(names, **{_PARAMETERS.get(name, name): given[name] for name in given})


@dataclass(frozen=True, slots=True)
class Reading:
    """How to read a table."""

    format: Annotated[
        Text, option("FORMAT", "csv, tsv, xlsx, parquet or arff. Default: told from the file name.")
    ] = None
    encoding: Annotated[Text, option("NAME", "Text encoding of a CSV. Default: detected.")] = None
    delimiter: Annotated[
        Text, option("CHAR", "Delimiter of a CSV: a character, or the word tab. Default: detected.")
    ] = None
    decimal: Annotated[Text, option("CHAR", "Decimal sign of a CSV: . or a comma. Default: detected.")] = None
    thousands: Annotated[
        Text, option("CHAR", "What groups the digits of numbers: . , ' or a blank. Default: detected.")
    ] = None
    missing: Annotated[
        Texts,
        option(
            "TEXT",
            "A text that marks a missing value in a CSV, besides the usual ones: an empty cell, ?, NA, "
            "N/A, NaN, null (and None, - and . among numbers). Can be repeated.",
        ),
    ] = None
    usual_missing: Annotated[
        bool | None,
        typer.Option(
            "--usual-missing/--no-usual-missing",
            help="Whether the usual texts mark missing values. Default: yes.",
            show_default=False,
        ),
    ] = None
    sheet: Annotated[Text, option("NAME", "Name of the sheet of an Excel file. Default: the first.")] = None
    # Not an option: the decimal sign that a model was fitted with.
    default_decimal: str | None = None

    def __post_init__(self) -> None:
        from skcredal.evaluation._cell_types import CellTypes
        from skcredal.evaluation._delimited import check_delimiter, check_encoding
        from skcredal.evaluation._table_files import FORMATS

        if self.format is not None and self.format not in FORMATS:
            raise CallError(f"--format must be one of {', '.join(FORMATS)}, got {self.format!r}.")
        try:
            CellTypes(decimal=self.decimal, thousands=self.thousands)  # for its checks alone
            if self.encoding is not None:
                check_encoding(self.encoding)
            if self.separator is not None:
                check_delimiter(self.separator)
        except ValueError as error:
            raise CallError(f"--{error}") from None

    @property
    def separator(self) -> str | None:
        """The delimiter as a character."""
        return None if self.delimiter is None else _DELIMITERS.get(self.delimiter, self.delimiter)

    def to_notes(self) -> dict[str, Any]:
        """Return the options that change the values of cells, to be stored with a model."""
        names = ("decimal", "thousands", "missing", "usual_missing")
        return {name: getattr(self, name) for name in names if getattr(self, name) is not None}

    def with_notes(self, notes: dict[str, Any]) -> Reading:
        """Return these options completed by those stored with a model; markers of missing values add up."""
        return replace(
            self,
            default_decimal=notes.get("decimal"),
            thousands=self.thousands or notes.get("thousands"),
            # What marked a missing value in the training table does so here; the call can only add to it.
            missing=[*(self.missing or ()), *notes.get("missing", ())],
            usual_missing=notes.get("usual_missing") if self.usual_missing is None else self.usual_missing,
        )


def unfolded(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command for typer, in which each group of options (a dataclass) is replaced by its options."""
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}
    options = {name: _options(group) for name, group in groups.items()}
    parameters: list[inspect.Parameter] = []
    for name, one in inspect.signature(command).parameters.items():
        alone = one.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[name])
        parameters += options.get(name, [alone])

    @wraps(command)
    def unfolded_command(**given: Any) -> None:
        made = {
            name: group(**{option.name: given.pop(option.name) for option in options[name]})
            for name, group in groups.items()
        }
        command(**given, **made)

    # typer asks for both.
    vars(unfolded_command)["__signature__"] = inspect.Signature(parameters)
    unfolded_command.__annotations__ = {one.name: one.annotation for one in parameters}
    return unfolded_command


def _options(group: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=field.default,
            annotation=hints[field.name],
        )
        for field in fields(group)
        if hasattr(hints[field.name], "__metadata__")
    ]


@contextmanager
def naming_data() -> Iterator[None]:
    """Let an error about a source of data sets name the option."""
    try:
        yield
    except (OSError, ValueError) as error:
        raise CallError(str(error).replace("source must", "--data must")) from None


def every_name(what: str) -> str:
    """Return the help of an option that takes names of classifiers."""
    return f"{what} {', '.join(NAMES)} (write -star for *, which shells expand)."


def check_jobs(jobs: int | None) -> None:
    """Refuse 0 processes; joblib would do so in its own words."""
    if jobs == 0:
        raise CallError("--jobs must be a number of processes, or -1 for one per core, got 0.")


def split_names(option: str, text: str | None) -> list[str] | None:
    """Return the names in a comma-separated list without duplicates; None if the option is not given."""
    if text is None:
        return None
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise CallError(f"{option} must name at least one, or be left out for all, got {text!r}.")
    return list(dict.fromkeys(names))
