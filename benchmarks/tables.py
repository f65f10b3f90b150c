"""The results as tables: Markdown, lined up so that a terminal shows them as well."""

from benchmarks.measuring import geometric_mean

__all__ = ["markdown"]

MEBIBYTE = 2**20


def markdown(results):
    """Return all tables of the results as one text."""
    parts = [_machine(results["machine"], results["settings"])]
    if results["targets"]:
        parts.append(_targets(results["targets"]))
    for name, render in _SECTIONS.items():
        if name in results:
            parts.append(render(results[name]))
    return "\n\n".join(parts) + "\n"


def _table(title, header, rows, note=""):
    cells = [[str(cell) for cell in row] for row in (header, *rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]

    def line(row):
        padded = [
            cell.ljust(width) if place == 0 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        return f"| {' | '.join(padded)} |"

    rule = "|".join(
        ("-" * (width + 2)) if place == 0 else ("-" * (width + 1) + ":") for place, width in enumerate(widths)
    )
    lines = [f"## {title}", "", *([note, ""] if note else []), line(cells[0]), f"|{rule}|"]
    return "\n".join([*lines, *map(line, cells[1:])])


def _machine(machine, settings):
    about = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in machine.items())
    return f"# Measured\n\nOn {about}; best of {settings['rounds']} rounds, in turns."


def _targets(judged):
    problems = list(judged[0]["by_problem"])
    rows = [
        [
            one["target"],
            *(f"{one['by_problem'][name]:.2f}" if name in one["by_problem"] else "" for name in problems),
            f"{one['value']:.2f}",
            one["wanted"],
            "met" if one["met"] else "missed",
        ]
        for one in judged
    ]
    return _table("Targets", ["ratio", *problems, "mean", "wanted", ""], rows, "Means are geometric.")


def _speed(speed):
    problems = list(dict.fromkeys(time["problem"] for time in speed["times"]))
    steps = {}
    for time in speed["times"]:
        key = time["contender"], time["action"], time["threads"]
        steps.setdefault(key, {})[time["problem"]] = time["seconds"]
    ours = {key[1]: found for key, found in steps.items() if key == ("AODE", key[1], 2)}
    rows = []
    for (contender, action, threads), found in steps.items():
        yours = ours.get("fit" if action == "fit" else "predict_proba") if action != "count" else None
        relative = f"{geometric_mean([found[p] / yours[p] for p in problems]):.2f}" if yours else ""
        milliseconds = [f"{found[p] * 1e3:.2f}" for p in problems]
        rows.append([contender, action, threads, *milliseconds, relative])
    note = "The last column is relative to AODE's fit or prediction on two threads, geometric mean."
    header = ["milliseconds", "step", "threads", *problems, "relative"]
    agreement = [
        [what, *(f"{speed['agreement'][p][what]:.1e}" for p in problems)]
        for what in speed["agreement"][problems[0]]
    ]
    text = _table("Times", header, rows, note)
    if agreement:
        title = "How far their probabilities differ from ours"
        text += "\n\n" + _table(title, ["difference", *problems], agreement)
    return text


def _stages(stages):
    problems = list(dict.fromkeys(one["problem"] for one in stages))
    found = {(one["problem"], one["stage"]): one for one in stages}
    rows = []
    for stage in dict.fromkeys(one["stage"] for one in stages):
        ours = [found[name, stage] for name in problems]
        rows.append(
            [
                stage,
                *(f"{one['seconds'] * 1e3:.2f}" for one in ours),
                *(f"{one['nanoseconds_a_unit']:.2f}" for one in ours),
                ours[0]["unit"],
            ]
        )
    header = ["milliseconds", *problems, *(f"{name}, ns" for name in problems), "for each"]
    note = (
        "COMP-AODE's fit on two threads; AODE's lacks the likelihoods. Then nanoseconds for a unit of work."
    )
    return _table("Where the time of a fit goes", header, rows, note)


def _memory(memory):
    rows = [
        [
            one["problem"],
            one["contender"],
            one["threads"],
            *(f"{one[what] / MEBIBYTE:.1f}" for what in ("fit", "predict", "data")),
        ]
        for one in memory
    ]
    header = ["MiB", "classifier", "threads", "fit", "predict", "training codes"]
    return _table("Peak memory beyond the process and the data", header, rows)


def _growth(growth):
    names = list(growth)
    rows = [
        [
            what,
            *(f"{growth[name]['exponents'][what]:.2f} ({growth[name]['paper'][what]})" for name in names),
        ]
        for what in growth[names[0]]["exponents"]
    ]
    ends = {name: (one["sizes"][0], one["sizes"][-1]) for name, one in growth.items()}
    ranges = "; ".join(f"{name} {low:,} to {high:,}" for name, (low, high) in ends.items())
    note = (
        "Exponents, those of the paper's Table 1 in brackets: slopes of the logarithms over the upper half "
        f"of the range ({ranges})."
    )
    text = _table("How COMP-AODE* grows", ["cost", *names], rows, note)
    for name, one in growth.items():
        values = one["values"]
        measured = [
            [
                f"{size:,}",
                *(f"{values[what][place] * 1e3:.2f}" for what in values if what != "memory"),
                f"{values['memory'][place] / MEBIBYTE:.1f}",
                f"{one['mean_set_size'][place]:.2f}",
            ]
            for place, size in enumerate(one["sizes"])
        ]
        header = [name, *(f"{what}, ms" for what in values if what != "memory"), "memory, MiB", "mean set"]
        text += "\n\n" + _table(f"Growth with {name}", header, measured)
    return text


def _plain_times(title):
    def render(times):
        rows = [
            [one["contender"], one["action"], one["problem"], one["threads"], f"{one['seconds'] * 1e3:.3f}"]
            for one in times
        ]
        return _table(title, ["contender", "step", "on", "threads", "milliseconds"], rows)

    return render


def _start(start):
    return _table(
        "A new process", ["", "seconds"], [[name, f"{seconds:.2f}"] for name, seconds in start.items()]
    )


def _credal(credal):
    methods = list(credal[0]["seconds"])[1:]
    rows = []
    for one in credal:
        proba = one["seconds"]["predict_proba"]
        relative = [f"{one['seconds'][method] / proba:.2f}" for method in methods]
        rows.append(
            [one["contender"], one["rows"], f"{one['undecided']:.1%}", f"{proba * 1e3:.1f}", *relative]
        )
    header = ["classifier", "training rows", "undecided", "predict_proba, ms", *methods]
    note = "30 features of 5 states, 3 classes, 10,000 rows; the methods relative to `predict_proba`."
    return _table("What credal prediction costs", header, rows, note)


_SECTIONS = {
    "speed": _speed,
    "stages": _stages,
    "memory": _memory,
    "growth": _growth,
    "small": _plain_times("Small calls"),
    "start": _start,
    "other": _plain_times("Cuts, MAPLMG and trees"),
    "credal": _credal,
    "pool": lambda pool: _plain_times("Logarithmic pools")(pool["times"]),
    "waiting": lambda found: _table(
        "What a user waits for", ["", ""], [[name, f"{value:.2f}"] for name, value in found.items()]
    ),
}
