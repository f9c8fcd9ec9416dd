"""Keys: the broker itself: who it is, what it accepts, what topics start with."""

from __future__ import annotations

from wirebroker.config.effects import refused
from wirebroker.config.keys import BOOLEAN, CLASS, CLUSTER_WIDE, HIGH, INT, LOW, MEDIUM, STRING, inert, key
from wirebroker.config.releases import known_release
from wirebroker.config.values import at_least, between, gzip_level, one_of

# fmt: off
KEYS = (
    key("alter.config.policy.class.name", CLASS, None, LOW,
        effect=refused("no policy checks changes of settings"),
        text="Java class that may veto a change of configs."),
    key("auto.create.topics.enable", BOOLEAN, True, HIGH,
        text="Create a topic when a client first asks for it by name."),
    inert("background.threads", INT, 10, HIGH, at_least(1), CLUSTER_WIDE,
        text="Threads for housekeeping in Kafka; wirebroker has tasks instead."),
    key("broker.id", INT, -1, HIGH,
        text="The number of this broker, unique in its cluster. node.id is the newer name and must agree."),
    inert("broker.id.generation.enable", BOOLEAN, True, MEDIUM,
        text="Let a ZooKeeper cluster hand out a number to a broker that has none."),
    key("broker.rack", STRING, None, MEDIUM,
        text="Where the broker stands, so that replicas can be spread and consumers can read nearby."),
    key("compression.gzip.level", INT, -1, MEDIUM, gzip_level, CLUSTER_WIDE,
        text="How hard gzip tries, 1 to 9; -1 is gzip's own choice. Used when the broker compresses."),
    key("compression.lz4.level", INT, 9, MEDIUM, between(1, 17), CLUSTER_WIDE,
        text="How hard lz4 tries, 1 to 17. Used when the broker compresses."),
    key("compression.type", STRING, "producer", HIGH,
        one_of("uncompressed", "zstd", "lz4", "snappy", "gzip", "producer"), CLUSTER_WIDE,
        text="How batches are compressed on disk: a codec, uncompressed, or producer to keep what the producer chose."),
    key("compression.zstd.level", INT, 3, MEDIUM, between(-131_072, 22), CLUSTER_WIDE,
        text="How hard zstd tries, -131072 to 22. Used when the broker compresses."),
    key("create.topic.policy.class.name", CLASS, None, LOW,
        effect=refused("no policy checks new topics"),
        text="Java class that may veto a new topic."),
    key("delete.topic.enable", BOOLEAN, True, HIGH,
        text="Allow topics to be deleted."),
    key("fetch.max.bytes", INT, 55 << 20, MEDIUM, at_least(1024),
        text="The most bytes in one fetch response; a first batch larger than this is still sent."),
    key("max.incremental.fetch.session.cache.slots", INT, 1000, MEDIUM, at_least(0),
        text="How many clients may have an incremental fetch session."),
    key("max.request.partition.size.limit", INT, 2000, MEDIUM, at_least(1),
        text="The most partitions that one request for topic descriptions gets."),
    key("message.max.bytes", INT, 1_048_588, HIGH, at_least(0), CLUSTER_WIDE,
        text="The largest batch a producer may send, after compression. Topics: max.message.bytes."),
    key("node.id", INT, -1, HIGH,
        text="The number of this broker, unique in its cluster. The newer name of broker.id."),
    inert("num.io.threads", INT, 8, HIGH, at_least(1), CLUSTER_WIDE,
        text="Threads that serve requests in Kafka; wirebroker serves them in one event loop."),
    key("num.partitions", INT, 1, MEDIUM, at_least(1),
        text="Partitions of a topic whose creator did not say how many."),
    inert("request.timeout.ms", INT, 30_000, HIGH,
        text="How long the broker waits for an answer to a request of its own."),
    inert("reserved.broker.max.id", INT, 1000, MEDIUM, at_least(0),
        text="The largest number that an operator may give; generated ones are above."),
    key("wirebroker.as.version", STRING, None, LOW, known_release, internal=True,
        text="Serve clients only the APIs, versions and features that this release of Apache Kafka served, and "
             "describe the settings that it had, so that a client or an upgrade can be tried against it. Without it "
             "everything is served."),
)
# fmt: on
