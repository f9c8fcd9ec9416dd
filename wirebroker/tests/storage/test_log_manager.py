"""The log directories: creating, deleting, starting, stopping, and what a start finds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from wirebroker.model import TopicPartition
from wirebroker.storage.errors import LoadingStopped, StorageError
from wirebroker.storage.log_manager import LogManager
from wirebroker.storage.threads import run_all
from wirebroker.tests.storage.fakes.disk import FakeDisk
from wirebroker.tests.storage.fakes.logs import DIR, SMALL, Clock, batch, high_watermarks, manager, values

if TYPE_CHECKING:
    from wirebroker.storage.log import Log

ID, OTHER_ID = bytes(range(16)), bytes(range(16, 32))
TWO = (Path("/one"), Path("/two"))


def fill(log: Log, count: int = 3) -> None:
    for n in range(count):
        log.append_as_leader(batch(b"%d" % n, timestamp=1_000_000), 0, 0)


def test_partitions_spread_over_the_directories_and_are_found_again() -> None:
    disk = FakeDisk()
    made = manager(disk, SMALL, None, *TWO)
    for partition in range(5):
        fill(made.get_or_create("t", partition, ID), partition)
    assert [made.get_or_create("t", partition).directory.parent for partition in range(5)] == [*TWO, *TWO, TWO[0]]
    made.close()
    again = manager(disk, SMALL, None, *TWO)
    assert again.was_clean
    assert sorted(log.log_end_offset for log in again.logs()) == [0, 1, 2, 3, 4]
    assert again.topic_id("t", 3) == ID
    assert again.get("t", 5) is None
    assert again.get("u", 0) is None


def test_a_clean_start_reads_no_records(monkeypatch: pytest.MonkeyPatch) -> None:
    disk = FakeDisk()
    made = manager(disk)
    fill(made.get_or_create("t", 0), 20)
    made.close()
    monkeypatch.setattr(
        "wirebroker.storage.integrity.recovery.recover_segment", lambda *_: pytest.fail("a segment was read")
    )
    assert manager(disk).get_or_create("t", 0).log_end_offset == 20
    assert "/data/.kafka_cleanshutdown" not in disk.names  # a crash from here on is one


def test_after_a_crash_the_start_was_not_clean() -> None:
    disk = FakeDisk()
    assert manager(disk).was_clean  # nothing there
    fill(manager(disk.restarted()).get_or_create("t", 0))
    made = manager(disk)
    made.get_or_create("t", 0)
    assert not manager(disk.restarted()).was_clean


def test_a_directory_is_used_by_one_broker_at_a_time() -> None:
    disk = FakeDisk()
    first = manager(disk)
    with pytest.raises(StorageError, match="in use"):
        manager(disk)
    first.close()
    manager(disk)


def test_delete_takes_the_directory_out_of_sight_and_its_files_away_later() -> None:
    disk, clock = FakeDisk(), Clock(0)
    made = manager(disk, SMALL, clock)
    log = made.get_or_create("t", 0, ID)
    fill(log)
    piece = log.read(0, 1000, 3, min_one_batch=True)
    before = piece.tobytes()
    made.delete("t", 0)
    assert made.get("t", 0) is None
    (doomed,) = [path for path in disk.directories if path.startswith("/data/t-0")]
    name = doomed.removeprefix("/data/t-0.")
    assert len(name) == 32 + len("-delete")
    assert name.endswith("-delete")
    assert made.delete_due_files(59_999) == 0
    assert made.delete_due_files(60_000) == 1
    assert not [path for path in [*disk.names, *disk.directories] if path.startswith("/data/t-0")]
    assert piece.tobytes() == before
    made.delete("t", 0)  # nothing to do


def test_a_deletion_that_a_stop_interrupted_is_finished_by_the_next_start() -> None:
    disk = FakeDisk()
    made = manager(disk)
    fill(made.get_or_create("t", 0))
    made.delete("t", 0)
    made = manager(disk.restarted())
    assert made.logs() == []
    assert made.delete_due_files(1 << 60) == 1


def test_a_long_name_is_cut_to_fit() -> None:
    disk = FakeDisk()
    made = manager(disk)
    made.get_or_create("t" * 249, 0)
    made.delete("t" * 249, 0)
    (doomed,) = [path.rsplit("/", 1)[1] for path in disk.directories if path.endswith("-delete")]
    assert len(doomed) == 255


@pytest.mark.parametrize("crash", [False, True])
def test_a_topic_made_again_under_its_old_name_starts_empty(crash: bool) -> None:
    """The checkpoints of the deleted log must not refuse the new one."""
    disk = FakeDisk()
    made = manager(disk)
    log = made.get_or_create("t", 0, ID)
    fill(log, 20)
    log.delete_records(10)
    log.flush()
    made.log_dirs.checkpoint_recovery_points()
    made.log_dirs.checkpoint_log_starts()
    made.delete("t", 0)
    fill(made.get_or_create("t", 0, OTHER_ID), 2)
    if crash:
        disk = disk.restarted()
    else:
        made.close()
    log = manager(disk).get_or_create("t", 0, OTHER_ID)
    assert (log.log_start_offset, log.log_end_offset) == (0, 2)


def test_a_directory_of_another_topic_by_that_name_is_set_aside() -> None:
    disk = FakeDisk()
    made = manager(disk)
    fill(made.get_or_create("t", 0, ID))
    made.close()
    made = manager(disk)
    log = made.get_or_create("t", 0, OTHER_ID)
    assert log.log_end_offset == 0
    assert [path for path in disk.directories if path.endswith("-stray")]
    made.close()
    made = manager(disk)
    assert [log.topic_partition.topic for log in made.logs()] == ["t"]
    assert made.topic_id("t", 0) == OTHER_ID


def test_an_old_directory_without_an_id_gets_one() -> None:
    disk = FakeDisk()
    made = manager(disk)
    fill(made.get_or_create("t", 0))
    assert made.topic_id("t", 0) is None
    assert made.get_or_create("t", 0, ID).log_end_offset == 3
    made.close()
    assert manager(disk).topic_id("t", 0) == ID


def test_topics_have_their_own_settings() -> None:
    disk = FakeDisk()
    own = SMALL._replace(segment_bytes=500)
    made = manager(disk)
    assert made.get_or_create("t", 0, config=own).config is own
    assert made.get_or_create("u", 0).config is SMALL
    made.close()
    made = LogManager([DIR], SMALL, files=disk, clock=Clock())
    made.load(lambda topic: own if topic == "t" else None)
    assert [made.get_or_create(topic, 0).config for topic in "tu"] == [own, SMALL]


def test_log_starts_survive_a_crash_once_they_are_noted() -> None:
    disk = FakeDisk()
    made = manager(disk)
    log = made.get_or_create("t", 0)
    fill(log, 5)
    log.delete_records(4)
    made.log_dirs.checkpoint_log_starts()
    assert disk.content("/data/log-start-offset-checkpoint") == b"0\n1\nt 0 4\n"
    assert values(manager(disk.restarted()).get_or_create("t", 0)) == [(4, b"4")]


def test_checkpoints_that_make_no_sense_count_as_empty(caplog: pytest.LogCaptureFixture) -> None:
    disk = FakeDisk()
    made = manager(disk)
    fill(made.get_or_create("t", 0))
    made.log_dirs.checkpoint_high_watermarks({TopicPartition("t", 0): 3})
    made.close()
    for name in ("recovery-point", "log-start", "replication"):
        disk.overwrite(f"/data/{name}-offset-checkpoint", b"0\n7\nnonsense\n")
    made = manager(disk)
    assert made.get_or_create("t", 0).log_end_offset == 3
    assert high_watermarks(made) == {}
    assert sum("taken as empty" in record.getMessage() for record in caplog.records) == 3


def test_logs_that_are_not_served_yet_keep_their_high_watermarks() -> None:
    disk = FakeDisk()
    made = manager(disk)
    for index in range(3):
        fill(made.get_or_create("t", index))
    first, second, third = (TopicPartition("t", index) for index in range(3))
    made.log_dirs.checkpoint_high_watermarks({first: 1, second: 2, third: 3})
    made.log_dirs.checkpoint_high_watermarks({first: 3})
    assert high_watermarks(made) == {first: 3, second: 2, third: 3}
    made.delete(*third)
    made.log_dirs.checkpoint_high_watermarks({first: 3})
    assert high_watermarks(made) == {first: 3, second: 2}


def test_other_directories_are_left_alone(caplog: pytest.LogCaptureFixture) -> None:
    disk = FakeDisk()
    for name in ("lost+found", "t-0.0123456789abcdef0123456789abcdef-future", "__cluster_metadata-0", "t-x"):
        disk.make_directory(f"/data/{name}")
    before = set(disk.directories)
    made = manager(disk)
    assert made.logs() == []
    assert disk.directories == before
    assert len(caplog.records) >= 2


def test_one_partition_in_two_directories_is_no_start() -> None:
    disk = FakeDisk()
    for path in TWO:
        made = manager(disk, SMALL, None, path)
        fill(made.get_or_create("t", 0))
        made.close()
    with pytest.raises(StorageError, match="remove one"):
        manager(disk, SMALL, None, *TWO)


def test_a_truncation_that_a_crash_follows_is_no_loss() -> None:
    disk = FakeDisk()
    made = manager(disk)
    log = made.get_or_create("t", 0)
    fill(log, 10)
    log.flush()
    made.log_dirs.checkpoint_recovery_points()
    assert made.truncate_to(log, 4)
    assert values(manager(disk.restarted()).get_or_create("t", 0)) == [(n, b"%d" % n) for n in range(4)]


def test_an_interrupted_swap_of_compaction_is_finished() -> None:
    """Files as Kafka's cleaner leaves them when it is stopped between its renames."""
    disk = FakeDisk()
    made = manager(disk)
    log = made.get_or_create("t", 0)
    for n in range(4):
        log.append_as_leader(batch(b"%d" % n), 0, 0)
        if n % 2:
            log.roll()
    left = disk.restarted()
    first, second = "/data/t-0/00000000000000000000", "/data/t-0/00000000000000000002"
    compacted = left.content(first + ".log")[: left.content(first + ".log").__len__() // 2] + left.content(
        second + ".log"
    )
    file = left.open(first + ".log.swap")
    file.pwrite(compacted, 0)
    for suffix in (".index", ".timeindex"):
        left.open(first + suffix + ".swap")
        left.rename(second + suffix, second + suffix + ".deleted")
    left.rename(second + ".log", second + ".log.deleted")
    left.open("/data/t-0/00000000000000000009.log.cleaned")
    again = manager(left).get_or_create("t", 0)
    assert values(again) == [(0, b"0"), (2, b"2"), (3, b"3")]
    assert not [path for path in left.names if path.endswith((".swap", ".cleaned", ".deleted"))]


