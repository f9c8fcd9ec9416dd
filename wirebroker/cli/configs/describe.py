"""`wirebroker configs describe`: settings of topics, brokers, loggers, client metrics, groups, users and addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from wirebroker.cli.command_table import UsageError
from wirebroker.cli.configs.entities import CLIENTS, DEFAULT, QUOTA_TYPES, USERS, add_entities, entities_of
from wirebroker.cli.configs.entity_requests import QUOTA_ENTITIES, quota_filters, resources_of
from wirebroker.cli.configs.resources import own_configs
from wirebroker.cli.configs.scram import describe_credentials
from wirebroker.cli.connection import add_connection, run_with
from wirebroker.cli.output import Column, print_records
from wirebroker.cli.quotas.requests import describe_quotas

if TYPE_CHECKING:
    import argparse

    from wirebroker.cli.configs.entities import Entities
    from wirebroker.client.admin import Admin

_COLUMNS: Final = (
    Column("TYPE", "entity_type"),
    Column("NAME", "entity_name"),
    Column("CONFIG", "config"),
    Column("VALUE", "value"),
    Column("SOURCE", "source"),
    Column("SYNONYMS", "synonyms"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker configs describe`."""
    add_connection(parser)
    add_entities(parser)
    parser.add_argument(
        "--all", action="store_true", help="every setting, not only those that are set for the entity itself"
    )


def run(args: argparse.Namespace) -> int:
    """Describe settings; return the exit code."""
    entities = entities_of(args)
    problem = entities.problem() or entities.problem_of_describe()
    if problem:
        raise UsageError(problem)
    return run_with(args, _describe)


def _describe(admin: Admin, args: argparse.Namespace) -> int:
    entities = entities_of(args)
    if entities.type in QUOTA_TYPES:
        rows = _quotas(admin, entities)
    else:
        rows = [
            (
                entities.type,
                resource.name or "<default>",
                each.name,
                each.value,
                each.source.name,
                [f"{source.name}:{name}={value}" for source, name, value in each.synonyms],
            )
            for resource in resources_of(admin, entities)
            for each in own_configs(admin, resource, everything=args.all)
        ]
    print_records(_COLUMNS, rows, args.format)
    return 0


def _quotas(admin: Admin, entities: Entities) -> list[tuple[Any, ...]]:
    rows: list[tuple[Any, ...]] = []
    for entity, quotas in describe_quotas(admin, quota_filters(entities), strict=True):
        name = ",".join(entity.named(QUOTA_ENTITIES[kind]) or "" for kind in entities.types)
        rows += [(",".join(entities.types), name, key, value, "QUOTA", []) for key, value in sorted(quotas.items())]
    if entities.type == USERS and CLIENTS not in entities.types and DEFAULT not in entities.names:
        for user, mechanisms in describe_credentials(admin, entities.names):
            rows += [
                (USERS, user, name, f"iterations={iterations}", "SCRAM", []) for name, iterations in mechanisms.items()
            ]
    return rows
