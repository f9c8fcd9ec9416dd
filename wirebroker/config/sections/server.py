"""Keys: the broker itself: its identity, its limits, and the defaults of new topics."""

from __future__ import annotations

from wirebroker.config.effects import IN_CLUSTER, refused
from wirebroker.config.keys import BOOLEAN, CLASS, CLUSTER_WIDE, INT, STRING, ignored_key, key
from wirebroker.config.values import at_least, between, gzip_level, kafka_version, one_of

# fmt: off
KEYS = (
    key("alter.config.policy.class.name", CLASS, None,
        effect=refused("no policy checks changes of settings"),
        text="Java class that may veto a change of configs."),
    key("auto.create.topics.enable", BOOLEAN, True,
        text="Create a topic when a client first asks for it by name."),
    ignored_key("background.threads", INT, 10, at_least(1), CLUSTER_WIDE,
        text="Threads for periodic tasks in Kafka; wirebroker has tasks instead."),
    key("broker.id", INT, -1, standalone=0,
        text="The number of this broker, unique in its cluster. node.id is the newer name and must agree."),
    key("broker.id.generation.enable", BOOLEAN, True, effect=IN_CLUSTER,
        text="Let a ZooKeeper cluster hand out a number to a broker that has none."),
    key("broker.rack", STRING, None,
        text="The rack of the broker, to spread replicas and to let consumers fetch from near ones."),
    key("compression.gzip.level", INT, -1, gzip_level, CLUSTER_WIDE,
        text="The gzip level, 1 to 9; -1 is gzip's default. Used when the broker compresses."),
    key("compression.lz4.level", INT, 9, between(1, 17), CLUSTER_WIDE,
        text="The lz4 level, 1 to 17. Used when the broker compresses."),
    key("compression.type", STRING, "producer",
        one_of("uncompressed", "zstd", "lz4", "snappy", "gzip", "producer"), CLUSTER_WIDE,
        text="How batches are compressed on disk: a codec, uncompressed, or producer to keep what the producer chose."),
    key("compression.zstd.level", INT, 3, between(-131_072, 22), CLUSTER_WIDE,
        text="The zstd level, -131072 to 22. Used when the broker compresses."),
    key("create.topic.policy.class.name", CLASS, None,
        effect=refused("no policy checks new topics"),
        text="Java class that may veto a new topic."),
    key("delete.topic.enable", BOOLEAN, True,
        text="Allow topics to be deleted."),
    key("fetch.max.bytes", INT, 55 << 20, at_least(1024),
        text="The most bytes in one fetch response; a first batch larger than this is still sent."),
    key("max.incremental.fetch.session.cache.slots", INT, 1000, at_least(0),
        text="How many clients may have an incremental fetch session."),
    key("max.request.partition.size.limit", INT, 2000, at_least(1),
        text="The most partitions that one request for topic descriptions gets."),
    key("message.max.bytes", INT, 1_048_588, at_least(0), CLUSTER_WIDE,
        text="The largest batch a producer may send, after compression. Topics: max.message.bytes."),
    key("node.id", INT, -1, standalone=0,
        text="The number of this broker, unique in its cluster. The newer name of broker.id."),
    ignored_key("num.io.threads", INT, 8, at_least(1), CLUSTER_WIDE,
        text="Threads that serve requests in Kafka; wirebroker serves them in one event loop."),
    key("num.partitions", INT, 1, at_least(1),
        text="Partitions of a topic whose creator did not say how many."),
    key("request.timeout.ms", INT, 30_000, effect=IN_CLUSTER,
        text="How long the broker waits for an answer to a request of its own."),
    key("reserved.broker.max.id", INT, 1000, at_least(0), effect=IN_CLUSTER,
        text="The largest number that an operator may give; generated ones are above."),
    key("wirebroker.as.version", STRING, None, kafka_version, internal=True,
        text="Serve clients only the APIs, versions and features that this release of Apache Kafka served, and "
             "describe the settings that it had, so that a client or an upgrade can be tried against it. Without it "
             "everything is served."),
)
# fmt: on
