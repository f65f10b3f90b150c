"""Models on disk, read without running code from the file. It may import ``classifiers`` and below."""

from skcredal.persistence._files import load, read_notes, save

__all__ = ["load", "read_notes", "save"]
