"""A map is made again in another environment: the same bits, or the difference is named."""

import json
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from latentmap.cli.main import main
from latentmap.session.replay import environment_differences
from latentmap.table import read_provenance
from latentmap.table.libraries import machine

pytest.importorskip("pyarrow")


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A map whose bits depend on the order in which BLAS adds."""
    folder = tmp_path_factory.mktemp("here")
    rng = np.random.default_rng(0)
    pd.DataFrame(rng.normal(size=(300, 40))).rename(columns=str).to_parquet(folder / "cells.parquet")
    words = ["embed", folder / "cells.parquet", "-o", folder / "map.parquet", "-m", "classical-mds", "--quiet"]
    assert main([str(word) for word in words]) == 0
    return folder / "map.parquet"


def replayed(path, **environment):
    """The exit code and the JSON of a replay in another process."""
    words = [sys.executable, "-m", "latentmap", "replay", path, "--json", "--quiet"]
    ended = subprocess.run(words, env={**os.environ, **environment}, capture_output=True, text=True, timeout=300)
    assert ended.returncode in (0, 1), ended.stderr
    return ended.returncode, json.loads(ended.stdout)


@pytest.mark.slow
def test_another_version_is_named_though_the_bits_agree(saved, tmp_path):
    stub = tmp_path / "pyamg-0.1.dist-info"
    stub.mkdir()
    (stub / "METADATA").write_text("Metadata-Version: 2.1\nName: pyamg\nVersion: 0.1\n")
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    code, found = replayed(saved, PYTHONPATH=path)
    then = read_provenance(saved)["versions"]["pyamg"]
    said = found["maps"]["map.parquet"]["sentences"]
    assert (code, found["agrees"]) == (0, True)
    assert said == ["The map of 300 cells is the same, bit for bit.", f"pyamg is 0.1 here, and was {then}."]


@pytest.mark.slow
@pytest.mark.skipif("openblas" not in machine()["blas"] or machine()["architecture"] != "x86_64", reason="no OpenBLAS")
def test_other_bits_of_the_same_versions_are_explained_by_blas(saved):
    """The same libraries on a processor for which OpenBLAS has other kernels, as on another node of a cluster."""
    code, found = replayed(saved, OPENBLAS_CORETYPE="Nehalem", OPENBLAS_VERBOSE="0")
    said = found["maps"]["map.parquet"]["sentences"]
    assert code == (0 if found["agrees"] else 1)
    assert any(one.startswith("blas is openblas") and "Nehalem here, and was" in one for one in said), said
    if not found["agrees"]:
        assert said[0].startswith("The map of 300 cells is not the same. Half of the cells are within")


def test_what_a_record_says_of_its_machine_is_compared():
    here = machine()
    assert environment_differences({"machine": here}) == []
    other = {**here, "processor": "znver1", "blas": "mkl 2024.1"}
    assert environment_differences({"machine": other}) == [
        f"processor is {here['processor']} here, and was znver1.",
        f"blas is {here['blas']} here, and was mkl 2024.1.",
    ]


def test_an_older_record_that_does_not_name_blas_is_not_blamed_for_it():
    before = {name: value for name, value in machine().items() if name != "blas"}
    assert environment_differences({"machine": before}) == []


def test_the_processor_that_numba_was_told_to_compile_for_is_the_one_that_counts(monkeypatch):
    monkeypatch.setenv("NUMBA_CPU_NAME", "generic")
    assert machine()["processor"] == "generic"
