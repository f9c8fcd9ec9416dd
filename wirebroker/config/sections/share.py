"""Keys: share groups (KIP-932)."""

from __future__ import annotations

from wirebroker.config.keys import BOOLEAN, HIGH, INT, LIST, LOW, MEDIUM, SHORT, STRING, inert
from wirebroker.config.values import at_least, between

KEYS = (
    inert("group.share.assignors", LIST, ("simple",), MEDIUM, since="4.1"),
    inert("group.share.delivery.count.limit", INT, 5, MEDIUM, between(2, 10)),
    inert("group.share.enable", BOOLEAN, False, MEDIUM, internal=True),
    inert("group.share.heartbeat.interval.ms", INT, 5000, MEDIUM, at_least(1)),
    inert("group.share.max.groups", SHORT, 10, MEDIUM, between(1, 100)),
    inert("group.share.max.heartbeat.interval.ms", INT, 15_000, MEDIUM, at_least(1)),
    inert("group.share.max.record.lock.duration.ms", INT, 60_000, MEDIUM, between(30_000, 3_600_000)),
    inert("group.share.max.session.timeout.ms", INT, 60_000, MEDIUM, at_least(1)),
    inert("group.share.max.share.sessions", INT, 2000, MEDIUM, at_least(1), since="4.1"),
    inert("group.share.max.size", SHORT, 200, MEDIUM, between(10, 1000)),
    inert("group.share.min.heartbeat.interval.ms", INT, 5000, MEDIUM, at_least(1)),
    inert("group.share.min.record.lock.duration.ms", INT, 15_000, MEDIUM, between(1000, 30_000)),
    inert("group.share.min.session.timeout.ms", INT, 45_000, MEDIUM, at_least(1)),
    inert("group.share.partition.max.record.locks", INT, 200, MEDIUM, between(100, 10_000)),
    inert(
        "group.share.persister.class.name",
        STRING,
        "org.apache.kafka.server.share.persister.DefaultStatePersister",
        MEDIUM,
        internal=True,
        since="4.0",
    ),
    inert("group.share.record.lock.duration.ms", INT, 30_000, MEDIUM, between(1000, 60_000)),
    inert("group.share.session.timeout.ms", INT, 45_000, MEDIUM, at_least(1)),
    inert("share.coordinator.append.linger.ms", INT, 5, MEDIUM, at_least(0), since="4.0"),
    inert(
        "share.coordinator.cold.partition.snapshot.interval.ms",
        INT,
        300_000,
        LOW,
        at_least(1),
        internal=True,
        since="4.1",
    ),
    inert("share.coordinator.load.buffer.size", INT, 5 << 20, HIGH, at_least(1), since="4.0"),
    inert("share.coordinator.snapshot.update.records.per.snapshot", INT, 500, MEDIUM, at_least(0), since="4.0"),
    inert("share.coordinator.state.topic.compression.codec", INT, 0, HIGH, since="4.0"),
    inert("share.coordinator.state.topic.min.isr", SHORT, 2, HIGH, at_least(1), since="4.0"),
    inert("share.coordinator.state.topic.num.partitions", INT, 50, HIGH, at_least(1), since="4.0"),
    inert(
        "share.coordinator.state.topic.prune.interval.ms", INT, 300_000, LOW, at_least(1), internal=True, since="4.0"
    ),
    inert("share.coordinator.state.topic.replication.factor", SHORT, 3, HIGH, at_least(1), since="4.0"),
    inert("share.coordinator.state.topic.segment.bytes", INT, 100 << 20, HIGH, at_least(1), since="4.0"),
    inert("share.coordinator.threads", INT, 1, MEDIUM, at_least(1), since="4.0"),
    inert("share.coordinator.write.timeout.ms", INT, 5000, HIGH, at_least(1), since="4.0"),
    inert("share.fetch.purgatory.purge.interval.requests", INT, 1000, MEDIUM, since="4.0"),
)
