"""Plans the change of one config resource for AlterConfigs and IncrementalAlterConfigs; pure, it changes nothing.

KIPs: 133 (AlterConfigs replaces everything), 226 (brokers), 339 (incremental: set, delete, append, subtract).
Codes and their quirks are those of Apache Kafka 3.9.1: a topic's wrong value is INVALID_CONFIG, a broker's is
INVALID_REQUEST; an unknown operation is UNKNOWN_SERVER_ERROR without a message.  A key that `start` would refuse is
INVALID_CONFIG, where 3.9.1 accepts it, and INVALID_REQUEST if it is a Java class, which is not found.
"""

from __future__ import annotations

from collections import Counter
from enum import IntEnum
from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.config.dynamic_config import check_broker_change
from wirebroker.config.topic import check_settings, default_of
from wirebroker.config.unsupported import dynamic_refusal
from wirebroker.config.values import ConfigError, ConfigType, parse_value, render_value
from wirebroker.handlers import client_metrics
from wirebroker.metadata.image import BROKER_RESOURCE, CLIENT_METRICS_RESOURCE, TOPIC_RESOURCE
from wirebroker.metadata.records import ConfigsRecord
from wirebroker.metadata.topic_names import detect_invalid_topic
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from wirebroker.config.keys import Key
    from wirebroker.config.server import BrokerConfig
    from wirebroker.config.values import Value
    from wirebroker.metadata.image import ClusterImage


class OpType(IntEnum):
    """The operation on one key, as numbered on the wire (KIP-339)."""

    SET = 0
    DELETE = 1
    APPEND = 2
    SUBTRACT = 3


_OP_TYPES: Final = frozenset(OpType)


class ConfigOp(NamedTuple):
    """An operation on one key; *op_type* may be a number that is no OpType."""

    key: str
    value: str | None
    op_type: int = OpType.SET


class ConfigResourceChange(NamedTuple):
    """The requested change of one config resource; with *replace* all keys that are not in *ops* are removed."""

    resource_type: int
    """As numbered on the wire; perhaps unknown."""
    name: str
    """The name of a topic or subscription, or the id of a broker, empty for all brokers."""
    ops: Sequence[ConfigOp]
    replace: bool


def plan_change(image: ClusterImage, config: BrokerConfig, wanted: ConfigResourceChange) -> ConfigsRecord:
    """Return the record that makes the change.

    Raises:
        ApiError: the change is not valid.
    """
    plan = _PLANS.get(wanted.resource_type)
    if plan is None:
        why = f"settings of resource type {wanted.resource_type} cannot be altered"
        raise ApiError(ErrorCode.INVALID_REQUEST, why)
    check_ops(wanted)
    if any(op.op_type not in _OP_TYPES for op in wanted.ops):
        raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR)
    return plan(image, config, wanted)


def check_broker_name(name: str, node_id: int) -> None:
    """Check that *name* is the id of this broker, or empty for all brokers; ApiError if not."""
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
    """Check that topic *name* exists; ApiError if not, with the message *missing* for a valid name."""
    _check_topic_name(name)
    if name not in image.topics:
        raise ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, missing)


def check_ops(wanted: ConfigResourceChange) -> None:
    """Check that no key is there twice and no value is missing.

    Raises:
        ApiError: INVALID_REQUEST.
    """
    counts = Counter(op.key for op in wanted.ops)
    repeated = sorted(key for key, count in counts.items() if count > 1)
    if repeated:
        raise ApiError(ErrorCode.INVALID_REQUEST, f"Error due to duplicate config keys : {', '.join(repeated)}")
    nulls = [op.key for op in wanted.ops if op.value is None and op.op_type != OpType.DELETE]
    if nulls:
        raise ApiError(ErrorCode.INVALID_REQUEST, f"Null value not supported for : {', '.join(nulls)}")


def _topic(image: ClusterImage, config: BrokerConfig, wanted: ConfigResourceChange) -> ConfigsRecord:
    name = wanted.name
    before = {} if wanted.replace else dict(image.topic_config(name))

    def inherited(key: str) -> Value:
        return default_of(key, config.value)

    if config.in_cluster:
        _check_not_default(name)
    missing = ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"The topic '{name}' does not exist.")
    try:
        # as in Kafka an operation that the key does not have is refused before the topic's name
        requested = _apply_ops(before, wanted.ops, config.keys.topic, inherited)
        _check_not_default(name)
        if config.in_cluster and name not in image.topics:  # with ZooKeeper no name is invalid here
            raise missing
        _check_topic_name(name)
        after = check_settings(requested, config.topic_defaults, config.keys.topic)
    except ConfigError as problem:
        raise ApiError(ErrorCode.INVALID_CONFIG, str(problem)) from None
    if name not in image.topics:  # a KRaft controller looks at the settings first
        raise missing
    return ConfigsRecord(TOPIC_RESOURCE, name, after)


