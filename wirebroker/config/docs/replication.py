"""Texts of the keys in `sections/replication.py`."""

from __future__ import annotations

TEXTS = {
    "auto.leader.rebalance.enable": "Now and then give partitions back to the first of their replicas.",
    "default.replication.factor": "Replicas of a topic whose creator did not say how many.",
    "delete.records.purgatory.purge.interval.requests": "How often Kafka tidies the room of waiting DeleteRecords.",
    "fetch.purgatory.purge.interval.requests": "How often Kafka tidies the room of waiting fetches.",
    "inter.broker.protocol.version": "The release whose protocol brokers of a ZooKeeper cluster speak to each other.",
    "leader.imbalance.check.interval.seconds": "How often to look whether leaders should be given back.",
    "leader.imbalance.per.broker.percentage": "Give leaders back when a broker lacks this many percent of its own.",
    "min.insync.replicas": "With acks=all: how many replicas must have a record before it is acknowledged.",
    "num.replica.alter.log.dirs.threads": "How many replicas move between directories at one time.",
    "num.replica.fetchers": "How many connections a follower uses to read from each leader.",
    "producer.purgatory.purge.interval.requests": "How often Kafka tidies the room of waiting produce requests.",
    "replica.fetch.backoff.ms": "How long a follower rests after a fetch that failed.",
    "replica.fetch.max.bytes": "How much a follower asks for from each partition.",
    "replica.fetch.min.bytes": "How much must be there before a leader answers a follower at once.",
    "replica.fetch.response.max.bytes": "How much a follower asks for from all partitions of a leader.",
    "replica.fetch.wait.max.ms": "How long a leader may let a follower wait for new records.",
    "replica.high.watermark.checkpoint.interval.ms": "How often the high watermarks are written down.",
    "replica.lag.time.max.ms": "A follower that has not caught up for so long leaves the in-sync replicas.",
    "replica.selector.class": "How to choose the replica that a consumer reads from.",
    "replica.socket.receive.buffer.bytes": "SO_RCVBUF of a follower's connections.",
    "replica.socket.timeout.ms": "How long a follower waits for an answer.",
    "unclean.leader.election.enable": "Let a replica that missed records become leader when no other is there.",
    "unclean.leader.election.interval.ms": "How often to look for partitions that need such a leader.",
}
