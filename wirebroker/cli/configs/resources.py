"""Requests about the settings of a config resource: DescribeConfigs and IncrementalAlterConfigs."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.client.admin import response_error
from wirebroker.client.connection import ClientError, UnsupportedApi
from wirebroker.protocol.messages import alter_configs as whole
from wirebroker.protocol.messages.alter_configs import AlterConfigsRequest
from wirebroker.protocol.messages.describe_configs import DescribeConfigsRequest, DescribeConfigsResource
from wirebroker.protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from wirebroker.protocol.messages.list_config_resources import ListConfigResourcesRequest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from wirebroker.client.admin import Admin
    from wirebroker.client.connection import Connection
    from wirebroker.protocol.messages.describe_configs import DescribeConfigsResourceResult, DescribeConfigsResult

_SET, _DELETE = 0, 1


class ResourceType(IntEnum):
    """The kind of a config resource, as numbered on the wire."""

    TOPIC = 2
    BROKER = 4
    BROKER_LOGGER = 8
    CLIENT_METRICS = 16
    GROUP = 32


class ConfigSource(IntEnum):
    """The level that gives a value, as numbered on the wire and named by Apache Kafka's tools."""

    UNKNOWN = 0
    DYNAMIC_TOPIC_CONFIG = 1
    DYNAMIC_BROKER_CONFIG = 2
    DYNAMIC_DEFAULT_BROKER_CONFIG = 3
    STATIC_BROKER_CONFIG = 4
    DEFAULT_CONFIG = 5
    DYNAMIC_BROKER_LOGGER_CONFIG = 6
    DYNAMIC_CLIENT_METRICS_CONFIG = 7
    DYNAMIC_GROUP_CONFIG = 8


DYNAMIC_SOURCE: Final = {
    ResourceType.TOPIC: ConfigSource.DYNAMIC_TOPIC_CONFIG,
    ResourceType.BROKER: ConfigSource.DYNAMIC_BROKER_CONFIG,
    ResourceType.CLIENT_METRICS: ConfigSource.DYNAMIC_CLIENT_METRICS_CONFIG,
    ResourceType.GROUP: ConfigSource.DYNAMIC_GROUP_CONFIG,
}
"""Where a setting of a resource itself comes from; the levels of loggers have no other source."""


class Resource(NamedTuple):
    """A config resource; the name of all brokers' defaults is empty."""

    type: ResourceType
    name: str

    def __str__(self) -> str:
        kind = self.type.name.lower().replace("_", "-")
        return f"{kind} {self.name}" if self.name else f"defaults of {kind}s"


class ConfigEntry(NamedTuple):
    """One setting of a resource; the value is None if it is a secret or there is none."""

    name: str
    value: str | None
    source: ConfigSource
    is_sensitive: bool
    is_read_only: bool
    synonyms: tuple[tuple[ConfigSource, str, str | None], ...]


def describe_configs(admin: Admin, resources: Iterable[Resource]) -> dict[Resource, list[ConfigEntry]]:
    """Return the settings of each of *resources*, in the order in which the broker sends them.

    Raises:
        ResponseError: the broker refuses one.
    """
    found: dict[Resource, list[ConfigEntry]] = {}
    for broker, group in _by_broker(admin, resources).items():
        request = DescribeConfigsRequest(
            resources=[DescribeConfigsResource(int(each.type), each.name, None) for each in group],
            include_synonyms=broker.version(DescribeConfigsRequest) > 0,
        )
        for result in broker.send(request).results:
            resource = Resource(ResourceType(result.resource_type), result.resource_name)
            if result.error_code:
                raise response_error(str(resource), result.error_code, result.error_message)
            found[resource] = [_entry(result, each) for each in result.configs]
    return found


def _entry(result: DescribeConfigsResult, each: DescribeConfigsResourceResult) -> ConfigEntry:
    source = _source(each.config_source)
    if each.config_source < 0:  # version 0 says only whether the value is the default
        dynamic = DYNAMIC_SOURCE.get(ResourceType(result.resource_type), ConfigSource.UNKNOWN)
        if dynamic is ConfigSource.DYNAMIC_BROKER_CONFIG:
            dynamic = ConfigSource.STATIC_BROKER_CONFIG
        source = ConfigSource.DEFAULT_CONFIG if each.is_default else dynamic
    synonyms = tuple((_source(synonym.source), synonym.name, synonym.value) for synonym in each.synonyms)
    return ConfigEntry(each.name, each.value, source, each.is_sensitive, each.read_only, synonyms)


