"""The part of the form for what is seldom set of the latent variable model."""

from magicgui.widgets import Container

from latentmap.display.fields import FIELDS
from latentmap.display.methods import METHODS
from latentmap.napari_plugin.panel.bound_section import BoundSection
from latentmap.napari_plugin.qt.fields import widget_of
from latentmap.napari_plugin.qt.fold import Fold
from latentmap.napari_plugin.qt.rows import labelled
from latentmap.session import Parameters


class MoreSection(BoundSection):
    """Metric, degrees of freedom, repulsion, similarity scale, solver, iterations and seed, folded away.

    Parameters
    ----------
    parameters : Parameters
        What the section shows and sets.
    """

    def __init__(self, parameters: Parameters) -> None:
        names = [name for name, field in METHODS["lvm"].fields.items() if field.is_seldom]
        for name in names:
            setattr(self, name, widget_of(FIELDS[name]))
        inner = Container(widgets=[labelled(FIELDS[name].label, getattr(self, name)) for name in names], labels=False)
        inner.margins = (0, 0, 0, 0)
        super().__init__(parameters, names, [])
        self.fold = Fold("More", inner)
        self.native.layout().addWidget(self.fold)
