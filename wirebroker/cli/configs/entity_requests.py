"""The requests for the entities of the command line: about settings, quotas or SCRAM credentials."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.cli.configs.entities import (
    BROKER_LOGGERS,
    BROKERS,
    CLIENT_METRICS,
    CLIENTS,
    DEFAULT,
    GROUPS,
    IPS,
    TOPICS,
    USERS,
)
from wirebroker.cli.configs.resources import Resource, ResourceType, alter_configs, names_of, own_configs
from wirebroker.cli.configs.scram import MECHANISMS, alter_credentials, parse_credential
from wirebroker.cli.groups.requests import list_groups
from wirebroker.cli.quotas.requests import (
    CLIENT_ID,
    IP,
    IP_QUOTAS,
    USER,
    USER_QUOTAS,
    QuotaEntity,
    QuotaFilter,
    alter_quotas,
    describe_quotas,
)
from wirebroker.cli.topics.requests import topic_names

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wirebroker.cli.configs.changes import ConfigChanges
    from wirebroker.cli.configs.entities import Entities
    from wirebroker.client.admin import Admin

RESOURCE_TYPES: Final = {
    TOPICS: ResourceType.TOPIC,
    BROKERS: ResourceType.BROKER,
    BROKER_LOGGERS: ResourceType.BROKER_LOGGER,
    CLIENT_METRICS: ResourceType.CLIENT_METRICS,
    GROUPS: ResourceType.GROUP,
}
QUOTA_ENTITIES: Final = {USERS: USER, CLIENTS: CLIENT_ID, IPS: IP}


def resources_of(admin: Admin, entities: Entities) -> list[Resource]:
    """Return the resource of that name, or all resources of the type; for brokers the defaults come last.

    Brokers that cannot be reached are left out if *admin* skips them.
    """
    kind = RESOURCE_TYPES[entities.type]
    if entities.name is not None:
        return [Resource(kind, entities.name)]
    if kind is ResourceType.TOPIC:
        names = topic_names(admin)
    elif kind is ResourceType.CLIENT_METRICS:
        names = names_of(admin, kind)
    elif kind is ResourceType.GROUP:
        names = [group.group_id for group in list_groups(admin)]
    else:
        names = [*map(str, admin.brokers()), DEFAULT]
    return [Resource(kind, name) for name in names]


def quota_filters(entities: Entities) -> list[QuotaFilter]:
    """Return the filter for the quotas of *entities*; a type without a name stands for all names."""
    names = [*entities.names, *[None] * (len(entities.types) - len(entities.names))]
    return [QuotaFilter(QUOTA_ENTITIES[kind], name) for kind, name in zip(entities.types, names, strict=True)]


def alter_entity(admin: Admin, entities: Entities, changes: ConfigChanges) -> None:
    """Change settings, quotas or credentials of the one entity that *entities* names.

    Raises:
        ValueError: a name or value is not one of this type of entity, in Kafka's words.
        ClientError: the broker refuses.
    """
    if entities.type in (USERS, CLIENTS):
        _alter_user(admin, entities, changes)
    elif entities.type == IPS:
        unknown = [each for each in (*changes.added, *changes.deleted) if each not in IP_QUOTAS]
        if unknown:
            raise ValueError(
                f"Only connection quota configs can be added for '{IPS}' using --bootstrap-server. "
                f"Unexpected config names: {','.join(unknown)}"
            )
        _alter_quotas(admin, entities, changes)
    else:
        resource = Resource(RESOURCE_TYPES[entities.type], entities.name or "")
        known = {each.name for each in own_configs(admin, resource)}
        if resource.type is ResourceType.BROKER_LOGGER:
            _refuse_unknown("Invalid broker logger(s)", [*changes.deleted, *changes.added], known)
        else:
            _refuse_unknown("Invalid config(s)", changes.deleted, known)
        alter_configs(admin, resource, changes.added, changes.deleted)


def _refuse_unknown(about: str, names: Iterable[str], known: Iterable[str]) -> None:
    unknown = [each for each in names if each not in set(known)]
    if unknown:
        raise ValueError(f"{about}: {','.join(unknown)}")


def _alter_user(admin: Admin, entities: Entities, changes: ConfigChanges) -> None:
    with_client = CLIENTS in entities.types
    known = USER_QUOTAS if with_client else USER_QUOTAS | MECHANISMS.keys()
    what = "quota" if with_client else "quota and SCRAM credential"
    of = CLIENTS if with_client else USERS
    for verb, names in (("added", list(changes.added)), ("deleted", changes.deleted)):
        unknown = [each for each in names if each not in known]
        if unknown:
            raise ValueError(
                f"Only {what} configs can be {verb} for '{of}' using --bootstrap-server. "
                f"Unexpected config names: {','.join(unknown)}"
            )
    upserted = [parse_credential(name, value) for name, value in changes.added.items() if name in MECHANISMS]
    deleted = [name for name in changes.deleted if name in MECHANISMS]
    if not (upserted or deleted):
        _alter_quotas(admin, entities, changes)
        return
    if DEFAULT in entities.names:
        raise ValueError(
            "The use of --entity-default or --user-defaults is not allowed with User SCRAM Credentials "
            "using --bootstrap-server."
        )
    if len(upserted) + len(deleted) < len(changes.added) + len(changes.deleted):
        raise ValueError(
            f"Cannot alter both quota and SCRAM credential configs simultaneously for '{USERS}' "
            "using --bootstrap-server."
        )
    alter_credentials(admin, entities.names[0], upserted, deleted)


def _alter_quotas(admin: Admin, entities: Entities, changes: ConfigChanges) -> None:
    existing = describe_quotas(admin, quota_filters(entities), strict=True)
    _refuse_unknown("Invalid config(s)", changes.deleted, existing[0][1] if existing else {})
    added: dict[str, float] = {}
    for name, value in changes.added.items():
        try:
            added[name] = float(value)
        except ValueError:
            raise ValueError(f"Cannot parse quota configuration value for {name}: {value}") from None
    parts = ((QUOTA_ENTITIES[kind], name or None) for kind, name in zip(entities.types, entities.names, strict=True))
    alter_quotas(admin, QuotaEntity(tuple(parts)), added, changes.deleted)
