"""One window of napari's for many tests: to open one takes longer than most of them."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any
from unittest.mock import patch

import numpy as np
from app_model import Application
from napari import Viewer
from napari._app_model._app import NapariApplication, _napari_names
from napari._qt._qapp_model.qactions import init_qactions
from napari._qt.qt_viewer import QtViewer
from napari.plugins import _initialize_plugins
from napari.settings import get_settings
from napari.utils.events import EmitterGroup, EventedDictNamespace, EventedModel
from napari.utils.progress import progress
from pytestqt.exceptions import TimeoutError as LateError
from qtpy.compat import isalive
from qtpy.QtCore import QEvent
from qtpy.QtWidgets import QApplication, QDockWidget, QWidget
from vispy.scene import Line

from latentmap.napari_plugin.panel.panel import MapPanel

SIZE = (1200, 700)
"""The window's size, in pixels."""

_WIDTH = 330
_APP = "latentmap tests"
# Of napari's models: what is checked elsewhere, and what the window's size, the layers and the screen's mouse decide.
_MOUSE = [f"mouse_{what}_callbacks" for what in ("move", "wheel", "drag", "double_click")]
_APART = ("layers", "canvas.size", "cursor.position", "mouse_over_canvas", *_MOUSE)
# Lines that the mouse has drawn lie above all layers.
_ABOVE_ALL = 1_000_000
# Milliseconds that Qt may take to lay the window out.
_LAYOUT = 2000


class SharedWindow:
    """Lends a window of napari's, and puts it back as it was at first.

    A window that cannot be put back is closed, and the next test gets another one.
    """

    def __init__(self) -> None:
        self._viewer: Any = None
        self._app: Application | None = None
        usual = NapariApplication.get_app_model
        self._patches = (
            patch.object(NapariApplication, "get_app_model", staticmethod(lambda: self._app or usual())),
            # As in napari's own fixture: no thread finds out what the status bar says of the mouse.
            patch("napari._qt.threads.status_checker.StatusChecker.start", lambda *_: None),
        )
        for one in self._patches:
            one.start()

    def lend(self, qtbot: Any) -> Any:
        """Return the viewer."""
        if self._viewer is None:
            self._open(qtbot)
        return self._viewer

    def put_back(self, qtbot: Any) -> dict[str, tuple[Any, Any]]:
        """Take away what a test has left; return what latentmap should have taken away itself, as it was and is."""
        self._clear()
        left = _differences(self._hooks, hooks(self._viewer))
        self._viewer.window._qt_window.restoreState(self._layout)
        self._viewer.window.resize(*SIZE)
        with suppress(LateError):
            qtbot.wait_until(lambda: self.changed() == {}, timeout=_LAYOUT)
        if changed := self.changed():
            warnings.warn(f"The window could not be put back, and is closed: {changed}", stacklevel=2)
        if left or changed:
            self.close()
        return left

    def changed(self) -> dict[str, tuple[Any, Any]]:
        """What of the window is not as it was at first: as it was, and as it is."""
        now = {name: value for name, (_, _, value) in parts(self._viewer).items()}
        first = {name: value for name, (_, _, value) in self._parts.items()}
        return _differences(first, now) | _differences(self._places, places(self._viewer))

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._viewer is not None:
            with patch.object(self._viewer.window._qt_window, "_save_current_window_settings"):
                self._viewer.close()
            QtViewer._instances.clear()
            self._viewer = self._parts = self._hooks = None
            delete_now()
            Application.destroy(_APP)
            self._app = None

    def leave(self) -> None:
        """Close the window, and have napari as it was."""
        self.close()
        for one in self._patches:
            one.stop()

    def _open(self, qtbot: Any) -> None:
        get_settings().reset()
        self._app = NapariApplication(_APP)
        self._app.injection_store.namespace = _napari_names
        for once in (_initialize_plugins, init_qactions):
            once.cache_clear()
        with patch.object(NapariApplication, "get_app_model", return_value=self._app):
            viewer = Viewer(show=True, show_welcome_screen=False)
        # Each of the thousands of events in a test would be shown to Python, for the sake of a hidden menu bar.
        QApplication.instance().removeEventFilter(viewer.window._qt_window)
        # What there is of these, napari's own fixture takes for a leak.
        QtViewer._instances.clear()
        viewer.window.resize(*SIZE)
        # Each kind of layer has controls of another width, which the docks keep.
        for dock in (viewer.window._qt_viewer.dockLayerControls, viewer.window._qt_viewer.dockLayerList):
            dock.setFixedWidth(_WIDTH)
        qtbot.wait_until(viewer.window._qt_window.windowHandle().isExposed)
        self._viewer, self._parts, self._hooks = viewer, parts(viewer), hooks(viewer)
        # What napari makes for the first of such layers, it keeps.
        viewer.add_image(np.zeros((3, 3, 3)))
        viewer.add_labels(np.zeros((3, 3, 3), dtype=int))
        viewer.add_points(np.zeros((3, 3)))
        viewer.dims.ndisplay = 3
        # What shows that a file is being opened makes the status bar higher for good.
        with progress(total=1):
            qtbot.wait(100)
        self._places = places(viewer)
        self._clear()
        before = None
        while before != places(viewer):
            before = places(viewer)
            qtbot.wait(100)
        self._places, self._layout = before, viewer.window._qt_window.saveState()

    def _clear(self) -> None:
        """Take all away, and give napari's models the values that they had at first."""
        viewer = self._viewer
        viewer.dims.ndisplay = 2
        viewer.layers.clear()
        self._close_docks()
        for name, (model, part, value) in parts(viewer).items():
            if repr(value) != repr(self._parts[name][2]):
                setattr(model, part, self._parts[name][2])
        viewer.scene.camera._cached_2d_state = viewer.scene.camera._cached_3d_state = None

    def _close_docks(self) -> None:
        """Delete the panel first, as it closes docks of its own."""
        window = self._viewer.window
        for kind in (MapPanel, QWidget):
            docks = [
                dock
                for dock in window._qt_window.findChildren(QDockWidget)
                if dock.objectName() not in self._places and isinstance(dock.widget(), kind)
            ]
            # Within their docks: what is taken out, Qt dresses anew. Also the panel that stays with its closed dock.
            for widget in (*(dock.widget() for dock in docks), *window._qt_window.findChildren(MapPanel)):
                widget.deleteLater()
            delete_now()
            for dock in filter(isalive, docks):
                window.remove_dock_widget(dock)
            delete_now()


