"""Which features shape a map unless the user chooses."""

from collections.abc import Sequence

from latentmap.table.feature_sets import TABLE, FeatureSet, feature_sets
from latentmap.table.found_maps import component_stem, is_coordinate
from latentmap.table.identifiers import identifiers_among, is_cluster
from latentmap.table.pixel_columns import is_pixel
from latentmap.table.technical_columns import technical

MANY_FEATURES = 500
"""From more features on, such as genes, distances are mostly noise."""
# What scanpy's pp.pca leaves in an AnnData, and what Seurat and others call it in a table.
_PRINCIPAL = ("x_pca", "pc", "pca")


def usual_set(names: Sequence[str]) -> FeatureSet:
    """Return the features that are chosen where the user has not chosen.

    Parameters
    ----------
    names : sequence of str
        The features that there are.

    Returns
    -------
    FeatureSet
        What the table measures. Instead the principal components, where there are some, or else the first set of
        components: of a raw gene table, and where there are more components than other features, which then only
        describe the cells, such as the counts in Seurat's table of cells.

    Examples
    --------
    >>> pca = ["X_pca_1", "X_pca_2", "X_pca_3"]
    >>> usual_set(["area", "DNA", "actin", "ImageNumber", *pca]).columns
    ('area', 'DNA', 'actin')
    >>> usual_set([*(f"gene {i}" for i in range(9000)), *pca]).columns
    ('X_pca_1', 'X_pca_2', 'X_pca_3')
    >>> usual_set(["nCount_RNA", "nFeature_RNA", *(f"PC_{i}" for i in range(1, 31))]).name
    'PC'
    """
    sets = feature_sets(names) or [FeatureSet(TABLE, ())]
    own = sets[0]._replace(columns=measurements(sets[0].columns)) if sets[0].name == TABLE else sets[0]
    components = min(filter(_may_replace, sets), key=lambda one: one.name.lower() not in _PRINCIPAL, default=None)
    if components is None:
        return own
    n_own, is_principal = len(own.columns), components.name.lower() in _PRINCIPAL
    # p features have no more than p principal components.
    is_described = n_own < len(components.columns)
    return components if is_described or (is_principal and n_own > MANY_FEATURES) else own


def _may_replace(one: FeatureSet) -> bool:
    """Whether a set are components that may be chosen by themselves: an AnnData has its own features beside others."""
    is_of_anndata = one.name.startswith("X_")
    return one.is_array and bool(component_stem(one.columns[0])) and (not is_of_anndata or one.name == "X_pca")


def are_array(names: Sequence[str]) -> bool:
    """Return whether features are all of one array of an AnnData's ``obsm``, or components such as ``PC_1``, ``PC_2``.

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
    others = {name for some in technical(names).values() for name in some}
    others |= identifiers_among(names) | {name for name in names if is_cluster(name) or is_coordinate(name)}
    measured = [name for name in names if name not in others] or names
    return tuple(name for name in measured if not is_pixel(name)) or tuple(measured)
