"""The features of a cluster (KIP-584) that each release of Apache Kafka had, and their levels.

Facts: what brokers of 3.9.1, 4.1.0 and 4.3 answer to ApiVersions, and the sources of the releases between.
"""

from __future__ import annotations

from typing import Final, NamedTuple

TRANSACTION_VERSION: Final = "transaction.version"
"""The name of the feature that decides the protocol of transactions; from level 2 on each has its own epoch
(KIP-890).
"""
NEWEST_TRANSACTION_VERSION: Final = 2


class Feature(NamedTuple):
    """One feature of a cluster; level 0 means that the feature is not in use."""

    name: str
    lowest: int
    highest: int
    level: int


_KRAFT_4 = ("group.version=0-1", "kraft.version=0-1:0", "transaction.version=0-2")
_LATER = ("eligible.leader.replicas.version=0-1", "share.version=0-1", "streams.version=0-1")
FEATURES = {
    "3.3": ("metadata.version=1-7",),
    "3.4": ("metadata.version=1-8",),
    "3.5": ("metadata.version=1-11",),
    "3.6": ("metadata.version=1-14",),
    "3.7": ("metadata.version=1-19",),
    "3.8": ("metadata.version=1-20",),
    "3.9": ("metadata.version=1-21", "kraft.version=0-1:0"),
    "4.0": (*_KRAFT_4, "metadata.version=7-25", "eligible.leader.replicas.version=0-1:0"),
    "4.1": (*_KRAFT_4, "metadata.version=7-27", "eligible.leader.replicas.version=0-1", "share.version=0-1:0"),
    "4.2": (*_KRAFT_4, "metadata.version=7-29", *_LATER),
    "4.3": (*_KRAFT_4, "metadata.version=7-30", *_LATER),
}
"""Release -> its features: name, supported levels, and the finalized level where it is not the highest supported."""


def features_of(release: str) -> tuple[Feature, ...]:
    """Return the features of a cluster that *release* formatted; none before KRaft."""
    found = []
    for text in FEATURES.get(release, ()):
        name, _, levels = text.partition("=")
        span, _, finalized = levels.partition(":")
        lowest, _, highest = span.partition("-")
        found.append(Feature(name, int(lowest), int(highest), int(finalized or highest)))
    return tuple(found)
