"""The embedded data sets: those that come with scikit-learn, and generated ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn import datasets as sklearn_datasets

from skcredal._extras import require

if TYPE_CHECKING:
    import pandas

__all__ = ["EMBEDDED", "Table"]


class Table(NamedTuple):
    """A data set without its name."""

    features: pandas.DataFrame
    target: pandas.Series[str]
    description: str


def _from_sklearn(name: str) -> Table:
    pandas = _pandas()
    bunch = getattr(sklearn_datasets, f"load_{name}")()
    features = pandas.DataFrame(bunch.data.astype(float), columns=list(bunch.feature_names))
    classes = [str(label) for label in bunch.target_names]
    return Table(features, _target([classes[code] for code in bunch.target], classes), _SKLEARN[name])


_SKLEARN = {
    "iris": "Three species of 150 irises (R. A. Fisher, 1936); two rows differ from UCI's copy.",
    "wine": "Three cultivars of 178 Italian wines by chemical analysis (M. Forina et al., 1988).",
    "breast_cancer": "569 breast masses, malignant or benign (W. N. Street et al., 1993); not breast_w.",
    "digits": "1797 handwritten digits of 8 by 8 pixels (E. Alpaydin and C. Kaynak, 1998), the test part.",
}


def _waveform() -> Table:
    n_rows = 5000
    # The order of the draws is part of the definition: another one would give other rows.
    random = _random(1984)
    t = np.arange(1, 22)
    waves = np.maximum(6 - np.abs(t - np.array([[11], [15], [7]])), 0)
    pairs = np.array([[0, 1], [0, 2], [1, 2]])
    classes = random.randint(3, size=n_rows, dtype=np.int64)
    first, second = pairs[classes].T
    share = random.uniform(size=(n_rows, 1))
    values = random.normal(size=(n_rows, 40))
    values[:, :21] += share * waves[first] + (1 - share) * waves[second]
    # Two decimals, as in the published data set, hide differences between platforms in the last bits.
    features = _pandas().DataFrame(values.round(2), columns=[f"x{i}" for i in range(1, 41)])
    return Table(
        features,
        _target(map(str, classes), "012"),
        "5000 mixtures of two out of three waves (the class says which) at 21 points with noise, and 19 "
        "columns of noise; generated as L. Breiman et al. define it (1984), so not the rows of the UCI set.",
    )


# The segments of each digit from 0 to 9, from top to bottom.
_LED_DIGITS = "1110111 0010010 1011101 1011011 0111010 1101011 1101111 1010010 1111111 1111011"


def _led() -> Table:
    n_rows, noise = 1000, 0.1
    segments = ("top", "upper_left", "upper_right", "middle", "lower_left", "lower_right", "bottom")
    random = _random(1984)
    digits = random.randint(10, size=n_rows, dtype=np.int64)
    lit = np.array([[int(segment) for segment in digit] for digit in _LED_DIGITS.split()])
    is_lit = lit[digits] ^ (random.uniform(size=(n_rows, 7)) < noise)
    return Table(
        _nominal(dict.fromkeys(segments, "01"), np.where(is_lit, "1", "0").tolist()),
        _target(map(str, digits), "0123456789"),
        "1000 digits on a display of seven segments (0 dark, 1 lit), each wrong with a probability of 10 %; "
        "generated as L. Breiman et al. define it (1984). The best possible classifier is right in 74 %.",
    )


_MONKS_DOMAINS = {"a1": "123", "a2": "123", "a3": "12", "a4": "123", "a5": "1234", "a6": "12"}


def _monks(rule: str, is_positive: Callable[[Mapping[str, str]], bool]) -> Table:
    cases = list(product(*_MONKS_DOMAINS.values()))
    labels = ["01"[is_positive(dict(zip(_MONKS_DOMAINS, case, strict=True)))] for case in cases]
    return Table(
        _nominal(_MONKS_DOMAINS, cases),
        _target(labels, "01"),
        f"All 432 combinations of six attributes; the class is 1 where {rule}. Generated from the definition "
        "of S. Thrun et al., The MONK's Problems, 1991, without the noise in the training sample of monks3.",
    )


def _balance_scale() -> Table:
    cases = list(product("12345", repeat=4))
    left_torque_excess = [int(a) * int(b) - int(c) * int(d) for a, b, c, d in cases]
    names = ("left-weight", "left-distance", "right-weight", "right-distance")
    return Table(
        _nominal(dict.fromkeys(names, "12345"), cases),
        _target(["L" if excess > 0 else "R" if excess < 0 else "B" for excess in left_torque_excess], "LBR"),
        "All 625 states of a balance with a weight from 1 to 5 at a distance from 1 to 5 on either side: it "
        "tips to the left (L), to the right (R) or is balanced (B). After R. S. Siegler, 1976.",
    )


def _tic_tac_toe() -> Table:
    lines = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
    boards = {"b" * 9}
    label_of: dict[str, str] = {}
    for player in "xoxoxoxox":
        boards = {
            board[:square] + player + board[square + 1 :]
            for board in boards
            for square in range(9)
            if board[square] == "b"
        }
        won = {board for board in boards if any(all(board[s] == player for s in line) for line in lines)}
        # A game ends with the winning move.
        boards -= won
        label_of.update(dict.fromkeys(won, "positive" if player == "x" else "negative"))
    label_of.update(dict.fromkeys(boards, "negative"))
    # In descending order x comes before o and o before b, as in the domain.
    ordered = sorted(label_of, reverse=True)
    names = map("-".join, product(("top", "middle", "bottom"), ("left", "middle", "right")))
    return Table(
        _nominal(dict.fromkeys(names, "xob"), ordered),
        _target([label_of[board] for board in ordered], ("negative", "positive")),
        "The 958 boards on which a game of tic-tac-toe can end if x moves first (b for blank), positive "
        "where x has won. Generated by playing all games, after the set of D. W. Aha, 1991.",
    )


EMBEDDED: dict[str, Callable[[], Table]] = {
    **{name: partial(_from_sklearn, name) for name in _SKLEARN},
    "balance_scale": _balance_scale,
    "led": _led,
    "monks1": partial(_monks, "a1 = a2 or a5 = 1", lambda a: a["a1"] == a["a2"] or a["a5"] == "1"),
    "monks2": partial(_monks, "exactly two attributes are 1", lambda a: list(a.values()).count("1") == 2),
    "monks3": partial(
        _monks,
        "a5 = 3 and a4 = 1, or a5 is not 4 and a2 is not 3",
        lambda a: (a["a5"] == "3" and a["a4"] == "1") or (a["a5"] != "4" and a["a2"] != "3"),
    ),
    "tic_tac_toe": _tic_tac_toe,
    "waveform": _waveform,
}


def _random(seed: int) -> np.random.RandomState:
    """Return NumPy's legacy generator, whose stream is frozen; newer ones may change between versions."""
    return np.random.RandomState(seed)


def _nominal(domains: Mapping[str, Sequence[str]], rows: Sequence[Sequence[str]]) -> Any:
    columns = zip(domains.items(), zip(*rows, strict=True), strict=True)
    return _pandas().DataFrame({name: _categorical(cells, domain) for (name, domain), cells in columns})


def _target(labels: Iterable[str], classes: Sequence[str]) -> Any:
    return _pandas().Series(_categorical(labels, classes), name="class")


def _categorical(values: Iterable[str], domain: Sequence[str]) -> Any:
    return _pandas().Categorical(list(values), categories=list(domain))


def _pandas() -> Any:
    return require("pandas", extra="cli", purpose="Loading a data set")
