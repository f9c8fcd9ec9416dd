"""Keys: log directories and the defaults of every log."""

from __future__ import annotations

from wirebroker.config.keys import (
    BOOLEAN,
    CLUSTER_WIDE,
    DOUBLE,
    FOREVER,
    HIGH,
    INT,
    LIST,
    LONG,
    LOW,
    MEDIUM,
    STRING,
    inert,
    key,
)
from wirebroker.config.values import at_least, between, one_of, release

KEYS = (
    inert("log.cleaner.backoff.ms", LONG, 15_000, MEDIUM, at_least(0), CLUSTER_WIDE),
    inert("log.cleaner.dedupe.buffer.size", LONG, 128 << 20, MEDIUM, scope=CLUSTER_WIDE),
    inert("log.cleaner.delete.retention.ms", LONG, 86_400_000, MEDIUM, at_least(0), CLUSTER_WIDE),
    inert("log.cleaner.enable", BOOLEAN, True, MEDIUM),
    inert("log.cleaner.io.buffer.load.factor", DOUBLE, 0.9, MEDIUM, scope=CLUSTER_WIDE),
    inert("log.cleaner.io.buffer.size", INT, 512 << 10, MEDIUM, at_least(0), CLUSTER_WIDE),
    inert("log.cleaner.io.max.bytes.per.second", DOUBLE, 1.7976931348623157e308, MEDIUM, scope=CLUSTER_WIDE),
    inert("log.cleaner.max.compaction.lag.ms", LONG, FOREVER, MEDIUM, at_least(1), CLUSTER_WIDE),
    inert("log.cleaner.min.cleanable.ratio", DOUBLE, 0.5, MEDIUM, between(0, 1), CLUSTER_WIDE),
    inert("log.cleaner.min.compaction.lag.ms", LONG, 0, MEDIUM, at_least(0), CLUSTER_WIDE),
    inert("log.cleaner.threads", INT, 1, MEDIUM, at_least(0), CLUSTER_WIDE),
    key("log.cleanup.policy", LIST, ("delete",), MEDIUM, one_of("compact", "delete"), CLUSTER_WIDE),
    key("log.dir", STRING, "/tmp/kafka-logs", HIGH),
    inert("log.dir.failure.timeout.ms", LONG, 30_000, LOW, at_least(1)),
    key("log.dirs", STRING, None, HIGH),
    key("log.flush.interval.messages", LONG, FOREVER, HIGH, at_least(1), CLUSTER_WIDE),
    key("log.flush.interval.ms", LONG, None, HIGH, scope=CLUSTER_WIDE),
    key("log.flush.offset.checkpoint.interval.ms", INT, 60_000, HIGH, at_least(0)),
    key("log.flush.scheduler.interval.ms", LONG, FOREVER, HIGH),
    key("log.flush.start.offset.checkpoint.interval.ms", INT, 60_000, HIGH, at_least(0)),
    key("log.index.interval.bytes", INT, 4096, MEDIUM, at_least(0), CLUSTER_WIDE),
    key("log.index.size.max.bytes", INT, 10 << 20, MEDIUM, at_least(4), CLUSTER_WIDE),
    inert("log.initial.task.delay.ms", LONG, 30_000, LOW, at_least(0), internal=True),
    key("log.message.downconversion.enable", BOOLEAN, True, LOW, scope=CLUSTER_WIDE),
    key("log.message.format.version", STRING, "3.0-IV1", MEDIUM, release),
    key("log.message.timestamp.after.max.ms", LONG, FOREVER, MEDIUM, at_least(0), CLUSTER_WIDE),
    key("log.message.timestamp.before.max.ms", LONG, FOREVER, MEDIUM, at_least(0), CLUSTER_WIDE),
    key("log.message.timestamp.difference.max.ms", LONG, FOREVER, MEDIUM, at_least(0), CLUSTER_WIDE),
    key(
        "log.message.timestamp.type", STRING, "CreateTime", MEDIUM, one_of("CreateTime", "LogAppendTime"), CLUSTER_WIDE
    ),
    key("log.preallocate", BOOLEAN, False, MEDIUM, scope=CLUSTER_WIDE),
    key("log.retention.bytes", LONG, -1, HIGH, scope=CLUSTER_WIDE),
    key("log.retention.check.interval.ms", LONG, 300_000, MEDIUM, at_least(1)),
    key("log.retention.hours", INT, 168, HIGH),
    key("log.retention.minutes", INT, None, HIGH),
    key("log.retention.ms", LONG, None, HIGH, scope=CLUSTER_WIDE),
    key("log.roll.hours", INT, 168, HIGH, at_least(1)),
    key("log.roll.jitter.hours", INT, 0, HIGH, at_least(0)),
    key("log.roll.jitter.ms", LONG, None, HIGH, scope=CLUSTER_WIDE),
    key("log.roll.ms", LONG, None, HIGH, scope=CLUSTER_WIDE),
    key("log.segment.bytes", INT, 1 << 30, HIGH, at_least(14), CLUSTER_WIDE),
    key("log.segment.delete.delay.ms", LONG, 60_000, HIGH, at_least(0), CLUSTER_WIDE),
    key("num.recovery.threads.per.data.dir", INT, 1, HIGH, at_least(1), CLUSTER_WIDE),
)

SYNONYMS: dict[str, tuple[str, ...]] = {
    "log.roll.ms": ("log.roll.hours",),
    "log.roll.jitter.ms": ("log.roll.jitter.hours",),
    "log.flush.interval.ms": ("log.flush.scheduler.interval.ms",),
    "log.retention.ms": ("log.retention.minutes", "log.retention.hours"),
}
