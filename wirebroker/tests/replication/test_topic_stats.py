"""PartitionStats count what a leader appends, whatever happens to older segments."""

from __future__ import annotations

from wirebroker.replication.topic_stats import PartitionStats
from wirebroker.tests.storage.fakes.disk import FakeDisk
from wirebroker.tests.storage.fakes.logs import LARGE, batch, new_log


def test_rolls_and_retention_change_nothing() -> None:
    log = new_log(FakeDisk(), LARGE)
    stats = PartitionStats()
    stats.begin_leading(log)
    expected = 0
    for _ in range(3):
        appended = batch(b"a", b"b")
        log.append_as_leader(appended, 0, 0)
        expected += appended.size_bytes
        log.roll()
    assert (stats.messages_in(log), stats.bytes_in(log)) == (6, expected)
    log.delete_records(4)
    assert (stats.messages_in(log), stats.bytes_in(log)) == (6, expected)


def test_only_the_leader_counts() -> None:
    log = new_log(FakeDisk(), LARGE)
    stats = PartitionStats()
    log.append_as_leader(batch(b"before"), 0, 0)
    assert (stats.messages_in(log), stats.bytes_in(log)) == (0, 0)
    stats.begin_leading(log)
    appended = batch(b"a", b"b")
    log.append_as_leader(appended, 0, 0)
    stats.end_leading(log)
    log.append_as_leader(batch(b"after"), 0, 0)
    assert (stats.messages_in(log), stats.bytes_in(log)) == (2, appended.size_bytes)
    stats.begin_leading(log)
    log.append_as_leader(batch(b"c"), 0, 0)
    assert stats.messages_in(log) == 3
