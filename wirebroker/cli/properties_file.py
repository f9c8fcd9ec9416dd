"""Properties files that are named on the command line."""

from __future__ import annotations

from wirebroker.config.properties import parse


def read_properties(path: str) -> dict[str, str]:
    """Return the settings of a properties file, the last value of each key.

    Raises:
        OSError: the file cannot be read.
    """
    with open(path, encoding="utf-8-sig", errors="surrogateescape") as file:
        return {each.key: each.value for each in parse(file.read())}
