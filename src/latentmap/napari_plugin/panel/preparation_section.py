"""The part of the form for preparing the features."""

from collections.abc import Sequence

from magicgui.widgets import ComboBox, Label

from latentmap.display.fields import FIELDS, harmony_choices, scale_choices
from latentmap.napari_plugin.panel.bound_section import BoundSection
from latentmap.napari_plugin.qt.fields import widget_of
from latentmap.napari_plugin.qt.number_fields import fit_number
from latentmap.napari_plugin.qt.rows import in_row, label_row
from latentmap.session import Parameters

_NAMES = ("transform", "cofactor", "scaling", "missing", "n_pca")


class PreparationSection(BoundSection):
    """Transform, scaling, missing values and principal components."""

    def __init__(self, parameters: Parameters) -> None:
        for name in _NAMES:
            setattr(self, name, widget_of(FIELDS[name]))
        for field in (self.cofactor, self.n_pca):
            fit_number(field.native)
        self._cofactor = in_row(_label("cofactor"), self.cofactor)
        self._groups: tuple[str, ...] = ()
        self.scale_within = ComboBox(choices=[("", "")], tooltip=FIELDS["scale_within"].about)
        self._within = label_row(FIELDS["scale_within"].label, self.scale_within)
        self.harmony_by = ComboBox(choices=[("", "")], tooltip=FIELDS["harmony_by"].about)
        self._batches = label_row(FIELDS["harmony_by"].label, self.harmony_by)
        super().__init__(
            parameters,
            _NAMES,
            [
                label_row(FIELDS["transform"].label, in_row(self.transform, self._cofactor)),
                label_row(FIELDS["scaling"].label, in_row(self.scaling, _label("n_pca"), self.n_pca)),
                self._within,
                self._batches,
                label_row(FIELDS["missing"].label, self.missing),
            ],
        )
        parameters.events.transform.connect(self._show_cofactor, max_args=0)
        self._show_cofactor()
        self.scale_within.changed.connect_setattr(parameters, "scale_within", maxargs=1)
        self.harmony_by.changed.connect_setattr(parameters, "harmony_by", maxargs=1)
        events = parameters.events
        for event in (events.scale_within, events.scaling, events.harmony_by, events.n_pca):
            event.connect(self._show_groups, max_args=0)
        self._show_groups()

    def offer_groups(self, groups: Sequence[str]) -> None:
        """Offer to scale the features within these groups of cells, and to correct for these batches."""
        self._groups = tuple(groups)
        self._show_groups()

    def _show_groups(self) -> None:
        for name, box, row, choices in (
            ("scale_within", self.scale_within, self._within, scale_choices(self._groups, self._parameters)),
            ("harmony_by", self.harmony_by, self._batches, harmony_choices(self._groups, self._parameters)),
        ):
            with box.changed.blocked():
                box.choices = choices or [("", "")]
                if choices:
                    box.value = getattr(self._parameters, name)
            row.visible = bool(choices)

    def _show_cofactor(self) -> None:
        self._cofactor.visible = self._parameters.transform == "arcsinh"


def _label(name: str) -> Label:
    return Label(value=FIELDS[name].label, tooltip=FIELDS[name].about)
