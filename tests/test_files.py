"""A file is replaced as a whole or not at all; what is saved, predicted and reported relies on it."""

import os
import stat

import pytest

from skcredal._files import replacing


def write(path, text):
    with replacing(path) as unfinished:
        unfinished.write_text(text)


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
def test_what_fails_leaves_the_old_file_and_nothing_else(tmp_path, error):
    path = tmp_path / "notes.txt"

    def fail():
        with replacing(path) as unfinished:
            unfinished.write_text("eggs")
            raise error

    for before in ([], [path]):
        with pytest.raises(error):
            fail()
        assert list(tmp_path.iterdir()) == before
        write(path, "milk")
    assert path.read_text() == "milk"


def test_a_full_disk_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "notes.txt"
    write(path, "milk")
    monkeypatch.setattr(os, "fsync", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        write(path, "eggs")
    assert (path.read_text(), list(tmp_path.iterdir())) == ("milk", [path])


@pytest.mark.skipif(os.name != "posix", reason="modes and links of POSIX")
def test_mode_and_link_stay(tmp_path):
    path, link = tmp_path / "notes.txt", tmp_path / "link"
    link.symlink_to(path.name)
    mask = os.umask(0o027)
    try:
        write(link, "milk")
        assert stat.S_IMODE(path.stat().st_mode) == 0o640  # as any other new file
        path.chmod(0o604)
        write(link, "eggs")
    finally:
        os.umask(mask)
    assert link.is_symlink()
    assert path.read_text() == "eggs"
    assert stat.S_IMODE(path.stat().st_mode) == 0o604
