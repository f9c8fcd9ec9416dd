"""TxnShardHarness: a transaction shard with a clock of its own; markers are written when a test says so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wirebroker.coordinator.shard import ReplayedBatch
from wirebroker.coordinator.transaction.requests import (
    AddPartitions,
    DescribeTransaction,
    EndTransaction,
    InitProducer,
    ListTransactionalIds,
    MarkersWritten,
    PendingMarkers,
    ProducerIdResult,
    VerifyPartitions,
)
from wirebroker.coordinator.transaction.shard import TransactionShard
from wirebroker.coordinator.transaction.transaction_config import TransactionConfig
from wirebroker.coordinator.turn import CoordinatorRecord, Turn
from wirebroker.model import TopicPartition
from wirebroker.tests.controller.fakes import broker_config
from wirebroker.tests.coordinator.shard_harness import WALL_OFFSET_MS, RecordedResponse

if TYPE_CHECKING:
    from collections.abc import Hashable

    from wirebroker.coordinator.transaction.transaction_metadata import TransactionMetadata
    from wirebroker.protocol.errors import ErrorCode

T0, T1, U0 = TopicPartition("t", 0), TopicPartition("t", 1), TopicPartition("u", 0)
START_MS = 1_000_000
START_WALL_MS = START_MS + WALL_OFFSET_MS
VOLATILE = frozenset({"last_producer_epoch", "deadline_ms"})
"""Attributes of a transaction that are not in the log."""


def transaction_config(
    version: int = 2,
    *,
    id_expiration_ms: int = 604_800_000,
    remove_interval_ms: int = 3_600_000,
    abort_interval_ms: int = 10_000,
) -> TransactionConfig:
    """Return the configuration of a shard."""
    settings = {
        "transactional_id_expiration_ms": id_expiration_ms,
        "transaction_remove_expired_transaction_cleanup_interval_ms": remove_interval_ms,
        "transaction_abort_timed_out_transaction_cleanup_interval_ms": abort_interval_ms,
    }
    return TransactionConfig(broker_config(**settings).value, version)


class TxnShardHarness:
    """Runs one TransactionShard the way the runtime does, without any waiting.

    Args:
        version: the feature transaction.version.
        prompt: markers are written at once.
    """

    def __init__(
        self,
        version: int = 2,
        *,
        prompt: bool = True,
        log: list[CoordinatorRecord] | None = None,
        config: TransactionConfig | None = None,
        now_ms: int = START_MS,
        wall_offset_ms: int = WALL_OFFSET_MS,
        next_id: int = 100,
    ) -> None:
        self.config = config or transaction_config(version)
        self.prompt = prompt
        self.below_min_isr = False
        self.now_ms = now_ms
        self.wall_offset_ms = wall_offset_ms
        self.next_id = next_id
        self.log = list(log or [])
        self.shard = TransactionShard(self.config, self._new_producer_id)
        self.due: dict[Hashable, int] = {}
        self.pending_markers: list[PendingMarkers] = []
        self.written: list[PendingMarkers] = []
        batch = ReplayedBatch(-1, -1, False, self.now_ms + self.wall_offset_ms)
        for record in self.log:
            self.shard.replay(record, batch)
        for _ in self.shard.finish_replay():
            pass
        turn = self._turn()
        self.shard.loaded(turn)
        self._apply(turn)

    def _new_producer_id(self) -> int:
        self.next_id += 1
        return self.next_id - 1

    def restarted(self, *, prompt: bool | None = None) -> TxnShardHarness:
        """The same log, loaded by a new shard."""
        return TxnShardHarness(
            prompt=self.prompt if prompt is None else prompt,
            log=self.log,
            config=self.config,
            now_ms=self.now_ms,
            wall_offset_ms=self.wall_offset_ms,
            next_id=self.next_id,
        )

    def _turn(self) -> Turn:
        turn = Turn(self.now_ms, self.now_ms + self.wall_offset_ms)
        turn.pending, turn.below_min_isr = RecordedResponse(), self.below_min_isr
        return turn

    def _apply(self, turn: Turn) -> None:
        result = turn.result
        assert not (self.below_min_isr and result.records), "would be refused"
        self.log += result.records
        for key, due_ms in result.timers:
            assert due_ms is not None
            self.due[key] = due_ms
        for pending, response in result.replies:
            pending.complete(response)
        self.pending_markers += result.pending_markers
        if self.prompt:
            self.write_markers()

    def write_markers(self) -> None:
        """Every partition that waits for a marker gets it."""
        while self.pending_markers:
            markers = self.pending_markers.pop(0)
            self.written.append(markers)
            self.send(MarkersWritten(markers))

    def send(self, request: Any) -> RecordedResponse:
        """Handle a request; the response may come later."""
        turn = self._turn()
        self.shard.handle(request, turn)
        self._apply(turn)
        assert isinstance(turn.pending, RecordedResponse)
        return turn.pending

    def pass_ms(self, duration_ms: int) -> None:
        """Let time pass; timers go off in order."""
        end_ms = self.now_ms + duration_ms
        while self.due:
            key = min(self.due, key=self.due.__getitem__)
            if self.due[key] > end_ms:
                break
            self.now_ms = max(self.now_ms, self.due.pop(key))
            self.fire(key)
        self.now_ms = end_ms

    def fire(self, key: Hashable) -> Turn:
        """Let the shard handle a timer; return the turn."""
        turn = self._turn()
        self.shard.timed_out(key, turn)
        self._apply(turn)
        return turn

    # -- what is there -------------------------------------------------------------------------------------------

    def state(self, transactional_id: str = "x") -> str | None:
        found = self.shard.manager.transactions.get(transactional_id)
        return None if found is None else found.state.name

    def of(self, transactional_id: str = "x") -> TransactionMetadata:
        return self.shard.manager.transactions[transactional_id]

    def image(self) -> dict[str, dict[str, Any]]:
        """Everything that the log must hold."""
        return {
            name: {field: getattr(each, field) for field in each.__slots__ if field not in VOLATILE}
            for name, each in self.shard.manager.transactions.items()
        }

    # -- clients -------------------------------------------------------------------------------------------------

    def init(
        self, expected: tuple[int, int] | None = None, *, timeout_ms: int = 60_000, transactional_id: str = "x"
    ) -> RecordedResponse:
        return self.send(InitProducer(transactional_id, timeout_ms, expected))

    def started(self, transactional_id: str = "x", timeout_ms: int = 60_000) -> tuple[int, int]:
        """A producer that has just started: its id and epoch."""
        answer: ProducerIdResult = self.init(transactional_id=transactional_id, timeout_ms=timeout_ms).reply
        assert not answer.code
        return answer.producer_id, answer.producer_epoch

    def add(
        self,
        producer: tuple[int, int],
        *partitions: TopicPartition,
        client: int | None = None,
        transactional_id: str = "x",
    ) -> RecordedResponse:
        version = self.config.version if client is None else client
        return self.send(AddPartitions(transactional_id, *producer, partitions or (T0,), version))

    def verify(
        self, producer: tuple[int, int], *partitions: TopicPartition, transactional_id: str = "x"
    ) -> dict[TopicPartition, ErrorCode]:
        found: dict[TopicPartition, ErrorCode] = self.send(
            VerifyPartitions(transactional_id, *producer, partitions)
        ).reply
        return found

    def end(
        self, producer: tuple[int, int], *, commit: bool = True, client: int | None = None, transactional_id: str = "x"
    ) -> RecordedResponse:
        version = self.config.version if client is None else client
        return self.send(EndTransaction(transactional_id, *producer, commit, version))

    def describe(self, transactional_id: str = "x") -> Any:
        return self.send(DescribeTransaction(transactional_id)).reply

    def listing(self) -> list[Any]:
        found: list[Any] = self.send(ListTransactionalIds()).reply
        return found
