"""GroupMember: a member of a consumer group that commits offsets of the partitions that it is assigned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import trio

from wirebroker.client.broker_channel import ChannelError
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.find_coordinator import FindCoordinatorRequest
from wirebroker.protocol.messages.heartbeat import HeartbeatRequest
from wirebroker.protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from wirebroker.protocol.messages.leave_group import LeaveGroupRequest, MemberIdentity
from wirebroker.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from wirebroker.protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestTopic
from wirebroker.protocol.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from wirebroker.tests.simulation.clients import Client
from wirebroker.tests.simulation.trace import Violation

if TYPE_CHECKING:
    from wirebroker.protocol.message import Message

E = ErrorCode
GROUP: Final = "readers"
_TOPIC: Final = "events"
_PARTITIONS: Final = (0, 1)
_SESSION_MS: Final = 6000
_REBALANCE_MS: Final = 2000
_COORDINATOR_MOVES: Final = frozenset(
    {
        E.NOT_COORDINATOR,
        E.COORDINATOR_NOT_AVAILABLE,
        E.COORDINATOR_LOAD_IN_PROGRESS,
        E.REQUEST_TIMED_OUT,
        E.NETWORK_EXCEPTION,
        E.UNKNOWN_TOPIC_OR_PARTITION,
    }
)
_REJOIN: Final = frozenset({E.ILLEGAL_GENERATION, E.REBALANCE_IN_PROGRESS, E.UNKNOWN_MEMBER_ID})


class _RejoinNeeded(Exception):
    """The membership in this generation is over."""


class GroupMember(Client):
    """Joins, commits ever higher offsets, and leaves, or is silent for longer than its session, every now and then."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._client = self.client("group")
        self._coordinator = -1
        self._member_id = ""
        self._generation = -1

    async def run(self) -> None:
        while not self.is_stopping:
            try:
                await self._take_part(await self._join())
            except _RejoinNeeded:
                pass
            await self._client.pause()

    async def _join(self) -> list[int]:
        """Join the group, and return the partitions that this member has in the generation."""
        while True:
            protocols = [JoinGroupRequestProtocol("simulated", b"")]
            request = JoinGroupRequest(GROUP, _SESSION_MS, _REBALANCE_MS, self._member_id, None, "consumer", protocols)
            joined = await self._ask(request, 5)
            if joined.error_code != E.MEMBER_ID_REQUIRED:
                break
            self._member_id = joined.member_id
        self._check(joined.error_code, "JoinGroup")
        self._member_id, self._generation = joined.member_id, joined.generation_id
        assignments = []
        if joined.leader == joined.member_id:
            members = sorted(each.member_id for each in joined.members)
            for at, member_id in enumerate(members):
                partitions = bytes(each for each in _PARTITIONS if each % len(members) == at)
                assignments.append(SyncGroupRequestAssignment(member_id, partitions))
        sync = SyncGroupRequest(GROUP, self._generation, self._member_id, None, assignments=assignments)
        synced = await self._ask(sync, 3)
        self._check(synced.error_code, "SyncGroup")
        assigned = list(bytes(synced.assignment))
        self.observer.partitions_assigned(self._generation, self._member_id, assigned)
        return assigned

    async def _take_part(self, assigned: list[int]) -> None:
        """Commit until the generation ends, or this member leaves the group.  Raises _RejoinNeeded."""
        random = self._client.random
        offsets = await self._fetch(assigned)
        while not self.is_stopping:
            await self.pace.pause(random.uniform(0.05, 0.3), random, _SESSION_MS / 3000)
            if random.random() < 0.06:
                await trio.sleep(_SESSION_MS / 1000 + random.uniform(0.5, 3.0))
            if random.random() < 0.02:
                await self._ask(LeaveGroupRequest(GROUP, members=[MemberIdentity(self._member_id)]), 3)
                self._member_id = ""
                return
            if assigned:
                offsets = {each: offset + 1 for each, offset in offsets.items()}
                await self._commit(offsets)
                await trio.sleep(random.uniform(0.1, 0.6))
                found = await self._fetch(assigned)
            heartbeat = await self._ask(HeartbeatRequest(GROUP, self._generation, self._member_id), 3)
            self._check(heartbeat.error_code, "Heartbeat")
            if assigned and found != offsets:  # this member is in its generation still, so nobody else may commit
                self._fail(f"{offsets} were committed in generation {self._generation}, the coordinator has {found}")

    async def _commit(self, offsets: dict[int, int]) -> None:
        partitions = [OffsetCommitRequestPartition(each, offset) for each, offset in offsets.items()]
        topics = [OffsetCommitRequestTopic(_TOPIC, partitions=partitions)]
        while True:
            response = await self._ask(OffsetCommitRequest(GROUP, self._generation, self._member_id, topics=topics), 7)
            codes = {ErrorCode(each.error_code) for each in response.topics[0].partitions}
            if not codes & _COORDINATOR_MOVES:
                break
            await self._moved()
        for each in codes:
            self._check(each, "OffsetCommit")
        self.observer.offsets_committed(offsets)

    async def _fetch(self, assigned: list[int]) -> dict[int, int]:
        """Return the committed offsets of *assigned*, which are those that were acknowledged, or later ones."""
        if not assigned:
            return {}
        while True:
            acknowledged = dict(self.observer.group.committed)
            response = await self._ask(OffsetFetchRequest(GROUP, [OffsetFetchRequestTopic(_TOPIC, assigned)]), 7)
            found = response.topics[0].partitions if response.topics else []
            if len(found) == len(assigned) and not any(each.error_code for each in found):
                break
            await self._moved()
        offsets = {each.partition_index: each.committed_offset for each in found}
        for partition, offset in offsets.items():
            if offset < acknowledged.get(partition, -1):
                self._fail(f"partition {partition}: {acknowledged[partition]} was committed, {offset} is found")
        return offsets

    async def _ask(self, request: Message, version: int) -> Any:
        """Return the response of the coordinator, whichever broker that is by then."""
        timeout_s = _REBALANCE_MS / 1000 + 6.0 if isinstance(request, JoinGroupRequest) else 3.0
        while True:
            try:
                if self._coordinator < 0:
                    found = await self._client.send_to_any(FindCoordinatorRequest(GROUP), 3)
                    self._coordinator = -1 if found.error_code else found.node_id
                if self._coordinator >= 0:
                    response = await self._client.send(self._coordinator, request, version, timeout_s)
                    if getattr(response, "error_code", E.NONE) not in _COORDINATOR_MOVES:
                        return response
            except ChannelError:
                pass
            await self._moved()

    async def _moved(self) -> None:
        """Look for the coordinator again, after a while.  Raises _RejoinNeeded at the end of the simulation."""
        if self.is_stopping:
            raise _RejoinNeeded
        self._coordinator = -1
        await self._client.pause()

    def _check(self, code: int, what: str) -> None:
        if code in _REJOIN:
            if code == E.UNKNOWN_MEMBER_ID:
                self._member_id = ""
            raise _RejoinNeeded
        if code:
            self._fail(f"{what} was refused with {ErrorCode(code).name}")

    def _fail(self, text: str) -> None:
        self.observer.fail(Violation(f"{self.name}: {text}"))
        self.is_stopping = True
        raise _RejoinNeeded
