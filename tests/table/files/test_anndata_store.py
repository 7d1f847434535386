"""AnnData in zarr: read and written into as the files are, each whole or not at all."""

import os
import shutil
import warnings

import anndata
import numpy as np
import pandas as pd
import pytest
import zarr
from scipy.sparse import csr_matrix

from latentmap.table import MapTable, read_table, write_into_h5ad
from latentmap.table.files.reading import read_anndata, read_provenance

VALUES = np.array([[1.0, 0, 3], [0, 5, 0], [7, 0, 9], [0, 2, 4]])


def adata_of(values=VALUES):
    obs = pd.DataFrame({"label": [7, 3, 1000, 4]}, index=["a", "b", "c", "d"])
    return anndata.AnnData(values, obs=obs, var=pd.DataFrame(index=["CD4", "CD8", "DNA"]))


def stored(adata, path, form=2):
    with anndata.settings.override(zarr_write_format=form), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        adata.write_zarr(path)
    return path


def map_of(*labels):
    rows = pd.DataFrame({"layer": "nuclei", "frame": 0, "label": labels})
    rows = rows.assign(map_1=np.array(labels) + 0.5, map_2=np.array(labels) + 0.25)
    rows["CD4"] = rows["label"].map({7: 1.0, 3: 0.0, 1000: 7.0, 4: 0.0})
    return MapTable(rows, ("CD4",), ("map_1", "map_2"), (), {"method": "lvm"})


@pytest.fixture
def store(tmp_path):
    return stored(adata_of(), tmp_path / "cells.zarr")


@pytest.mark.parametrize("values", [VALUES, csr_matrix(VALUES)], ids=["dense", "sparse"])
@pytest.mark.parametrize("form", [2, 3])
def test_it_is_read_as_a_file_is(tmp_path, values, form):
    adata_of(values).write_h5ad(tmp_path / "cells.h5ad")
    path = stored(adata_of(values), tmp_path / "cells", form)
    one, other = read_table(path, layer="nuclei"), read_table(tmp_path / "cells.h5ad", layer="nuclei")
    pd.testing.assert_frame_equal(one.features, other.features)
    assert one.notes == other.notes
    assert one.features.loc[("nuclei", 0, 1000), "DNA"] == 9


@pytest.mark.parametrize("form", [2, 3])
def test_a_map_is_written_into_it_and_all_else_stays(tmp_path, form):
    store = stored(adata_of(), tmp_path / "cells.zarr", form)
    before = {path: path.read_bytes() for path in (store / "X").rglob("*") if path.is_file()}
    assert write_into_h5ad(store, map_of(3, 4, 7, 1000), layer="nuclei") == ()
    adata = read_anndata(store)
    assert adata.obsm["X_latentmap"].tolist() == [[n + 0.5, n + 0.25] for n in (7, 3, 1000, 4)]
    assert all(path.read_bytes() == content for path, content in before.items())
    assert read_provenance(store)["method"] == "lvm"
    assert zarr.open_group(store).metadata.consolidated_metadata is not None
    assert "obsm/X_latentmap" in dict(zarr.open_group(store).members(max_depth=None))
    assert zarr.open_group(store).metadata.zarr_format == form
    assert os.listdir(store.parent) == ["cells.zarr"]
    # Written again, it takes the place of the first.
    write_into_h5ad(store, map_of(3, 4), layer="nuclei")
    assert np.isnan(read_anndata(store).obsm["X_latentmap"]).sum() == 4


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()], ids=["full", "Ctrl-C"])
@pytest.mark.parametrize("after", [0, 1], ids=["first renaming", "second renaming"])
def test_the_old_one_stays_if_the_new_one_cannot_take_its_place(store, monkeypatch, error, after):
    renamed, rename = [], os.rename

    def rename_or_fail(*names):
        if len(renamed) == after:
            renamed.append(names)
            raise error
        renamed.append(names)
        rename(*names)

    monkeypatch.setattr(os, "rename", rename_or_fail)
    with pytest.raises(type(error)):
        write_into_h5ad(store, map_of(3, 4, 7, 1000), layer="nuclei")
    assert len(renamed) == 1 + 2 * after
    is_as_before(store)


def test_the_old_one_stays_if_the_new_one_cannot_be_written(store, monkeypatch):
    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(anndata.io, "write_elem", fail)
    with pytest.raises(OSError, match="No space"):
        write_into_h5ad(store, map_of(3, 4, 7, 1000), layer="nuclei")
    is_as_before(store)


def is_as_before(store):
    assert os.listdir(store.parent) == ["cells.zarr"]
    adata = read_anndata(store)
    assert adata.X.tolist() == VALUES.tolist()
    assert not adata.obsm


def test_a_part_of_another_store_is_not_written_into(tmp_path):
    """The store lists what is in its parts, and would not know of the map."""
    zarr.open_group(tmp_path / "tissue.zarr", mode="w")
    path = stored(adata_of(), tmp_path / "tissue.zarr" / "tables" / "cells")
    with pytest.raises(ValueError, match=r'"cells" is a part of "tissue\.zarr"'):
        write_into_h5ad(path, map_of(3, 4, 7, 1000), layer="nuclei")
    assert not read_anndata(path).obsm


@pytest.mark.parametrize("part", ["obs", "layers/raw"])
def test_one_that_was_copied_in_part_is_refused(tmp_path, part):
    """AnnData reads what is missing as empty."""
    adata = adata_of()
    adata.layers["raw"] = 2 * VALUES
    path = stored(adata, tmp_path / "cells.zarr")
    shutil.rmtree(path / part)
    with pytest.raises(ValueError, match=rf'"cells\.zarr" is not whole: "{part}'):
        read_table(path, layer="nuclei")


def test_one_that_is_damaged_is_called_so(store):
    (store / "X" / ".zarray").write_text("{")
    with pytest.raises(ValueError, match=r'"cells\.zarr" is damaged, or not an AnnData file\.'):
        read_table(store, layer="nuclei")


def test_one_of_an_absurd_shape_is_not_unpacked(store, monkeypatch):
    monkeypatch.setattr("latentmap.memory.free_memory", lambda: 100 * 10**6)
    assert read_anndata(store).n_obs == 4
    zarr.open_group(store, mode="a").create_array("obsm/zeros", shape=(4, 10_000_000), dtype="float64")
    with pytest.raises(ValueError, match=r'"cells\.zarr" would take about .* GiB of memory, but .* GiB are free'):
        read_table(store, layer="nuclei")
