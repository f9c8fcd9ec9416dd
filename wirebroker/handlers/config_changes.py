"""What becomes of one resource's settings when a client alters them: pure, so that it can be decided again.

KIPs: 133 (AlterConfigs replaces everything), 226 (brokers), 339 (incremental: set, delete, append, subtract).
Codes and their quirks are those of Apache Kafka 3.9.1: a topic's wrong value is INVALID_CONFIG, a broker's is
INVALID_REQUEST; an operation nobody knows is UNKNOWN_SERVER_ERROR without a word.  A key that `start` would refuse is
INVALID_CONFIG, where 3.9.1 takes it.
"""

from __future__ import annotations

from collections import Counter
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.config.dynamic import check_broker_change
from wirebroker.config.topic import check_settings, default_of
from wirebroker.config.unsupported import dynamic_refusal
from wirebroker.config.values import ConfigError, ConfigType, parse_value, render_value
from wirebroker.handlers import client_metrics
from wirebroker.metadata.changes import ConfigsSet
from wirebroker.metadata.image import BROKER_RESOURCE, CLIENT_METRICS_RESOURCE, TOPIC_RESOURCE
from wirebroker.metadata.topic_names import why_illegal
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.faults import ApiError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from wirebroker.config.keys import Key
    from wirebroker.config.server import BrokerConfig
    from wirebroker.config.values import Value
    from wirebroker.metadata.image import ClusterImage


class Operation(IntEnum):
    """What to do with one key (KIP-339)."""

    SET = 0
    DELETE = 1
    APPEND = 2
    SUBTRACT = 3


class Edit(NamedTuple):
    """One key of a request; *operation* is as on the wire."""

    key: str
    value: str | None
    operation: int = Operation.SET


class Alteration(NamedTuple):
    """What a request wants of one resource; with *replace* keys that are not named lose their value."""

    resource_type: int
    name: str
    edits: Sequence[Edit]
    replace: bool


def decide(image: ClusterImage, config: BrokerConfig, wanted: Alteration) -> ConfigsSet:
    """The change that does what is *wanted*; ApiError when it may not be done."""
    check_form(wanted)
    if any(edit.operation not in set(Operation) for edit in wanted.edits):
        raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR)
    if wanted.resource_type == TOPIC_RESOURCE:
        return _topic(image, config, wanted)
    if wanted.resource_type == BROKER_RESOURCE:
        return _broker(image, config, wanted)
    if wanted.resource_type == CLIENT_METRICS_RESOURCE:
        return _client_metrics(image, wanted)
    raise ApiError(ErrorCode.INVALID_REQUEST, f"settings of resource type {wanted.resource_type} cannot be altered")


def check_broker_name(name: str, node_id: int) -> None:
    """Refuse a broker resource that is neither this broker nor (with an empty name) all of them."""
    if not name:
        return
    try:
        asked = int(name)
    except ValueError:
        raise ApiError(ErrorCode.INVALID_REQUEST, f"Broker id must be an integer, but it is: {name}") from None
    if asked != node_id:
        raise ApiError(
            ErrorCode.INVALID_REQUEST,
            f"Unexpected broker id, expected {node_id} or empty string, but received {name}",
        )


def check_topic(image: ClusterImage, name: str, missing: str) -> None:
    """Refuse a topic whose name cannot be one, or that is not there (with the words *missing*)."""
    illegal = why_illegal(name)
    if illegal is not None:
        raise ApiError(ErrorCode.INVALID_TOPIC_EXCEPTION, illegal)
    if name not in image.topics:
        raise ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, missing)


def check_form(wanted: Alteration) -> None:
    """Refuse keys that are named twice and values that are missing.

    Raises:
        ApiError: INVALID_REQUEST.
    """
    counts = Counter(edit.key for edit in wanted.edits)
    repeated = sorted(key for key, count in counts.items() if count > 1)
    if repeated:
        raise ApiError(ErrorCode.INVALID_REQUEST, f"Error due to duplicate config keys : {', '.join(repeated)}")
    nulls = [edit.key for edit in wanted.edits if edit.value is None and edit.operation != Operation.DELETE]
    if nulls:
        raise ApiError(ErrorCode.INVALID_REQUEST, f"Null value not supported for : {', '.join(nulls)}")


