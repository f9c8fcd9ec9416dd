"""Versions of APIs that came with Apache Kafka 4.1 and 4.2, answered as its newest release answers them.

Fetch 18 (KIP-1166), ListOffsets 11 (KIP-1023), OffsetCommit and OffsetFetch 10 (topic ids), WriteTxnMarkers 2
(KIP-1228), ListConfigResources 1 (KIP-1142).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from compat_tests.comparison import SideBySide
from compat_tests.conftest import unique_name, wait_until
from compat_tests.kafka_requests import NOW, batch, fetch, init_producer_id, list_offsets, produce
from compat_tests.versions import NEWEST_KAFKA
from tools.jvm.kafka import KafkaBroker
from wirebroker.protocol.message import Data
from wirebroker.protocol.messages.add_partitions_to_txn import AddPartitionsToTxnRequest, AddPartitionsToTxnTopic
from wirebroker.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from wirebroker.protocol.messages.describe_producers import DescribeProducersRequest, TopicRequest
from wirebroker.protocol.messages.fetch import FetchPartition
from wirebroker.protocol.messages.find_coordinator import FindCoordinatorRequest
from wirebroker.protocol.messages.list_config_resources import ListConfigResourcesRequest
from wirebroker.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from wirebroker.protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopics,
)
from wirebroker.protocol.messages.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from compat_tests.broker import Wirebroker
    from compat_tests.comparison import Answers, Side
    from tools.jvm.kafka import KafkaDist
    from wirebroker.protocol.message import Message
    from wirebroker.protocol.messages.produce import ProduceRequest

UNKNOWN_ID = bytes(range(16))
NO_ID = bytes(16)
IDS = 10
"""The version of OffsetCommit and OffsetFetch from which topics have ids."""


@pytest.fixture(scope="module")
def comparison(
    kafka_dist: Callable[[str], KafkaDist], wirebroker: Wirebroker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SideBySide]:
    """The newest release beside wirebroker, in place of the one that the other tests have."""
    with KafkaBroker(kafka_dist(NEWEST_KAFKA), tmp_path_factory.mktemp("newest")) as newest:
        comparison = SideBySide(newest, wirebroker)
        for side in comparison.sides:
            await_coordinator(side)
        yield comparison
        comparison.close()


def await_coordinator(side: Side) -> None:
    """Wait for the group coordinator: the first FindCoordinator creates __consumer_offsets."""

    def found() -> bool:
        request = FindCoordinatorRequest(key_type=0, coordinator_keys=["newest"])
        coordinator = side.ask(request, 4).coordinators[0]
        if coordinator.error_code:
            return False
        group = OffsetFetchRequestGroup(group_id="newest", topics=None)
        return not side.ask(OffsetFetchRequest(groups=[group]), 9).groups[0].error_code

    wait_until(found)


@pytest.fixture
def topic(both: SideBySide) -> str:
    name = both.create_topic(unique_name("newest"), partitions=2)
    for start in (1000, 5000, 3000):
        both.ask(produce(name, batch(b"a", b"b", timestamp=NOW + start)), 9)
    return name


def test_list_config_resources(both: SideBySide, topic: str) -> None:
    for kinds in ([16], [32], [16, 32], [3], [2, 99]):
        both.ask(ListConfigResourcesRequest(kinds), 1, label=f"kinds {kinds}")
    for side in both.sides:
        found = side.ask(ListConfigResourcesRequest([2]), 1).config_resources  # with other tests' topics
        assert topic in {each.resource_name for each in found}
        assert {each.resource_type for each in found} == {2}
        found = side.ask(ListConfigResourcesRequest(), 1).config_resources
        assert (2, topic) in {(each.resource_type, each.resource_name) for each in found}
        assert {each.resource_type for each in found} == {2, 4, 8}


def test_fetch(both: SideBySide, topic: str) -> None:
    def ask(label: str, wanted: Callable[[], FetchPartition], **more: Any) -> Answers:
        def request(side: Side) -> Any:
            return fetch(18, {(topic, side.topic_ids[topic], 0): wanted()}, **more)

        return both.ask(request, 18, label=label)

    answers = ask("from the start", lambda: FetchPartition(fetch_offset=0))
    assert all(len(bytes(answers.of(side).responses[0].partitions[0].records)) > 0 for side in both.sides)
    for mark in (0, 3, 6, 7, 2**63 - 1):
        for offset in (0, 6):
            ask(f"knows {mark}", lambda: FetchPartition(fetch_offset=offset, high_watermark=mark))  # noqa: B023
    ask("beyond", lambda: FetchPartition(fetch_offset=7))
    both.ask(lambda _: fetch(18, {(topic, UNKNOWN_ID, 0): 0}), 18, label="an id that is nobody's")


@pytest.mark.parametrize("version", [10, 11])
def test_list_offsets(both: SideBySide, topic: str, version: int) -> None:
    for timestamp in (-1, -2, -3, -4, -5, -6, -7, NOW + 1000, NOW + 5001, NOW + 9000):
        for partition in (0, 1, 2):
            both.ask(
                list_offsets(topic, timestamp, partition=partition, timeout_ms=1000),
                version,
                label=f"{timestamp} of partition {partition}",
            )
    for isolation in (0, 1):
        request = list_offsets(topic, -6, isolation_level=isolation, timeout_ms=1000)
        both.ask(request, version, label=f"isolation {isolation}")


def commit(group: str, *topics: tuple[str, bytes, list[int]], offset: int = 5, **more: Any) -> OffsetCommitRequest:
    wanted = [
        OffsetCommitRequestTopic(
            name=name,
            topic_id=topic_id,
            partitions=[
                OffsetCommitRequestPartition(partition_index=index, committed_offset=offset, committed_metadata="m")
                for index in indexes
            ],
        )
        for name, topic_id, indexes in topics
    ]
    return OffsetCommitRequest(group_id=group, topics=wanted, **more)


def committed(group: str, *topics: tuple[str, bytes, list[int]], everything: bool = False) -> OffsetFetchRequest:
    wanted = None if everything else [OffsetFetchRequestTopics(*each) for each in topics]
    return OffsetFetchRequest(groups=[OffsetFetchRequestGroup(group_id=group, topics=wanted)])


def test_commits(both: SideBySide, topic: str) -> None:
    group, other = unique_name("newest"), both.create_topic(unique_name("newest"))

    def ask(label: str, *topics: tuple[str, list[int]], **more: Any) -> None:
        def wanted(side: Side) -> list[tuple[str, bytes, list[int]]]:
            ids = {"nobody's": UNKNOWN_ID, "": NO_ID, **side.topic_ids}
            return [("", ids[name], indexes) for name, indexes in topics]

        agree(both, lambda side: commit(group, *wanted(side), **more), f"commit {label}")
        agree(both, lambda side: committed(group, *wanted(side)), f"fetch {label}")
        agree(both, lambda _: committed(group, everything=True), f"everything after {label}")

    ask("nothing")
    ask("one", (topic, [0]))
    ask("more", (topic, [1, 0]), (other, [0]), offset=7)
    ask("not there", ("nobody's", [0, 1]))
    ask("no id", ("", [0]))
    ask("mixed", ("nobody's", [3]), (topic, [0, 9]), ("", [1]), (other, [0]), offset=9)
    ask("a stranger", (topic, [0]), ("nobody's", [0]), member_id="who", generation_id_or_member_epoch=3)
    agree(both, lambda _: committed(f"{group}-not", everything=True), "of a group that is not")
    # not everything of it: other tests commit offsets without a group to the same wirebroker
    agree(both, lambda side: committed("", ("", side.topic_ids[topic], [0, 9])), "of no group")


def agree(both: SideBySide, request: Callable[[Side], Message], label: str, version: int = IDS) -> None:
    """Both answer the same, in whatever order: Apache Kafka's is that of a hash map."""
    kafka, ours = (
        told(
            side.ask(request(side), version),
            {value: name for name, value in side.topic_ids.items()},
        )
        for side in both.sides
    )
    assert ours == kafka, label


