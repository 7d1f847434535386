"""The public address of the repository, put into the package's metadata when it is built.

The package index shows the README outside the repository, where relative links and pictures lead nowhere.
"""

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK = re.compile(r"(?P<picture>!?)(?P<before>\[[^\]]*\]\()(?![a-z]+:|#|/)(?P<path>[^)\s]+)")
_TAG = re.compile(r'(?P<before><(?:img|source|video)\b[^>]*?\bsrc=")(?![a-z]+:|/)(?P<path>[^"]+)')


def absolute(readme: str, address: str) -> str:
    """Return a README whose links and pictures lead into a repository.

    Parameters
    ----------
    readme : str
        In Markdown, with links relative to the root of the repository.
    address : str
        Of the repository; nothing changes where it is empty.

    Examples
    --------
    >>> absolute("![A map](docs/map.png) and [how](docs/how.md#map)", "https://example.org/us/it")
    '![A map](https://example.org/us/it/raw/HEAD/docs/map.png) and [how](https://example.org/us/it/blob/HEAD/docs/how.md#map)'
    """
    if not address:
        return readme

    def link(found: re.Match[str]) -> str:
        kind = "raw" if found["picture"] else "blob"
        return f"{found['picture']}{found['before']}{address}/{kind}/HEAD/{found['path']}"

    return _TAG.sub(rf"\g<before>{address}/raw/HEAD/\g<path>", _LINK.sub(link, readme))


def public_address(config: dict[str, Any]) -> str:
    """Return the address that pyproject.toml sets, or that of the repository in which GitHub builds."""
    if address := config["repository"]:
        return str(address).rstrip("/")
    server, name = os.environ.get("GITHUB_SERVER_URL"), os.environ.get("GITHUB_REPOSITORY")
    return f"{server}/{name}" if server and name else ""


class AddressHook(MetadataHookInterface):
    """Gives the metadata its links and its README."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the dynamic fields."""
        address = public_address(self.config)
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": absolute(text, address)}
        metadata["urls"] = (
            {}
            if not address
            else {
                "Source Code": address,
                "Documentation": f"{address}/tree/HEAD/docs",
                "Changelog": f"{address}/blob/HEAD/CHANGELOG.md",
                "Bug Tracker": f"{address}/issues",
                "User Support": "https://forum.image.sc/tag/napari",
            }
        )
