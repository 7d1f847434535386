"""Texts that gzip has packed, as Xenium and GEO give them, are read like others."""

import bz2
import errno
import gzip

import pytest

from latentmap.table import MapTable, read_table, write_table
from latentmap.table.files import unpacked

TEXT = b"label;area;site\n1;3,5;left\n2;4,25;right\n"


def write(folder, name, content):
    path = folder / name
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("name", ["cells.csv.gz", "cells.tsv.gz", "cells.txt.GZ"])
def test_a_packed_text_is_read_like_the_text(tmp_path, name):
    plain = read_table(write(tmp_path, "cells.csv", TEXT), layer="cells")
    packed = read_table(write(tmp_path, name, gzip.compress(TEXT)), layer="cells")
    assert packed.features.equals(plain.features)
    assert packed.notes == plain.notes


def test_a_text_that_a_browser_has_unpacked_is_read_under_its_old_name(tmp_path):
    assert read_table(write(tmp_path, "cells.csv.gz", TEXT), layer="cells").features["area"].tolist() == [3.5, 4.25]


def test_nothing_is_left_on_the_disk(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "scratch"))
    (tmp_path / "scratch").mkdir()
    read_table(write(tmp_path, "cells.csv.gz", gzip.compress(TEXT)), layer="cells")
    with pytest.raises(ValueError, match="is damaged"):
        read_table(write(tmp_path, "cut.csv.gz", gzip.compress(1000 * TEXT)[:-20]), layer="cells")
    assert not list((tmp_path / "scratch").iterdir())


@pytest.mark.parametrize("name", ["matrix.mtx.gz", "cells.gz", "image.tif.gz", "cells.csv.gz.gz"])
def test_what_else_is_packed_is_to_be_unpacked(tmp_path, name):
    with pytest.raises(ValueError, match="It is packed: unpack it first"):
        read_table(write(tmp_path, name, gzip.compress(TEXT)), layer="cells")


def test_what_another_program_packed_is_not_taken_for_text(tmp_path):
    with pytest.raises(ValueError, match="is packed, in spite of its name"):
        read_table(write(tmp_path, "cells.csv.gz", bz2.compress(TEXT)), layer="cells")


def test_a_text_of_zeros_is_not_unpacked_whole(tmp_path, monkeypatch):
    monkeypatch.setattr("latentmap.memory.free_memory", lambda: 100 * 10**6)
    path = write(tmp_path, "bomb.csv.gz", gzip.compress(b"label,area\n" + bytes(120 * 10**6), compresslevel=1))
    with pytest.raises(ValueError, match=r'"bomb\.csv\.gz" would take about .* GiB of memory'):
        read_table(path, layer="cells")


def test_a_full_disk_is_said(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(unpacked, "_unpack", full)
    with pytest.raises(ValueError, match=r'no room on the disk to unpack "cells\.csv\.gz"'):
        read_table(write(tmp_path, "cells.csv.gz", gzip.compress(TEXT)), layer="cells")


def test_no_table_is_saved_packed(tmp_path):
    cells = read_table(write(tmp_path, "cells.csv", TEXT), layer="cells")
    with pytest.raises(ValueError, match="a table is saved as"):
        write_table(MapTable(cells.features), tmp_path / "map.csv.gz")
