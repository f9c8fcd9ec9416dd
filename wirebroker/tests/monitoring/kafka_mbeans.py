"""The MBeans of Apache Kafka 3.9.1, and why some of them are not answered.

Listed from the MBean server of a running broker with a topic and a consumer, in both modes; the nightly test
compat_tests/test_mbeans.py lists them anew.  A line is a domain and a type, and the names that MBeans of it have.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

BOTH: Final = """
kafka.cluster:Partition AtMinIsr InSyncReplicasCount LastStableOffsetLag ReplicasCount UnderMinIsr UnderReplicated
kafka.controller:ControllerEventManager EventQueueTimeMs
kafka.controller:ControllerStats UncleanLeaderElectionsPerSec
kafka.controller:KafkaController ActiveBrokerCount ActiveControllerCount FencedBrokerCount GlobalPartitionCount
    GlobalTopicCount OfflinePartitionsCount PreferredReplicaImbalanceCount ZkMigrationState
kafka.coordinator.group:GroupMetadataManager NumGroups NumGroupsCompletingRebalance NumGroupsDead NumGroupsEmpty
    NumGroupsPreparingRebalance NumGroupsStable NumOffsets
kafka.coordinator.transaction:TransactionMarkerChannelManager LogAppendRetryQueueSize UnknownDestinationQueueSize
kafka.log:Log LogEndOffset LogStartOffset NumLogSegments Size
kafka.log:LogCleaner DeadThreadCount cleaner-recopy-percent max-buffer-utilization-percent max-clean-time-secs
    max-compaction-delay-secs
kafka.log:LogCleanerManager max-dirty-percent time-since-last-run-ms uncleanable-bytes uncleanable-partitions-count
kafka.log:LogFlushStats LogFlushRateAndTimeMs
kafka.log:LogManager LogDirectoryOffline OfflineLogDirectoryCount
kafka.network:Acceptor AcceptorBlockedPercent
kafka.network:Processor IdlePercent
kafka.network:RequestChannel RequestQueueSize ResponseQueueSize
kafka.network:RequestMetrics ErrorsPerSec LocalTimeMs MessageConversionsTimeMs RemoteTimeMs RequestBytes
    RequestQueueTimeMs RequestsPerSec ResponseQueueTimeMs ResponseSendTimeMs TemporaryMemoryBytes ThrottleTimeMs
    TotalTimeMs
kafka.network:SocketServer ExpiredConnectionsKilledCount MemoryPoolAvailable MemoryPoolUsed
    NetworkProcessorAvgIdlePercent
kafka.server:AddPartitionsManager-channel-metrics
kafka.server:AddPartitionsToTxnManager VerificationFailureRate VerificationTimeMs
kafka.server:BrokerTopicMetrics BytesInPerSec BytesOutPerSec BytesRejectedPerSec FailedFetchRequestsPerSec
    FailedProduceRequestsPerSec FetchMessageConversionsPerSec InvalidMagicNumberRecordsPerSec
    InvalidMessageCrcRecordsPerSec InvalidOffsetOrSequenceRecordsPerSec MessagesInPerSec
    NoKeyCompactedTopicRecordsPerSec ProduceMessageConversionsPerSec ReassignmentBytesInPerSec
    ReassignmentBytesOutPerSec ReplicationBytesInPerSec ReplicationBytesOutPerSec TotalFetchRequestsPerSec
    TotalProduceRequestsPerSec
kafka.server:ControllerMutation
kafka.server:DelayedFetchMetrics ExpiresPerSec
kafka.server:DelayedOperationPurgatory NumDelayedOperations PurgatorySize
kafka.server:Fetch
kafka.server:FetchSessionCache IncrementalFetchSessionEvictionsPerSec NumIncrementalFetchPartitionsCached
    NumIncrementalFetchSessions