def test_swaps_of_an_unfinished_split_are_dropped() -> None:
    disk = FakeDisk()
    fill(manager(disk).get_or_create("t", 0), 4)
    left = disk.restarted()
    left.open("/data/t-0/00000000000000000002.log.swap")
    left.open("/data/t-0/00000000000000000000.log.cleaned")
    assert manager(left).get_or_create("t", 0).log_end_offset == 4


def test_indexes_without_a_log_are_removed() -> None:
    disk = FakeDisk()
    fill(manager(disk).get_or_create("t", 0), 4)
    left = disk.restarted()
    left.open("/data/t-0/00000000000000000077.index")
    assert manager(left).get_or_create("t", 0).log_end_offset == 4
    assert "/data/t-0/00000000000000000077.index" not in left.names


@pytest.mark.parametrize("threads", [1, 3])
def test_logs_are_checked_in_threads(tmp_path: Path, threads: int) -> None:
    dirs = [tmp_path / "a", tmp_path / "b"]
    made = LogManager(dirs, SMALL, recovery_threads=threads)
    made.load()
    for partition in range(8):
        fill(made.get_or_create("t", partition, ID, is_new=True), 10 + partition)
    made.log_dirs.checkpoint_recovery_points()
    for log in made.logs():
        log.local_log.fail(StorageError("killed"))
    made.log_dirs.unlock()
    damaged = tmp_path / "a" / "t-2" / f"{0:020}.log"
    damaged.write_bytes(bytes(50) + damaged.read_bytes()[50:])
    again = LogManager(dirs, SMALL, recovery_threads=threads)
    again.load()
    assert not again.was_clean
    assert {log.topic_partition.partition: log.log_end_offset for log in again.logs()} == {
        n: 10 + n for n in range(8) if n != 2
    }
    assert list(again.refused()) == [TopicPartition("t", 2)]
    again.close()


