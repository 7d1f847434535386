"""The command line, mostly called in this process: what it writes, prints, refuses, and how it ends."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from queue import SimpleQueue

import numpy as np
import pandas as pd
import pytest
import tifffile

from latentmap import LVM, choose
from latentmap.cli import parser as parsing
from latentmap.cli.completion import completion_script
from latentmap.cli.demo import write_tissue
from latentmap.cli.main import main
from latentmap.cli.page import page_text
from latentmap.methods import METHODS
from latentmap.samples.tissue import tissue
from latentmap.session import Parameters, Session, iter_run, save
from latentmap.session.given_map import GivenMap
from latentmap.table import prepare, read_provenance, read_table, write_table

pytest.importorskip("pyarrow")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The sample tissue in files, its cells and a map of them; tests add files and change none."""
    where = tmp_path_factory.mktemp("tissue")
    write_tissue(where / "image.ome.tif", where / "labels.tif")
    assert call("measure", where / "image.ome.tif", where / "labels.tif", "-o", where / "cells.parquet") == 0
    assert call("embed", where / "cells.parquet", "-o", where / "map.parquet", "--max-iter", 30) == 0
    return where


def call(*words):
    return main([str(word) for word in (*words, "--quiet")])


def told(capsys, *words):
    """The exit code, stdout as JSON, and stderr."""
    capsys.readouterr()
    code = call(*words, "--json")
    out, err = capsys.readouterr()
    return code, json.loads(out) if out else None, err


@pytest.mark.slow
def test_cells_are_measured_as_the_front_ends_measure_them(folder):
    sample = tissue("labels").cells.features
    found = read_table(folder / "cells.parquet", layer="?").features
    assert found.index.equals(sample.index)
    pd.testing.assert_frame_equal(found, sample, check_dtype=False)


def test_a_map_is_that_of_the_session_and_carries_its_record(folder, capsys):
    steps = iter_run(read_table(folder / "cells.parquet", layer="?"), chosen(folder, max_iter=30))
    try:
        while True:
            next(steps)
    except StopIteration as end:
        result = end.value
    saved = read_table(folder / "map.parquet", layer="?").features
    np.testing.assert_array_equal(saved[["map_1", "map_2"]], result.embedding)
    np.testing.assert_array_equal(saved["variance"], result.variances)
    record = read_provenance(folder / "map.parquet")
    assert record["files"][0]["file"] == "cells.parquet"
    assert len(record["input"]["sha256"]) == len(record["map"]["sha256"]) == len(record["files"][0]["sha256"]) == 64
    assert {"versions", "machine", "seed", "features", "preparation", "model", "notes"} <= record.keys()


def chosen(folder, **values):
    parameters = Parameters(**values)
    parameters.choose_among(read_table(folder / "cells.parquet", layer="?").mappable)
    return parameters


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "h5ad"])
def test_replay_gives_the_same_bits_from_every_format(folder, tmp_path, ending, capsys):
    pytest.importorskip("anndata")
    out = tmp_path / f"map.{ending}"
    words = ["--features", "area,dab_*", "--transform", "arcsinh", "--dof", "inf", "--max-iter", 20]
    assert call("embed", folder / "cells.parquet", "-o", out, "--record", tmp_path / "record.json", *words) == 0
    code, found, _ = told(capsys, "replay", out)
    assert (code, found["agrees"]) == (0, True)
    code, found, _ = told(capsys, "replay", tmp_path / "record.json", "--input", folder / "cells.parquet")
    assert (code, found["agrees"]) == (0, True)


def test_replay_names_what_differs(folder, tmp_path, capsys):
    table, record = pd.read_parquet(folder / "map.parquet"), read_provenance(folder / "map.parquet")
    table.loc[5, "area"] += 1
    record["versions"]["numpy"] = "1.0"
    from latentmap.table import MapTable

    axes, features = ("map_1", "map_2"), tuple(record["features"])
    changed = write_table(MapTable(table, features, axes, ("variance",), record), tmp_path / "changed.parquet")
    code, found, _ = told(capsys, "replay", changed)
    said = " ".join(found["maps"]["changed.parquet"]["sentences"])
    assert code == 1
    assert not found["agrees"]
    assert "is not the same" in said
    assert "The input differs" in said
    assert f"numpy is {np.__version__} here, and was 1.0." in said
    assert told(capsys, "replay", folder / "cells.parquet")[0] == 1


@pytest.mark.slow
def test_replay_of_a_session_with_a_stopped_map(folder, tmp_path, capsys):
    from queue import SimpleQueue

    calls = SimpleQueue()
    session = Session(calls.put)
    session.parameters.take_all({"features": ("area", "dab_mean"), "max_iter": 12})
    run = session.embed(tissue().cells)
    while session.runs.running:
        calls.get()()
    path = save(session, tmp_path / "tissue.latentmap")
    code, found, _ = told(capsys, "replay", path)
    assert (code, found["agrees"]) == (0, True)
    out = tmp_path / "placed.csv"
    assert call("transform", path, folder / "cells.parquet", "-o", out) == 0
    placed = read_table(out, layer="?").features
    np.testing.assert_allclose(placed[["map_1", "map_2"]], run.result.embedding, atol=1e-9)


