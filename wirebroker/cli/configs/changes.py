"""The options of a change of settings, as in kafka-configs.sh: --add-config, --add-config-file and --delete-config."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.cli.properties_file import read_properties

if TYPE_CHECKING:
    import argparse

_BEFORE_BRACKETS: Final = r"(?=[^\]]*(?:\[|$))"
"""Follows a separator that does not stand in square brackets."""
_SETTINGS: Final = re.compile(f",{_BEFORE_BRACKETS}")
_NAME_AND_VALUE: Final = re.compile(rf"\s*=\s*{_BEFORE_BRACKETS}")
_NAME: Final = re.compile(r"[a-zA-Z0-9._-]*")


class ConfigChanges(NamedTuple):
    """The settings to set, and the names of those to delete."""

    added: dict[str, str]
    deleted: list[str]


def add_changes(parser: argparse.ArgumentParser) -> None:
    """Add --add-config, --add-config-file and --delete-config."""
    parser.add_argument(
        "--add-config",
        metavar="K=V,...",
        help="settings to set; a value with commas is in square brackets: cleanup.policy=[compact,delete]",
    )
    parser.add_argument("--add-config-file", metavar="FILE", help="a properties file with settings to set")
    parser.add_argument(
        "--delete-config", action="append", default=[], metavar="K,...", help="names of settings to delete"
    )


def changes_of(args: argparse.Namespace) -> ConfigChanges:
    """Return the changes that the options name.

    Raises:
        ValueError: they name none, or one of another form, in Kafka's words.
        OSError: the file cannot be read.
    """
    if args.add_config is not None and args.add_config_file is not None:
        raise ValueError("Only one of --add-config or --add-config-file must be specified")
    if args.add_config is None and args.add_config_file is None and not args.delete_config:
        raise ValueError(
            "At least one of --add-config, --add-config-file, or --delete-config must be specified with --alter"
        )
    added: dict[str, str] = {}
    if args.add_config_file is not None:
        added = read_properties(args.add_config_file)
    if args.add_config is not None:
        added = parse_settings(args.add_config)
    for name in added:
        if not _NAME.fullmatch(name):
            raise ValueError(f"Invalid character found for config key: {name}")
    return ConfigChanges(added, [name.strip() for names in args.delete_config for name in names.split(",")])


def parse_settings(text: str) -> dict[str, str]:
    """Return the settings in `k=v,k=[v,v]`.

    Raises:
        ValueError: a part has no value.
    """
    pairs = [_NAME_AND_VALUE.split(each) for each in _SETTINGS.split(text)]
    if any(len(pair) != 2 for pair in pairs):
        raise ValueError(
            'requirement failed: Invalid entity config: all configs to be added must be in the format "key=val".'
        )
    return {name.strip(): value.replace("[", "").replace("]", "").strip() for name, value in pairs}