def test_an_exception_in_the_thread_is_raised() -> None:
    done: list[int] = []

    def fail() -> None:
        raise StorageError("on purpose")

    with pytest.raises(StorageError, match="on purpose"):
        run_all([fail, lambda: done.append(1)])
    assert done == [1]
    run_all([])


@pytest.mark.parametrize("threads", [0, 3])
def test_loading_ends_when_it_is_asked_to_and_changes_nothing(tmp_path: Path, threads: int) -> None:
    made = LogManager([tmp_path], SMALL)
    made.load()
    for partition in range(20):
        fill(made.get_or_create("t", partition, ID, is_new=True))
    made.log_dirs.checkpoint_recovery_points()
    for log in made.logs():
        log.local_log.fail(StorageError("killed"))
    made.log_dirs.unlock()
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.suffix in ("", ".log") and path.is_file()}
    asked = iter(range(1000))
    stopped = LogManager([tmp_path], SMALL, recovery_threads=threads)
    with pytest.raises(LoadingStopped):
        stopped.load(should_stop=lambda: next(asked) >= 15)
    assert 0 < len(stopped.logs()) < 20
    stopped.log_dirs.unlock()
    assert {path: path.read_bytes() for path in before} == before
    again = LogManager([tmp_path], SMALL)
    again.load()
    assert not again.was_clean
    assert [log.log_end_offset for log in again.logs()] == [3] * 20
    again.close()


def test_a_stop_in_a_hurry_flushes_nothing_more_and_leaves_the_check_to_the_next_start() -> None:
    disk = FakeDisk()
    made = manager(disk)
    for partition in range(4):
        fill(made.get_or_create("t", partition, ID, is_new=True))
    asked = iter((False, False, True))
    assert not made.close(skip_flush=lambda: next(asked))
    again = manager(disk)
    assert not again.was_clean
    assert [values(log) for log in again.logs()] == [[(offset, b"%d" % offset) for offset in range(3)]] * 4
    assert again.close()
    assert manager(disk).was_clean
