"""Texts of the keys in `sections/quotas.py`."""

from __future__ import annotations

TEXTS = {
    "alter.log.dirs.replication.quota.window.num": "Samples to keep for moves between directories.",
    "alter.log.dirs.replication.quota.window.size.seconds": "How long such a sample is.",
    "client.quota.callback.class": "Java class that sets the quotas of clients.",
    "controller.quota.window.num": "Samples to keep for changes of topics.",
    "controller.quota.window.size.seconds": "How long such a sample is.",
    "quota.consumer.default": "Bytes per second for each consumer without a quota of its own.",
    "quota.producer.default": "Bytes per second for each producer without a quota of its own.",
    "quota.window.num": "Samples to keep for clients' quotas.",
    "quota.window.size.seconds": "How long such a sample is.",
    "replication.quota.window.num": "Samples to keep for throttled replication.",
    "replication.quota.window.size.seconds": "How long such a sample is.",
}
