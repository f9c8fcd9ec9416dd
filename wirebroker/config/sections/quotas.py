"""Keys: quota windows."""

from __future__ import annotations

from wirebroker.config.effects import IN_CLUSTER, refused
from wirebroker.config.keys import CLASS, FOREVER, INT, LONG, ignored_key, key
from wirebroker.config.values import at_least

# fmt: off
KEYS = (
    ignored_key("alter.log.dirs.replication.quota.window.num", INT, 11, at_least(1),
        text="Samples to keep for moves between directories."),
    ignored_key("alter.log.dirs.replication.quota.window.size.seconds", INT, 1, at_least(1),
        text="How long such a sample is."),
    key("client.quota.callback.class", CLASS, None,
        effect=refused("no client is slowed down"),
        text="Java class that sets the quotas of clients."),
    key("controller.quota.window.num", INT, 11, at_least(1),
        text="Samples whose time a client may create and delete partitions for at once (controller_mutation_rate)."),
    key("controller.quota.window.size.seconds", INT, 1, at_least(1),
        text="How long such a sample is."),
    key("quota.consumer.default", LONG, FOREVER, at_least(1), removed_in="3.0",
        text="Bytes per second for each consumer without a quota of its own."),
    key("quota.producer.default", LONG, FOREVER, at_least(1), removed_in="3.0",
        text="Bytes per second for each producer without a quota of its own."),
    key("quota.window.num", INT, 11, at_least(1),
        text="Samples to keep for clients' quotas."),
    key("quota.window.size.seconds", INT, 1, at_least(1),
        text="How long such a sample is, and the longest throttle time of request_percentage, of which 100 is the "
        "whole event loop."),
    key("replication.quota.window.num", INT, 11, at_least(1), effect=IN_CLUSTER,
        text="Samples to keep for throttled replication."),
    key("replication.quota.window.size.seconds", INT, 1, at_least(1), effect=IN_CLUSTER,
        text="How long such a sample is."),
)
# fmt: on
