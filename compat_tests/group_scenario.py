"""Scripts of raw requests to a group coordinator: named clients, each on a connection of its own, and a record of
every answer, in which member ids are numbered in the order of their first appearance.

The same script is run on two brokers and the records are compared.
"""

from __future__ import annotations

import os
import re
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from compat_tests.limits import join
from compat_tests.wire import CLIENT_ID, Closed, Wire
from wirebroker.protocol.message import Data
from wirebroker.protocol.messages.api_versions import ApiVersionsRequest
from wirebroker.protocol.messages.describe_groups import DescribeGroupsRequest
from wirebroker.protocol.messages.heartbeat import HeartbeatRequest
from wirebroker.protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from wirebroker.protocol.messages.leave_group import LeaveGroupRequest, MemberIdentity
from wirebroker.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from wirebroker.protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
    OffsetFetchRequestTopics,
)
from wirebroker.protocol.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from compat_tests.broker import Broker
    from wirebroker.protocol.message import Message

UUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
NOT_ANSWERED_S: Final = 0.25
"""How long a request that the broker has handled must stay without an answer to count as waiting, on a machine that has
nothing else to do; see `load_factor`."""
LONGEST_S: Final = 1.0
"""No script waits longer than that to see that there is no answer: the timeouts that it plays with are longer."""
ANSWER_S: Final = 180
"""No script waits longer for an answer."""
LONG_MS: Final = 300_000
"""Timeouts of members that are not to be expelled, on a machine that stands still for a minute, too."""
IN_ORDER: Final = {"num.network.threads": "1", "num.io.threads": "1"}
"""With these an Apache Kafka handles the requests of all connections in the order of their arrival, as wirebroker does;
see `GroupScenario.await_handled`."""


def load_factor() -> float:
    """How many times longer than on an idle machine requests take: from the load average, and from the load now."""
    try:
        running = int(Path("/proc/loadavg").read_text().split()[3].partition("/")[0])
    except OSError:  # no Linux
        running = 0
    return min(10, max(1, max(os.getloadavg()[0], running) / (os.cpu_count() or 1)))


def subscription(owner: bytes = b"", *topics: bytes) -> bytes:
    """A consumer's metadata, version 1: its topics, user data, and no partitions owned.

    Bytes that are no subscription make Apache Kafka 3.9.1 lose the rebalance: the thread that completes it dies.
    """
    names = b"".join(len(name).to_bytes(2, "big") + name for name in topics)
    text = len(topics).to_bytes(4, "big") + names + len(owner).to_bytes(4, "big") + owner
    return b"\0\1" + text + bytes(4)


RANGE: Final = (("range", subscription(b"range", b"read")),)


