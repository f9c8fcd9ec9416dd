"""A shard with a clock of its own: requests in, replies by ticket, timers fired in order, records kept as a log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wirebroker.coordinator.group.requests import GroupRequest
from wirebroker.coordinator.group.settings import GroupSettings
from wirebroker.coordinator.group.shard import GroupShard
from wirebroker.coordinator.shard import CoordinatorRecord, Now, Outcome, ReplayedBatch
from wirebroker.protocol.messages.heartbeat import HeartbeatRequest
from wirebroker.protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from wirebroker.protocol.messages.leave_group import LeaveGroupRequest, MemberIdentity
from wirebroker.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from wirebroker.protocol.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment

if TYPE_CHECKING:
    from collections.abc import Hashable

SETTINGS = GroupSettings(initial_rebalance_delay_ms=0)
WALL_OFFSET_MS = 1_700_000_000_000
"""Far enough from 0 that a test fails if one clock is taken for the other."""
TOPICS = {"t": 4, "u": 1}


class Ticket:
    """Stands for a client that waits."""

    def __init__(self) -> None:
        self.replies: list[Any] = []

    @property
    def reply(self) -> Any:
        """The one answer."""
        assert len(self.replies) == 1, f"{len(self.replies)} replies"
        return self.replies[0]

    @property
    def waits(self) -> bool:
        return not self.replies


class House:
    """Runs one GroupShard the way the runtime does, without any waiting."""

    def __init__(self, settings: GroupSettings = SETTINGS, log: list[CoordinatorRecord] | None = None) -> None:
        self.settings = settings
        self.now_ms = 1_000_000
        """The monotonic clock."""
        self.wall_offset_ms = WALL_OFFSET_MS
        """How far the wall clock is ahead of it; a test that steps the wall clock changes this."""
        self.log: list[CoordinatorRecord] = list(log or [])
        self.batch_limit = 2**31 - 1
        self.shard = GroupShard(
            settings, lambda topic, index: index < TOPICS.get(topic, 0), batch_limit=lambda: self.batch_limit
        )
        self.due: dict[Hashable, int] = {}
        who = ReplayedBatch(-1, -1, False, self.now.wall_ms)
        for offset, record in enumerate(self.log):
            self.shard.replay(record, offset, who)
        for _ in self.shard.finish_replay():
            pass
        self._apply(self.shard.loaded(self.now))

    @property
    def now(self) -> Now:
        return Now(self.now_ms, self.now_ms + self.wall_offset_ms)

    def _apply(self, outcome: Outcome) -> None:
        self.log += outcome.records
        for key, due_ms in outcome.timers:
            if due_ms is None:
                self.due.pop(key, None)
            else:
                self.due[key] = due_ms
        for ticket, response in outcome.immediate + outcome.replies:
            assert isinstance(ticket, Ticket)
            ticket.replies.append(response)

    def ask(self, request: Any) -> Ticket:
        ticket = Ticket()
        self._apply(self.shard.handle(request, ticket, self.now))
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

    def restarted(self) -> House:
        """The same log, loaded by a new shard."""
        return House(self.settings, self.log)

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
    ) -> Ticket:
        message = JoinGroupRequest(
            group_id=group,
            session_timeout_ms=session_ms,
            rebalance_timeout_ms=rebalance_ms,
            member_id=member_id,
            group_instance_id=instance,
            protocol_type=kind,
            protocols=[JoinGroupRequestProtocol(name, metadata) for name, metadata in protocols],
        )
        return self.ask(GroupRequest(group, message, version, client, "127.0.0.1"))

    def sync(
        self,
        member_id: str,
        generation: int,
        assignments: dict[str, bytes] | None = None,
        *,
        group: str = "g",
        instance: str | None = None,
    ) -> Ticket:
        message = SyncGroupRequest(
            group_id=group,
            generation_id=generation,
            member_id=member_id,
            group_instance_id=instance,
            assignments=[SyncGroupRequestAssignment(*each) for each in (assignments or {}).items()],
        )
        return self.ask(GroupRequest(group, message, 3, "c", "127.0.0.1"))

    def beat(self, member_id: str, generation: int, *, group: str = "g", instance: str | None = None) -> int:
        message = HeartbeatRequest(
            group_id=group, generation_id=generation, member_id=member_id, group_instance_id=instance
        )
        return int(self.ask(GroupRequest(group, message, 3, "c", "127.0.0.1")).reply.error_code)

    def leave(self, *members: str, group: str = "g", instance: str | None = None) -> Any:
        message = LeaveGroupRequest(
            group_id=group, members=[MemberIdentity(member_id=m, group_instance_id=instance) for m in members]
        )
        return self.ask(GroupRequest(group, message, 4, "c", "127.0.0.1")).reply

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
                            partition_index=partition, committed_offset=offset, committed_metadata=metadata
                        )
                    ],
                )
            ],
        )
        reply = self.ask(GroupRequest(group, message, version, "c", "127.0.0.1")).reply
        return int(reply.topics[0].partitions[0].error_code)

    def offset(self, *, group: str = "g", topic: str = "t", partition: int = 0) -> int | None:
        found = self.shard.offsets.get(group, topic, partition)
        return found.offset if found is not None else None

    def stable(self, *names: str, version: int = 3) -> tuple[list[str], int]:
        """A stable group of so many members: their ids (the leader first) and the generation."""
        tickets = [self.join(version=version) for _ in names]
        if len(names) > 1:  # the first joined alone and has to join again with the rest
            first = tickets[0].reply.member_id
            tickets[0] = self.join(first, version=version)
        self.pass_ms(0)
        ids = [ticket.reply.member_id for ticket in tickets]
        generation = tickets[-1].reply.generation_id
        leader = tickets[0].reply.leader
        assert leader == ids[0]
        for member_id in ids[1:]:
            self.sync(member_id, generation)
        self.sync(leader, generation, dict(zip(ids, (name.encode() for name in names), strict=True)))
        return ids, generation
