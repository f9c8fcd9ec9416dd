"""Which settings of a configuration are not obeyed, and whether a broker may start all the same.

A key without effect that somebody relies on (an authorizer, TLS, a cluster to join) refuses the start, because a broker
that ignored it would be open or alone where the operator believes otherwise.  `--standalone` and `--ignore-unsupported`
waive the refusal; every other key without effect is a warning.
"""

from __future__ import annotations

from enum import Enum
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.config.catalog import (
    BROKER_KEYS,
    PLUGIN_KEYS,
    TOPIC_KEYS,
    TOPIC_SYNONYMS,
    declared,
    is_known,
    without_listener,
)
from wirebroker.config.settings import Origin, Setting
from wirebroker.config.values import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from wirebroker.config.effects import Refusal
    from wirebroker.config.environment import UnknownVariable
    from wirebroker.config.keys import Key
    from wirebroker.config.server import BrokerConfig

HIDDEN = "[hidden]"


class Kind(Enum):
    """What becomes of a setting that is not obeyed."""

    INVALID = "invalid"
    REFUSED = "refused"
    UNKNOWN = "unknown"
    IGNORED = "ignored"
    PARTIAL = "partial effect"
    NO_EFFECT = "no effect"

    @property
    def is_fault(self) -> bool:
        """Whether `config check` fails."""
        return self in (Kind.INVALID, Kind.REFUSED, Kind.UNKNOWN)


_SENTENCES = {
    Kind.INVALID: "is invalid",
    Kind.REFUSED: "is not supported",
    Kind.UNKNOWN: "is not a setting of a broker and is ignored",
    Kind.IGNORED: "is ignored",
    Kind.PARTIAL: "has only a part of its effect",
    Kind.NO_EFFECT: "has no effect",
}


class Finding(NamedTuple):
    """One setting that is not obeyed; as text, the line for an operator."""

    kind: Kind
    name: str
    value: str | None
    """As it may be shown; None for a key or a variable that is unknown."""
    place: str
    consequence: str = ""
    remedy: str = ""

    def __str__(self) -> str:
        setting = self.name if self.value is None else f"{self.name}={self.value}"
        consequence = f": {self.consequence}" if self.consequence else ""
        remedy = f"; {self.remedy}" if self.remedy else ""
        return f"{setting} ({self.place}) {_SENTENCES[self.kind]}{consequence}{remedy}"

    @property
    def note(self) -> str:
        """What is said of the setting where its name and value stand beside."""
        return ": ".join(filter(None, (self.kind.value, "; ".join(filter(None, (self.consequence, self.remedy))))))


class UnsupportedSettings(ConfigError):
    """Settings that a broker does not start with."""

    def __init__(self, findings: list[Finding]) -> None:
        super().__init__("; ".join(map(str, findings)))
        self.findings = findings


class Waivers(NamedTuple):
    """Which settings the operator knows to be without effect."""

    standalone: bool = False
    """`--standalone`: those that make a broker part of a cluster."""
    ignored: tuple[str, ...] = ()
    """`--ignore-unsupported`: names of keys; `*` stands for any part of a name."""

    def cover(self, name: str, refusal: Refusal | None = None) -> bool:
        """Whether *name* may be ignored."""
        if self.standalone and refusal is not None and refusal.cluster:
            return True
        return any(fnmatchcase(name, pattern) for pattern in self.ignored)

    def check(self) -> None:
        """Refuse a name that no key has, since a slip in it would waive nothing; ConfigError."""
        for pattern in self.ignored:
            if "*" not in pattern and not is_known(pattern):
                raise ConfigError(
                    f"--ignore-unsupported {pattern}: there is no such key; {_suggestion(pattern)}".rstrip("; ")
                )


NO_WAIVERS = Waivers()


def findings(config: BrokerConfig, variables: Iterable[UnknownVariable] = ()) -> list[Finding]:
    """The static settings of *config* that are not obeyed, by key, and the *variables* that are none."""
    found = [finding for _, setting in sorted(config.sources.static.items()) for finding in _of(config, setting)]
    found += [
        Finding(Kind.UNKNOWN, each.variable, None, "environment", remedy=f"did you mean {each.suggestion}?")
        for each in variables
    ]
    return found


def dynamic_findings(config: BrokerConfig) -> list[Finding]:
    """The dynamic settings of *config* that are not obeyed; another version or another broker has written them."""
    levels = (
        (config.sources.cluster_default, "dynamic setting of all brokers"),
        (config.sources.per_broker, f"dynamic setting of broker {config.node_id}"),
    )
    settings = (
        Setting(name, text, Origin.DEFAULT, place) for level, place in levels for name, text in sorted(level.items())
    )
    return [finding for setting in settings for finding in _of(config, setting)]


