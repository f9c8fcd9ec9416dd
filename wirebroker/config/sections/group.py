"""Keys: group coordination and __consumer_offsets."""

from __future__ import annotations

from wirebroker.config.keys import BOOLEAN, HIGH, INT, LIST, LONG, MEDIUM, SHORT, STRING, UNLIMITED, inert, key
from wirebroker.config.values import at_least, one_of

KEYS = (
    inert(
        "group.consumer.assignors",
        LIST,
        (
            "org.apache.kafka.coordinator.group.assignor.UniformAssignor",
            "org.apache.kafka.coordinator.group.assignor.RangeAssignor",
        ),
        MEDIUM,
    ),
    inert("group.consumer.heartbeat.interval.ms", INT, 5000, MEDIUM, at_least(1)),
    inert("group.consumer.max.heartbeat.interval.ms", INT, 15_000, MEDIUM, at_least(1)),
    inert("group.consumer.max.session.timeout.ms", INT, 60_000, MEDIUM, at_least(1)),
    inert("group.consumer.max.size", INT, UNLIMITED, MEDIUM, at_least(1)),
    inert(
        "group.consumer.migration.policy",
        STRING,
        "disabled",
        MEDIUM,
        one_of("DISABLED", "DOWNGRADE", "UPGRADE", "BIDIRECTIONAL", any_case=True),
        internal=True,
    ),
    inert("group.consumer.min.heartbeat.interval.ms", INT, 5000, MEDIUM, at_least(1)),
    inert("group.consumer.min.session.timeout.ms", INT, 45_000, MEDIUM, at_least(1)),
    inert(
        "group.consumer.regex.refresh.interval.ms", INT, 600_000, MEDIUM, at_least(10_000), internal=True, since="4.1"
    ),
    inert("group.consumer.session.timeout.ms", INT, 45_000, MEDIUM, at_least(1)),
    inert("group.coordinator.append.linger.ms", INT, 10, MEDIUM, at_least(0)),
    inert("group.coordinator.new.enable", BOOLEAN, False, MEDIUM, internal=True),
    inert(
        "group.coordinator.rebalance.protocols",
        LIST,
        ("classic",),
        MEDIUM,
        one_of("consumer", "classic", "share", "unknown"),
    ),
    inert("group.coordinator.threads", INT, 1, MEDIUM, at_least(1)),
    key("group.initial.rebalance.delay.ms", INT, 3000, MEDIUM),
    key("group.max.session.timeout.ms", INT, 1_800_000, MEDIUM),
    key("group.max.size", INT, UNLIMITED, MEDIUM, at_least(1)),
    key("group.min.session.timeout.ms", INT, 6000, MEDIUM),
    key("offset.metadata.max.bytes", INT, 4096, HIGH),
    inert("offsets.commit.required.acks", SHORT, -1, HIGH),
    inert("offsets.commit.timeout.ms", INT, 5000, HIGH, at_least(1)),
    inert("offsets.load.buffer.size", INT, 5 << 20, HIGH, at_least(1)),
    key("offsets.retention.check.interval.ms", LONG, 600_000, HIGH, at_least(1)),
    key("offsets.retention.minutes", INT, 10_080, HIGH, at_least(1)),
    inert("offsets.topic.compression.codec", INT, 0, HIGH),
    key("offsets.topic.num.partitions", INT, 50, HIGH, at_least(1)),
    key("offsets.topic.replication.factor", SHORT, 3, HIGH, at_least(1)),
    key("offsets.topic.segment.bytes", INT, 100 << 20, HIGH, at_least(1)),
)