def test_transform_puts_cells_of_the_map_where_they_lie(folder, tmp_path, capsys):
    rows = pd.read_parquet(folder / "cells.parquet")
    rows.loc[3, "area"] = np.nan
    rows.to_csv(tmp_path / "new.csv", index=False)
    code, found, _ = told(
        capsys, "transform", folder / "map.parquet", tmp_path / "new.csv", "-o", tmp_path / "placed.csv"
    )
    assert (code, found["n_left_out"]) == (0, 1)
    assert "no number in area" in " ".join(found["notes"])
    placed = read_table(tmp_path / "placed.csv", layer="?").features
    known = read_table(folder / "map.parquet", layer="?").features.loc[placed.index]
    np.testing.assert_allclose(placed[["map_1", "map_2"]], known[["map_1", "map_2"]], atol=1e-9)


@pytest.mark.slow
def test_quality_and_comparison_are_those_of_the_library(folder, tmp_path, capsys):
    code, found, _ = told(capsys, "quality", folder / "map.parquet", "--sample", 0)
    recorded = read_provenance(folder / "map.parquet")["quality"]
    assert code == 0
    assert found["recall"] == pytest.approx(recorded["recall"])
    assert found["trustworthiness"] == pytest.approx(recorded["trustworthiness"])
    elsewhere = told(capsys, "quality", folder / "map.parquet", "--sample", 0, "--coordinates", "map_1,map_2")[1]
    assert elsewhere["recall"] == pytest.approx(found["recall"])
    runs = ["--run", "lvm max_iter=30", "--run", "classical-mds metric=cosine"]
    code, found, _ = told(capsys, "compare", folder / "cells.parquet", *runs, "-o", tmp_path / "c.csv")
    assert code == 0
    assert found["runs"][0]["recall"] == pytest.approx(recorded["recall"])
    assert pd.read_csv(tmp_path / "c.csv")["run"].tolist() == ["lvm max_iter=30", "classical-mds metric=cosine"]
    assert main(["compare", str(folder / "cells.parquet"), "--run", "classical-mds"]) == 0
    assert f"Measured on 10 neighbours of each of {found['runs'][0]['cells']} cells." in capsys.readouterr().out
    assert "no parameter of isomap" in told(capsys, "compare", folder / "cells.parquet", "--run", "isomap n_steps=2")[2]


def test_a_cell_is_of_another_class_than_its_nearest_on_the_map(folder, tmp_path, capsys, recwarn):
    cells = read_table(folder / "map.parquet", layer="?").features.reset_index()
    cells["class"] = np.where(cells["dab_mean"] > cells["dab_mean"].median(), "+", "-")
    cells.loc[:3, "class"] = ["rare", "rare", "alone", ""]
    cells.to_csv(tmp_path / "cells.csv", index=False)
    words = ["quality", tmp_path / "cells.csv", "--coordinates", "map_1,map_2", "--classes"]
    found = told(capsys, *words, "class")[1]["class_error"]
    known = cells[cells["class"] != ""]
    away = np.linalg.norm(known[["map_1", "map_2"]].to_numpy()[:, None] - known[["map_1", "map_2"]].to_numpy(), axis=2)
    np.fill_diagonal(away, np.inf)
    nearest = known["class"].to_numpy()[away.argmin(axis=1)]
    assert found == pytest.approx((nearest != known["class"]).mean(), abs=0)
    assert not recwarn.list
    cells.assign(**{"class": ["+"] + [""] * (len(cells) - 1)}).to_csv(tmp_path / "cells.csv", index=False)
    assert "1 cell on the map with a class" in told(capsys, *words, "class")[2]


def test_quality_says_which_cells_it_is_of(folder, tmp_path, capsys):
    cells = read_table(folder / "map.parquet", layer="?").features.reset_index()
    cells.loc[:6, "map_1"], cells.loc[10:11, "area"] = np.nan, np.nan
    cells.to_csv(tmp_path / "cells.csv", index=False)
    words = ["quality", tmp_path / "cells.csv", "--coordinates", "map_1,map_2", "--sample", 100]
    assert call(*words) == 0
    said = capsys.readouterr().out
    assert "7 of 313 cells left out: no place on the map." in said
    assert "304 cells, 15 of 17 features, standardised; 2 cells left out: no number in area (2)" in said
    assert "10 neighbours of each of 304 cells, of which 100 are drawn:" in said
    assert call("quality", folder / "map.parquet") == 0
    assert "10 neighbours of each of 313 cells:" in capsys.readouterr().out


