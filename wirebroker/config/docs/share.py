"""Texts of the keys in `sections/share.py`."""

from __future__ import annotations

TEXTS = {
    "group.share.delivery.count.limit": "How often a record may be delivered to a share group.",
    "group.share.enable": "Serve share groups.",
    "group.share.heartbeat.interval.ms": "How often members of a share group report.",
    "group.share.max.groups": "The most share groups.",
    "group.share.max.heartbeat.interval.ms": "The longest heartbeat interval that a share group may choose.",
    "group.share.max.record.lock.duration.ms": "The longest lock on a record that a share group may choose.",
    "group.share.max.session.timeout.ms": "The longest session timeout that a share group may choose.",
    "group.share.max.size": "The most members of a share group.",
    "group.share.min.heartbeat.interval.ms": "The shortest heartbeat interval that a share group may choose.",
    "group.share.min.record.lock.duration.ms": "The shortest lock on a record that a share group may choose.",
    "group.share.min.session.timeout.ms": "The shortest session timeout that a share group may choose.",
    "group.share.partition.max.record.locks": "The most records of a partition that a share group may hold.",
    "group.share.record.lock.duration.ms": "How long one member holds a record before another gets it.",
    "group.share.session.timeout.ms": "A member of a share group that is silent for so long is gone.",
}