def _check_topic_name(name: str) -> None:
    illegal = detect_invalid_topic(name)
    if illegal is not None:
        raise ApiError(ErrorCode.INVALID_TOPIC_EXCEPTION, illegal)


def _check_not_default(topic: str) -> None:
    if not topic:
        raise ApiError(ErrorCode.INVALID_REQUEST, "Default topic resources are not allowed.")


def _broker(image: ClusterImage, config: BrokerConfig, wanted: ConfigResourceChange) -> ConfigsRecord:
    check_broker_name(wanted.name, config.node_id)
    name = str(int(wanted.name)) if wanted.name else ""
    present = image.config(BROKER_RESOURCE, name)
    try:
        after = _apply_ops({} if wanted.replace else dict(present), wanted.ops, config.keys.broker, config.value)
    except ConfigError as problem:
        raise ApiError(ErrorCode.INVALID_CONFIG, str(problem)) from None
    changed = {op.key for op in wanted.ops} | (present.keys() - after.keys())
    try:
        check_broker_change(config, changed, after, all_brokers=not name)
    except ConfigError as problem:
        raise ApiError(ErrorCode.INVALID_REQUEST, str(problem)) from None
    for key in sorted(changed & after.keys()):
        refusal = dynamic_refusal(key, after[key], config.sources.waivers)
        if refusal is not None:
            # a class that is not there is an invalid value for Kafka
            is_class = key in config.keys.broker and config.keys.broker[key].kind is ConfigType.CLASS
            raise ApiError(ErrorCode.INVALID_REQUEST if is_class else ErrorCode.INVALID_CONFIG, refusal)
    return ConfigsRecord(BROKER_RESOURCE, name, after)


def _client_metrics(image: ClusterImage, _: BrokerConfig, wanted: ConfigResourceChange) -> ConfigsRecord:
    settings = {} if wanted.replace else dict(image.config(CLIENT_METRICS_RESOURCE, wanted.name))
    for op in wanted.ops:
        if op.op_type in (OpType.APPEND, OpType.SUBTRACT):  # 3.9.1 does not look up which keys are lists
            why = f"Can't {OpType(op.op_type).name} to key {op.key} because its type is not LIST."
            raise ApiError(ErrorCode.INVALID_CONFIG, why)
        if op.op_type == OpType.SET and op.value is not None:
            settings[op.key] = op.value
        else:
            settings.pop(op.key, None)
    client_metrics.check_subscription(wanted.name, settings)
    return ConfigsRecord(CLIENT_METRICS_RESOURCE, wanted.name, settings)


_PLANS: Final = {TOPIC_RESOURCE: _topic, BROKER_RESOURCE: _broker, CLIENT_METRICS_RESOURCE: _client_metrics}
"""Type of a config resource -> what plans a change of one."""


def _apply_ops(
    settings: dict[str, str], ops: Sequence[ConfigOp], keys: Mapping[str, Key], inherited: Callable[[str], Value]
) -> dict[str, str]:
    """Return *settings* after *ops*, unchecked; a list that is not set starts from its *inherited* value."""
    for name, text, op_type in ops:
        if op_type == OpType.DELETE:
            settings.pop(name, None)
            continue
        assert text is not None  # checked with the form of the request
        if op_type == OpType.SET:
            settings[name] = text
            continue
        key = keys.get(name)
        if key is None or key.kind is not ConfigType.LIST:
            raise ConfigError(f"Can't {OpType(op_type).name} to key {name} because its type is not LIST.")
        entries = entries_of(settings[name] if name in settings else inherited(name))
        change = entries_of(text)
        if op_type == OpType.APPEND:
            entries += [entry for entry in change if entry not in entries]
        else:
            entries = [entry for entry in entries if entry not in change]
        settings[name] = ",".join(entries)
    return settings


def entries_of(value: Value) -> list[str]:
    """Return the entries of a LIST, given as a value or as its text."""
    parsed = value if isinstance(value, tuple) else parse_value(ConfigType.LIST, render_value(value) or "")
    assert isinstance(parsed, tuple)
    return list(parsed)
