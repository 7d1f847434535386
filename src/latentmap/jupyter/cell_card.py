"""A card with the picture of one cell, its key, class and variance, and its features."""

import base64
import io
from collections.abc import Callable
from html import escape

import matplotlib.image
import numpy as np

from latentmap.display.cell_facts import NOTHING_KNOWN, CellFacts, cell_facts
from latentmap.jupyter import widgets as w
from latentmap.jupyter.kernel import Debounced
from latentmap.session import Session
from latentmap.table import Key

PICTURE = 72
"""The side of the picture, in CSS pixels; it has twice as many pixels, for screens of high resolution."""
SHOWN = 12
"""How many features are shown."""

_DELAY = 0.03  # seconds

# On a narrow page the values stand below the picture; the size never changes, so that the page does not jump.
_STYLE = f"""<style>
.latentmap-card {{ container-type: inline-size; line-height: 1.35; }}
.latentmap-card > div {{ display: flex; gap: 10px; height: {PICTURE + 30}px; overflow: hidden; }}
.latentmap-card .picture {{ flex: none; width: {PICTURE}px; height: {PICTURE}px; }}
.latentmap-card .head {{ flex: 0 1 auto; min-width: 90px; }}
.latentmap-card .head > *, .latentmap-card .name {{ overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }}
.latentmap-card .values {{ flex: 1; min-width: 0; columns: 2; column-gap: 14px; font-size: 12px; }}
.latentmap-card .values > * {{ display: flex; justify-content: space-between; gap: 6px; break-inside: avoid; }}
.latentmap-card .value {{ white-space: nowrap; }}
.latentmap-card .faint {{ opacity: .65; }}
.latentmap-card > .empty {{ align-items: center; justify-content: center; box-sizing: border-box; border-radius: 4px;
  border: 1px dashed color-mix(in srgb, currentColor 30%, transparent); }}
@container (max-width: 540px) {{
  .latentmap-card > div {{ flex-wrap: wrap; height: {PICTURE + 124}px; }}
  .latentmap-card > .cell {{ align-content: flex-start; }}
  .latentmap-card .head {{ flex: 1; }}
  .latentmap-card .values {{ flex: 0 0 100%; }}
}}
</style>"""
_CARD = """{style}<div class='latentmap-card'><div class='cell'><div class='picture'>{picture}</div>
<div class='head'>{head}</div><div class='values'>{values}</div></div></div>"""
_LINE = "<div class='{kind}' title='{line}'>{line}</div>"
_VALUE = """<div title='{name}'><span class='name faint'>{name}</span><span class='value'>{value}</span></div>"""
_NOTHING = f"{_STYLE}<div class='latentmap-card'><div class='empty faint'>{NOTHING_KNOWN}</div></div>"


class CellCard(w.HTML):
    """Shows one cell, always at the same size.

    Parameters
    ----------
    session : Session
    picture : callable
        Takes a cell's key and a size; returns its picture, an ndarray of uint8 of shape (size, size, 3), or None.
    """

    def __init__(self, session: Session, picture: Callable[[Key, int], np.ndarray | None]) -> None:
        super().__init__(layout=w.look(margin="6px 2px"))
        self._session, self._picture = session, picture
        self._number: int | None = None
        # The mouse may cross cells faster than they can be drawn.
        self._show_soon = Debounced(self.refresh, _DELAY)
        session.runs.changed.connect(self.refresh)
        session.classes.changed.connect(self.refresh)
        self.refresh()

    def hover(self, number: int | None) -> None:
        """Show the cell under the mouse, given by its number in the session, after a moment; None shows no cell."""
        self._number = number
        self._show_soon()

    def close(self) -> None:
        """Stop following the session."""
        self._show_soon.cancel()
        self._session.runs.changed.disconnect(self.refresh)
        self._session.classes.changed.disconnect(self.refresh)
        super().close()

    def refresh(self) -> None:
        """Show the cell with its picture and what is known of it now."""
        if self._number is None:
            self.value = _NOTHING
        else:
            key = self._session.cell_index.key(self._number)
            self.value = cell_card_html(cell_facts(self._session, key), self._picture(key, 2 * PICTURE))


def cell_card_html(known: CellFacts, picture: np.ndarray | None) -> str:
    """Return a cell's card as HTML, with its first 12 values; None leaves the space for the picture empty."""
    first, *others = (escape(line, quote=True) for line in known.headlines)
    lines = [f"<div><b>{first}</b></div>", *(_LINE.format(kind="faint", line=line) for line in others)]
    values = known.values[:SHOWN]
    return _CARD.format(
        style=_STYLE,
        picture="" if picture is None else f"<img width={PICTURE} height={PICTURE} src='{_data_url(picture)}'>",
        head="".join(lines),
        values="".join(_VALUE.format(name=escape(name, quote=True), value=escape(value)) for name, value in values),
    )


def _data_url(picture: np.ndarray) -> str:
    png = io.BytesIO()
    matplotlib.image.imsave(png, picture, format="png")
    return "data:image/png;base64," + base64.b64encode(png.getvalue()).decode()
