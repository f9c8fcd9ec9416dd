"""Logs with a hole of zeros before valid batches, as a power loss may leave: refused, and truncated for a follower."""

from __future__ import annotations

from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING

import pytest

from wirebroker.model import TopicPartition
from wirebroker.storage.errors import DamagedLogError, StorageError
from wirebroker.tests.storage.fakes.disk import Crash, FakeDisk
from wirebroker.tests.storage.fakes.logs import SMALL, batch, manager, values

if TYPE_CHECKING:
    from wirebroker.storage.log_manager import LogManager

CONFIG = SMALL._replace(segment_bytes=400, index_interval_bytes=100)
SEGMENT = "/data/t-0/00000000000000000003.log"
BATCHES, DAMAGED = 10, 4
"""Of ten batches the fifth is zeros, in the middle of the second of four segments."""


def with_hole(*, flushed: bool = False) -> FakeDisk:
    """A disk as a broker that lost its power left it, with one batch of zeros in the log t-0.

    With *flushed* the recovery point is behind the hole, in the same segment.
    """
    disk = FakeDisk()
    made = manager(disk, CONFIG)
    log = made.get_or_create("t", 0, bytes([1] * 16))
    for n in range(BATCHES):
        log.append_as_leader(batch(b"%d" % n * 50), 0, 0)
        if n == DAMAGED and flushed:
            log.flush()
            made.log_dirs.checkpoint_recovery_points()
    assert [each.base_offset for each in log.segments] == [0, 3, 6, 9]
    left = disk.restarted()
    content = left.content(SEGMENT)
    size = len(content) // 3
    left.overwrite(SEGMENT, content[:size] + bytes(size) + content[-size:])
    return left.restarted()  # so that a power failure leaves the zeros


def truncated(made: LogManager) -> DamagedLogError | None:
    return made.truncate_to_damage("t", 0, CONFIG)


def offsets(made: LogManager) -> list[int]:
    log = made.get("t", 0)
    assert log is not None
    return [offset for offset, _ in values(log)]


def test_the_log_ends_before_the_hole_and_goes_on_there() -> None:
    disk = with_hole()
    made = manager(disk, CONFIG)
    with pytest.raises(StorageError, match="a valid batch is"):
        made.get("t", 0)
    damage = truncated(made)
    assert damage is not None
    assert damage.offset == DAMAGED
    assert made.refused() == {}
    assert offsets(made) == list(range(DAMAGED))
    log = made.get_or_create("t", 0)
    log.append_as_leader(batch(b"again"), 1, 0)
    assert made.close()
    assert offsets(manager(disk, CONFIG)) == list(range(DAMAGED + 1))


@pytest.mark.parametrize(("checkpoint", "lowered"), [(9, DAMAGED), (DAMAGED - 1, DAMAGED - 1)])
def test_the_cleaner_checkpoint_is_not_above_the_end(checkpoint: int, lowered: int) -> None:
    """Records that are fetched again are dirty, as after any truncation."""
    disk = with_hole()
    made = manager(disk, CONFIG)
    made.log_dirs.online[0].checkpoint_cleaner_offset(TopicPartition("t", 0), checkpoint)
    assert truncated(made) is not None
    log = made.get("t", 0)
    assert log is not None
    assert made.log_dirs.cleaner_offset(log) == lowered
    assert manager(disk.restarted(), CONFIG).log_dirs.online[0].cleaner_offsets == {TopicPartition("t", 0): lowered}


def test_only_a_log_that_was_refused_for_damage_is_truncated() -> None:
    disk = FakeDisk()
    made = manager(disk, CONFIG)
    assert truncated(made) is None
    log = made.get_or_create("t", 0)
    log.append_as_leader(batch(b"x"), 0, 0)
    assert truncated(made) is None
    assert offsets(made) == [0]


def test_a_second_fault_leaves_it_refused() -> None:
    disk = with_hole()
    made = manager(disk, CONFIG)
    before = disk.content(SEGMENT)
    disk.overwrite("/data/t-0/00000000000000000000.log", disk.content("/data/t-0/00000000000000000006.log"))
    with pytest.raises(StorageError, match="was refused"):
        truncated(made)
    assert list(made.refused())
    assert disk.content(SEGMENT) == before


def test_a_topic_id_that_the_same_power_loss_has_torn_is_written_anew() -> None:
    disk = with_hole()
    made = manager(disk, CONFIG)
    disk.overwrite("/data/t-0/partition.metadata", disk.content("/data/t-0/partition.metadata")[:25])
    assert truncated(made) is not None
    assert offsets(made) == list(range(DAMAGED))
    made.get_or_create("t", 0, bytes([1] * 16))
    assert made.close()
    again = manager(disk, CONFIG)
    assert again.topic_id("t", 0) == bytes([1] * 16)


def test_a_clean_stop_before_a_torn_topic_id_is_known_again_refuses_nothing() -> None:
    disk = FakeDisk()
    manager(disk, CONFIG).get_or_create("t", 0, bytes([1] * 16)).append_as_leader(batch(b"x"), 0, 0)
    left = disk.restarted()
    left.overwrite("/data/t-0/partition.metadata", left.content("/data/t-0/partition.metadata")[:25])
    made = manager(left, CONFIG)
    assert offsets(made) == [0]
    assert made.close()
    again = manager(left, CONFIG)
    assert offsets(again) == [0]
    assert again.topic_id("t", 0) is None
    again.get_or_create("t", 0, bytes([1] * 16))
    assert again.topic_id("t", 0) == bytes([1] * 16)


def test_a_power_loss_at_any_step_leaves_no_gap() -> None:
    for step in count(1):
        disk = with_hole(flushed=True)
        made = manager(disk, CONFIG)
        disk.crash_at = disk.steps + step
        with suppress(Crash):
            truncated(made)
            break
        for kept in range(disk.unsynced + 1):
            again = manager(disk.after_power_failure(kept), CONFIG)
            truncated(again)
            assert offsets(again) == list(range(DAMAGED))
    assert step > 5
