"""Which columns say which cell or place a row is of, by their names."""

import pytest

from latentmap.table.identifiers import is_identifier


@pytest.mark.parametrize(
    "name",
    [
        *(
            "ImageNumber",
            "ObjectNumber",
            "label",
            "CellID",
            "track_id",
            "TrackID",
            "parent_id",
            "Nuclei_Number_Object_Number",
        ),
        *("Unnamed: 0", "Unnamed: 0.1", "index", "level_0", "row", "well", "fov", "Metadata_Well", "Image_Index"),
        *("x", "Y", "XM", "BX", "pos_x", "X_centroid", "centroid", "centroid-0", "centroid_weighted-0", "bbox-0"),
        *("Location_Center_X", "AreaShape_Center_Y", "AreaShape_BoundingBoxMaximum_X", "Centroid X µm"),
    ],
)
def test_numbers_and_places(name):
    assert is_identifier(name)


@pytest.mark.parametrize(
    "name",
    [
        *("area", "DNA_mean", "PC1", "f0", "feature_1", "X1", "2", "velocity_x", "dna_x_mean", "position_variance"),
        *("area_bbox", "AreaShape_BoundingBoxArea", "distance_to_centroid", "center_intensity_DNA", "spot_number"),
        *("mitotic_index", "cell_cycle_index", "Children_Spots_Count", "number_of_neighbours", "level_1"),
        # Genes.
        *("ID1", "Id3", "BID", "COL1A1", "CD4"),
    ],
)
def test_measurements(name):
    assert not is_identifier(name)
