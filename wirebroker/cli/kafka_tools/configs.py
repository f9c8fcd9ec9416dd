"""kafka-configs.sh: settings, quotas and SCRAM credentials."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from wirebroker.cli.configs.changes import add_changes, changes_of
from wirebroker.cli.configs.entities import CLIENTS, DEFAULT, QUOTA_TYPES, USERS, add_entities, entities_of
from wirebroker.cli.configs.entity_requests import alter_entity, quota_filters, resources_of
from wirebroker.cli.configs.resources import own_configs
from wirebroker.cli.configs.scram import describe_credentials
from wirebroker.cli.kafka_tools.tool import ToolError, ToolParser, connect, is_given, java_double, message_of
from wirebroker.cli.quotas.requests import CLIENT_ID, IP, USER, describe_quotas
from wirebroker.client.connection import ClientError

if TYPE_CHECKING:
    import argparse

    from wirebroker.cli.configs.entities import Entities
    from wirebroker.cli.quotas.requests import QuotaEntity
    from wirebroker.client.admin import Admin

_ABOUT: Final = (
    "This tool helps to manipulate and describe entity config for a topic, client, user, broker, ip or client-metrics"
)
_PARTS: Final = ((USER, "user-principal"), (CLIENT_ID, "client-id"), (IP, "ip"))


def main(argv: list[str]) -> int:
    """Run the script and return its exit code."""
    parser = ToolParser("kafka-configs", _ABOUT)
    for each in ("alter", "describe", "all", "force"):
        parser.add_argument(f"--{each}", action="store_true")
    add_entities(parser)
    add_changes(parser)
    args = parser.read(argv)
    if args.alter == args.describe:
        parser.usage_error("Command must include exactly one action: --describe, --alter")
    if args.describe:
        for option in ("add-config", "delete-config"):
            parser.refuse(args, "describe", [option])
    entities = entities_of(args)
    problem = entities.problem()
    if problem is None and not is_given(args, "bootstrap-server"):
        problem = (
            "One of the required --bootstrap-server, --boostrap-controller, or --zookeeper arguments must be specified"
        )
    if problem is None:
        problem = entities.problem_of_alter() if args.alter else entities.problem_of_describe()
    if problem is not None:
        raise ToolError(_as_worded(problem))
    try:
        changes = changes_of(args) if args.alter else None
        with connect(args) as admin:
            if changes is None:
                _describe(admin, args, entities)
            else:
                alter_entity(admin, entities, changes)
                _print_altered(entities)
    except ValueError as fault:
        raise ToolError(str(fault)) from None
    except ClientError as fault:
        print(f"Error while executing config command with args '{' '.join(argv)}'", file=sys.stderr)
        raise ToolError(message_of(fault)) from None
    return 0


def _as_worded(problem: str) -> str:
    """Return a problem as the script of 3.9 words it: it begins some of them with a small letter."""
    return f"an{problem[2:]}" if problem.startswith("An entity") else problem


def _print_altered(entities: Entities) -> None:
    if entities.name:
        print(f"Completed updating config for {entities.type[:-1]} {entities.name}.")
    else:
        print(f"Completed updating default config for {entities.type} in the cluster.")


def _describe(admin: Admin, args: argparse.Namespace, entities: Entities) -> None:
    if entities.type in QUOTA_TYPES:
        _describe_quotas(admin, entities)
        return
    for resource in resources_of(admin, entities):
        if resource.name:
            kind = "All" if args.all else "Dynamic"
            print(f"{kind} configs for {entities.type[:-1]} {resource.name} are:")
        else:
            print(f"Default configs for {entities.type} in the cluster are:")
        for each in own_configs(admin, resource, everything=args.all):
            synonyms = ", ".join(f"{source.name}:{name}={_value(value)}" for source, name, value in each.synonyms)
            sensitive = str(each.is_sensitive).lower()
            print(f"  {each.name}={_value(each.value)} sensitive={sensitive} synonyms={{{synonyms}}}")


def _value(value: str | None) -> str:
    return "null" if value is None else value


def _describe_quotas(admin: Admin, entities: Entities) -> None:
    for entity, quotas in describe_quotas(admin, quota_filters(entities), strict=True):
        values = ", ".join(f"{key}={java_double(value)}" for key, value in quotas.items())
        print(f"Quota configs for {_entity_text(entity)} are {values}")
    if entities.type == USERS and CLIENTS not in entities.types and DEFAULT not in entities.names:
        for user, mechanisms in describe_credentials(admin, entities.names):
            values = ", ".join(f"{name}=iterations={iterations}" for name, iterations in mechanisms.items())
            print(f"SCRAM credential configs for user-principal '{user}' are {values}")


def _entity_text(entity: QuotaEntity) -> str:
    names = dict(entity.parts)
    return ", ".join(
        f"the default {text}" if names[kind] is None else f"{text} '{names[kind]}'"
        for kind, text in _PARTS
        if kind in names
    )