def told(value: object, names: dict[bytes, str]) -> object:
    """*value* with topics' names for their ids, and its lists sorted."""
    if isinstance(value, Data):
        return {field: told(getattr(value, field), names) for field in value.FIELDS if field != "producer_id"}
    if isinstance(value, list):
        return sorted((told(each, names) for each in value), key=repr)
    return names.get(value, value) if isinstance(value, bytes) else value


def test_offsets_of_a_topic_that_was_deleted(both: SideBySide) -> None:
    """With the id of the deleted topic; the offsets are deleted with the topic."""
    group, name = unique_name("newest"), both.create_topic(unique_name("newest"))
    agree(both, lambda side: commit(group, ("", side.topic_ids[name], [0])), "while it is there")
    for side in both.sides:
        state = DeleteTopicState(name, NO_ID)
        assert not side.ask(DeleteTopicsRequest([state], timeout_ms=50_000), 6).responses[0].error_code

        def is_gone(side: Side = side) -> bool:
            answer = side.ask(committed(group, everything=True), IDS)
            return not answer.groups[0].topics

        wait_until(is_gone)
    agree(both, lambda side: committed(group, ("", side.topic_ids[name], [0])), "fetch")
    agree(both, lambda side: commit(group, ("", side.topic_ids[name], [0])), "commit")


