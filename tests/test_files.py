"""A file is replaced as a whole or not at all; what is saved, predicted and reported relies on it."""

import errno
import os
import stat
import subprocess
import sys
import textwrap

import pytest

from skcredal._files import remove_unfinished, replacing


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


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_full_disk_leaves_the_old_file(tmp_path, monkeypatch, step):
    path = tmp_path / "notes.txt"
    write(path, "milk")
    monkeypatch.setattr(os, step, lambda *_: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        write(path, "eggs")
    assert path.read_text() == "milk"
    assert list(tmp_path.iterdir()) == [path]


def test_two_writers_do_not_meet(tmp_path):
    with replacing(tmp_path / "notes.txt") as first, replacing(tmp_path / "notes.txt") as second:
        assert first != second
        first.write_text("milk")
        second.write_text("eggs")
    assert [file.name for file in tmp_path.iterdir()] == ["notes.txt"]


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


def test_what_cannot_be_a_file_is_refused_before_the_work(tmp_path):
    for path, error, message in (
        (tmp_path, IsADirectoryError, "path must be a file, got the folder"),
        (tmp_path / "no" / "notes.txt", FileNotFoundError, r"in a folder that exists, got '.*notes\.txt'"),
    ):
        with pytest.raises(error, match=message), replacing(path):
            raise AssertionError


def test_a_full_disk_is_reported_with_the_name_of_the_file(tmp_path):
    """The limit of a file's size stands for the disk; a process of its own, since it cannot be lifted."""
    pytest.importorskip("resource")
    code = """
        import resource
        from skcredal._files import replacing
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        try:
            with replacing("notes.txt") as unfinished:
                unfinished.write_text("eggs" * 1000)
        except OSError as error:
            print(error.filename, error.strerror)
    """
    write(tmp_path / "notes.txt", "milk")
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=True,
    )
    assert done.stdout == "notes.txt File too large\n"
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("notes.txt", "milk")]


def test_an_error_of_what_is_read_meanwhile_is_left_as_it_is(tmp_path):
    with pytest.raises(OSError, match="no answer") as caught, replacing(tmp_path / "notes.txt"):
        raise TimeoutError(errno.ETIMEDOUT, "no answer")
    assert caught.value.filename is None


def test_what_is_being_written_can_be_removed_at_once(tmp_path):
    with replacing(tmp_path / "notes.txt") as unfinished:
        remove_unfinished()
        assert list(tmp_path.iterdir()) == []
        unfinished.write_text("milk")
    assert (tmp_path / "notes.txt").read_text() == "milk"
