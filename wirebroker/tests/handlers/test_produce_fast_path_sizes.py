"""The fast path of Produce takes batches of every size, but for those that a thread checks."""

from __future__ import annotations

import os

import pytest

from wirebroker.handlers.produce_fast_path import (
    RECEIVED_AT_ONCE_BYTES,
    serve_known_produce,
)
from wirebroker.protocol.errors import ErrorCode
from wirebroker.record.builder import build_batch
from wirebroker.record.compression import Codec, Compression
from wirebroker.record.record_batch import Record
from wirebroker.record.validate import DECOMPRESSED_AT_ONCE_BYTES, LENGTHS_FOLLOWED_AT_ONCE, AppendRules
from wirebroker.tests.handlers.produce_fast_path_harness import (
    Producer,
    decoded,
    frame,
    records,
    request,
)


def _of_size(size_bytes: int) -> bytes:
    """Return a batch of *size_bytes* bytes; the lengths in its records are varints."""
    for last in range(4):
        most = size_bytes - len(records(b"", bytes(last)))
        for first in range(most, most - 8, -1):
            if len(data := records(bytes(first), bytes(last))) == size_bytes:
                return data
    raise AssertionError(f"no batch of {size_bytes} bytes")


def _compressed(value: bytes) -> bytes:
    return build_batch([Record(0, 1, None, value, [])], compression=Compression(Codec.GZIP))


@pytest.mark.parametrize("version", [7, 9])
@pytest.mark.parametrize(
    "size_bytes", [126, 127, 128, (1 << 14) - 2, (1 << 14) - 1, 1 << 14, 900_000, (1 << 21) - 2, (1 << 21) - 1]
)
async def test_batches_of_every_size_are_taken_after_a_batch_of_any_size(size_bytes: int, version: int) -> None:
    """Flexible versions have the size of the batch, and one, in a varint of one to four bytes."""
    data = _of_size(size_bytes)
    for first in (records(b"a"), data):
        producer = Producer()
        log = producer.partition().log
        log.config = log.config._replace(segment_bytes=1 << 24)
        producer.partition().rules = AppendRules()
        await producer.general(frame(request(("t", 0, first)), version))
        answer = producer.fast(frame(request(("t", 0, data)), version, 2))
        assert answer is not None
        correlation_id, response = decoded(answer, version)
        (partition,) = response.responses[0].partition_responses
        assert (correlation_id, partition.error_code) == (2, ErrorCode.NONE)
        assert producer.fast(frame(request(("t", 0, records(b"b"))), version)) is not None
        sizes = [each.size_bytes for each in log.view.active.headers()]
        assert sizes == [len(first), size_bytes, len(records(b"b"))]


async def test_only_small_requests_are_expected_in_the_shared_buffer() -> None:
    producer = Producer()
    large, small = records(bytes(RECEIVED_AT_ONCE_BYTES)), records(b"a")
    await producer.general(frame(request(("t", 0, large)), 9))
    assert producer.context.serve_known is None
    assert producer.fast(frame(request(("t", 0, large)), 9)) is not None
    assert producer.context.serve_known is None
    assert producer.fast(frame(request(("t", 0, small)), 9)) is not None
    assert producer.context.serve_known is serve_known_produce


@pytest.mark.parametrize("size", [b"\xff\xff\xff\xff", b"\xff" * 200, b"\x80\x80\x80\x80\x80\x01", b"\xff\xff\xff\x7f"])
async def test_a_size_beyond_the_frame_is_left_to_the_general_path(size: bytes) -> None:
    producer = Producer()
    known = frame(request(("t", 0, records())), 9)
    await producer.general(known)
    head = bytes(known[: -len(records()) - 4])
    for more in (b"", bytes(known[-len(records()) - 3 :])):
        assert producer.fast(memoryview(bytearray(head + size + more))) is None
    assert producer.partition().log.log_end_offset == 1


@pytest.mark.parametrize(
    "data",
    [
        records(*[b"v"] * (LENGTHS_FOLLOWED_AT_ONCE + 1)),
        _compressed(os.urandom(DECOMPRESSED_AT_ONCE_BYTES)),
    ],
    ids=["many records", "compressed"],
)
async def test_a_batch_that_a_thread_checks_is_left_to_the_general_path(
    data: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    producer = Producer()
    await producer.general(frame(request(("t", 0, records())), 9))
    monkeypatch.setattr("wirebroker.replication.partition.check_header", None)  # not even the checksum is computed
    assert producer.fast(frame(request(("t", 0, data)), 9)) is None
    assert producer.partition().log.log_end_offset == 1
