"""Bytes that are no message: ProtocolError, nothing else, and no memory beyond what the bytes justify."""

from __future__ import annotations

import tracemalloc
from contextlib import suppress
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.codegen.codecs import encode, read
from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.messages.create_topics import CreateTopicsRequest
from wirebroker.protocol.messages.fetch import FetchRequest, FetchResponse
from wirebroker.protocol.messages.metadata import MetadataRequest
from wirebroker.protocol.messages.produce import ProduceRequest
from wirebroker.tests.protocol.samples import all_messages, sample

if TYPE_CHECKING:
    from tools.codegen.model import MessageSpec
    from wirebroker.protocol.message import Message

MESSAGES = [pytest.param(cls, spec, id=spec.name) for cls, spec in all_messages()]
each_message = pytest.mark.parametrize(("cls", "spec"), MESSAGES)


@each_message
def test_every_truncation_is_refused(cls: type[Message], spec: MessageSpec) -> None:
    for version in spec.versions:
        data = encode(sample(cls, spec, version, Random(f"{spec.name} {version}"), most=1), version)
        step = max(1, len(data) // 40)
        for length in range(0, len(data), step):
            for buffer in (data[:length], memoryview(data)[:length]):
                with pytest.raises(ProtocolError):
                    read(cls, buffer, 0, version)


@each_message
def test_mutations_decode_or_are_refused(cls: type[Message], spec: MessageSpec) -> None:
    for version in spec.versions:
        random = Random(f"{spec.name} {version}")
        data = encode(sample(cls, spec, version, random), version)
        for _ in range(10 if data else 0):
            mutated = bytearray(data)
            for _ in range(random.randint(1, 4)):
                mutated[random.randrange(len(mutated))] = random.choice((0, 1, 0x7F, 0x80, 0xFE, 0xFF))
            with suppress(ProtocolError):
                _, at = read(cls, bytes(mutated), 0, version)
                assert at <= len(mutated)


@each_message
@settings(max_examples=10)
@given(data=st.data())
def test_arbitrary_bytes_decode_or_are_refused(cls: type[Message], spec: MessageSpec, data: st.DataObject) -> None:
    version = data.draw(st.sampled_from(list(spec.versions)))
    buffer = data.draw(st.binary(max_size=200))
    with suppress(ProtocolError):
        _, at = read(cls, buffer, 0, version)
        assert at <= len(buffer)


def test_unknown_version() -> None:
    with pytest.raises(ProtocolError, match="no version 99"):
        ProduceRequest.read(b"", 0, 99)


# Message, version, bytes, what the refusal says.  Produce requests begin with transactional id, acks, timeout.
PRODUCE_3 = "ffff 0001 00000000 "
PRODUCE_9 = "00 0001 00000000 "
REFUSED = [
    (ProduceRequest, 3, PRODUCE_3 + "ffffffff", "topic_data is null"),
    (ProduceRequest, 3, PRODUCE_3 + "fffffffe", "topic_data is null"),
    (ProduceRequest, 3, PRODUCE_3 + "7fffffff", "do not fit"),
    (ProduceRequest, 3, PRODUCE_3 + "00000001 ffff 00000000", "name is null"),
    (ProduceRequest, 3, PRODUCE_3 + "00000001 7fff 00000000", "error|requires"),
    (ProduceRequest, 3, PRODUCE_3 + "00000001 0001 61 00000001 00000000 7fffffff", "bytes short"),
    (ProduceRequest, 3, PRODUCE_3 + "00000001 0001 61 00000001 00000000 00000002 01", "1 bytes short"),
    (ProduceRequest, 9, PRODUCE_9 + "00 00", "topic_data is null"),
    (ProduceRequest, 9, PRODUCE_9 + "ffffffffff0f 00", "more than five"),
    (ProduceRequest, 9, PRODUCE_9 + "ffffffff0f 00", "do not fit"),
    (ProduceRequest, 9, PRODUCE_9 + "01 01 00 05 61", "past the end"),
    (ProduceRequest, 9, PRODUCE_9 + "01 05 00 00 01 00", "out of bounds"),
    (MetadataRequest, 0, "00000002 0001 61", "do not fit"),
    (MetadataRequest, 1, "0000", "unpack_from"),
    (CreateTopicsRequest, 0, "00000001 0001 61 00000001 0001 00000000 ffffffff 00000000", "configs is null"),
]


@pytest.mark.parametrize(("cls", "version", "data", "why"), REFUSED)
def test_refusals(cls: type[Message], version: int, data: str, why: str) -> None:
    with pytest.raises(ProtocolError, match=why):
        read(cls, bytes.fromhex(data), 0, version)


@pytest.mark.parametrize(
    ("cls", "version", "data"),
    [
        (ProduceRequest, 3, PRODUCE_3 + "00000001 0002 c328 00000000"),
        (ProduceRequest, 9, PRODUCE_9 + "02 03 c328 01 00 00"),
    ],
)
def test_bytes_that_are_not_utf8_are_replaced(cls: type[Message], version: int, data: str) -> None:
    message, _ = read(cls, bytes.fromhex(data), 0, version)
    assert isinstance(message, ProduceRequest)
    assert [topic.name for topic in message.topic_data] == ["\ufffd("]


# Seen on Kafka 2.0.1 and 3.9.1: any negative length or count reads as null where null is allowed.
LENIENT = [
    (MetadataRequest, 1, "fffffffe", "topics"),
    (MetadataRequest, 1, "80000000", "topics"),
    (ProduceRequest, 3, "fffe 0001 00000000 00000000", "transactional_id"),
    (FetchResponse, 4, "00000000 00000001 0001 61 00000001" + "00" * 22 + "fffffffe fffffffe", None),
]


@pytest.mark.parametrize(("cls", "version", "data", "name"), LENIENT)
def test_any_negative_length_is_null(cls: type[Message], version: int, data: str, name: str | None) -> None:
    message, _ = read(cls, bytes.fromhex(data), 0, version)
    if name is not None:
        assert getattr(message, name) is None
    else:
        assert isinstance(message, FetchResponse)
        partition = message.responses[0].partitions[0]
        assert partition.aborted_transactions is None
        assert partition.records is None


@pytest.mark.parametrize(("version", "count"), [(4, b"\x7f\xff\xff\xff"), (12, b"\xff\xff\xff\xff\x07")])
def test_announced_lengths_cost_no_memory(version: int, count: bytes) -> None:
    """The largest count in every place in turn: memory stays near the size of the input."""
    spec = next(spec for cls, spec in all_messages() if cls is FetchRequest)
    data = encode(sample(FetchRequest, spec, version, Random(5), most=3), version)
    tracemalloc.start()
    try:
        for at in range(len(data) - len(count)):
            huge = data[:at] + count + data[at + len(count) :]
            with suppress(ProtocolError):
                read(FetchRequest, huge, 0, version)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 200 * len(data) + 100_000
