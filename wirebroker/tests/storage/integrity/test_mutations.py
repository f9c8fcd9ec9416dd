"""Any byte of any file changed, cut or added: a start ends well, and nothing acknowledged goes without a word."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from wirebroker.storage.errors import CorruptLogError, StorageError
from wirebroker.storage.producer_state_manager import AppendOrigin
from wirebroker.tests.storage.fakes.disk import FakeDisk
from wirebroker.tests.storage.fakes.logs import batch, manager, marker, values

if TYPE_CHECKING:
    from wirebroker.storage.log import Log

COUNT = 24


def made(*, clean: bool) -> tuple[FakeDisk, int]:
    """A disk with a log of some segments, and the position of the last batch in its last segment."""
    disk = FakeDisk()
    manager_ = manager(disk)
    log = manager_.get_or_create("t", 0, bytes(range(16)))
    log.assign_leader_epoch(0)
    for n in range(COUNT - 4):
        log.append_as_leader(batch(b"%d" % n + bytes(40), producer=(1, 0, n)), 0, 0)
    log.append_as_leader(batch(b"in", producer=(2, 0, 0), transactional=True), 1, 0)
    log.append_as_leader(marker(2, 0, committed=False), 1, 0, AppendOrigin.COORDINATOR)
    for n in range(2):
        last = log.segments[-1].size_bytes
        log.append_as_leader(batch(b"end" * 20, producer=(1, 0, COUNT - 4 + n)), 1, 0)
    assert len(log.segments) > 2
    if clean:
        manager_.close()
        return disk.restarted(), last
    return disk.restarted(), last


CLEAN, KILLED = made(clean=True), made(clean=False)
LAST_LOG = max(path for path in KILLED[0].names if path.endswith(".log"))
#: Files that a fault in is noticed at once, or does no harm but to them.
PATHS = sorted(set(CLEAN[0].names) & set(KILLED[0].names))


def served(disk: FakeDisk) -> Log | None:
    """The log after a start, None if it was refused."""
    started = manager(disk)
    try:
        return started.get_or_create("t", 0)
    except StorageError:
        assert started.refused()
        return None


@given(
    st.booleans(),
    st.sampled_from(PATHS),
    st.floats(0, 1),
    st.one_of(st.binary(min_size=1, max_size=20), st.integers(1, 300)),
)
def test_a_start_survives_any_change_to_any_file(clean: bool, path: str, where: float, change: bytes | int) -> None:
    disk = (CLEAN if clean else KILLED)[0].restarted()
    data = disk.content(path)
    if len(data) > 2000:
        data = data[:2000]
    at = int(where * len(data))
    if isinstance(change, bytes):
        data = data[:at] + change + data[at + len(change) :]
    else:
        data = data[:at] + bytes(change) + data[at:] if change % 2 else data[: max(at - change, 0)]
    disk.overwrite(path, data)
    log = served(disk)
    if log is None:
        return
    end = log.log_end_offset
    try:
        log.append_as_leader(batch(b"more"), 9, 0)
        assert log.read(end, 1000, end + 1, min_one_batch=True).size_bytes
        for offset in range(log.log_start_offset, end):
            log.reader.find_timestamp(offset)
            log.read(offset, 1, end, min_one_batch=True)
    except CorruptLogError:
        assert clean  # damage that only a reading start would have found


@given(st.sampled_from([path for path in PATHS if path.endswith(".log")]), st.floats(0, 1), st.integers(1, 255))
def test_after_a_kill_a_changed_byte_is_noticed_or_harmless(path: str, where: float, change: int) -> None:
    disk, last = KILLED[0].restarted(), KILLED[1]
    data = bytearray(disk.content(path))
    at = int(where * (len(data) - 1))
    data[at] ^= change
    disk.overwrite(path, bytes(data))
    log = served(disk)
    if log is None:
        return
    found = [offset for offset, _ in values(log)]
    if path == LAST_LOG and at >= last:
        assert found[: COUNT - 1] == list(range(COUNT - 1))  # the last batch may look like a torn write
    else:
        assert found == list(range(COUNT))  # a leader epoch, which no checksum covers
