"""Errands of the shards: every partition of an ended transaction gets its marker, however long that takes.

The end is decided once the Prepare record is in the log, so nothing here gives up: what cannot be written is tried
again until it can, or until the shard moves to another broker, which finds the Prepare record and does the same.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final, Protocol

import trio

from wirebroker.coordinator.transaction.requests import MarkersWritten, WriteMarkers
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.faults import ApiError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wirebroker.coordinator.runtime import CoordinatorRuntime
    from wirebroker.model import TopicPartition

logger = logging.getLogger(__name__)

_DONE: Final = frozenset(
    {
        ErrorCode.NONE,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,  # it was deleted
        ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT,  # it cannot hold records of a transaction either
        ErrorCode.INVALID_PRODUCER_EPOCH,  # a newer epoch wrote there, so nothing of this one is open
    }
)
_Key = tuple[int, str, int, int]
"""Shard, transactional id, producer id and epoch: an end that was decided once."""
_AT_ONCE: Final = 64
_FIRST_PAUSE_S: Final = 0.01
_LONGEST_PAUSE_S: Final = 1.0


class MarkerWriter(Protocol):
    """Appends the control records that end a transaction; `replication/transaction_markers.py` in a broker."""

    async def write(
        self,
        producer_id: int,
        producer_epoch: int,
        coordinator_epoch: int,
        committed: bool,
        partitions: Iterable[TopicPartition],
        transaction_version: int,
    ) -> dict[TopicPartition, ErrorCode]:
        """Write a marker to each partition; partitions that are gone answer UNKNOWN_TOPIC_OR_PARTITION."""


class _Errand:
    """One transaction whose partitions are being told."""

    __slots__ = ("coordinator_epoch", "scope", "wanted")

    def __init__(self, wanted: WriteMarkers, coordinator_epoch: int) -> None:
        self.wanted = wanted
        self.coordinator_epoch = coordinator_epoch
        """Of the shard that decided, so that one whose partition has moved away cannot pass for the new one."""
        self.scope = trio.CancelScope()


class MarkerSender:
    """Runs the errands of all shards."""

    def __init__(self, writer: MarkerWriter, runtime: CoordinatorRuntime) -> None:
        self._writer = writer
        self._runtime = runtime
        self._errands: dict[_Key, _Errand] = {}
        self._nursery: trio.Nursery | None = None

    async def run(self) -> None:
        """Run errands until cancelled, beginning with those that a run before this one has left."""
        async with trio.open_nursery() as self._nursery:
            for key, errand in self._errands.items():
                self._nursery.start_soon(self._serve, key, errand)
            try:
                await trio.sleep_forever()
            finally:
                self._nursery = None

    def start(self, index: int, coordinator_epoch: int, wanted: WriteMarkers) -> None:
        """Run an errand, unless it is under way: a shard that is loaded again asks for it again."""
        key = (index, wanted.transactional_id, wanted.producer_id, wanted.producer_epoch)
        if key not in self._errands:
            errand = self._errands[key] = _Errand(wanted, coordinator_epoch)
            if self._nursery is not None:
                self._nursery.start_soon(self._serve, key, errand)

    def forget(self, index: int) -> None:
        """The shard is somebody else's now, and so are its errands."""
        for key, errand in tuple(self._errands.items()):
            if key[0] == index:
                del self._errands[key]
                errand.scope.cancel()

    @property
    def under_way(self) -> int:
        """How many transactions wait for a marker."""
        return len(self._errands)

    async def _serve(self, key: _Key, errand: _Errand) -> None:
        index, wanted = key[0], errand.wanted
        with trio.CancelScope() as errand.scope:
            if self._errands.get(key) is errand and await self._write_all(wanted, errand.coordinator_epoch):
                await self._complete(index, wanted)
            if self._errands.get(key) is errand:
                del self._errands[key]

    async def _write_all(self, errand: WriteMarkers, coordinator_epoch: int) -> bool:
        """False when a newer coordinator has taken over."""
        left: tuple[TopicPartition, ...] = errand.partitions
        pause_s = _FIRST_PAUSE_S
        while left:
            codes: dict[TopicPartition, ErrorCode] = {}
            for at in range(0, len(left), _AT_ONCE):
                if at:
                    await trio.lowlevel.checkpoint()  # a transaction of thousands of partitions stops nobody
                codes.update(await self._write(errand, coordinator_epoch, left[at : at + _AT_ONCE]))
            if ErrorCode.TRANSACTION_COORDINATOR_FENCED in codes.values():
                logger.error("transactional.id=%s: a newer coordinator writes its markers", errand.transactional_id)
                return False
            for each in left:
                if codes.get(each) == ErrorCode.INVALID_PRODUCER_EPOCH:
                    logger.warning("transactional.id=%s: %s has a newer epoch", errand.transactional_id, each)
            left = tuple(each for each in left if codes.get(each) not in _DONE)
            if left:
                if pause_s == _FIRST_PAUSE_S:
                    logger.warning(
                        "transactional.id=%s: no marker yet on %s",
                        errand.transactional_id,
                        ", ".join(f"{each} ({codes.get(each)!r})" for each in left),
                    )
                await trio.sleep(pause_s)
                pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
        return True

    async def _write(
        self, errand: WriteMarkers, coordinator_epoch: int, partitions: tuple[TopicPartition, ...]
    ) -> dict[TopicPartition, ErrorCode]:
        try:
            return await self._writer.write(
                errand.producer_id,
                errand.producer_epoch,
                coordinator_epoch,
                errand.committed,
                partitions,
                errand.client_version,
            )
        except Exception:
            logger.exception("transactional.id=%s: markers cannot be written", errand.transactional_id)
            return {}

    async def _complete(self, index: int, errand: WriteMarkers) -> None:
        pause_s = _FIRST_PAUSE_S
        while True:
            try:
                await self._runtime.request(index, MarkersWritten(errand))
                return
            except ApiError as fault:
                if fault.code == ErrorCode.NOT_COORDINATOR:
                    return
            await trio.sleep(pause_s)
            pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