def test_the_quality_of_a_map_made_elsewhere_in_a_session(folder, tmp_path, capsys):
    cells = read_table(folder / "map.parquet", layer="?")
    cells.features.loc[cells.features.index[:4], "area"] = np.nan
    calls = SimpleQueue()
    session = Session(calls.put)
    session.parameters.features = ("area", "dab_mean", "dab_std")
    run = session.add_map(cells, GivenMap.of(cells, ["centroid-0", "centroid-1"]))
    while session.runs.running:
        calls.get(timeout=60)()
    save(session, tmp_path / "s.latentmap")
    session.close()
    code, found, _ = told(capsys, "quality", tmp_path / "s.latentmap", "--sample", 0)
    assert (code, found["n_cells"]) == (0, 309)
    assert found["recall"] == pytest.approx(run.result.quality["recall"])
    assert call("quality", tmp_path / "s.latentmap") == 0
    assert "4 of 313 cells left out: no number in some feature." in capsys.readouterr().out


@pytest.mark.parametrize(
    "ignored", [["--features", "area"], ["--n-pca", 0], ["--scale-within", "layer"], ["--label", "label"]]
)
def test_the_quality_of_a_saved_map_is_that_of_its_own_columns(folder, capsys, ignored):
    code, _, err = told(capsys, "quality", folder / "map.parquet", *ignored)
    assert code == 1
    assert f"leave {ignored[0]} out" in err
    assert "leave --run out" in told(capsys, "quality", folder / "map.parquet", "--coordinates", "area", "--run", 1)[2]


def test_maps_are_compared_with_the_whole_preparation(folder, tmp_path, capsys):
    cells = read_table(folder / "cells.parquet", layer="?").features.reset_index()
    cells["plate"] = np.where(np.arange(len(cells)) < 60, "a", "b")
    cells.to_csv(tmp_path / "cells.csv", index=False)
    words = [tmp_path / "cells.csv", "--features", "area,dab_mean,haematoxylin_mean", "--scale-within", "plate"]
    assert call("embed", *words, "-o", tmp_path / "map.csv", "--max-iter", 5) == 0
    compared = told(capsys, "compare", *words, "--run", "lvm max_iter=5")[1]["runs"][0]
    assert compared["recall"] == read_provenance(tmp_path / "map.csv")["quality"]["recall"]


@pytest.mark.slow
def test_the_choice_is_that_of_the_library(folder, tmp_path, capsys):
    words = ["choose", folder / "cells.parquet", "--max-iter", "5", "--folds", "2", "-o", tmp_path / "choice.csv"]
    code, found, _ = told(capsys, *words, "--try", "n_neighbors=10,20", "--try", "n_components=1,2")
    assert code == 0
    parameters = chosen(folder, max_iter=5)
    values = prepare(
        read_table(folder / "cells.parquet", layer="?"), parameters.features, parameters.preparation
    ).values
    grid = {"n_neighbors": [10, 20], "n_components": [1, 2]}
    choice = choose(values, grid, estimator=parameters.estimator(), n_folds=2)
    assert (found["best"], found["simplest"], found["sentence"]) == (choice.best, choice.simplest, choice.sentence)
    assert found["candidates"] == choice.table.to_dict("records")
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "choice.csv"), choice.table)
    assert told(capsys, *words)[0] == 1  # the file is there
    for wrong, says in [("k=3", "give NAME=VALUE"), ("n_neighbors=ten", "n_neighbors is"), ("dof=", "give NAME=VALUE")]:
        code, _, err = told(capsys, "choose", folder / "cells.parquet", "--try", wrong)
        assert code == 1
        assert says in err


