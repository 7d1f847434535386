"""The labels and tooltips of the tab "Trust", and sentences on what was found."""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from latentmap.display.actions import Action
from latentmap.session import MapCheck, Result
from latentmap.session.true_neighbors import N_TRUE
from latentmap.session.wording import counted, spaced

TITLE = "Trust"
"""The title of the tab."""

ABOUT = (
    "A map bends what it shows: it must lose some neighbours, tear some groups and join others. Here you see which "
    "cells and which gaps of this map not to believe."
)
"""What the tab is for."""

TRUST: Mapping[str, Action] = MappingProxyType(
    {
        "colour": Action(
            "Colour by lost neighbours",
            "Colour each cell by the share of its nearest neighbours, by the features, that are not among its nearest "
            f"on the map: of {N_TRUE}, or of k if that is smaller. It is a fact about this map, not a probability.",
        ),
        "check": Action(
            "Check the map",
            "Map noise by the same method, and compare each cell with it: a cell is sure if its neighbours on the map "
            "agree with the data better than those of noise do. Takes about as long as the map, or less.",
        ),
        "hollow": Action("draw doubtful cells hollow", "Draw doubtful cells as rings, once the map is checked."),
        "groups": Action(
            "Groups",
            "Between which groups to look: classes, the values of a column, or clusters of the map.",
        ),
        "contacts": Action(
            "Look for torn and joined groups",
            "Find groups that touch on the map but not in the data, or in the data but not on the map.",
        ),
        "lines": Action(
            "lines to its true neighbours",
            "Pointing at a cell draws lines on the map to its nearest neighbours by the features. Long lines lead to "
            "neighbours that the map has lost.",
        ),
        "places": Action(
            "Where else could it lie?",
            "Ask the model at which other places on the map the selected cell is likely, with all other cells held.",
        ),
        "field": Action(
            "faint field on the map",
            "How likely the cell is at each spot of the map, with all other cells held: the stronger, the likelier. "
            "Escape on the map takes it away, too.",
        ),
        "leave_out": Action(
            "leave out a fifth each time",
            "Leave a different fifth of the cells out of each map: then the score also says how much a neighbourhood "
            "depends on which cells were measured.",
        ),
        "stability": Action(
            "Make 5 maps",
            "Make five maps with the same settings and other seeds, and count for each cell how many of its neighbours "
            "on one map are its neighbours on another. Takes about five times as long as the map.",
        ),
        "colour_stability": Action(
            "Colour by stability",
            "Colour each cell by the mean share of its nearest neighbours on one map that are among its nearest on "
            "another. It says what can be reproduced, not what is right.",
        ),
        "other": Action("With", "The map to compare with; cells are matched by key."),
        "seeds": Action(
            "against 3 other seeds",
            "Make three maps like the current one with other seeds, and call a cell changed only if its neighbours "
            "change more than from the current map to these.",
        ),
        "compare": Action(
            "Compare the maps", "Find the cells whose neighbours differ between the current map and that one."
        ),
        "parameter": Action("Propose", "The parameter to propose; all others stay as they are."),
        "propose": Action(
            "Compare candidates",
            "Make four maps for each of several values, of at most 5000 cells, and score them by cells held out.",
        ),
        "cancel": Action("Cancel", "Stop what is being looked for, and keep nothing of it."),
    }
)
"""What the user can press, by name."""

NO_MAP = "Make a map first: press Embed."
"""Shown instead of findings."""

MAKING = "The map is being made. When it is finished, this tab shows where not to trust it."
"""Shown instead of findings while the first run is under way."""

MOST = 0.8
"""The share of lost neighbours from which a cell is named."""

# A map of noise whose cells agree so well shows that few columns are mapped well whatever they hold.
_GOOD_BY_CHANCE = 0.75
# So few sure cells are none to speak of.
_HARDLY_ANY = 0.05


def no_map_sentence(is_running: bool) -> str:
    """Say why there is no map to ask."""
    return MAKING if is_running else NO_MAP


def lost_sentence(result: Result, dropped: np.ndarray | None = None) -> str:
    """Say how many neighbours a map has lost; cells that were dropped since do not count."""
    if result.lost_neighbors is None:
        return (
            "The lost neighbours of this map have not been counted, because its run was stopped or it has too few "
            "cells."
        )
    lost = result.lost_neighbors if dropped is None or dropped.all() else result.lost_neighbors[~dropped]
    known = lost[np.isfinite(lost)]
    if not len(known):
        return "No cell has a value for every chosen feature, so no neighbours can be found."
    said = f"Of the nearest neighbours of a cell, this map has lost {known.mean():.0%} on average."
    if result.members is not None:
        said += f" On this outline, cells are its {len(known)} landmarks alone, and so are their neighbours."
    n_out = len(lost) - len(known)
    lacks = "it lacks" if n_out == 1 else "they lack"
    return f"{said} {counted(n_out, 'cell')} left out: {lacks} a feature." if n_out else said


def most_lost_text(count: int) -> str:
    """Say how many cells have lost most of their neighbours, and what that means."""
    has, them = ("has", "it") if count == 1 else ("have", "them")
    return (
        f"{spaced(count, 'cell')} {has} lost {MOST:.0%} or more: those around {them} on the map are not those most "
        f"like {them}"
    )


def lost_and_doubtful(check: MapCheck, n_lost: int, n_both: int) -> str:
    """Say how lost neighbours and doubtful cells differ, and how many cells are both; empty if a check cannot tell."""
    if not n_lost or check.is_sure.mean() < _HARDLY_ANY:
        return ""
    is_doubtful = "is" if n_both == 1 else "are"
    return (
        "Lost neighbours are no longer near the cell. A cell is doubtful if those near it now are hardly more like it "
        f"than in a map of noise. Of {spaced(n_lost, 'cell')} that lost {MOST:.0%} or more, {spaced(n_both)} "
        f"{is_doubtful} doubtful."
    )


def check_sentence(check: MapCheck) -> str:
    """Say what a check has found, how sure that is, and where it cannot tell."""
    rate, share = f"{check.false_rate:.0%}", float(check.is_sure.mean())
    if share < _HARDLY_ANY and check.null >= _GOOD_BY_CHANCE:
        return (
            "This test cannot tell for this map. A map of noise in as many columns keeps its neighbourhoods nearly as "
            f"well (agreement {check.null:.2f}, here {check.agreement:.2f}), because there are few columns. This does "
            "not mean that the cells are misplaced: look at the lost neighbours."
        )
    if share < _HARDLY_ANY:
        return (
            "Hardly any cell agrees with the data better than chance: this map shows little more than a map of noise "
            f"would (agreement {check.agreement:.2f}, of noise {check.null:.2f})."
        )
    said = (
        f"At most {rate} of the sure cells are expected to agree this well by chance. A doubtful cell is not shown to "
        "be right, but need not be wrong."
    )
    if check.null >= _GOOD_BY_CHANCE:
        said += (
            f" Noise in so few columns is mapped nearly as well (agreement {check.null:.2f}, this map "
            f"{check.agreement:.2f}), so many well-placed cells are called doubtful."
        )
    return said
