"""The part of the form for preparing the features."""

from magicgui.widgets import Label

from latentmap.display.fields import FIELDS
from latentmap.napari_plugin.panel.bound_section import BoundSection
from latentmap.napari_plugin.qt.fields import widget_of
from latentmap.napari_plugin.qt.rows import in_row, label_row
from latentmap.session import Parameters

_NAMES = ("transform", "cofactor", "scaling", "missing", "n_pca")
_NUMBER_WIDTH = 85


class PreparationSection(BoundSection):
    """Transform, scaling, missing values and principal components."""

    def __init__(self, parameters: Parameters) -> None:
        for name in _NAMES:
            setattr(self, name, widget_of(FIELDS[name]))
        self.cofactor.max_width = self.n_pca.max_width = _NUMBER_WIDTH
        self._cofactor = in_row(_label("cofactor"), self.cofactor)
        super().__init__(
            parameters,
            _NAMES,
            [
                label_row(FIELDS["transform"].label, in_row(self.transform, self._cofactor)),
                label_row(FIELDS["scaling"].label, in_row(self.scaling, _label("n_pca"), self.n_pca)),
                label_row(FIELDS["missing"].label, self.missing),
            ],
        )
        parameters.events.transform.connect(self._show_cofactor, max_args=0)
        self._show_cofactor()

    def _show_cofactor(self) -> None:
        self._cofactor.visible = self._parameters.transform == "arcsinh"


def _label(name: str) -> Label:
    return Label(value=FIELDS[name].label, tooltip=FIELDS[name].about)