def test_several_fields_find_their_images_by_name(tmp_path, capsys):
    rng = np.random.default_rng(0)
    for field in ("A01", "A02"):
        labels = np.zeros((40, 40), np.uint16)
        for number in range(1, 6):
            labels[8 * number - 8 : 8 * number - 2, 4:12] = number
        tifffile.imwrite(tmp_path / f"{field}_labels.tif", labels)
        for stain in ("DAPI", "GFP"):
            image = (
                rng.integers(0, 9, labels.shape).astype(np.uint16) + (field == "A02") * 100 + (stain == "GFP") * 1000
            )
            tifffile.imwrite(tmp_path / f"{field}_{stain}.tif", image)
    images = sorted(path for path in tmp_path.glob("*.tif") if "labels" not in path.name)[::-1]
    labels = sorted(tmp_path.glob("*_labels.tif"))
    assert call("measure", *images, "--labels", *labels, "-o", tmp_path / "cells.csv") == 0
    found = read_table(tmp_path / "cells.csv", layer="?").features
    assert set(found.index.get_level_values("layer")) == {"A01_labels", "A02_labels"}
    assert (found.loc["A02_labels", "DAPI_mean"] // 100 == 1).all()
    assert (found.loc["A01_labels", "GFP_mean"] // 1000 == 1).all()
    (tmp_path / "A02_DAPI.tif").rename(tmp_path / "other.tif")
    assert call("measure", tmp_path / "other.tif", tmp_path / "A01_labels.tif", "-o", tmp_path / "one.csv") == 0


def test_the_size_of_a_pixel_and_time_are_as_the_file_says(tmp_path, capsys):
    labels = np.zeros((3, 20, 20), np.uint16)
    labels[:, 2:6, 2:8], labels[1:, 10:16, 10:16] = 1, 7
    said = {
        "axes": "TYX",
        "PhysicalSizeX": 500,
        "PhysicalSizeXUnit": "nm",
        "PhysicalSizeY": 0.5,
        "PhysicalSizeYUnit": "µm",
    }
    tifffile.imwrite(tmp_path / "labels.ome.tif", labels, metadata=said, ome=True)
    tifffile.imwrite(
        tmp_path / "film.tif",
        np.stack([labels, labels * 2], axis=1).astype(np.uint16),
        imagej=True,
        metadata={"axes": "TCYX"},
    )
    assert call("measure", tmp_path / "film.tif", tmp_path / "labels.ome.tif", "-o", tmp_path / "cells.csv") == 0
    found = read_table(tmp_path / "cells.csv", layer="?").features
    assert found.loc[("labels", 2, 7), "area_um2"] == 9
    assert found.loc[("labels", 0, 1), ["film_1_mean", "film_2_mean"]].tolist() == [1, 2]
    assert len(found) == 5
    _, _, err = told(capsys, "measure", tmp_path / "film.tif", tmp_path / "nothing.tif", "-o", tmp_path / "x.csv")
    assert "There is no file" in err
    tifffile.imwrite(tmp_path / "small.tif", np.zeros((3, 10, 10), np.uint8))
    _, _, err = told(capsys, "measure", tmp_path / "small.tif", tmp_path / "labels.ome.tif", "-o", tmp_path / "x.csv")
    assert "has the shape" in err
    assert not (tmp_path / "x.csv").exists()


def test_rows_without_a_key_are_numbered_and_gaps_counted(tmp_path, capsys):
    rows = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 3)), columns=["area", "DNA, mean", "note"])
    rows.loc[:4, "area"] = np.nan
    rows.to_csv(tmp_path / "plain.csv", index=False)
    words = ("--features", "DNA, mean", "--features", "area", "--max-iter", 5)
    code, found, _ = told(capsys, "embed", tmp_path / "plain.csv", "-o", tmp_path / "map.csv", *words)
    assert (code, found["n_cells"], found["n_left_out"]) == (0, 55, 5)
    assert "5 of 60 cells left out of the map: no number in area (5)." in found["sentence"]
    assert "rows are numbered" in found["sentence"]
    assert found["record"]["features"] == ["area", "DNA, mean"]


@pytest.mark.parametrize(
    ("name", "last", "where"),
    [("label", "", "row 61."), ("CellID", "x12", r'row 61 \("x12"\)\.'), ("cell_id", "Total", r'row 61 \("Total"\)\.')],
)
def test_rows_are_not_numbered_anew_where_most_have_a_number(tmp_path, capsys, name, last, where):
    rows = pd.DataFrame(
        {name: [*map(str, range(5, 65)), last, "3"], "area": np.arange(62.0) ** 2, "DNA": np.arange(62.0)}
    )
    rows.to_csv(tmp_path / "cells.csv", index=False)
    code, _, err = told(capsys, "embed", tmp_path / "cells.csv", "-o", tmp_path / "map.csv")
    assert code
    assert re.search(rf'column "{name}" says which cell a row is, but not in 1 of 62 rows, which is {where}', err)
    assert not (tmp_path / "map.csv").exists()


@pytest.mark.parametrize("ending", ["csv", "h5ad"])
def test_words_called_label_stay_where_rows_are_numbered(tmp_path, capsys, ending):
    values = np.random.default_rng(0).normal(size=(60, 3))
    obs, path = pd.DataFrame({"label": ["T", "B", "NK"] * 20}), tmp_path / f"cells.{ending}"
    if ending == "csv":
        obs.join(pd.DataFrame(values, columns=[*"abc"])).to_csv(path, index=False)
    else:
        anndata = pytest.importorskip("anndata")
        anndata.AnnData(values, obs=obs.set_axis([f"c{n}" for n in range(60)])).write_h5ad(path)
    code, found, _ = told(capsys, "embed", path, "-o", tmp_path / "map.csv", "--max-iter", 5)
    assert code == 0
    assert 'Column "label" is called "label_1" here' in found["sentence"]
    saved = pd.read_csv(tmp_path / "map.csv")
    assert saved["label"].tolist() == list(range(1, 61))
    assert saved["label_1"].tolist() == ["T", "B", "NK"] * 20


