"""A cluster of one broker behind the admin client: canned answers, no network.

One group "g" (member "m" of topic "t", partitions 0 and 1, 40 of 100 records committed) and one transactional id "x"
with a transaction that is open in t-0 since offset 7.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tools.codegen import codecs
from wirebroker.protocol.internal.consumer_protocol import AssignedPartitions, ConsumerProtocolAssignment
from wirebroker.protocol.messages import (
    delete_groups,
    describe_groups,
    describe_producers,
    describe_transactions,
    fetch,
    find_coordinator,
    inspect,
    list_groups,
    list_offsets,
    list_transactions,
    metadata,
    offset_commit,
    offset_delete,
    offset_fetch,
    write_txn_markers,
)
from wirebroker.protocol.primitives import WireBuffer
from wirebroker.storage.retention_report import RetentionReport, SegmentAction, SegmentReport, Verdict
from wirebroker.tests.cli.fake_resources import ANSWERS

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.client.connection import Address
    from wirebroker.protocol.message import Message

GROUP, TOPIC, TRANSACTIONAL_ID = "g", "t", "x"
COMMITTED, END, LAST_TIMESTAMP_MS = 40, 100, 1_700_000_000_000
PRODUCER_ID, TRANSACTION_START = 4711, 7


class FakeConnection:
    """A `Connection` to the one broker."""

    def __init__(self, address: Address, timeout_s: float, client_id: str = "", security: object = None) -> None:
        self.address = str(address)

    def send(self, request: Message, highest: int | None = None) -> Any:
        """The canned answer."""
        return _ANSWERS[type(request).__name__](request)

    def version(self, request: type[Message], highest: int | None = None) -> int:
        """The newest version."""
        return request.VERSIONS[-1]

    def send_unlisted(self, request: Message, version: int) -> Any:
        """The same."""
        return self.send(request)

    def close(self) -> None:
        """Nothing is open."""


def _metadata(request: Any) -> Message:
    names = [TOPIC] if request.topics is None else [each.name for each in request.topics]
    partitions = [
        metadata.MetadataResponsePartition(partition_index=index, leader_id=0, replica_nodes=[0], isr_nodes=[0])
        for index in (0, 1)
    ]
    return metadata.MetadataResponse(
        brokers=[metadata.MetadataResponseBroker(0, "broker", 9092)],
        topics=[
            metadata.MetadataResponseTopic(name=name, partitions=partitions)
            if name == TOPIC
            else metadata.MetadataResponseTopic(error_code=3, name=name)
            for name in names
        ],
    )


def _describe_groups(request: Any) -> Message:
    assigned = WireBuffer()
    assigned += b"\0\0"
    codecs.write(ConsumerProtocolAssignment(assigned_partitions=[AssignedPartitions(TOPIC, [0, 1])]), assigned, 0)
    member = describe_groups.DescribedGroupMember(
        member_id="m", client_id="client", client_host="/127.0.0.1", member_assignment=bytes(assigned)
    )
    return describe_groups.DescribeGroupsResponse(
        groups=[
            describe_groups.DescribedGroup(
                group_id=group_id, group_state="Stable", protocol_data="range", members=[member]
            )
            if group_id == GROUP
            else describe_groups.DescribedGroup(group_id=group_id, group_state="Dead")
            for group_id in request.groups
        ]
    )


def _list_offsets(request: Any) -> Message:
    return list_offsets.ListOffsetsResponse(
        topics=[
            list_offsets.ListOffsetsTopicResponse(
                topic.name,
                [
                    list_offsets.ListOffsetsPartitionResponse(
                        partition_index=each.partition_index, offset=0 if each.timestamp == -2 else END
                    )
                    for each in topic.partitions
                ],
            )
            for topic in request.topics
        ]
    )


def _rebalances() -> str:
    entry = {"started_ms": 1000, "finished_ms": 2000, "generation": 1}
    return json.dumps([{**entry, "reasons": ["a member joined"], "joined": ["m"], "left": []}])


def _retention() -> str:
    roll = Verdict(
        SegmentAction.ROLL, is_due=False, due_ms=LAST_TIMESTAMP_MS, setting="segment.ms", why="it is full of days"
    )
    delete = Verdict(SegmentAction.DELETE, is_due=True, due_ms=None, setting="retention.bytes", why="too large")
    segments = (
        SegmentReport(0, 1000, LAST_TIMESTAMP_MS, "closed", (delete,)),
        SegmentReport(60, 500, LAST_TIMESTAMP_MS, "active", (roll,)),
        SegmentReport(80, 0, None, "active", ()),
    )
    report = RetentionReport(0, END, END, END, 1500, None, None, segments)
    partitions = [
        {"partition": index, "directory": f"/data/{TOPIC}-{index}", "problem": None, **report.as_object()}
        for index in (0, 1)
    ]
    settings = [{"name": "retention.bytes", "value": "1200", "set_by": "topic"}]
    return json.dumps({"topic": TOPIC, "now_ms": LAST_TIMESTAMP_MS, "settings": settings, "partitions": partitions})


_DOCUMENTS = {
    "epochs": lambda: '{"broker_epoch": 25, "controller_epoch": 3}',
    "group": _rebalances,
    "retention": _retention,
}


def _fetch(request: Any) -> Message:
    """No records."""
    return fetch.FetchResponse(
        responses=[
            fetch.FetchableTopicResponse(
                topic=topic.topic,
                partitions=[fetch.PartitionData(each.partition, high_watermark=END) for each in topic.partitions],
            )
            for topic in request.topics
        ]
    )


_ANSWERS: dict[str, Callable[[Any], Any]] = {
    **ANSWERS,
    "MetadataRequest": _metadata,
    "FindCoordinatorRequest": lambda _: find_coordinator.FindCoordinatorResponse(node_id=0, host="broker", port=9092),
    "ListGroupsRequest": lambda _: list_groups.ListGroupsResponse(
        groups=[list_groups.ListedGroup(GROUP, "consumer", "Stable", "classic")]
    ),
    "DescribeGroupsRequest": _describe_groups,
    "OffsetFetchRequest": lambda _: offset_fetch.OffsetFetchResponse(
        topics=[
            offset_fetch.OffsetFetchResponseTopic(
                TOPIC, [offset_fetch.OffsetFetchResponsePartition(0, COMMITTED, metadata="")]
            )
        ]
    ),
    "ListOffsetsRequest": _list_offsets,
    "FetchRequest": _fetch,
    "DeleteGroupsRequest": lambda request: delete_groups.DeleteGroupsResponse(
        results=[delete_groups.DeletableGroupResult(name) for name in request.groups_names]
    ),
    "OffsetDeleteRequest": lambda _: offset_delete.OffsetDeleteResponse(
        topics=[
            offset_delete.OffsetDeleteResponseTopic(TOPIC, [offset_delete.OffsetDeleteResponsePartition(0)]),
        ]
    ),
    "OffsetCommitRequest": lambda _: offset_commit.OffsetCommitResponse(
        topics=[
            offset_commit.OffsetCommitResponseTopic(
                name=TOPIC, partitions=[offset_commit.OffsetCommitResponsePartition(0)]
            ),
        ]
    ),
    "InspectRequest": lambda request: inspect.InspectResponse(document=_DOCUMENTS[request.subject]()),
    "ListTransactionsRequest": lambda _: list_transactions.ListTransactionsResponse(
        transaction_states=[list_transactions.TransactionState(TRANSACTIONAL_ID, PRODUCER_ID, "Ongoing")]
    ),
    "DescribeTransactionsRequest": lambda _: describe_transactions.DescribeTransactionsResponse(
        transaction_states=[
            describe_transactions.TransactionState(
                transactional_id=TRANSACTIONAL_ID,
                transaction_state="Ongoing",
                transaction_timeout_ms=60_000,
                transaction_start_time_ms=LAST_TIMESTAMP_MS,
                producer_id=PRODUCER_ID,
                topics=[describe_transactions.TopicData(TOPIC, [1])],
            )
        ]
    ),
    "DescribeProducersRequest": lambda request: describe_producers.DescribeProducersResponse(
        topics=[
            describe_producers.TopicResponse(
                TOPIC,
                [
                    describe_producers.PartitionResponse(
                        partition_index=0,
                        active_producers=[
                            describe_producers.ProducerState(PRODUCER_ID, 3, 5, LAST_TIMESTAMP_MS, 0, TRANSACTION_START)
                        ],
                    )
                ],
            )
        ]
    ),
    "WriteTxnMarkersRequest": lambda request: write_txn_markers.WriteTxnMarkersResponse(
        markers=[
            write_txn_markers.WritableTxnMarkerResult(
                PRODUCER_ID,
                [
                    write_txn_markers.WritableTxnMarkerTopicResult(
                        TOPIC, [write_txn_markers.WritableTxnMarkerPartitionResult(0)]
                    )
                ],
            )
        ]
    ),
}
