"""Consumer groups: JoinGroup (11), SyncGroup (14), Heartbeat (12), LeaveGroup (13), DescribeGroups (15),
ListGroups (16), DeleteGroups (42).

Specs: protocol_specs/11_join_group (v0-v9), 12_heartbeat (v0-v4), 13_leave_group (v0-v5), 14_sync_group (v0-v5),
15_describe_groups (v0-v6), 16_list_groups (v0-v5), 42_delete_groups (v0-v2).
KIPs: 62, 345 static members, 394 member ids first, 518/1043 listing by state and type, 559, 800 reasons, 814.
Waits: JoinGroup until the generation is complete, SyncGroup until the leader's assignment is written.
Checks first: a valid group id (24), then whether this broker coordinates the group (15, 14, 16).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from wirebroker.coordinator.group.classic_group import ClassicGroup, ClassicGroupState
from wirebroker.coordinator.group.requests import DeleteGroup, DescribeGroup
from wirebroker.coordinator.group.responses import join_group_error
from wirebroker.handlers.authorized_operations import ALL_ON_GROUP
from wirebroker.handlers.large_group_requests import leave_group_parts
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
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
_NO_GENERATION_SINCE: Final = "2.2"
"""The release since which a refused JoinGroup is answered with generation -1; before with 0."""
_ANY_CASE_SINCE: Final = "3.8"
"""The release since which ListGroups ignores the case of states."""


async def _request(context: RequestContext, request: Any) -> Any:
    """Have the group's shard handle *request*.

    Raises:
        ApiError: INVALID_GROUP_ID and the coordinator codes.
    """
    if not request.group_id:
        raise ApiError(ErrorCode.INVALID_GROUP_ID)
    try:
        return await context.services.groups.request(request.group_id, request, context)
    except ApiError as fault:
        # Only commits have a code for records that are too large.
        if fault.code == ErrorCode.INVALID_COMMIT_OFFSET_SIZE:
            raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR) from fault
        raise


async def handle_join_group(context: RequestContext, request: JoinGroupRequest) -> JoinGroupResponse:
    """Join a group; returns when the next generation begins."""
    version = context.version
    try:
        response: JoinGroupResponse = await _request(context, request)
    except ApiError as fault:
        response = join_group_error(fault.code, request.member_id, version)
    if response.error_code and not context.routes.profile.is_at_least(_NO_GENERATION_SINCE):
        response.generation_id = 0
    if version < 7 and response.protocol_name is None:
        response.protocol_name = ""
    return response


async def handle_sync_group(context: RequestContext, request: SyncGroupRequest) -> SyncGroupResponse:
    """Return the member's assignment; the leader's request has the assignments of all members."""
    if context.version >= _PROTOCOL_NAMED_SINCE and (request.protocol_type is None or request.protocol_name is None):
        return SyncGroupResponse(error_code=ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
    try:
        response: SyncGroupResponse = await _request(context, request)
    except ApiError as fault:
        loading = fault.code == ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
        return SyncGroupResponse(error_code=ErrorCode.REBALANCE_IN_PROGRESS if loading else fault.code)
    return response


async def handle_heartbeat(context: RequestContext, request: HeartbeatRequest) -> HeartbeatResponse:
    """Prolong a member's session."""
    try:
        response: HeartbeatResponse = await _request(context, request)
    except ApiError as fault:
        loading = fault.code == ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
        return HeartbeatResponse(error_code=ErrorCode.NONE if loading else fault.code)
    return response


async def handle_leave_group(context: RequestContext, request: LeaveGroupRequest) -> LeaveGroupResponse:
    """Remove members from a group."""
    response = LeaveGroupResponse()
    budget = context.start_budget()
    try:
        for part in leave_group_parts(request):
            left: LeaveGroupResponse = await _request(context, part)
            response.error_code = left.error_code  # of a version without members, which has one part
            response.members = [*response.members, *left.members]
            await budget.yield_if_due()
    except ApiError as fault:
        return LeaveGroupResponse(error_code=fault.code)
    return response


async def handle_describe_groups(context: RequestContext, request: DescribeGroupsRequest) -> DescribeGroupsResponse:
    """Describe groups: state, protocol and members of each."""
    budget = context.start_budget()
    groups: list[DescribedGroup] = []
    for group_id in request.groups:
        groups.append(await _describe(context, request, group_id))
        await budget.yield_if_due()
    return DescribeGroupsResponse(groups=groups)


async def _describe(context: RequestContext, request: DescribeGroupsRequest, group_id: str) -> DescribedGroup:
    try:
        group: ClassicGroup | None = await context.services.groups.request(group_id, DescribeGroup(group_id))
    except ApiError as fault:
        return DescribedGroup(error_code=fault.code, group_id=group_id)
    if group is None:
        described = DescribedGroup(group_id=group_id, group_state=ClassicGroupState.DEAD.value)
        if context.version >= _UNKNOWN_GROUP_SINCE:
            described.error_code = ErrorCode.GROUP_ID_NOT_FOUND
            described.error_message = f"Group {group_id} not found."
    else:
        stable = group.state == ClassicGroupState.STABLE
        described = DescribedGroup(
            group_id=group_id,
            group_state=group.state.value,
            protocol_type=group.protocol_type or "",
            protocol_data=(group.protocol_name or "") if stable else "",
            members=[
                DescribedGroupMember(
                    member_id=member.member_id,
                    group_instance_id=member.group_instance_id,
                    client_id=member.client_id,
                    client_host=member.client_host,
                    member_metadata=member.metadata(group.protocol_name) if stable else b"",
                    member_assignment=member.assignment if stable else b"",
                )
                for member in group.members.values()
            ],
        )
    if request.include_authorized_operations and not described.error_code:
        described.authorized_operations = ALL_ON_GROUP
    return described


async def handle_list_groups(context: RequestContext, request: ListGroupsRequest) -> ListGroupsResponse:
    """List the groups of this broker that match the filters; an unknown state matches none."""
    any_case = context.routes.profile.is_at_least(_ANY_CASE_SINCE)
    budget = context.start_budget()
    states = set(await budget.collect(state.lower() if any_case else state for state in request.states_filter))
    types = set(await budget.collect(kind.lower() for kind in request.types_filter))
    groups, code = await context.services.groups.list_groups()
    if code:
        return ListGroupsResponse(error_code=code)
    listed: list[ListedGroup] = []
    for group in groups if not types or "classic" in types else ():
        state = group.state.value
        if not states or (state.lower() if any_case else state) in states:
            listed.append(
                ListedGroup(
                    group_id=group.group_id,
                    protocol_type=group.protocol_type or "",
                    group_state=state,
                    group_type="classic",
                )
            )
        await budget.yield_if_due()
    return ListGroupsResponse(groups=listed)


async def handle_delete_groups(context: RequestContext, request: DeleteGroupsRequest) -> DeleteGroupsResponse:
    """Delete groups without members, and their offsets."""
    results: list[DeletableGroupResult] = []
    budget = context.start_budget()
    for group_id in dict.fromkeys(request.groups_names):
        try:
            code: ErrorCode = await context.services.groups.request(group_id, DeleteGroup(group_id))
        except ApiError as fault:
            code = fault.code
        results.append(DeletableGroupResult(group_id=group_id, error_code=code))
        await budget.yield_if_due()
    return DeleteGroupsResponse(results=results)
