"""Texts of the keys in `sections/server.py`."""

from __future__ import annotations

TEXTS = {
    "alter.config.policy.class.name": "Java class that may veto a change of configs.",
    "auto.create.topics.enable": "Create a topic when a client first asks for it by name.",
    "background.threads": "Threads for housekeeping in Kafka; wirebroker has tasks instead.",
    "broker.id": "The number of this broker, unique in its cluster. node.id is the newer name and must agree.",
    "broker.id.generation.enable": "Let a ZooKeeper cluster hand out a number to a broker that has none.",
    "broker.rack": "Where the broker stands, so that replicas can be spread and consumers can read nearby.",
    "compression.gzip.level": "How hard gzip tries, 1 to 9; -1 is gzip's own choice. Used when the broker compresses.",
    "compression.lz4.level": "How hard lz4 tries, 1 to 17. Used when the broker compresses.",
    "compression.type": (
        "How batches are compressed on disk: a codec, uncompressed, or producer to keep what the producer chose."
    ),
    "compression.zstd.level": "How hard zstd tries, -131072 to 22. Used when the broker compresses.",
    "create.topic.policy.class.name": "Java class that may veto a new topic.",
    "delete.topic.enable": "Allow topics to be deleted.",
    "fetch.max.bytes": "The most bytes in one fetch response; a first batch larger than this is still sent.",
    "max.incremental.fetch.session.cache.slots": "How many clients may have an incremental fetch session.",
    "max.request.partition.size.limit": "The most partitions that one request for topic descriptions gets.",
    "message.max.bytes": "The largest batch a producer may send, after compression. Topics: max.message.bytes.",
    "node.id": "The number of this broker, unique in its cluster. The newer name of broker.id.",
    "num.io.threads": "Threads that serve requests in Kafka; wirebroker serves them in one event loop.",
    "num.partitions": "Partitions of a topic whose creator did not say how many.",
    "request.timeout.ms": "How long the broker waits for an answer to a request of its own.",
    "reserved.broker.max.id": "The largest number that an operator may give; generated ones are above.",
    "wirebroker.as.version": (
        "Serve clients only the APIs, versions and features that this release of Apache Kafka served, and describe the "
        "settings that it had, so that a client or an upgrade can be tried against it. Without it everything is served."
    ),
}
