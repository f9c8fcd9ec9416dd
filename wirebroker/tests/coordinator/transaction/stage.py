"""A transaction shard with a clock of its own: requests in, answers by ticket, markers written when a test says so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wirebroker.coordinator.shard import CoordinatorRecord, Now, Outcome, ReplayedBatch
from wirebroker.coordinator.transaction.requests import (
    NEEDS_ID,
    AddPartitions,
    DescribeTransaction,
    EndTransaction,
    InitProducer,
    ListTransactionalIds,
    MarkersWritten,
    ProducerAnswer,
    VerifyPartitions,
    WriteMarkers,
)
from wirebroker.coordinator.transaction.settings import TransactionSettings
from wirebroker.coordinator.transaction.shard import TransactionShard
from wirebroker.model import TopicPartition
from wirebroker.tests.coordinator.house import WALL_OFFSET_MS, Ticket

if TYPE_CHECKING:
    from collections.abc import Hashable

    from wirebroker.coordinator.transaction.state import Transaction
    from wirebroker.protocol.errors import ErrorCode

T0, T1, U0 = TopicPartition("t", 0), TopicPartition("t", 1), TopicPartition("u", 0)
START_MS = 1_000_000
START_WALL_MS = START_MS + WALL_OFFSET_MS
VOLATILE = frozenset({"last_epoch", "deadline_ms"})
"""What a shard knows that its log does not."""


class Stage:
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
        settings: TransactionSettings | None = None,
        now_ms: int = START_MS,
        wall_offset_ms: int = WALL_OFFSET_MS,
        next_id: int = 100,
    ) -> None:
        self.settings = settings or TransactionSettings(version)
        self.prompt = prompt
        self.now_ms = now_ms
        self.wall_offset_ms = wall_offset_ms
        self.next_id = next_id
        self.log = list(log or [])
        self.shard = TransactionShard(self.settings)
        self.due: dict[Hashable, int] = {}
        self.errands: list[WriteMarkers] = []
        self.written: list[WriteMarkers] = []
        who = ReplayedBatch(-1, -1, False, self.now.wall_ms)
        for offset, record in enumerate(self.log):
            self.shard.replay(record, offset, who)
        for _ in self.shard.finish_replay():
            pass
        self._apply(self.shard.loaded(self.now))

    def restarted(self, *, prompt: bool | None = None) -> Stage:
        """The same log, loaded by a new shard."""
        return Stage(
            prompt=self.prompt if prompt is None else prompt,
            log=self.log,
            settings=self.settings,
            now_ms=self.now_ms,
            wall_offset_ms=self.wall_offset_ms,
            next_id=self.next_id,
        )

    @property
    def now(self) -> Now:
        return Now(self.now_ms, self.now_ms + self.wall_offset_ms)

    def _apply(self, outcome: Outcome) -> None:
        self.log += outcome.records
        for key, due_ms in outcome.timers:
            assert due_ms is not None
            self.due[key] = due_ms
        for ticket, response in outcome.replies:
            assert isinstance(ticket, Ticket)
            ticket.replies.append(response)
        self.errands += outcome.errands
        if self.prompt:
            self.write_markers()

    def write_markers(self) -> None:
        """Every partition that waits for a marker gets it."""
        while self.errands:
            errand = self.errands.pop(0)
            self.written.append(errand)
            self.send(MarkersWritten(errand))

    def send(self, request: Any) -> Ticket:
        """Hand a request in; ids are there when they are needed."""
        ticket = Ticket()
        self._apply(self.shard.handle(request, ticket, self.now))
        if ticket.replies and ticket.replies[0] is NEEDS_ID:
            self.next_id += 1
            return self.send(request._replace(fresh_id=self.next_id - 1))
        return ticket

    def pass_ms(self, duration_ms: int) -> None:
        """Let time pass; timers go off in order."""
        end_ms = self.now_ms + duration_ms
        while self.due:
            key = min(self.due, key=self.due.__getitem__)
            if self.due[key] > end_ms:
                break
            self.now_ms = max(self.now_ms, self.due.pop(key))
            self._apply(self.shard.timed_out(key, self.now))
        self.now_ms = end_ms

    # -- what is there -------------------------------------------------------------------------------------------

    def state(self, transactional_id: str = "x") -> str | None:
        found = self.shard.transactions.get(transactional_id)
        return None if found is None else found.state.name

    def of(self, transactional_id: str = "x") -> Transaction:
        return self.shard.transactions[transactional_id]

    def image(self) -> dict[str, dict[str, Any]]:
        """Everything that the log must hold."""
        return {
            name: {field: getattr(each, field) for field in each.__slots__ if field not in VOLATILE}
            for name, each in self.shard.transactions.items()
        }

    # -- clients -------------------------------------------------------------------------------------------------

    def init(
        self, expected: tuple[int, int] | None = None, *, timeout_ms: int = 60_000, transactional_id: str = "x"
    ) -> Ticket:
        return self.send(InitProducer(transactional_id, timeout_ms, expected))

    def started(self, transactional_id: str = "x", timeout_ms: int = 60_000) -> tuple[int, int]:
        """A producer that has just started: its id and epoch."""
        answer: ProducerAnswer = self.init(transactional_id=transactional_id, timeout_ms=timeout_ms).reply
        assert not answer.code
        return answer.producer_id, answer.producer_epoch

    def add(
        self,
        producer: tuple[int, int],
        *partitions: TopicPartition,
        client: int | None = None,
        transactional_id: str = "x",
    ) -> Ticket:
        version = self.settings.version if client is None else client
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
    ) -> Ticket:
        version = self.settings.version if client is None else client
        return self.send(EndTransaction(transactional_id, *producer, commit, version))

    def describe(self, transactional_id: str = "x") -> Any:
        return self.send(DescribeTransaction(transactional_id)).reply

    def listing(self) -> list[Any]:
        found: list[Any] = self.send(ListTransactionalIds()).reply
        return found
