"""The metrics of a broker, each declared once, under the names of Kafka's MBeans.

Metrics without a domain have a whole name of Prometheus: those of the process, of the exporters that people run beside
Kafka (kafka_exporter), and wirebroker's own.  The reference in the documentation is made from ALL.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from wirebroker.metrics.metric import Kind, Metric

GAUGE, METER, HISTOGRAM, COUNTER = Kind
_TOPIC: Final = ("topic",)
_PARTITION: Final = ("topic", "partition")
_REQUEST: Final = ("request",)
_LISTENER: Final = ("listener", "networkProcessor")

_topic = partial(Metric, "kafka.server", "BrokerTopicMetrics", kind=METER, tags=_TOPIC)
_replicas = partial(Metric, "kafka.server", "ReplicaManager", kind=GAUGE)
_request = partial(Metric, "kafka.network", "RequestMetrics", kind=HISTOGRAM, tags=_REQUEST)
_fetchers = partial(Metric, "kafka.server", "ReplicaFetcherManager", kind=GAUGE, tags=("clientId",))
_fetcher = partial(Metric, "kafka.server", "FetcherStats", kind=METER, tags=("clientId", "brokerHost", "brokerPort"))
_cleaner = partial(Metric, "kafka.log", "LogCleaner", kind=GAUGE)
_log = partial(Metric, "kafka.log", "Log", kind=GAUGE, tags=_PARTITION)
_partition = partial(Metric, "kafka.cluster", "Partition", kind=GAUGE, tags=_PARTITION)
_controller = partial(Metric, "kafka.controller", "KafkaController", kind=GAUGE)
_groups = partial(Metric, "kafka.coordinator.group", "GroupMetadataManager", kind=GAUGE)
_purgatory = partial(Metric, "kafka.server", "DelayedOperationPurgatory", kind=GAUGE, tags=("delayedOperation",))
_sessions = partial(Metric, "kafka.server", "FetchSessionCache")
_zookeeper = partial(Metric, "kafka.server", "SessionExpireListener", kind=METER)
_sockets = partial(Metric, "kafka.server", "socket-server-metrics", kind=GAUGE, tags=_LISTENER)


def _plain(name: str, kind: Kind, text: str, tags: tuple[str, ...] = ()) -> Metric:
    return Metric("", name, "", kind, text, tags)


# -- topics

MESSAGES_IN = _topic(name="MessagesInPerSec", text="Records that were appended to partitions that this broker leads.")
BYTES_IN = _topic(name="BytesInPerSec", text="Bytes of the batches that were appended to partitions led here.")
BYTES_OUT = _topic(name="BytesOutPerSec", text="Bytes of records that consumers were sent.")
REPLICATION_BYTES_IN = _topic(name="ReplicationBytesInPerSec", text="Bytes of records fetched from leaders.")
REPLICATION_BYTES_OUT = _topic(name="ReplicationBytesOutPerSec", text="Bytes of records that followers were sent.")
PRODUCE_REQUESTS = _topic(name="TotalProduceRequestsPerSec", text="Partitions in Produce requests.")
FETCH_REQUESTS = _topic(name="TotalFetchRequestsPerSec", text="Partitions that were read for Fetch requests.")
FAILED_PRODUCE = _topic(
    name="FailedProduceRequestsPerSec",
    text="Appends that failed, but for missing topics, moved leaders and batches that are corrupt or too large.",
)
FAILED_FETCH = _topic(
    name="FailedFetchRequestsPerSec",
    text="Reads of records that failed, but for missing topics, moved leaders and offsets out of range.",
)
PRODUCE_CONVERSIONS = _topic(
    name="ProduceMessageConversionsPerSec", text="Messages whose format was changed when they were appended."
)
FETCH_CONVERSIONS = _topic(
    name="FetchMessageConversionsPerSec", text="Messages whose format was changed for consumers."
)
BYTES_REJECTED = _topic(name="BytesRejectedPerSec", text="Bytes of batches that were larger than max.message.bytes.")
INVALID_MAGIC = _topic(
    name="InvalidMagicNumberRecordsPerSec",
    tags=(),
    text="Records that were refused as their format is not that of the others, or of their wrapper.",
)
INVALID_CHECKSUM = _topic(
    name="InvalidMessageCrcRecordsPerSec", tags=(), text="Batches that were refused as their checksum did not match."
)
INVALID_OFFSET_OR_SEQUENCE = _topic(
    name="InvalidOffsetOrSequenceRecordsPerSec",
    tags=(),
    text="Batches that were refused for their offsets, their sequence number, or as control records.",
)
NO_KEY = _topic(
    name="NoKeyCompactedTopicRecordsPerSec",
    tags=(),
    text="Records of compacted topics that were refused as they have no key; 1,000 of a batch at most.",
)

# -- replicas

LEADER_COUNT = _replicas(name="LeaderCount", text="Partitions that this broker leads.")
PARTITION_COUNT = _replicas(name="PartitionCount", text="Partitions with a replica on this broker.")
OFFLINE_REPLICAS = _replicas(name="OfflineReplicaCount", text="Replicas in log directories that have failed.")
UNDER_REPLICATED = _replicas(name="UnderReplicatedPartitions", text="Partitions led here with a replica out of sync.")
UNDER_MIN_ISR = _replicas(
    name="UnderMinIsrPartitionCount", text="Partitions led here with fewer replicas in sync than min.insync.replicas."
)
AT_MIN_ISR = _replicas(
    name="AtMinIsrPartitionCount", text="Partitions led here with as many replicas in sync as min.insync.replicas."
)
REASSIGNING = _replicas(name="ReassigningPartitions", text="Partitions led here whose replicas are being changed.")
ISR_SHRINKS = _replicas(name="IsrShrinksPerSec", kind=METER, text="Replicas that were taken out of an ISR.")
ISR_EXPANDS = _replicas(name="IsrExpandsPerSec", kind=METER, text="Replicas that were added to an ISR.")
FAILED_ISR_UPDATES = _replicas(
    name="FailedIsrUpdatesPerSec", kind=METER, text="Changes of ISRs that the controller has refused."
)
PRODUCER_IDS = _replicas(name="ProducerIdCount", text="Producers with ids that all partitions together know.")
LATE_TRANSACTIONS = _replicas(
    name="PartitionsWithLateTransactionsCount",
    text="Partitions with a transaction that is open for longer than transaction.max.timeout.ms and five minutes.",
)

FETCHER_MAX_LAG = _fetchers(name="MaxLag", text="The most records that a partition lags behind its leader.")
FETCHER_MIN_RATE = _fetchers(name="MinFetchRate", text="Fetches a second of the slowest fetcher; 0 without fetchers.")
FETCHER_FAILED = _fetchers(name="FailedPartitionsCount", text="Partitions that are not fetched after an error.")
FETCHER_DEAD = _fetchers(name="DeadThreadCount", text="Fetchers that have ended though they have partitions.")
FETCHER_LAG = Metric(
    "kafka.server",
    "FetcherLagMetrics",
    "ConsumerLag",
    GAUGE,
    "Records that a partition lags behind its leader.",
    ("clientId", "topic", "partition"),
)
FETCHER_REQUESTS = _fetcher(name="RequestsPerSec", text="Fetch requests that a leader has answered.")
FETCHER_BYTES = _fetcher(name="BytesPerSec", text="Bytes of records that a leader has sent.")

PARTITION_UNDER_REPLICATED = _partition(name="UnderReplicated", text="1 if a replica is out of sync.")
PARTITION_UNDER_MIN_ISR = _partition(name="UnderMinIsr", text="1 if acks=all is refused.")
PARTITION_AT_MIN_ISR = _partition(name="AtMinIsr", text="1 if one more replica out of sync would refuse acks=all.")
PARTITION_IN_SYNC = _partition(name="InSyncReplicasCount", text="Replicas in sync.")
PARTITION_REPLICAS = _partition(name="ReplicasCount", text="Replicas.")
PARTITION_STABLE_LAG = _partition(
    name="LastStableOffsetLag", text="Offsets between the last stable offset and the high watermark."
)

# -- logs

LOG_SIZE = _log(name="Size", text="Bytes of the segments of a log.")
LOG_END_OFFSET = _log(name="LogEndOffset", text="The next offset.")
LOG_START_OFFSET = _log(name="LogStartOffset", text="The first offset.")
LOG_SEGMENTS = _log(name="NumLogSegments", text="Segments of a log.")
LOG_FLUSHES = Metric(
    "kafka.log", "LogFlushStats", "LogFlushRateAndTimeMs", HISTOGRAM, "Flushes of logs, and their times in ms."
)
OFFLINE_DIRECTORIES = Metric(
    "kafka.log", "LogManager", "OfflineLogDirectoryCount", GAUGE, "Log directories that have failed."
)
DIRECTORY_OFFLINE = Metric(
    "kafka.log", "LogManager", "LogDirectoryOffline", GAUGE, "1 if the log directory has failed.", ("logDirectory",)
)
DIRECTORY_SIZE = _plain(
    "wirebroker_log_directory_size_bytes", GAUGE, "Bytes of the logs in a log directory.", ("log_directory",)
)
DIRECTORY_TOTAL = _plain(
    "wirebroker_log_directory_disk_bytes", GAUGE, "Size of the file system of a log directory.", ("log_directory",)
)
DIRECTORY_USABLE = _plain(
    "wirebroker_log_directory_usable_bytes",
    GAUGE,
    "Bytes that the broker can still write to the file system of a log directory.",
    ("log_directory",),
)
CLEANER_LAST_RUN = Metric(
    "kafka.log", "LogCleanerManager", "time-since-last-run-ms", GAUGE, "Milliseconds since a log was last looked for."
)
CLEANER_UNCLEANABLE = Metric(
    "kafka.log",
    "LogCleanerManager",
    "uncleanable-partitions-count",
    GAUGE,
    "Logs that cannot be compacted.",
    ("logDirectory",),
)
CLEANER_UNCLEANABLE_BYTES = Metric(
    "kafka.log",
    "LogCleanerManager",
    "uncleanable-bytes",
    GAUGE,
    "Bytes of logs that cannot be compacted, in segments that were closed since they were last.",
    ("logDirectory",),
)
CLEANER_DIRTY = Metric(
    "kafka.log",
    "LogCleanerManager",
    "max-dirty-percent",
    GAUGE,
    "The dirty part of the dirtiest log when a log was last chosen, in per cent.",
)
CLEANER_TIME = _cleaner(name="max-clean-time-secs", text="Seconds that the last round took.")
CLEANER_RECOPY = _cleaner(
    name="cleaner-recopy-percent", text="Bytes that the last round has written, in per cent of those it has read."
)
CLEANER_BUFFER = _cleaner(
    name="max-buffer-utilization-percent",
    text="The part of a cleaner's buffer of keys that the last round has used, in per cent.",
)
CLEANER_DELAY = _cleaner(
    name="max-compaction-delay-secs",
    text="Seconds by which records had waited longer than max.compaction.lag.ms when a log was last chosen.",
)
CLEANER_DEAD = _cleaner(name="DeadThreadCount", text="Cleaners that have ended though they are to run.")

# -- requests

REQUESTS = _request(name="RequestsPerSec", kind=METER, tags=("request", "version"), text="Requests by API and version.")
REQUEST_ERRORS = _request(
    name="ErrorsPerSec",
    kind=METER,
    tags=("request", "error"),
    text="Responses with an error code, and NONE for those without.",
)
TOTAL_TIME = _request(name="TotalTimeMs", text="Milliseconds from when a request had come to its response.")
REQUEST_QUEUE_TIME = _request(name="RequestQueueTimeMs", text="Milliseconds until a request was looked at.")
LOCAL_TIME = _request(name="LocalTimeMs", text="Milliseconds of work on a request.")
REMOTE_TIME = _request(
    name="RemoteTimeMs", text="Milliseconds for which a request waited for other clients, replicas or threads."
)
RESPONSE_QUEUE_TIME = _request(
    name="ResponseQueueTimeMs", text="0: the event loop that makes a response sends it, too."
)
RESPONSE_SEND_TIME = _request(name="ResponseSendTimeMs", text="Milliseconds for handing a response to the socket.")
THROTTLE_TIME = _request(name="ThrottleTimeMs", text="Milliseconds for which a client was throttled after a response.")
REQUEST_BYTES = _request(name="RequestBytes", text="Sizes of requests.")

CONVERSION_TIME = _request(
    name="MessageConversionsTimeMs", text="Milliseconds for changing the format of the messages of a partition."
)
TEMPORARY_MEMORY = _request(name="TemporaryMemoryBytes", text="Bytes of messages whose format was changed.")

PURGATORY_SIZE = _purgatory(name="PurgatorySize", text="Requests that wait, and what completed ones still watch.")
NUM_DELAYED = _purgatory(name="NumDelayedOperations", text="Requests that wait.")
FETCHES_EXPIRED = Metric(
    "kafka.server",
    "DelayedFetchMetrics",
    "ExpiresPerSec",
    METER,
    "Fetch requests that were answered as their time was over.",
    ("fetcherType",),
)
PRODUCES_EXPIRED = Metric(
    "kafka.server",
    "DelayedProduceMetrics",
    "ExpiresPerSec",
    METER,
    "Produce requests that were answered as their time was over, before all in-sync replicas had the records.",
)
REQUEST_QUEUE = Metric(
    "kafka.network", "RequestChannel", "RequestQueueSize", GAUGE, "Connections whose requests wait for their turn."
)
RESPONSE_QUEUE = Metric(
    "kafka.network", "RequestChannel", "ResponseQueueSize", GAUGE, "0: responses are sent when they are made."
)
NETWORK_IDLE = Metric(
    "kafka.network",
    "SocketServer",
    "NetworkProcessorAvgIdlePercent",
    GAUGE,
    "The part of the last minute in which the event loop had nothing to do, from 0 to 1.",
)
PROCESSOR_IDLE = Metric(
    "kafka.network",
    "Processor",
    "IdlePercent",
    GAUGE,
    "The same as NetworkProcessorAvgIdlePercent: there is one event loop.",
    ("networkProcessor",),
)
HANDLER_IDLE = Metric(
    "kafka.server",
    "KafkaRequestHandlerPool",
    "RequestHandlerAvgIdlePercent",
    GAUGE,
    "The same as NetworkProcessorAvgIdlePercent: one event loop does the work of both.",
)
CONNECTION_COUNT = _sockets(name="connection-count", text="Open connections.")
CONNECTION_CREATED = _sockets(name="connection-creation-total", kind=COUNTER, text="Connections that were accepted.")
CONNECTION_CLOSED = _sockets(name="connection-close-total", kind=COUNTER, text="Connections that were closed.")
FETCH_SESSIONS = _sessions(name="NumIncrementalFetchSessions", kind=GAUGE, text="Fetch sessions.")
FETCH_SESSION_PARTITIONS = _sessions(
    name="NumIncrementalFetchPartitionsCached", kind=GAUGE, text="Partitions of all fetch sessions."
)
FETCH_SESSION_EVICTIONS = _sessions(
    name="IncrementalFetchSessionEvictionsPerSec", kind=METER, text="Fetch sessions closed in favour of others."
)

# -- controller and coordinators

ACTIVE_CONTROLLER = _controller(name="ActiveControllerCount", text="1 on the broker that is the controller.")
OFFLINE_PARTITIONS = _controller(
    name="OfflinePartitionsCount", text="Partitions without a live leader; 0 on brokers that are not the controller."
)
GLOBAL_TOPICS = _controller(name="GlobalTopicCount", text="Topics; 0 on brokers that are not the controller.")
GLOBAL_PARTITIONS = _controller(
    name="GlobalPartitionCount", text="Partitions; 0 on brokers that are not the controller."
)
PREFERRED_IMBALANCE = _controller(
    name="PreferredReplicaImbalanceCount", text="Partitions that are not led by their first replica."
)
CURRENT_CONTROLLER = Metric(
    "kafka.server", "MetadataLoader", "CurrentControllerId", GAUGE, "The id of the controller; -1 without one."
)
ACTIVE_BROKERS = _controller(name="ActiveBrokerCount", text="Live brokers; 0 on brokers that are not the controller.")
TOPICS_TO_DELETE = _controller(name="TopicsToDeleteCount", text="Topics whose deletion goes on.")
TOPICS_INELIGIBLE = _controller(
    name="TopicsIneligibleToDeleteCount", text="Topics whose deletion waits for a broker or a reassignment."
)
REPLICAS_TO_DELETE = _controller(name="ReplicasToDeleteCount", text="Replicas of topics whose deletion goes on.")
OF_ACTIVE_CONTROLLER: Final = (
    ACTIVE_CONTROLLER,
    OFFLINE_PARTITIONS,
    GLOBAL_TOPICS,
    GLOBAL_PARTITIONS,
    PREFERRED_IMBALANCE,
    ACTIVE_BROKERS,
    TOPICS_TO_DELETE,
    TOPICS_INELIGIBLE,
    REPLICAS_TO_DELETE,
)
"""The gauges that are 0 on brokers that are not the active controller."""
UNCLEAN_ELECTIONS = Metric(
    "kafka.controller",
    "ControllerStats",
    "UncleanLeaderElectionsPerSec",
    METER,
    "Elections of leaders that were not in sync; a broker that is its own controller has none.",
)
CONTROLLER_QUEUE = Metric(
    "kafka.controller", "ControllerEventManager", "EventQueueSize", GAUGE, "Events of the controller that wait."
)
CONTROLLER_QUEUE_TIME = Metric(
    "kafka.controller",
    "ControllerEventManager",
    "EventQueueTimeMs",
    HISTOGRAM,
    "Milliseconds that events of the controller have waited.",
)
CONTROLLER_REQUESTS_QUEUED = Metric(
    "kafka.controller", "ControllerChannelManager", "TotalQueueSize", GAUGE, "Requests to brokers that wait."
)
CONTROLLER_TIMES: Final = {
    name: Metric(
        "kafka.controller",
        "ControllerStats",
        f"{name}RateAndTimeMs",
        HISTOGRAM,
        f"{text}, and how long the controller took for them in ms.",
    )
    for name, text in (
        ("LeaderElection", "Changes of brokers, which have leaders elected"),
        ("ControllerChange", "Attempts to become the controller"),
        ("TopicChange", "New topics and partitions"),
        ("TopicDeletion", "Steps of deletions of topics"),
        ("PartitionReassignment", "Reassignments that were begun"),
        ("ListPartitionReassignment", "Requests for the reassignments that go on"),
        ("AutoLeaderBalance", "Checks of the balance of leaders"),
        ("ManualLeaderBalance", "Elections of leaders that were asked for"),
        ("IsrChange", "Changes of ISRs"),
        ("LeaderAndIsrResponseReceived", "Responses to LeaderAndIsr requests"),
        ("LogDirChange", "Failures of log directories"),
    )
}
NUM_GROUPS = _groups(name="NumGroups", text="Consumer groups whose coordinator is this broker.")
NUM_GROUPS_BY_STATE: Final = {
    state: _groups(name=f"NumGroups{state}", text=f"Consumer groups in the state {state}.")
    for state in ("PreparingRebalance", "CompletingRebalance", "Stable", "Dead", "Empty")
}
NUM_OFFSETS = _groups(name="NumOffsets", text="Committed offsets.")
MARKER_QUEUE = Metric(
    "kafka.coordinator.transaction",
    "TransactionMarkerChannelManager",
    "UnknownDestinationQueueSize",
    GAUGE,
    "Decided transactions whose markers are not all written.",
)
TRANSACTIONS = _plain(
    "wirebroker_transactions", GAUGE, "Transactional ids whose coordinator is this broker, by state.", ("state",)
)

# -- the broker

BROKER_STATE = Metric("kafka.server", "KafkaServer", "BrokerState", GAUGE, "3 running, 6 shutting down.")
DISK_READ = Metric(
    "kafka.server", "KafkaServer", "linux-disk-read-bytes", GAUGE, "Bytes that the process has read from disks."
)
DISK_WRITE = Metric(
    "kafka.server", "KafkaServer", "linux-disk-write-bytes", GAUGE, "Bytes that the process has written to disks."
)
ZK_EXPIRES = _zookeeper(name="ZooKeeperExpiresPerSec", text="Sessions with ZooKeeper that have expired.")
ZK_DISCONNECTS = _zookeeper(name="ZooKeeperDisconnectsPerSec", text="Connections to ZooKeeper that were lost.")
ZK_CONNECTS = _zookeeper(name="ZooKeeperSyncConnectsPerSec", text="Connections to ZooKeeper that were made.")
ZK_LATENCY = Metric(
    "kafka.server",
    "ZooKeeperClientMetrics",
    "ZooKeeperRequestLatencyMs",
    HISTOGRAM,
    "Milliseconds of requests to ZooKeeper.",
)
LOOP_LAG = _plain(
    "wirebroker_event_loop_lag_seconds", HISTOGRAM, "How late the event loop was, measured ten times a second."
)
LOOP_IDLE = _plain(
    "wirebroker_event_loop_idle_seconds_total", COUNTER, "Seconds in which the event loop had nothing to do."
)
LOOP_HOLDS = _plain(
    "wirebroker_event_loop_holds_total",
    COUNTER,
    "How often something held the event loop for 0.25 s or longer, by API or function.",
    ("handler",),
)
SERIES_LEFT_OUT = _plain(
    "wirebroker_metrics_left_out", GAUGE, "Committed offsets that are not among the metrics, as there are too many."
)
BUILD_INFO = _plain("wirebroker_build_info", GAUGE, "1, with the version as label.", ("version",))
CPU_SECONDS = _plain("process_cpu_seconds_total", COUNTER, "CPU time of the process in seconds.")
RESIDENT_MEMORY = _plain("process_resident_memory_bytes", GAUGE, "Resident memory in bytes.")
VIRTUAL_MEMORY = _plain("process_virtual_memory_bytes", GAUGE, "Virtual memory in bytes.")
OPEN_FDS = _plain("process_open_fds", GAUGE, "Open file descriptors.")
MAX_FDS = _plain("process_max_fds", GAUGE, "The limit of open file descriptors.")
START_TIME = _plain("process_start_time_seconds", GAUGE, "When the process was started, in seconds since 1970.")

# -- what kafka_exporter says of topics and groups

_GROUP: Final = ("consumergroup", "topic", "partition")
BROKER_INFO = _plain("kafka_broker_info", GAUGE, "1 for each live broker.", ("id", "address"))
BROKERS = _plain("kafka_brokers", GAUGE, "Live brokers.")
TOPIC_PARTITIONS = _plain("kafka_topic_partitions", GAUGE, "Partitions of a topic led here.", _TOPIC)
TOPIC_CURRENT_OFFSET = _plain("kafka_topic_partition_current_offset", GAUGE, "The high watermark.", _PARTITION)
TOPIC_OLDEST_OFFSET = _plain("kafka_topic_partition_oldest_offset", GAUGE, "The first offset.", _PARTITION)
TOPIC_IN_SYNC = _plain("kafka_topic_partition_in_sync_replica", GAUGE, "Replicas in sync.", _PARTITION)
TOPIC_LEADER = _plain("kafka_topic_partition_leader", GAUGE, "The id of the leader.", _PARTITION)
TOPIC_PREFERRED = _plain(
    "kafka_topic_partition_leader_is_preferred", GAUGE, "1 if the leader is the first replica.", _PARTITION
)
TOPIC_REPLICAS = _plain("kafka_topic_partition_replicas", GAUGE, "Replicas.", _PARTITION)
TOPIC_UNDER_REPLICATED = _plain(
    "kafka_topic_partition_under_replicated_partition", GAUGE, "1 if a replica is out of sync.", _PARTITION
)
GROUP_MEMBERS = _plain("kafka_consumergroup_members", GAUGE, "Members of a consumer group.", ("consumergroup",))
GROUP_OFFSET = _plain("kafka_consumergroup_current_offset", GAUGE, "The committed offset.", _GROUP)
GROUP_LAG = _plain(
    "kafka_consumergroup_lag",
    GAUGE,
    "Records between the committed offset and the high watermark; of partitions led here.",
    _GROUP,
)
GROUP_OFFSET_SUM = _plain(
    "kafka_consumergroup_current_offset_sum", GAUGE, "The sum of committed offsets.", ("consumergroup", "topic")
)
GROUP_LAG_SUM = _plain("kafka_consumergroup_lag_sum", GAUGE, "The sum of lags.", ("consumergroup", "topic"))

ALL: Final = (
    *(value for value in globals().copy().values() if isinstance(value, Metric)),
    *NUM_GROUPS_BY_STATE.values(),
    *CONTROLLER_TIMES.values(),
)
"""Every metric there is, in the order of the declarations."""