class GroupScenario:
    """The clients of one broker; `recorded` has its answers."""

    answer_s: float = ANSWER_S

    def __init__(self, broker: Broker, group: str, topic: str) -> None:
        self.broker, self.group, self.topic = broker, group, topic
        self.recorded: list[Any] = []  # pairs of (label, answer); other scenes keep more
        self._wires: dict[str, Wire] = {}
        self._probe: Wire | None = None
        self._asked: dict[str, tuple[str, type[Message], int]] = {}
        self._ids: dict[str, str] = {}

    # -- asking ------------------------------------------------------------------------------------------------

    def send(self, client: str, request: Message, version: int, client_id: str | None = CLIENT_ID) -> None:
        """Send and do not wait; `receive` or `record_waiting` comes next."""
        wire = self._wires.get(client)
        if wire is None:
            wire = self._wires[client] = Wire(self.broker.host, self.broker.port, timeout_s=self.answer_s)
            wire.ask(ApiVersionsRequest(), 0)  # a connection may be accepted long after it was made
        assert client not in self._asked, f"{client} still waits"
        wire.send(request, version, client_id)
        self._asked[client] = (f"{client}: {type(request).__name__} v{version}", type(request), version)

    def receive(self, client: str) -> Any:
        """Wait for the answer, record and return it."""
        label, kind, version = self._asked.pop(client)
        try:
            answer = self._wires[client].receive(kind, version)
        except Closed:
            self._wires.pop(client).close()
            answer = None
        except TimeoutError:
            self._wires.pop(client).close()
            answer = "never answered"
        self._note(label, answer)
        return answer

    def await_handled(self) -> None:
        """Wait until the broker has handled every request that was sent before, or has begun to let it wait.

        A request that comes later may be read with them at once, but not answered before they are read; so the next one
        is handled, and answered, after all of them.
        """
        if self._probe is None:
            self._probe = Wire(self.broker.host, self.broker.port, timeout_s=self.answer_s)
        for _ in range(2):
            self._probe.ask(DescribeGroupsRequest([self.group]), 5)

    def record_waiting(self, client: str) -> None:
        """Record whether the client still has no answer."""
        self.await_handled()
        sock = self._wires[client].socket
        sock.settimeout(min(NOT_ANSWERED_S * load_factor(), LONGEST_S))
        try:
            answered = bool(sock.recv(1, 0x2))  # MSG_PEEK
        except TimeoutError:
            answered = False
        sock.settimeout(self.answer_s)
        self._note(f"{self._asked[client][0]} waits", not answered)

    def ask(self, client: str, request: Message, version: int, client_id: str | None = CLIENT_ID) -> Any:
        self.send(client, request, version, client_id)
        return self.receive(client)

    def ask_unrecorded(self, client: str, request: Message, version: int) -> Any:
        """Send a request and return the answer without recording it."""
        answer = self.ask(client, request, version)
        self.recorded.pop()
        return answer

    def disconnect(self, client: str) -> None:
        self._wires.pop(client).close()
        self._asked.pop(client, None)

    def wait_s(self, seconds: float) -> None:
        time.sleep(seconds)

    def _note(self, label: str, answer: Any) -> None:
        if isinstance(answer, Data):
            member_id = getattr(answer, "member_id", "")
            if member_id:  # the member's own id before those of other members in the answer
                self._number(member_id)
            value = to_plain(self._numbered(answer))
        else:
            value = answer
        self.recorded.append((label, value))

    def _numbered(self, value: Any) -> Any:
        if isinstance(value, str):
            return UUID.sub(lambda found: self._ids.get(found[0], "<an id never given out>"), value)
        if isinstance(value, list):
            return [self._numbered(each) for each in value]
        if isinstance(value, Data):
            twin = object.__new__(type(value))
            for name in value.FIELDS:
                setattr(twin, name, self._numbered(getattr(value, name)))
            return twin
        return value

    def _number(self, member_id: str) -> None:
        found = UUID.search(member_id)
        if found:
            self._ids.setdefault(found[0], f"#{len(self._ids) + 1}")

    # -- what members do ------------------------------------------------------------------------------------------

    def start_join(
        self,
        client: str,
        version: int,
        member_id: str = "",
        *,
        instance: str | None = None,
        protocols: Sequence[tuple[str, bytes]] = RANGE,
        kind: str = "consumer",
        session_ms: int = LONG_MS,
        rebalance_ms: int = LONG_MS,
        group: str | None = None,
        client_id: str | None = CLIENT_ID,
    ) -> None:
        request = JoinGroupRequest(
            group_id=self.group if group is None else group,
            session_timeout_ms=session_ms,
            rebalance_timeout_ms=rebalance_ms,
            member_id=member_id,
            group_instance_id=instance,
            protocol_type=kind,
            protocols=[JoinGroupRequestProtocol(*each) for each in protocols],
        )
        self.send(client, request, version, client_id)
        self.await_handled()

    def join(self, client: str, version: int, member_id: str = "", **more: Any) -> Any:
        """Send a JoinGroup and return the answer."""
        self.start_join(client, version, member_id, **more)
        return self.receive(client)

    def join_new_member(self, client: str, version: int, **more: Any) -> None:
        """Start to join as a new member, by way of MEMBER_ID_REQUIRED where the version asks for it."""
        member_id = ""
        if version >= 4 and more.get("instance") is None:
            member_id = self.join(client, version, **more).member_id
        self.start_join(client, version, member_id, **more)

    def start_sync(
        self,
        client: str,
        version: int,
        member_id: str,
        generation: int,
        assignments: dict[str, bytes] | None = None,
        *,
        instance: str | None = None,
        protocol: tuple[str | None, str | None] = ("consumer", "range"),
        group: str | None = None,
    ) -> None:
        request = SyncGroupRequest(
            group_id=self.group if group is None else group,
            generation_id=generation,
            member_id=member_id,
            group_instance_id=instance,
            assignments=[SyncGroupRequestAssignment(*each) for each in (assignments or {}).items()],
        )
        if version >= 5:
            request.protocol_type, request.protocol_name = protocol
        self.send(client, request, version)
        self.await_handled()

    def sync(self, client: str, version: int, member_id: str, generation: int, *more: Any, **named: Any) -> Any:
        self.start_sync(client, version, member_id, generation, *more, **named)
        return self.receive(client)

    def heartbeat(
        self, client: str, version: int, member_id: str, generation: int, instance: str | None = None, **more: Any
    ) -> Any:
        request = HeartbeatRequest(more.get("group", self.group), generation, member_id, instance)
        return self.ask(client, request, version)

    def send_heartbeat(self, client: str, member_id: str, generation: int, group: str) -> None:
        """Send a heartbeat and do not wait."""
        self.send(client, HeartbeatRequest(group, generation, member_id, None), 3)

    def leave(
        self,
        client: str,
        version: int,
        *members: tuple[str, str | None],
        group: str | None = None,
        reason: str = "tired",
    ) -> Any:
        """Members are (member id, instance id)."""
        request = LeaveGroupRequest(group_id=self.group if group is None else group)
        if version < 3:
            request.member_id = members[0][0]
        else:
            request.members = [MemberIdentity(each, name, reason if version >= 5 else None) for each, name in members]
        return self.ask(client, request, version)

    def commit(
        self,
        client: str,
        version: int,
        offset: int = 5,
        member_id: str = "",
        generation: int = -1,
        *,
        instance: str | None = None,
        partitions: Sequence[int] = (0,),
        topic: str | None = None,
        metadata: str | None = "m",
        leader_epoch: int = -1,
        retention_ms: int = -1,
        group: str | None = None,
    ) -> Any:
        made = [
            OffsetCommitRequestPartition(
                partition_index=index,
                committed_offset=offset,
                committed_leader_epoch=leader_epoch if version >= 6 else -1,
                committed_metadata=metadata,
            )
            for index in partitions
        ]
        request = OffsetCommitRequest(
            group_id=self.group if group is None else group,
            generation_id_or_member_epoch=generation if version >= 1 else -1,
            member_id=member_id if version >= 1 else "",
            group_instance_id=instance if version >= 7 else None,
            retention_time_ms=retention_ms if 2 <= version <= 4 else -1,
            topics=[OffsetCommitRequestTopic(name=self.topic if topic is None else topic, partitions=made)],
        )
        return self.ask(client, request, version)

    def committed(
        self,
        client: str,
        version: int,
        wanted: dict[str, list[int]] | None = None,
        *,
        group: str | None = None,
        stable: bool = False,
    ) -> Any:
        """OffsetFetch; without *wanted* of partition 0 of the scenario's topic, with an empty one of all partitions."""
        group_id = self.group if group is None else group
        topics = {self.topic: [0]} if wanted is None else wanted
        request = OffsetFetchRequest(require_stable=stable)
        if version >= 8:
            batch = [OffsetFetchRequestTopics(name=name, partition_indexes=p) for name, p in topics.items()] or None
            request.groups = [OffsetFetchRequestGroup(group_id=group_id, topics=batch)]
        else:
            request.group_id = group_id
            request.topics = [OffsetFetchRequestTopic(*each) for each in topics.items()] or None
        return self.ask(client, request, version)

    def stable(self, version: int, *names: str, **more: Any) -> tuple[list[str], int]:
        """A stable group of these clients: their ids, the leader first, and its generation."""
        sync_version = min(version, 5)
        first, *others = names
        self.join_new_member(first, version, **more)
        ids = [self.receive(first).member_id]
        generation = 1
        for other in others:
            self.join_new_member(other, version, **more)
            self.record_waiting(other)
            for name, member_id in zip(names, ids, strict=False):
                self.start_join(name, version, member_id, **more)
            for name in names[: len(ids)]:
                generation = self.receive(name).generation_id
            ids.append(self.receive(other).member_id)
        for name, member_id in zip(names[1:], ids[1:], strict=True):
            self.start_sync(name, sync_version, member_id, generation)
        plan = {member_id: f"for {name}".encode() for name, member_id in zip(names, ids, strict=True)}
        self.sync(first, sync_version, ids[0], generation, plan)
        for name in others:
            self.receive(name)
        return ids, generation

    def close(self) -> None:
        for wire in (*self._wires.values(), *filter(None, [self._probe])):
            wire.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def to_plain(value: Any, field: str = "") -> Any:
    """An answer as plain values: lists sorted; of texts and addresses only whether they are there."""
    if isinstance(value, Data):
        return {name: to_plain(getattr(value, name), name) for name in value.FIELDS}
    if isinstance(value, list):
        return sorted((to_plain(each) for each in value), key=repr)
    if field in ("host", "error_message"):
        return bool(value)
    if field == "port":
        return value > 0
    return value


