"""Keys: replicas, leaders and the waiting rooms of requests."""

from __future__ import annotations

from wirebroker.config.keys import BOOLEAN, CLUSTER_WIDE, HIGH, INT, LONG, MEDIUM, STRING, inert, key
from wirebroker.config.values import at_least, release

KEYS = (
    inert("auto.leader.rebalance.enable", BOOLEAN, True, HIGH),
    key("default.replication.factor", INT, 1, MEDIUM),
    inert("delete.records.purgatory.purge.interval.requests", INT, 1, MEDIUM),
    inert("fetch.purgatory.purge.interval.requests", INT, 1000, MEDIUM),
    inert("inter.broker.protocol.version", STRING, "3.9-IV0", MEDIUM, release),
    inert("leader.imbalance.check.interval.seconds", LONG, 300, HIGH, at_least(1)),
    inert("leader.imbalance.per.broker.percentage", INT, 10, HIGH),
    key("min.insync.replicas", INT, 1, HIGH, at_least(1), CLUSTER_WIDE),
    key("num.replica.alter.log.dirs.threads", INT, None, HIGH),
    inert("num.replica.fetchers", INT, 1, HIGH, scope=CLUSTER_WIDE),
    inert("producer.purgatory.purge.interval.requests", INT, 1000, MEDIUM),
    inert("replica.fetch.backoff.ms", INT, 1000, MEDIUM, at_least(0)),
    inert("replica.fetch.max.bytes", INT, 1 << 20, MEDIUM, at_least(0)),
    inert("replica.fetch.min.bytes", INT, 1, HIGH),
    inert("replica.fetch.response.max.bytes", INT, 10 << 20, MEDIUM, at_least(0)),
    inert("replica.fetch.wait.max.ms", INT, 500, HIGH),
    key("replica.high.watermark.checkpoint.interval.ms", LONG, 5000, HIGH),
    inert("replica.lag.time.max.ms", LONG, 30_000, HIGH),
    inert("replica.selector.class", STRING, None, MEDIUM),
    inert("replica.socket.receive.buffer.bytes", INT, 64 << 10, HIGH),
    inert("replica.socket.timeout.ms", INT, 30_000, HIGH),
    inert("unclean.leader.election.enable", BOOLEAN, False, HIGH, scope=CLUSTER_WIDE),
    inert("unclean.leader.election.interval.ms", LONG, 300_000, MEDIUM, at_least(1), internal=True),
)
