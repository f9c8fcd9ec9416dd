"""Settings of topics and brokers: DescribeConfigs (key 32), AlterConfigs (33), IncrementalAlterConfigs (44).

Specs: protocol_specs/32_describe_configs (v0-v4), 33_alter_configs (v0-v2), 44_incremental_alter_configs (v0-v1).
KIPs: 133, 226 brokers and synonyms, 339 incremental, 412 loggers, 569 types and texts, 714 client metrics.
Waits: until the change is durable and obeyed.
Known to differ from 3.9.1: is_default of v0 says what it should (3.9.1 always says false), a resource named twice by
AlterConfigs is refused (3.9.1 never answers), our own defaults and texts.
Not done: groups (type 32), policies.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from wirebroker.config.describe import ConfigSource, describe_broker, describe_cluster_default, describe_topic
from wirebroker.config.documentation import documentation, topic_documentation
from wirebroker.config.releases import RELEASES
from wirebroker.handlers import broker_loggers
from wirebroker.handlers.config_changes import Alteration, Edit, check_broker_name, check_form, check_topic, decide
from wirebroker.handlers.config_log import changed_settings, log_changed_setting
from wirebroker.metadata.image import BROKER_RESOURCE, CLIENT_METRICS_RESOURCE, LOGGER_RESOURCE, TOPIC_RESOURCE
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.faults import ApiError
from wirebroker.protocol.messages import alter_configs, describe_configs, incremental_alter_configs
from wirebroker.turns import Turns

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from wirebroker.config.describe import Entry
    from wirebroker.config.server import BrokerConfig
    from wirebroker.handlers.config_log import ChangedSetting
    from wirebroker.handlers.context import RequestContext
    from wirebroker.metadata.changes import ConfigsSet
    from wirebroker.metadata.image import ClusterImage

T = TypeVar("T")

_ENCODING_S: Final = 1e-6
"""What it takes to encode one setting."""

_KNOWN_SINCE: Final = {
    TOPIC_RESOURCE: "0.8.0",
    BROKER_RESOURCE: "0.8.0",
    LOGGER_RESOURCE: "2.4",
    CLIENT_METRICS_RESOURCE: "3.7",
}
"""Resource type -> the first release that has settings of that kind."""


class Verdict(NamedTuple):
    """What became of one resource of an altering request."""

    error: ErrorCode = ErrorCode.NONE
    message: str | None = None
    change: ConfigsSet | None = None


async def handle_describe_configs(
    context: RequestContext, request: describe_configs.DescribeConfigsRequest
) -> describe_configs.DescribeConfigsResponse:
    """List settings with where they come from; without wait, but a broker describes only itself."""
    services = context.services
    image, config = services.metadata.image, services.config
    results = []
    unknown = [each.resource_type for each in request.resources if not _is_known(context, each.resource_type)]
    turns = context.start_turns()
    alike: dict[Hashable, list[describe_configs.DescribeConfigsResourceResult]] = {}
    for resource in request.resources:
        await turns.yield_if_due()
        kind, name, keys = resource.resource_type, resource.resource_name, resource.configuration_keys
        result = describe_configs.DescribeConfigsResult(resource_type=kind, resource_name=name)
        results.append(result)
        try:
            if unknown:  # one of them spoils the request, as in 2.0 and 3.9
                raise ApiError(ErrorCode.INVALID_REQUEST, f"resource type {unknown[0]} has no settings here")
            _check_resource(image, config, kind, name)
        except ApiError as fault:
            result.error_code, result.error_message = fault.code, fault.detail
            continue
        if kind in (LOGGER_RESOURCE, CLIENT_METRICS_RESOURCE):
            result.configs = _plain_settings(image, kind, name, keys, context.version)
            continue
        # topics with the same settings are described once
        own = frozenset(image.topic_config(name).items()) if kind == TOPIC_RESOURCE else name
        key = kind, own, None if keys is None else tuple(keys)
        if key not in alike:
            entries = _entries(image, config, kind, name, keys)
            alike[key] = [_described(entry, kind, request, context.version) for entry in entries]
        result.configs = alike[key]
        turns.charge(len(result.configs) * _ENCODING_S)
    return describe_configs.DescribeConfigsResponse(results=results)


def _check_resource(image: ClusterImage, config: BrokerConfig, resource_type: int, name: str) -> None:
    """Refuse a topic that is not there and a broker that is another one.

    Raises:
        ApiError: There is no such topic, or it is a matter for another broker.
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
    since, release = _KNOWN_SINCE.get(resource_type), context.routes.release
    return since is not None and (release is None or RELEASES.index(release) >= RELEASES.index(since))


