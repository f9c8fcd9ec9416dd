"""Scenarios of one producer in tables: its batches and markers, changes of the log in between, expected answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

from wirebroker.storage.errors import (
    InvalidProducerEpochError,
    InvalidTxnStateError,
    LogError,
    OutOfOrderSequenceError,
    TransactionCoordinatorFencedError,
)
from wirebroker.storage.producer_state_manager import AppendOrigin
from wirebroker.tests.storage.fakes.disk import FakeDisk
from wirebroker.tests.storage.fakes.logs import SMALL, Clock, batch, manager, marker, run_retention

if TYPE_CHECKING:
    from wirebroker.storage.log import Log

MAX = (1 << 31) - 1
LAST_EPOCH = (1 << 15) - 1
DAY_MS = 86_400_000
EPOCH = InvalidProducerEpochError
ORDER = OutOfOrderSequenceError
STATE = InvalidTxnStateError
FENCED = TransactionCoordinatorFencedError


class Send(NamedTuple):
    """A batch, and the offset that it gets; or the code."""

    epoch: int
    sequence: int
    outcome: int | type[LogError]
    records: int = 1
    plain: bool = False


class Again(Send):
    """The same for a batch that is answered with where it lies already."""

    __slots__ = ()


class End(NamedTuple):
    """A marker."""

    epoch: int
    outcome: int | type[LogError]
    committed: bool = True
    coordinator_epoch: int = 0


class Stable(NamedTuple):
    """Check the last stable offset."""

    offset: int


KILL, RESTART, DAY, ROLL = "kill -9", "a clean restart", "a day without a batch", "a new segment"


class Truncate(NamedTuple):
    offset: int


class Delete(NamedTuple):
    """DeleteRecords."""

    up_to: int


#: Scenarios with the same outcome if the broker is killed or the segment rolled between any two steps.
ROBUST: dict[str, list[object]] = {
    "gaps": [Send(0, 0, 0), Send(0, 2, ORDER), Send(0, 1, 1), Send(0, 3, ORDER), Send(0, 2, 2)],
    "a replay": [Send(0, 0, 0, 3), Again(0, 0, 0, 3), Send(0, 3, 3), Again(0, 0, 0, 3)],
    "a part of a replay": [Send(0, 0, 0, 3), Send(0, 0, ORDER, 2), Send(0, 1, ORDER, 2)],
    "a window of five": [
        *[Send(0, n, n) for n in range(6)],
        *[Again(0, n, n) for n in (1, 5, 3)],
        Send(0, 0, ORDER),
        Send(0, 6, 6),
        Send(0, 1, ORDER),
        Again(0, 2, 2),
    ],
    "sequences wrap": [Send(0, MAX - 1, 0, 2), Send(0, 0, 2), Again(0, MAX - 1, 0, 2), Send(0, 1, 3)],
    "sequences wrap within a batch": [Send(0, MAX, 0, 4), Again(0, MAX, 0, 4), Send(0, 3, 4)],
    "sequences do not wrap early": [Send(0, MAX - 1, 0), Send(0, 0, ORDER), Send(0, MAX, 1), Send(0, 0, 2)],
    "epochs end": [
        Send(LAST_EPOCH - 1, 0, 0),
        End(LAST_EPOCH, 1, committed=False),
        Send(LAST_EPOCH, 0, 2),
        Send(0, 0, EPOCH),  # it does not wrap: there is a new producer id then
        Send(LAST_EPOCH - 1, 1, EPOCH),
        End(LAST_EPOCH, 3),
        Stable(4),
    ],
    "sequences go on in the next transaction": [
        Send(0, 0, 0),
        End(0, 1),
        Send(0, 0, ORDER, plain=True, records=2),
        Send(0, 1, 2),
        Send(0, 0, ORDER, 2),
        End(0, 3, committed=False),
        Send(0, 2, 4),
        Stable(4),
    ],
    "a replay of what was committed": [Send(0, 0, 0), End(0, 1), Again(0, 0, 0), Stable(2)],
    "an epoch per transaction begins at 0": [
        Send(0, 0, 0),
        End(1, 1),
        Send(0, 1, EPOCH),
        Send(1, 1, ORDER),
        Send(1, 0, 2),
        End(2, 3),
        Send(1, 1, EPOCH),
        Send(2, 0, 4),
        Stable(4),
    ],
    "zombies": [
        Send(3, 0, 0),
        Send(2, 0, EPOCH),
        Send(2, 1, EPOCH),
        Send(2, 1, EPOCH, plain=True),
        End(2, EPOCH),
        End(4, 1, committed=False),
        Send(3, 0, EPOCH),  # not even a replay
        Send(3, 1, EPOCH),
        End(3, EPOCH),
        Send(4, 0, 2),
        Send(3, 2, EPOCH),
        End(4, 3, coordinator_epoch=7),
        End(4, FENCED, coordinator_epoch=6),
        End(4, 4, coordinator_epoch=7),
        Stable(5),
    ],
    "a plain batch amid a transaction": [Send(0, 0, 0), Send(0, 1, STATE, plain=True), Send(0, 1, 1), Stable(0)],
    "a plain batch before and after one": [
        Send(0, 0, 0, plain=True),
        Send(0, 1, 1),
        End(0, 2),
        Send(0, 2, 3, plain=True),
        Stable(4),
    ],
}

#: The rest, with what happens to the log written into it.
TABLE: dict[str, list[object]] = {
    "a clean restart keeps the last batch": [
        *[Send(0, n, n) for n in range(3)],
        RESTART,
        Again(0, 2, 2),
        Send(0, 1, ORDER),
        Send(0, 3, 3),
        Stable(0),
        End(0, 4),
        Stable(5),
    ],
    "a clean restart keeps epochs without a batch": [
        Send(0, 0, 0),
        End(1, 1),
        RESTART,
        Send(0, 1, EPOCH),
        Send(1, 0, 2),
    ],
    "truncation takes sequences back": [
        *[Send(0, n, n) for n in range(4)],
        Truncate(2),
        Again(0, 1, 1),
        Send(0, 3, ORDER),
        Send(0, 2, 2),
    ],
    "truncation takes a marker and its epoch back": [
        Send(0, 0, 0),
        End(1, 1, committed=False),
        Truncate(1),
        Stable(0),
        Send(0, 1, 1),
        End(0, 2),
        Stable(3),
    ],
    "truncation takes a transaction back": [Send(0, 0, 0), Truncate(0), Stable(0), Send(0, 0, 0), Stable(0)],
    "who is silent is forgotten": [
        Send(5, 0, 0),
        End(5, 1),
        DAY,
        Send(2, 9, 2),  # and may come back with any epoch and sequence
        DAY,
        Send(2, 10, 3),  # but not while its transaction is open
        Send(2, 9, ORDER, 3),
    ],
    "DeleteRecords leaves sequences alone": [
        *[Send(0, n, n) for n in range(3)],
        Delete(2),
        Again(0, 2, 2),
        Send(0, 5, ORDER),
        Stable(2),
        Send(0, 3, 3),
        End(0, 4),
        Stable(5),
    ],
    "DeleteRecords up to the end, and a restart": [
        Send(0, 0, 0),
        End(0, 1),
        Delete(2),
        RESTART,
        Again(0, 0, 0),
        Send(0, 2, ORDER),
        Send(0, 1, 2),
    ],
    "DeleteRecords of whole segments, and a restart": [
        Send(0, 0, 0),
        ROLL,
        Send(0, 1, 1),
        Delete(1),
        RESTART,
        Send(0, 3, ORDER),
        Send(0, 2, 2),
        Stable(1),
    ],
}


class Scenario:
    """One log, one producer."""

    def __init__(self) -> None:
        self.disk, self.clock = FakeDisk(), Clock()
        self.open()

    def open(self) -> None:
        self.manager = manager(self.disk, SMALL, self.clock)
        self.log: Log = self.manager.get_or_create("t", 0)

    def step(self, step: object) -> object:
        """Do *step* and return the outcome, to be compared with `expected`."""
        if isinstance(step, Send | End):
            try:
                return self._append(step)
            except LogError as error:
                return type(error)
        if isinstance(step, Stable):
            return self.log.reader.last_stable_offset(self.log.log_end_offset)
        if isinstance(step, Truncate):
            self.manager.truncate_to(self.log, step.offset)
        elif isinstance(step, Delete):
            self.log.delete_records(step.up_to)
            run_retention(self.manager, self.clock.now_ms)
        elif step == DAY:
            self.clock.now_ms += DAY_MS
            self.log.producer_state_manager.remove_expired_producers(self.clock.now_ms, DAY_MS)
        elif step == ROLL:
            self.log.roll()
        else:
            if step == RESTART:
                self.manager.close()
            else:
                self.disk = self.disk.restarted()
            self.open()
        return None

    def _append(self, step: Send | End) -> object:
        now_ms = self.clock.now_ms
        if isinstance(step, End):
            done = marker(1, step.epoch, committed=step.committed, coordinator_epoch=step.coordinator_epoch)
            return self.log.append_as_leader(done, 0, now_ms, AppendOrigin.COORDINATOR).base_offset
        sent = batch(
            *[b"v"] * step.records,
            producer=(1, step.epoch, step.sequence),
            transactional=not step.plain,
            timestamp=now_ms,
        )
        result = self.log.append_as_leader(sent, 0, now_ms)
        assert result.duplicate == isinstance(step, Again)
        return result.base_offset


def expected(step: object) -> object:
    if isinstance(step, Stable):
        return step.offset
    return step.outcome if isinstance(step, Send | End) else None


@pytest.mark.parametrize("name", [*ROBUST, *TABLE])
def test_scenario(name: str) -> None:
    scenario = Scenario()
    for number, step in enumerate((ROBUST | TABLE)[name]):
        assert scenario.step(step) == expected(step), f"step {number}: {step}"


@pytest.mark.parametrize("event", [KILL, ROLL])
@pytest.mark.parametrize("name", ROBUST)
def test_kills_and_rolls_between_steps_change_nothing(name: str, event: str) -> None:
    steps = ROBUST[name]
    for before in range(1, len(steps)):
        scenario = Scenario()
        for number, step in enumerate(steps):
            if number == before:
                scenario.step(event)
            assert scenario.step(step) == expected(step), f"step {number}: {step}, after {event} before {before}"
