"""The metrics and labels that the queries of public dashboards use, written down by hand.

Each selector is a name with the labels that a query selects by or groups by; `label=value` needs that very value.
Labels that Prometheus adds itself (instance, job, namespace) are left out.
"""

from __future__ import annotations

from typing import Final

STRIMZI_KAFKA: Final = """
kafka_server_replicamanager_leadercount
kafka_server_replicamanager_partitioncount
kafka_server_replicamanager_underreplicatedpartitions
kafka_controller_kafkacontroller_activecontrollercount
kafka_controller_kafkacontroller_offlinepartitionscount
kafka_controller_controllerstats_uncleanleaderelections_total
kafka_cluster_partition_atminisr topic partition
kafka_cluster_partition_underminisr topic partition
kafka_cluster_partition_replicascount topic partition
kafka_log_log_size topic partition
kafka_server_brokertopicmetrics_bytesin_total topic
kafka_server_brokertopicmetrics_bytesout_total topic
kafka_server_brokertopicmetrics_messagesin_total topic
kafka_server_brokertopicmetrics_totalfetchrequests_total topic
kafka_server_brokertopicmetrics_totalproducerequests_total topic
kafka_server_brokertopicmetrics_failedfetchrequests_total topic
kafka_server_brokertopicmetrics_failedproducerequests_total topic
kafka_network_socketserver_networkprocessoravgidle_percent
kafka_server_kafkarequesthandlerpool_requesthandleravgidle_percent
kafka_server_kafkaserver_linux_disk_read_bytes
kafka_server_kafkaserver_linux_disk_write_bytes
kafka_server_socket_server_metrics_connection_count listener
process_open_fds
"""
"""strimzi-kafka.json of strimzi/strimzi-kafka-operator, packaging/examples/metrics/grafana-dashboards."""

STRIMZI_KAFKA_EXPORTER: Final = """
kafka_broker_info
kafka_topic_partitions topic
kafka_topic_partition_replicas topic partition
kafka_topic_partition_in_sync_replica topic partition
kafka_topic_partition_under_replicated_partition topic partition
kafka_topic_partition_leader_is_preferred topic partition
kafka_topic_partition_current_offset topic partition
kafka_topic_partition_oldest_offset topic partition
kafka_consumergroup_current_offset consumergroup topic partition
kafka_consumergroup_lag consumergroup topic partition
kafka_cluster_partition_atminisr topic partition
kafka_cluster_partition_underminisr topic partition
"""
"""strimzi-kafka-exporter.json of the same place; its metrics are those of danielqsj/kafka_exporter."""

_TIMES: Final = "\n".join(
    f"kafka_network_requestmetrics_{name} request={request} quantile={quantile}"
    for name in (
        *("requestqueuetimems", "localtimems", "remotetimems"),
        *("responsequeuetimems", "responsesendtimems", "totaltimems"),
    )
    for request in ("Produce", "Fetch", "FetchConsumer", "FetchFollower", "Metadata")
    for quantile in ("0.5", "0.95", "0.99", "0.999")
)
CONFLUENT_CLUSTER: Final = f"""
{_TIMES}
kafka_server_replicamanager_leadercount
kafka_server_replicamanager_partitioncount
kafka_server_replicamanager_underreplicatedpartitions
kafka_server_replicamanager_isrexpandspersec
kafka_server_replicamanager_isrshrinkspersec
kafka_server_kafkaserver_brokerstate
kafka_server_kafkaserver_linux_disk_read_bytes
kafka_server_kafkaserver_linux_disk_write_bytes
kafka_controller_kafkacontroller_activecontrollercount
kafka_controller_kafkacontroller_offlinepartitionscount
kafka_controller_kafkacontroller_preferredreplicaimbalancecount
kafka_controller_controllerstats_uncleanleaderelectionspersec
kafka_network_requestchannel_requestqueuesize
kafka_network_requestchannel_responsequeuesize
kafka_network_requestmetrics_errorspersec request error
kafka_network_requestmetrics_requestspersec request=Produce version
kafka_network_requestmetrics_requestspersec request=Fetch version
kafka_network_requestmetrics_requestspersec request=FetchConsumer version
kafka_network_requestmetrics_requestspersec request=Metadata version
kafka_network_requestmetrics_requestspersec request=OffsetCommit version
kafka_network_socketserver_networkprocessoravgidlepercent
kafka_server_brokertopicmetrics_bytesinpersec topic
kafka_server_brokertopicmetrics_bytesoutpersec topic
kafka_server_brokertopicmetrics_messagesinpersec topic
kafka_server_fetchsessioncache_incrementalfetchsessionevictionspersec
kafka_server_fetchsessioncache_numincrementalfetchsessions
kafka_server_socketservermetrics_connection_count listener
kafka_cluster_partition_underminisr topic partition
kafka_coordinator_group_groupmetadatamanager_numgroups
kafka_coordinator_group_groupmetadatamanager_numgroupscompletingrebalance
kafka_coordinator_group_groupmetadatamanager_numgroupsdead
kafka_coordinator_group_groupmetadatamanager_numgroupsempty
kafka_coordinator_group_groupmetadatamanager_numgroupspreparingrebalance
kafka_coordinator_group_groupmetadatamanager_numgroupsstable
kafka_log_log_size topic partition
process_cpu_seconds_total
kafka_server_brokertopicmetrics_fetchmessageconversionspersec
kafka_server_brokertopicmetrics_producemessageconversionspersec
kafka_server_replicafetchermanager_maxlag
"""
"""kafka-cluster.json of confluentinc/jmx-monitoring-stacks, jmxexporter-prometheus-grafana."""

CONFLUENT_TOPICS: Final = """
kafka_log_log_logendoffset topic partition
kafka_log_log_logstartoffset topic partition
kafka_log_log_size topic partition
kafka_controller_kafkacontroller_globalpartitioncount
kafka_controller_kafkacontroller_globaltopiccount
kafka_server_brokertopicmetrics_bytesinpersec topic
kafka_server_brokertopicmetrics_bytesoutpersec topic
kafka_server_brokertopicmetrics_messagesinpersec topic
kafka_server_brokertopicmetrics_totalfetchrequestspersec topic
kafka_server_brokertopicmetrics_totalproducerequestspersec topic
"""
"""kafka-topics.json of the same place."""

NOT_ANSWERED: Final = {
    "jvm_": "there is no Java virtual machine",
    "container_": "Kubernetes says it",
    "kubelet_": "Kubernetes says it",
    "kafka_tier_": "tiered storage of Confluent's broker",
    "kafka_log_log_tiersize": "tiered storage of Confluent's broker",
    "kafka_server_replicamanager_straypartitions": "of Confluent's broker",
    "kafka_network_requestmetrics_deprecatedrequestspersec": "no version is deprecated here",
    "kafka_network_acceptor_acceptorblockedpercent": "the event loop accepts connections, which never blocks",
    "kafka_server_socketservermetrics_connection_close_rate": "rate() of connection_close_total",
    "kafka_server_socketservermetrics_connection_creation_rate": "rate() of connection_creation_total",
    "kafka_server_socketservermetrics_connections": "clients' names are not kept",
    "kafka_server_kafkarequesthandlerpool_requesthandleravgidlepercent_oneminuterate": "a gauge here: without the end",
    "kafka_server_sessionexpirelistener_": "with zookeeper.connect only",
    "kafka_server_zookeeperclientmetrics_": "not measured",
}
"""Beginnings of the names in those dashboards that a broker does not answer, and why."""
