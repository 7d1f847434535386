"""What there is to know of a method beside how it makes a map: what a session needs, and what forms say."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from latentmap.methods.fields import Field
from latentmap.model.iterative_method import IterativeMethod


@dataclass(frozen=True, eq=False)
class Method:
    """A method, as the registry has it.

    What it can do is read off its estimator where that shows it, and said here where it does not.

    Parameters
    ----------
    kind : type
        The estimator, which has a title.
    about : str
        When to use it, in three sentences or so. docs/methods.md says the same.
    fields : mapping of str to Field
        What forms say of its parameters, by name and in the order of the form. A parameter that is not among them has
        its default.
    presets : mapping of str to mapping
        Parameters that belong together, by the preset's name; what a preset does not name has its default. The first
        is the default.
    about_presets : str
        What they are for; "" where there are none.
    warm_start : mapping
        What is set for a short run that goes on from a map, whose positions (and variances, if it has any) become
        ``init``. Empty where it cannot go on from one, or has no ``find_neighbors``, amid which new cells begin.
    learns_from : {"features", "classes", "comparisons"}
        What it is told of the cells: their features alone, or beside these the user's classes or comparisons.
    is_objective_per_cell : bool
        Whether what it raises or lowers grows with the number of cells, so that it is told for one of them.
    has_meaningful_axes : bool
        Whether each axis of its map means something by itself, as a principal axis or an eigenvector does, so that the
        map must not be turned where it is drawn.

    Examples
    --------
    >>> from latentmap.methods import METHODS
    >>> METHODS["isomap"].title, METHODS["isomap"].places_new_cells, METHODS["isomap"].can_warm_start
    ('Isomap', True, False)
    """

    kind: type[IterativeMethod]
    about: str
    fields: Mapping[str, Field]
    presets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    about_presets: str = ""
    warm_start: Mapping[str, Any] = field(default_factory=dict)
    learns_from: Literal["features", "classes", "comparisons"] = "features"
    is_objective_per_cell: bool = False
    has_meaningful_axes: bool = False

    @property
    def title(self) -> str:
        """What it is called."""
        return self.kind.title

    @property
    def objective_name(self) -> str:
        """What it raises or lowers."""
        return self.kind.objective_name

    @cached_property
    def defaults(self) -> Mapping[str, Any]:
        """Its parameters and their defaults, those that no form shows included; not verbose, which makes no map."""
        return {name: value for name, value in self.kind().get_params(deep=False).items() if name != "verbose"}

    @property
    def can_warm_start(self) -> bool:
        """Whether it can go on from a map that there is."""
        return bool(self.warm_start)

    @property
    def has_landmarks(self) -> bool:
        """Whether it chooses landmarks that stand for the cells nearest them."""
        return hasattr(self.kind, "find_landmarks")

    @property
    def places_new_cells(self) -> bool:
        """Whether it can place new cells on its map."""
        return hasattr(self.kind, "transform")

    @property
    def gives_variances_of_new_cells(self) -> bool:
        """Whether it gives the places of new cells variances."""
        return hasattr(self.kind, "transform_with_variances")

    @property
    def restores_maps(self) -> bool:
        """Whether it can take over a map that it has made elsewhere, and need not make it anew to place new cells."""
        return hasattr(self.kind, "restore")
