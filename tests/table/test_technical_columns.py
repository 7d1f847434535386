"""Columns that say how cells were recorded or judged are left unticked, each with the reason."""

import numpy as np
import pandas as pd
import pytest

from latentmap.table import CellTable, preview, read_table
from latentmap.table.identifiers import is_identifier
from latentmap.table.preparing import Preparation
from latentmap.table.technical_columns import CLASSIFIED, CONTROLS, ORDERED, RECORDED, TURNED, technical
from latentmap.table.usual_features import measurements

SIGNAL = ["Center", "Offset", "Width", "Residual"]
METALS = ["CD3(Nd142)Di", "Nd143Di", "(Ir191)Di"]


@pytest.mark.parametrize(
    ("names", "reason", "unticked"),
    [
        (["CD3", "Event_length", *SIGNAL], RECORDED, ["Event_length", *SIGNAL]),
        (["CD3", *SIGNAL], RECORDED, SIGNAL),
        ([*METALS, "Event_length", "Offset", "Width", "Residual"], RECORDED, None),
        ([*METALS, "Event_length", "Width"], RECORDED, ["Event_length"]),
        (["POSITION_X", "QUALITY", "RADIUS"], RECORDED, ["QUALITY"]),
        (["POSITION_X", "VISIBILITY", "MANUAL_COLOR", "MANUAL_SPOT_COLOR"], RECORDED, None),
        ([*METALS, "beadDist"], RECORDED, ["beadDist"]),
        (["Count_Cells", "ExecutionTime_01Images", "ModuleError_12Crop", "Group_Index"], RECORDED, None),
        (["Nucleus: Area µm^2", "Detection probability"], RECORDED, None),
        (["transcript_counts", "control_probe_counts", "unassigned_codeword_counts"], RECORDED, None),
        (["cell_area", "segmentation_method", "in_tissue"], RECORDED, None),
        (["Area.um2", "nCount_negprobes", "nFeature_falsecode"], RECORDED, None),
        (["141Pr_CD196", "191Ir_DNA1", "193Ir_DNA2", "EventLength"], RECORDED, ["EventLength"]),
        (["CD3", "Event_length", "beadDist"], RECORDED, None),
        (["CD3", "140Ce_Bead", "Ce140Di_Bead", "151Eu_EQ4_Beads", "Bead(Ce140)Di", "EQBeads"], RECORDED, None),
        (["CD3", "102Pd_Barcode", "104Pd_BC2", "190BCKG", "131Xe_131Xe", "(Xe131)Di"], RECORDED, None),
        ([*METALS, "Beads", "Bead 2"], RECORDED, ["Beads", "Bead 2"]),
        (["CD3", "Event_length", "beadDist", "bead", "BCKG190Di"], RECORDED, None),
        (["EPCAM", "NegControlProbe_00042", "NegControlCodeword_0500", "UnassignedCodeword_0001"], CONTROLS, None),
        (["EPCAM", "BLANK_0069", "antisense_PROKR2", "Intergenic_Region_21"], CONTROLS, None),
        (["EPCAM", "Blank-10", "NegPrb3", "SystemControl21", "FalseCode1", "Negative01"], CONTROLS, None),
        (["Cell Area", "CD8 Positive Classification", "Dye 2 Positive", "Dye 2 Positive Nucleus"], CLASSIFIED, None),
        (["AreaShape_Area", "Nuclei_AreaShape_Orientation", "orientation"], TURNED, None),
        (["Area", "Angle", "FeretAngle", "Ellipse.Orientation", "ELLIPSE_THETA"], TURNED, None),
        (["Major", "Minor", "Angle"], TURNED, ["Angle"]),
        (["Area", "Nucleus Major Axis Angle wv1", "MaxFeretDiamAngle", "Ellipsoid.Phi"], TURNED, None),
        (["Size in pixels", "Probability of mitotic", "Predicted Class"], CLASSIFIED, None),
        (["Nucleus: Area", "Classification"], CLASSIFIED, None),
        (["AreaShape_Area", "Classify_Positive"], CLASSIFIED, None),
        (["CD3E", "prediction.score.max"], CLASSIFIED, None),
        (["CD3E", "dpt_pseudotime", "slingPseudotime_1", "latent_time"], ORDERED, None),
    ],
)
def test_technical_columns_are_left_unticked_with_the_reason(names, reason, unticked):
    unticked = [name for name in names[1:] if name not in METALS] if unticked is None else unticked
    assert technical(names) == {reason: unticked}
    kept = measurements([*names, "DNA"])
    assert not {*kept} & {*unticked}
    table = pd.DataFrame({name: np.linspace(at, at + 1, 9) ** 2 for at, name in enumerate([*names, "DNA"])})
    said = preview(CellTable.read(table.assign(label=range(1, 10)), layer="cells"), kept, Preparation()).sentence
    assert f"Not ticked, because {reason}: {', '.join(unticked)}." in said


