"""The parameters that the user sets."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Literal

from psygnal import SignalGroupDescriptor

from latentmap.methods import DEFAULT, METHODS
from latentmap.model.iterative_method import IterativeMethod
from latentmap.session.wording import counted
from latentmap.table.feature_sets import FeatureSet
from latentmap.table.preparing import Missing, Preparation, Scaling, Transform
from latentmap.table.usual_features import MANY_FEATURES, are_array, measurements, usual_set

Metric = Literal["euclidean", "cosine", "correlation", "manhattan"]

CUSTOM = "custom"
"""What parameters are called that are no preset."""
COMMON = ("n_components", "metric", "random_state")
"""The parameters that all methods share which have them."""
_DEFAULTS: Mapping[str, Any] = METHODS[DEFAULT].defaults
# Of genes, 50 components keep what groups cells.
N_COMPONENTS = 50


@dataclass
class Parameters:
    """What shapes the map.

    ``parameters.events`` holds one signal a field, named like the field and emitted as ``(new, old)`` when
    the field changes (that of ``connect`` is ``parameters.events["connect"]``); views connect to these and set the
    fields, and know nothing of each other.

    Parameters
    ----------
    features : tuple of str
        The features that shape the map.
    transform, cofactor, scaling, missing, n_pca, scale_within, harmony_by
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
    solver, dof, repulsion, ramp, similarity_scale, min_neighbors, row_normalized, local_scaling, tied_variances, \
vote_power, init, max_iter, random_state
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

    features: tuple[str, ...] = ()
    transform: Transform = "none"
    cofactor: float = 5.0
    scaling: Scaling = "standard"
    missing: Missing = "leave out"
    n_pca: int = 0
    scale_within: str = ""
    harmony_by: str = ""
    n_neighbors: int = _DEFAULTS["n_neighbors"]
    n_steps: int = _DEFAULTS["n_steps"]
    n_levels: int | Literal["auto"] = _DEFAULTS["n_levels"]
    n_components: int = _DEFAULTS["n_components"]
    metric: Metric = _DEFAULTS["metric"]
    solver: Literal["ascent", "em"] = _DEFAULTS["solver"]
    dof: float | Literal["auto"] = _DEFAULTS["dof"]
    repulsion: float = _DEFAULTS["repulsion"]
    ramp: tuple[float, float] = _DEFAULTS["ramp"]
    similarity_scale: float | Literal["auto"] = _DEFAULTS["similarity_scale"]
    min_neighbors: int | Literal["auto"] = _DEFAULTS["min_neighbors"]
    row_normalized: bool = _DEFAULTS["row_normalized"]
    local_scaling: float = _DEFAULTS["local_scaling"]
    tied_variances: bool = _DEFAULTS["tied_variances"]
    vote_power: float = _DEFAULTS["vote_power"]
    connect: Literal["bridge", "largest"] = _DEFAULTS["connect"]
    init: Literal["smoothed_pca", "pca", "spectral"] = _DEFAULTS["init"]
    max_iter: int = _DEFAULTS["max_iter"]
    random_state: int = _DEFAULTS["random_state"]
    method: str = DEFAULT
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for method, options in [(self.method, {}), *self.options.items()]:
            _check_method(method)
            if strange := sorted(set(options) - set(METHODS[method].defaults)):
                raise ValueError(f'No parameters of "{method}": {", ".join(strange)}.')

    @property
    def preparation(self) -> Preparation:
        """What is done to the features before the map is made."""
        return Preparation(**{part.name: getattr(self, part.name) for part in fields(Preparation)})

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

    def choose_among(self, names: Sequence[str], before: Sequence[str] = (), n_cells: int = 0) -> None:
        """Choose features from those that there are now: those chosen that are still there.

        All of them are chosen where all were before, or where none of those chosen is there; but the pixels of cells'
        pictures, which would drown the others, and numbers of cells, images and places, which measure nothing, and
        coordinates on a map, only where there is nothing else. Where there are none, what was chosen is remembered.

        More than 500 features, such as genes, are mapped by ``X_pca`` where the AnnData has it, else by 50 principal
        components, if there are 100 cells or more: ``n_pca`` is set when all of them are chosen here, and set back when
        few follow. Of several sets of features (see :func:`~latentmap.table.feature_sets.feature_sets`) the table's own
        columns are chosen otherwise.

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
        >>> parameters = Parameters(features=("area", "DNA"))
        >>> parameters.choose_among(("DNA", "actin"), before=("area", "DNA", "actin"))
        >>> parameters.features
        ('DNA',)
        >>> parameters = Parameters()
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
        >>> parameters = Parameters()
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
        """Use principal components where there come to be many features, and features where there come to be few."""
        are_many = n_features > MANY_FEATURES and n_cells >= 2 * N_COMPONENTS
        if are_many and n_before <= MANY_FEATURES and self.n_pca == 0:
            self.n_pca = N_COMPONENTS
        elif not are_many and n_before > MANY_FEATURES and self.n_pca == N_COMPONENTS:
            self.n_pca = 0

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
