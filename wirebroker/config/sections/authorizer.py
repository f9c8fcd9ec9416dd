"""Keys of Kafka's own authorizers; the broker hands them on, and DescribeConfigs does not know them."""

from __future__ import annotations

from wirebroker.config.effects import refused
from wirebroker.config.keys import BOOLEAN, STRING, key

# fmt: off
KEYS = (
    key("allow.everyone.if.no.acl.found", BOOLEAN, False,
        effect=refused("there are no ACLs, and every client may read, write and delete everything"),
        text="Allow every client to use resources without ACLs."),
    key("super.users", STRING, "",
        effect=refused("there are no ACLs, and every client may read, write and delete everything"),
        text="Principals that may do everything, User:name with semicolons between."),
)
# fmt: on
