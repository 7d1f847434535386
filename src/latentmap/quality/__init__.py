"""Measures of the quality of a map: how well it preserves neighbours, the order of distances and the classes of cells,
and how it looks.

All measures work on blocks of rows and never hold an n x n matrix. Rows at equal distances rank by row number, in the
measured table and in the map: so duplicate rows have a defined order, and a map in which all cells coincide gets the
same value as a shuffled one.
"""

from latentmap.quality.calibration import Calibration, Reliability, coincidence_calibration, reliability
from latentmap.quality.centroids import centroid_order
from latentmap.quality.choosing import Choice, ChoosingProgress, choose, iter_choose
from latentmap.quality.classes import knn_error
from latentmap.quality.group_contacts import GroupContacts, group_contacts
from latentmap.quality.held_out import neighbor_log_score
from latentmap.quality.map_area import Groups, frame_fill, groups_found, largest_pieces
from latentmap.quality.map_changes import MapChanges, changed_neighbors, compare_maps, seed_changes
from latentmap.quality.mixing import Mixing, neighbor_mixing
from latentmap.quality.neighborhoods import (
    continuity,
    neighbor_recall,
    recall_and_trustworthiness,
    trustworthiness,
)
from latentmap.quality.other_places import Field, OtherPlaces, likelihood_field, other_places
from latentmap.quality.permuted_null import NeighborhoodTest, neighborhood_test
from latentmap.quality.row_neighbors import lost_neighbors
from latentmap.quality.triplets import random_triplet_accuracy

__all__ = [
    "Calibration",
    "Choice",
    "ChoosingProgress",
    "Field",
    "GroupContacts",
    "Groups",
    "MapChanges",
    "Mixing",
    "NeighborhoodTest",
    "OtherPlaces",
    "Reliability",
    "centroid_order",
    "changed_neighbors",
    "choose",
    "coincidence_calibration",
    "compare_maps",
    "continuity",
    "frame_fill",
    "group_contacts",
    "groups_found",
    "iter_choose",
    "knn_error",
    "largest_pieces",
    "likelihood_field",
    "lost_neighbors",
    "neighbor_log_score",
    "neighbor_mixing",
    "neighbor_recall",
    "neighborhood_test",
    "other_places",
    "random_triplet_accuracy",
    "recall_and_trustworthiness",
    "reliability",
    "seed_changes",
    "trustworthiness",
]
