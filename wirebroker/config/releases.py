"""The releases of Apache Kafka whose face wirebroker can put on (`--as-version`), oldest first."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from wirebroker.config.values import ConfigError

if TYPE_CHECKING:
    from wirebroker.config.values import Value

RELEASES = (
    *("0.8.0", "0.8.1", "0.8.2", "0.9.0", "0.10.0", "0.10.1", "0.10.2", "0.11.0", "1.0", "1.1"),
    *("2.0", "2.1", "2.2", "2.3", "2.4", "2.5", "2.6", "2.7", "2.8"),
    *("3.0", "3.1", "3.2", "3.3", "3.4", "3.5", "3.6", "3.7", "3.8", "3.9"),
    *("4.0", "4.1", "4.2", "4.3"),
)

_VERSION = re.compile(r"(0\.\d+\.\d+|[1-9]\.\d+)(?:\.\d+)*", re.ASCII)

_SHORT = {"0.9": "0.9.0", "0.11": "0.11.0"}
"""What people call releases that were the only one of their kind."""


def release_of(version: str) -> str:
    """The release that *version* belongs to, `2.0` for `2.0.1`; ConfigError when we have no such face."""
    found = _VERSION.fullmatch(version.strip())
    name = found[1] if found else _SHORT.get(version.strip())
    if name not in RELEASES:
        raise ConfigError(f"{version} is no release of Apache Kafka that is known here: {', '.join(RELEASES)}")
    return name


def limits_min_isr_to_replicas(version: str | None) -> bool:
    """Whether the release of *version* asks for no more in-sync replicas than a partition has, as all do since 3.7.

    Before, acks=all to a topic whose min.insync.replicas is above its replicas is refused (KAFKA-15583).
    """
    return version is None or RELEASES.index(release_of(version)) >= RELEASES.index("3.7")


def known_release(value: Value) -> str | None:
    """the version of a release of Apache Kafka from 0.8.0 to 4.3"""
    try:
        release_of(str(value))
    except ConfigError as problem:
        return str(problem)
    return None
