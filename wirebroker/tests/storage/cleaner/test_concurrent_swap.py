"""Readers beside the exchange of segments: at every bytecode they get the log of before or of afterwards."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from wirebroker.metadata.cache import MetadataCache
from wirebroker.metadata.image import ClusterImage
from wirebroker.model import LeaderAndIsr, TopicPartition
from wirebroker.replication.replica_manager import ReplicaManager
from wirebroker.storage.cleaner.cleaning import Cleaner
from wirebroker.storage.cleaner.segment_swap import swap_in
from wirebroker.storage.errors import SegmentReplaced
from wirebroker.storage.log_reader import LogReader
from wirebroker.tests.storage.cleaner.compacted_log import TOPIC_ID, CompactedLog, KeyedRecord, committed
from wirebroker.tests.storage.fakes.disk import FakeDisk
from wirebroker.tests.storage.fakes.preemption import at_bytecode, at_every_bytecode

if TYPE_CHECKING:
    from collections.abc import Callable


def log_before_swap() -> tuple[CompactedLog, Callable[[], None]]:
    """A log of three segments, of which the first two are one when the function that is returned was called."""
    log = CompactedLog(FakeDisk(), segment_bytes=700, index_interval_bytes=50)
    for number in range(8):
        log.append((b"k%d" % (number % 3), b"%d" % number + bytes(90)), producer=7)
        if number == 4:
            log.append_in_transaction(21, (b"k0", b"aborted"))
            log.end_transaction(21, commit=False)
    log.log.roll()
    log.append((b"active", b"1"))
    job = log.job()
    segments = list(Cleaner(job, log.disk).run())
    assert len(log.log.segments) > 2

    def swap() -> None:
        for segment in segments:
            assert swap_in(log.log, segment, job)

    return log, swap


def _read_into(found: list[KeyedRecord], log: CompactedLog) -> None:
    found += committed(log.log)


def test_a_reader_at_every_bytecode_of_the_exchange() -> None:
    log, swap = log_before_swap()
    before = committed(log.log)
    seen = set()

    def look() -> None:
        found = committed(log.log)
        assert [log.committed[each.offset] for each in found] == found
        assert {each.key: each for each in found} == log.latest()
        assert log.log.reader.find_timestamp(1) is not None
        seen.add(len(found))

    assert at_every_bytecode(swap, look) > 100
    assert seen >= {len(before), len(committed(log.log))}
    log.verify()


def test_the_exchange_at_every_bytecode_of_a_read() -> None:
    number = 0
    while True:
        log, swap = log_before_swap()
        log.log.local_log.segments.close()  # the reader opens the files anew
        found: list[KeyedRecord] = []
        read = partial(_read_into, found, log)
        if not at_bytecode(number, read, swap):
            break
        offsets = [each.offset for each in found]
        assert offsets == sorted(set(offsets))
        assert [log.committed[each.offset] for each in found] == found
        assert {each.key: each for each in found} == log.latest()
        number += 17
    assert number > 200


def test_a_slice_keeps_the_bytes_of_the_old_segment() -> None:
    log, swap = log_before_swap()
    piece = log.log.read(1, 300, log.log.log_end_offset, min_one_batch=True)
    data = piece.tobytes()
    swap()
    assert piece.tobytes() == data
    log.clock.now_ms += 1
    assert log.manager.delete_due_files(log.clock.now_ms)
    assert piece.tobytes() == data
    assert log.temporary_files() == []


def test_another_segment_s_index_is_not_asked_for_aborted_transactions() -> None:
    log, swap = log_before_swap()
    reader, end = log.log.reader, log.log.log_end_offset
    old = [segment.base_offset for segment in log.log.view.segments[:-1]]
    assert len(old) > 1  # the first one's place is taken, the others are in no place
    pieces = [(at, log.log.read(at, 300, end, min_one_batch=True)) for at in old]
    active = log.log.read(log.log.view.active.base_offset, 300, end, min_one_batch=True)
    swap()
    for at, piece in pieces:
        with pytest.raises(SegmentReplaced):
            reader.aborted_transactions(at, piece)
    assert reader.aborted_transactions(active.first_offset, active) == []


async def test_a_committed_read_begins_anew_if_its_segment_is_replaced_in_the_middle(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    log, swap = log_before_swap()
    replicas = ReplicaManager(log.manager, MetadataCache(ClusterImage()), lambda: None)
    partition = replicas.host(TopicPartition("t", 0), TOPIC_ID, log.log, 0)
    await partition.make_leader(LeaderAndIsr(0, 1, (0,), 1, (0,)))
    at = log.log.view.segments[1].base_offset
    ask, swaps = LogReader.aborted_transactions, [swap]

    def swap_and_ask(*asked: Any, **more: Any) -> Any:
        if swaps:
            swaps.pop()()
        return ask(*asked, **more)

    monkeypatch.setattr(LogReader, "aborted_transactions", swap_and_ask)
    found = partition.read(at, 1 << 20, committed=True, to_log_end=False, min_one_batch=True)
    assert not swaps
    assert found.records.segment in log.log.view.segments
    assert found.records.tobytes()


def test_a_view_of_before_reads_the_old_segments_while_they_are_there() -> None:
    log, swap = log_before_swap()
    view = log.log.view
    sizes = [segment.size_bytes for segment in view.segments]
    log.log.local_log.segments.close()
    swap()
    for segment, size in zip(view.segments, sizes, strict=True):
        assert segment.log_file.open().size_bytes() == size
        assert segment.modified_ms() >= 0
        assert next(each.position for each in segment.headers()) == 0