@pytest.mark.slow
def test_an_anndata_keeps_all_it_has(tmp_path):
    anndata = pytest.importorskip("anndata")
    rng = np.random.default_rng(0)
    obs = pd.DataFrame({"leiden": pd.Categorical(["a", "b"] * 30)}, index=[f"AAAC-{i}" for i in range(60)])
    adata = anndata.AnnData(rng.normal(size=(60, 4)), obs=obs, uns={"leiden_colors": np.array(["#ff0000", "#00ff00"])})
    adata.obsm["X_umap"] = rng.normal(size=(60, 2))
    adata.write_h5ad(tmp_path / "in.h5ad")
    assert call("embed", tmp_path / "in.h5ad", "-o", tmp_path / "out.h5ad", "--max-iter", 5) == 0
    out = anndata.read_h5ad(tmp_path / "out.h5ad")
    assert {"X_umap", "X_latentmap"} <= {*out.obsm}
    assert np.isfinite(out.obsm["X_latentmap"]).all()
    assert out.uns["leiden_colors"].tolist() == ["#ff0000", "#00ff00"]
    pd.testing.assert_series_equal(out.obs["leiden"], obs["leiden"])
    assert call("replay", tmp_path / "out.h5ad") == 0


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (["embed", "cells.parquet", "-o", "map.parquet"], 1, "is there already: --force replaces it"),
        (["embed", "cells.parquet", "-o", "cells.parquet", "--force"], 1, "is read by this command"),
        (["embed", "cells.parquet", "-o", "map.xlsx"], 1, "a table is saved as .csv"),
        (["embed", "cells.parquet", "-o", "no/map.csv"], 1, "There is no folder"),
        (["embed", "no.csv", "-o", "x.csv"], 1, 'There is no file "no.csv"'),
        (["embed", "cells.parquet", "-o", "x.csv", "--features", "areaa"], 1, 'Did you mean "area"?'),
        (["embed", "cells.parquet", "-o", "x.csv", "--n-neighbors", "0"], 1, "n_neighbors (k)"),
        (["embed", "cells.parquet", "-o", "x.csv", "-m", "comparisons"], 1, "clicking cells"),
        (["embed", "cells.parquet", "-o", "x.csv", "--n-neighbors", "a"], 2, "give a whole number"),
        (["embed", "cells.parquet", "-o", "x.csv", "-m", "isomap", "--n-steps", "2"], 2, "unrecognized arguments"),
        (["embed", "cells.parquet"], 2, "required"),
        (["transform", "cells.parquet", "cells.parquet", "-o", "x.csv"], 1, "has no record"),
        (["measure", "labels.tif", "image.ome.tif", "-o", "x.csv"], 1, "the labels"),
        (["embed", "cells.parquet", "-o", "x.csv", "--record", "x.csv.json"], 1, "give --record another name"),
        (["fly"], 2, "invalid choice"),
        ([], 2, "usage"),
    ],
)
def test_what_cannot_be_done_is_said_and_nothing_is_written(folder, monkeypatch, capsys, words, code, sentence):
    monkeypatch.chdir(folder)
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    assert main(words) == code
    err = capsys.readouterr().err
    assert sentence in err
    assert "Traceback" not in err
    assert {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before


def test_every_parameter_of_every_method_is_an_option(folder, capsys):
    for name, method in METHODS.items():
        assert main(["embed", "--method", name, "--help"]) == 0
        text = capsys.readouterr().out
        assert all(f"--{part.replace('_', '-')} " in text for part in method.fields), name
        assert main(["methods", name]) == 0
        assert method.title in capsys.readouterr().out


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        (["9,279", "9,543", "8,112"], '"9,279" may be 9279 or 9.279. Save the table with a decimal point'),
        (["a", "b", "c"], "lines above or below the table"),
    ],
)
def test_a_table_without_numbers_says_why(tmp_path, capsys, values, reason):
    pytest.importorskip("openpyxl")
    pd.DataFrame({"label": [1, 2, 3], "area": values}).to_excel(tmp_path / "cells.xlsx", index=False)
    code, _, said = told(capsys, "embed", tmp_path / "cells.xlsx", "-o", tmp_path / "map.csv")
    assert code == 1
    assert "No column is left" in said
    assert reason in said


