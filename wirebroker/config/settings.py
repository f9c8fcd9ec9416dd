"""Where settings come from: flags over environment (`environment.py`) over file; each keeps its origin."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.config.properties import parse
from wirebroker.config.values import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable


class Origin(IntEnum):
    """How a value was given; the greater wins."""

    DEFAULT = 0
    FILE = 1
    ENVIRONMENT = 2
    FLAG = 3


class Setting(NamedTuple):
    """One explicit value, as text, and where exactly it stands."""

    name: str
    text: str
    origin: Origin
    place: str


FAMILIES = (
    ("log.retention.ms", "log.retention.minutes", "log.retention.hours"),
    ("log.roll.ms", "log.roll.hours"),
    ("log.roll.jitter.ms", "log.roll.jitter.hours"),
    ("log.flush.interval.ms", "log.flush.scheduler.interval.ms"),
    ("log.dirs", "log.dir"),
    ("listeners", "port", "host.name"),
    ("advertised.listeners", "advertised.host.name", "advertised.port"),
    ("node.id", "broker.id"),
)
"""Keys that say the same thing, so that one given by flag silences another one in the file."""


def from_flag(text: str) -> Setting:
    """`--set key=value`."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise ConfigError(f"--set {text}: expected key=value")
    return Setting(name.strip(), value, Origin.FLAG, "--set")


def from_file(path: str) -> list[Setting]:
    """The entries of a .properties file; ConfigError when it cannot be read."""
    try:
        # open(), not pathlib: this is all that a start needs of it, and importing it takes 5 ms
        with open(path, encoding="utf-8-sig", errors="surrogateescape") as file:
            text = file.read()
        return [Setting(key, value, Origin.FILE, f"{path}:{line}") for key, value, line in parse(text)]
    except OSError as problem:
        raise ConfigError(f"cannot read {path}: {problem.strerror}") from None
    except ValueError as problem:
        raise ConfigError(f"{path}: {problem}") from None


def merge(settings: Iterable[Setting]) -> dict[str, Setting]:
    """One setting per key: of a stronger origin, else the later one; weaker members of a family are dropped."""
    merged: dict[str, Setting] = {}
    for setting in settings:
        held = merged.get(setting.name)
        if held is None or setting.origin >= held.origin:
            merged[setting.name] = setting
    for family in FAMILIES:
        members = [merged[name] for name in family if name in merged]
        strongest = max((member.origin for member in members), default=Origin.DEFAULT)
        for member in members:
            if member.origin < strongest:
                del merged[member.name]
    return merged
