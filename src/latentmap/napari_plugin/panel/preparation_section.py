"""The part of the form that says what is done to the features before the map is made."""

from magicgui.widgets import ComboBox, FloatSpinBox, Label, SpinBox

from latentmap.napari_plugin.panel.bound_section import BoundSection
from latentmap.napari_plugin.qt.rows import beside, labelled
from latentmap.session import Parameters

_NUMBER_WIDTH = 85


class PreparationSection(BoundSection):
    """Transform, scaling, gaps and principal components.

    Parameters
    ----------
    parameters : Parameters
        What the section shows and sets.
    """

    def __init__(self, parameters: Parameters) -> None:
        self.transform = ComboBox(
            choices=[("none", "none"), ("log(1 + x)", "log1p"), ("arcsinh(x / c)", "arcsinh"), ("rank", "rank")],
            tooltip="What is done to every value first. log(1 + x) is for counts, arcsinh for intensities of "
            "cytometers; the rank keeps the order of the cells alone.",
        )
        self.cofactor = FloatSpinBox(
            min=0.01,
            max=100_000,
            step=1,
            tooltip="The cofactor of arcsinh, in the features' unit: 5 is usual for mass cytometry, 150 for "
            "fluorescence. As it grows, differences among low values matter less.",
        )
        self.scaling = ComboBox(
            choices=["standard", "robust", "none"],
            tooltip="Brings all features to one scale, so that no unit outweighs another: by mean and deviation, or, "
            "robust against outliers, by median and quartiles. With none, features of large numbers shape the map.",
        )
        self.n_pca = SpinBox(
            min=0,
            max=1000,
            tooltip="How many principal components of the features the map is made of; 0 takes the features "
            "themselves. As it grows, smaller differences have a say, and so has noise.",
        )
        self.missing = ComboBox(
            choices=[
                ("leave the cell out", "leave out"),
                ("median of all cells", "median"),
                ("mean of similar cells", "similar cells"),
            ],
            tooltip="What becomes of a cell without a number in some feature: it is left out, or gets a number there.",
        )
        self.cofactor.max_width = self.n_pca.max_width = _NUMBER_WIDTH
        self._cofactor = beside(Label(value="c", tooltip=self.cofactor.tooltip), self.cofactor)
        super().__init__(
            parameters,
            ("transform", "cofactor", "scaling", "missing", "n_pca"),
            [
                labelled("Transform", beside(self.transform, self._cofactor)),
                labelled("Scaling", beside(self.scaling, Label(value="PCA", tooltip=self.n_pca.tooltip), self.n_pca)),
                labelled("Missing values", self.missing),
            ],
        )
        parameters.events.transform.connect(self._show_cofactor, max_args=0)
        self._show_cofactor()

    def _show_cofactor(self) -> None:
        self._cofactor.visible = self._parameters.transform == "arcsinh"
