"""Group requests as frames, and their answers, through the generated classes; non-flexible versions, header version 1.

The versions are the newest without tagged fields, so one header fits all of them.
"""

import struct
import time
from typing import Any, Final

from tools.bench import raw_client
from tools.codegen import codecs
from wirebroker.protocol.message import Message
from wirebroker.protocol.messages.find_coordinator import FindCoordinatorRequest, FindCoordinatorResponse
from wirebroker.protocol.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from wirebroker.protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol, JoinGroupResponse
from wirebroker.protocol.messages.leave_group import LeaveGroupRequest, LeaveGroupResponse, MemberIdentity
from wirebroker.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
)
from wirebroker.protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestTopic, OffsetFetchResponse
from wirebroker.protocol.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment, SyncGroupResponse
from wirebroker.protocol.primitives import WireBuffer

VERSION: Final[dict[type[Message], int]] = {
    FindCoordinatorRequest: 2,
    JoinGroupRequest: 5,
    SyncGroupRequest: 3,
    HeartbeatRequest: 3,
    LeaveGroupRequest: 3,
    OffsetCommitRequest: 7,
    OffsetFetchRequest: 5,
}
ANSWER: Final[dict[type[Message], Any]] = {
    FindCoordinatorRequest: FindCoordinatorResponse,
    JoinGroupRequest: JoinGroupResponse,
    SyncGroupRequest: SyncGroupResponse,
    HeartbeatRequest: HeartbeatResponse,
    LeaveGroupRequest: LeaveGroupResponse,
    OffsetCommitRequest: OffsetCommitResponse,
    OffsetFetchRequest: OffsetFetchResponse,
}
CLIENT_ID: Final = b"bench"
READY_TIMEOUT_S: Final = 60
# what a Java consumer of one topic sends: subscription version 1, no user data, nothing owned
SUBSCRIPTION: Final = struct.pack(">hih", 1, 1, 6) + b"bench0" + struct.pack(">ii", -1, 0)
ASSIGNMENT: Final = struct.pack(">hih", 1, 1, 6) + b"bench0" + struct.pack(">iii", 1, 0, -1)


def frame(message: Message) -> bytes:
    """One request with its size prefix; the correlation id is always 1, answers come in order."""
    kind = type(message)
    out = WireBuffer()
    out += struct.pack(">ihhih", 0, kind.API_KEY, VERSION[kind], 1, len(CLIENT_ID)) + CLIENT_ID
    codecs.write(message, out, VERSION[kind])
    struct.pack_into(">i", out, 0, len(out) - 4)
    return bytes(out)


def answer(kind: type[Message], body: memoryview | bytes) -> Any:
    """Decode the answer to a request of *kind*, given without its size prefix."""
    return codecs.read(ANSWER[kind], body, 4, VERSION[kind])[0]


def join(group: str, member_id: str, session_timeout_ms: int) -> JoinGroupRequest:
    return JoinGroupRequest(
        group_id=group,
        session_timeout_ms=session_timeout_ms,
        rebalance_timeout_ms=300_000,
        member_id=member_id,
        protocol_type="consumer",
        protocols=[JoinGroupRequestProtocol("range", SUBSCRIPTION)],
    )


def sync(group: str, generation: int, member_id: str, members: list[str]) -> SyncGroupRequest:
    """*members* is empty for all but the leader, who gives everybody an assignment of the same size."""
    assignments = [SyncGroupRequestAssignment(each, ASSIGNMENT) for each in members]
    return SyncGroupRequest(group_id=group, generation_id=generation, member_id=member_id, assignments=assignments)


def heartbeat(group: str, generation: int, member_id: str) -> HeartbeatRequest:
    return HeartbeatRequest(group_id=group, generation_id=generation, member_id=member_id)


def leave(group: str, member_id: str) -> LeaveGroupRequest:
    return LeaveGroupRequest(group_id=group, members=[MemberIdentity(member_id=member_id)])


def commit(group: str, topic: str, first: int, count: int, offset: int) -> OffsetCommitRequest:
    """A commit of a group without members, as `assign`-only consumers send it."""
    partitions = [
        OffsetCommitRequestPartition(partition_index=index, committed_offset=offset, committed_metadata="")
        for index in range(first, first + count)
    ]
    return OffsetCommitRequest(group_id=group, topics=[OffsetCommitRequestTopic(name=topic, partitions=partitions)])


def fetch_offset(group: str, topic: str, partition: int) -> OffsetFetchRequest:
    return OffsetFetchRequest(
        group_id=group, topics=[OffsetFetchRequestTopic(name=topic, partition_indexes=[partition])]
    )


def ask(sock: Any, message: Any) -> Any:
    """Send one request and decode its answer."""
    return answer(type(message), raw_client.ask(sock, frame(message)))


def await_coordinator(address: raw_client.Address, group: str = "warm") -> None:
    """Have the offsets topic made and its partitions served."""
    deadline = time.monotonic() + READY_TIMEOUT_S
    with raw_client.connect(address) as sock:
        while ask(sock, FindCoordinatorRequest(key=group)).error_code:
            _wait(deadline, "no coordinator")
        while ask(sock, fetch_offset(group, "bench0", 0)).error_code:
            _wait(deadline, "the coordinator does not answer")


def _wait(deadline: float, what: str) -> None:
    if time.monotonic() > deadline:
        raise raw_client.BenchError(f"{what} after {READY_TIMEOUT_S} s")
    time.sleep(0.01)