kafka.server:KafkaRequestHandlerPool RequestHandlerAvgIdlePercent
kafka.server:KafkaServer BrokerState ClusterId linux-disk-read-bytes linux-disk-write-bytes yammer-metrics-count
kafka.server:MetadataLoader CurrentControllerId
kafka.server:Produce
kafka.server:ReplicaAlterLogDirsManager DeadThreadCount FailedPartitionsCount MaxLag MinFetchRate
kafka.server:ReplicaFetcherManager DeadThreadCount FailedPartitionsCount MaxLag MinFetchRate
kafka.server:ReplicaManager AtMinIsrPartitionCount FailedIsrUpdatesPerSec IsrExpandsPerSec IsrShrinksPerSec
    LeaderCount OfflineReplicaCount PartitionCount PartitionsWithLateTransactionsCount ProducerIdCount
    ReassigningPartitions UnderMinIsrPartitionCount UnderReplicatedPartitions
kafka.server:Request
kafka.server:alter-partition-metrics
kafka.server:app-info
kafka.server:forwarding-metrics
kafka.server:group-coordinator-metrics
kafka.server:kafka-metrics-count
kafka.server:socket-server-metrics
kafka.server:transaction-coordinator-metrics
kafka.server:txn-marker-channel-metrics
kafka.utils:Throttler cleaner-io
"""
"""MBeans of Apache Kafka 3.9.1 in either mode."""
ZOOKEEPER: Final = """
kafka.controller:ControllerChannelManager QueueSize RequestRateAndQueueTimeMs TotalQueueSize
kafka.controller:ControllerEventManager EventQueueSize
kafka.controller:ControllerStats AutoLeaderBalanceRateAndTimeMs ControlledShutdownRateAndTimeMs
    ControllerChangeRateAndTimeMs ControllerShutdownRateAndTimeMs IsrChangeRateAndTimeMs
    LeaderAndIsrResponseReceivedRateAndTimeMs LeaderElectionRateAndTimeMs ListPartitionReassignmentRateAndTimeMs
    LogDirChangeRateAndTimeMs ManualLeaderBalanceRateAndTimeMs PartitionReassignmentRateAndTimeMs
    TopicChangeRateAndTimeMs TopicDeletionRateAndTimeMs TopicUncleanLeaderElectionEnableRateAndTimeMs
    UncleanLeaderElectionEnableRateAndTimeMs UpdateFeaturesRateAndTimeMs
kafka.controller:KafkaController ControllerState ReplicasIneligibleToDeleteCount ReplicasToDeleteCount
    TopicsIneligibleToDeleteCount TopicsToDeleteCount
kafka.network:SocketServer ControlPlaneExpiredConnectionsKilledCount ControlPlaneNetworkProcessorAvgIdlePercent
kafka.server:SessionExpireListener SessionState ZooKeeperAuthFailuresPerSec ZooKeeperDisconnectsPerSec
    ZooKeeperExpiresPerSec ZooKeeperReadOnlyConnectsPerSec ZooKeeperSaslAuthenticationsPerSec
    ZooKeeperSyncConnectsPerSec
kafka.server:ZooKeeperClientMetrics ZooKeeperRequestLatencyMs
kafka.server:controller-channel-metrics
"""
"""Those of a broker with ZooKeeper only."""
KRAFT: Final = """
kafka.controller:ControllerEventManager EventQueueProcessingTimeMs
kafka.controller:KafkaController EventQueueOperationsStartedCount EventQueueOperationsTimedOutCount
    LastAppliedRecordLagMs LastAppliedRecordOffset LastAppliedRecordTimestamp LastCommittedRecordOffset
    MetadataErrorCount MigratingZkBrokerCount NewActiveControllersCount TimedOutBrokerHeartbeatCount
