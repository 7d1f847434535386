import errno
import os
import signal
import stat
import sys
import time
from pathlib import Path
from subprocess import run as start

import pytest

from latentmap.table import atomic_file

posix_only = pytest.mark.skipif(os.name != "posix", reason="signals, links and permissions of POSIX")


def write(path, text):
    with atomic_file(path) as unfinished:
        unfinished.write_text(text)


def test_nothing_is_at_the_path_before_all_is_written(tmp_path):
    path = tmp_path / "cells.txt"
    with atomic_file(path) as unfinished:
        unfinished.write_text("all of it")
        assert not path.exists()
        assert unfinished.parent == tmp_path
        assert unfinished.name.startswith(".")
    assert path.read_text() == "all of it"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_an_error_leaves_the_old_file_and_no_other(tmp_path, error):
    path = tmp_path / "cells.txt"
    path.write_text("old")

    def fail():
        with atomic_file(path) as unfinished:
            unfinished.write_text("ne")
            raise error

    with pytest.raises(error):
        fail()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_cannot_be_replaced_is_named_as_the_user_named_it(tmp_path):
    folder = tmp_path / "cells.txt"
    folder.mkdir()
    with pytest.raises(OSError, match=r"cells\.txt") as caught:
        write(folder, "new")
    assert ".part" not in str(caught.value)
    assert "->" not in str(caught.value)
    assert list(tmp_path.iterdir()) == [folder]


def test_a_missing_folder_is_said_before_the_work_begins(tmp_path):
    path = tmp_path / "missing" / "cells.txt"
    with pytest.raises(FileNotFoundError) as caught, atomic_file(path):
        raise AssertionError("not reached")
    assert caught.value.filename == str(path)


@posix_only
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written_in(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(PermissionError):
        write(tmp_path / "cells.txt", "new")
    tmp_path.chmod(0o700)


@posix_only
def test_permissions_and_links_stay(tmp_path):
    path, link = tmp_path / "cells.txt", tmp_path / "link.txt"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    write(link, "new")
    assert link.is_symlink()
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@posix_only
def test_a_new_file_has_the_permissions_of_any_new_file(tmp_path):
    write(tmp_path / "cells.txt", "new")
    (tmp_path / "other.txt").write_text("")
    assert (tmp_path / "cells.txt").stat().st_mode == (tmp_path / "other.txt").stat().st_mode


def test_a_name_as_long_as_the_disk_allows(tmp_path):
    path = tmp_path / ("x" * 251 + ".csv")
    write(path, "new")
    assert path.read_text() == "new"


KILLED = """
import os, signal, sys
from pathlib import Path
from latentmap.table import atomic_file
with atomic_file(sys.argv[1]) as unfinished, unfinished.open("w") as file:
    file.write("half of ")
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.slow
@posix_only
def test_a_killed_process_leaves_the_old_file_whole_and_a_later_save_cleans_up(tmp_path):
    path = tmp_path / "cells.txt"
    path.write_text("old")
    assert start([sys.executable, "-c", KILLED, path], check=False).returncode == -signal.SIGKILL
    assert path.read_text() == "old"
    (leftover,) = (file for file in tmp_path.iterdir() if file != path)
    assert leftover.name.startswith(".")
    assert leftover.read_text() == "half of "

    write(path, "new")  # the leftover might as well be somebody else's work
    assert leftover.exists()
    earlier = time.time() - 2 * 3600
    os.utime(leftover, (earlier, earlier))
    write(path, "newer")
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("cells.txt", "newer")]


def test_two_at_a_time_do_not_meet(tmp_path):
    path = tmp_path / "cells.txt"
    with atomic_file(path) as first, atomic_file(path) as second:
        first.write_text("first")
        second.write_text("second")
    assert path.read_text() == "first"
    assert list(tmp_path.iterdir()) == [path]


@posix_only
def test_a_disk_that_is_full(tmp_path, monkeypatch):
    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    path = tmp_path / "cells.txt"
    path.write_text("old")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write(path, "new")
    assert [Path(file).read_text() for file in tmp_path.iterdir()] == ["old"]


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_what_is_private_is_so_while_it_is_written(tmp_path):
    path = tmp_path / "cells.csv"
    path.write_text("old")
    path.chmod(0o640)
    with atomic_file(path) as unfinished:
        assert unfinished.stat().st_mode & 0o777 == 0o600
        unfinished.write_text("new")
    assert path.stat().st_mode & 0o777 == 0o640
