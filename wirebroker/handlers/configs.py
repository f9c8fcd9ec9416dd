"""Configs of topics and brokers: DescribeConfigs (key 32), AlterConfigs (33), IncrementalAlterConfigs (44).

Specs: protocol_specs/32_describe_configs (v0-v4), 33_alter_configs (v0-v2), 44_incremental_alter_configs (v0-v1).
KIPs: 133, 226 brokers and synonyms, 339 incremental, 412 loggers, 569 types and texts, 714 client metrics.
Waits: for the present settings of topics and of what is altered, which a cluster has in ZooKeeper, and until the change
is durable and in effect.
Different from 3.9.1: is_default of v0 is right (3.9.1 always says false), a resource named twice by AlterConfigs is
refused (3.9.1 never answers), some defaults, and the texts.
Not done: groups (type 32), policies.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from wirebroker.config.describe import ConfigSource, describe_broker, describe_cluster_default, describe_topic
from wirebroker.config.documentation import documentation, topic_documentation
from wirebroker.handlers import broker_loggers, client_metrics
from wirebroker.handlers.config_changes import (
    ConfigOp,
    ConfigResourceChange,
    check_broker_name,
    check_ops,
    check_topic,
    plan_change,
)
from wirebroker.handlers.config_log import changed_settings, log_changed_setting
from wirebroker.metadata.image import BROKER_RESOURCE, CLIENT_METRICS_RESOURCE, LOGGER_RESOURCE, TOPIC_RESOURCE
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.protocol.messages import alter_configs, describe_configs, incremental_alter_configs

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

    from wirebroker.config.describe import ConfigEntry
    from wirebroker.config.server import BrokerConfig
    from wirebroker.handlers.config_log import ChangedSetting
    from wirebroker.handlers.context import RequestContext
    from wirebroker.loop_budget import LoopBudget
    from wirebroker.metadata.image import ClusterImage
    from wirebroker.metadata.records import ConfigsRecord

T = TypeVar("T")

_ENCODING_S: Final = 1e-6
"""The time to encode one setting, charged to the budget of the event loop."""

_KNOWN_SINCE: Final = {
    TOPIC_RESOURCE: "0.8.0",
    BROKER_RESOURCE: "0.8.0",
    LOGGER_RESOURCE: "2.4",
    CLIENT_METRICS_RESOURCE: "3.7",
}
"""Resource type -> the first release that has configs of that type."""

_DOCUMENTATION: Final[Mapping[int, Callable[[str], str | None]]] = {
    TOPIC_RESOURCE: topic_documentation,
    CLIENT_METRICS_RESOURCE: client_metrics.TEXTS.get,
}
"""Resource type, if it is not a broker -> what documents a key."""


class AlterConfigResult(NamedTuple):
    """The outcome for one resource: an error, or the record that makes the change (none for loggers)."""

    error: ErrorCode = ErrorCode.NONE
    message: str | None = None
    record: ConfigsRecord | None = None


async def handle_describe_configs(
    context: RequestContext, request: describe_configs.DescribeConfigsRequest
) -> describe_configs.DescribeConfigsResponse:
    """List configs with their sources; a broker describes no broker but itself."""
    services = context.services
    image, config = services.metadata.image, services.config.current
    results = []
    unknown = [
        kind for kind in {each.resource_type: None for each in request.resources} if not _is_known(context, kind)
    ]
    unread: ApiError | None = None
    budget = context.start_budget()
    try:
        if not unknown:
            topics = (
                (TOPIC_RESOURCE, each.resource_name)
                for each in request.resources
                if each.resource_type == TOPIC_RESOURCE
            )
            image = await services.administration.image_with_configs(await budget.collect(topics))
    except ApiError as fault:
        unread = fault
    described: dict[Hashable, list[describe_configs.DescribeConfigsResourceResult]] = {}
    for resource in request.resources:
        await budget.yield_if_due()
        kind, name, keys = resource.resource_type, resource.resource_name, resource.configuration_keys
        result = describe_configs.DescribeConfigsResult(resource_type=kind, resource_name=name)
        results.append(result)
        try:
            if unknown:  # one of them spoils the request, as in 2.0 and 3.9
                raise ApiError(ErrorCode.INVALID_REQUEST, f"resource type {unknown[0]} has no settings here")
            _check_resource(image, config, kind, name)
            if kind == TOPIC_RESOURCE and unread is not None:
                raise unread
        except ApiError as fault:
            result.error_code, result.error_message = fault.code, fault.detail
            continue
        if kind == CLIENT_METRICS_RESOURCE and context.routes.profile.emulates(client_metrics.DESCRIBED_SINCE):
            entries = client_metrics.describe_subscription(image.config(kind, name), keys or None)
            result.configs = [_describe_entry(entry, kind, request, context.version) for entry in entries]
            continue
        if kind in (LOGGER_RESOURCE, CLIENT_METRICS_RESOURCE):
            result.configs = _plain_settings(image, kind, name, keys, context.version)
            continue
        # topics with the same settings are described once
        own = frozenset(image.topic_config(name).items()) if kind == TOPIC_RESOURCE else name
        key = kind, own, None if keys is None else tuple(keys)
        if key not in described:
            entries = _entries(image, config, kind, name, keys)
            described[key] = [_describe_entry(entry, kind, request, context.version) for entry in entries]
        result.configs = described[key]
        budget.charge(len(result.configs) * _ENCODING_S)
    return describe_configs.DescribeConfigsResponse(results=results)


def _check_resource(image: ClusterImage, config: BrokerConfig, resource_type: int, name: str) -> None:
    """Check that the resource exists, and that a broker or its loggers are this one.

    Raises:
        ApiError: the error of the resource.
    """
    if resource_type == TOPIC_RESOURCE:
        check_topic(image, name, "")
    elif resource_type == LOGGER_RESOURCE:
        broker_loggers.check_resource_name(name, config.node_id, describing=True)
    elif resource_type == CLIENT_METRICS_RESOURCE:
        if not name:
            raise ApiError(ErrorCode.INVALID_REQUEST, "Client metrics subscription name must not be empty")
    else:
        check_broker_name(name, config.node_id)


def _is_known(context: RequestContext, resource_type: int) -> bool:
    since = _KNOWN_SINCE.get(resource_type)
    return since is not None and context.routes.profile.is_at_least(since)


def _plain_settings(
    image: ClusterImage, resource_type: int, name: str, keys: Sequence[str] | None, version: int
) -> list[describe_configs.DescribeConfigsResourceResult]:
    """Return the levels of loggers, of all without *keys*, or the settings of a client metrics subscription."""
    if resource_type == LOGGER_RESOURCE:
        settings, source = broker_loggers.logger_levels(), ConfigSource.DYNAMIC_BROKER_LOGGER
        if keys:
            settings = {key: level for key, level in settings.items() if key in set(keys)}
    else:
        settings, source = dict(image.config(resource_type, name)), ConfigSource.CLIENT_METRICS
    found = [describe_configs.DescribeConfigsResourceResult(name=key, value=value) for key, value in settings.items()]
    if version > 0:
        for each in found:
            each.config_source = source
    return found


def _entries(
    image: ClusterImage, config: BrokerConfig, resource_type: int, name: str, keys: Sequence[str] | None
) -> list[ConfigEntry]:
    """Return the configs of a topic or broker; without *keys* or with an empty list all of them, as 3.9.1."""
    wanted = keys or None
    if resource_type == TOPIC_RESOURCE:
        return describe_topic(config, image.topic_config(name), wanted)
    return describe_broker(config, wanted) if name else describe_cluster_default(config, wanted)


def _describe_entry(
    entry: ConfigEntry, resource_type: int, request: describe_configs.DescribeConfigsRequest, version: int
) -> describe_configs.DescribeConfigsResourceResult:
    result = describe_configs.DescribeConfigsResourceResult(
        name=entry.name,
        value=entry.value,
        read_only=entry.read_only,
        is_sensitive=entry.sensitive,
        config_type=entry.kind,
        documentation=None,
    )
    if version == 0:
        result.is_default = entry.source is ConfigSource.DEFAULT
    else:
        result.config_source = entry.source
    if request.include_synonyms:
        result.synonyms = [describe_configs.DescribeConfigsSynonym(*synonym) for synonym in entry.synonyms]
    if request.include_documentation:
        text = _DOCUMENTATION.get(resource_type, documentation)
        result.documentation = text(entry.name)
    return result


async def handle_alter_configs(
    context: RequestContext, request: alter_configs.AlterConfigsRequest
) -> alter_configs.AlterConfigsResponse:
    """Replace all settings of each resource by those given; each resource succeeds or fails by itself."""
    budget = context.start_budget()
    wanted = await budget.collect(
        ConfigResourceChange(
            each.resource_type,
            each.resource_name,
            [ConfigOp(config.name, config.value) for config in each.configs],
            replace=True,
        )
        for each in request.resources
    )
    results = await _alter(context, wanted, budget, validate_only=request.validate_only)
    answer = alter_configs.AlterConfigsResourceResponse
    return alter_configs.AlterConfigsResponse(
        responses=await budget.collect(_response(answer, *pair) for pair in zip(wanted, results, strict=True))
    )


async def handle_incremental_alter_configs(
    context: RequestContext, request: incremental_alter_configs.IncrementalAlterConfigsRequest
) -> incremental_alter_configs.IncrementalAlterConfigsResponse:
    """Set, delete, append to or subtract from single settings; each resource succeeds or fails by itself."""
    budget = context.start_budget()
    wanted = await budget.collect(
        ConfigResourceChange(
            each.resource_type,
            each.resource_name,
            [ConfigOp(config.name, config.value, config.config_operation) for config in each.configs],
            replace=False,
        )
        for each in request.resources
    )
    results = await _alter(context, wanted, budget, validate_only=request.validate_only)
    answer = incremental_alter_configs.AlterConfigsResourceResponse
    responses: list[incremental_alter_configs.AlterConfigsResourceResponse] = []
    for each, result in zip(wanted, results, strict=True):
        if each.resource_type == LOGGER_RESOURCE and not result.error and not request.validate_only:
            broker_loggers.apply_logger_ops(each.ops)
        responses.append(_response(answer, each, result))
        await budget.yield_if_due()
    return incremental_alter_configs.IncrementalAlterConfigsResponse(responses=responses)


async def _alter(
    context: RequestContext, wanted: Sequence[ConfigResourceChange], budget: LoopBudget, *, validate_only: bool
) -> list[AlterConfigResult]:
    administration, config = context.services.administration, context.services.config.current
    resources = await budget.collect((each.resource_type, each.name) for each in wanted)
    if validate_only:
        try:
            image = await administration.image_with_configs(resources)
        except ApiError as fault:
            return [AlterConfigResult(fault.code, fault.detail) for _ in wanted]
        return await validate_alterations(image, config, wanted, budget)
    results: list[AlterConfigResult] = []
    changed: list[ChangedSetting] = []

    async def alter(image: ClusterImage) -> list[ConfigsRecord]:
        results[:] = await validate_alterations(image, context.services.config.current, wanted, budget)
        records = [result.record for result in results if result.record is not None]
        changed[:] = await budget.collect(changed_settings(image, records))
        return records

    try:
        await administration.alter_configs(resources, alter)
    except ApiError as fault:
        failed = AlterConfigResult(fault.code, fault.detail)
        if not results:  # the present settings cannot be read
            return [failed] * len(wanted)
        return [failed if result.record else result for result in results]
    for setting in changed:
        log_changed_setting(setting, context)
        await budget.yield_if_due()
    return results


async def validate_alterations(
    image: ClusterImage, config: BrokerConfig, wanted: Sequence[ConfigResourceChange], budget: LoopBudget
) -> list[AlterConfigResult]:
    """Return the result of each change without making any; changes of the same resource are refused."""
    counts = Counter(await budget.collect((each.resource_type, each.name) for each in wanted))
    results = []
    for each in wanted:
        await budget.yield_if_due()
        try:
            if counts[each.resource_type, each.name] > 1:
                raise ApiError(ErrorCode.INVALID_REQUEST, "Each resource must appear at most once.")
            if each.resource_type == LOGGER_RESOURCE and not each.replace:
                check_ops(each)
                broker_loggers.check_resource_name(each.name, config.node_id, describing=False)
                broker_loggers.check_logger_ops(each.ops)
                results.append(AlterConfigResult())
            else:
                results.append(AlterConfigResult(record=plan_change(image, config, each)))
        except ApiError as fault:
            results.append(AlterConfigResult(fault.code, fault.detail))
    return results


def _response(response: Callable[..., T], wanted: ConfigResourceChange, result: AlterConfigResult) -> T:
    return response(
        error_code=result.error,
        error_message=result.message,
        resource_type=wanted.resource_type,
        resource_name=wanted.name,
    )
