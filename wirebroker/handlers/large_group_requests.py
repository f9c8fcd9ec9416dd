"""Large OffsetDelete and LeaveGroup requests: the coordinator handles them in parts, each of which is one turn.

A turn of the coordinator is one piece for the event loop, and a request may name 100,000 partitions or members.
Between the parts other requests are handled; a part that fails leaves the parts before it done.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.coordinator.group.requests import DeleteOffsets
from wirebroker.protocol.messages.leave_group import LeaveGroupRequest
from wirebroker.protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
    OffsetDeleteResponse,
    OffsetDeleteResponseTopic,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wirebroker.handlers.context import RequestContext
    from wirebroker.loop_budget import LoopBudget

PARTITIONS_PER_TURN: Final = 1000
"""Offsets that one turn deletes, in 3 ms."""
MEMBERS_PER_TURN: Final = 500
"""Members that one turn removes, in 3 ms."""
_Part = list[tuple[int, OffsetDeleteRequestTopic]]


async def delete_offsets(context: RequestContext, request: OffsetDeleteRequest) -> OffsetDeleteResponse:
    """Have the coordinator delete the offsets that *request* names.

    Raises:
        ApiError: coordinator codes.
    """
    group_id, groups = request.group_id, context.services.groups
    response: OffsetDeleteResponse
    if sum(1 + len(topic.partitions) for topic in request.topics) <= PARTITIONS_PER_TURN:
        response = await groups.request(group_id, request, context)
        return response
    budget = context.start_budget()
    *parts, last = await _parts(request.topics, budget)
    answered: dict[int, OffsetDeleteResponseTopic] = {}
    for part in (*parts, last):
        topics = [topic for _, topic in part]
        piece = OffsetDeleteRequest(group_id, topics) if part is last else DeleteOffsets(group_id, topics)
        response = await groups.request(group_id, piece, context)
        if response.error_code:
            return response
        for (at, _), topic in zip(part, response.topics, strict=True):
            if at in answered:
                answered[at].partitions = [*answered[at].partitions, *topic.partitions]
            else:
                answered[at] = topic
        await budget.yield_if_due()
    return OffsetDeleteResponse(topics=list(answered.values()))


async def _parts(topics: list[OffsetDeleteRequestTopic], budget: LoopBudget) -> list[_Part]:
    """Return the parts of a request, each as topics with their places in it; a topic may be in several parts.

    Duplicates are left out, and topics without partitions.
    """
    part: _Part = []
    parts, left = [part], PARTITIONS_PER_TURN
    for at, topic in enumerate(topics):
        indexes = list(dict.fromkeys(await budget.collect(each.partition_index for each in topic.partitions)))
        while indexes:
            if left <= 0:
                part = []
                parts.append(part)
                left = PARTITIONS_PER_TURN
            taken = indexes[:left]
            del indexes[:left]
            part.append((at, OffsetDeleteRequestTopic(topic.name, [OffsetDeleteRequestPartition(i) for i in taken])))
            left -= 1 + len(taken)
            await budget.yield_if_due()
        await budget.yield_if_due()
    return parts


def leave_group_parts(request: LeaveGroupRequest) -> Iterator[LeaveGroupRequest]:
    """Yield *request*, or one request for each `MEMBERS_PER_TURN` of its members."""
    members = request.members
    if len(members) <= MEMBERS_PER_TURN:
        yield request
        return
    for at in range(0, len(members), MEMBERS_PER_TURN):
        yield LeaveGroupRequest(request.group_id, request.member_id, members[at : at + MEMBERS_PER_TURN])
