"""TxnMarkerSender: sends the markers of decided transactions to every partition, however long that takes.

A transaction is decided once its PrepareCommit or PrepareAbort record is in the log, so nothing here gives up: a marker
that cannot be written is tried again until it can, or until the shard moves to another broker, whose coordinator finds
the record and sends the markers again.
"""

from __future__ import annotations

import logging
from collections import deque
from typing import TYPE_CHECKING, Final, Protocol

import trio

from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.replication.txn_marker_writer import TxnMarker

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wirebroker.coordinator.runtime import CoordinatorRuntime
    from wirebroker.coordinator.transaction.requests import PendingMarkers
    from wirebroker.model import TopicPartition

logger = logging.getLogger(__name__)

_FINAL: Final = frozenset(
    {
        ErrorCode.NONE,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,  # the partition was deleted
        ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT,  # the partition cannot hold records of a transaction either
        ErrorCode.INVALID_PRODUCER_EPOCH,  # a newer epoch wrote there, so nothing of this one is open
    }
)
"""Codes after which a partition needs no marker any more."""
_PARTITIONS_PER_WRITE: Final = 64
_STARTED_IN_A_TURN: Final = 16
"""Tasks that begin in one turn of the event loop; a task takes some 0.3 ms if it need not wait."""
_FIRST_PAUSE_S: Final = 0.01
_LONGEST_PAUSE_S: Final = 1.0

_Key = tuple[int, str, int, int]
"""Shard, transactional id, producer id and epoch: one decided end of a transaction."""


class MarkerWriter(Protocol):
    """Appends the control records that end a transaction: a TxnMarkerWriter, or a fake."""

    async def write(self, marker: TxnMarker, partitions: Iterable[TopicPartition]) -> dict[TopicPartition, ErrorCode]:
        """Write *marker* to each partition; a deleted partition gets UNKNOWN_TOPIC_OR_PARTITION."""


class _MarkerTask:
    """The task that sends the markers of one transaction."""

    __slots__ = ("coordinator_epoch", "markers", "scope")

    def __init__(self, markers: PendingMarkers, coordinator_epoch: int) -> None:
        self.markers = markers
        self.coordinator_epoch = coordinator_epoch
        """Leader epoch of the deciding shard; logs refuse markers of an older epoch than they have seen."""
        self.scope = trio.CancelScope()


class TxnMarkerSender:
    """Sends the pending markers of all shards, one task per transaction."""

    def __init__(self, writer: MarkerWriter, runtime: CoordinatorRuntime) -> None:
        self._writer = writer
        self._runtime = runtime
        self._tasks: dict[_Key, _MarkerTask] = {}
        self._unstarted: deque[tuple[_Key, _MarkerTask]] = deque()
        """The tasks that are to begin in later turns, one for each of thousands of transactions."""
        self._nursery: trio.Nursery | None = None

    async def run(self) -> None:
        """Send markers until cancelled, beginning with those that an earlier run has left.

        This method owns the nursery.  It is kept on the object because `send` starts tasks in it and must not wait;
        every task ends with this method.
        """
        async with trio.open_nursery() as nursery:
            self._nursery = nursery
            self._unstarted = deque(self._tasks.items())
            nursery.start_soon(self._start_in_turns, nursery)
            try:
                await trio.sleep_forever()
            finally:
                self._nursery = None

    def send(self, index: int, coordinator_epoch: int, markers: PendingMarkers) -> None:
        """Start to send the markers that shard *index* decided on, unless a task does: a reloaded shard asks again."""
        key = (index, markers.transactional_id, markers.producer_id, markers.producer_epoch)
        if key not in self._tasks:
            task = self._tasks[key] = _MarkerTask(markers, coordinator_epoch)
            nursery = self._nursery
            if nursery is None:
                return
            if len(self._tasks) <= _STARTED_IN_A_TURN and not self._unstarted:
                nursery.start_soon(self._run_task, key, task)
                return
            self._unstarted.append((key, task))
            if len(self._unstarted) == 1:
                nursery.start_soon(self._start_in_turns, nursery)

    async def _start_in_turns(self, nursery: trio.Nursery) -> None:
        """Start the tasks that wait for it, some in each turn of the event loop."""
        while self._unstarted:
            for _ in range(min(_STARTED_IN_A_TURN, len(self._unstarted))):
                nursery.start_soon(self._run_task, *self._unstarted.popleft())
            await trio.lowlevel.checkpoint()

    def remove_shard(self, index: int) -> None:
        """Stop to send markers of shard *index*, which was unloaded."""
        for key, task in tuple(self._tasks.items()):
            if key[0] == index:
                del self._tasks[key]
                task.scope.cancel()

    @property
    def pending(self) -> int:
        """How many transactions wait for a marker."""
        return len(self._tasks)

    async def _run_task(self, key: _Key, task: _MarkerTask) -> None:
        with trio.CancelScope() as task.scope:
            if self._tasks.get(key) is task and await self._write_all(task.markers, task.coordinator_epoch):
                await self._complete(key[0], task.markers)
            if self._tasks.get(key) is task:
                del self._tasks[key]

    async def _write_all(self, markers: PendingMarkers, coordinator_epoch: int) -> bool:
        """Write the marker to every partition; False when a newer coordinator has taken over."""
        left: tuple[TopicPartition, ...] = markers.partitions
        pause_s = _FIRST_PAUSE_S
        while left:
            codes: dict[TopicPartition, ErrorCode] = {}
            for at in range(0, len(left), _PARTITIONS_PER_WRITE):
                if at:
                    await trio.lowlevel.checkpoint()  # other tasks run between the parts of a large transaction
                codes.update(await self._write(markers, coordinator_epoch, left[at : at + _PARTITIONS_PER_WRITE]))
            if ErrorCode.TRANSACTION_COORDINATOR_FENCED in codes.values():
                logger.error(
                    "transactional.id=%s: not sending its markers, a newer coordinator does", markers.transactional_id
                )
                return False
            for each in left:
                if codes.get(each) == ErrorCode.INVALID_PRODUCER_EPOCH:
                    logger.warning(
                        "transactional.id=%s: no marker written to %s, its log has a newer producer epoch",
                        *(markers.transactional_id, each),
                    )
            left = tuple(each for each in left if codes.get(each) not in _FINAL)
            if left:
                if pause_s == _FIRST_PAUSE_S:
                    logger.warning(
                        "transactional.id=%s: markers not written yet, trying again: %s",
                        markers.transactional_id,
                        ", ".join(f"{each} ({codes.get(each)!r})" for each in left),
                    )
                await trio.sleep(pause_s)
                pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
        return True

    async def _write(
        self, markers: PendingMarkers, coordinator_epoch: int, partitions: tuple[TopicPartition, ...]
    ) -> dict[TopicPartition, ErrorCode]:
        try:
            marker = TxnMarker(
                markers.producer_id,
                markers.producer_epoch,
                coordinator_epoch,
                markers.committed,
                markers.client_version,
            )
            return await self._writer.write(marker, partitions)
        except Exception:
            logger.exception("transactional.id=%s: cannot write markers, trying again", markers.transactional_id)
            return {}

    async def _complete(self, index: int, markers: PendingMarkers) -> None:
        """Tell the shard that every partition has its marker, until it is loaded or has moved."""
        from wirebroker.coordinator.transaction.requests import MarkersWritten

        pause_s = _FIRST_PAUSE_S
        while True:
            try:
                await self._runtime.request(index, MarkersWritten(markers))
                return
            except ApiError as fault:
                if fault.code == ErrorCode.NOT_COORDINATOR:
                    return
            await trio.sleep(pause_s)
            pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
