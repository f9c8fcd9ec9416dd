"""Fetch (key 1): file ranges of partitions, from an offset on, now or when enough has come.

Spec: protocol_specs/01_fetch.  Serves v0-v18; v0-v3 get the old message formats (fetch_down_conversion.py).
KIPs: 74 max_bytes and partition order, 98 isolation level, 110 zstd (v10), 227 sessions (fetch_context.py), 320 leader
epochs, 283 lazy down-conversion, 516 topic ids (v13), 595 diverging epochs (v12), 903 replica state (v15), 951 leaders
(v16).
Waits: until min_bytes can be read, max_wait_ms is over, or a partition answers an error.
Records are ranges of log files; they leave by sendfile and never enter Python (but for v0-v3).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import trio

from wirebroker.clock import now_ms
from wirebroker.handlers.fetch_context import new_context
from wirebroker.handlers.fetch_down_conversion import down_convert
from wirebroker.handlers.metadata import describe_brokers
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.faults import ApiError
from wirebroker.protocol.messages.fetch import FetchRequest, FetchResponse, LeaderIdAndEpoch, NodeEndpoint
from wirebroker.replication.fetch_reader import FetchAnswers, FetchParams, FetchReader, partition_error

if TYPE_CHECKING:
    from wirebroker.handlers.context import RequestContext

_FORMAT_2_SINCE: Final = 4
_REPLICA_STATE_SINCE: Final = 15
_LEADERS_NAMED_SINCE: Final = 16
_LEADER_ERRORS: Final = frozenset({ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.FENCED_LEADER_EPOCH})


async def handle_fetch(context: RequestContext, request: FetchRequest) -> FetchResponse:
    """Answer with what can be read, after waiting for it if the client asked for that."""
    services = context.services
    params = _params(context, request)
    try:
        fetch_context = new_context(request, services.fetch_sessions, params, now_ms())
    except ApiError as fault:
        return FetchResponse(error_code=fault.code)
    reader = FetchReader(services.replicas, services.metadata, params)
    if request.isolation_level not in (0, 1):
        # 3.9.1 answers every partition, and from v7 on the top level, with UNKNOWN_SERVER_ERROR.
        answers = FetchAnswers()
        for entry in fetch_context.all_partitions:
            answers.put(entry, partition_error(entry.asked.partition, ErrorCode.UNKNOWN_SERVER_ERROR))
        response = fetch_context.update_and_generate_response(answers, reader)
        response.error_code = ErrorCode.UNKNOWN_SERVER_ERROR
        return response
    deadline = trio.current_time() + params.max_wait_ms / 1000
    while True:
        answers = await services.replicas.fetch_purgatory.fetch(
            reader, fetch_context.partitions, fetch_context.session, deadline
        )
        if params.version >= _FORMAT_2_SINCE or await down_convert(context, answers):
            break
    response = fetch_context.update_and_generate_response(answers, reader)
    if answers.unwaitable and params.version >= _LEADERS_NAMED_SINCE:
        _name_leaders(context, response)
    return response


def _params(context: RequestContext, request: FetchRequest) -> FetchParams:
    version = context.version
    max_bytes = min(request.max_bytes, context.services.config.fetch_max_bytes)
    return FetchParams(
        version=version,
        replica_id=request.replica_id if version < _REPLICA_STATE_SINCE else request.replica_state.replica_id,
        isolation_level=request.isolation_level,
        max_wait_ms=request.max_wait_ms,
        min_bytes=min(request.min_bytes, max_bytes),  # more can never be reached
        max_bytes=max_bytes,
    )


def _name_leaders(context: RequestContext, response: FetchResponse) -> None:
    """Add the leader to partitions whose client believes in another one, and where that is reached (KIP-951)."""
    image = context.services.metadata.image
    leaders: set[int] = set()
    for topic in response.responses:
        known = image.topic_by_id(topic.topic_id)
        for answer in topic.partitions if known is not None else ():
            if answer.error_code in _LEADER_ERRORS:
                assert known is not None
                partition = known.partitions[answer.partition_index]
                answer.current_leader = LeaderIdAndEpoch(partition.leader, partition.leader_epoch)
                leaders.add(partition.leader)
    if leaders:
        brokers = describe_brokers(context, image)
        response.node_endpoints = [NodeEndpoint(*broker) for broker in brokers if broker.node_id in leaders]
