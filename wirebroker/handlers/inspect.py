"""Inspect (key 20000): facts about this broker that no API of Kafka has; not listed by ApiVersions.

Spec: protocol_specs/20000_inspect (v0).
Subjects: `group`, the latest rebalances of a consumer group with their reasons; `retention`, the segments of this
broker's replicas of a topic, with what becomes of them; `epochs`, those of this broker's registration and of the
controller in a cluster with ZooKeeper.
Waits: for files of a topic's segments, in a thread.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from wirebroker.clock import now_ms
from wirebroker.config.describe import explain_settings
from wirebroker.coordinator.group.requests import ExplainGroup
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.protocol.messages.inspect import InspectRequest, InspectResponse
from wirebroker.storage.errors import LogError
from wirebroker.storage.retention_report import (
    DECIDING_BROKER_KEYS,
    DECIDING_TOPIC_KEYS,
    CleaningFacts,
    explain_retention,
)

if TYPE_CHECKING:
    from wirebroker.coordinator.group.rebalance_history import Rebalance
    from wirebroker.handlers.context import RequestContext, Services
    from wirebroker.replication.partition import Partition


async def handle_inspect(context: RequestContext, request: InspectRequest) -> InspectResponse:
    """Return a JSON document about the subject."""
    try:
        if request.subject == "group":
            return InspectResponse(document=json.dumps(await _rebalances(context, request.name)))
        if request.subject == "retention":
            return InspectResponse(document=await _retention(context.services, request.name))
        if request.subject == "epochs":
            return InspectResponse(document=json.dumps(_epochs(context.services)))
    except ApiError as fault:
        return InspectResponse(error_code=fault.code, error_message=fault.detail or fault.code.meaning)
    return InspectResponse(error_code=ErrorCode.INVALID_REQUEST, error_message=f"no subject {request.subject!r}")


def _epochs(services: Services) -> dict[str, int | None]:
    """The epochs of this broker, and of the controller by its requests; None without a cluster."""
    requests = services.controller_requests
    if requests is None:
        return {"broker_epoch": None, "controller_epoch": None}
    return {"broker_epoch": requests.fence.broker_epoch, "controller_epoch": requests.fence.controller_epoch}


async def _rebalances(context: RequestContext, group_id: str) -> list[dict[str, Any]]:
    rebalances: list[Rebalance] = await context.services.groups.request(group_id, ExplainGroup(group_id))
    return [entry._asdict() for entry in rebalances]


async def _retention(services: Services, topic: str) -> str:
    """The settings and the report of each replica of *topic* that is here.

    Raises:
        ApiError: UNKNOWN_TOPIC_OR_PARTITION.
    """
    partitions = [each for each in services.replicas.partitions() if each.log.topic_partition.topic == topic]
    if not partitions:
        raise ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    at_ms, found = now_ms(), list[dict[str, Any]]()

    def explain(partition: Partition) -> None:
        found.append(_report(services, partition, at_ms))

    await services.replicas.workers.run_each(explain, partitions)
    overrides = services.metadata.image.topic_config(topic)
    config = services.config.current
    settings = explain_settings(config, overrides, DECIDING_TOPIC_KEYS, DECIDING_BROKER_KEYS)
    document = {"topic": topic, "now_ms": at_ms, "settings": settings, "partitions": found}
    return await services.replicas.workers.run(json.dumps, document)


def _report(services: Services, partition: Partition, at_ms: int) -> dict[str, Any]:
    """The report of one partition as an object of JSON; with a problem in its place if the log cannot be read."""
    log = partition.log
    identity = {"partition": log.topic_partition.partition, "directory": str(log.directory)}
    facts = CleaningFacts(
        partition.high_watermark,
        services.replicas.log_manager.log_dirs.cleaner_offset(log),
        services.config.current.log_cleaner_enable,
        services.uncleanable_reason(log),
    )
    try:
        report = log.reader.query(lambda view: explain_retention(view, log.config, facts, at_ms))
    except LogError as fault:
        return {**identity, "problem": str(fault)}
    return {**identity, "problem": None, **report.as_object()}
