"""Throttling of the connection on which a request is served (KIP-219), and the request time of its client (KIP-124).

The response says how long a client is throttled.  Clients of the versions of KIP-219 get it at once, and the connection
is muted: it is not read from until the time is over.  Older clients would not wait by themselves, so their response is
delayed.

The request time is the time that the event loop spends on a connection: receiving, decoding, handling, encoding and
sending, which in Kafka is the time of network and request threads; waits do not count.  The work that the request hands
over to threads is added.  100 % is one thread, and the event loop is one.  The time up to the handler's end throttles
the request, the rest counts for the next one, as in Kafka.  No client is throttled for longer than one sample of the
window.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import trio

from wirebroker.handlers.context import PRINCIPAL
from wirebroker.protocol.api import ApiKey
from wirebroker.protocol.primitives import WireBuffer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from wirebroker.handlers.context import RequestContext
    from wirebroker.protocol.messages.fetch import FetchResponse
    from wirebroker.quota.mutation_quota import ControllerMutationQuota
    from wirebroker.replication.fetch_params import FetchParams

USER: Final = PRINCIPAL.partition(":")[2]
"""The user of every client, as quotas name it."""

_MUTED_SINCE: Final[Mapping[int, int]] = {
    ApiKey.PRODUCE: 6,
    ApiKey.FETCH: 8,
    ApiKey.LIST_OFFSETS: 3,
    ApiKey.METADATA: 6,
    ApiKey.OFFSET_COMMIT: 4,
    ApiKey.OFFSET_FETCH: 4,
    ApiKey.FIND_COORDINATOR: 2,
    ApiKey.JOIN_GROUP: 3,
    ApiKey.HEARTBEAT: 2,
    ApiKey.LEAVE_GROUP: 2,
    ApiKey.SYNC_GROUP: 2,
    ApiKey.DESCRIBE_GROUPS: 2,
    ApiKey.LIST_GROUPS: 2,
    ApiKey.API_VERSIONS: 2,
    ApiKey.CREATE_TOPICS: 3,
    ApiKey.DELETE_TOPICS: 2,
    ApiKey.DELETE_RECORDS: 1,
    ApiKey.INIT_PRODUCER_ID: 1,
    ApiKey.ADD_PARTITIONS_TO_TXN: 1,
    ApiKey.ADD_OFFSETS_TO_TXN: 1,
    ApiKey.END_TXN: 1,
    ApiKey.TXN_OFFSET_COMMIT: 1,
    ApiKey.DESCRIBE_ACLS: 1,
    ApiKey.CREATE_ACLS: 1,
    ApiKey.DELETE_ACLS: 1,
    ApiKey.DESCRIBE_CONFIGS: 2,
    ApiKey.ALTER_CONFIGS: 1,
    ApiKey.ALTER_REPLICA_LOG_DIRS: 1,
    ApiKey.DESCRIBE_LOG_DIRS: 1,
    ApiKey.CREATE_PARTITIONS: 1,
    ApiKey.CREATE_DELEGATION_TOKEN: 1,
    ApiKey.RENEW_DELEGATION_TOKEN: 1,
    ApiKey.EXPIRE_DELEGATION_TOKEN: 1,
    ApiKey.DESCRIBE_DELEGATION_TOKEN: 1,
    ApiKey.DELETE_GROUPS: 1,
}
"""API -> first version whose clients wait by themselves (KIP-219); those of other APIs are muted in every version."""
_EXEMPT: Final = frozenset({ApiKey.WRITE_TXN_MARKERS})
"""Requests among brokers, which need the permission ClusterAction."""
_PERCENT: Final = 100.0


def quota_now_ms() -> int:
    """Return the time of the event loop's clock, which is monotonic, in milliseconds."""
    return int(trio.current_time() * 1000)


async def throttle(context: RequestContext, throttle_ms: int) -> None:
    """Have the connection muted for *throttle_ms* after the response, or wait before it."""
    if context.version >= _MUTED_SINCE.get(context.api_key, 0):
        context.throttle_ms = max(context.throttle_ms, throttle_ms)
    else:
        await trio.sleep(throttle_ms / 1000)


