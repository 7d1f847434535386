"""The part of the form for what is seldom set."""

from typing import cast

from magicgui.widgets import Container
from qtpy.QtCore import QSize
from qtpy.QtWidgets import QLayout
from superqt import QCollapsible

from latentmap.display.fields import FIELDS
from latentmap.napari_plugin.panel.bound_section import BoundSection
from latentmap.napari_plugin.qt.fields import choice, decimal, whole
from latentmap.napari_plugin.qt.number_fields import DofField
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
        self.metric, self.solver = choice("metric"), choice("solver")
        self.dof = DofField("auto", tooltip=FIELDS["dof"].about)
        self.repulsion, self.similarity_scale = decimal("repulsion"), decimal("similarity_scale")
        self.max_iter, self.random_state = whole("max_iter"), whole("random_state")
        names = ("metric", "dof", "repulsion", "similarity_scale", "solver", "max_iter", "random_state")
        self._inner = Container(
            widgets=[labelled(FIELDS[name].label, getattr(self, name)) for name in names], labels=False
        )
        self._inner.margins = (0, 0, 0, 0)
        super().__init__(parameters, names, [])
        # Its own arrows keep the colour that they are drawn in first, which a dark theme swallows.
        self.fold = QCollapsible()
        self.fold.toggleButton().setIconSize(QSize(0, 0))
        self.fold.toggleButton().setStyleSheet("text-align: left; border: none; background: transparent;")
        for widget in (self.fold, self.fold.content()):
            cast(QLayout, widget.layout()).setContentsMargins(0, 0, 0, 0)
        self.fold.setDuration(0)
        self.fold.addWidget(self._inner.native)
        self.fold.toggled.connect(self._name_fold)
        self._name_fold(False)
        self.native.layout().addWidget(self.fold)

    def _name_fold(self, is_open: bool) -> None:
        self.fold.setText(f"{'▾' if is_open else '▸'} More")
