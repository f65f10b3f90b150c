"""Models on disk that can be trusted: reading a file never runs code from it."""

from skcredal.persistence._files import load, read_notes, save

__all__ = ["load", "read_notes", "save"]
