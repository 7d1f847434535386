"""What a stranger looks for in a repository, and the recipe for conda-forge."""

import re
import tomllib

import pytest
import yaml
from packaging.requirements import Requirement


@pytest.fixture(scope="module")
def root(pytestconfig):
    return pytestconfig.rootpath


def test_the_citation_names_what_the_package_names(root):
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    cited = yaml.safe_load((root / "CITATION.cff").read_text())
    assert cited["cff-version"] == "1.2.0"
    assert cited["license"] == project["license"]
    assert cited["authors"] == project["authors"]


def test_each_form_of_an_issue_asks_something(root):
    forms = sorted((root / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
    assert [form.name for form in forms] == ["bug.yml", "config.yml", "idea.yml"]
    for form in forms[::2]:
        read = yaml.safe_load(form.read_text())
        assert read["name"]
        assert read["description"]
        assert any(part.get("validations", {}).get("required") for part in read["body"])


def test_the_recipe_needs_what_the_core_and_the_tables_need(root):
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    recipe = yaml.safe_load(re.sub(r"\$\{\{.*?\}\}", "it", (root / "recipe" / "recipe.yaml").read_text()))
    wanted = [*project["dependencies"], *project["optional-dependencies"]["table"]]
    run = {line.split()[0]: line.split()[1] for line in recipe["requirements"]["run"]}
    assert run.pop("python") == ">=it"
    assert run == {one.name: str(one.specifier) for one in map(Requirement, wanted)}


def test_pages_that_only_a_person_can_finish_are_there(root):
    for name in ("CODE_OF_CONDUCT.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE"):
        assert (root / name).stat().st_size > 500
