"""Alter each model file of a folder at random, N times, and load and use it: python alter_models.py FOLDER N.

Run in a process of its own, which a crash would end. Prints how many files were refused, how many raised an
error when they were used, and how many answered.
"""

import contextlib
import hashlib
import io
import json
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

import skcredal

STRANGE = [0, -1, 1, 2**31, -(2**31), 2**62, 10**6, 0.5, -3.0, float("nan"), float("inf")]


def altered_array(array, rng):
    """Return an array with other numbers, or of another size."""
    array = np.array(array)
    if array.dtype.kind in "iufb" and array.size and rng.random() < 0.7:
        with np.errstate(all="ignore"), contextlib.suppress(OverflowError, ValueError):
            array.flat[rng.integers(array.size)] = STRANGE[rng.integers(len(STRANGE))]
        return array
    if array.ndim == 0 or not array.size:
        return array
    keep = int(rng.integers(0, len(array) + 1))
    return array[:keep] if rng.random() < 0.5 else np.concatenate([array, array[: keep or 1]])


def with_arrays(content):
    """Return the JSON of a model, with each array in its place."""
    file = io.BytesIO(content)

    def fill(node):
        if isinstance(node, list):
            return [fill(one) for one in node]
        if not isinstance(node, dict):
            return node
        if "array" in node:
            return {"array": np.lib.format.read_array(file).astype(node["array"])}
        return {key: fill(one) for key, one in node.items()}

    return fill(json.loads(file.readline()))


def content_with(schema):
    """Return the content of a file with this JSON, whose arrays are in their places."""
    arrays = io.BytesIO()

    def take(array):
        # Booleans are written as integers.
        np.lib.format.write_array(arrays, array.astype(np.uint8) if array.dtype == bool else array)
        return array.dtype.str

    line = json.dumps(schema, default=take).encode()
    return line + b"\n" + arrays.getvalue()


def alter_json(node, rng):
    """Change one plain number somewhere in the JSON, one array, or how long a list is."""
    numbers, lists, arrays, waiting = [], [], [], [node]
    while waiting:
        one = waiting.pop()
        if isinstance(one, list) and one:
            lists.append(one)
        for key, value in enumerate(one) if isinstance(one, list) else one.items():
            if isinstance(value, np.ndarray):
                arrays.append((one, key))
            elif isinstance(value, (list, dict)):
                waiting.append(value)
            elif isinstance(value, (int, float)):
                numbers.append((one, key))
    chance = rng.random()
    if arrays and chance < 0.5:
        one, key = arrays[rng.integers(len(arrays))]
        one[key] = altered_array(one[key], rng)
    elif numbers and (chance < 0.85 or not lists):
        one, key = numbers[rng.integers(len(numbers))]
        one[key] = STRANGE[rng.integers(len(STRANGE))]
    elif lists:
        one = lists[rng.integers(len(lists))]
        keep = int(rng.integers(0, len(one) + 1))
        one[:] = one[:keep] if rng.random() < 0.5 else one + one[: keep or 1]


def altered(data, rng):
    """Return the bytes of a file with one to three changes, under a right checksum."""
    first, _, header, content = data.split(b"\n", 3)
    schema = with_arrays(content)
    for _ in range(rng.integers(1, 4)):
        alter_json(schema, rng)
    body = header + b"\n" + content_with(schema)
    return first + b"\n" + hashlib.sha256(body).hexdigest().encode() + b"\n" + body


def main(folder, n):
    """Alter, load and use."""
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    rng = np.random.default_rng(0)
    X, path = pd.read_pickle(folder / "rows"), folder / "altered"
    refused = raised = answered = 0
    for original in [model.read_bytes() for model in sorted(folder.glob("*.model"))] * n:
        path.write_bytes(altered(original, rng))
        try:
            loaded = skcredal.load(path)
        except ValueError:
            refused += 1
            continue
        try:
            loaded.predict_proba(X)
            if hasattr(loaded, "partial_fit"):
                loaded.partial_fit(X, np.repeat(loaded.classes_[:1], len(X)))
            answered += 1
        except Exception:
            raised += 1
    print(refused, raised, answered)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
