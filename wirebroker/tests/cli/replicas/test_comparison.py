"""Replicas are compared batch by batch, below the least high watermark; each checksum is computed from the bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from wirebroker.cli.main import main
from wirebroker.cli.replicas.comparison import BatchSummary, Comparison, ReplicaBatches, compare, verify_partition
from wirebroker.model import TopicPartition
from wirebroker.protocol.messages.fetch import FetchableTopicResponse, FetchResponse, PartitionData
from wirebroker.record.builder import simple_batch
from wirebroker.record.record_batch import HEADER_SIZE, LENGTH_AT, RecordBatch, batches
from wirebroker.tests.cli.fake_cluster import TOPIC, FakeConnection

if TYPE_CHECKING:
    from wirebroker.protocol.messages.fetch import FetchRequest

AT = TopicPartition("t", 0)
EPOCH = 1


def replica(high_watermark: int, *batches: tuple[int, int]) -> ReplicaBatches:
    return ReplicaBatches(high_watermark, [BatchSummary(*each, EPOCH) for each in batches])


def test_equal_replicas_are_compared_up_to_the_least_high_watermark() -> None:
    found = {1: replica(10, (4, 7), (9, 8)), 2: replica(6, (4, 7), (9, 0))}
    assert compare(AT, found, 0) == Comparison(5)


def test_a_replica_that_lacks_a_batch_yet_is_not_different() -> None:
    assert compare(AT, {1: replica(10, (4, 7), (9, 8)), 2: replica(10, (4, 7))}, 0) == Comparison(5)
    assert compare(AT, {1: replica(10, (4, 7)), 2: replica(10, (4, 7), (9, 8))}, 0) == Comparison(5)
    assert compare(AT, {1: replica(10, (4, 7)), 2: replica(0)}, 0) == Comparison(0)


def test_a_replica_without_the_batch_at_the_offset_is_different() -> None:
    assert compare(AT, {1: replica(9, (4, 7)), 2: replica(9)}, 0) == Comparison(
        0, ("partition t-0: replica 2 has no batch at offset 0",)
    )


def test_differences_are_told_in_kafkas_words() -> None:
    assert compare(AT, {1: replica(9, (4, 7)), 2: replica(9, (4, 8))}, 0) == Comparison(
        0, ("partition t-0 has unmatched checksum at offset 4; replica 1's checksum 7; replica 2's checksum 8",)
    )
    for last_offset in (3, 1 << 40):
        assert compare(AT, {1: replica(9, (4, 7)), 2: replica(9, (last_offset, 7))}, 0) == Comparison(
            0, (f"partition t-0: replica 1's offset 4 doesn't match replica 2's offset {last_offset}",)
        )
    other = ReplicaBatches(9, [BatchSummary(4, 7, EPOCH + 1)])
    assert compare(AT, {1: replica(9, (4, 7)), 2: other}, 0) == Comparison(
        0,
        (
            "partition t-0 has unmatched leader epoch at offset 4; replica 1's leader epoch 1;"
            " replica 2's leader epoch 2",
        ),
    )


class Replica:
    """A connection to a broker that has *log*, of which it sends the whole batches from the offset asked for on."""

    def __init__(self, log: bytes, high_watermark: int = 10) -> None:
        self._log, self._high_watermark = log, high_watermark

    def version(self, request: type[FetchRequest], highest: int) -> int:
        return highest

    def send(self, request: FetchRequest, highest: int) -> FetchResponse:
        asked = request.topics[0].partitions[0]
        found = PartitionData(
            asked.partition,
            high_watermark=self._high_watermark,
            records=self._log[self._position(asked.fetch_offset) :],
        )
        return FetchResponse(responses=[FetchableTopicResponse(request.topics[0].topic, partitions=[found])])

    def _position(self, offset: int) -> int:
        position = 0
        for each in batches(LOG):
            if each.last_offset >= offset:
                break
            position += each.size_bytes
        return position


LOG = simple_batch([b"a", b"b", b"c", b"d", b"e"]) + simple_batch([b"f", b"g", b"h", b"i", b"j"], base_offset=5)
SECOND = RecordBatch.parse(LOG).size_bytes


def flipped(position: int, mask: int = 1) -> bytes:
    return LOG[:position] + bytes([LOG[position] ^ mask]) + LOG[position + 1 :]


def verified(*logs: bytes) -> Any:
    replicas: Any = {broker_id: Replica(log) for broker_id, log in enumerate(logs, 1)}
    return verify_partition(AT, replicas, 0, 1 << 20)


def test_equal_logs_are_equal() -> None:
    assert verified(LOG, LOG) == (10, 10, (), ())


@pytest.mark.parametrize("replica_id", [1, 2])
def test_a_batch_whose_bytes_do_not_have_its_checksum_is_corrupt(replica_id: int) -> None:
    logs = [LOG, LOG]
    logs[replica_id - 1] = flipped(SECOND + HEADER_SIZE + 5)
    crc = RecordBatch.parse(LOG, SECOND).crc
    line = (
        f"partition t-0: replica {replica_id} is corrupt at offset 9: {crc} is not the checksum of the batch's bytes;"
        f" check the log directories of broker {replica_id} with `wirebroker log verify`"
    )
    assert verified(*logs) == (5, 10, (), (line,))


def test_each_flipped_bit_is_found() -> None:
    for bit in range(8 * len(LOG)):
        log = flipped(bit // 8, 1 << bit % 8)
        for logs in ((LOG, log), (log, LOG)):
            found = verified(*logs)
            assert found.mismatches or found.corruptions, bit


def test_a_batch_with_a_damaged_length_is_no_batch() -> None:
    assert verified(LOG, flipped(SECOND + LENGTH_AT)) == (
        5,
        10,
        ("partition t-0: replica 2 has no batch at offset 5",),
        (),
    )


def test_the_command_fails_for_a_corrupt_replica(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class CorruptReplica(FakeConnection):
        def send(self, request: Any, highest: int | None = None) -> Any:
            if type(request).__name__ == "FetchRequest":
                return Replica(flipped(len(LOG) - 1)).send(request, 12)
            return super().send(request, highest)

    monkeypatch.setattr("wirebroker.client.admin.Connection", CorruptReplica)
    monkeypatch.setattr("os.environ", {})
    assert main(["replicas", "verify", "-b", "broker:9092", "--format", "text"]) == 1
    out, err = capsys.readouterr()
    assert [line.split()[-1] for line in out.splitlines()] == ["corrupt", "corrupt"]
    assert f"partition {TOPIC}-0: replica 0 is corrupt at offset 9: " in err
