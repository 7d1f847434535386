"""The guides are plain English: short sentences, and words that a reader knows."""

import pytest
from markdown_pages import ROOT, name_of
from readability import readability, sentences_in, syllables

LEAST_EASE = 55
MOST_WORDS_PER_SENTENCE = 20
LONGEST = 40
GUIDES = [
    ROOT / "README.md",
    *(ROOT / "docs" / f"{name}.md" for name in ("start", "napari", "notebook", "command-line", "reading-a-map")),
    *(ROOT / "docs" / f"{name}.md" for name in ("faq", "coming-from", "parameters", "index")),
    *sorted((ROOT / "docs" / "tutorials").glob("*.md")),
]


@pytest.mark.parametrize("path", GUIDES, ids=name_of)
def test_guides_are_plain(path):
    found = readability(path.read_text(encoding="utf-8"))
    assert found.ease >= LEAST_EASE
    assert found.words_per_sentence <= MOST_WORDS_PER_SENTENCE
    assert [" ".join(words) for words in sentences_in(path.read_text(encoding="utf-8")) if len(words) > LONGEST] == []


@pytest.mark.parametrize(
    ("word", "n"),
    [("cell", 1), ("variance", 3), ("neighbours", 2), ("dimensionality", 6), ("napari", 3), ("ticked", 1)],
)
def test_syllables(word, n):
    assert syllables(word) == n


def test_only_prose_counts():
    code, table = "```sh\nnot this\n```", "| nor this | nor that |\n| --- | --- |\n| nor | those |"
    text = f"# A heading\n\nOne two three `code` four. Five six\nseven!\n\n{code}\n\n{table}\n"
    assert sentences_in(text) == [["One", "two", "three", "four"], ["Five", "six", "seven"]]


def test_the_score_is_flesch_s():
    """Two sentences of five words with one syllable each."""
    found = readability("The cat sat on mats. The dog sat on logs.")
    assert found.n_words == 10
    assert found.ease == pytest.approx(206.835 - 1.015 * 5 - 84.6)


def test_long_sentences_of_long_words_are_found():
    text = "The multidimensional representation " * 9 + "ends."
    assert readability(text).ease < LEAST_EASE
    assert readability(text).words_per_sentence > MOST_WORDS_PER_SENTENCE
