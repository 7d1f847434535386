"""anndata 0.13 has X among the layers, which comes with Python 3.12 or newer only."""

from types import SimpleNamespace

import pytest

from latentmap.table.files.anndata_layers import named_layers


@pytest.mark.parametrize("x", [{}, {None: "X"}])
def test_x_is_none_of_the_layers(x):
    assert named_layers(SimpleNamespace(layers={**x, "counts": "many", 3: "few"})) == {"counts": "many", "3": "few"}
