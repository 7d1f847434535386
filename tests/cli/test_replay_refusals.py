"""What ``latentmap replay`` says of records that do not tell enough, and of maps that cannot be made again."""

import json
from queue import SimpleQueue

import numpy as np
import pandas as pd
import pytest

from latentmap.cli.main import main
from latentmap.presenters.saving import SavePresenter
from latentmap.samples.tissue import tissue
from latentmap.session import Session, save
from latentmap.session.given_map import GivenMap

pytest.importorskip("pyarrow")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A table of cells, and the record of a map of them; tests copy the record."""
    folder = tmp_path_factory.mktemp("made")
    rows = pd.DataFrame(np.random.default_rng(0).normal(size=(80, 3)), columns=["area", "DNA", "actin"])
    rows.assign(label=np.arange(1, 81)).to_parquet(folder / "cells.parquet", index=False)
    words = ["embed", folder / "cells.parquet", "-o", folder / "map.parquet", "--record", folder / "record.json"]
    assert main([*map(str, words), "--max-iter", "5", "--quiet"]) == 0
    return folder


@pytest.fixture
def record(made, tmp_path):
    """Write the record with other entries, beside a copy of the table."""
    (tmp_path / "cells.parquet").write_bytes((made / "cells.parquet").read_bytes())
    said = json.loads((made / "record.json").read_text())

    def write(**entries):
        path = tmp_path / "record.json"
        path.write_text(json.dumps({name: entry for name, entry in (said | entries).items() if entry is not None}))
        return path

    return write


@pytest.fixture
def replayed(capsys):
    """The exit code of a replay, and what it says."""

    def replay(*words):
        capsys.readouterr()
        code = main(["replay", *map(str, words), "--quiet", "--json"])
        out, err = capsys.readouterr()
        if not out:
            return code, err.removeprefix("latentmap: ").rstrip("\n")
        return code, [one["sentences"] for one in json.loads(out)["maps"].values()]

    return replay


def test_a_record_beside_its_table_needs_no_more(record, replayed):
    code, ((sentence, *_),) = replayed(record())
    assert (code, sentence) == (0, "The map of 80 cells is the same, bit for bit.")


def test_a_file_that_is_not_there(replayed, tmp_path):
    assert replayed(tmp_path / "no.json") == (1, f'There is no file "{tmp_path / "no.json"}".')


def test_a_record_that_names_no_tables(record, replayed, made):
    path = record(files=None)
    assert replayed(path) == (
        1,
        '"record.json" does not name the tables that the map was made of: give them with --input.',
    )
    assert replayed(path, "--input", made / "cells.parquet")[0] == 0


def test_a_table_that_is_gone_or_has_changed(record, replayed, tmp_path):
    path, cells = record(), tmp_path / "cells.parquet"
    rows = pd.read_parquet(cells)
    rows.loc[3, "area"] += 1
    rows.to_parquet(cells, index=False)
    code, (sentences,) = replayed(path)
    assert code == 1
    assert sentences[:2] == ["The map of 80 cells is not the same.", '"cells.parquet" has changed since.']
    cells.unlink()
    assert replayed(path) == (
        1,
        f'There is no file "{cells}", which the record names: give the tables with --input.',
    )


def test_a_map_learned_from_classes_needs_its_table(record, replayed):
    code, said = replayed(record(taught={"from": "classes"}))
    assert (code, said) == (1, "The map was learned from classes: replay the table that was saved with it.")


@pytest.mark.parametrize("n_iter", [None, "four", 4.5])
def test_a_stopped_map_says_after_how_many_iterations(record, replayed, n_iter):
    assert replayed(record(stopped=True, n_iter=n_iter)) == (
        1,
        '"record.json" is damaged: it does not say after how many iterations the map was stopped.',
    )


def test_a_stopped_map_is_stopped_again(record, replayed):
    """The last of five iterations is that after which a longer run would have been stopped."""
    assert replayed(record(stopped=True, n_iter=5))[0] == 0
    assert replayed(record(stopped=True, n_iter=2))[0] == 1


def test_an_anndata_without_a_record(replayed, tmp_path):
    anndata = pytest.importorskip("anndata")
    cells = anndata.AnnData(np.eye(9, dtype="float32"), uns={"leiden": {"params": {"resolution": 1.0}}})
    cells.write_h5ad(tmp_path / "cells.h5ad")
    assert replayed(tmp_path / "cells.h5ad") == (1, '"cells.h5ad" has no record of how a map was made.')


@pytest.mark.slow
@pytest.mark.parametrize("method", ["siamese", "comparisons"])
def test_a_map_in_an_anndata_that_names_no_layer(session, replayed, tmp_path, method):
    anndata = pytest.importorskip("anndata")
    session, calls = session
    cells = tissue().cells.features
    numbers = session.cell_index.add(cells.index)
    session.classes.assign("1", numbers[:60])
    session.classes.assign("2", numbers[60:200])
    session.comparisons.restore([tuple(numbers[[at, at + 1, at + 5]].tolist()) for at in range(40)])
    session.parameters.method = method
    embedded(session, calls)
    labels = cells.index.get_level_values("label").to_numpy()
    names = list(map(str, labels))
    adata = anndata.AnnData(cells[["area", "dab_mean"]].set_axis(names), obs=pd.DataFrame({"label": labels}, names))
    adata.obs["class"] = "a column of its own"
    adata.write_h5ad(tmp_path / "other name.h5ad")
    SavePresenter(session).into_anndata(tmp_path / "other name.h5ad")()
    code, ((sentence, *others),) = replayed(tmp_path / "other name.h5ad")
    assert (code, sentence, others) == (0, "The map of 313 cells is the same, bit for bit.", [])


@pytest.fixture
def session():
    calls = SimpleQueue()
    session = Session(calls.put)
    session.parameters.take_all({"features": ("area", "dab_mean"), "max_iter": 4})
    yield session, calls
    session.close()


def embedded(session, calls):
    run = session.embed(tissue().cells)
    while session.runs.running:
        calls.get(timeout=120)()
    return run


def test_a_session_without_a_map(session, replayed, tmp_path):
    path = save(session[0], tmp_path / "empty.latentmap")
    assert replayed(path) == (1, '"empty.latentmap" has no map.')


@pytest.mark.slow
def test_a_map_that_went_on_from_another_cannot_be_made_alone(session, replayed, tmp_path):
    first = embedded(*session)
    second = embedded(*session)
    second.origin = first.name
    path = save(session[0], tmp_path / "two.latentmap")
    code, sentences = replayed(path)
    assert code == 1
    assert sentences[0][0] == "The map of 313 cells is the same, bit for bit."
    assert sentences[1] == [f'It went on from the map "{first.name}", so it cannot be made again on its own.']


def test_a_map_made_elsewhere_is_not_made_by_a_method_of_ours(session, replayed, tmp_path):
    session, calls = session
    cells = tissue().cells
    session.add_map(cells, GivenMap.of(cells, ["area", "dab_mean"], "UMAP"))
    while session.runs.running:
        calls.get(timeout=120)()
    said = 'It was made elsewhere, of the columns "area" and "dab_mean" of the table, so it cannot be made again here.'
    assert replayed(save(session, tmp_path / "given.latentmap")) == (1, [[said]])


@pytest.mark.slow
def test_maps_of_one_name_are_all_made_again(session, replayed, tmp_path):
    for run in [embedded(*session) for _ in range(2)]:
        session[0].runs.rename(run, "same")
    code, sentences = replayed(save(session[0], tmp_path / "two.latentmap"))
    assert (code, len(sentences)) == (0, 2)


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["csv", "h5ad"])
def test_a_feature_with_the_name_of_a_column_of_the_map(replayed, tmp_path, ending):
    anndata = pytest.importorskip("anndata")
    values = pd.DataFrame(np.random.default_rng(0).normal(size=(80, 3)), columns=["area", "variance", "actin"])
    labels = np.arange(1, 81)
    values.assign(label=labels).to_csv(tmp_path / "cells.csv", index=False)
    names = list(map(str, labels))
    anndata.AnnData(values.set_axis(names), obs=pd.DataFrame({"label": labels}, names)).write_h5ad(
        tmp_path / "cells.h5ad"
    )
    words = [
        "embed",
        tmp_path / f"cells.{ending}",
        "-o",
        tmp_path / f"map.{ending}",
        "--record",
        tmp_path / "record.json",
    ]
    assert main([*map(str, words), "--max-iter", "5", "--quiet"]) == 0
    for path in (tmp_path / f"map.{ending}", tmp_path / "record.json"):
        code, ((sentence, *others),) = replayed(path)
        assert (code, sentence, others) == (0, "The map of 80 cells is the same, bit for bit.", [])
