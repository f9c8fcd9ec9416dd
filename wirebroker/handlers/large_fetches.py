"""Fetch requests of thousands of partitions: they are read and answered in parts, between which others are served."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import trio

from wirebroker.handlers.fetch import LEADERS_NAMED_SINCE, name_leaders
from wirebroker.handlers.response_errors import count_errors
from wirebroker.handlers.throttling import throttle_fetch
from wirebroker.replication.fetch_down_conversion import down_convert
from wirebroker.replication.fetch_reader import FORMAT_2_SINCE, FetchReader, record_throttled_bytes
from wirebroker.replication.large_fetch import LargeFetch
from wirebroker.replication.topic_stats import count_failed

if TYPE_CHECKING:
    from wirebroker.handlers.context import RequestContext
    from wirebroker.handlers.fetch_context import SessionlessContext
    from wirebroker.loop_budget import LoopBudget
    from wirebroker.protocol.messages.fetch import FetchResponse
    from wirebroker.replication.fetch_params import FetchParams
    from wirebroker.replication.fetch_results import FetchResults


async def fetch_in_parts(
    context: RequestContext, params: FetchParams, fetch_context: SessionlessContext, budget: LoopBudget
) -> FetchResponse:
    """Return the response to a large request, after waiting for min_bytes as long as it allows."""
    replicas, session = context.services.replicas, fetch_context.session
    if session is not None and session.follower:
        session.last_fetch_s = trio.current_time()
    purgatory = replicas.purgatories.fetch
    expiration_ms = purgatory.timer.now_ms() + params.max_wait_ms
    while True:
        operation = LargeFetch(FetchReader(replicas, params), fetch_context.partitions, session, budget)
        try:
            results = await operation.fetch(purgatory, expiration_ms)
            if params.version >= FORMAT_2_SINCE or await down_convert(replicas, params, results):
                return await _respond(context, params, fetch_context, operation, results)
        finally:
            await operation.end()


async def _respond(
    context: RequestContext,
    params: FetchParams,
    fetch_context: SessionlessContext,
    operation: LargeFetch,
    results: FetchResults,
) -> FetchResponse:
    services, budget = context.services, context.start_budget()
    if params.replica_id >= 0 and services.replicas.leader_quota is not None:
        record_throttled_bytes(services.replicas.leader_quota, results)
    if services.quotas.fetch.enabled or context.request_time is not None:
        throttle_ms = await throttle_fetch(context, params, partial(fetch_context.full_response, results))
        if throttle_ms:
            return fetch_context.throttled_response(throttle_ms)
    response = await fetch_context.update_in_parts(results, operation.changed, budget)
    if results.has_error:
        await count_errors(context, response)
        count_failed(results, services.replicas.topic_stats)
        if params.version >= LEADERS_NAMED_SINCE:
            await services.replicas.workers.run(name_leaders, context, response)
    return response
