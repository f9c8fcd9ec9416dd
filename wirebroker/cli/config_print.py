"""`wirebroker config print`: each setting, its value, where the value comes from, and whether it does anything here.

Exit code 0, 1 for an invalid value, 2 for wrong usage.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wirebroker.cli import broker_options
from wirebroker.cli.output import Column, add_format, print_json, print_records
from wirebroker.cli.standard_streams import print_error
from wirebroker.config.documentation import documentation
from wirebroker.config.environment import unknown_variables
from wirebroker.config.load import effective_settings
from wirebroker.config.registry import BROKER_KEYS, NEWEST, find_key
from wirebroker.config.server import BrokerConfig
from wirebroker.config.unsupported import HIDDEN, displayed_value, findings
from wirebroker.config.values import ConfigError, ConfigType, render_value

if TYPE_CHECKING:
    import argparse

    from wirebroker.config.keys import Key
    from wirebroker.config.settings import Setting


COLUMNS = (
    Column("KEY", "key"),
    Column("VALUE", "value", max_width=80),
    Column("SOURCE", "source"),
    Column("NOTE", "note"),
)


class Row(NamedTuple):
    """One line of the table."""

    key: str
    value: str | None
    source: str
    note: str


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker config print`."""
    broker_options.add_arguments(parser)
    parser.add_argument("--all", action="store_true", help="also the keys that have no effect here and are not set")
    add_format(parser)


def run(args: argparse.Namespace) -> int:
    """Print the settings, also those that `start` would refuse; return the exit code."""
    try:
        config = BrokerConfig(effective_settings(broker_options.gathered(args)), waivers=broker_options.waivers(args))
    except ConfigError as problem:
        print_error(str(problem))
        return 1
    for each in unknown_variables(broker_options.environment()):
        print_error(f"{each.variable} is not a setting; did you mean {each.suggestion}?")
    found = rows(config, everything=args.all)
    if args.format == "json":
        print_json([_as_object(row) for row in found])
    else:
        print_records(COLUMNS, [row._replace(value=_shown(row.value)) for row in found], args.format)
    return 0


def rows(config: BrokerConfig, *, everything: bool) -> list[Row]:
    """The lines of the table by key: keys with an effect and keys that are set, or *everything* that is declared."""
    static = config.sources.static
    notes: dict[str, list[str]] = {}
    for finding in findings(config):
        notes.setdefault(finding.name, []).append(finding.note)
    found = []
    keys = config.keys.broker
    emulates_release = config.keys is not NEWEST
    for name in sorted({*keys, *static}):
        setting = static.get(name)
        key = keys.get(name)
        noted = notes.get(name, [])
        if key is None:
            assert setting is not None
            found.append(Row(name, displayed_value(setting), _source(setting), "; ".join(noted)))
            continue
        if setting is None:
            if key.internal and not BROKER_KEYS[name].internal and emulates_release:
                continue  # not in the release that is named by wirebroker.as.version
            if not everything and (key.effect.since is None or key.removed_in is not None):
                continue
            noted += [effect_note(key)] if effect_note(key) else []
            noted += [f"Kafka's default: {_shown(render_value(key.default))}"] if key.standalone is not None else []
        if key.removed_in is not None:
            noted.append(f"not in Kafka since {key.removed_in}")
        value = render_value(config.value(name))
        if value is not None and key.sensitive:
            value = HIDDEN
        found.append(Row(name, value, _source(setting), "; ".join(noted)))
    return found


def effect_note(key: Key) -> str:
    """The note on a key that is not set; empty for a key with its whole effect."""
    effect = key.effect
    if effect.since is None:
        return "no effect" if effect.refusal is None else f"not supported: {effect.refusal.consequence}"
    limits = [f"partial effect: {effect.limits}"] if effect.limits else []
    return "; ".join([*limits, "with zookeeper.connect only"] if effect.in_cluster else limits)


def _shown(value: str | None) -> str:
    return "-" if value is None else value or '""'


def _source(setting: Setting | None) -> str:
    return "default" if setting is None else f"{setting.origin.name.lower()} {setting.place}"


def _as_object(row: Row) -> dict[str, object]:
    """*row* as an object of JSON, with what the registry declares about its key."""
    key = find_key(row.key)
    kind = ConfigType.UNKNOWN if key is None else key.kind
    return {
        "key": row.key,
        "value": row.value,
        "source": row.source,
        "origin": row.source.partition(" ")[0],
        "note": row.note,
        "type": kind.name.lower(),
        "effect": "none" if key is None else key.effect.level,
        "effective_since": None if key is None else key.effect.since,
        "dynamic": None if key is None else key.scope.name.lower().replace("_", "-"),
        "documentation": documentation(row.key),
    }
