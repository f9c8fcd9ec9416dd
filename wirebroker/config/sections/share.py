"""Keys: share groups (KIP-932)."""

from __future__ import annotations

from wirebroker.config.keys import BOOLEAN, INT, MEDIUM, SHORT, inert
from wirebroker.config.values import at_least, between

KEYS = (
    inert("group.share.delivery.count.limit", INT, 5, MEDIUM, between(2, 10)),
    inert("group.share.enable", BOOLEAN, False, MEDIUM, internal=True),
    inert("group.share.heartbeat.interval.ms", INT, 5000, MEDIUM, at_least(1)),
    inert("group.share.max.groups", SHORT, 10, MEDIUM, between(1, 100)),
    inert("group.share.max.heartbeat.interval.ms", INT, 15_000, MEDIUM, at_least(1)),
    inert("group.share.max.record.lock.duration.ms", INT, 60_000, MEDIUM, between(30_000, 3_600_000)),
    inert("group.share.max.session.timeout.ms", INT, 60_000, MEDIUM, at_least(1)),
    inert("group.share.max.size", SHORT, 200, MEDIUM, between(10, 1000)),
    inert("group.share.min.heartbeat.interval.ms", INT, 5000, MEDIUM, at_least(1)),
    inert("group.share.min.record.lock.duration.ms", INT, 15_000, MEDIUM, between(1000, 30_000)),
    inert("group.share.min.session.timeout.ms", INT, 45_000, MEDIUM, at_least(1)),
    inert("group.share.partition.max.record.locks", INT, 200, MEDIUM, between(100, 10_000)),
    inert("group.share.record.lock.duration.ms", INT, 30_000, MEDIUM, between(1000, 60_000)),
    inert("group.share.session.timeout.ms", INT, 45_000, MEDIUM, at_least(1)),
)
