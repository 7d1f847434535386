"""The features that shape a map, and their preparation, as the user sets them."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

from latentmap.table.feature_sets import FeatureSet
from latentmap.table.preparing import Missing, Preparation, Scaling, Transform
from latentmap.table.usual_features import MANY_FEATURES, are_array, measurements, usual_set

N_COMPONENTS = 50
"""The principal components that many features are reduced to: of genes, 50 keep what groups cells."""


@dataclass
class FeatureParameters:
    """Which features shape the map, and what is done to them first.

    Parameters
    ----------
    features : tuple of str
        The features that shape the map.
    transform, cofactor, scaling, missing, n_pca, scale_within, harmony_by
        What is done to them first; see :class:`~latentmap.table.Preparation`.
    """

    features: tuple[str, ...] = ()
    transform: Transform = "none"
    cofactor: float = 5.0
    scaling: Scaling = "standard"
    missing: Missing = "leave out"
    n_pca: int = 0
    scale_within: str = ""
    harmony_by: str = ""

    @property
    def preparation(self) -> Preparation:
        """What is done to the features before the map is made."""
        return Preparation(**{part.name: getattr(self, part.name) for part in fields(Preparation)})

    def choose_among(self, names: Sequence[str], before: Sequence[str] = (), n_cells: int = 0) -> None:
        """Choose from the features that there are now: those chosen before, as far as they are still there.

        All are chosen if all were chosen before, or if none of those chosen is left. Three kinds are then left out,
        unless there is nothing else: pixels of cells' pictures, which would drown the others; numbers of cells, images
        and places, which measure nothing; and coordinates on a map. If there are no features, the choice is remembered.

        More than 500 features, such as genes, are mapped by ``X_pca`` if the AnnData has it, and otherwise by 50
        principal components if there are 100 cells or more: ``n_pca`` is set when all are chosen here, and set back
        when few follow. In all other cases the table's own columns are chosen, of several sets of features (see
        :func:`~latentmap.table.feature_sets.feature_sets`).

        Parameters
        ----------
        names : sequence of str
            The features that there are.
        before : sequence of str
            Those that there were when the user chose.
        n_cells : int
            Cells in the table.

        Examples
        --------
        >>> parameters = FeatureParameters(features=("area", "DNA"))
        >>> parameters.choose_among(("DNA", "actin"), before=("area", "DNA", "actin"))
        >>> parameters.features
        ('DNA',)
        >>> parameters = FeatureParameters()
        >>> parameters.choose_among([f"gene {i}" for i in range(9000)], n_cells=2700)
        >>> parameters.n_pca
        50
        """
        if names:
            stay = tuple(name for name in names if name in set(self.features))
            all_were = set(self.features) == set(usual_set(before).columns)
            if all_were or not stay:
                self.choose_set(usual_set(names), n_cells)
            else:
                self._reduce(len(self.features), len(stay), n_cells)
                self.features = stay

    def choose_set(self, chosen: FeatureSet, n_cells: int = 0) -> None:
        """Choose a set of features, and prepare it as suits its kind.

        Parameters
        ----------
        chosen : FeatureSet
            The columns of an array in ``obsm``, such as ``X_pca``, share one scale: they are all chosen, without
            transform, scaling or further components. Of others, numbers of cells and the like are left out, and they
            are scaled and reduced as `choose_among` says.
        n_cells : int
            Cells in the table.

        Examples
        --------
        >>> from latentmap.table.feature_sets import feature_sets
        >>> sets = feature_sets(["CD3E", "CD19", "X_scVI_1", "X_scVI_2", "X_scVI_3"])
        >>> parameters = FeatureParameters()
        >>> parameters.choose_set(sets[1])
        >>> parameters.features, parameters.scaling
        (('X_scVI_1', 'X_scVI_2', 'X_scVI_3'), 'none')
        >>> parameters.choose_set(sets[0])
        >>> parameters.features, parameters.scaling
        (('CD3E', 'CD19'), 'standard')
        """
        names = chosen.columns if chosen.is_array else measurements(chosen.columns)
        if chosen.is_array:
            self.transform, self.scaling, self.n_pca = "none", "none", 0
        elif self.scaling == "none" and are_array(self.features):
            self.scaling = "standard"
        self._reduce(0 if are_array(self.features) else len(self.features), len(names), n_cells)
        self.features = names

    def _reduce(self, n_before: int, n_features: int, n_cells: int) -> None:
        """Turn to principal components when the features become many, and back when they become few."""
        are_many = n_features > MANY_FEATURES and n_cells >= 2 * N_COMPONENTS
        if are_many and n_before <= MANY_FEATURES and self.n_pca == 0:
            self.n_pca = N_COMPONENTS
        elif not are_many and n_before > MANY_FEATURES and self.n_pca == N_COMPONENTS:
            self.n_pca = 0
