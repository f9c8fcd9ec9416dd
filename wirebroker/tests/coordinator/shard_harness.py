"""ShardHarness: a group shard with a clock of its own; timers fire in order, records are kept as a log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wirebroker.coordinator.group.group_config import GroupCoordinatorConfig
from wirebroker.coordinator.group.records import NEWEST, RecordVersions
from wirebroker.coordinator.group.release_rules import NEWEST_RULES, GroupRules
from wirebroker.coordinator.group.shard import GroupShard
from wirebroker.coordinator.shard import ReplayedBatch
from wirebroker.coordinator.turn import (
    INTERNAL_CLIENT,
    CoordinatorRecord,
    InternalClient,
    PendingResponse,
    RequestClient,
    Turn,
)
from wirebroker.protocol.messages.heartbeat import HeartbeatRequest
from wirebroker.protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from wirebroker.protocol.messages.leave_group import LeaveGroupRequest, MemberIdentity
from wirebroker.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from wirebroker.protocol.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from wirebroker.tests.controller.fakes import broker_config

if TYPE_CHECKING:
    from collections.abc import Hashable


def group_config(**settings: object) -> GroupCoordinatorConfig:
    """Return the configuration of a shard, with ``group_max_size=3`` for ``group.max.size=3``."""
    return GroupCoordinatorConfig(broker_config(**settings).value)


CONFIG = group_config()
WALL_OFFSET_MS = 1_700_000_000_000
"""Far enough from 0 that a test fails if one clock is taken for the other."""
TOPICS = {"t": 4, "u": 1}


class RecordedResponse(PendingResponse):
    """A pending response that keeps every reply, so that a second one is noticed."""

    __slots__ = ("replies",)

    def __init__(self) -> None:
        super().__init__()
        self.replies: list[Any] = []

    def set_result(self, result: Any) -> None:
        super().set_result(result)
        self.replies.append(result)

    @property
    def reply(self) -> Any:
        """The one answer."""
        assert len(self.replies) == 1, f"{len(self.replies)} replies"
        return self.replies[0]

    @property
    def waits(self) -> bool:
        return not self.replies


class ShardHarness:
    """Runs one GroupShard the way the runtime does, without any waiting."""

    def __init__(
        self,
        config: GroupCoordinatorConfig = CONFIG,
        log: list[CoordinatorRecord] | None = None,
        versions: RecordVersions = NEWEST,
        rules: GroupRules = NEWEST_RULES,
    ) -> None:
        self.config = config
        self.versions = versions
        self.now_ms = 1_000_000
        """The monotonic clock."""
        self.wall_offset_ms = WALL_OFFSET_MS
        """How far the wall clock is ahead of it; a test that steps the wall clock changes this."""
        self.log: list[CoordinatorRecord] = list(log or [])
        self.batch_limit = 2**31 - 1
        self.below_min_isr = False
        self.shard = GroupShard(
            config,
            lambda topic, index: index < TOPICS.get(topic, 0),
            batch_limit=lambda: self.batch_limit,
            versions=versions,
            rules=rules,
        )
        self.due: dict[Hashable, int] = {}
        for record in self.log:
            self.replay(record)
        for _ in self.shard.finish_replay():
            pass
        turn = self.turn()
        self.shard.loaded(turn)
        self._apply(turn)

    def turn(self, client: RequestClient = INTERNAL_CLIENT) -> Turn:
        """A turn at the present moment, whose pending response is a RecordedResponse."""
        turn = Turn(self.now_ms, self.now_ms + self.wall_offset_ms, client)
        turn.pending, turn.below_min_isr = RecordedResponse(), self.below_min_isr
        return turn

    def _apply(self, turn: Turn) -> None:
        result = turn.result
        assert not (self.below_min_isr and result.records and result.required_acks), "would be refused"
        self.log += result.records
        for key, due_ms in result.timers:
            if due_ms is None:
                self.due.pop(key, None)
            else:
                self.due[key] = due_ms
        for pending, response in result.replies:
            pending.complete(response)

    def ask(self, request: Any, version: int = 3, client_id: str = "c") -> RecordedResponse:
        turn = self.turn(InternalClient(version, client_id, "127.0.0.1"))
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
            self._fire(key)
        self.now_ms = end_ms

    def fire(self, key: Hashable) -> None:
        """Let one timer go off now."""
        del self.due[key]
        self._fire(key)

    def _fire(self, key: Hashable) -> None:
        turn = self.turn()
        self.shard.timed_out(key, turn)
        self._apply(turn)

    def replay(self, record: CoordinatorRecord, producer_id: int | None = None) -> None:
        """Replay *record*, in a transaction of *producer_id* if that is given."""
        transactional = producer_id is not None
        batch = ReplayedBatch(producer_id or -1, 0, transactional, self.now_ms + self.wall_offset_ms)
        self.shard.replay(record, batch)

    def restarted(self) -> ShardHarness:
        """The same log, loaded by a new shard."""
        return ShardHarness(self.config, self.log, self.versions)

    # -- clients -----------------------------------------------------------------------------------------------

    def join(
        self,
        member_id: str = "",
        *,
        group: str = "g",
        version: int = 3,
        instance: str | None = None,
        protocols: tuple[tuple[str, bytes], ...] = (("range", b"m"),),
        kind: str = "consumer",
        session_ms: int = 10_000,
        rebalance_ms: int = 30_000,
        client: str = "c",
    ) -> RecordedResponse:
        message = JoinGroupRequest(
            group_id=group,
            session_timeout_ms=session_ms,
            rebalance_timeout_ms=rebalance_ms,
            member_id=member_id,
            group_instance_id=instance,
            protocol_type=kind,
            protocols=[JoinGroupRequestProtocol(name, metadata) for name, metadata in protocols],
        )
        return self.ask(message, version, client)

    def sync(
        self,
        member_id: str,
        generation: int,
        assignments: dict[str, bytes] | None = None,
        *,
        group: str = "g",
        instance: str | None = None,
    ) -> RecordedResponse:
        message = SyncGroupRequest(
            group_id=group,
            generation_id=generation,
            member_id=member_id,
            group_instance_id=instance,
            assignments=[SyncGroupRequestAssignment(*each) for each in (assignments or {}).items()],
        )
        return self.ask(message)

    def beat(self, member_id: str, generation: int, *, group: str = "g", instance: str | None = None) -> int:
        message = HeartbeatRequest(
            group_id=group, generation_id=generation, member_id=member_id, group_instance_id=instance
        )
        return int(self.ask(message).reply.error_code)

    def leave(self, *members: str, group: str = "g", instance: str | None = None) -> Any:
        message = LeaveGroupRequest(
            group_id=group, members=[MemberIdentity(member_id=m, group_instance_id=instance) for m in members]
        )
        return self.ask(message, 4).reply

    def commit(
        self,
        offset: int,
        member_id: str = "",
        generation: int = -1,
        *,
        group: str = "g",
        topic: str = "t",
        partition: int = 0,
        metadata: str | None = None,
        version: int = 8,
        retention_ms: int = -1,
        timestamp_ms: int = -1,
        instance: str | None = None,
    ) -> int:
        message = OffsetCommitRequest(
            group_id=group,
            generation_id_or_member_epoch=generation,
            member_id=member_id,
            group_instance_id=instance,
            retention_time_ms=retention_ms,
            topics=[
                OffsetCommitRequestTopic(
                    name=topic,
                    partitions=[
                        OffsetCommitRequestPartition(
                            partition_index=partition,
                            committed_offset=offset,
                            commit_timestamp=timestamp_ms,
                            committed_metadata=metadata,
                        )
                    ],
                )
            ],
        )
        reply = self.ask(message, version).reply
        return int(reply.topics[0].partitions[0].error_code)

    def offset(self, *, group: str = "g", topic: str = "t", partition: int = 0) -> int | None:
        found = self.shard.manager.offsets.get(group, topic, partition)
        return found.offset if found is not None else None

    def stable(self, *names: str, version: int = 3) -> tuple[list[str], int]:
        """A stable group of so many members: their ids (the leader first) and the generation."""
        joins = [self.join(version=version) for _ in names]
        if len(names) > 1:  # the first joined alone and has to join again with the rest
            first = joins[0].reply.member_id
            joins[0] = self.join(first, version=version)
        self.pass_ms(0)
        ids = [join.reply.member_id for join in joins]
        generation = joins[-1].reply.generation_id
        leader = joins[0].reply.leader
        assert leader == ids[0]
        for member_id in ids[1:]:
            self.sync(member_id, generation)
        self.sync(leader, generation, dict(zip(ids, (name.encode() for name in names), strict=True)))
        return ids, generation
