"""The part of the form for what is seldom set."""

from typing import cast

from magicgui.widgets import ComboBox, Container, FloatSpinBox, SpinBox
from qtpy.QtCore import QSize
from qtpy.QtWidgets import QLayout
from superqt import QCollapsible

from latentmap.napari_plugin.panel.bound_section import BoundSection
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
        self.metric = ComboBox(
            choices=["euclidean", "manhattan", "cosine", "correlation"],
            tooltip="How it is measured how alike two cells are. Euclidean and manhattan compare the numbers, cosine "
            "and correlation the proportions between them.",
        )
        self.dof = DofField(
            "auto",
            tooltip="The degrees of freedom of a cell's place, from 0.1; auto is d, Gaussian the paper's. As they "
            "grow, the tails become lighter and the map more crowded.",
        )
        self.repulsion = FloatSpinBox(
            min=0.1,
            max=1000,
            step=1,
            tooltip="How much cells that are not alike weigh against those that are; 1 in the paper. As it grows, "
            "cells spread evenly and small neighbourhoods stay; as it falls, clusters draw together.",
        )
        self.similarity_scale = FloatSpinBox(
            min=0.05,
            max=5,
            step=0.05,
            tooltip="What the lengths between similar cells are multiplied by; 1 in the paper. As it grows, neighbours "
            "lie further apart.",
        )
        self.solver = ComboBox(
            choices=[("ascent", "ascent"), ("EM, as in the paper", "em")],
            tooltip="How the map is sought. The ascent gets further in as many iterations, EM never makes a map worse.",
        )
        self.max_iter = SpinBox(
            min=1,
            max=100_000,
            tooltip="Iterations: of an ascent exactly, of EM at most. As they grow, the map takes longer and settles "
            "further.",
        )
        self.random_state = SpinBox(
            min=0,
            max=2**31 - 1,
            step=1,
            tooltip="The same seed makes the same map. What another seed changes in a map is chance.",
        )
        self._inner = Container(
            widgets=[
                labelled("Metric", self.metric),
                labelled("Tails (dof)", self.dof),
                labelled("Repulsion", self.repulsion),
                labelled("Similarity scale", self.similarity_scale),
                labelled("Solver", self.solver),
                labelled("Iterations", self.max_iter),
                labelled("Seed", self.random_state),
            ],
            labels=False,
        )
        self._inner.margins = (0, 0, 0, 0)
        names = ("metric", "dof", "repulsion", "similarity_scale", "solver", "max_iter", "random_state")
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
