"""The commands behind napari's menus and behind File > Open and File > Save."""

from collections.abc import Callable, Sequence
from weakref import WeakSet

import napari
from napari.types import FullLayerData
from napari.viewer import Viewer
from qtpy.compat import isalive

from latentmap.napari_plugin.napari_private import unwrapped
from latentmap.napari_plugin.panel.panel import MapPanel

_panels: WeakSet[MapPanel] = WeakSet()


class PanelOf(MapPanel):
    """What napari calls to open the panel: returns the panel of the window, or a new one.

    napari forgets a closed panel and asks for a new one. It accepts classes only, not functions.
    """

    def __new__(cls, viewer: Viewer) -> MapPanel:  # type: ignore[misc]  # not an instance, so __init__ is not called
        """Return the panel of the viewer's window."""
        panel = next((one for one in _panels if isalive(one) and one.viewer is unwrapped(viewer)), None)
        if panel is None:
            panel = MapPanel(viewer)
            _panels.add(panel)
        return panel


def session_reader(path: str | Sequence[str]) -> Callable[[str | Sequence[str]], list[tuple[None]]] | None:
    """Return the reader of session files, as napari asks for it.

    Parameters
    ----------
    path : str or sequence of str
        The files to be opened.

    Returns
    -------
    callable or None
        `read_session`; None unless all files have the extension ``.latentmap``.

    Examples
    --------
    >>> session_reader("cells.csv") is None, session_reader("tissue.latentmap") is None
    (True, False)
    """
    paths = [path] if isinstance(path, str) else list(path)
    return read_session if paths and all(one.lower().endswith(".latentmap") for one in paths) else None


def read_session(path: str | Sequence[str]) -> list[tuple[None]]:
    """Open a session in the current window; the file is read in a thread.

    Parameters
    ----------
    path : str or sequence of str
        A single session file.

    Returns
    -------
    list of (None,)
        What tells napari that there are no layers to add: the panel adds those of the session.

    Raises
    ------
    ValueError
        If there is no window, or there are several files.
    """
    paths = [path] if isinstance(path, str) else list(path)
    if len(paths) > 1:
        raise ValueError("A window can hold only one session: open a single file.")
    panel_of(_viewer()).saving.open_session(paths[0])
    return [(None,)]


def write_session(path: str, layers: list[FullLayerData]) -> list[str]:
    """Write the session of the current window, with all its layers.

    Parameters
    ----------
    path : str
        The file to write.
    layers : list of full layer data
        Ignored: a session has all layers of the viewer.

    Returns
    -------
    list of str
        The file written.

    Raises
    ------
    ValueError
        If there is no window, or something cannot be stored.
    OSError
        If the folder is missing, read-only or full.
    """
    panel_of(_viewer()).saving.write_session(path)
    return [path]


def map_these_cells() -> None:
    """Open the panel and tick the layers that are selected in the layer list."""
    viewer = _viewer()
    panel = panel_of(viewer)
    panel.reset_choices()
    chosen = [layer for layer in panel.cells.layers.things if layer in viewer.layers.selection]
    if chosen:
        panel.cells.layers.value = chosen
    else:
        panel.tell(
            "Select a labels layer in the layer list, or a points, tracks, shapes or surface layer that has features."
        )


def ask_open_session() -> None:
    """Open the panel and ask for a session file."""
    panel_of(_viewer()).saving.open_button.native.click()


def ask_save_session() -> None:
    """Open the panel and ask where to save the session."""
    panel_of(_viewer()).saving.save_button.native.click()


def panel_of(viewer: Viewer) -> MapPanel:
    """Return the panel of a viewer, opening it if necessary."""
    panel: MapPanel
    _, panel = viewer.window.add_plugin_dock_widget("latentmap", "Map of cells")
    return panel


def _viewer() -> Viewer:
    viewer = napari.current_viewer()
    if viewer is None:
        raise ValueError("A session needs a napari window: start napari and open the file there.")
    return viewer