@pytest.mark.slow
@pytest.mark.parametrize("name", ["in.h5ad", "in.zarr"])
@pytest.mark.filterwarnings("ignore:Writing zarr v2:UserWarning")
def test_scanpys_representation_and_neighbours(tmp_path, capsys, name):
    anndata = pytest.importorskip("anndata")
    rng = np.random.default_rng(0)
    adata = anndata.AnnData(rng.poisson(1, size=(90, 70)).astype("float32"))
    adata.obsm["X_pca"] = rng.normal(size=(90, 6))
    (adata.write_h5ad if name.endswith("h5ad") else adata.write_zarr)(tmp_path / name)
    words = ["embed", tmp_path / name, "-o", tmp_path / "out.h5ad", "--use-rep", "X_pca", "--max-iter", 5]
    code, found, _ = told(capsys, *words)
    assert (code, found["n_cells"]) == (0, 90)
    saved = anndata.read_h5ad(tmp_path / "out.h5ad")
    np.testing.assert_array_equal(saved.obsm["X_lvm"], LVM(max_iter=5).fit_transform(adata.obsm["X_pca"]))
    assert call("replay", tmp_path / "out.h5ad") == 0
    assert "as it is" in told(capsys, *words, "--force", "--n-pca", 3)[2]
    assert "uns has no" in told(capsys, *words, "--force", "--neighbors-key", "mine")[2]


@pytest.mark.slow
def test_every_kind_of_run_is_made_again(folder, tmp_path):
    rows = pd.read_parquet(folder / "cells.parquet").astype({"dab_mean": "float32"})
    rows["kind"] = np.where(rows["area"] > rows["area"].median(), "large", "small")
    rows.loc[:9, "kind"] = None
    rows.to_parquet(tmp_path / "cells.parquet")
    runs = {
        "paper.csv": ["--preset", "paper", "--max-iter", 5],
        "largest.tsv": ["--connect", "largest", "--n-neighbors", 4, "--max-iter", 5],
        "siamese.csv": ["-m", "siamese", "--classes", "kind", "--max-iter", 5],
        "single.csv": [
            "--features",
            "dab_mean,area,haem*",
            "--n-components",
            3,
            "--scaling",
            "robust",
            "--max-iter",
            5,
        ],
    }
    for name, words in runs.items():
        assert call("embed", tmp_path / "cells.parquet", "-o", tmp_path / name, *words) == 0
        assert call("replay", tmp_path / name) == 0, name


def test_tables_with_the_same_cells_are_refused(folder, tmp_path, capsys):
    cells = pd.read_parquet(folder / "cells.parquet")
    cells.to_csv(tmp_path / "again.csv", index=False)
    both = [folder / "cells.parquet", tmp_path / "again.csv"]
    assert "have the same cell" in told(capsys, "embed", *both, "-o", tmp_path / "map.csv")[2]
    cells.assign(layer="other").to_csv(tmp_path / "again.csv", index=False)
    code, found, _ = told(capsys, "embed", *both, "-o", tmp_path / "map.csv", "--max-iter", 3)
    assert (code, found["n_cells"]) == (0, 2 * len(cells))
    assert found["record"]["layers"] == {"labels": len(cells), "other": len(cells)}


def test_debug_shows_where_an_error_arose(capsys):
    assert main(["embed", "no.csv", "-o", "x.csv", "--debug"]) == 1
    assert "Traceback" in capsys.readouterr().err


def test_the_page_tells_the_help_of_today(pytestconfig):
    page = (pytestconfig.rootpath / "docs" / "command-line.md").read_text(encoding="utf-8")
    if sys.version_info[:2] != (3, 11):
        pytest.skip("argparse of other versions of Python lays help out differently")
    assert page == page_text()


@pytest.mark.parametrize("columns", [None, "60"])
def test_the_page_is_as_wide_on_every_terminal(monkeypatch, columns):
    if columns is None:
        monkeypatch.delenv("COLUMNS", raising=False)
    else:
        monkeypatch.setenv("COLUMNS", columns)
    longest = max(map(len, page_text().split("```text")[1].splitlines()))
    assert 80 < longest <= 100
    assert os.environ.get("COLUMNS") == columns


@pytest.mark.slow
def test_the_example_of_the_readme_runs(pytestconfig, tmp_path, monkeypatch):
    readme = (pytestconfig.rootpath / "README.md").read_text(encoding="utf-8")
    blocks = [block for block in re.findall(r"```sh\n(.*?)```", readme, re.S) if "latentmap embed" in block]
    lines = [line for line in blocks[0].splitlines() if line.startswith("latentmap ")]
    monkeypatch.chdir(tmp_path)
    for line in lines:
        assert main(shlex.split(line, comments=True)[1:]) == 0, line
    assert len(read_table(tmp_path / "map.parquet", layer="?").features) == 313


def test_completion_is_a_script_that_bash_runs(tmp_path):
    script = (
        completion_script("bash")
        + '\nCOMP_WORDS=(latentmap embed --n-nei); COMP_CWORD=2; _latentmap; echo "${COMPREPLY[@]}"'
    )
    found = subprocess.run(["bash", "-c", script], check=True, capture_output=True, text=True).stdout
    assert found == "--n-neighbors\n"
    assert set(parsing.COMMANDS) <= set(re.findall(r"[\w-]+", script))


