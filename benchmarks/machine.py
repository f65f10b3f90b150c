"""What the numbers were measured on: the machine and the versions, without its name."""

import importlib.metadata
import os
import platform
import shutil
import subprocess
from pathlib import Path

__all__ = ["describe"]

PACKAGES = ("skcredal", "numpy", "scipy", "scikit-learn", "numba", "mapie")


def describe():
    """Return the machine and the versions as a dictionary."""
    return {
        "cpu": _first_line("/proc/cpuinfo", "model name") or platform.processor() or platform.machine(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **{package: _version(package) for package in PACKAGES},
        "gcc": _answer("gcc", "-dumpfullversion"),
        "java": _answer("javac", "-version").removeprefix("javac "),
        "load_average_at_start": round(os.getloadavg()[0], 2),
    }


def _first_line(path, name):
    if not Path(path).exists():
        return ""
    lines = (line for line in Path(path).read_text().splitlines() if line.startswith(name))
    return next(lines, ":").partition(":")[2].strip()


def _version(package):
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "absent"


def _answer(*command):
    if shutil.which(command[0]) is None:
        return "absent"
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
