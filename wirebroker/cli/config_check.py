"""`wirebroker config check`: the settings of a configuration that have no effect, are unknown or refuse the start.

Exit code 0: all are known and a broker would start (some may have no effect); 1: one is refused, invalid or unknown;
2: wrong usage.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.cli import broker_options
from wirebroker.cli.output import (
    Column,
    add_format,
    as_objects,
    counted,
    print_json,
    print_lines,
    table_lines,
    text_lines,
)
from wirebroker.cli.standard_streams import print_error
from wirebroker.config.environment import unknown_variables
from wirebroker.config.load import effective_settings
from wirebroker.config.registry import NEWEST
from wirebroker.config.server import BrokerConfig
from wirebroker.config.unsupported import Finding, FindingKind, findings, invalid_finding, refused_keys
from wirebroker.config.values import ConfigError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from wirebroker.config.settings import Setting
    from wirebroker.config.waivers import Waivers

COLUMNS = (
    Column("RESULT", "result"),
    Column("KEY", "key"),
    Column("VALUE", "value", max_width=80),
    Column("SOURCE", "source"),
    Column("DETAIL", "detail"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker config check`."""
    broker_options.add_arguments(parser, file_is_argument=True)
    add_format(parser)


def run(args: argparse.Namespace) -> int:
    """Print the findings; return the exit code."""
    waivers = broker_options.waivers(args)
    try:
        waivers.check()
        given = broker_options.gathered(args)
        static, count = effective_settings(given), len({setting.name for setting in given})
        found = check(static, waivers, broker_options.environment())
    except ConfigError as problem:
        print_error(str(problem))
        if args.format == "json":
            print_json({"ok": False, "error": str(problem)})
        return 1
    faults = [each for each in found if each.kind.is_fault]
    rows = [(each.kind.value, each.name, each.value, each.place, _detail(each)) for each in found]
    if args.format == "json":
        print_json({"ok": not faults, "settings": count, "findings": as_objects(COLUMNS, rows)})
    elif args.format == "text":
        print_lines(text_lines(rows))
    else:
        if found:
            print_lines([*table_lines(COLUMNS, rows), ""])
        print_lines([summary(count, found)])
    return 1 if faults else 0


def check(static: Mapping[str, Setting], waivers: Waivers, environ: Mapping[str, str]) -> list[Finding]:
    """The findings about *static* settings, faults first; settings that contradict each other hide no other finding."""
    invalid_ones = []
    for name, setting in sorted(static.items()):
        key = NEWEST.broker.get(name)
        try:
            if key is not None:
                key.parse(setting.text)
        except ConfigError as problem:
            invalid_ones.append(invalid_finding(setting, problem))
    taken = {name: setting for name, setting in static.items() if name not in {each.name for each in invalid_ones}}
    found = list(invalid_ones)
    while True:
        try:
            found += findings(BrokerConfig(taken, waivers=waivers), unknown_variables(environ))
            break
        except ConfigError as problem:
            name = str(problem).partition("=")[0]
            if name not in taken:
                found.append(Finding(FindingKind.INVALID, name, None, "defaults", str(problem)))
                found += refused_keys(static, waivers)
                break
            found.append(invalid_finding(taken.pop(name), problem))
    return sorted(found, key=lambda each: (not each.kind.is_fault, list(FindingKind).index(each.kind)))


def summary(count: int, found: list[Finding]) -> str:
    """The last line of the table: the number of settings, and of findings of each kind."""
    counts = [f"{sum(each.kind is kind for each in found)} {kind.value}" for kind in FindingKind]
    notable = ", ".join(text for text in counts if not text.startswith("0 "))
    return f"{counted(count, 'setting')}: {notable or 'all of them have their effect'}"


def _detail(finding: Finding) -> str:
    return "; ".join(filter(None, (finding.consequence, finding.remedy)))
