"""Keys: the broker itself: who it is, what it accepts, what topics start with."""

from __future__ import annotations

from wirebroker.config.keys import BOOLEAN, CLASS, CLUSTER_WIDE, HIGH, INT, LOW, MEDIUM, STRING, inert, key
from wirebroker.config.releases import known_release
from wirebroker.config.values import at_least, between, gzip_level, one_of

KEYS = (
    inert("alter.config.policy.class.name", CLASS, None, LOW),
    key("auto.create.topics.enable", BOOLEAN, True, HIGH),
    inert("background.threads", INT, 10, HIGH, at_least(1), CLUSTER_WIDE),
    key("broker.id", INT, -1, HIGH),
    inert("broker.id.generation.enable", BOOLEAN, True, MEDIUM),
    key("broker.rack", STRING, None, MEDIUM),
    key("compression.gzip.level", INT, -1, MEDIUM, gzip_level, CLUSTER_WIDE),
    key("compression.lz4.level", INT, 9, MEDIUM, between(1, 17), CLUSTER_WIDE),
    key(
        "compression.type",
        STRING,
        "producer",
        HIGH,
        one_of("uncompressed", "zstd", "lz4", "snappy", "gzip", "producer"),
        CLUSTER_WIDE,
    ),
    key("compression.zstd.level", INT, 3, MEDIUM, between(-131_072, 22), CLUSTER_WIDE),
    inert("create.topic.policy.class.name", CLASS, None, LOW),
    key("delete.topic.enable", BOOLEAN, True, HIGH),
    key("fetch.max.bytes", INT, 55 << 20, MEDIUM, at_least(1024)),
    key("max.incremental.fetch.session.cache.slots", INT, 1000, MEDIUM, at_least(0)),
    key("max.request.partition.size.limit", INT, 2000, MEDIUM, at_least(1)),
    key("message.max.bytes", INT, 1_048_588, HIGH, at_least(0), CLUSTER_WIDE),
    key("node.id", INT, -1, HIGH),
    inert("num.io.threads", INT, 8, HIGH, at_least(1), CLUSTER_WIDE),
    key("num.partitions", INT, 1, MEDIUM, at_least(1)),
    inert("request.timeout.ms", INT, 30_000, HIGH),
    inert("reserved.broker.max.id", INT, 1000, MEDIUM, at_least(0)),
    key("wirebroker.as.version", STRING, None, LOW, known_release, internal=True),
)
