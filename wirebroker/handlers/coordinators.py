"""FindCoordinator (key 10): the broker that coordinates a group or a transactional id.

Spec: protocol_specs/10_find_coordinator (v0-v6).
KIPs: 98 key types, 699 several keys in one request, 932 share groups (not supported: COORDINATOR_NOT_AVAILABLE).
Waits: until a missing internal topic is created.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.metadata.image import NO_LEADER
from wirebroker.metadata.partitioning import partition_for
from wirebroker.model import GROUP_METADATA_TOPIC_NAME, TRANSACTION_STATE_TOPIC_NAME, BrokerEndpoint
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.find_coordinator import (
    Coordinator,
    FindCoordinatorRequest,
    FindCoordinatorResponse,
)

if TYPE_CHECKING:
    from wirebroker.coordinator.service import CoordinatorService
    from wirebroker.handlers.context import RequestContext

_BATCHED_SINCE: Final = 4
_GROUP: Final = 0
_TRANSACTION: Final = 1
_SHARE: Final = 2
_SHARE_SINCE: Final = 6
_TOPICS: Final = {_GROUP: GROUP_METADATA_TOPIC_NAME, _TRANSACTION: TRANSACTION_STATE_TOPIC_NAME}


async def handle_find_coordinator(context: RequestContext, request: FindCoordinatorRequest) -> FindCoordinatorResponse:
    """Return the leader of the partition that owns each key."""
    if context.version >= _BATCHED_SINCE:
        budget = context.start_budget()
        coordinators: list[Coordinator] = []
        for key in request.coordinator_keys:
            coordinators.append(await _find(context, request.key_type, key))
            await budget.yield_if_due()
        return FindCoordinatorResponse(coordinators=coordinators)
    one = await _find(context, request.key_type if context.version >= 1 else _GROUP, request.key)
    return FindCoordinatorResponse(
        error_code=one.error_code,
        # 3.9.1 answers "NONE" here, and nothing from v4 on
        error_message="NONE" if not one.error_code else one.error_message,
        node_id=one.node_id,
        host=one.host,
        port=one.port,
    )


async def _find(context: RequestContext, key_type: int, key: str) -> Coordinator:
    topic_name = _TOPICS.get(key_type)
    if topic_name is None:
        shared = key_type == _SHARE and context.version >= _SHARE_SINCE
        missing = _unavailable(key, ErrorCode.COORDINATOR_NOT_AVAILABLE if shared else ErrorCode.INVALID_REQUEST)
        if key_type == _SHARE and context.version >= _BATCHED_SINCE:
            missing.error_message = ""  # as 3.9.1, which knows the type
        return missing
    services = context.services
    image = services.metadata.image
    topic = image.topic(topic_name)
    service: CoordinatorService = services.groups if key_type == _GROUP else services.transactions
    if topic is None:
        # Kafka answers COORDINATOR_NOT_AVAILABLE; creating the topic takes less time than the client's back-off.
        await service.import_shards()
        await services.administration.create_internal(topic_name)
        await service.caught_up()
        image = services.metadata.image
        topic = image.topic(topic_name)
    if topic is None:
        return _unavailable(key, ErrorCode.COORDINATOR_NOT_AVAILABLE)
    index = partition_for(key, service.partition_count or len(topic.partitions))
    leader = topic.partitions[index].leader if index < len(topic.partitions) else NO_LEADER
    broker = image.brokers.get(leader)
    endpoint = broker.endpoint(context.listener) if broker is not None else None
    if endpoint is None:
        return _unavailable(key, ErrorCode.COORDINATOR_NOT_AVAILABLE)
    host, port = context.advertised(BrokerEndpoint(leader, endpoint.host, endpoint.port))
    return Coordinator(key=key, node_id=leader, host=host, port=port, error_message="")


def _unavailable(key: str, code: ErrorCode) -> Coordinator:
    return Coordinator(key=key, node_id=-1, host="", port=-1, error_code=code, error_message=code.meaning)
