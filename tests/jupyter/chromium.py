"""The Chromium that the tests drive; as a script it only says by its exit status whether there is one."""

import os
import shutil
import subprocess
import sys

CANDIDATES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
ARGUMENTS = [
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # As Chromium draws by itself where there is no graphics card, and the same where there is one: WebGL by
    # SwiftShader, the page without it. Were SwiftShader to stand in for a card, it would draw each page as a whole.
    "--use-gl=angle",
    "--use-angle=swiftshader-webgl",
    "--enable-unsafe-swiftshader",
]


def find_chromium():
    """The path of a Chromium or Chrome that answers, or None. Where LATENTMAP_CHROMIUM names one, there is no other."""
    named = os.environ.get("LATENTMAP_CHROMIUM")
    paths = map(shutil.which, [named] if named else CANDIDATES)
    return next((path for path in paths if path and answers(path)), None)


def answers(path):
    # Run, not only looked up: where Chromium comes as a snap there is a stub on the PATH that starts nothing.
    return subprocess.run([path, "--version"], capture_output=True).returncode == 0


if __name__ == "__main__":
    sys.exit(find_chromium() is None)
