"""RuntimeHarness: a CoordinatorRuntime with shards that record what they are told, for tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, cast

import trio

from wirebroker.coordinator.delayed_request import DelayedRequest
from wirebroker.coordinator.runtime import CoordinatorRuntime
from wirebroker.coordinator.turn import INTERNAL_CLIENT, CoordinatorRecord, Turn
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.tests.coordinator.test_runtime import FakePartition, WritingShard
from wirebroker.timer.timer import Timer

if TYPE_CHECKING:
    from wirebroker.coordinator.shard import CoordinatorShard, TransactionalWriter
    from wirebroker.coordinator.turn import PendingResponse
    from wirebroker.replication.partition import Partition


class RecordingShard(WritingShard):
    """As WritingShard; "look" is answered without a record, "beat" immediately, and replayed requests count, too.

    "delete" writes a tombstone, and "below" is answered with whether records would be refused.
    """

    def replay(self, record: CoordinatorRecord, *_: object) -> None:
        self.told.append(record.key.decode())

    def replay_end_transaction(self, producer_id: int, *, committed: bool) -> None:
        self.told.append(f"marker {producer_id} {committed}")

    def loaded(self, turn: Turn) -> None:
        pass

    def replication_timed_out(self, request: Any, turn: Turn) -> ErrorCode:
        return ErrorCode.REQUEST_TIMED_OUT

    def handle(self, request: Any, turn: Turn) -> None:
        if request == "look":
            turn.reply(list(self.told))
        elif request == "beat":
            turn.reply_immediately(list(self.told))
        elif request == "below":
            turn.reply_immediately(turn.below_min_isr)
        elif request == "delete":
            turn.result.required_acks = 0
            super().handle(request, turn)
        elif request == "short":
            turn.result.commit_timeout_s = 2.0
            super().handle(request, turn)
        elif not isinstance(request, str):
            self.told.append(repr(request))
        else:
            super().handle(request, turn)


class RuntimeHarness:
    """A runtime whose partitions are in `served`; `run` it.

    Attributes:
        delays: Whether requests are delayed, so that no task waits in the runtime.
    """

    def __init__(self, *, delays: bool = False) -> None:
        self.delays = delays
        self.timer = Timer()
        self.served: dict[int, FakePartition] = {0: FakePartition(0)}
        self.pending_markers: list[tuple[int, int, Any]] = []
        self.unloaded: list[int] = []
        self.runtime = CoordinatorRuntime(
            "topic",
            lambda _: cast("CoordinatorShard", RecordingShard()),
            lambda index: cast("Partition", self.served.get(index)),
            self.unloaded.append,
            lambda *markers: self.pending_markers.append(markers),
            self.timer,
        )
        self.answers: dict[str, Any] = {}

    @classmethod
    async def started(cls, nursery: trio.Nursery, *, delays: bool) -> Self:
        """Return a harness that runs in *nursery*, with one partition, loaded."""
        harness = cls(delays=delays)
        nursery.start_soon(harness.timer.run)
        harness.follow()
        nursery.start_soon(harness.runtime.run)
        await harness.runtime.first_loads()
        return harness

    def follow(self) -> None:
        self.runtime.follow(cast("dict[int, Partition]", self.served))

    async def ask(self, name: str, request: str, writer: TransactionalWriter | None = None) -> None:
        try:
            if self.delays and writer is None:
                response = self.runtime.request_or_delay(0, request)
                if isinstance(response, DelayedRequest):
                    response = await outcome(response)
                self.answers[name] = response
            else:
                self.answers[name] = await self.runtime.request(0, request, INTERNAL_CLIENT, writer)
        except ApiError as fault:
            self.answers[name] = fault.code


async def outcome(delayed: DelayedRequest) -> Any:
    """Return the response, or raise the error, when the request is complete."""
    done = trio.Event()
    found: list[PendingResponse] = []
    delayed.respond = found.append
    delayed.on_response = done.set
    assert not delayed.holds_requests
    assert not delayed.may_complete
    assert not delayed.try_complete()
    await done.wait()
    assert delayed.is_completed
    assert not delayed.is_pending
    return found[0].outcome()
