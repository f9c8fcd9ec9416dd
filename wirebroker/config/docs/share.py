"""Texts of the keys in `sections/share.py`."""

from __future__ import annotations

TEXTS = {
    "group.share.assignors": "How partitions are shared out in share groups; one name.",
    "group.share.delivery.count.limit": "How often a record may be delivered to a share group.",
    "group.share.enable": "Serve share groups.",
    "group.share.heartbeat.interval.ms": "How often members of a share group report.",
    "group.share.max.groups": "The most share groups.",
    "group.share.max.heartbeat.interval.ms": "The longest heartbeat interval that a share group may choose.",
    "group.share.max.record.lock.duration.ms": "The longest lock on a record that a share group may choose.",
    "group.share.max.session.timeout.ms": "The longest session timeout that a share group may choose.",
    "group.share.max.share.sessions": "The most sessions of members of share groups at one time.",
    "group.share.max.size": "The most members of a share group.",
    "group.share.min.heartbeat.interval.ms": "The shortest heartbeat interval that a share group may choose.",
    "group.share.min.record.lock.duration.ms": "The shortest lock on a record that a share group may choose.",
    "group.share.min.session.timeout.ms": "The shortest session timeout that a share group may choose.",
    "group.share.partition.max.record.locks": "The most records of a partition that a share group may hold.",
    "group.share.persister.class.name": "Java class that keeps the state of share groups.",
    "group.share.record.lock.duration.ms": "How long one member holds a record before another gets it.",
    "group.share.session.timeout.ms": "A member of a share group that is silent for so long is gone.",
    "share.coordinator.append.linger.ms": "How long writes of share groups' state are gathered into one.",
    "share.coordinator.cold.partition.snapshot.interval.ms": "How often the state of idle partitions is written anew.",
    "share.coordinator.load.buffer.size": "How many bytes of __share_group_state to read at a time when loading.",
    "share.coordinator.snapshot.update.records.per.snapshot": "How many updates there may be between two snapshots.",
    "share.coordinator.state.topic.compression.codec": "Codec of __share_group_state, by number; 0 is none.",
    "share.coordinator.state.topic.min.isr": "How many replicas of __share_group_state must be in sync for a write.",
    "share.coordinator.state.topic.num.partitions": (
        "Partitions of __share_group_state; do not change it once the topic is there."
    ),
    "share.coordinator.state.topic.prune.interval.ms": "How often to delete state that newer state has replaced.",
    "share.coordinator.state.topic.replication.factor": "Replicas of __share_group_state.",
    "share.coordinator.state.topic.segment.bytes": "Segment size of __share_group_state.",
    "share.coordinator.threads": "How many threads coordinate share groups.",
    "share.coordinator.write.timeout.ms": "How long a write of share groups' state may wait for the replicas.",
    "share.fetch.purgatory.purge.interval.requests": "Requests between two cleanings of those that wait for records.",
}
