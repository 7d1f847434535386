"""Counts of cells as a table with bars, and how well images are mixed as a sentence."""

from html import escape

from latentmap.session.batch_mixing import BatchMixing
from latentmap.session.counting import Counts
from latentmap.session.wording import counted

MOST_PARTS = 12
"""The most images, or other parts, that are shown; a file has all."""

# Below these ratios batches lie apart, or partly.
_APART, _PARTLY = 0.5, 0.8
# The narrowest piece of a bar, in percent.
_NARROWEST = 0.5


def counts_html(counts: Counts) -> str:
    """Return a bar for each part of the cells, and a table of counts and shares.

    Only plain tables, which Qt draws as well as a browser.
    """
    shown = range(min(len(counts.parts), MOST_PARTS))
    more = len(counts.parts) - MOST_PARTS
    note = f"<p>{counted(more, 'more part')} not shown here: save the counts.</p>" if more > 0 else ""
    bars = "".join(_bar(counts, part) for part in shown)
    heads = "".join(f"<th align='right'>&nbsp; {escape(_name(counts, part))}</th>" for part in shown)
    rows = "".join(_row(counts, group, shown) for group in range(len(counts.groups)))
    totals = "".join(f"<td align='right'>&nbsp; {counts.cells[part].sum()}</td>" for part in shown)
    head = f"<tr><td></td><th align='left'>&nbsp; {escape(counts.of)}</th>{heads}</tr>"
    total = f"<tr><td></td><td>&nbsp; <i>all</i></td>{totals}</tr>"
    return (
        f"<table width='100%' cellspacing='0' cellpadding='2'>{bars}</table>{note}"
        f"<table cellspacing='0' cellpadding='1'>{head}{rows}{total}</table>"
    )


def mixing_sentence(mixing: BatchMixing, what: str) -> str:
    """Say how well batches are mixed on a map, beside the features.

    `what` names the batches: "images".

    Examples
    --------
    >>> from latentmap.quality import Mixing
    >>> mixing_sentence(BatchMixing(Mixing(0.12, 0.6), Mixing(0.15, 0.6), 15), "images")[:64]
    "Images lie apart on the map: of each cell's 15 nearest, 12 % are"
    """
    ratio = mixing.on_map.ratio
    how = "lie apart" if ratio < _APART else "lie partly apart" if ratio < _PARTLY else "are well mixed"
    why = (
        " That can be a difference between the samples, or one in staining or measuring (a batch effect)."
        if ratio < _PARTLY
        else ""
    )
    of = "landmark" if mixing.of_landmarks else "cell"
    if mixing.of_landmarks:
        why += " On this outline each landmark counts once, whatever number of cells it stands for."
    if mixing.n_drawn is not None:
        why += f" Measured on {mixing.n_drawn} {of}s drawn at random."
    return (
        f"{what[0].upper()}{what[1:]} {how} on the map: of each {of}'s {mixing.n_neighbors} nearest, "
        f"{mixing.on_map.share:.0%} are of other {what}, by chance it would be {mixing.on_map.by_chance:.0%} "
        f"(ratio {ratio:.2f}; in the features {mixing.in_features.ratio:.2f}).{why}"
    ).replace("%", " %")


def _name(counts: Counts, part: int) -> str:
    return ", ".join(counts.parts[part]) or "all cells"


def _bar(counts: Counts, part: int) -> str:
    percents = [max(100 * share, _NARROWEST) for share in counts.shares[part] if share]
    there = [group for group in range(len(counts.groups)) if counts.cells[part, group]]
    pieces = "".join(
        f"<td width='{percent:.1f}%' bgcolor='{counts.colours[group]}' "
        f"title='{escape(counts.groups[group], quote=True)}: {counts.cells[part, group]}'>&nbsp;</td>"
        for group, percent in zip(there, percents, strict=True)
    )
    name = escape(_name(counts, part))
    total = counts.cells[part].sum()
    bar = f"<table width='100%' cellspacing='0' cellpadding='0'><tr>{pieces}</tr></table>"
    return f"<tr><td width='30%'>{name} ({total})</td><td width='70%'>{bar}</td></tr>"


def _row(counts: Counts, group: int, shown: range) -> str:
    cells = "".join(
        f"<td align='right'>&nbsp; {counts.cells[part, group]} ({counts.shares[part, group]:.0%})</td>"
        for part in shown
    ).replace("%", " %")
    swatch = f"<td bgcolor='{counts.colours[group]}' width='12'></td>"
    return f"<tr>{swatch}<td>&nbsp; {escape(counts.groups[group])}</td>{cells}</tr>"
