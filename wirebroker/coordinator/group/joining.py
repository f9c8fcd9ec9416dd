"""JoinGroup: who may come in, as whom, and whether that makes the group rebalance."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

from wirebroker.coordinator.group.answers import failed_join, joined
from wirebroker.coordinator.group.classic import ClassicGroup, GroupState
from wirebroker.coordinator.group.member import Member
from wirebroker.coordinator.shard import Timer
from wirebroker.protocol.errors import ErrorCode

if TYPE_CHECKING:
    from wirebroker.coordinator.group.requests import GroupRequest
    from wirebroker.coordinator.group.shard import GroupShard
    from wirebroker.coordinator.shard import Now, Outcome
    from wirebroker.protocol.messages.join_group import JoinGroupRequest

_MEMBER_ID_REQUIRED_SINCE = 4
_REBALANCE_TIMEOUT_SINCE = 1


def join(
    shard: GroupShard, request: GroupRequest, message: JoinGroupRequest, ticket: object, now: Now, out: Outcome
) -> None:
    """Handle one JoinGroup; the reply comes when the generation is complete."""
    settings = shard.settings
    version = request.version
    member_id = message.member_id

    def refuse(code: ErrorCode, answer_id: str = member_id) -> None:
        out.reply(ticket, failed_join(code, answer_id, version))

    if not settings.min_session_timeout_ms <= message.session_timeout_ms <= settings.max_session_timeout_ms:
        refuse(ErrorCode.INVALID_SESSION_TIMEOUT)
        return
    group = shard.groups.get(message.group_id)
    if group is None:
        if member_id:
            refuse(ErrorCode.UNKNOWN_MEMBER_ID)
            return
        group = ClassicGroup(message.group_id, settings, shard._write_group, now.wall_ms)
        shard.groups[message.group_id] = group
        group.history.created()
    if not group.accepts(member_id):
        refuse(ErrorCode.GROUP_MAX_SIZE_REACHED, "")
        return
    protocols = [(each.name, bytes(each.metadata)) for each in message.protocols]
    if not group.supports(message.protocol_type, protocols):
        refuse(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
        return
    reason = message.reason or "no reason given"
    if not member_id:
        _join_new(group, request, message, protocols, ticket, now, out, reason)
        return
    if member_id in group.pending_members and message.group_instance_id is None:
        member = _member(request, message, member_id, protocols)
        group.add(member, ticket, now, out, reason)
        return
    code = group.check_member(member_id, message.group_instance_id)
    if code:
        refuse(code)
        return
    _join_again(group, group.members[member_id], request, message, protocols, ticket, now, out, reason)


def _join_new(
    group: ClassicGroup,
    request: GroupRequest,
    message: JoinGroupRequest,
    protocols: list[tuple[str, bytes]],
    ticket: object,
    now: Now,
    out: Outcome,
    reason: str,
) -> None:
    instance_id = message.group_instance_id
    new_id = f"{instance_id if instance_id is not None else request.client_id or ''}-{uuid4()}"
    if instance_id is not None and instance_id in group.static_members:
        group.replace_static(
            instance_id,
            new_id,
            protocols,
            _rebalance_timeout_ms(request, message),
            message.session_timeout_ms,
            ticket,
            request.version,
            now,
            out,
            reason,
        )
        return
    if instance_id is None and request.version >= _MEMBER_ID_REQUIRED_SINCE:
        # The client comes back with this id, so a lost answer leaves no ghost in the group (KIP-394).
        due_ms = now.monotonic_ms + message.session_timeout_ms
        group.pending_members[new_id] = due_ms
        out.timers.append(Timer(("session", group.group_id, new_id), due_ms))
        out.reply(ticket, failed_join(ErrorCode.MEMBER_ID_REQUIRED, new_id, request.version))
        return
    group.add(_member(request, message, new_id, protocols), ticket, now, out, reason)


def _join_again(
    group: ClassicGroup,
    member: Member,
    request: GroupRequest,
    message: JoinGroupRequest,
    protocols: list[tuple[str, bytes]],
    ticket: object,
    now: Now,
    out: Outcome,
    reason: str,
) -> None:
    """A known member: an unchanged one is told the current generation, unless it leads."""
    unchanged = member.protocols == protocols
    member.join_version = request.version
    leads = member.member_id == group.leader
    if unchanged and (
        group.state == GroupState.COMPLETING_REBALANCE or (group.state == GroupState.STABLE and not leads)
    ):
        out.reply(ticket, joined(group, member))
        return
    group.update(
        member,
        protocols,
        _rebalance_timeout_ms(request, message),
        message.session_timeout_ms,
        ticket,
        now,
        out,
        reason if unchanged else f"changed metadata; {reason}",
    )


def _member(
    request: GroupRequest, message: JoinGroupRequest, member_id: str, protocols: list[tuple[str, bytes]]
) -> Member:
    member = Member(
        member_id,
        group_instance_id=message.group_instance_id,
        client_id=request.client_id or "",
        client_host=f"/{request.client_host}",  # Java's way of printing an address, kept in the record
        session_timeout_ms=message.session_timeout_ms,
        rebalance_timeout_ms=_rebalance_timeout_ms(request, message),
        protocol_type=message.protocol_type,
        protocols=protocols,
    )
    member.join_version = request.version
    return member


def _rebalance_timeout_ms(request: GroupRequest, message: JoinGroupRequest) -> int:
    """Version 0 had one timeout for both."""
    if request.version < _REBALANCE_TIMEOUT_SINCE:
        return message.session_timeout_ms
    return message.rebalance_timeout_ms