def parts(model: Any, path: str = "") -> dict[str, tuple[Any, str, Any]]:
    """The values of a model of napari's and of those within it, by their paths, each with its model and name."""
    found: dict[str, tuple[Any, str, Any]] = {}
    for name in type(model).model_fields:
        value, at = getattr(model, name), f"{path}{name}"
        if isinstance(value, EventedModel):
            found |= parts(value, f"{at}.")
        elif isinstance(value, EventedDictNamespace):
            for key, one in value.items():
                found |= parts(one, f"{at}.{key}.")
        elif at not in _APART:
            found[at] = model, name, value
    return found


def places(viewer: Any) -> dict[str, Any]:
    """How large the canvas of a window is, and how wide its docks."""
    window, canvas = viewer.window._qt_window, viewer.window._qt_viewer.canvas.native
    docks = {dock.objectName(): dock for dock in window.findChildren(QDockWidget)}
    return {
        "canvas": canvas.size().toTuple(),
        **{name: dock.isVisible() and dock.width() for name, dock in docks.items()},
    }


def hooks(viewer: Any) -> dict[str, Any]:
    """What hangs on a viewer: keys, what the mouse calls, what is drawn above all, what latentmap listens to."""
    canvas = viewer.window._qt_viewer.canvas.view
    nodes = *canvas.children, *canvas.scene.children
    return {
        "keys": dict(viewer.keymap),
        **{name: list(getattr(viewer, name)) for name in _MOUSE},
        "drawn": sum(node.order >= _ABOVE_ALL and isinstance(node, Line) for node in nodes),
        "listeners": sorted(listeners(viewer)),
    }


def listeners(viewer: Any) -> Iterator[str]:
    """What of latentmap is connected to events of a viewer; what tests have connected is disconnected."""
    groups = {id(model.events): model.events for model, _, _ in parts(viewer).values()}
    for group in (viewer.layers.events, viewer.layers.selection.events, *groups.values()):
        # Overlays have signals of another kind, which nobody but napari listens to.
        for event in (group, *group.emitters.values()) if isinstance(group, EmitterGroup) else ():
            for callback in event.callbacks:
                owner = module_of(callback)
                if owner.startswith("latentmap"):
                    yield f"{owner} at {event.source!r}"
                elif owner.startswith(("test_", "conftest")):
                    event.disconnect(callback)


def module_of(callback: Callable | tuple) -> str:
    """Where what an event calls is from; nowhere if it is gone."""
    while isinstance(callback, partial):
        callback = callback.func
    if not isinstance(callback, tuple):
        return str(callback.__module__)
    owner = callback[0]()
    return "" if owner is None else type(owner).__module__


def has_passed(request: Any) -> bool:
    """Whether the test that a fixture is for was run, and passed."""
    called = getattr(request.node, "rep_call", None)
    return called is not None and called.passed


def delete_now() -> None:
    """Have Qt delete what is to be deleted, and do what it has put off."""
    for _ in range(2):
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        QApplication.processEvents()


def _differences(before: dict[str, Any], now: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    pairs = {name: (before.get(name), now.get(name)) for name in {*before, *now}}
    # Arrays are compared by how they are printed, as their equality is no single word.
    return {
        name: (one, two) for name, (one, two) in pairs.items() if (one == two) is not True and repr(one) != repr(two)
    }
