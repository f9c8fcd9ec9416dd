"""The options that name entities with settings, as in kafka-configs.sh: --entity-type and --entity-name, or --topic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    import argparse

TOPICS, CLIENTS, USERS, BROKERS, BROKER_LOGGERS = "topics", "clients", "users", "brokers", "broker-loggers"
IPS, CLIENT_METRICS, GROUPS = "ips", "client-metrics", "groups"
ENTITY_TYPES: Final = (TOPICS, CLIENTS, USERS, BROKERS, IPS, BROKER_LOGGERS, CLIENT_METRICS, GROUPS)
QUOTA_TYPES: Final = frozenset({USERS, CLIENTS, IPS})
DEFAULT: Final = ""
"""The name of the defaults of all users, clients, brokers or addresses."""
_FLAGS: Final = (
    ("topic", TOPICS, "NAME"),
    ("client", CLIENTS, "ID"),
    ("user", USERS, "NAME"),
    ("broker", BROKERS, "ID"),
    ("broker-logger", BROKER_LOGGERS, "ID"),
    ("ip", IPS, "ADDRESS"),
    ("client-metrics", CLIENT_METRICS, "NAME"),
    ("group", GROUPS, "ID"),
)
_DEFAULT_FLAGS: Final = (
    ("client-defaults", CLIENTS),
    ("user-defaults", USERS),
    ("broker-defaults", BROKERS),
    ("ip-defaults", IPS),
)


class Entities(NamedTuple):
    """The entities that the options name; fewer names than types mean all entities of the last type."""

    types: list[str]
    names: list[str]
    by_type: bool
    """Whether --entity-type, --entity-name or --entity-default is among the options."""
    by_flag: bool

    @property
    def type(self) -> str:
        """The first type."""
        return self.types[0]

    @property
    def name(self) -> str | None:
        """The first name, DEFAULT for the defaults, None if there is no name."""
        return self.names[0] if self.names else None

    def problem(self) -> str | None:
        """Return what is wrong with the combination of types and names, in Kafka's words; None if nothing is."""
        repeated = list(dict.fromkeys(each for each in self.types if self.types.count(each) > 1))
        if repeated:
            return f"Duplicate entity type(s) specified: {','.join(repeated)}"
        for each in self.types:
            if each not in ENTITY_TYPES:
                return (
                    f"Invalid entity type {each}, the entity type must be one of {', '.join(ENTITY_TYPES)} "
                    "with a --bootstrap-server or --bootstrap-controller argument"
                )
        if not self.types:
            return "At least one entity type must be specified"
        if len(self.types) > 1 and set(self.types) != {USERS, CLIENTS}:
            return f"Only '{USERS}' and '{CLIENTS}' entity types may be specified together"
        if self.by_type and self.by_flag:
            return "--entity-{type,name,default} should not be used in conjunction with specific entity flags"
        if len(self.names) > len(self.types):
            return "More entity names specified than entity types"
        if self.type in (BROKERS, BROKER_LOGGERS) and self.name and not self.name.isdecimal():
            return f"The entity name for {self.type} must be a valid integer broker id, but it is: {self.name}"
        return None

    def problem_of_describe(self) -> str | None:
        """Return what `describe` cannot show of these entities, in Kafka's words."""
        types = ",".join(self.types)
        if self.by_type and DEFAULT in self.names and not {*QUOTA_TYPES, BROKERS} & set(self.types):
            return f"--entity-default must not be specified with --describe of {types}"
        if BROKER_LOGGERS in self.types and not any(self.names):
            return f"An entity name must be specified with --describe of {types}"
        return None

    def problem_of_alter(self) -> str | None:
        """Return what `alter` needs to know of these entities, in Kafka's words."""
        if {*QUOTA_TYPES, BROKERS} & set(self.types):
            if not self.names:
                return (
                    "An entity-name or default entity must be specified with --alter of users, clients, brokers or ips"
                )
        elif not any(self.names):
            return f"An entity name must be specified with --alter of {','.join(self.types)}"
        if len(self.types) != len(self.names):
            return "An entity name must be specified for every entity type"
        return None


def add_entities(parser: argparse.ArgumentParser) -> None:
    """Add the options that name entities."""
    parser.add_argument(
        "--entity-type",
        action="append",
        default=[],
        metavar="TYPE",
        help=f"{', '.join(ENTITY_TYPES)}; users and clients may be given together",
    )
    parser.add_argument(
        "--entity-name",
        action="append",
        dest="entity_names",
        default=[],
        metavar="NAME",
        help="the entity (default: all of its type)",
    )
    parser.add_argument(
        "--entity-default",
        action="append_const",
        const=DEFAULT,
        dest="entity_names",
        help="the defaults of all users, clients, brokers or addresses",
    )
    for flag, entity_type, metavar in _FLAGS:
        parser.add_argument(f"--{flag}", metavar=metavar, dest=_dest(flag), help=f"one of {entity_type}")
    for flag, entity_type in _DEFAULT_FLAGS:
        parser.add_argument(
            f"--{flag}", action="store_true", dest=_dest(flag), help=f"the defaults of all {entity_type}"
        )


def _dest(flag: str) -> str:
    return "entity_" + flag.replace("-", "_")


def entities_of(args: argparse.Namespace) -> Entities:
    """Return the entities that the options name, in Kafka's order: first those by type, then flags, then defaults."""
    flags = [(kind, name) for flag, kind, _ in _FLAGS if (name := getattr(args, _dest(flag))) is not None]
    flags += [(kind, DEFAULT) for flag, kind in _DEFAULT_FLAGS if getattr(args, _dest(flag))]
    return Entities(
        [*args.entity_type, *(kind for kind, _ in flags)],
        [*args.entity_names, *(name for _, name in flags)],
        bool(args.entity_type or args.entity_names),
        bool(flags),
    )
