"""The browser's scripts by themselves: their types, their style, their logic, and the bundles made from them."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "js"
STATIC = ROOT / "src" / "latentmap" / "jupyter" / "static"


@pytest.fixture(scope="session")
def npm():
    """A function that runs a script of js/package.json; without Node.js the test is skipped."""
    path = shutil.which("npm")
    if path is None:
        pytest.skip("no Node.js here")
    if not (FOLDER / "node_modules").is_dir():
        pytest.skip("no tools of js/package-lock.json here: cd js && npm install --ignore-scripts --no-save")

    def run(*arguments):
        ended = subprocess.run(
            [path, "run", "--silent", *arguments],
            cwd=FOLDER,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert ended.returncode == 0, ended.stdout
        return ended.stdout

    return run


@pytest.mark.parametrize("check", ["types", "lint", "test"])
def test_the_scripts_pass(check, npm):
    npm(check)


def test_the_bundles_are_made_from_the_scripts_of_now(npm, tmp_path):
    npm("build", "--", str(tmp_path))
    made = {file.name: file.read_text(encoding="utf-8") for file in tmp_path.iterdir()}
    kept = {file.name: file.read_text(encoding="utf-8") for file in STATIC.glob("*.js")}
    assert made.keys() == kept.keys()
    stale = [name for name, text in made.items() if kept[name] != text]
    assert stale == [], "cd js && npm run build"


def test_the_script_of_the_page_cannot_end_it():
    script = (STATIC / "html_export.js").read_text(encoding="utf-8").lower()
    assert "</script" not in script
    assert "<!--" not in script
