"""Keys: Kafka Streams' own groups (KIP-1071)."""

from __future__ import annotations

from wirebroker.config.keys import INT, UNLIMITED, ignored_key
from wirebroker.config.values import at_least

# fmt: off
KEYS = (
    ignored_key("group.streams.heartbeat.interval.ms", INT, 5000, at_least(1), since="4.1",
        text="How often members of a streams group report."),
    ignored_key("group.streams.max.heartbeat.interval.ms", INT, 15_000, at_least(1), since="4.1",
        text="The longest heartbeat interval that a streams group may choose."),
    ignored_key("group.streams.max.session.timeout.ms", INT, 60_000, at_least(1), since="4.1",
        text="The longest session timeout that a streams group may choose."),
    ignored_key("group.streams.max.size", INT, UNLIMITED, at_least(1), since="4.1",
        text="The most members of a streams group."),
    ignored_key("group.streams.max.standby.replicas", INT, 2, at_least(0), since="4.1",
        text="The most standby replicas that a streams group may choose."),
    ignored_key("group.streams.min.heartbeat.interval.ms", INT, 5000, at_least(1), since="4.1",
        text="The shortest heartbeat interval that a streams group may choose."),
    ignored_key("group.streams.min.session.timeout.ms", INT, 45_000, at_least(1), since="4.1",
        text="The shortest session timeout that a streams group may choose."),
    ignored_key("group.streams.num.standby.replicas", INT, 0, at_least(0), since="4.1",
        text="How many copies of each task's state stand by."),
    ignored_key("group.streams.session.timeout.ms", INT, 45_000, at_least(1), since="4.1",
        text="Remove a member of a streams group that sends no heartbeat for this long."),
)
# fmt: on