@pytest.mark.parametrize(
    "names",
    [
        ["nucleus_width", "residual_area", "Width", "Center", "offset"],
        ["Width", "Height", "Event_length", "dwell_time"],
        ["Beads", "n_beads", "bead_area", "beads per cell", "140Ce", "Ce140Di", "EQ", "BC1", "Xe", "Barcode intensity"],
        ["191Ir_DNA1", "193Ir_DNA2", "Ir191Di", "195Pt_Live/Dead", "140Ce_CD45", "127I_IdU", "141Pr_BCL2"],
        ["Quality", "QUALITY", "image_quality"],
        ["Class II MHC", "classification_margin", "pseudopod length", "latent_1", "time_latent", "predicted_area"],
        ["NdRG1", "Di", "CD142"],
        ["MANUAL_SPOT_COLOR", "execution time", "Dye 2 Positive Area", "control_counts", "Positive"],
        ["Area", "Angle", "angle"],
        ["division orientation", "Neighbors_AngleBetweenNeighbors_5", "Angle of movement", "triangle", "TrackAngle"],
        ["Nuclei_Classifier_Area", "probability", "object_center_distance", "bounding box area", "MinimumWidth_0"],
        ["Blank", "Negative", "blank_area", "control_counts", "24h_area", "141Pr", "in_tissue_share"],
        ["Name", "sample", "unnamed area", "V1", "Column1", "V1R1", "VCAM1", "row_width"],
    ],
)
def test_measurements_of_like_names_stay_ticked(names):
    assert technical(names) == {}
    assert list(measurements(names)) == names


@pytest.mark.parametrize(
    "name",
    [
        *("Object Center_0", "Object_Center_1", "Center of the object_0", "Bounding Box Minimum_0"),
        *("Bounding Box Maximum_1", "Sample Name", "Slide Name", "rownames", "row.names", "Row Names"),
    ],
)
def test_places_of_ilastik_and_numbers_that_name_samples(name):
    assert is_identifier(name)


@pytest.mark.parametrize("name", ["V1", "Column1", "...1"])
@pytest.mark.parametrize("start", [0, 1])
def test_a_first_column_that_counts_the_rows_is_not_ticked(tmp_path, name, start):
    rows = pd.DataFrame({name: range(start, start + 9), "label": range(3, 12), "area": np.arange(9) / 4})
    rows.to_csv(tmp_path / "cells.csv", index=False)
    cells = read_table(tmp_path / "cells.csv", layer="cells")
    assert f'Column "{name}" counts the rows: it is called "row".' in cells.notes
    assert measurements(cells.mappable) == ("area",)
    # It may be the key, and other numbers are measurements.
    keyed = read_table(tmp_path / "cells.csv", layer="cells", columns={"label": name})
    assert [label for *_, label in keyed.keys] == list(range(1, start + 9))
    rows.assign(**{name: range(5, 14)}).to_csv(tmp_path / "cells.csv", index=False)
    assert name in measurements(read_table(tmp_path / "cells.csv", layer="cells").mappable)