def invalid(setting: Setting, problem: ConfigError) -> Finding:
    """The finding for a value that its key does not take."""
    return _finding(Kind.INVALID, setting, str(problem))


def dynamic_refusal(name: str, text: str, waivers: Waivers) -> str | None:
    """Why a running broker does not take the setting *name*; None if it does."""
    key = declared(name)
    if key is None or key.effect.refusal is None or waivers.cover(name, key.effect.refusal):
        return None
    if _is_harmless(key, text):
        return None
    return f"{name} is not supported: {key.effect.refusal.consequence}"


def _of(config: BrokerConfig, setting: Setting) -> Iterator[Finding]:
    name = setting.name
    if name == "listeners":
        yield from _listeners(config, setting)
    key = declared(name)
    if key is None:
        yield _undeclared(setting)
    elif key.effect.refusal is not None:
        if not _is_harmless(key, setting.text) and not _names_only_us(config, name):
            yield _refusal(config.sources.waivers, setting, key.effect.refusal)
    elif key.effect.since is None or without_listener(name) is not None:
        yield _finding(Kind.NO_EFFECT, setting, remedy="remove it")
    elif key.effect.limits and key.parse(setting.text) not in key.effect.complete_with:
        yield _finding(Kind.PARTIAL, setting, key.effect.limits)


def _is_harmless(key: Key, text: str) -> bool:
    try:
        return key.is_harmless(key.parse(text))
    except ConfigError:
        return False  # a value for one listener or for a plugin, which nobody has checked


def _undeclared(setting: Setting) -> Finding:
    if is_known(setting.name):
        return _finding(Kind.NO_EFFECT, setting, "there is no tiered storage", "remove it")
    return Finding(Kind.UNKNOWN, setting.name, None, setting.place, remedy=_suggestion(setting.name))


def _listeners(config: BrokerConfig, setting: Setting) -> Iterator[Finding]:
    """The listeners that need TLS or SASL."""
    for listener in config.unserved_listeners:
        needs = f"listener {listener.name} needs {listener.protocol}, and only PLAINTEXT is served"
        if config.sources.waivers.cover("listeners"):
            yield _finding(Kind.IGNORED, setting, needs, f"{listener} is not opened")
        else:
            remedy = "remove it, or start with --ignore-unsupported listeners to leave it closed"
            yield _finding(Kind.REFUSED, setting, needs, remedy)


def _refusal(waivers: Waivers, setting: Setting, refusal: Refusal) -> Finding:
    if waivers.cover(setting.name, refusal):
        return _finding(Kind.IGNORED, setting, refusal.consequence)
    flag = "--standalone" if refusal.cluster else f"--ignore-unsupported {setting.name}"
    return _finding(Kind.REFUSED, setting, refusal.consequence, f"remove it, or start with {flag} to accept that")


def _names_only_us(config: BrokerConfig, name: str) -> bool:
    """Whether controller.quorum.* names this process alone, so that it asks for what there is."""
    if "controller" not in config.words("process.roles"):
        return False
    named = config.words(name) if name.startswith("controller.quorum.") else ()
    if len(named) != 1:
        return False
    if name == "controller.quorum.voters":
        return named[0].partition("@")[0] == str(config.node_id)
    return named[0].rpartition(":")[2] in {str(listener.port) for listener in config.controller_listeners}


def _finding(kind: Kind, setting: Setting, consequence: str = "", remedy: str = "") -> Finding:
    return Finding(kind, setting.name, shown(setting), setting.place, consequence, remedy)


def shown(setting: Setting) -> str:
    """The value of *setting* as it may be shown: that of an unknown key may be a secret, too."""
    key: Key | None = declared(setting.name)
    return HIDDEN if key is None or key.sensitive else setting.text.strip()


def _suggestion(name: str) -> str:
    """What to do about a key that nobody declares; empty for one that resembles no other."""
    if name in TOPIC_SYNONYMS:
        return f"the default of this topic setting is {TOPIC_SYNONYMS[name][0]}"
    if name in TOPIC_KEYS:
        return "it is a topic's setting"
    from difflib import get_close_matches  # takes a while to import, and is hardly ever needed

    similar = get_close_matches(name, (*BROKER_KEYS, *PLUGIN_KEYS), n=1, cutoff=0.75)
    return f"did you mean {similar[0]}?" if similar else ""
