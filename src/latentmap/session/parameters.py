"""The parameters that the user sets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Any, ClassVar, Literal

from psygnal import SignalGroupDescriptor

from latentmap.model.lvm import LVM
from latentmap.model.presets import DETAIL, PAPER
from latentmap.table.preparing import Missing, Preparation, Scaling, Transform

Metric = Literal["euclidean", "cosine", "correlation", "manhattan"]

PRESETS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {"clusters": MappingProxyType({}), "detail": DETAIL, "paper": PAPER}
)
"""Parameters of the model that belong together, by name; what they do not name is as in ``LVM()``."""
CUSTOM = "custom"
"""What parameters are called that are no preset."""


@dataclass
class Parameters:
    """What shapes the map.

    ``parameters.events`` holds one signal a field, named like the field and emitted as ``(new, old)`` when
    the field changes; views connect to these and set the fields, and know nothing of each other.

    Parameters
    ----------
    features : tuple of str
        The features that shape the map.
    transform, cofactor, scaling, missing, n_pca
        What is done to them first; see :class:`~latentmap.table.Preparation`.
    n_neighbors : int
        Neighbours of each cell (k). A larger k draws the map by larger groups.
    n_steps : int
        Steps (s) within which the neighbours' neighbours must find back. A larger s keeps more neighbours.
    n_levels : int or "auto"
        Levels of coarse-graining (l). Each level makes large tables faster and far distances coarser.
    n_components : int
        Dimensions of the map (d).
    metric : {"euclidean", "cosine", "correlation", "manhattan"}
        How the distance of two cells is measured.
    solver, dof, repulsion, ramp, similarity_scale, max_iter, random_state
        As in :class:`~latentmap.LVM`.

    Examples
    --------
    >>> parameters = Parameters()
    >>> _ = parameters.events.n_neighbors.connect(lambda new, old: print("k was", old, "and is", new))
    >>> parameters.n_neighbors = 15
    k was 22 and is 15
    """

    events: ClassVar[SignalGroupDescriptor] = SignalGroupDescriptor()

    features: tuple[str, ...] = ()
    transform: Transform = "none"
    cofactor: float = 5.0
    scaling: Scaling = "standard"
    missing: Missing = "leave out"
    n_pca: int = 0
    n_neighbors: int = 22
    n_steps: int = 2
    n_levels: int | Literal["auto"] = "auto"
    n_components: int = 2
    metric: Metric = "euclidean"
    solver: Literal["ascent", "em"] = "ascent"
    dof: float | Literal["auto"] = "auto"
    repulsion: float = 22.0
    ramp: tuple[float, float] = (0.2, 0.8)
    similarity_scale: float = 0.7
    max_iter: int = 500
    random_state: int = 0

    @property
    def preparation(self) -> Preparation:
        """What is done to the features before the map is made."""
        return Preparation(**{field.name: getattr(self, field.name) for field in fields(Preparation)})

    @property
    def model(self) -> dict[str, Any]:
        """The arguments of :class:`~latentmap.LVM`."""
        names = LVM().get_params(deep=False)
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name in names}

    @property
    def preset(self) -> str:
        """The name of the preset that the parameters are; "custom" where they are none.

        Examples
        --------
        >>> parameters = Parameters(n_components=3)
        >>> parameters.preset
        'clusters'
        >>> parameters.n_neighbors = 15
        >>> parameters.preset
        'custom'
        """
        for name in PRESETS:
            like = replace(self)
            like.take(name)
            if like == self:
                return name
        return CUSTOM

    def take(self, preset: str) -> None:
        """Set the parameters of the model to those that belong together; d, metric and seed stay.

        Parameters
        ----------
        preset : {"clusters", "detail", "paper"}
            "clusters" is the default, "detail" keeps more of the small neighbourhoods, "paper" is Saul's model and EM.

        Examples
        --------
        >>> parameters = Parameters()
        >>> parameters.take("paper")
        >>> parameters.solver, parameters.n_neighbors
        ('em', 9)
        """
        kept = {"n_components", "metric", "random_state"}
        model = self.model
        defaults = {name: value for name, value in LVM().get_params(deep=False).items() if name in model}
        for name, value in {**defaults, **PRESETS[preset]}.items():
            if name not in kept:
                setattr(self, name, value)

    def choose_among(self, names: Sequence[str], before: Sequence[str] = ()) -> None:
        """Choose features from those that there are now: those chosen that are still there.

        All of them are chosen where all were before, or where none of those chosen is there. Where there are none, what
        was chosen is remembered.

        Parameters
        ----------
        names : sequence of str
            The features that there are.
        before : sequence of str
            Those that there were when the user chose.

        Examples
        --------
        >>> parameters = Parameters(features=("area", "DNA"))
        >>> parameters.choose_among(("DNA", "actin"), before=("area", "DNA", "actin"))
        >>> parameters.features
        ('DNA',)
        """
        if names:
            stay = tuple(name for name in names if name in set(self.features))
            all_were = set(self.features) == set(before)
            self.features = tuple(names) if all_were or not stay else stay

    def take_all(self, values: Mapping[str, Any]) -> None:
        """Set the parameters to what they were elsewhere, such as for a run.

        Parameters
        ----------
        values : mapping
            By the parameters' names; those it does not name stay.

        Raises
        ------
        ValueError
            If it names what is no parameter; then nothing is set.

        Examples
        --------
        >>> parameters = Parameters()
        >>> parameters.take_all({"n_neighbors": 15, "n_steps": 1})
        >>> parameters.n_neighbors, parameters.n_steps
        (15, 1)
        """
        if strange := sorted(set(values) - {field.name for field in fields(self)}):
            raise ValueError(f"No parameters of a map: {', '.join(strange)}.")
        for name, value in values.items():
            setattr(self, name, value)
