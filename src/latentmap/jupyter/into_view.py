"""A widget that nobody sees, and that scrolls the tab to the section that it ends."""

import anywidget
import traitlets

from latentmap.jupyter.assets import asset


class IntoView(anywidget.AnyWidget):
    """The end of a section."""

    _esm = asset("into_view.js")

    times = traitlets.Int().tag(sync=True)
    """How often the section was to be shown."""

    def show(self) -> None:
        """Scroll the tab until the section is in view or, if it is too high, its beginning."""
        self.times += 1
