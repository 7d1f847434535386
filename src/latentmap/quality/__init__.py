"""How faithful a map is: what it keeps of the neighbours, the order of distances and the classes of
the cells, and what the eye sees.

All measures go through blocks of rows and never hold an n x n matrix. Rows at equal distances rank by row number,
in the measured table and in the map alike: that gives duplicate rows one defined order, and the value of a map that
a shuffled one would have to a map in which all cells coincide.
"""

from latentmap.quality.centroids import centroid_order
from latentmap.quality.classes import knn_error
from latentmap.quality.frame import Groups, frame_fill, groups_found
from latentmap.quality.neighborhoods import continuity, neighbor_recall, trustworthiness
from latentmap.quality.triplets import random_triplet_accuracy

__all__ = [
    "Groups",
    "centroid_order",
    "continuity",
    "frame_fill",
    "groups_found",
    "knn_error",
    "neighbor_recall",
    "random_triplet_accuracy",
    "trustworthiness",
]
