"""Texts of the keys in `sections/streams.py`."""

from __future__ import annotations

TEXTS = {
    "group.streams.heartbeat.interval.ms": "How often members of a streams group report.",
    "group.streams.max.heartbeat.interval.ms": "The longest heartbeat interval that a streams group may choose.",
    "group.streams.max.session.timeout.ms": "The longest session timeout that a streams group may choose.",
    "group.streams.max.size": "The most members of a streams group.",
    "group.streams.max.standby.replicas": "The most standby replicas that a streams group may choose.",
    "group.streams.min.heartbeat.interval.ms": "The shortest heartbeat interval that a streams group may choose.",
    "group.streams.min.session.timeout.ms": "The shortest session timeout that a streams group may choose.",
    "group.streams.num.standby.replicas": "How many copies of each task's state stand by.",
    "group.streams.session.timeout.ms": "A member of a streams group that is silent for so long is gone.",
}
