"""The requests that a member makes to other brokers for transactions: producer ids, markers, verification."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.client.broker_channel import ChannelSettings
from wirebroker.cluster.add_partitions_to_txn_manager import AddPartitionsToTxnManager
from wirebroker.cluster.controller_producer_ids import ControllerProducerIds
from wirebroker.cluster.txn_marker_channels import MarkerRequests, TxnMarkerChannels
from wirebroker.zookeeper.producer_ids import ZkProducerIdBlocks

if TYPE_CHECKING:
    from wirebroker.cluster_member.member import Member
    from wirebroker.coordinator.transaction.coordinator import TransactionCoordinator
    from wirebroker.replication.txn_marker_writer import TxnMarkerWriter


def build_producer_ids(member: Member) -> ControllerProducerIds | ZkProducerIdBlocks:
    """Return the source of producer ids at this inter-broker protocol."""
    if not member.config.inter_broker_protocol.allocate_producer_ids_supported:
        return ZkProducerIdBlocks(member.session, member.node_id)
    return ControllerProducerIds(member.node_id, member.broker_epoch, member.find_control_plane)


def build_marker_channels(member: Member, local: TxnMarkerWriter) -> TxnMarkerChannels:
    """Return what writes markers to the partitions of all brokers; *local* writes to those that are led here."""
    requests = MarkerRequests(
        member.node_id,
        member.config.inter_broker_listener,
        member.config.inter_broker_protocol.write_txn_markers_version,
        member.member_config.request_timeout_ms / 1000,
    )
    channels = TxnMarkerChannels(local, member.metadata, requests)
    member.tasks.add(channels.run)
    return channels


def build_txn_verifier(member: Member, local: TransactionCoordinator) -> AddPartitionsToTxnManager:
    """Return what asks the coordinators of all brokers; *local* coordinates the transactions of this one."""
    settings = ChannelSettings(str(member.node_id), member.member_config.request_timeout_ms / 1000)
    listener = member.config.inter_broker_listener
    manager = AddPartitionsToTxnManager(member.node_id, local, member.metadata, listener, settings)
    member.tasks.add(manager.run)
    return manager
