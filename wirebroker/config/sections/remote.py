"""Keys: tiered storage (KIP-405)."""

from __future__ import annotations

from wirebroker.config.keys import BOOLEAN, CLUSTER_WIDE, DOUBLE, FOREVER, INT, LONG, LOW, MEDIUM, STRING, inert
from wirebroker.config.values import at_least, between, not_empty, positive_or_minus_one

KEYS = (
    inert("log.local.retention.bytes", LONG, -2, MEDIUM, at_least(-2), CLUSTER_WIDE),
    inert("log.local.retention.ms", LONG, -2, MEDIUM, at_least(-2), CLUSTER_WIDE),
    inert("remote.fetch.max.wait.ms", INT, 500, MEDIUM, at_least(1), CLUSTER_WIDE),
    inert("remote.list.offsets.request.timeout.ms", LONG, 30_000, MEDIUM, at_least(1), CLUSTER_WIDE, since="4.0"),
    inert("remote.log.index.file.cache.total.size.bytes", LONG, 1 << 30, LOW, at_least(1), CLUSTER_WIDE),
    inert("remote.log.manager.copier.thread.pool.size", INT, -1, MEDIUM, positive_or_minus_one),
    inert("remote.log.manager.copy.max.bytes.per.second", LONG, FOREVER, MEDIUM, at_least(1), CLUSTER_WIDE),
    inert("remote.log.manager.copy.quota.window.num", INT, 11, MEDIUM, at_least(1)),
    inert("remote.log.manager.copy.quota.window.size.seconds", INT, 1, MEDIUM, at_least(1)),
    inert("remote.log.manager.expiration.thread.pool.size", INT, -1, MEDIUM, positive_or_minus_one),
    inert("remote.log.manager.fetch.max.bytes.per.second", LONG, FOREVER, MEDIUM, at_least(1), CLUSTER_WIDE),
    inert("remote.log.manager.fetch.quota.window.num", INT, 11, MEDIUM, at_least(1)),
    inert("remote.log.manager.fetch.quota.window.size.seconds", INT, 1, MEDIUM, at_least(1)),
    inert("remote.log.manager.task.interval.ms", LONG, 30_000, LOW, at_least(1)),
    inert("remote.log.manager.task.retry.backoff.max.ms", LONG, 30_000, LOW, at_least(1), internal=True),
    inert("remote.log.manager.task.retry.backoff.ms", LONG, 500, LOW, at_least(1), internal=True),
    inert("remote.log.manager.task.retry.jitter", DOUBLE, 0.2, LOW, between(0, 0.5), internal=True),
    inert("remote.log.manager.thread.pool.size", INT, 10, MEDIUM, at_least(1)),
    inert("remote.log.metadata.custom.metadata.max.bytes", INT, 128, LOW, at_least(0)),
    inert(
        "remote.log.metadata.manager.class.name",
        STRING,
        "org.apache.kafka.server.log.remote.metadata.storage.TopicBasedRemoteLogMetadataManager",
        MEDIUM,
        not_empty,
    ),
    inert("remote.log.metadata.manager.class.path", STRING, None, MEDIUM),
    inert("remote.log.metadata.manager.impl.prefix", STRING, "rlmm.config.", MEDIUM, not_empty),
    inert("remote.log.metadata.manager.listener.name", STRING, None, MEDIUM, not_empty),
    inert("remote.log.reader.max.pending.tasks", INT, 100, MEDIUM, at_least(1)),
    inert("remote.log.reader.threads", INT, 10, MEDIUM, at_least(1)),
    inert("remote.log.storage.manager.class.name", STRING, None, MEDIUM, not_empty),
    inert("remote.log.storage.manager.class.path", STRING, None, MEDIUM),
    inert("remote.log.storage.manager.impl.prefix", STRING, "rsm.config.", MEDIUM, not_empty),
    inert("remote.log.storage.system.enable", BOOLEAN, False, MEDIUM),
)
