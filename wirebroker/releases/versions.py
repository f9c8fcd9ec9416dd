"""The releases of Apache Kafka, oldest first, and the release that a version belongs to."""

from __future__ import annotations

import re

RELEASES = (
    *("0.8.0", "0.8.1", "0.8.2", "0.9.0", "0.10.0", "0.10.1", "0.10.2", "0.11.0", "1.0", "1.1"),
    *("2.0", "2.1", "2.2", "2.3", "2.4", "2.5", "2.6", "2.7", "2.8"),
    *("3.0", "3.1", "3.2", "3.3", "3.4", "3.5", "3.6", "3.7", "3.8", "3.9"),
    *("4.0", "4.1", "4.2", "4.3"),
)

_VERSION = re.compile(r"(0\.\d+\.\d+|[1-9]\.\d+)(?:\.\d+)*", re.ASCII)

_SHORT = {"0.9": "0.9.0", "0.11": "0.11.0"}
"""Common names of releases whose first two numbers had only one release."""


class UnknownRelease(ValueError):
    """A version of no release in RELEASES; the message is one line for an operator."""


def release_of(version: str) -> str:
    """Return the release that *version* belongs to, such as `2.0` for `2.0.1`.

    Raises:
        UnknownRelease: there is no such release.
    """
    found = _VERSION.fullmatch(version.strip())
    name = found[1] if found else _SHORT.get(version.strip())
    if name not in RELEASES:
        raise UnknownRelease(f"{version} is no release of Apache Kafka that is known here: {', '.join(RELEASES)}")
    return name


def is_at_least(release: str, other: str) -> bool:
    """Return whether *release* is *other* or a later one; both are of RELEASES."""
    return RELEASES.index(release) >= RELEASES.index(other)