kafka.server:BrokerMetadataListener MetadataBatchProcessingTimeUs MetadataBatchSizes
kafka.server:ControllerServer ClusterId linux-disk-read-bytes linux-disk-write-bytes yammer-metrics-count
kafka.server:ForwardingManager
kafka.server:MetadataLoader CurrentMetadataVersion HandleLoadSnapshotCount
kafka.server:SnapshotEmitter LatestSnapshotGeneratedAgeMs LatestSnapshotGeneratedBytes
kafka.server:broker-metadata-metrics
kafka.server:client-metrics
kafka.server:directory-assignments-metrics
kafka.server:heartbeat-metrics
kafka.server:raft-channel-metrics
kafka.server:raft-metrics
kafka.server:registration-metrics
"""
"""Those of a KRaft node, broker and controller, only."""
_KRAFT_QUORUM: Final = "of the metadata quorum, which wirebroker has not: its metadata is a journal, or in ZooKeeper"
_TEXT: Final = "its value is a text; /metrics has numbers"
_NO_SASL: Final = "connections to ZooKeeper are neither authenticated nor read-only"
_JAVA_CLIENT: Final = "of Kafka's Java client for requests to other brokers"
_NOT_COUNTED: Final = "not counted apart from the other failed requests"
UNANSWERED: Final = {
    "kafka.controller:ControllerChannelManager QueueSize": "by broker; TotalQueueSize has the sum",
    "kafka.controller:ControllerChannelManager RequestRateAndQueueTimeMs": "requests to brokers are not timed",
    "kafka.controller:ControllerEventManager EventQueueProcessingTimeMs": _KRAFT_QUORUM,
    "kafka.controller:ControllerStats ControlledShutdownRateAndTimeMs": "ControlledShutdown is no event of its own",
    "kafka.controller:ControllerStats ControllerShutdownRateAndTimeMs": "once, at the end of the broker",
    "kafka.controller:ControllerStats TopicUncleanLeaderElectionEnableRateAndTimeMs": "no event of its own",
    "kafka.controller:ControllerStats UncleanLeaderElectionEnableRateAndTimeMs": "no event of its own",
    "kafka.controller:ControllerStats UpdateFeaturesRateAndTimeMs": "features are not updated",
    "kafka.controller:KafkaController ControllerState": "the state of a moment that no scrape meets",
    "kafka.controller:KafkaController EventQueueOperationsStartedCount": _KRAFT_QUORUM,
    "kafka.controller:KafkaController EventQueueOperationsTimedOutCount": _KRAFT_QUORUM,
    "kafka.controller:KafkaController FencedBrokerCount": _KRAFT_QUORUM,
    "kafka.controller:KafkaController LastAppliedRecordLagMs": _KRAFT_QUORUM,
    "kafka.controller:KafkaController LastAppliedRecordOffset": _KRAFT_QUORUM,
    "kafka.controller:KafkaController LastAppliedRecordTimestamp": _KRAFT_QUORUM,
    "kafka.controller:KafkaController LastCommittedRecordOffset": _KRAFT_QUORUM,
    "kafka.controller:KafkaController MetadataErrorCount": _KRAFT_QUORUM,
    "kafka.controller:KafkaController MigratingZkBrokerCount": _KRAFT_QUORUM,
    "kafka.controller:KafkaController NewActiveControllersCount": _KRAFT_QUORUM,
    "kafka.controller:KafkaController ReplicasIneligibleToDeleteCount": "TopicsIneligibleToDeleteCount has the topics",
    "kafka.controller:KafkaController TimedOutBrokerHeartbeatCount": _KRAFT_QUORUM,
    "kafka.controller:KafkaController ZkMigrationState": _KRAFT_QUORUM,
    "kafka.coordinator.transaction:TransactionMarkerChannelManager LogAppendRetryQueueSize": "appends are not queued",
    "kafka.network:Acceptor AcceptorBlockedPercent": "connections are accepted without a queue that could be full",
    "kafka.network:SocketServer ControlPlaneExpiredConnectionsKilledCount": "no sessions expire without SASL",
    "kafka.network:SocketServer ControlPlaneNetworkProcessorAvgIdlePercent": "one event loop serves both planes",
    "kafka.network:SocketServer ExpiredConnectionsKilledCount": "no sessions expire without SASL",
    "kafka.network:SocketServer MemoryPoolAvailable": "queued.max.request.bytes has no pool here",
    "kafka.network:SocketServer MemoryPoolUsed": "queued.max.request.bytes has no pool here",
    "kafka.server:AddPartitionsManager-channel-metrics": _JAVA_CLIENT,
    "kafka.server:AddPartitionsToTxnManager VerificationFailureRate": _NOT_COUNTED,
    "kafka.server:AddPartitionsToTxnManager VerificationTimeMs": "verifications are not timed",
    "kafka.server:BrokerMetadataListener MetadataBatchProcessingTimeUs": _KRAFT_QUORUM,
    "kafka.server:BrokerMetadataListener MetadataBatchSizes": _KRAFT_QUORUM,
    "kafka.server:BrokerTopicMetrics ReassignmentBytesInPerSec": "counted in ReplicationBytesInPerSec",
    "kafka.server:BrokerTopicMetrics ReassignmentBytesOutPerSec": "counted in ReplicationBytesOutPerSec",
    "kafka.server:ControllerMutation": "of quotas by client; ThrottleTimeMs has the times of all clients",
    "kafka.server:ControllerServer ClusterId": _TEXT,
    "kafka.server:ControllerServer linux-disk-read-bytes": "one process: KafkaServer has it",
    "kafka.server:ControllerServer linux-disk-write-bytes": "one process: KafkaServer has it",
    "kafka.server:ControllerServer yammer-metrics-count": "of Kafka's library of metrics",
    "kafka.server:Fetch": "of quotas by client; ThrottleTimeMs has the times of all clients",
    "kafka.server:ForwardingManager": _KRAFT_QUORUM,
    "kafka.server:KafkaServer ClusterId": _TEXT,
    "kafka.server:KafkaServer yammer-metrics-count": "of Kafka's library of metrics",
    "kafka.server:MetadataLoader CurrentMetadataVersion": _KRAFT_QUORUM,
    "kafka.server:MetadataLoader HandleLoadSnapshotCount": _KRAFT_QUORUM,
    "kafka.server:Produce": "of quotas by client; ThrottleTimeMs has the times of all clients",
    "kafka.server:ReplicaAlterLogDirsManager DeadThreadCount": "a log is copied by a task of its own, without fetches",
    "kafka.server:ReplicaAlterLogDirsManager FailedPartitionsCount": "a log is copied by a task of its own",
    "kafka.server:ReplicaAlterLogDirsManager MaxLag": "`wirebroker log-dirs describe` has the lag of each copy",
    "kafka.server:ReplicaAlterLogDirsManager MinFetchRate": "a log is copied by a task of its own, without fetches",
    "kafka.server:Request": "of quotas by client; ThrottleTimeMs has the times of all clients",
    "kafka.server:SessionExpireListener SessionState": _TEXT,
    "kafka.server:SessionExpireListener ZooKeeperAuthFailuresPerSec": _NO_SASL,
    "kafka.server:SessionExpireListener ZooKeeperReadOnlyConnectsPerSec": _NO_SASL,
    "kafka.server:SessionExpireListener ZooKeeperSaslAuthenticationsPerSec": _NO_SASL,
    "kafka.server:SnapshotEmitter LatestSnapshotGeneratedAgeMs": _KRAFT_QUORUM,
    "kafka.server:SnapshotEmitter LatestSnapshotGeneratedBytes": _KRAFT_QUORUM,
    "kafka.server:alter-partition-metrics": _JAVA_CLIENT,
    "kafka.server:app-info": _TEXT,
    "kafka.server:broker-metadata-metrics": _KRAFT_QUORUM,
    "kafka.server:client-metrics": "the telemetry of clients (KIP-714) is not served",
    "kafka.server:controller-channel-metrics": _JAVA_CLIENT,
    "kafka.server:directory-assignments-metrics": _JAVA_CLIENT,
    "kafka.server:forwarding-metrics": _JAVA_CLIENT,
    "kafka.server:group-coordinator-metrics": "GroupMetadataManager and RequestMetrics have the figures of groups",
    "kafka.server:heartbeat-metrics": _JAVA_CLIENT,
    "kafka.server:kafka-metrics-count": "of Kafka's library of metrics",
    "kafka.server:raft-channel-metrics": _KRAFT_QUORUM,
    "kafka.server:raft-metrics": _KRAFT_QUORUM,
    "kafka.server:registration-metrics": _JAVA_CLIENT,
    "kafka.server:transaction-coordinator-metrics": "wirebroker_transactions has the transactional ids by state",
    "kafka.server:txn-marker-channel-metrics": _JAVA_CLIENT,
    "kafka.utils:Throttler cleaner-io": "the rate of the cleaner's process is not reported",
}
"""MBean -> why no metric of the same name answers."""


def mbeans(text: str) -> Iterator[str]:
    """Yield `domain:Type name`, or `domain:type` where attributes stand in the place of names."""
    of_type = ""
    for line in text.strip().splitlines():
        words = line.split()
        if not line.startswith(" "):
            of_type, *words = words
            if not words:
                yield of_type
        yield from (f"{of_type} {name}" for name in words)
