"""What the pages quote is what the program says and what was measured."""

import ast
import re

import pytest
from markdown_pages import ROOT, text_of

FAQ = re.findall(r'^### "(.+)"$', text_of(ROOT / "docs" / "faq.md"), re.M)


@pytest.fixture(scope="module")
def said():
    """All texts in the source; what differs from case to case is "…"."""
    texts = []
    for path in (ROOT / "src" / "latentmap").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                texts.append(node.value)
            elif isinstance(node, ast.JoinedStr):
                parts = [part.value if isinstance(part, ast.Constant) else "…" for part in node.values]
                texts.append("".join(map(str, parts)))
    return "\n".join(texts)


@pytest.mark.parametrize("sentence", FAQ)
def test_the_program_says_what_is_answered(sentence, said):
    fixed = [part.strip(' ":,') for part in sentence.split("…")]
    assert max(map(len, fixed)) >= 15
    for part in fixed:
        assert part in said, part


def test_the_readme_s_figures_are_those_of_the_benchmarks():
    readme, benchmarks = (text_of(ROOT / name).replace("**", "") for name in ("README.md", "docs/benchmarks.md"))
    ours, theirs = re.search(r"^\| \[mnist\]\(#mnist\) \| ([\d.]+) against ([\d.]+)", benchmarks, re.M).groups()
    assert f"{float(theirs) / float(ours):.1f} times as fast" in readme
    assert f"in {float(ours) + 1e-9:.1f} s on two cores" in readme
    assert f"takes {float(theirs):.1f} s" in readme.replace("\n  ", " ")
    for peer in ("umap-learn", "pacmap"):
        assert f"| recall of `latentmap` is above that of `{peer}` | 17 of 17 |" in benchmarks
    assert "17 of 17 tables" in readme
    detail = re.search(r"recall of `latentmap-detail` is at least that of the best peer \| (\d+) of 17 \|", benchmarks)
    assert f"at least equals the best of the three on {detail[1]}." in readme


def test_the_recall_beside_t_sne_is_that_of_the_benchmarks():
    row = re.search(r"^\| \[mnist\].*$", text_of(ROOT / "docs" / "benchmarks.md").replace("**", ""), re.M)[0]
    ours, theirs = row.split(" | ")[6].split(" against ")
    page = " ".join(text_of(ROOT / "docs" / "coming-from.md").split())
    assert f"it keeps {float(ours):.0%} of each row's".replace("%", " %") in page
    assert f"openTSNE keeps {float(theirs):.0%}".replace("%", " %") in page
