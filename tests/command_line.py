"""Calls of the command line inside this process, whose start takes longer than most commands."""

import io
import sys
from dataclasses import dataclass
from unittest import mock

from skcredal._cli import main


@dataclass(frozen=True)
class Result:
    exit_code: int
    stdout_bytes: bytes
    stderr: str

    @property
    def stdout(self):
        return self.stdout_bytes.decode()

    @property
    def output(self):
        return self.stdout + self.stderr


def invoke(*words, input=b""):  # noqa: A002
    """Run a command; ``input`` is what it finds on standard input."""
    given, out, errors = (
        io.TextIOWrapper(io.BytesIO(content), encoding="utf-8") for content in (input, b"", b"")
    )
    with mock.patch.multiple(sys, stdin=given, stdout=out, stderr=errors):
        code = main([str(word) for word in words])
    for stream in (out, errors):
        stream.flush()
    return Result(code, out.buffer.getvalue(), errors.buffer.getvalue().decode())
