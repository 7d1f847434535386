"""The parameters that the user sets."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Literal

from psygnal import SignalGroupDescriptor

from latentmap.methods import DEFAULT, METHODS
from latentmap.model.iterative_method import IterativeMethod
from latentmap.session.feature_parameters import FeatureParameters
from latentmap.session.wording import counted

Metric = Literal["euclidean", "cosine", "correlation", "manhattan"]

CUSTOM = "custom"
"""What parameters are called that are no preset."""
COMMON = ("n_components", "metric", "random_state")
"""The parameters that all methods share which have them."""
_DEFAULTS: Mapping[str, Any] = METHODS[DEFAULT].defaults


@dataclass
class Parameters(FeatureParameters):
    """What shapes the map.

    ``parameters.events`` holds one signal a field, named like the field and emitted as ``(new, old)`` when
    the field changes (that of ``connect`` is ``parameters.events["connect"]``); views connect to these and set the
    fields, and know nothing of each other.

    Parameters
    ----------
    features, transform, cofactor, scaling, missing, n_pca, scale_within, harmony_by
        As in :class:`~latentmap.session.feature_parameters.FeatureParameters`.
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
    solver, dof, repulsion, ramp, similarity_scale, min_neighbors, row_normalized, local_scaling, tied_variances, \
vote_power, learning_rate, init, max_iter, random_state
        As in :class:`~latentmap.LVM`; so are the defaults of all that it has.
    connect : {"bridge", "largest"}
        What is done where the cells fall into parts that no neighbours join: bridges join them, or the largest part
        alone is mapped; cells of the others are left out before the features are scaled.
    method : str
        What makes the map, by its name in :func:`~latentmap.methods.available`.
    options : mapping of str to mapping
        By the methods' names, what the user has set of the parameters that are not among these: by name. It is
        replaced, never changed.

    Examples
    --------
    >>> parameters = Parameters()
    >>> _ = parameters.events.n_neighbors.connect(lambda new, old: print("k was", old, "and is", new))
    >>> parameters.n_neighbors = 30
    k was 15 and is 30
    """

    events: ClassVar[SignalGroupDescriptor] = SignalGroupDescriptor()

    n_neighbors: int = _DEFAULTS["n_neighbors"]
    n_steps: int = _DEFAULTS["n_steps"]
    n_levels: int | Literal["auto"] = _DEFAULTS["n_levels"]
    n_components: int = _DEFAULTS["n_components"]
    metric: Metric = _DEFAULTS["metric"]
    solver: Literal["ascent", "em"] = _DEFAULTS["solver"]
    dof: float | Literal["auto", "intrinsic"] = _DEFAULTS["dof"]
    repulsion: float = _DEFAULTS["repulsion"]
    ramp: tuple[float, float] = _DEFAULTS["ramp"]
    similarity_scale: float | Literal["at_least_1", "auto"] = _DEFAULTS["similarity_scale"]
    min_neighbors: int | Literal["auto"] = _DEFAULTS["min_neighbors"]
    row_normalized: bool = _DEFAULTS["row_normalized"]
    local_scaling: float = _DEFAULTS["local_scaling"]
    tied_variances: bool = _DEFAULTS["tied_variances"]
    vote_power: float = _DEFAULTS["vote_power"]
    learning_rate: float = _DEFAULTS["learning_rate"]
    connect: Literal["bridge", "largest"] = _DEFAULTS["connect"]
    init: Literal["smoothed_pca", "pca", "spectral"] = _DEFAULTS["init"]
    max_iter: int = _DEFAULTS["max_iter"]
    random_state: int = _DEFAULTS["random_state"]
    method: str = DEFAULT
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def __setattr__(self, name: str, value: Any) -> None:
        # Before listeners hear of it: psygnal wraps what they raise in an error of its own.
        if name == "method":
            _check_method(value)
        super().__setattr__(name, value)

    def __post_init__(self) -> None:
        for method, options in [(self.method, {}), *self.options.items()]:
            _check_method(method)
            if strange := sorted(set(options) - set(METHODS[method].defaults)):
                raise ValueError(f'No parameters of "{method}": {", ".join(strange)}.')

    @property
    def model(self) -> dict[str, Any]:
        """The arguments of the method that is chosen, those that the user can set."""
        return {name: getattr(self, name) for name in fields_of(self.method)} | dict(self.options.get(self.method, {}))

    def estimator(self) -> IterativeMethod:
        """Return the method that is chosen, with its parameters.

        Returns
        -------
        IterativeMethod
            Not fitted.

        Raises
        ------
        ValueError
            If there is no method of that name.

        Examples
        --------
        >>> Parameters(method="elastic-embedding", options={"elastic-embedding": {"lam": 5.0}}).estimator()
        ElasticEmbedding(lam=5.0)
        """
        _check_method(self.method)
        return METHODS[self.method].kind(**self.model)

    def of_method(self, name: str) -> Any:
        """Return a parameter of the method that is chosen.

        Parameters
        ----------
        name : str
            As the estimator calls it.

        Returns
        -------
        object
            As the user has set it, else the method's default.

        Raises
        ------
        KeyError
            If the method has no such parameter.

        Examples
        --------
        >>> Parameters(method="elastic-embedding").of_method("n_neighbors")
        15
        """
        if name in fields_of(self.method):
            return getattr(self, name)
        return self.options.get(self.method, {}).get(name, METHODS[self.method].defaults[name])

    def set_of_method(self, name: str, value: Any) -> None:
        """Set a parameter of the method that is chosen; other methods keep theirs.

        Parameters
        ----------
        name : str
            As the estimator calls it.
        value : object

        Raises
        ------
        KeyError
            If the method has no such parameter.

        Examples
        --------
        >>> parameters = Parameters(method="elastic-embedding")
        >>> parameters.set_of_method("n_neighbors", 30)
        >>> parameters.of_method("n_neighbors"), parameters.n_neighbors
        (30, 15)
        """
        if name in fields_of(self.method):
            setattr(self, name, value)
            return
        own = {**self.options.get(self.method, {}), name: value}
        if value == METHODS[self.method].defaults[name]:
            del own[name]
        options = {**self.options, self.method: own}
        # What is as it was before anything was set is the same as before.
        self.options = {method: values for method, values in options.items() if values}

    def fitted_to(self, n_cells: int) -> tuple["Parameters", str]:
        """Return parameters that so few cells can be mapped with: a part of them only can be neighbours of one, and
        there are fewer principal components than cells.

        Parameters
        ----------
        n_cells : int
            Cells on the map.

        Returns
        -------
        fitted : Parameters
            A copy.
        sentence : str
            What k is, if it is another; else empty. The preparation says how many components there are.

        Examples
        --------
        >>> fewer, sentence = Parameters().fitted_to(14)
        >>> fewer.n_neighbors, sentence
        (4, '14 cells: k is 4, not 15.')
        >>> Parameters(method="isomap").fitted_to(14)[1]
        ''
        """
        n_pca = self.preparation.fitted_to(n_cells, len(self.features)).n_pca if self.features else self.n_pca
        fitted = replace(self, n_pca=n_pca)
        estimator = self.estimator()
        asked, most = getattr(estimator, "n_neighbors", 0), estimator.most_neighbors(n_cells)
        if asked <= most:
            return fitted, ""
        fitted.set_of_method("n_neighbors", most)
        return fitted, f"{counted(n_cells, 'cell')}: k is {most}, not {asked}."

    @property
    def preset(self) -> str:
        """The name of the preset that the parameters are; "custom" where they are none.

        Examples
        --------
        >>> parameters = Parameters(n_components=3)
        >>> parameters.preset
        'clusters'
        >>> parameters.n_neighbors = 30
        >>> parameters.preset
        'custom'
        """
        for name in METHODS[self.method].presets:
            like = replace(self)
            like.take(name)
            if like == self:
                return name
        return CUSTOM

    def take(self, preset: str) -> None:
        """Set the parameters of the method that is chosen to those that belong together; d, metric and seed stay.

        Parameters
        ----------
        preset : str
            One of the method's. Of the latent variable model "clusters" is the default, "detail" keeps more of the
            small neighbourhoods, "paper" is Saul's model and EM.

        Raises
        ------
        KeyError
            If the method has no such preset.

        Examples
        --------
        >>> parameters = Parameters()
        >>> parameters.take("paper")
        >>> parameters.solver, parameters.n_neighbors
        ('em', 9)
        """
        method = METHODS[self.method]
        changed = method.presets[preset]
        for name in {**self.model, **method.fields, **changed}:
            if name not in COMMON:
                self.set_of_method(name, changed.get(name, method.defaults[name]))

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
        if strange := sorted(set(values) - {part.name for part in fields(self)}):
            raise ValueError(f"No parameters of a map: {', '.join(strange)}.")
        for name, value in values.items():
            setattr(self, name, value)


def fields_of(method: str) -> tuple[str, ...]:
    """Return which parameters of a method are fields of `Parameters`; the others are among its options.

    Those of the method that a session begins with are, as files have had them since there was no other; of the others
    those that all methods share.

    Parameters
    ----------
    method : str
        Its name.

    Returns
    -------
    tuple of str

    Examples
    --------
    >>> fields_of("lle")
    ('n_components',)
    """
    names = [part.name for part in fields(Parameters)] if method == DEFAULT else COMMON
    return tuple(name for name in names if name in METHODS[method].defaults)


def _check_method(name: str) -> None:
    if name not in METHODS:
        raise ValueError(f'There is no method "{name}": choose one of {", ".join(METHODS)}.')


# The signals are made at the first look at them, and psygnal then warns of the one whose name is that of its method.
with warnings.catch_warnings():
    warnings.filterwarnings("ignore", r"Name \['connect'\] is reserved", UserWarning)
    _ = Parameters().events
