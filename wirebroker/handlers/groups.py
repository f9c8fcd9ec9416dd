"""Members of consumer groups: JoinGroup (11), SyncGroup (14), Heartbeat (12), LeaveGroup (13), and looking at groups:
DescribeGroups (15), ListGroups (16), DeleteGroups (42).

Specs: protocol_specs/11_join_group ... 42_delete_groups, all versions from 0.
KIPs: 62, 345 static members, 394 member ids first, 518/1043 listing by state and type, 559, 800 reasons, 814.
Waits: JoinGroup until the generation is complete, SyncGroup until the leader's assignment is written.
Checks first: a valid group id (24), then whether this broker coordinates the group (15, 14, 16).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from wirebroker.coordinator.group.answers import failed_join
from wirebroker.coordinator.group.classic import ClassicGroup, GroupState
from wirebroker.coordinator.group.requests import DeleteGroup, DescribeGroup, GroupRequest
from wirebroker.handlers.authorized_operations import ALL_ON_GROUP
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.faults import ApiError
from wirebroker.protocol.messages.delete_groups import (
    DeletableGroupResult,
    DeleteGroupsRequest,
    DeleteGroupsResponse,
)
from wirebroker.protocol.messages.describe_groups import (
    DescribedGroup,
    DescribedGroupMember,
    DescribeGroupsRequest,
    DescribeGroupsResponse,
)
from wirebroker.protocol.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from wirebroker.protocol.messages.leave_group import LeaveGroupRequest, LeaveGroupResponse
from wirebroker.protocol.messages.list_groups import ListedGroup, ListGroupsRequest, ListGroupsResponse
from wirebroker.protocol.messages.sync_group import SyncGroupRequest, SyncGroupResponse

if TYPE_CHECKING:
    from wirebroker.handlers.context import RequestContext
    from wirebroker.protocol.messages.join_group import JoinGroupRequest, JoinGroupResponse

_PROTOCOL_NAMED_SINCE: Final = 5  # SyncGroup
_UNKNOWN_GROUP_SINCE: Final = 6  # DescribeGroups says so from here on


async def _ask(context: RequestContext, group_id: str, message: Any) -> Any:
    """Hand a request to its shard.

    Raises:
        ApiError: INVALID_GROUP_ID and the coordinator codes.
    """
    if not group_id:
        raise ApiError(ErrorCode.INVALID_GROUP_ID)
    request = GroupRequest(group_id, message, context.version, context.client_id, context.client_host)
    try:
        return await context.services.groups.request(group_id, request)
    except ApiError as fault:
        # Only commits have a code for records that are too large.
        if fault.code == ErrorCode.INVALID_COMMIT_OFFSET_SIZE:
            raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR) from fault
        raise


async def handle_join_group(context: RequestContext, request: JoinGroupRequest) -> JoinGroupResponse:
    """Become a member of the coming generation."""
    version = context.version
    try:
        response: JoinGroupResponse = await _ask(context, request.group_id, request)
    except ApiError as fault:
        return failed_join(fault.code, request.member_id, version)
    if version < 7 and response.protocol_name is None:
        response.protocol_name = ""
    return response


async def handle_sync_group(context: RequestContext, request: SyncGroupRequest) -> SyncGroupResponse:
    """Get this member's assignment; the leader brings everybody's."""
    if context.version >= _PROTOCOL_NAMED_SINCE and (request.protocol_type is None or request.protocol_name is None):
        return SyncGroupResponse(error_code=ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
    try:
        response: SyncGroupResponse = await _ask(context, request.group_id, request)
    except ApiError as fault:
        loading = fault.code == ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
        return SyncGroupResponse(error_code=ErrorCode.REBALANCE_IN_PROGRESS if loading else fault.code)
    return response


async def handle_heartbeat(context: RequestContext, request: HeartbeatRequest) -> HeartbeatResponse:
    """Say that a member lives."""
    try:
        response: HeartbeatResponse = await _ask(context, request.group_id, request)
    except ApiError as fault:
        loading = fault.code == ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
        return HeartbeatResponse(error_code=ErrorCode.NONE if loading else fault.code)
    return response


async def handle_leave_group(context: RequestContext, request: LeaveGroupRequest) -> LeaveGroupResponse:
    """Take members out at once."""
    try:
        response: LeaveGroupResponse = await _ask(context, request.group_id, request)
    except ApiError as fault:
        return LeaveGroupResponse(error_code=fault.code)
    return response


async def handle_describe_groups(context: RequestContext, request: DescribeGroupsRequest) -> DescribeGroupsResponse:
    """State, protocol and members of each group."""
    turns = context.start_turns()
    groups: list[DescribedGroup] = []
    for group_id in request.groups:
        groups.append(await _describe(context, request, group_id))
        await turns.yield_if_due()
    return DescribeGroupsResponse(groups=groups)


async def _describe(context: RequestContext, request: DescribeGroupsRequest, group_id: str) -> DescribedGroup:
    try:
        group: ClassicGroup | None = await context.services.groups.request(group_id, DescribeGroup(group_id))
    except ApiError as fault:
        return DescribedGroup(error_code=fault.code, group_id=group_id)
    if group is None:
        described = DescribedGroup(group_id=group_id, group_state=GroupState.DEAD.value)
        if context.version >= _UNKNOWN_GROUP_SINCE:
            described.error_code = ErrorCode.GROUP_ID_NOT_FOUND
            described.error_message = f"Group {group_id} not found."
    else:
        stable = group.state == GroupState.STABLE
        described = DescribedGroup(
            group_id=group_id,
            group_state=group.state.value,
            protocol_type=group.protocol_type or "",
            protocol_data=(group.protocol or "") if stable else "",
            members=[
                DescribedGroupMember(
                    member_id=member.member_id,
                    group_instance_id=member.group_instance_id,
                    client_id=member.client_id,
                    client_host=member.client_host,
                    member_metadata=member.metadata(group.protocol) if stable else b"",
                    member_assignment=member.assignment if stable else b"",
                )
                for member in group.members.values()
            ],
        )
    if request.include_authorized_operations and not described.error_code:
        described.authorized_operations = ALL_ON_GROUP
    return described


async def handle_list_groups(context: RequestContext, request: ListGroupsRequest) -> ListGroupsResponse:
    """Groups coordinated here, by state and type if asked; case does not matter, and a bogus filter matches nothing."""
    states = {state.lower() for state in request.states_filter}
    types = {kind.lower() for kind in request.types_filter}
    groups, code = await context.services.groups.list_groups()
    if code:
        return ListGroupsResponse(error_code=code)
    listed: list[ListedGroup] = []
    turns = context.start_turns()
    for group in groups if not types or "classic" in types else ():
        state = group.state.value
        if not states or state.lower() in states:
            listed.append(
                ListedGroup(
                    group_id=group.group_id,
                    protocol_type=group.protocol_type or "",
                    group_state=state,
                    group_type="classic",
                )
            )
        await turns.yield_if_due()
    return ListGroupsResponse(groups=listed)


async def handle_delete_groups(context: RequestContext, request: DeleteGroupsRequest) -> DeleteGroupsResponse:
    """Delete groups without members, and their offsets."""
    results: list[DeletableGroupResult] = []
    turns = context.start_turns()
    for group_id in dict.fromkeys(request.groups_names):
        try:
            code: ErrorCode = await context.services.groups.request(group_id, DeleteGroup(group_id))
        except ApiError as fault:
            code = fault.code
        results.append(DeletableGroupResult(group_id=group_id, error_code=code))
        await turns.yield_if_due()
    return DeleteGroupsResponse(results=results)
