"""What docs/methods.md says of each method."""

import re

from latentmap.methods import METHODS


def said(page):
    """When to use each method, by its name, as the page says it."""
    found = re.findall(r"## `([a-z-]+)`\n\nWhen to use it: (.*?)(?:\n\n|\Z)", page, flags=re.DOTALL)
    return {name: " ".join(words.split()).replace("`", "") for name, words in found}


def unsaid(page):
    """The parts of the page that methods lack, as they are to be written."""
    words = {name: method.about[0].lower() + method.about[1:] for name, method in METHODS.items()}
    found = said(page)
    return [f"## `{name}`\n\nWhen to use it: {about}" for name, about in words.items() if found.get(name) != about]
