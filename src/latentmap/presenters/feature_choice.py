"""Choosing features: which set of them the form lists, and which of these are ticked."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Protocol

from latentmap.display.actions import Action
from latentmap.session import Parameters
from latentmap.table.feature_sets import ALL, FeatureSet, feature_sets, set_named, set_of

FEATURE_CHOICE: Mapping[str, Action] = MappingProxyType(
    {
        "source": Action(
            "Features from",
            "What the map is made of: the columns of the table, or what an AnnData holds beside them, such as the "
            "principal components X_pca or the layer of counts. Choosing one ticks its features; those of an array "
            "such as X_pca are not scaled.",
        )
    }
)
"""The labels and tooltips, by name."""


class FeatureView(Protocol):
    """A list of sets, and a list of names to tick."""

    def show_sources(self, labels: Sequence[str], chosen: int) -> None:
        """Offer these sets, and show which is chosen; hide the list if there are none."""

    def show_names(self, names: Sequence[str]) -> None:
        """List these features, and tick those among the parameters."""


class FeatureChoice:
    """Lists the features of one set, and follows the parameters.

    Parameters
    ----------
    parameters : Parameters
    view : FeatureView
    """

    def __init__(self, parameters: Parameters, view: FeatureView) -> None:
        self._parameters, self._view = parameters, view
        self._offered: tuple[str, ...] = ()
        self._listed: tuple[str, ...] = ()
        self._sets: list[FeatureSet] = []
        self._source: FeatureSet | None = None
        self._n_cells = 0
        parameters.events.features.connect(self._follow, max_args=0)

    @property
    def offered(self) -> tuple[str, ...]:
        """The features of all sets."""
        return self._offered

    def offer(self, names: Sequence[str], n_cells: int) -> None:
        """Offer these features of so many cells; see :meth:`Parameters.choose_among`.

        Without any, the choice stays as it is, for features that come back.
        """
        names, listed = tuple(names), self._listed
        self._listed, self._n_cells = names, n_cells
        if not names:
            self._show([], None)
            return
        before, self._offered, self._sets = self._offered, names, feature_sets(names)
        if names != listed:
            self._parameters.choose_among(names, before, n_cells)
        kept = next((one for one in self._sets if self._source is not None and one.name == self._source.name), None)
        self._source = kept if kept is not None and self._fits(kept) else set_of(self._sets, self._parameters.features)
        self._show(self._sets, self._source)

    def choose_source(self, index: int) -> None:
        """List the features of one of the sets, and tick them; of all features, leave the ticks."""
        if not 0 <= index < len(self._sets) or self._sets[index] == self._source:
            return
        self._source = self._sets[index]
        if self._source.name != ALL:
            self._parameters.choose_set(self._source, self._n_cells)
        self._show(self._sets, self._source)

    def choose_named(self, use_rep: str) -> None:
        """Choose a set by its key in the AnnData.

        Raises
        ------
        ValueError
            If there is no such set.
        """
        self.choose_source(self._sets.index(set_named(self._sets, use_rep)))

    def choose(self, names: Sequence[str]) -> None:
        """Take what the user has ticked of the features listed."""
        self._parameters.features = tuple(names)

    def close(self) -> None:
        """Stop following the parameters."""
        self._parameters.events.features.disconnect(self._follow)

    def _fits(self, source: FeatureSet) -> bool:
        return {*self._parameters.features} <= {*source.columns}

    def _follow(self) -> None:
        """List the set of the features that were chosen elsewhere, such as by a click on an earlier map."""
        if self._source is not None and not self._fits(self._source):
            self._source = set_of(self._sets, self._parameters.features) or self._source
        self._show(self._sets if self._listed else [], self._source)

    def _show(self, sets: Sequence[FeatureSet], source: FeatureSet | None) -> None:
        source = source if source in sets else (sets[-1] if sets else None)
        several = sets if len(sets) > 1 else []
        labels = [f"{one.name} ({len(one.columns)})" for one in several]
        self._view.show_sources(labels, several.index(source) if source in several else 0)
        self._view.show_names(() if source is None else source.columns)
