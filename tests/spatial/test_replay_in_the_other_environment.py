"""A map that was made in this environment is made again in the other one, which has other versions."""

import json
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from latentmap.cli.main import main

ENDING = "-spatialdata"
OTHER = Path(sys.prefix.removesuffix(ENDING), "bin", "python")

pytestmark = [
    pytest.mark.skipif(not sys.prefix.endswith(ENDING), reason="scripts/test runs it beside spatialdata"),
    pytest.mark.skipif(not OTHER.exists(), reason="the other environment, .venv, is not there"),
]


def in_the_other(*words):
    ended = subprocess.run([OTHER, *words], capture_output=True, text=True, timeout=600)
    assert ended.returncode in (0, 1), ended.stderr
    return ended.returncode, ended.stdout


def test_they_are_two():
    """Otherwise the next test would show nothing."""
    code, there = in_the_other("-c", "from importlib.metadata import version; print(version('dask'))")
    assert code == 0
    assert there.strip() != version("dask")


@pytest.mark.parametrize("method", ["lvm", "classical-mds", "laplacian-eigenmaps"])
def test_the_bits_agree_or_the_difference_is_named(tmp_path, method):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(200, 10)) + 4 * rng.integers(0, 3, (200, 1)))
    table.rename(columns="f{}".format).to_parquet(tmp_path / "cells.parquet")
    out = tmp_path / "map.parquet"
    assert main(["embed", str(tmp_path / "cells.parquet"), "-o", str(out), "-m", method, "--quiet"]) == 0
    code, printed = in_the_other("-m", "latentmap", "replay", out, "--json", "--quiet")
    said = json.loads(printed)
    sentences = said["maps"]["map.parquet"]["sentences"]
    assert code == (0 if said["agrees"] else 1)
    if said["agrees"]:
        assert sentences[0] == "The map of 200 cells is the same, bit for bit."
    else:
        assert any(" here, and was " in one for one in sentences[1:]), sentences
