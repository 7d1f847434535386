"""A map in an AnnData file as `latentmap.tl` makes it: of X_pca, or of the neighbours that scanpy has found."""

import argparse
import json
from typing import Any

from latentmap.cli.talk import Talk
from latentmap.display.progress_text import ProgressText
from latentmap.methods import METHODS
from latentmap.model.data_warnings import collect_warnings
from latentmap.session import Parameters
from latentmap.session.wording import counted
from latentmap.table.files.anndata_io import save
from latentmap.table.files.formats import is_anndata
from latentmap.table.files.reading import read_anndata


def run_in_anndata(options: argparse.Namespace, parameters: Parameters, talk: Talk) -> int:
    """Make the map in the AnnData, and save all of it."""
    import latentmap.tl

    if len(options.tables) != 1 or not is_anndata(options.tables[0]) or not is_anndata(options.output):
        raise ValueError("--use-rep and --neighbors-key are for one AnnData: read one .h5ad file, and write another.")
    if options.features or options.exclude or options.features_from:
        raise ValueError(
            "--features, --features-from and --exclude choose columns of a table: leave them out with --use-rep."
        )
    if parameters.preparation != Parameters().preparation:
        raise ValueError(
            "The representation is taken as it is: leave out --transform, --scaling, --missing and --n-pca."
        )
    adata, key = read_anndata(options.tables[0]), parameters.method.replace("-", "_")
    defaults = METHODS[parameters.method].defaults
    given: dict[str, Any] = {name: value for name, value in parameters.model.items() if value != defaults[name]}
    classes = {"classes": options.classes} if options.classes else {}
    talk.progress(ProgressText(0, 0, "making the map"), "making the map")
    heard: list[str] = []
    with collect_warnings(heard):
        tool = getattr(latentmap.tl, key)
        tool(adata, use_rep=options.use_rep, neighbors_key=options.neighbors_key, **classes, **given)
    save(adata, options.output)
    record = json.loads(adata.uns[key]["record"])
    sentence = " ".join([f"{counted(adata.n_obs, 'cell')} on the map.", *record["notes"]])
    talk.say(f'{sentence}\nSaved: {options.output}, the map in obsm["X_{key}"]')
    talk.give(
        {"output": str(options.output), "n_cells": adata.n_obs, "n_left_out": 0, "sentence": sentence, "record": record}
    )
    return 0
