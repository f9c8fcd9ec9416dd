"""Keys: quota windows."""

from __future__ import annotations

from wirebroker.config.effects import refused
from wirebroker.config.keys import CLASS, FOREVER, HIGH, INT, LONG, LOW, inert, key
from wirebroker.config.values import at_least

# fmt: off
KEYS = (
    inert("alter.log.dirs.replication.quota.window.num", INT, 11, LOW, at_least(1),
        text="Samples to keep for moves between directories."),
    inert("alter.log.dirs.replication.quota.window.size.seconds", INT, 1, LOW, at_least(1),
        text="How long such a sample is."),
    key("client.quota.callback.class", CLASS, None, LOW,
        effect=refused("no client is slowed down"),
        text="Java class that sets the quotas of clients."),
    inert("controller.quota.window.num", INT, 11, LOW, at_least(1),
        text="Samples to keep for changes of topics."),
    inert("controller.quota.window.size.seconds", INT, 1, LOW, at_least(1),
        text="How long such a sample is."),
    key("quota.consumer.default", LONG, FOREVER, HIGH, at_least(1), removed_in="3.0",
        effect=refused("no client is slowed down"),
        text="Bytes per second for each consumer without a quota of its own."),
    key("quota.producer.default", LONG, FOREVER, HIGH, at_least(1), removed_in="3.0",
        effect=refused("no client is slowed down"),
        text="Bytes per second for each producer without a quota of its own."),
    inert("quota.window.num", INT, 11, LOW, at_least(1),
        text="Samples to keep for clients' quotas."),
    inert("quota.window.size.seconds", INT, 1, LOW, at_least(1),
        text="How long such a sample is."),
    inert("replication.quota.window.num", INT, 11, LOW, at_least(1),
        text="Samples to keep for throttled replication."),
    inert("replication.quota.window.size.seconds", INT, 1, LOW, at_least(1),
        text="How long such a sample is."),
)
# fmt: on