def _plain_settings(
    image: ClusterImage, resource_type: int, name: str, keys: Sequence[str] | None, version: int
) -> list[describe_configs.DescribeConfigsResourceResult]:
    """The levels of all loggers, those named by *keys* if there are any; or what was set for a subscription."""
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
) -> list[Entry]:
    """The settings of a topic or broker; no *keys* or an empty list means all of them (so 3.9.1)."""
    wanted = keys or None
    if resource_type == TOPIC_RESOURCE:
        return describe_topic(config, image.topic_config(name), wanted)
    return describe_broker(config, wanted) if name else describe_cluster_default(config, wanted)


def _described(
    entry: Entry, resource_type: int, request: describe_configs.DescribeConfigsRequest, version: int
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
        text = topic_documentation if resource_type == TOPIC_RESOURCE else documentation
        result.documentation = text(entry.name)
    return result


async def handle_alter_configs(
    context: RequestContext, request: alter_configs.AlterConfigsRequest
) -> alter_configs.AlterConfigsResponse:
    """Replace the settings of resources by those given, each resource alone."""
    wanted = [
        Alteration(
            each.resource_type,
            each.resource_name,
            [Edit(config.name, config.value) for config in each.configs],
            replace=True,
        )
        for each in request.resources
    ]
    verdicts = await _alter(context, wanted, validate_only=request.validate_only)
    return alter_configs.AlterConfigsResponse(
        responses=[
            _answer(alter_configs.AlterConfigsResourceResponse, *pair) for pair in zip(wanted, verdicts, strict=True)
        ]
    )


async def handle_incremental_alter_configs(
    context: RequestContext, request: incremental_alter_configs.IncrementalAlterConfigsRequest
) -> incremental_alter_configs.IncrementalAlterConfigsResponse:
    """Set, delete, append to and subtract from single settings, each resource alone."""
    wanted = [
        Alteration(
            each.resource_type,
            each.resource_name,
            [Edit(config.name, config.value, config.config_operation) for config in each.configs],
            replace=False,
        )
        for each in request.resources
    ]
    verdicts = await _alter(context, wanted, validate_only=request.validate_only)
    if not request.validate_only:
        for each, verdict in zip(wanted, verdicts, strict=True):
            if each.resource_type == LOGGER_RESOURCE and not verdict.error:
                broker_loggers.apply_edits(each.edits)
    answer = incremental_alter_configs.AlterConfigsResourceResponse
    return incremental_alter_configs.IncrementalAlterConfigsResponse(
        responses=[_answer(answer, *pair) for pair in zip(wanted, verdicts, strict=True)]
    )


async def _alter(context: RequestContext, wanted: Sequence[Alteration], *, validate_only: bool) -> list[Verdict]:
    controller = context.services.controller
    if validate_only:
        return await judged(context.services.metadata.image, controller.config, wanted)
    verdicts: list[Verdict] = []

    changed: list[ChangedSetting] = []

    async def alter(image: ClusterImage) -> list[ConfigsSet]:
        verdicts[:] = await judged(image, controller.config, wanted)
        changes = [verdict.change for verdict in verdicts if verdict.change is not None]
        changed[:] = changed_settings(image, changes)
        return changes

    try:
        await controller.alter_configs(alter)
    except ApiError as fault:
        return [Verdict(fault.code, fault.detail) if verdict.change else verdict for verdict in verdicts]
    turns = Turns()
    for setting in changed:
        log_changed_setting(setting, context.caller)
        await turns.yield_if_due()
    return verdicts


async def judged(image: ClusterImage, config: BrokerConfig, wanted: Sequence[Alteration]) -> list[Verdict]:
    """What to say of each resource and what to change; resources that are named twice are refused."""
    counts = Counter((each.resource_type, each.name) for each in wanted)
    verdicts = []
    turns = Turns()
    for each in wanted:
        await turns.yield_if_due()
        try:
            if counts[each.resource_type, each.name] > 1:
                raise ApiError(ErrorCode.INVALID_REQUEST, "Each resource must appear at most once.")
            if each.resource_type == LOGGER_RESOURCE and not each.replace:
                check_form(each)
                broker_loggers.check_resource_name(each.name, config.node_id, describing=False)
                broker_loggers.check_edits(each.edits)
                verdicts.append(Verdict())
            else:
                verdicts.append(Verdict(change=decide(image, config, each)))
        except ApiError as fault:
            verdicts.append(Verdict(fault.code, fault.detail))
    return verdicts


def _answer(response: Callable[..., T], wanted: Alteration, verdict: Verdict) -> T:
    return response(
        error_code=verdict.error,
        error_message=verdict.message,
        resource_type=wanted.resource_type,
        resource_name=wanted.name,
    )
