"""The settings of topics, brokers and clients in ZooKeeper as records of the image, and back; pure.

A topic's or broker's znode is a ConfigsRecord, that of a user, client id or address a ClientQuotaRecord.  SCRAM
credentials, which users' znodes have beside quotas, are not in the image, and stay where they are.
"""

from __future__ import annotations

from math import isinf
from typing import TYPE_CHECKING, Final

from wirebroker.metadata.image import BROKER_RESOURCE, TOPIC_RESOURCE
from wirebroker.metadata.records import ClientQuotaRecord, ConfigsRecord
from wirebroker.quota.levels import CLIENT_ID, IP, USER, entity_of
from wirebroker.quota.managers import CONNECTION_CREATION_RATE, CONSUMER_BYTE_RATE, PRODUCER_BYTE_RATE
from wirebroker.zookeeper.znodes import configs
from wirebroker.zookeeper.znodes.configs import DEFAULT_ENTITY, ConfigEntity

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wirebroker.quota.levels import QuotaEntity

_QUOTA_TYPES: Final = {configs.USERS: USER, configs.CLIENTS: CLIENT_ID, configs.IPS: IP}
_WHOLE_NUMBERS: Final = frozenset({PRODUCER_BYTE_RATE, CONSUMER_BYTE_RATE, CONNECTION_CREATION_RATE})
_EPSILON: Final = 1e-6
"""By how much a request may be off a whole number."""
_ZNODE_TYPES: Final = {kind: entity_type for entity_type, kind in _QUOTA_TYPES.items()}


def record_of(entity: ConfigEntity, settings: Mapping[str, str]) -> ConfigsRecord | ClientQuotaRecord:
    """Return the record that gives *entity* its *settings*."""
    if entity.entity_type == configs.TOPICS:
        return ConfigsRecord(TOPIC_RESOURCE, entity.name, settings)
    if entity.entity_type == configs.BROKERS:
        return ConfigsRecord(BROKER_RESOURCE, "" if entity.name == DEFAULT_ENTITY else entity.name, settings)
    named = {_QUOTA_TYPES[entity.entity_type]: _name(entity.name)}
    if entity.client is not None:
        named[CLIENT_ID] = _name(entity.client)
    return ClientQuotaRecord(entity_of(named), _limits(settings))


def config_entity(resource_type: int, name: str) -> ConfigEntity:
    """Return the bearer of the settings of a topic, or of a broker (empty: all brokers)."""
    if resource_type == TOPIC_RESOURCE:
        return ConfigEntity(configs.TOPICS, name)
    assert resource_type == BROKER_RESOURCE
    return ConfigEntity(configs.BROKERS, name or DEFAULT_ENTITY)


def entity_of_record(record: ConfigsRecord | ClientQuotaRecord) -> ConfigEntity:
    """Return the bearer of the settings of *record*."""
    if isinstance(record, ClientQuotaRecord):
        return quota_entity(record.entity)
    return config_entity(record.resource_type, record.name)


def with_record(settings: Mapping[str, str], record: ConfigsRecord | ClientQuotaRecord) -> dict[str, str]:
    """Return the *settings* of a znode after *record*; quotas leave the credentials of their user alone."""
    if isinstance(record, ClientQuotaRecord):
        return with_quotas(settings, record.quotas)
    return dict(record.configs or {})


def quota_entity(entity: QuotaEntity) -> ConfigEntity:
    """Return the bearer of client quotas."""
    named = dict(entity)
    if USER in named:
        client = _znode_name(named[CLIENT_ID]) if CLIENT_ID in named else None
        return ConfigEntity(configs.USERS, _znode_name(named[USER]), client)
    ((kind, name),) = named.items()
    return ConfigEntity(_ZNODE_TYPES[kind], _znode_name(name))


def with_quotas(settings: Mapping[str, str], quotas: Mapping[str, float] | None) -> dict[str, str]:
    """Return the *settings* of a znode with *quotas* in place of those that it had; other settings stay."""
    others = {name: value for name, value in settings.items() if name not in _limits(settings)}
    return others | {name: _text(name, limit) for name, limit in (quotas or {}).items()}


def _limits(settings: Mapping[str, str]) -> dict[str, float]:
    limits: dict[str, float] = {}
    for name, text in settings.items():
        try:
            limits[name] = float(text)
        except ValueError:
            continue  # a credential
    return limits


def _text(name: str, limit: float) -> str:
    """Return *limit* as Apache Kafka writes and reads it: 1024 for a whole number, 12.5 or 12.0 for a percentage.

    A broker of Apache Kafka cannot read the quotas of a client when it finds 1024.0 for a whole number.
    """
    if name in _WHOLE_NUMBERS:
        return str(int(limit + _EPSILON))
    return "Infinity" if isinf(limit) else repr(float(limit))


def _name(znode_name: str) -> str | None:
    return None if znode_name == DEFAULT_ENTITY else configs.desanitize(znode_name)


def _znode_name(name: str | None) -> str:
    return DEFAULT_ENTITY if name is None else configs.sanitize(name)
