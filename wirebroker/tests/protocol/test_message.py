"""Behaviour that all generated classes share, and fields that a version cannot carry."""

from __future__ import annotations

import pytest

from tools.codegen.codecs import decode, encode, encode_record, message_class
from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.internal.consumer_offsets import (
    ClassicMemberMetadata,
    ConsumerGroupMemberMetadataValue,
    OffsetCommitKey,
    OffsetCommitValue,
)
from wirebroker.protocol.internal.transaction_state import TransactionLogValue
from wirebroker.protocol.message import record_version
from wirebroker.protocol.messages.delete_topics import DeletableTopicResult, DeleteTopicsResponse
from wirebroker.protocol.messages.fetch import (
    EpochEndOffset,
    FetchResponse,
    LeaderIdAndEpoch,
    PartitionData,
    SnapshotId,
)
from wirebroker.protocol.messages.init_producer_id import InitProducerIdRequest
from wirebroker.protocol.messages.join_group import JoinGroupRequest
from wirebroker.protocol.messages.list_offsets import ListOffsetsRequest
from wirebroker.protocol.messages.metadata import MetadataRequest
from wirebroker.protocol.messages.produce import ProduceRequest


def test_equality_is_by_class_and_value() -> None:
    assert EpochEndOffset(1, 2) == EpochEndOffset(1, 2)
    assert EpochEndOffset(1, 2) != EpochEndOffset(1, 3)
    assert EpochEndOffset(1, 1) != SnapshotId(1, 1)
    assert EpochEndOffset() != "EpochEndOffset()"


def test_repr() -> None:
    assert repr(EpochEndOffset(1, 2)) == "EpochEndOffset(epoch=1, end_offset=2)"


def test_lists_are_fresh_and_structs_are_sealed() -> None:
    one, other = FetchResponse(), FetchResponse()
    one.responses.append(PartitionData())  # type: ignore[arg-type]
    assert other.responses == []
    partition = PartitionData()
    assert partition.current_leader == LeaderIdAndEpoch(-1, -1)
    with pytest.raises(AttributeError, match="replace it to set leader_id"):
        partition.current_leader.leader_id = 4


def test_null_is_not_the_default_of_a_nullable_list() -> None:
    assert MetadataRequest().topics == []
    assert MetadataRequest(topics=None).topics is None


def test_no_attributes_but_the_fields() -> None:
    with pytest.raises(AttributeError):
        MetadataRequest().topicz = []  # type: ignore[attr-defined]


def test_a_version_refuses_fields_that_it_lacks() -> None:
    with pytest.raises(ValueError, match="group_instance_id is set"):
        encode(JoinGroupRequest(group_instance_id="i"), 4)
    assert encode(InitProducerIdRequest(producer_id=5), 3)
    with pytest.raises(ValueError, match="producer_id is set"):
        encode(InitProducerIdRequest(producer_id=5), 2)


def test_ignorable_fields_are_dropped() -> None:
    with_timeout, without = ListOffsetsRequest(timeout_ms=9), ListOffsetsRequest()
    assert encode(with_timeout, 9) == encode(without, 9)
    assert encode(with_timeout, 10) != encode(without, 10)


def test_a_version_refuses_a_null_that_it_cannot_carry() -> None:
    with pytest.raises(ValueError, match="topics may not be null"):
        encode(MetadataRequest(topics=None), 0)
    with pytest.raises(ValueError, match="name may not be null"):
        encode(DeleteTopicsResponse(responses=[DeletableTopicResult(name=None)]), 5)


def test_numbers_and_texts_that_do_not_fit() -> None:
    with pytest.raises(ValueError, match="ProduceRequest version 3"):
        encode(ProduceRequest(acks=1 << 15), 3)
    with pytest.raises(ValueError, match="ProduceRequest version 3"):
        encode(ProduceRequest(transactional_id="x" * 32768), 3)
    with pytest.raises(ValueError, match="ProduceRequest version 99"):
        encode(ProduceRequest(), 99)


def test_nullable_struct() -> None:
    heartbeat = message_class("ConsumerGroupHeartbeatResponse")
    absent = encode(heartbeat(assignment=None), 0)
    assert absent[-2:] == b"\xff\0"
    assert decode(heartbeat, absent, 0).assignment is None


# As Apache Kafka 4.3 writes them: where a null struct is tagged, its mark is 0 and not -1.
MEMBER = [
    (None, "00 00 01 01 01 00 ffffffff 00 01 00 01 00"),
    (ClassicMemberMetadata(5, []), "00 00 01 01 01 00 ffffffff 00 01 00 07 01 00000005 01 00"),
    (ClassicMemberMetadata(), "00 00 01 01 01 00 ffffffff 00 00"),
]


@pytest.mark.parametrize(("classic", "data"), MEMBER)
def test_tagged_nullable_struct(classic: ClassicMemberMetadata | None, data: str) -> None:
    value = ConsumerGroupMemberMetadataValue(None, None, subscribed_topic_regex=None, server_assignor=None)
    value.classic_member_metadata = classic
    assert encode(value, 0).hex(" ") == bytes.fromhex(data).hex(" ")
    assert ConsumerGroupMemberMetadataValue.read(bytes.fromhex(data), 0, 0)[0] == value


def test_records_of_internal_topics() -> None:
    key = OffsetCommitKey("group", "flights", 3)
    assert encode_record(key, 1).hex() == "0001000567726f75700007666c696768747300000003"
    assert OffsetCommitKey.from_record(encode_record(key, 1)) == key
    value = OffsetCommitValue(offset=7, leader_epoch=2, metadata="m", commit_timestamp=1000)
    data = value.to_record(3)
    assert data.hex() == "0003" + "0000000000000007" + "00000002" + "00016d" + "00000000000003e8"
    assert record_version(data) == 3
    assert OffsetCommitValue.from_record(memoryview(data)) == value
    empty = TransactionLogValue(1, producer_epoch=2, transaction_timeout_ms=60000, transaction_partitions=None)
    assert TransactionLogValue.from_record(empty.to_record(0)) == empty


@pytest.mark.parametrize("data", ["", "00", "0063", "ffff", "0001 00"])
def test_bad_internal_records(data: str) -> None:
    with pytest.raises(ProtocolError):
        OffsetCommitKey.from_record(bytes.fromhex(data))
