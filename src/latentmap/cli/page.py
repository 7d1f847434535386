"""The page docs/command-line.md, made of the commands' own help: ``python -m latentmap.cli.page``."""

import os
from pathlib import Path

from latentmap.cli.parser import EXIT_CODES, command_parsers, make_parser

_PAGE = """\
# On the command line

`latentmap` makes maps without a window or a notebook: on a cluster, or in a pipeline. Try it on a sample:

```sh
latentmap demo tissue
latentmap measure tissue/image.ome.tif tissue/labels.tif -o cells.parquet
latentmap embed cells.parquet -o map.parquet
latentmap replay map.parquet
```

- **Images** are TIFF, OME-TIFF, PNG, JPEG, BMP, NPY or OME-Zarr. The last file is the labels image: whole numbers,
  which may be stored as floats or as the colours of a palette. For several fields, name the labels with `--labels`;
  their images are found by name. A channel has its name in the OME-TIFF, or else that of its file. Lengths are in
  micrometres if the file gives the size of a pixel.
- **Tables** are read from CSV, TSV, TXT, DAT (packed by gzip, too), Excel (.xlsx), Parquet, AnnData or the .h5 of
  10x Genomics, and written as CSV, TSV, Parquet or AnnData. If you read one AnnData and write another, everything else
  in it is kept.
- **Columns** are chosen as in the panel: all columns that measure something. `--features-from X_pca` takes an array of
  `obsm` instead, a layer such as `counts`, or with `PC` the columns `PC_1`, `PC_2` and so on. The record names it, so
  that `replay` and `transform` read it again. Every row left out is counted, with the reason.
- **Parameters** are those of the method: `latentmap methods isomap` lists those of one.
- **Nothing is lost.** An existing file is replaced only with `--force`, and an input file never. A file is written
  whole or not at all. If you press Ctrl-C during a run, no file is left.
- **Progress** goes to stderr: on a terminal a line that changes, elsewhere a line for each stage. `--json` prints the
  result as JSON on stdout.
- **Records**: each map carries its parameters, seed, versions, machine, columns and preparation. It also has the rows
  left out and why, and digests of its input and of itself. The record is inside Parquet and AnnData, and beside a CSV
  as `NAME.csv.json`. `--record FILE` writes it on its own. `replay` makes the map again and compares it bit by bit. If
  the two differ, it names the versions, the machine or the input that differ.
- {exit_codes}.

`choose` says which parameters keep the neighbourhoods of cells that were held out ([choosing](choosing.md)). No measure
says which map is best for your question. `compare` sets several side by side.

To complete commands with the Tab key, put `source <(latentmap completion bash)`, or `zsh`, into your shell's start-up
file.

Each command's help follows, as the command prints it. That of `embed` lists the parameters of the latent variable
model. `--method NAME --help` lists those of another.

```text
{whole}```

{commands}"""


def page_text() -> str:
    """Return the text of the page, with help that is 100 columns wide."""
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = "102"
    try:
        whole = make_parser().format_help()
        helps = {name: parser.format_help() for name, parser in command_parsers().items()}
    finally:
        if before is None:
            del os.environ["COLUMNS"]
        else:
            os.environ["COLUMNS"] = before
    commands = "\n".join(f"## {name}\n\n```text\n{text}```\n" for name, text in helps.items())
    exit_codes = f"{EXIT_CODES[0].upper()}{EXIT_CODES[1:]}"
    return _PAGE.format(exit_codes=exit_codes, whole=whole, commands=commands)


if __name__ == "__main__":
    Path("docs", "command-line.md").write_text(page_text(), encoding="utf-8")
