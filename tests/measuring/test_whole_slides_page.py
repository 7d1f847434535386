"""The page on whole slides does what it says."""

import importlib
import re

import pandas as pd
import pytest

pytest.importorskip("distributed")


@pytest.mark.slow
def test_the_code_of_the_page_goes_from_a_slide_to_a_map(tmp_path, monkeypatch, pytestconfig):
    monkeypatch.syspath_prepend(pytestconfig.rootpath)
    monkeypatch.chdir(tmp_path)
    importlib.import_module("benchmarks.large.slides").write_slide(tmp_path / "slide.ome.zarr", 1500, chunk=512)
    page = (pytestconfig.rootpath / "docs" / "whole-slides.md").read_text()
    code = "\n".join(re.findall(r"^```python\n(.*?)^```", page, re.M | re.S))
    exec(compile(code, "whole-slides.md", "exec"), {"__name__": "page"})
    found = pd.read_parquet(tmp_path / "map.parquet")
    assert len(found) == 900
    assert found["label"].is_unique
    assert found[["map_1", "map_2"]].notna().all(axis=None)
    assert found[["map_1", "map_2"]].std().min() > 0