def _source(number: int) -> ConfigSource:
    try:
        return ConfigSource(number)
    except ValueError:
        return ConfigSource.UNKNOWN


def own_configs(admin: Admin, resource: Resource, *, everything: bool = False) -> list[ConfigEntry]:
    """Return the settings that are set for *resource* itself, or with *everything* all that it has, sorted by name.

    Raises:
        ResponseError: the broker refuses.
    """
    source = DYNAMIC_SOURCE.get(resource.type)
    if resource.type is ResourceType.BROKER and not resource.name:
        source = ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG
    entries = describe_configs(admin, [resource])[resource]
    return sorted(each for each in entries if everything or source is None or each.source is source)


def names_of(admin: Admin, resource_type: ResourceType) -> list[str]:
    """Return the names of the resources of a type that brokers list by type.

    Raises:
        ResponseError: the broker refuses.
        UnsupportedApi: the broker has no resources of this type.
    """
    by_type = admin.first.version(ListConfigResourcesRequest) > 0  # version 0 lists client metrics only
    request = ListConfigResourcesRequest(resource_types=[int(resource_type)] if by_type else [])
    response = admin.first.send(request)
    if response.error_code:
        raise response_error(f"{resource_type.name.lower()}s", response.error_code)
    return sorted(each.resource_name for each in response.config_resources if each.resource_type == resource_type)


def alter_configs(admin: Admin, resource: Resource, added: Mapping[str, str], deleted: Sequence[str]) -> None:
    """Set the settings *added* of *resource*, and delete its settings *deleted*.

    Brokers before 2.3 replace all settings at once (AlterConfigs), so those that stay are sent again.

    Raises:
        ResponseError: the broker refuses.
    """
    try:
        _alter_some(admin, resource, added, deleted)
    except UnsupportedApi:
        _alter_all(admin, resource, added, deleted)


def _alter_all(admin: Admin, resource: Resource, added: Mapping[str, str], deleted: Sequence[str]) -> None:
    settings = {each.name: each.value for each in own_configs(admin, resource)} | dict(added)
    secrets = [name for name, value in settings.items() if value is None and name not in deleted]
    if secrets:
        raise ClientError(f"{resource}: the broker replaces all settings at once; name {','.join(secrets)}, too")
    configs = [whole.AlterableConfig(name, value) for name, value in settings.items() if name not in deleted]
    request = AlterConfigsRequest(resources=[whole.AlterConfigsResource(int(resource.type), resource.name, configs)])
    (broker,) = _by_broker(admin, [resource])
    for result in broker.send(request).responses:
        if result.error_code:
            raise response_error(str(resource), result.error_code, result.error_message)


def _alter_some(admin: Admin, resource: Resource, added: Mapping[str, str], deleted: Sequence[str]) -> None:
    changes = [AlterableConfig(name, _SET, value) for name, value in added.items()]
    changes += [AlterableConfig(name, _DELETE, None) for name in deleted]
    request = IncrementalAlterConfigsRequest(
        resources=[AlterConfigsResource(int(resource.type), resource.name, changes)]
    )

    def send() -> None:
        (broker,) = _by_broker(admin, [resource])
        for result in broker.send(request).responses:
            if result.error_code:
                raise response_error(str(resource), result.error_code, result.error_message)

    admin.retry(send)


def _by_broker(admin: Admin, resources: Iterable[Resource]) -> dict[Connection, list[Resource]]:
    """Return connection -> the resources to send there: those of one broker go to this broker, all others anywhere."""
    groups: dict[Connection, list[Resource]] = {}
    for each in resources:
        broker = admin.first
        if each.type in (ResourceType.BROKER, ResourceType.BROKER_LOGGER) and each.name:
            if not each.name.isdecimal():
                raise ClientError(f"{each}: the name of a broker is its id, a number")
            broker = admin.broker(int(each.name))
        groups.setdefault(broker, []).append(each)
    return groups
