"""`wirebroker config print`: each setting, its value, where the value comes from, and whether it does anything here."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.cli import settings
from wirebroker.config.catalog import BROKER_KEYS, NEWEST, is_known, without_listener
from wirebroker.config.documentation import documentation
from wirebroker.config.server import STANDALONE
from wirebroker.config.values import ConfigError, ConfigType, render_value

if TYPE_CHECKING:
    import argparse

    from wirebroker.config.server import BrokerConfig
    from wirebroker.config.settings import Setting

HIDDEN = "[hidden]"
NO_EFFECT = "accepted, no effect"
UNKNOWN = "unknown, ignored"


class Row(NamedTuple):
    """One line of the table."""

    key: str
    value: str | None
    source: str
    note: str


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker config print`."""
    settings.add_arguments(parser)
    parser.add_argument("--all", action="store_true", help="also the keys that have no effect here and are not set")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="a table, or one JSON array")


def run(args: argparse.Namespace) -> int:
    """Print the settings; the result is the exit code."""
    try:
        config, warnings = settings.from_arguments(args)
    except ConfigError as problem:
        print(f"wirebroker: {problem}", file=sys.stderr)
        return 1
    for warning in warnings:
        print(f"wirebroker: {warning}", file=sys.stderr)
    found = rows(config, everything=args.all)
    if args.format == "json":
        print(json.dumps([_as_object(row) for row in found], indent=2))
    else:
        for line in table(found):
            print(line)
    return 0


def rows(config: BrokerConfig, *, everything: bool) -> list[Row]:
    """The lines of the table by key: what works here and what was set, or *everything* there is."""
    static = config.sources.static
    found = []
    keys = config.keys.broker
    is_masked = config.keys is not NEWEST
    for name in sorted({*keys, *static}):
        setting = static.get(name)
        key = keys.get(name)
        quiet = key is not None and (not key.effective or key.removed_in is not None)
        if key is not None and setting is None and key.internal and not BROKER_KEYS[name].internal and is_masked:
            continue  # not in the release that is named by wirebroker.as.version
        if setting is None and quiet and not everything:
            continue
        if key is None:
            assert setting is not None
            found.append(_foreign_row(setting))
            continue
        value = render_value(config.value(name))
        if value is not None and key.sensitive:
            value = HIDDEN
        notes = [] if key.effective else [NO_EFFECT]
        if setting is None and name in STANDALONE:
            notes.append(f"Kafka's default: {render_value(key.default)}")
        if key.removed_in is not None:
            notes.append(f"not in Kafka since {key.removed_in}")
        found.append(Row(name, value, _source(setting), "; ".join(notes)))
    return found


def table(found: list[Row]) -> list[str]:
    """*found* as aligned text; columns are wide enough for all but the longest values."""
    lines = [("KEY", "VALUE", "SOURCE", "NOTE"), *((r.key, _shown(r.value), r.source, r.note) for r in found)]
    widths = [min(max(len(line[column]) for line in lines), limit) for column, limit in enumerate((60, 40, 48))]
    return [
        "  ".join((*(cell.ljust(width) for cell, width in zip(line, widths, strict=False)), line[3])).rstrip()
        for line in lines
    ]


def _shown(value: str | None) -> str:
    return "-" if value is None else value or '""'


def _source(setting: Setting | None) -> str:
    return "default" if setting is None else f"{setting.origin.name.lower()} {setting.place}"


def _foreign_row(setting: Setting) -> Row:
    """A key for one listener or a plugin, or one that nobody knows and whose value may be a secret."""
    name = setting.name
    if not is_known(name):
        return Row(name, HIDDEN, _source(setting), UNKNOWN)
    behind = BROKER_KEYS.get(without_listener(name) or "")
    shown = behind is not None and not behind.sensitive
    return Row(name, setting.text.strip() if shown else HIDDEN, _source(setting), NO_EFFECT)


def _as_object(row: Row) -> dict[str, object]:
    key = BROKER_KEYS.get(row.key)
    kind = ConfigType.UNKNOWN if key is None else key.kind
    return {
        "key": row.key,
        "value": row.value,
        "source": row.source,
        "origin": row.source.partition(" ")[0],
        "note": row.note,
        "type": kind.name.lower(),
        "effective": key is not None and key.effective,
        "dynamic": None if key is None else key.scope.name.lower().replace("_", "-"),
        "documentation": documentation(row.key),
    }
