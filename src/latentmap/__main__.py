"""The command line as ``python -m latentmap``."""

import sys

from latentmap.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
