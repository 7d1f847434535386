"""Tables of molecules or outlines are no cells, though their rows could be numbered like those of cells."""

import pandas as pd
import pytest

from latentmap.table import read_table
from latentmap.table.files.reading import read_rows


@pytest.mark.parametrize(
    ("name", "columns", "what"),
    [
        ("transcripts.csv", "transcript_id cell_id overlaps_nucleus feature_name x_location qv", "single molecule"),
        ("transcripts.parquet", "transcript_id cell_id overlaps_nucleus feature_name x_location qv", "single molecule"),
        ("detected_transcripts.csv", "barcode_id global_x global_y global_z x y fov gene", "single molecule"),
        ("S0_tx_file.csv", "fov cell_ID cell x_local_px y_local_px z target CellComp", "single molecule"),
        ("S0_gem.txt", "geneID x y MIDCount ExonCount CellID", "single molecule"),
        ("nucleus_boundaries.parquet", "cell_id vertex_x vertex_y", "corner of a cell's outline"),
        ("S0-polygons.csv", "fov cellID cell x_local_px y_local_px", "corner of a cell's outline"),
    ],
)
def test_rows_that_are_parts_of_cells_are_refused(tmp_path, name, columns, what):
    rows = pd.DataFrame({column: [1, 1, 2] for column in columns.split()})
    path = tmp_path / name
    rows.to_parquet(path) if path.suffix == ".parquet" else rows.to_csv(path, index=False)
    for read in (lambda: read_rows(path, {}), lambda: read_table(path, layer="cells")):
        with pytest.raises(ValueError, match=rf'"{name}" is no table of cells: each row is a {what}'):
            read()


def test_transcripts_are_refused_before_they_are_read(tmp_path, monkeypatch):
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "transcripts.parquet"
    pd.DataFrame({"transcript_id": [1, 2], "feature_name": ["CD3E", "CD4"]}).to_parquet(path)
    monkeypatch.setattr(parquet, "read_table", lambda *_, **__: pytest.fail("it was read"))
    with pytest.raises(ValueError, match="each row is a single molecule"):
        read_table(path, layer="cells")


def test_rows_that_the_user_says_are_cells_are_read(tmp_path):
    path = tmp_path / "corners.csv"
    path.write_text("point,vertex_x,vertex_y\n1,4,5\n2,6,7\n")
    assert len(read_table(path, layer="cells", columns={"label": "point"}).features) == 2


@pytest.mark.parametrize("columns", ["label gene target x_local y_local", "label CenterX_local_px CenterY_local_px"])
def test_tables_of_cells_with_like_columns_are_read(tmp_path, columns):
    path = tmp_path / "cells.csv"
    pd.DataFrame({column: [1, 2] for column in columns.split()}).to_csv(path, index=False)
    assert len(read_table(path, layer="cells").features) == 2


SPOTS = {"barcode": ["AAACAACGAATAGTTC-1", "AAACAAGTATCTCCCA-1"], "in_tissue": [0, 1], "array_row": [0, 0]}
SPOTS |= {"array_col": [16, 18], "pxl_row_in_fullres": [1272, 1273], "pxl_col_in_fullres": [5064, 5201]}
CLUSTERS = {"Barcode": SPOTS["barcode"], "Cluster": [1, 2]}
GENES = {"Feature ID": ["ENSG1", "ENSG2"], "Feature Name": ["A", "B"], "Cluster 1 Log2 fold change": [0.5, 1.5]}


@pytest.mark.parametrize(
    ("name", "columns", "header", "what"),
    [
        ("tissue_positions.csv", SPOTS, True, "no measurements: each row only says where a spot lies"),
        ("tissue_positions.parquet", SPOTS, True, "no measurements: each row only says where a spot lies"),
        ("tissue_positions_list.csv", SPOTS, False, "no measurements: each row only says where a spot lies"),
        ("clusters.csv", CLUSTERS, True, "no measurements: each row only says in which cluster"),
        ("differential_expression.csv", GENES, True, "is no table of cells: each row is a gene"),
    ],
)
def test_tables_of_10x_without_measurements_say_which_file_has_them(tmp_path, name, columns, header, what):
    rows, path = pd.DataFrame(columns), tmp_path / name
    rows.to_parquet(path) if path.suffix == ".parquet" else rows.to_csv(path, index=False, header=header)
    with pytest.raises(ValueError, match=rf'"{name}" .*{what}.*filtered_feature_bc_matrix\.h5'):
        read_rows(path, {})


@pytest.mark.parametrize(
    "columns", [{**SPOTS, "CD3E": [4, 7]}, {**CLUSTERS, "area": [4.5, 7.25]}, {"cluster": [1, 2], "size": [4, 7]}]
)
def test_places_and_clusters_beside_measurements_are_read(tmp_path, columns):
    path = tmp_path / "cells.csv"
    pd.DataFrame(columns).to_csv(path, index=False)
    assert len(read_rows(path, {})[0]) == 2
