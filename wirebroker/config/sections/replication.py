"""Keys: replicas, leaders and the waiting rooms of requests."""

from __future__ import annotations

from wirebroker.config.effects import MIN_ISR
from wirebroker.config.keys import BOOLEAN, CLUSTER_WIDE, HIGH, INT, LONG, MEDIUM, STRING, inert, key
from wirebroker.config.values import at_least, release

# fmt: off
KEYS = (
    inert("auto.leader.rebalance.enable", BOOLEAN, True, HIGH,
        text="Now and then give partitions back to the first of their replicas."),
    key("default.replication.factor", INT, 1, MEDIUM,
        text="Replicas of a topic whose creator did not say how many."),
    inert("delete.records.purgatory.purge.interval.requests", INT, 1, MEDIUM,
        text="How often Kafka tidies the room of waiting DeleteRecords."),
    inert("fetch.purgatory.purge.interval.requests", INT, 1000, MEDIUM,
        text="How often Kafka tidies the room of waiting fetches."),
    inert("inter.broker.protocol.version", STRING, "3.9-IV0", MEDIUM, release,
        text="The release whose protocol brokers of a ZooKeeper cluster speak to each other."),
    inert("leader.imbalance.check.interval.seconds", LONG, 300, HIGH, at_least(1),
        text="How often to look whether leaders should be given back."),
    inert("leader.imbalance.per.broker.percentage", INT, 10, HIGH,
        text="Give leaders back when a broker lacks this many percent of its own."),
    key("min.insync.replicas", INT, 1, HIGH, at_least(1), CLUSTER_WIDE, effect=MIN_ISR,
        text="With acks=all: how many replicas must have a record before it is acknowledged."),
    key("num.replica.alter.log.dirs.threads", INT, None, HIGH,
        text="How many replicas move between directories at one time."),
    inert("num.replica.fetchers", INT, 1, HIGH, scope=CLUSTER_WIDE,
        text="How many connections a follower uses to read from each leader."),
    inert("producer.purgatory.purge.interval.requests", INT, 1000, MEDIUM,
        text="How often Kafka tidies the room of waiting produce requests."),
    inert("replica.fetch.backoff.ms", INT, 1000, MEDIUM, at_least(0),
        text="How long a follower rests after a fetch that failed."),
    inert("replica.fetch.max.bytes", INT, 1 << 20, MEDIUM, at_least(0),
        text="How much a follower asks for from each partition."),
    inert("replica.fetch.min.bytes", INT, 1, HIGH,
        text="How much must be there before a leader answers a follower at once."),
    inert("replica.fetch.response.max.bytes", INT, 10 << 20, MEDIUM, at_least(0),
        text="How much a follower asks for from all partitions of a leader."),
    inert("replica.fetch.wait.max.ms", INT, 500, HIGH,
        text="How long a leader may let a follower wait for new records."),
    key("replica.high.watermark.checkpoint.interval.ms", LONG, 5000, HIGH,
        text="How often the high watermarks are written down."),
    inert("replica.lag.time.max.ms", LONG, 30_000, HIGH,
        text="A follower that has not caught up for so long leaves the in-sync replicas."),
    inert("replica.selector.class", STRING, None, MEDIUM,
        text="How to choose the replica that a consumer reads from."),
    inert("replica.socket.receive.buffer.bytes", INT, 64 << 10, HIGH,
        text="SO_RCVBUF of a follower's connections."),
    inert("replica.socket.timeout.ms", INT, 30_000, HIGH,
        text="How long a follower waits for an answer."),
    inert("unclean.leader.election.enable", BOOLEAN, False, HIGH, scope=CLUSTER_WIDE,
        text="Let a replica that missed records become leader when no other is there."),
    inert("unclean.leader.election.interval.ms", LONG, 300_000, MEDIUM, at_least(1), internal=True,
        text="How often to look for partitions that need such a leader."),
)
# fmt: on
