"""1,400 single damages: after a start no wrong byte is served, what is lost is named, and the other partitions serve.

A directory with every kind of file is left clean or by kill -9; then one file has a bit flipped, is cut, swapped with
another of its kind, zeroed in part, or replaced by what it was some time before.
"""

from __future__ import annotations

import logging
from functools import cache
from pathlib import PurePath
from random import Random
from typing import TYPE_CHECKING

import pytest

from wirebroker.record.legacy import any_batches
from wirebroker.record.record_batch import RecordBatch
from wirebroker.storage.checkpoints import LOG_STARTS
from wirebroker.storage.errors import CorruptLogError, StorageError
from wirebroker.tests.storage.fakes.damage import damage
from wirebroker.tests.storage.fakes.logs import batch
from wirebroker.tests.storage.fakes.sample_log_dir import PARTITIONS, config_of, load, sample_log_dir, serve

if TYPE_CHECKING:
    from wirebroker.storage.log_manager import LogManager

ALL = 1400
SAMPLED = 140


def check(number: int, caplog: pytest.LogCaptureFixture) -> None:
    """One damage, one start, everything read."""
    clean = bool(number % 2)
    whole = sample_log_dir(clean=clean)
    disk = whole.disk.restarted()
    done = damage(disk, whole, Random(number))
    caplog.clear()
    caplog.set_level(logging.DEBUG)
    manager = load(disk)
    hurt = {at for at in PARTITIONS for path in done.paths if f"/{at.topic}-0/" in path}
    of_all = LOG_STARTS in {PurePath(path).name for path in done.paths}  # it says where every log begins
    for at in PARTITIONS:
        expected = whole.batches[at]
        start, end = whole.starts[at], max(expected) + 1
        served = serve(manager, at, start, end)
        for last_offset, data in served.batches.items():
            assert expected.get(last_offset) == data, f"{number} {done}: {at} serves something else at {last_offset}"
        missing = [offset for offset in expected if offset >= start and offset not in served.batches]
        if at not in hurt and not of_all:
            assert not missing, f"{number} {done}: {at} does not serve {missing[:5]}, {served.errors[:1]}"
        elif missing:
            # where a log begins is logged for each log, at every start after DeleteRecords: at DEBUG only
            level = logging.DEBUG if of_all else logging.WARNING
            said = [record.getMessage() for record in caplog.records if record.levelno >= level]
            named = [line for line in said if f"{at.topic}-0" in line or f"topic={at.topic} " in line]
            assert named, f"{number} {done}: {at} has lost {missing[:5]} without a word: {said}"
        look_up(manager, at.topic)
    wrong = committed(manager) - committed_at_first(clean)
    assert not wrong, f"{number} {done}: readers of committed records get {sorted(wrong)[:5]}"


TRANSACTIONS = "transactions"


@cache
def committed_at_first(clean: bool) -> frozenset[int]:
    return committed(load(sample_log_dir(clean=clean).disk.restarted()))


def committed(manager: LogManager) -> frozenset[int]:
    """The offsets of the records that readers of committed records take for such, going through the topic's log."""
    seen: set[int] = set()
    try:
        log = manager.get(TRANSACTIONS, 0)
    except (StorageError, CorruptLogError):
        return frozenset()
    offset = 0 if log is None else log.log_start_offset
    while log is not None and offset < log.log_end_offset:
        try:
            piece = log.read(offset, 700, log.reader.last_stable_offset(log.log_end_offset), min_one_batch=True)
            aborted = log.reader.aborted_transactions(offset, piece)
        except (StorageError, CorruptLogError):
            offset += 1
            continue
        batches = list(any_batches(piece.tobytes()))
        gone: set[int] = set()
        for each in batches:
            assert isinstance(each, RecordBatch)
            gone |= {producer for producer, first in aborted if first <= each.last_offset}
            if each.is_control:
                gone.discard(each.producer_id)
                aborted = [(p, first) for p, first in aborted if p != each.producer_id or first > each.last_offset]
            elif each.producer_id not in gone:
                seen.add(each.last_offset)
        offset = max(offset + 1, batches[-1].last_offset + 1 if batches else 0)
    return frozenset(seen)


def look_up(manager: LogManager, topic: str) -> None:
    """The other ways of reading end in an answer or in a refusal."""
    try:
        log = manager.get(topic, 0)
        if log is None:
            return
        for timestamp in (0, 1500, 3010):
            log.reader.find_timestamp(timestamp)
        log.reader.find_max_timestamp()
        piece = log.read(log.log_start_offset, 500, log.log_end_offset, min_one_batch=True)
        log.reader.aborted_transactions(log.log_start_offset, piece)
    except (StorageError, CorruptLogError):
        pass


@pytest.mark.parametrize("group", range(SAMPLED // 20))
def test_sampled_damages(group: int, caplog: pytest.LogCaptureFixture) -> None:
    for number in range(group * 20, group * 20 + 20):
        check(number * (ALL // SAMPLED), caplog)


@pytest.mark.nightly
@pytest.mark.parametrize("group", range(ALL // 100))
def test_all_damages(group: int, caplog: pytest.LogCaptureFixture) -> None:
    for number in range(group * 100, group * 100 + 100):
        check(number, caplog)


@pytest.mark.parametrize("clean", [False, True])
def test_without_damage_everything_is_served(clean: bool, caplog: pytest.LogCaptureFixture) -> None:
    whole = sample_log_dir(clean=clean)
    manager = load(whole.disk.restarted())
    for at in PARTITIONS:
        expected = {last: data for last, data in whole.batches[at].items() if last >= whole.starts[at]}
        served = serve(manager, at, whole.starts[at], max(expected) + 1)
        assert served.errors == []
        assert served.batches == expected or set(served.batches) - set(expected) <= {whole.starts[at]}
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]
    suffixes = {PurePath(path).suffix or PurePath(path).name for path in whole.disk.names}
    assert suffixes >= {".log", ".index", ".timeindex", ".txnindex", ".snapshot", "leader-epoch-checkpoint"}


@pytest.mark.parametrize("clean", [False, True])
def test_batches_appended_later_need_no_verification(clean: bool, caplog: pytest.LogCaptureFixture) -> None:
    """Also before anything that was there at start was read."""
    whole = sample_log_dir(clean=clean)
    manager = load(whole.disk.restarted())
    for at in PARTITIONS:
        log = manager.get_or_create(at.topic, 0, None, config_of(at.topic))
        first = log.log_end_offset
        for _ in range(40):
            log.append_as_leader(batch(b"more" * 20), 5, 0)
        served = serve(manager, at, whole.starts[at], log.log_end_offset)
        assert served.errors == []
        assert served.batches.items() >= {k: v for k, v in whole.batches[at].items() if k >= whole.starts[at]}.items()
        assert set(range(first, first + 40)) <= served.batches.keys()
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]
