"""Files from strangers that unpack to more than there is memory: refused beforehand, with an estimate."""

import os
import signal
import subprocess
import sys
import time
import zipfile

import numpy as np
import pandas as pd
import pytest

from latentmap.images.image_files import read_image
from latentmap.table import read_table
from latentmap.table.files import damaged_hdf5
from latentmap.table.files.reading import read_anndata

REFUSED = r"would take about .* GiB of memory, but .* GiB are free"


@pytest.fixture
def small_machine(monkeypatch):
    """As on a machine with 100 MB of memory."""
    for module in ("latentmap.memory", "latentmap.table.files.damaged_hdf5"):
        monkeypatch.setattr(f"{module}.free_memory", lambda: 100 * 10**6)


def test_a_workbook_of_zeros_is_not_unpacked(tmp_path, small_machine, monkeypatch):
    openpyxl = pytest.importorskip("openpyxl")
    path = tmp_path / "bomb.xlsx"
    pd.DataFrame({"label": [1, 2], "area": [1.0, 2.0]}).to_excel(path, index=False)
    assert len(read_table(path, layer="nuclei").keys) == 2
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet2.xml", b"0" * 30_000_000)
    assert path.stat().st_size < 100_000
    monkeypatch.setattr(openpyxl, "load_workbook", lambda *_, **__: pytest.fail("it was unpacked"))
    with pytest.raises(ValueError, match=rf'"bomb\.xlsx" {REFUSED}'):
        read_table(path, layer="nuclei")


def test_a_parquet_file_that_repeats_a_value_is_not_unpacked(tmp_path, small_machine, monkeypatch):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "bomb.parquet"
    zeros = arrow.array(np.zeros(4_000_000))
    parquet.write_table(arrow.table({"label": zeros, "area": zeros}), path)
    assert path.stat().st_size < 1_000_000
    monkeypatch.setattr(parquet, "read_table", lambda *_, **__: pytest.fail("it was unpacked"))
    with pytest.raises(ValueError, match=rf'"bomb\.parquet" {REFUSED}'):
        read_table(path, layer="nuclei")


@pytest.mark.parametrize("kind", ["numbers", "words"])
def test_an_hdf5_file_of_absurd_shape_is_not_unpacked(tmp_path, small_machine, kind):
    h5py, anndata = pytest.importorskip("h5py"), pytest.importorskip("anndata")
    path = tmp_path / "bomb.h5ad"
    anndata.AnnData(np.zeros((3, 2)), obs=pd.DataFrame({"label": [1, 2, 3]}, index=list("abc"))).write_h5ad(path)
    assert read_anndata(path).n_obs == 3
    with h5py.File(path, "a") as file:
        dtype = float if kind == "numbers" else h5py.string_dtype()
        # Nothing is stored of what was never written.
        file.create_dataset("obsm/X_pca", (3, 10**12), dtype, chunks=(3, 1000))
    assert path.stat().st_size < 1_000_000
    with pytest.raises(ValueError, match=rf'"bomb\.h5ad" {REFUSED}'):
        read_anndata(path)


def test_an_image_of_absurd_size_is_not_unpacked(tmp_path, small_machine):
    tifffile = pytest.importorskip("tifffile")
    path = tmp_path / "bomb.tif"
    tifffile.imwrite(path, np.zeros((11_000, 10_000), np.uint8), compression="zlib")
    assert path.stat().st_size < 1_000_000
    with pytest.raises(ValueError, match=rf'"bomb\.tif" {REFUSED}'):
        read_image(path)


@pytest.mark.parametrize("shape", [(2**40,), (2**31, 2**31), (-1, 3)])
def test_an_array_that_lies_about_its_shape_is_a_sentence(tmp_path, shape):
    path = tmp_path / "labels.npy"
    with path.open("wb") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": shape})
        file.write(bytes(80))
    with pytest.raises(ValueError, match=r'"labels\.npy" is (damaged|too large)'):
        read_image(path)


def test_a_pickled_array_is_not_opened(tmp_path):
    path = tmp_path / "labels.npy"
    np.save(path, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(ValueError, match=r'"labels\.npy" holds objects of Python'):
        read_image(path)


def test_damage_in_a_parquet_file_of_ours_is_noticed(tmp_path):
    pytest.importorskip("pyarrow")
    from latentmap.table.files.writing import write_parquet

    path = tmp_path / "cells.parquet"
    values = np.random.default_rng(0).random(2000)
    write_parquet(pd.DataFrame({"label": np.arange(1, 2001), "area": values}), path)
    whole = bytearray(path.read_bytes())
    # One bit of one number, which no other check would notice.
    place = whole.find(values[1000].tobytes())
    assert place > 0
    whole[place] ^= 1
    path.write_bytes(whole)
    with pytest.raises(ValueError, match=r'"cells\.parquet" is damaged'):
        read_table(path, layer="nuclei")


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "alarm"), reason="alarms of POSIX")
def test_the_process_that_tries_a_file_ends_by_itself_if_nobody_waits(tmp_path):
    h5py = pytest.importorskip("h5py")
    path = tmp_path / "cells.h5ad"
    with h5py.File(path, "w") as file:
        file["x"] = np.zeros(3)
    # It stands still where HDF5 would spin, and does not hear of anything but the alarm.
    code = damaged_hdf5._TRY.replace("seen, size = set(), 0", "seen, size = set(), 0\ntell('begun')\nwhile True: pass")
    assert code != damaged_hdf5._TRY
    begun = time.monotonic()
    process = subprocess.run([sys.executable, "-P", "-c", code, path, "2", "1000000"], timeout=60, capture_output=True)
    assert process.returncode == -signal.SIGALRM
    assert time.monotonic() - begun > 1
    assert os.path.exists(path)