def run_script(
    brokers: Sequence[Broker], group: str, topic: str, script: Callable[[GroupScenario], None]
) -> list[list[Any]]:
    """Run a script on every broker at the same time; return the recorded answers of each."""
    records: list[list[Any]] = [[] for _ in brokers]

    def on(index: int) -> None:
        with GroupScenario(brokers[index], group, topic) as scenario:
            try:
                script(scenario)
            except Exception as fault:
                scenario.recorded.append(("the script broke off", repr(fault)))
            records[index] = scenario.recorded

    threads = [threading.Thread(target=on, args=(index,), daemon=True) for index in range(len(brokers))]
    for thread in threads:
        thread.start()
    join(*threads, timeout_s=600)
    return records


def differences(ours: list[Any], theirs: list[Any], intended: dict[str, str]) -> list[str]:
    """Steps that were answered differently, but for those whose label is in *intended*."""
    found = [
        f"{mine[0]}\n  ours   {mine[1]}\n  theirs {other[1] if mine[0] == other[0] else other}"
        for mine, other in zip(ours, theirs, strict=False)
        if mine != other and not any(mine[0].endswith(label) for label in intended)
    ]
    if len(ours) != len(theirs):
        found.append(f"{len(ours)} steps and {len(theirs)}: {ours[len(theirs) :]} {theirs[len(ours) :]}")
    return found
