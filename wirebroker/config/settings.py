"""Settings with their origins: flags win over environment variables (`environment.py`), these over the file."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.config.properties import parse
from wirebroker.config.registry import BROKER_KEYS
from wirebroker.config.values import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable


class Origin(IntEnum):
    """The kind of place of a setting; the greater wins."""

    DEFAULT = 0
    FILE = 1
    ENVIRONMENT = 2
    FLAG = 3


class Setting(NamedTuple):
    """One explicit value, as text, with its origin and exact place."""

    name: str
    text: str
    origin: Origin
    place: str


_PATHS = frozenset(("log.dir", "log.dirs"))
FAMILIES = (
    *((name, *key.synonyms) for name, key in BROKER_KEYS.items() if key.synonyms),
    ("log.dirs", "log.dir"),
    ("listeners", "port", "host.name"),
    ("advertised.listeners", "advertised.host.name", "advertised.port"),
    ("node.id", "broker.id"),
)
"""Keys for the same thing, so that one given by a flag overrides another one in the file."""


def from_flag(text: str) -> Setting:
    """Return the setting in *text*, the argument `key=value` of `--set`."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise ConfigError(f"--set {text}: expected key=value")
    return Setting(name.strip(), decodable(name.strip(), value), Origin.FLAG, "--set")


def decodable(name: str, text: str) -> str:
    """Return the value of a flag or an environment variable with bytes that are no UTF-8 read as ISO-8859-1.

    Paths are left as they are: the system knows them by these bytes.
    """
    if text.isascii() or name in _PATHS:
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode(errors="surrogateescape").decode("iso-8859-1")
    return text


def from_file(path: str) -> list[Setting]:
    """Return the entries of a .properties file; ConfigError if it cannot be read."""
    try:
        # open() instead of pathlib, whose import takes 5 ms of every start
        with open(path, "rb") as file:
            data = file.read()
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = data.decode("iso-8859-1")  # the encoding of java.util.Properties
        return [Setting(key, value, Origin.FILE, f"{path}:{line}") for key, value, line in parse(text)]
    except OSError as problem:
        raise ConfigError(f"cannot read {path}: {problem.strerror}") from None
    except ValueError as problem:
        raise ConfigError(f"{path}: {problem}") from None


def merge(settings: Iterable[Setting]) -> dict[str, Setting]:
    """Return one setting per key: of the strongest origin, else the last; weaker members of a family are dropped."""
    merged: dict[str, Setting] = {}
    for setting in settings:
        earlier = merged.get(setting.name)
        if earlier is None or setting.origin >= earlier.origin:
            merged[setting.name] = setting
    for family in FAMILIES:
        members = [merged[name] for name in family if name in merged]
        strongest = max((member.origin for member in members), default=Origin.DEFAULT)
        for member in members:
            if member.origin < strongest:
                del merged[member.name]
    return merged
