"""Configs of entities: /config/TYPE/NAME, and the sequential /config/changes/config_change_ that tell of a change.

The types are topics, clients, users, brokers and, from 2.8 on, ips; /config/users/U/clients/C is a pair.  The name of
defaults is the literal `<default>`; names of users and clients are sanitized (percent-encoded), all values are strings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import quote, unquote

from wirebroker.zookeeper.znodes.json_fields import JsonFields, encode_json

if TYPE_CHECKING:
    from collections.abc import Mapping

CONFIG_CHANGES_PATH: Final = "/config/changes"
CONFIG_CHANGE_PREFIX: Final = f"{CONFIG_CHANGES_PATH}/config_change_"
TOPICS: Final = "topics"
CLIENTS: Final = "clients"
USERS: Final = "users"
BROKERS: Final = "brokers"
IPS: Final = "ips"
ENTITY_TYPES: Final = (TOPICS, CLIENTS, USERS, BROKERS, IPS)
DEFAULT_ENTITY: Final = "<default>"


class ConfigEntity(NamedTuple):
    """The bearer of settings: a topic, a broker, an ip, a user, a client id, or a pair of user and client id.

    Names are those of the znodes: sanitized, and `<default>` for defaults.
    """

    entity_type: str
    """The type of the first name, one of ENTITY_TYPES."""
    name: str
    client: str | None = None
    """The client id of a pair, whose type is users; else None."""

    @property
    def entity_path(self) -> str:
        """The path below /config, as notifications write it."""
        pair = "" if self.client is None else f"/{CLIENTS}/{self.client}"
        return f"{self.entity_type}/{self.name}{pair}"

    @property
    def path(self) -> str:
        """The path of the znode with the settings."""
        return f"/config/{self.entity_path}"


def entity_type_path(entity_type: str) -> str:
    """Return the path of the parent of all entities of a type."""
    return f"/config/{entity_type}"


def sanitize(name: str) -> str:
    """Return a user or client id as the name of a znode; Kafka's Sanitizer, which leaves letters, digits and `.-_`."""
    return quote(name, safe="").replace("~", "%7E")


def desanitize(name: str) -> str:
    """Return the user or client id whose znode has *name*."""
    return unquote(name)


def encode_config(settings: Mapping[str, str]) -> bytes:
    """Return the JSON of an entity's settings, in the order of their names."""
    return encode_json({"version": 1, "config": dict(sorted(settings.items()))})


def decode_config(path: str, data: bytes | None) -> dict[str, str]:
    """Return an entity's settings; none for a znode without data or without them, as in Kafka.  Raises CorruptZnode."""
    if not data:
        return {}
    config = JsonFields.parse(path, data).object("config")
    return {name: config.text(name) for name in config.names()}


def encode_config_change(entity: ConfigEntity) -> bytes:
    """Return the JSON of a notification, of version 2."""
    return encode_json({"version": 2, "entity_path": entity.entity_path})


def decode_config_change(path: str, data: bytes | None) -> ConfigEntity:
    """Return the entity of a notification of version 1 or 2.  Raises CorruptZnode."""
    fields = JsonFields.parse(path, data)
    version = fields.integer("version")
    if version == 1:
        return _entity(fields, [fields.text("entity_type"), fields.text("entity_name")])
    if version == 2:
        return _entity(fields, fields.text("entity_path").split("/"))
    raise fields.error(f"version {version} is not supported")


def _entity(fields: JsonFields, parts: list[str]) -> ConfigEntity:
    match parts:
        case [entity_type, name] if entity_type in ENTITY_TYPES and name:
            return ConfigEntity(entity_type, name)
        case ["users", name, "clients", client] if name and client:
            return ConfigEntity(USERS, name, client)
    raise fields.error(f"{'/'.join(parts)!r} is not the path of an entity")