def _topic(image: ClusterImage, config: BrokerConfig, wanted: Alteration) -> ConfigsSet:
    name = wanted.name
    if not name:
        raise ApiError(ErrorCode.INVALID_REQUEST, "Default topic resources are not allowed.")
    check_topic(image, name, f"The topic '{name}' does not exist.")
    before = {} if wanted.replace else dict(image.topic_config(name))

    def inherited(key: str) -> Value:
        return default_of(key, config.value)

    try:
        after = check_settings(
            _edited(before, wanted.edits, config.keys.topic, inherited), config.topic_defaults, config.keys.topic
        )
    except ConfigError as problem:
        raise ApiError(ErrorCode.INVALID_CONFIG, str(problem)) from None
    return ConfigsSet(TOPIC_RESOURCE, name, after)


def _broker(image: ClusterImage, config: BrokerConfig, wanted: Alteration) -> ConfigsSet:
    check_broker_name(wanted.name, config.node_id)
    name = str(int(wanted.name)) if wanted.name else ""
    present = image.config(BROKER_RESOURCE, name)
    try:
        after = _edited({} if wanted.replace else dict(present), wanted.edits, config.keys.broker, config.value)
    except ConfigError as problem:
        raise ApiError(ErrorCode.INVALID_CONFIG, str(problem)) from None
    changed = {edit.key for edit in wanted.edits} | (present.keys() - after.keys())
    try:
        check_broker_change(config, changed, after, all_brokers=not name)
    except ConfigError as problem:
        raise ApiError(ErrorCode.INVALID_REQUEST, str(problem)) from None
    for key in sorted(changed & after.keys()):
        refusal = dynamic_refusal(key, after[key], config.sources.waivers)
        if refusal is not None:
            raise ApiError(ErrorCode.INVALID_CONFIG, refusal)
    return ConfigsSet(BROKER_RESOURCE, name, after)


def _client_metrics(image: ClusterImage, wanted: Alteration) -> ConfigsSet:
    settings = {} if wanted.replace else dict(image.config(CLIENT_METRICS_RESOURCE, wanted.name))
    for edit in wanted.edits:
        if edit.operation in (Operation.APPEND, Operation.SUBTRACT):  # 3.9.1 does not look up which keys are lists
            why = f"Can't {Operation(edit.operation).name} to key {edit.key} because its type is not LIST."
            raise ApiError(ErrorCode.INVALID_CONFIG, why)
        if edit.operation == Operation.SET and edit.value is not None:
            settings[edit.key] = edit.value
        else:
            settings.pop(edit.key, None)
    client_metrics.check_subscription(wanted.name, settings)
    return ConfigsSet(CLIENT_METRICS_RESOURCE, wanted.name, settings)


def _edited(
    settings: dict[str, str], edits: Sequence[Edit], keys: Mapping[str, Key], inherited: Callable[[str], Value]
) -> dict[str, str]:
    """*settings* after *edits*, their values unchecked; a list starts from what was *inherited*."""
    for name, text, operation in edits:
        if operation == Operation.DELETE:
            settings.pop(name, None)
            continue
        assert text is not None  # checked with the form of the request
        if operation == Operation.SET:
            settings[name] = text
            continue
        key = keys.get(name)
        if key is None or key.kind is not ConfigType.LIST:
            raise ConfigError(f"Can't {Operation(operation).name} to key {name} because its type is not LIST.")
        entries = entries_of(settings[name] if name in settings else inherited(name))
        change = entries_of(text)
        if operation == Operation.APPEND:
            entries += [entry for entry in change if entry not in entries]
        else:
            entries = [entry for entry in entries if entry not in change]
        settings[name] = ",".join(entries)
    return settings


def entries_of(value: Value) -> list[str]:
    """The entries of a LIST, given as a value or as its text."""
    parsed = value if isinstance(value, tuple) else parse_value(ConfigType.LIST, render_value(value) or "")
    assert isinstance(parsed, tuple)
    return list(parsed)
