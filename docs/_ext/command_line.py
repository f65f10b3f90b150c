"""Commands that are run when the page is built, and shown with what they print.

``.. written-file:: NAME`` writes its content into a folder of the page's own, and shows it. ``.. commands::``
runs each of its lines there; a line that ends in a backslash goes on. Of a command that should fail,
``:exit:`` tells the code. What is printed can
change with the program, and the page with it; a command that ends otherwise than it should is an error.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
import textwrap
from contextlib import chdir
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar
from unittest import mock

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

if TYPE_CHECKING:
    from sphinx.application import Sphinx

__all__ = ["run_line", "setup"]

WIDTH = 84


def _run_own(words: list[str], given: bytes) -> tuple[int, bytes, str]:
    """Run our program in this process: starting it takes longer than what it does for an example."""
    from skcredal._cli import main

    streams = [io.TextIOWrapper(io.BytesIO(content), encoding="utf-8") for content in (given, b"", b"")]
    with mock.patch.multiple(sys, stdin=streams[0], stdout=streams[1], stderr=streams[2]):
        code = main(words)
    _, printed, errors = (stream.detach() for stream in streams)
    return code, printed.getvalue(), errors.getvalue().decode()


def _run_other(line: str, given: bytes) -> tuple[int, bytes, str]:
    beside = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    found = subprocess.run(line, shell=True, input=given, capture_output=True, env=beside, check=False)
    return found.returncode, found.stdout, found.stderr.decode()


def run_line(line: str, folder: Path) -> tuple[int, str]:
    """Return the exit code of a command line, and what it prints on standard error and standard output.

    Commands joined by ``|`` pass on what they print; the code is the first that is not 0.
    """
    code, passed, said = 0, b"", ""
    with chdir(folder), mock.patch.dict(os.environ, {"COLUMNS": str(WIDTH), "TERM": "dumb"}):
        for stage in line.split(" | "):
            words = shlex.split(stage)
            own = words[0] == "skcredal"
            found, passed, errors = _run_own(words[1:], passed) if own else _run_other(stage, passed)
            said += errors
            code = code or found
    return code, said + passed.decode()


class _InFolder(SphinxDirective):
    has_content = True

    def folder(self) -> Path:
        """Return the folder of the page; it lives as long as the page is read."""
        there: dict[str, Any] = self.env.temp_data
        if "command_line" not in there:
            there["command_line"] = tempfile.TemporaryDirectory()
        return Path(there["command_line"].name)


class WrittenFile(_InFolder):
    """A file that the commands of the page find."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Write it, and show it under its name."""
        text = "\n".join(self.content)
        (self.folder() / self.arguments[0]).write_text(text + "\n", encoding="utf-8")
        block = nodes.literal_block(text, text, language="text")
        caption = nodes.caption("", self.arguments[0])
        return [nodes.container("", caption, block, literal_block=True, classes=["literal-block-wrapper"])]


class Commands(_InFolder):
    """Commands with what they print."""

    option_spec: ClassVar[dict[str, Any]] = {"exit": directives.nonnegative_int}

    def run(self) -> list[nodes.Node]:
        """Run the commands; long lines of what they print are folded, as a terminal does."""
        shown = []
        for written in re.sub(r"\\\n", "\0", "\n".join(self.content)).split("\n"):
            line = re.sub(r"\0\s*", "", written)
            code, printed = run_line(line, self.folder())
            if code != self.options.get("exit", 0):
                raise self.error(f"{line} ended with {code}: {printed}")
            shown.append("$ " + written.replace("\0", "\\\n"))
            for text in printed.rstrip("\n").split("\n") if printed else []:
                # Rows of tables, which have gaps, stay as they are.
                fits = len(text) <= WIDTH or "   " in text
                shown += [text.rstrip()] if fits else textwrap.wrap(text, WIDTH, break_on_hyphens=False)
        text = "\n".join(shown)
        return [nodes.literal_block(text, text, language="console", classes=["commands"])]


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directives."""
    app.add_directive("written-file", WrittenFile)
    app.add_directive("commands", Commands)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