@pytest.mark.parametrize("epoch", [-1, 0, 1])
@pytest.mark.parametrize(("version", "transaction_version"), [(1, 0), (2, 0), (2, 1), (2, 2)])
def test_markers(both: SideBySide, version: int, transaction_version: int, epoch: int) -> None:
    """With an epoch below, of and above that of the data: while the transaction is open, and then once more."""
    name, transactional_id = both.create_topic(unique_name("newest")), unique_name("newest")
    producers = {side.name: begun(side, transactional_id, name) for side in both.sides}
    for side in both.sides:
        side.named("producer", producers[side.name][0])

    def data(side: Side) -> ProduceRequest:
        producer_id, own_epoch = producers[side.name]
        who: dict[str, Any] = {"producer_id": producer_id, "producer_epoch": own_epoch, "base_sequence": 0}
        return produce(name, batch(b"v", transactional=True, **who), transactional_id=transactional_id)

    def marker(side: Side) -> WriteTxnMarkersRequest:
        producer_id, own_epoch = producers[side.name]
        topics = [WritableTxnMarkerTopic(name, [0, 7])]
        made = WritableTxnMarker(producer_id, own_epoch + epoch, False, topics, 0, transaction_version)
        return WriteTxnMarkersRequest([made])

    both.ask(data, 9, label="data")
    for when in ("open", "again"):
        agree(both, marker, when, version)
        for isolation in (0, 1):
            both.ask(list_offsets(name, -1, isolation_level=isolation), 4, label=f"{when}, isolation {isolation}")
        both.ask(DescribeProducersRequest([TopicRequest(name, [0])]), 0, label=f"{when}, producers")


def begun(side: Side, transactional_id: str, topic: str) -> tuple[int, int]:
    """Producer id and epoch, 1 at least, of a transaction that *topic* is in."""
    known: dict[str, Any] = {}

    def is_begun() -> bool:
        side.ask(FindCoordinatorRequest(key_type=1, coordinator_keys=[transactional_id]), 4)
        known["answer"] = side.ask(init_producer_id(transactional_id=transactional_id), 4)
        return not known["answer"].error_code and known["answer"].producer_epoch > 0

    wait_until(is_begun)
    answer = known["answer"]
    added = AddPartitionsToTxnRequest(
        v3_and_below_transactional_id=transactional_id,
        v3_and_below_producer_id=answer.producer_id,
        v3_and_below_producer_epoch=answer.producer_epoch,
        v3_and_below_topics=[AddPartitionsToTxnTopic(topic, [0])],
    )
    found = side.ask(added, 3).results_by_topic_v3_and_below[0].results_by_partition[0]
    assert not found.partition_error_code
    return answer.producer_id, answer.producer_epoch
