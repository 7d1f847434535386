"""The page docs/command-line.md, made of the commands' own help: ``python -m latentmap.cli.page``."""

import os
from pathlib import Path

from latentmap.cli.parser import EXIT_CODES, command_parsers, make_parser

_PAGE = """\
# On the command line

`latentmap` does without a window what the front ends do: a cluster's job needs nothing else. With the README's example:

```sh
latentmap demo tissue
latentmap measure tissue/image.ome.tif tissue/labels.tif -o cells.parquet
latentmap embed cells.parquet -o map.parquet
latentmap replay map.parquet
```

- **Images** are TIFF, OME-TIFF, PNG, JPEG, BMP or NPY. The last one named is the labels; several fields go with
  `--labels`, and find their images by their names. Channels have the names that OME-TIFF gives them, else that of the
  file. Lengths are in micrometres if the file has the size of a pixel.
- **Tables** are CSV, TSV, TXT, Excel (.xlsx), Parquet or AnnData, and are written as all of these but TXT and Excel. A
  map that is written from one AnnData to another leaves all else in it as it is.
- **Columns** are chosen as in the front ends: all that measure something. `--features-from X_pca` takes an array of
  `obsm` instead, or a layer such as `counts`; the record names it, so that `replay` and `transform` read it again.
  Every row left out is counted, with the reason.
- **Parameters** are those of the registry of methods: `latentmap methods isomap` lists those of one.
- **Nothing is lost**: a file that is there is replaced only with `--force`, an input never, and a file is written whole
  or not at all. Ctrl-C in the midst of a run leaves no file.
- **Progress** goes to stderr: a line that changes on a terminal, else a line for each stage. `--json` prints the result
  as JSON on stdout.
- **Records**: each map carries its parameters, seed, versions, machine, columns, preparation, the rows left out and
  why, and digests of its input and of itself: inside Parquet and AnnData, beside a CSV as `NAME.csv.json`, and with
  `--record FILE` on its own. `replay` makes the map again and compares it bit by bit; if it is not the same, it names
  the versions, the machine or the input that differ.
- {exit_codes}.

`choose` says which parameters keep the neighbourhoods of cells that were held out ([choosing](choosing.md)); which map
is best for your question no measure says. `compare` sets several side by side.

Completion: `source <(latentmap completion bash)`, or `zsh`, in your shell's start-up file.

Each command's help follows, as it prints it. That of `embed` lists the parameters of the latent variable model; with
`--method NAME --help` it lists those of another.

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