async def throttle_produce(context: RequestContext, acks: int) -> int:
    """Record the size of a Produce request, throttle its client, and return the throttle time in milliseconds."""
    manager = context.services.quotas.produce
    throttle_ms = manager.record_and_throttle_ms(USER, context.client_id, context.request_bytes, quota_now_ms())
    if not acks:  # without a response only muting is left
        context.throttle_ms = throttle_ms
    elif throttle_ms:
        await throttle(context, throttle_ms)
    return throttle_ms


async def throttle_fetch(
    context: RequestContext, params: FetchParams, full_response: Callable[[], FetchResponse]
) -> int:
    """Record the request time and the size of the response, and return the milliseconds for which the client is
    throttled instead of getting the response; followers are exempt.

    A throttled client is answered without records, so no size is recorded then.
    """
    if params.replica_id >= 0:
        _exempt(context)
        return 0
    now_ms = quota_now_ms()
    throttle_ms = _record_request_time(context, now_ms)
    manager = context.services.quotas.fetch
    if manager.enabled:
        size_bytes = _size_bytes(full_response(), context.version)
        throttle_ms = max(throttle_ms, manager.record_and_throttle_ms(USER, context.client_id, size_bytes, now_ms))
        if throttle_ms:
            manager.record(USER, context.client_id, -size_bytes, now_ms)
    if throttle_ms:
        await throttle(context, throttle_ms)
    return throttle_ms


async def throttle_by_request_time(context: RequestContext, response: Any) -> None:
    """Record the request time so far, throttle the client, and set the throttle time in *response*.

    *response* is None for a Produce with acks=0, which is exempt.  A throttle time that is already in the response
    stays there if it is longer.  Fetch is left out, which does so before it makes its response.
    """
    if context.api_key in _EXEMPT or response is None:
        _exempt(context)
        return
    if context.api_key == ApiKey.FETCH:
        return
    throttle_ms = _record_request_time(context, quota_now_ms())
    before_ms = getattr(response, "throttle_time_ms", 0)
    if throttle_ms <= before_ms:
        return
    if hasattr(response, "throttle_time_ms"):
        response.throttle_time_ms = throttle_ms
    if context.version >= _MUTED_SINCE.get(context.api_key, 0):
        before_ms = 0  # muting has not begun
    await throttle(context, throttle_ms - before_ms)


def finish_request_time(context: RequestContext) -> None:
    """Record the rest of the request time, which counts when the client's next request is served."""
    timer, manager = context.request_time, context.services.quotas.request
    if timer is not None and manager.enabled and (seconds := timer.take_rest()):
        manager.record(USER, context.client_id, seconds * _PERCENT, quota_now_ms())


def mutation_quota(context: RequestContext, refused_since: int = 0) -> ControllerMutationQuota | None:
    """Return the quota controller_mutation_rate of the client, None if nobody has one.

    From version *refused_since* on changes over the quota are refused.
    """
    manager = context.services.quotas.controller_mutation
    if not manager.enabled:
        return None
    return manager.quota_of(USER, context.client_id, quota_now_ms, strict=context.version >= refused_since)


def _record_request_time(context: RequestContext, now_ms: int) -> int:
    """Record the request time since the last call, and return for how long the client is throttled."""
    timer, manager = context.request_time, context.services.quotas.request
    if timer is None or not manager.enabled:
        return 0
    return manager.record_and_throttle_ms(USER, context.client_id, timer.take() * _PERCENT, now_ms)


def _exempt(context: RequestContext) -> None:
    if context.request_time is not None:
        context.request_time.exempt()


def _size_bytes(response: FetchResponse, version: int) -> int:
    """Return the size of the body of *response*, and of the four bytes that Kafka adds to it."""
    out = WireBuffer()
    response.write(out, version)
    return 4 + len(out) + sum(part.size_bytes for _, part in out.detached)