@pytest.mark.slow
def test_help_is_quick_and_an_interruption_leaves_no_file(folder, tmp_path):
    code = "import sys; from latentmap.cli.main import main; main(['--help']); print(*sys.modules, file=sys.stderr)"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stderr.split()
    assert not {"numba", "numpy", "sklearn", "pandas"} & {*loaded}
    words = [sys.executable, "-m", "latentmap", "embed", folder / "cells.parquet", "-o", tmp_path / "map.csv"]
    process = subprocess.Popen(
        [*words, "--max-iter", "100000"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Tests that run in the background ignore Ctrl-C, and so would what they start.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        for line in process.stderr:
            if line.startswith("embedding"):
                break
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=120)
    finally:
        process.kill()
    assert process.returncode == 130
    assert err == "latentmap: Interrupted: nothing more is written.\n"
    assert list(tmp_path.iterdir()) == []


def test_the_map_is_that_of_the_bare_estimator(folder):
    """Nothing between the words and the model changes the numbers."""
    from latentmap.table import Preparation

    parameters = chosen(folder)
    cells = read_table(folder / "cells.parquet", layer="?").features
    pipeline = Preparation().pipeline(parameters.features, LVM(max_iter=30)).fit(cells)
    saved = read_table(folder / "map.parquet", layer="?").features
    np.testing.assert_array_equal(saved[["map_1", "map_2"]], pipeline["map"].embedding_)


def test_features_are_scaled_within_the_values_of_a_column(folder, tmp_path, capsys):
    path = tmp_path / "map.csv"
    assert call("embed", folder / "cells.parquet", "-o", path, "--scale-within", "layer", "--max-iter", "5") == 0
    assert call("replay", path) == 0
    code, _, err = told(capsys, "embed", folder / "cells.parquet", "-o", tmp_path / "x.csv", "--scale-within", "plate")
    assert code == 1
    assert 'the table does not say which "plate" a cell belongs to' in err


def test_a_folder_that_may_not_be_written_in_is_said_before_the_map_is_made(folder, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("latentmap.cli.tables.os.access", lambda path, mode: path != tmp_path)
    monkeypatch.setattr("latentmap.cli.embed.make_map", lambda *_, **__: pytest.fail("a map was made"))
    code, _, err = told(capsys, "embed", folder / "cells.parquet", "-o", tmp_path / "map.csv")
    assert code == 1
    assert f'Nothing can be written in the folder "{tmp_path}"' in err


@pytest.mark.parametrize(
    ("record", "sentence"),
    [
        ('{"file": "../../etc/passwd", "sha256": "0"}', "which is no file beside it"),
        ('{"file": "..", "sha256": "0"}', "which is no file beside it"),
        ('{"method": "lvm", "model": {}, "features": ["a"], "files": [3]}', "does not name its tables"),
        ('{"method": "zzz", "model": {}, "features": ["a"]}', 'names the method "zzz"'),
        ('{"method": "lvm", "model": [1], "features": ["a"]}', "damaged"),
        ('{"method": "lvm", "model": {}, "features": 3}', "the features are no list of names"),
    ],
)
def test_a_record_that_somebody_tampered_with_is_refused_in_words(tmp_path, capsys, record, sentence):
    path = tmp_path / "record.json"
    path.write_text(record)
    assert call("replay", path) == 1
    err = capsys.readouterr().err
    assert sentence in err
    assert "latentmap failed" not in err


def test_a_choice_shows_its_progress_in_a_terminal(folder, monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    words = ["choose", folder / "cells.parquet", "--max-iter", 2, "--folds", 2, "--try", "n_neighbors=5"]
    assert main([str(word) for word in words]) == 0
    err = capsys.readouterr().err
    assert "0%  n_neighbors = 5: fit 1 of 2" in err
    assert "100%  n_neighbors = 5: fit 2 of 2" in err or "50%  n_neighbors = 5: fit 2 of 2" in err


@pytest.fixture(scope="module")
def sets(tmp_path_factory):
    """An AnnData with a representation under a name of its own, a layer, and principal components."""
    anndata = pytest.importorskip("anndata")
    rng = np.random.default_rng(0)
    counts = rng.poisson(2, size=(80, 5)).astype("float32")
    adata = anndata.AnnData(np.log1p(counts), layers={"counts": counts})
    adata.var_names, adata.obs_names = list("ABCDE"), [f"AAAC-{at}" for at in range(80)]
    adata.obsm["X_pca"], adata.obsm["totalVI"] = rng.normal(size=(80, 4)), rng.normal(size=(80, 60))
    path = tmp_path_factory.mktemp("sets") / "cells.h5ad"
    adata.write_h5ad(path)
    return path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("key", "features", "scaling"),
    [
        ("X", list("ABCDE"), "standard"),
        ("counts", [f"{name} [layer counts]" for name in "ABCDE"], "standard"),
        ("X_pca", [f"X_pca_{at}" for at in range(1, 5)], "none"),
        ("totalVI", [f"X_totalVI_{at}" for at in range(1, 61)], "none"),
    ],
)
@pytest.mark.parametrize("ending", ["h5ad", "parquet"])
def test_a_map_of_a_set_of_features(sets, tmp_path, capsys, key, features, scaling, ending):
    out = tmp_path / f"map.{ending}"
    words = ["--features-from", key, "--max-iter", 5]
    code, found, _ = told(capsys, "embed", sets, "-o", out, "--record", tmp_path / "record.json", *words)
    assert code == 0
    assert found["record"]["features"] == features
    assert found["record"]["preparation"]["scaling"] == scaling
    assert told(capsys, "replay", out)[:2][0] == 0
    assert told(capsys, "replay", tmp_path / "record.json", "--input", sets)[1]["agrees"]
    assert call("transform", out, sets, "-o", tmp_path / "placed.csv") == 0
    assert len(read_table(tmp_path / "placed.csv", layer="?").features) == 80
    assert told(capsys, "quality", out)[0] == 0


@pytest.mark.parametrize("words", [[], ["--features", "PC_*"], ["--features-from", "PC"]], ids=["", "names", "set"])
def test_components_in_a_table_keep_their_scale(tmp_path, capsys, words):
    """As Seurat writes them: scaled each by itself, those of noise would count as much as the first."""
    components = np.random.default_rng(0).normal(size=(80, 10)) * np.geomspace(20, 1, 10)
    table = pd.DataFrame(components, columns=[f"PC_{axis}" for axis in range(1, 11)])
    table = table.set_axis(np.arange(1, 81)).assign(nCount_RNA=np.arange(80.0))
    table.to_csv(tmp_path / "cells.csv", index_label="label")
    given = ["embed", tmp_path / "cells.csv", "-o", tmp_path / "map.csv", "--max-iter", 5]
    code, found, _ = told(capsys, *given, *words)
    assert code == 0
    assert found["record"]["features"] == [f"PC_{axis}" for axis in range(1, 11)]
    assert found["record"]["preparation"]["scaling"] == "none"
    # As it is read: a number in a CSV file may lose its last bit.
    values = read_table(tmp_path / "cells.csv", layer="?").features.filter(like="PC_").to_numpy()
    positions = pd.read_csv(tmp_path / "map.csv")[["map_1", "map_2"]]
    np.testing.assert_allclose(positions, LVM(max_iter=5).fit_transform(values))
    assert (
        told(capsys, *given, "--force", *words, "--scaling", "standard")[1]["record"]["preparation"]["scaling"]
        == "standard"
    )


@pytest.mark.slow
def test_a_set_of_features_elsewhere_and_what_is_none(sets, tmp_path, capsys):
    pca = ["--features-from", "X_pca"]
    axes = [f"X_pca_{at}" for at in range(1, 5)]
    words = ["--max-iter", 5, "--folds", 2, "--try", "n_neighbors=5,10", "--held-out", 10, "--true-neighbors", 3]
    assert told(capsys, "choose", sets, *pca, *words)[1]["features"] == axes
    assert told(capsys, "compare", sets, *pca, "--run", "lvm max_iter=5")[1]["features"] == axes
    assert call("quality", sets, "--coordinates", "X_pca_1,X_pca_2", "--features-from", "counts") == 0
    embed = ["embed", sets, "-o", tmp_path / "map.csv", "--max-iter", 5]
    code, found, _ = told(capsys, *embed, *pca, "--scaling", "robust", "--exclude", "X_pca_4")
    assert code == 0
    assert found["record"]["preparation"]["scaling"] == "robust"
    assert found["record"]["features"] == axes[:3]
    for wrong, says in [
        (["--features-from", "scVI"], 'no "scVI" in obsm or layers'),
        ([*pca, "--features", "A"], "leave one out"),
        ([*pca, "--use-rep", "X_pca", "-o", tmp_path / "map.h5ad"], "leave them out with --use-rep"),
    ]:
        code, _, err = told(capsys, *embed, *wrong, "--force")
        assert code == 1
        assert says in err
    rows = pd.read_csv(tmp_path / "map.csv")
    rows.to_parquet(tmp_path / "cells.parquet")
    words = ["embed", tmp_path / "cells.parquet", "-o", tmp_path / "other.csv", "--max-iter", 5]
    assert told(capsys, *words, *pca)[1]["record"]["features"] == axes
    assert "No map can be made of" in told(capsys, *words, "--force", "--features-from", "scVI")[2]
