"""Keys: quota windows."""

from __future__ import annotations

from wirebroker.config.keys import CLASS, FOREVER, HIGH, INT, LONG, LOW, inert
from wirebroker.config.values import at_least

KEYS = (
    inert("alter.log.dirs.replication.quota.window.num", INT, 11, LOW, at_least(1)),
    inert("alter.log.dirs.replication.quota.window.size.seconds", INT, 1, LOW, at_least(1)),
    inert("client.quota.callback.class", CLASS, None, LOW),
    inert("controller.quota.window.num", INT, 11, LOW, at_least(1)),
    inert("controller.quota.window.size.seconds", INT, 1, LOW, at_least(1)),
    inert("quota.consumer.default", LONG, FOREVER, HIGH, at_least(1), removed_in="3.0"),
    inert("quota.producer.default", LONG, FOREVER, HIGH, at_least(1), removed_in="3.0"),
    inert("quota.window.num", INT, 11, LOW, at_least(1)),
    inert("quota.window.size.seconds", INT, 1, LOW, at_least(1)),
    inert("replication.quota.window.num", INT, 11, LOW, at_least(1)),
    inert("replication.quota.window.size.seconds", INT, 1, LOW, at_least(1)),
)
