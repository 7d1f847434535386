"""Where the parts of the explorer stand: the panel, the maps and the image share a height that fits into the window."""

from collections.abc import Sequence

from latentmap.jupyter import widgets as w

# The arrow of ipywidgets is black, and so not to be seen in a dark theme.
_ARROW = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 18 18'%3E"
    "%3Cpath d='m5 7 4 4 4-4' fill='none' stroke='%23888' stroke-width='1.8'/%3E%3C/svg%3E"
)
# JupyterLab itself and a few lines of code take 290 pixels of a window's height. Below 780 pixels of width the parts
# stand below each other.
_STYLE = """<style>
.latentmap-explorer { container-type: inline-size; width: 100%; overflow: visible;
  --jp-widgets-dropdown-arrow: url("ARROW"); }
.latentmap-explorer .widget-box { overflow: visible; }
.latentmap-stage { height: clamp(400px, calc(100vh - 290px), 800px); gap: 6px; }
.latentmap-stage > * { min-width: 0; margin: 0; box-sizing: border-box; }
.latentmap-panel { flex: 0 0 clamp(312px, 32%, 320px); height: 100%; gap: 2px; }
.latentmap-panel > * { flex: none; }
.latentmap-panel > .widget-tab { display: flex; flex-direction: column; flex: 1 1 0; min-height: 0; margin: 0; }
.latentmap-panel > .widget-tab > .widget-tab-contents { flex: 1 1 0; min-height: 0; overflow: hidden; padding: 0; }
.latentmap-panel .latentmap-page { height: 100%; box-sizing: border-box; overflow: hidden auto; padding: 4px 6px;
  flex-wrap: nowrap; scrollbar-gutter: stable; }
.latentmap-panel .latentmap-page > * { flex: none; }
.latentmap-panel .widget-tab-contents .widget-button { height: auto !important; min-height: 26px; line-height: 1.3;
  white-space: normal; overflow-wrap: anywhere; }
.latentmap-panel .latentmap-distinctive .widget-button { padding: 2px 4px; }
.latentmap-panel > .widget-tab > .lm-TabBar { flex: none; }
.latentmap-panel > .widget-tab > .lm-TabBar .lm-TabBar-tab { flex: 1 1 auto; min-width: 0; padding: 0 5px; }
.latentmap-panel .latentmap-findings .widget-button { padding: 4px 8px; text-align: left; }
.latentmap-panel .latentmap-work { position: sticky; bottom: 0; z-index: 1;
  background: var(--jp-layout-color1, white); }
.latentmap-panel .widget-checkbox { max-width: calc(100% - 4px); }
.latentmap-views { flex: 1 1 0; height: 100%; }
.latentmap-maps { flex: 1 1 0; min-height: 0; }
.latentmap-maps > *, .latentmap-maps > .widget-vbox > .latentmap-map { min-height: 0; }
.latentmap-maps > .widget-vbox > .latentmap-map { flex: 1 1 0; margin: 0; }
.latentmap-image { flex: 1 1 0; height: 100%; }
.latentmap-below > * { flex: 1 1 400px; min-width: min(300px, 100%); }
.latentmap-status details > summary { line-height: 1.4; overflow: hidden; word-break: break-all; cursor: pointer;
  display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 1; }
.latentmap-status details[open] > summary { display: block; max-height: 9.8em; overflow: hidden auto;
  word-break: normal; overflow-wrap: anywhere; }
.latentmap-status { min-height: 22px; margin: 0 4px; }
@container (max-width: 780px) {
  .latentmap-stage { flex-wrap: wrap; height: auto; }
  .latentmap-panel { flex: 1 1 100%; height: 560px; }
  .latentmap-views, .latentmap-image { flex: 1 1 360px; min-width: min(300px, 100%); height: 560px; }
}
</style>""".replace("ARROW", _ARROW)


def stage(panel: w.VBox, maps: w.HBox, image: w.DOMWidget | None, below: Sequence[w.DOMWidget]) -> list[w.Widget]:
    """Return the parts of the explorer, from the top; each has a place that does not move with what the others show.

    Parameters
    ----------
    panel : VBox
        Of the tabs, each of whose pages scrolls within the height that is left, and what always stays in view below.
    maps : HBox
    image : DOMWidget or None
    below : sequence of DOMWidget
        What stands below, side by side if there is room.
    """
    views, (tabs, *_) = w.VBox([maps]), panel.children
    for page in tabs.children:  # each scrolls on its own
        page.add_class("latentmap-page")
    named = [(panel, "panel"), (views, "views"), (maps, "maps"), *([] if image is None else [(image, "image")])]
    for part, name in named:
        part.add_class(f"latentmap-{name}")
    top = w.HBox([panel, views, *([] if image is None else [image])])
    top.add_class("latentmap-stage")
    bottom = w.HBox(list(below), layout=w.look(flex_flow="row wrap"))
    bottom.add_class("latentmap-below")
    return [w.HTML(_STYLE, layout=w.look(display="none")), top, bottom]
