from queue import SimpleQueue

import numpy as np
import pandas as pd
import pytest

from latentmap.display.cell_facts import cell_facts
from latentmap.session import Session
from latentmap.table import CellTable

KEY = ("nuclei", 0, 5)


@pytest.fixture(scope="module")
def session():
    """A map made by two of five columns."""
    calls = SimpleQueue()
    session = Session(calls.put)
    values = np.random.default_rng(0).normal(size=(60, 2)).round(6)
    rows = pd.DataFrame(values, columns=["DNA", "actin"]).assign(
        label=np.arange(1, 61), area=1234, type="B", tiny=np.float32(2e-7), none=np.nan, dividing=True
    )
    session.parameters.features = ("actin", "DNA")
    session.parameters.max_iter = 3
    session.embed(CellTable.read(rows, layer="nuclei"))
    while session.runs.running:
        calls.get(timeout=60)()
    return session


def test_what_is_known_of_a_cell_on_the_map(session):
    result = session.runs.current.result
    known = cell_facts(session, KEY)
    assert known.key == KEY
    assert known.headlines[:3] == ("Label 5", "nuclei, frame 0", "in no class")
    variance, lost = known.headlines[3].removeprefix("variance (σ²) ").split("; ")
    assert float(variance) == pytest.approx(result.variances[4], rel=0.01)
    assert lost == f"{result.lost_neighbors[4]:.0%} of its neighbours lost"
    actin, dna = result.cells.features.loc[KEY, ["actin", "DNA"]]
    written = dict(known.values)
    assert [name for name, _ in known.values][:2] == ["actin", "DNA"]
    assert [float(written[name]) for name in ("actin", "DNA")] == pytest.approx([actin, dna], rel=0.01)
    others = {name: written[name] for name in ("area", "type", "tiny", "none", "dividing")}
    assert others == {"area": "1234", "type": "B", "tiny": "2e-07", "none": "nan", "dividing": "True"}


def test_its_class_is_known(session):
    session.classes.assign("T cells", session.cell_index.numbers_of([KEY]))
    assert cell_facts(session, KEY).headlines[2] == "T cells"


def test_a_cell_that_is_not_on_the_map(session):
    assert cell_facts(session, ("nuclei", 0, 999)).headlines[3] == "not on the map"
    assert cell_facts(session, ("nuclei", 0, 999)).values == ()


def test_a_cell_is_called_what_it_was_called_in_the_table():
    calls = SimpleQueue()
    session = Session(calls.put)
    values = np.random.default_rng(0).normal(size=(40, 2))
    rows = pd.DataFrame(values, columns=["DNA", "actin"], index=[f"AAAC-{n}" for n in range(40)])
    session.parameters.features, session.parameters.max_iter = ("actin", "DNA"), 2
    session.embed(CellTable.read(rows.assign(label=np.arange(1, 41)), layer="nuclei"))
    while session.runs.running:
        calls.get(timeout=60)()
    known = cell_facts(session, KEY)
    assert known.headlines[0] == "AAAC-4 (label 5)"
    assert [name for name, _ in known.values] == ["actin", "DNA"]
