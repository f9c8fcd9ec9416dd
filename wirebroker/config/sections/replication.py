"""Keys: replicas, leaders and purgatories."""

from __future__ import annotations

from wirebroker.config.effects import IN_CLUSTER, MIN_ISR
from wirebroker.config.keys import BOOLEAN, CLUSTER_WIDE, INT, LONG, STRING, ignored_key, key
from wirebroker.config.values import at_least, inter_broker_protocol, one_of

LEADER_SELECTOR = "org.apache.kafka.common.replica.LeaderSelector"
RACK_AWARE_SELECTOR = "org.apache.kafka.common.replica.RackAwareReplicaSelector"

# fmt: off
KEYS = (
    key("auto.leader.rebalance.enable", BOOLEAN, True, effect=IN_CLUSTER,
        text="Periodically make the preferred replicas leaders again."),
    key("default.replication.factor", INT, 1,
        text="Replicas of a topic whose creator did not say how many."),
    key("delete.records.purgatory.purge.interval.requests", INT, 1,
        text="How many ended DeleteRecords requests may stay among the listeners of partitions until they are purged."),
    key("fetch.purgatory.purge.interval.requests", INT, 1000,
        text="How many completed Fetch requests may stay among the listeners of partitions until they are purged."),
    key("inter.broker.protocol.version", STRING, "3.9-IV0", inter_broker_protocol, effect=IN_CLUSTER,
        text="The release whose protocol brokers of a ZooKeeper cluster speak to each other."),
    key("leader.imbalance.check.interval.seconds", LONG, 300, at_least(1), effect=IN_CLUSTER,
        text="How often to look for partitions that their preferred replica does not lead."),
    key("leader.imbalance.per.broker.percentage", INT, 10, effect=IN_CLUSTER,
        text="Elect preferred leaders when others lead this many percent of a broker's partitions."),
    key("min.insync.replicas", INT, 1, at_least(1), CLUSTER_WIDE, effect=MIN_ISR,
        text="With acks=all: how many replicas must have a record before it is acknowledged."),
    key("num.replica.alter.log.dirs.threads", INT, None,
        text="How many replicas move between directories at one time."),
    key("num.replica.fetchers", INT, 1, scope=CLUSTER_WIDE, effect=IN_CLUSTER,
        text="How many connections a follower uses to read from each leader."),
    key("producer.purgatory.purge.interval.requests", INT, 1000,
        text="How many ended Produce requests may stay among the listeners of partitions until they are purged."),
    key("replica.fetch.backoff.ms", INT, 1000, at_least(0), effect=IN_CLUSTER,
        text="How long a follower rests after a fetch that failed."),
    key("replica.fetch.max.bytes", INT, 1 << 20, at_least(0), effect=IN_CLUSTER,
        text="How much a follower asks for from each partition."),
    key("replica.fetch.min.bytes", INT, 1, effect=IN_CLUSTER,
        text="How much must be there before a leader answers a follower at once."),
    key("replica.fetch.response.max.bytes", INT, 10 << 20, at_least(0), effect=IN_CLUSTER,
        text="How much a follower asks for from all partitions of a leader."),
    key("replica.fetch.wait.max.ms", INT, 500, effect=IN_CLUSTER,
        text="How long a leader may let a follower wait for new records."),
    key("replica.high.watermark.checkpoint.interval.ms", LONG, 5000,
        text="How often the high watermarks are written down."),
    key("replica.lag.time.max.ms", LONG, 30_000, effect=IN_CLUSTER,
        text="Remove a follower that has not caught up for this long from the in-sync replicas."),
    key("replica.selector.class", STRING, None, one_of(LEADER_SELECTOR, RACK_AWARE_SELECTOR), effect=IN_CLUSTER,
        text="How to choose the replica that a consumer reads from."),
    key("replica.socket.receive.buffer.bytes", INT, 64 << 10, effect=IN_CLUSTER,
        text="SO_RCVBUF of a follower's connections; one that the system gives anyway may grow."),
    key("replica.socket.timeout.ms", INT, 30_000, effect=IN_CLUSTER,
        text="How long a follower waits for an answer."),
    key("unclean.leader.election.enable", BOOLEAN, False, scope=CLUSTER_WIDE, effect=IN_CLUSTER,
        text="Let a replica that missed records become leader when no other is there."),
    ignored_key("unclean.leader.election.interval.ms", LONG, 300_000, at_least(1), internal=True,
        text="How often to look for partitions that need such a leader."),
)
# fmt: on
