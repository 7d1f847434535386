"""Which features shape a map unless the user chooses."""

from collections.abc import Sequence

from latentmap.table.feature_sets import TABLE, FeatureSet, feature_sets
from latentmap.table.found_maps import is_coordinate
from latentmap.table.identifiers import is_identifier
from latentmap.table.measure import is_pixel

MANY_FEATURES = 500
"""From more features on, such as genes, distances are mostly noise."""
# What scanpy's pp.pca leaves in an AnnData.
_COMPONENTS = "X_pca"


def usual_set(names: Sequence[str]) -> FeatureSet:
    """Return the features that are chosen where the user has not chosen.

    Parameters
    ----------
    names : sequence of str
        The features that there are.

    Returns
    -------
    FeatureSet
        What the table measures; of a raw gene table ``X_pca``, where there is one.

    Examples
    --------
    >>> pca = ["X_pca_1", "X_pca_2", "X_pca_3"]
    >>> usual_set(["area", "ImageNumber", *pca]).columns
    ('area',)
    >>> usual_set([*(f"gene {i}" for i in range(9000)), *pca]).columns
    ('X_pca_1', 'X_pca_2', 'X_pca_3')
    """
    sets = feature_sets(names) or [FeatureSet(TABLE, ())]
    own = sets[0]._replace(columns=measurements(sets[0].columns)) if sets[0].name == TABLE else sets[0]
    components = [one for one in sets if one.name == _COMPONENTS]
    return components[0] if components and len(own.columns) > MANY_FEATURES else own


def are_array(names: Sequence[str]) -> bool:
    """Return whether features are all of one array of an AnnData's ``obsm``, such as ``X_pca``.

    Examples
    --------
    >>> are_array(["X_pca_1", "X_pca_2", "X_pca_3"]), are_array(["X_pca_1", "X_pca_2", "X_pca_3", "area"])
    (True, False)
    """
    sets = feature_sets(names)
    return len(sets) == 1 and sets[0].is_array


def measurements(names: Sequence[str]) -> tuple[str, ...]:
    """Leave out what measures nothing of a cell, or would drown the rest, unless there is nothing else.

    Parameters
    ----------
    names : sequence of str

    Examples
    --------
    >>> measurements(["ImageNumber", "area", "UMAP1", "DNA_pixel_00_00"]), measurements(["x", "y"])
    (('area',), ('x', 'y'))
    """
    measured = [name for name in names if not is_identifier(name) and not is_coordinate(name)] or names
    return tuple(name for name in measured if not is_pixel(name)) or tuple(measured)
