"""Measures of the quality of a map: how well it preserves neighbours, the order of distances and the classes of cells,
and how it looks.

All measures work on blocks of rows and never hold an n x n matrix. Rows at equal distances rank by row number, in the
measured table and in the map: so duplicate rows have a defined order, and a map in which all cells coincide gets the
same value as a shuffled one.
"""

from latentmap.quality.calibration import (
    Calibration,
    Reliability,
    coincidence_calibration,
    iter_coincidence_calibration,
    reliability,
)
from latentmap.quality.centroids import centroid_order
from latentmap.quality.choosing import Choice, ChoosingProgress, choose, iter_choose
from latentmap.quality.classes import knn_error
from latentmap.quality.group_contacts import GroupContacts, group_contacts, iter_group_contacts
from latentmap.quality.held_out import neighbor_log_score
from latentmap.quality.map_area import Groups, frame_fill, groups_found, largest_pieces
from latentmap.quality.map_changes import MapChanges, changed_neighbors, compare_maps, iter_seed_changes, seed_changes
from latentmap.quality.mixing import Mixing, neighbor_mixing
from latentmap.quality.neighborhoods import (
    continuity,
    neighbor_recall,
    recall_and_trustworthiness,
    trustworthiness,
)
from latentmap.quality.noise_null import NeighborhoodTest, iter_neighborhood_test, neighborhood_test
from latentmap.quality.other_places import (
    Field,
    OtherPlaces,
    iter_likelihood_field,
    iter_other_places,
    likelihood_field,
    other_places,
)
from latentmap.quality.progress import Progress, Stopped
from latentmap.quality.row_neighbors import iter_lost_neighbors, lost_neighbors
from latentmap.quality.stability import iter_neighbor_stability, neighbor_stability
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
    "Progress",
    "Reliability",
    "Stopped",
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
    "iter_coincidence_calibration",
    "iter_group_contacts",
    "iter_likelihood_field",
    "iter_lost_neighbors",
    "iter_neighbor_stability",
    "iter_neighborhood_test",
    "iter_other_places",
    "iter_seed_changes",
    "knn_error",
    "largest_pieces",
    "likelihood_field",
    "lost_neighbors",
    "neighbor_log_score",
    "neighbor_mixing",
    "neighbor_recall",
    "neighbor_stability",
    "neighborhood_test",
    "other_places",
    "random_triplet_accuracy",
    "recall_and_trustworthiness",
    "reliability",
    "seed_changes",
    "trustworthiness",
]
