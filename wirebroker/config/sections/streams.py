"""Keys: Kafka Streams' own groups (KIP-1071)."""

from __future__ import annotations

from wirebroker.config.keys import INT, MEDIUM, UNLIMITED, inert
from wirebroker.config.values import at_least

# fmt: off
KEYS = (
    inert("group.streams.heartbeat.interval.ms", INT, 5000, MEDIUM, at_least(1), since="4.1",
        text="How often members of a streams group report."),
    inert("group.streams.max.heartbeat.interval.ms", INT, 15_000, MEDIUM, at_least(1), since="4.1",
        text="The longest heartbeat interval that a streams group may choose."),
    inert("group.streams.max.session.timeout.ms", INT, 60_000, MEDIUM, at_least(1), since="4.1",
        text="The longest session timeout that a streams group may choose."),
    inert("group.streams.max.size", INT, UNLIMITED, MEDIUM, at_least(1), since="4.1",
        text="The most members of a streams group."),
    inert("group.streams.max.standby.replicas", INT, 2, MEDIUM, at_least(0), since="4.1",
        text="The most standby replicas that a streams group may choose."),
    inert("group.streams.min.heartbeat.interval.ms", INT, 5000, MEDIUM, at_least(1), since="4.1",
        text="The shortest heartbeat interval that a streams group may choose."),
    inert("group.streams.min.session.timeout.ms", INT, 45_000, MEDIUM, at_least(1), since="4.1",
        text="The shortest session timeout that a streams group may choose."),
    inert("group.streams.num.standby.replicas", INT, 0, MEDIUM, at_least(0), since="4.1",
        text="How many copies of each task's state stand by."),
    inert("group.streams.session.timeout.ms", INT, 45_000, MEDIUM, at_least(1), since="4.1",
        text="A member of a streams group that is silent for so long is gone."),
)
# fmt: on
