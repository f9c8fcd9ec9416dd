"""Texts of the keys in `sections/group.py`."""

from __future__ import annotations

TEXTS = {
    "group.consumer.assignors": "Server-side assignors, the default one first (KIP-848).",
    "group.consumer.heartbeat.interval.ms": "How often members of a KIP-848 group report.",
    "group.consumer.max.heartbeat.interval.ms": "The longest heartbeat interval that a group may choose.",
    "group.consumer.max.session.timeout.ms": "The longest session timeout that a group may choose.",
    "group.consumer.max.size": "The most members of a KIP-848 group.",
    "group.consumer.migration.policy": "Whether a group may change between the classic and the newer protocol.",
    "group.consumer.min.heartbeat.interval.ms": "The shortest heartbeat interval that a group may choose.",
    "group.consumer.min.session.timeout.ms": "The shortest session timeout that a group may choose.",
    "group.consumer.regex.refresh.interval.ms": "How often patterns are compared with the topics there are.",
    "group.consumer.session.timeout.ms": "A member of a KIP-848 group that is silent for so long is gone.",
    "group.coordinator.append.linger.ms": "How long the coordinator collects records before it writes them.",
    "group.coordinator.new.enable": "Use Kafka's newer coordinator.",
    "group.coordinator.rebalance.protocols": "The group protocols that are served: classic, consumer, share.",
    "group.coordinator.threads": "Threads of Kafka's newer coordinator.",
    "group.initial.rebalance.delay.ms": "How long a new group waits for more members before its first rebalance.",
    "group.max.session.timeout.ms": "The longest session timeout that a member may ask for.",
    "group.max.size": "The most members of a group.",
    "group.min.session.timeout.ms": "The shortest session timeout that a member may ask for.",
    "offset.metadata.max.bytes": "The longest note that may be kept with a committed offset.",
    "offsets.commit.required.acks": "The acks of a commit; deprecated, leave it at -1.",
    "offsets.commit.timeout.ms": "How long a commit may wait for the replicas.",
    "offsets.load.buffer.size": "How many bytes of __consumer_offsets to read at a time when loading.",
    "offsets.retention.check.interval.ms": "How often to look for offsets that nobody needs any more.",
    "offsets.retention.minutes": "How long offsets stay after their group has gone.",
    "offsets.topic.compression.codec": "Codec of __consumer_offsets, by number; 0 is none.",
    "offsets.topic.num.partitions": "Partitions of __consumer_offsets; do not change it once the topic is there.",
    "offsets.topic.replication.factor": "Replicas of __consumer_offsets.",
    "offsets.topic.segment.bytes": "Segment size of __consumer_offsets; small, so that it loads and compacts quickly.",
}
