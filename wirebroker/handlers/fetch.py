"""Fetch (key 1): records of partitions from an offset on, as file ranges, at once or when there are enough.

Spec: protocol_specs/01_fetch (v0-v18); v0-v3 get the old message formats (replication/fetch_down_conversion.py).
KIPs: 74 max_bytes and partition order, 98 isolation level, 110 zstd (v10), 227 sessions (fetch_context.py), 320 leader
epochs, 283 lazy down-conversion, 392 preferred read replicas (v11), 516 topic ids (v13), 595 diverging epochs (v12), 73
throttled followers, 903 replica state (v15), 951 leaders (v16).
Waits: until min_bytes can be read, max_wait_ms is over, or a partition answers an error.
Records are ranges of log files; they leave by sendfile or splice and never enter Python (but for v0-v3).
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Final

from wirebroker.clock import now_ms
from wirebroker.handlers.fetch_context import FULL_EPOCHS, new_context
from wirebroker.handlers.metadata import describe_brokers
from wirebroker.handlers.response_errors import count_errors_now
from wirebroker.handlers.throttling import USER, throttle_fetch
from wirebroker.model import READ_COMMITTED, READ_UNCOMMITTED
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.protocol.messages.fetch import FetchRequest, FetchResponse, LeaderIdAndEpoch, NodeEndpoint
from wirebroker.replication.fetch_messages import fetch_messages, fetch_or_delay
from wirebroker.replication.fetch_params import FetchParams
from wirebroker.replication.fetch_reader import FORMAT_2_SINCE, record_throttled_bytes
from wirebroker.replication.fetch_results import FetchResults, partition_error
from wirebroker.replication.fetch_session import new_partitions
from wirebroker.replication.topic_stats import count_failed

if TYPE_CHECKING:
    from wirebroker.handlers.context import RequestContext
    from wirebroker.handlers.fetch_context import SessionlessContext

logger = logging.getLogger(__name__)

_REPLICA_STATE_SINCE: Final = 15
LEADERS_NAMED_SINCE: Final = 16
_RACKS_SINCE: Final = 11
_LEADER_ERRORS: Final = frozenset({ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.FENCED_LEADER_EPOCH})


async def handle_fetch(context: RequestContext, request: FetchRequest) -> FetchResponse:
    """Return the records that can be read, after waiting for min_bytes of them."""
    services = context.services
    params = _params(context, request)
    by_follower = params.replica_id >= 0
    if by_follower:
        context.from_follower = True
    budget = context.loop_budget  # of a request that was decoded in a thread, as it is large
    if request.session_id and request.session_epoch in FULL_EPOCHS:  # it closes the session
        await services.fetch_sessions.remove_in_parts(request.session_id)
    requested = None
    if budget is not None and request.session_epoch in FULL_EPOCHS:
        requested = await budget.collect(new_partitions(request.topics))
    try:
        fetch_context = new_context(request, services.fetch_sessions, params, now_ms(), requested)
    except ApiError as error:
        response = FetchResponse(error_code=error.code)
        count_errors_now(context, response)
        return response
    if request.isolation_level not in (READ_UNCOMMITTED, READ_COMMITTED):
        return _unknown_isolation_level(fetch_context)
    if budget is not None:
        from wirebroker.handlers.large_fetches import fetch_in_parts  # few clients send such requests

        return await fetch_in_parts(context, params, fetch_context, budget)
    is_throttled = services.quotas.fetch.enabled or context.request_time is not None
    if context.holds_responses and not is_throttled and params.version >= FORMAT_2_SINCE:
        outcome = await fetch_or_delay(services.replicas, params, fetch_context.partitions, fetch_context.session)
        if not isinstance(outcome, FetchResults):
            response = FetchResponse()
            outcome.respond = partial(complete_response, context, params, fetch_context, response)
            context.delayed = outcome
            return response
        results = outcome
    else:
        results = await fetch_messages(services.replicas, params, fetch_context.partitions, fetch_context.session)
    if by_follower and services.replicas.leader_quota is not None:
        record_throttled_bytes(services.replicas.leader_quota, results)
    if is_throttled:
        throttle_ms = await throttle_fetch(context, params, partial(fetch_context.full_response, results))
        if throttle_ms:
            return fetch_context.throttled_response(throttle_ms)
    return _respond(context, params, fetch_context, results)


def complete_response(
    context: RequestContext,
    params: FetchParams,
    fetch_context: SessionlessContext,
    response: FetchResponse,
    results: FetchResults,
) -> None:
    """Complete *response*, for which the connection has waited: no other request of it was served meanwhile."""
    try:
        replicas = context.services.replicas
        if replicas.leader_quota is not None and params.replica_id >= 0:
            record_throttled_bytes(replicas.leader_quota, results)
        complete = _respond(context, params, fetch_context, results)
    except Exception:
        logger.exception("api=FETCH version=%d client_id=%s: handler failed", params.version, context.client_id)
        response.error_code = ErrorCode.UNKNOWN_SERVER_ERROR
        return
    response.error_code = complete.error_code
    response.session_id = complete.session_id
    response.responses = complete.responses
    response.node_endpoints = complete.node_endpoints


def _respond(
    context: RequestContext, params: FetchParams, fetch_context: SessionlessContext, results: FetchResults
) -> FetchResponse:
    """Return the response with *results*, and count it."""
    response = fetch_context.update_and_generate_response(results)
    if results.has_error:
        count_errors_now(context, response)
        count_failed(results, context.services.replicas.topic_stats)
        if params.version >= LEADERS_NAMED_SINCE:
            name_leaders(context, response)
    return response


def _params(context: RequestContext, request: FetchRequest) -> FetchParams:
    version = context.version
    services = context.services
    max_bytes = min(request.max_bytes, services.config.current.fetch_max_bytes)
    replica_id = request.replica_id if version < _REPLICA_STATE_SINCE else request.replica_state.replica_id
    if services.quotas.fetch.enabled and replica_id < 0:  # more would be throttled even after a long pause
        quota_bytes = services.quotas.fetch.max_value_in_window(USER, context.client_id)
        max_bytes = max_bytes if quota_bytes is None else min(max_bytes, int(quota_bytes))
    return FetchParams(
        version=version,
        replica_id=replica_id,
        isolation_level=request.isolation_level,
        max_wait_ms=request.max_wait_ms,
        min_bytes=min(request.min_bytes, max_bytes),  # more can never be reached
        max_bytes=max_bytes,
        rack_id=request.rack_id if version >= _RACKS_SINCE else "",
    )


def _unknown_isolation_level(fetch_context: SessionlessContext) -> FetchResponse:
    """Answer every partition, and the request, with UNKNOWN_SERVER_ERROR, as Apache Kafka 3.9.1 does."""
    results = FetchResults()
    for entry in fetch_context.all_partitions:
        results.put(entry, partition_error(entry.requested.partition, ErrorCode.UNKNOWN_SERVER_ERROR))
    response = fetch_context.update_and_generate_response(results)
    response.error_code = ErrorCode.UNKNOWN_SERVER_ERROR
    return response


def name_leaders(context: RequestContext, response: FetchResponse) -> None:
    """Name the current leader, and its address, to clients that have asked for another one's partition (KIP-951)."""
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
