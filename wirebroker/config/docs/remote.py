"""Texts of the keys in `sections/remote.py`."""

from __future__ import annotations

TEXTS = {
    "log.local.retention.bytes": "How much of a partition stays here; -2 is as log.retention.bytes.",
    "log.local.retention.ms": "How long records stay here; -2 is as log.retention.ms.",
    "remote.fetch.max.wait.ms": "How long a fetch may wait for remote storage.",
    "remote.log.index.file.cache.total.size.bytes": "Disk space for indexes of remote segments.",
    "remote.log.manager.copier.thread.pool.size": "Threads that copy segments away; -1 is as the common pool.",
    "remote.log.manager.copy.max.bytes.per.second": "The most bytes per second to copy away.",
    "remote.log.manager.copy.quota.window.num": "Samples to keep for that quota.",
    "remote.log.manager.copy.quota.window.size.seconds": "How long a sample for that quota is.",
    "remote.log.manager.expiration.thread.pool.size": "Threads that delete remote segments; -1 is as the common pool.",
    "remote.log.manager.fetch.max.bytes.per.second": "The most bytes per second to read from remote storage.",
    "remote.log.manager.fetch.quota.window.num": "Samples to keep for that quota.",
    "remote.log.manager.fetch.quota.window.size.seconds": "How long a sample for that quota is.",
    "remote.log.manager.task.interval.ms": "How often to look for segments to copy or delete.",
    "remote.log.manager.task.retry.backoff.max.ms": "The longest rest after a failure.",
    "remote.log.manager.task.retry.backoff.ms": "The first rest after a failure.",
    "remote.log.manager.task.retry.jitter": "How much chance to add to that rest.",
    "remote.log.manager.thread.pool.size": "Threads of the common pool.",
    "remote.log.metadata.custom.metadata.max.bytes": "The most bytes a storage plugin may note about a segment.",
    "remote.log.metadata.manager.class.name": "Java class that keeps track of remote segments.",
    "remote.log.metadata.manager.class.path": "Where that class is.",
    "remote.log.metadata.manager.impl.prefix": "Prefix of the keys handed to that class.",
    "remote.log.metadata.manager.listener.name": "Listener that it uses to reach brokers.",
    "remote.log.reader.max.pending.tasks": "How many reads from remote storage may wait.",
    "remote.log.reader.threads": "Threads that read from remote storage.",
    "remote.log.storage.manager.class.name": "Java class that stores remote segments.",
    "remote.log.storage.manager.class.path": "Where that class is.",
    "remote.log.storage.manager.impl.prefix": "Prefix of the keys handed to that class.",
    "remote.log.storage.system.enable": "Use tiered storage.",
}
