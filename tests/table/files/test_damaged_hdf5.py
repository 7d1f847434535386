import struct
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from latentmap.table import read_table
from latentmap.table.files import damaged_hdf5

anndata = pytest.importorskip("anndata")
h5py = pytest.importorskip("h5py")


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "cells.h5ad"
    obs = pd.DataFrame({"label": [3, 7], "phase": ["G1", "S"]}, index=["a", "b"])
    anndata.AnnData(np.array([[4.0], [9.0]]), obs=obs, var=pd.DataFrame(index=["area"])).write_h5ad(path)
    return path


@pytest.fixture
def endless(path):
    """Have the list of free places among the names of links lead back to its own beginning."""
    data = bytearray(path.read_bytes())
    heaps, place = 0, data.find(b"HEAP")
    while place >= 0:
        size, free, address = struct.unpack_from("<QQQ", data, place + 8)
        if free + 16 <= size and address + size <= len(data):
            struct.pack_into("<QQ", data, address + free, free, 16)
            heaps += 1
        place = data.find(b"HEAP", place + 1)
    assert heaps
    path.write_bytes(data)
    return path


@pytest.fixture
def tries(monkeypatch):
    """The files that were tried."""
    made, tried = [], damaged_hdf5._tried

    def counted(path):
        made.append(path)
        return tried(path)

    monkeypatch.setattr(damaged_hdf5, "_tried", counted)
    return made


@pytest.mark.slow
def test_a_file_that_hdf5_itself_would_read_for_ever_is_a_sentence(endless, monkeypatch):
    monkeypatch.setattr(damaged_hdf5, "_PATIENCE", 4.0)
    code = "import h5py, sys; file = h5py.File(sys.argv[1]); print('open', flush=True); print([*file])"
    with subprocess.Popen([sys.executable, "-c", code, endless], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "open\n"
            with pytest.raises(ValueError, match=r'"cells\.h5ad" is damaged'):
                read_table(endless, layer="nuclei")
            assert process.poll() is None
        finally:
            process.kill()


def test_a_whole_file_is_tried_once(path, tries):
    for _ in range(2):
        assert [label for _, _, label in read_table(path, layer="nuclei").keys] == [3, 7]
    assert tries == [path]


@pytest.mark.parametrize("program", ["no such program", sys.executable])
def test_where_no_process_can_try_it_the_file_is_read(path, monkeypatch, program):
    monkeypatch.setattr(damaged_hdf5, "_TRY", "raise ImportError")
    monkeypatch.setattr(sys, "executable", program)
    assert len(read_table(path, layer="nuclei").keys) == 2


def test_links_that_lead_in_a_circle_or_nowhere_are_no_damage(path):
    with h5py.File(path, "a") as file:
        file["uns/again"] = file["uns"]
        file["uns/nowhere"] = h5py.SoftLink("/no/such/place")
        file["uns/elsewhere"] = h5py.ExternalLink("missing.h5", "/x")
    assert damaged_hdf5.is_readable(path)
