"""The codes of text, against numbering in plain Python."""

import numpy as np
import pytest

from problems import repetitions
from skcredal import _kernels as kernels

pytestmark = pytest.mark.kernel

# Of one to four bytes each; texts that begin or end alike, and with zeros, which a view ends in.
LETTERS = ["a", "b", "\0", "ß", "\uff5e", "\U0001f600"]


def numbered(texts):
    """Return the code of each text and a row of each code, in the order in which texts occur."""
    rows = {}
    for r, text in enumerate(texts):
        if text is not None:
            rows.setdefault(text, r)
    codes = {text: code for code, text in enumerate(rows)}
    return [-1 if text is None else codes[text] for text in texts], list(rows.values())


def bitmap(texts):
    return np.packbits([text is not None for text in texts], bitorder="little")


def offsets_and_bytes(texts, kind):
    parts = [(text or "").encode() for text in texts]
    offsets = np.cumsum([0, *map(len, parts)]).astype(kind)
    return np.frombuffer(b"".join(parts) or b"\0", np.uint8), offsets


def views(texts):
    parts = [(text or "").encode() for text in texts]
    assert max(map(len, parts)) <= 12
    cells = b"".join(len(part).to_bytes(4, "little") + part.ljust(12, b"\0") for part in parts)
    return np.frombuffer(cells, np.uint64).reshape(-1, 2)


def call(layout, texts, first_row=0, room=kernels.text.MOST_TEXTS):
    """Return the codes and the rows that the kernel finds in the texts from a row on."""
    n = len(texts) - first_row
    codes, found = np.empty(n, np.int8), np.empty(room, np.int64)
    valid = bitmap(texts) if None in texts else np.empty(0, np.uint8)
    # Without the JIT, numpy warns of the overflow that mixes the bits.
    with np.errstate(over="ignore"):
        if layout == "views":
            n_texts = kernels.text.number_views(views(texts), valid, first_row, codes, found)
        else:
            text, offsets = offsets_and_bytes(texts, layout)
            n_texts = kernels.text.number_texts(text, offsets, valid, first_row, codes, found)
    return None if n_texts < 0 else (codes.tolist(), found[:n_texts].tolist())


def random_texts(rng, most_bytes, n):
    """Return texts of which many are equal, or equal but for a few letters, and some missing."""
    stems = ["".join(rng.choice(LETTERS, rng.integers(0, 20))) for _ in range(4)]
    pool = []
    for _ in range(int(rng.integers(1, 40))):
        text = stems[rng.integers(4)] + "".join(rng.choice(LETTERS, rng.integers(0, 3)))
        text = text if rng.random() < 0.5 else text[::-1]
        while len(text.encode()) > most_bytes:
            text = text[1:]
        pool.append(text)
    missing = rng.choice([0.0, 0.3])
    return [None if rng.random() < missing else pool[rng.integers(len(pool))] for _ in range(n)]


@pytest.mark.parametrize(("layout", "most_bytes"), [(np.int32, 60), (np.int64, 60), ("views", 12)])
def test_texts_are_numbered_as_they_occur(layout, most_bytes):
    rng = np.random.default_rng(1)
    for _ in range(repetitions(200, 20)):
        texts = random_texts(rng, most_bytes, int(rng.integers(1, 80)))
        first_row = int(rng.integers(0, len(texts)))
        assert call(layout, texts, first_row) == numbered(texts[first_row:])


@pytest.mark.parametrize("layout", [np.int64, "views"])
@pytest.mark.parametrize("size", range(13))
def test_every_byte_of_a_text_counts(layout, size):
    """Texts of every size that differ in one byte only, at any place, or in their size."""
    texts = ["a" * p + "b" + "a" * (size - 1 - p) for p in range(size)] + ["a" * s for s in range(size + 1)]
    texts = [*texts, *reversed(texts)]
    assert call(layout, texts) == numbered(texts)


@pytest.mark.parametrize("layout", [np.int64, "views"])
def test_more_texts_than_there_are_codes_for_are_left_to_others(layout):
    """127 texts are so many that some want the same slot of the table."""
    texts = [f"text {a}" for a in range(128)]
    assert call(layout, [*texts[:127], *texts[:127]]) == numbered([*texts[:127], *texts[:127]])
    assert call(layout, texts) is None
    assert call(layout, ["a", "b", "a"], room=1) is None
