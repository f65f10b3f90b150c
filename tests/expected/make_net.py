"""Write the net: all answers of all classifiers to messy tables, along every route by which they learn.

Run it only when a change of the answers is meant, and say in the commit what changed them:
``PYTHONPATH=tests python tests/expected/make_net.py``
"""

import json
import sys
import tempfile
from pathlib import Path


def main():
    import sklearn

    from net_answers import (
        CLOSE,
        EXPECTED,
        POOLS,
        POOLS_CLOSE,
        TABLES,
        Net,
        answers_along,
        cases,
        differences,
    )

    values, places, stored, wrong = [], {}, {}, []
    for case in cases():
        with tempfile.TemporaryDirectory() as folder:
            answers = answers_along(*case, Path(folder))
        key = Net.key(*case)
        if key in stored:
            expected = {name: values[place] for name, place in stored[key].items()}
            close = POOLS_CLOSE if case[2] in POOLS else CLOSE
            different = list(differences(answers, expected, close))
            wrong += [f"{' / '.join(case)}: {text}" for text in different[:3]]
            continue
        stored[key] = {}
        for name, value in answers.items():
            text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
            if text not in places:
                places[text] = len(values)
                values.append(value)
            stored[key][name] = places[text]
    if wrong:
        sys.exit("\n".join(["Routes that should answer as fit does, and do not:", *wrong]))
    # A line for each list of values, so that a change of a few is seen as such.
    tables = {name: table.fingerprint() for name, table in TABLES.items()}
    cases_text = ",\n".join(f"{json.dumps(key)}:{json.dumps(found)}" for key, found in stored.items())
    EXPECTED.write_text(
        f'{{"scikit-learn":{json.dumps(sklearn.__version__)},\n"tables":{json.dumps(tables)},\n'
        f'"cases":{{\n{cases_text}\n}},\n"values":[\n' + ",\n".join(places) + "\n]}\n",
        encoding="utf-8",
    )
    print(f"Wrote {EXPECTED.name}: {len(stored)} cases, {len(values)} lists of values.")


if __name__ == "__main__":
    main()
