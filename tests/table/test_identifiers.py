"""Which columns say which cell, place, time or cluster a row is of, by their names."""

import pytest

from latentmap.table.identifiers import is_cluster, is_identifier


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
        # steinbock, MCMICRO, HALO, Fiji, TrackMate, CosMx, scikit-image.
        *("Object", "column_centroid", "row_centroid", "XMin", "YMax", "FeretX", " ", "Ch", "POSITION_T", "ELLIPSE_X0"),
        *("x_slide_mm", "CenterX_global_px", "X µm", "weighted_centroid-0", "x:x"),
        # CellProfiler, cytometry, Imaris, Harmony (Operetta), btrack.
        *(
            "Time [s]",
            "Time (h)",
            "time_min",
            "Frame Number",
            "frame_idx",
            "Timestamp",
            "array_row",
            "pxl_col_in_fullres",
        ),
        *("spatial_0", "x_μm", "x_µm"),
        # Harmony, InCarta, MorphoLibJ, CellProfiler, CODEX, CELLMIA, Imaris, ilastik, TrackMate.
        *("Object No in Nuclei", "Nuclei - Object No in Cells", "Nuclei - Track Point X", "Nuclei - Timepoint"),
        *("Nuclei - Track Point Y [µm]", "Nucleus cg X wv1", "Nucleus Max left border wv1", "Box.X.Min", "Box.Z.Max"),
        *("Parent_FilteredNuclei", "Cells_Parent_MaskedCells", "TrackObjects_Label_15", "tile_num", "region:region"),
        *("Allen CCFv3 X mm", "Atlas_Z", "labels", "cellLabelInImage"),
        *("ID of track", "Trajectory", "Birth [s]", "Death [s]", "timestep", "TRACK_START", "TRACK_STOP", "ROI"),
        *(
            "Parent_Nuclei",
            "Nuclei_Parent_Cells",
            "Event #",
            "EventNumberDP",
            "File Number",
            "Time",
            "Timepoint",
            "Plane",
            "t",
            "root",
        ),
    ],
)
def test_numbers_places_and_times(name):
    assert is_identifier(name)


@pytest.mark.parametrize(
    "name",
    [
        *("area", "DNA_mean", "PC1", "f0", "feature_1", "X1", "2", "velocity_x", "dna_x_mean", "position_variance"),
        *("area_bbox", "AreaShape_BoundingBoxArea", "distance_to_centroid", "center_intensity_DNA", "spot_number"),
        *("mitotic_index", "cell_cycle_index", "Children_Spots_Count", "number_of_neighbours", "level_1"),
        *(
            "Event_length",
            "dwell_time",
            "doubling time",
            "FeretAngle",
            "parent_area",
            "x_velocity",
            "distance_to_centroid_2",
        ),
        *(
            "min_intensity_x",
            "z_level",
            "DNA_max",
            "DNA_min",
            "death",
            "Region Area",
            "border distance left",
            "cell_num",
        ),
        *(
            "distance to left border",
            "TRACK_DURATION",
            "TrackObjects_Lifetime_15",
            "BoundingBoxOO Length A",
            "TrackObjects_TrajectoryX_15",
        ),
        *("left border length", "right_border_contact", "area_timepoint_2", "Mean Intensity Timepoint 10"),
        # Genes.
        *("X-box binding protein 1", "Y-box 3", "CG10000", "STOP1"),
        *("ID1", "Id3", "BID", "COL1A1", "CD4", "T", "X1"),
    ],
)
def test_measurements(name):
    assert not is_identifier(name)


@pytest.mark.parametrize(
    "name",
    [
        *(
            "leiden",
            "louvain",
            "leiden_0.5",
            "leiden_res0.50",
            "seurat_clusters",
            "RNA_snn_res.0.8",
            "cluster",
            "Cluster",
        ),
        *("wsnn_res.2", "wknn_res.0.8", "cluster_label", "cluster_no", "cluster_idx", "metaclusters", "Clusters"),
        *("kmeans", "spatial_kmeans", "PhenoGraph", "FlowSOM_metacluster", "metacluster", "hdbscan"),
    ],
)
def test_clusters(name):
    assert is_cluster(name)


@pytest.mark.parametrize(
    "name",
    [
        "area",
        "cluster_size",
        "distance_to_cluster",
        "kmeans_distance",
        "clustering_coefficient",
        "CLU",
        "MKI67",
        "n_clusters",
        "actin clusters",
        "number of clusters",
    ],
)
def test_what_is_no_cluster(name):
    assert not is_cluster(name)
