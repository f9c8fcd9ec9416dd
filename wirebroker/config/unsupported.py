"""Finds the settings of a configuration that are not obeyed, and refuses the start for those that operators rely on.

A key without effect for an authorizer, TLS or a KRaft cluster refuses the start: a broker that ignored it would be
open or alone without the knowledge of the operator.  `--standalone` and `--ignore-unsupported`
waive the refusal; every other key without effect is a warning.
"""

from __future__ import annotations

import logging
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.config.registry import (
    find_key,
    is_known,
    without_listener,
)
from wirebroker.config.server import THROTTLES, start_only
from wirebroker.config.settings import FAMILIES, Origin, Setting
from wirebroker.config.values import ConfigError
from wirebroker.config.waivers import suggestion

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from wirebroker.config.effects import Refusal
    from wirebroker.config.environment import UnknownVariable
    from wirebroker.config.keys import Key
    from wirebroker.config.server import BrokerConfig
    from wirebroker.config.waivers import Waivers

logger = logging.getLogger(__name__)

HIDDEN = "[hidden]"
_ADDRESSES = frozenset(("listeners", "advertised.listeners"))
"""Keys in place of two others, a host and a port, which go together."""


class FindingKind(Enum):
    """The treatment of a setting that is not obeyed."""

    INVALID = "invalid"
    REFUSED = "refused"
    UNKNOWN = "unknown"
    IGNORED = "ignored"
    PARTIAL = "partial effect"
    NO_EFFECT = "no effect"

    @property
    def is_fault(self) -> bool:
        """Whether the finding makes `config check` fail."""
        return self in (FindingKind.INVALID, FindingKind.REFUSED, FindingKind.UNKNOWN)


_SENTENCES = {
    FindingKind.INVALID: "is invalid",
    FindingKind.REFUSED: "is not supported",
    FindingKind.UNKNOWN: "is not a setting of a broker and is ignored",
    FindingKind.IGNORED: "is ignored",
    FindingKind.PARTIAL: "has only a part of its effect",
    FindingKind.NO_EFFECT: "has no effect",
}


class Finding(NamedTuple):
    """One setting that is not obeyed; `str` of it is the line for an operator."""

    kind: FindingKind
    name: str
    value: str | None
    """The displayed value; None for an unknown key or variable."""
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
        """The text for a column beside the name and value of the setting."""
        return ": ".join(filter(None, (self.kind.value, "; ".join(filter(None, (self.consequence, self.remedy))))))


class UnsupportedSettings(ConfigError):
    """Unsupported settings refuse the start."""

    def __init__(self, findings: list[Finding]) -> None:
        super().__init__("; ".join(map(str, findings)))
        self.findings = findings


def findings(config: BrokerConfig, variables: Iterable[UnknownVariable] = ()) -> list[Finding]:
    """Return the static settings of *config* that are not obeyed, by key, and the unknown *variables*."""
    found = [finding for _, setting in sorted(config.sources.static.items()) for finding in _of(config, setting)]
    found += [
        Finding(FindingKind.UNKNOWN, each.variable, None, "environment", remedy=f"did you mean {each.suggestion}?")
        for each in variables
    ]
    return found


def refused_keys(static: Mapping[str, Setting], waivers: Waivers) -> list[Finding]:
    """Return the settings that refuse the start whatever the other ones are, by key."""
    found = []
    for name, setting in sorted(static.items()):
        key = find_key(name)
        refusal = None if key is None or key.effect.since is not None else key.effect.refusal
        if refusal is not None and not waivers.cover(name, refusal) and not _is_harmless(find_key(name), setting.text):
            found.append(_refusal(waivers, setting, refusal))
    return found


def dynamic_findings(config: BrokerConfig) -> list[Finding]:
    """Return the dynamic settings of *config* that are not obeyed; another version or broker has written them."""
    levels = (
        (config.sources.cluster_default, "dynamic setting of all brokers"),
        (config.sources.per_broker, f"dynamic setting of broker {config.node_id}"),
    )
    settings = (
        Setting(name, text, Origin.DEFAULT, place) for level, place in levels for name, text in sorted(level.items())
    )
    found, ignored = [], start_only(in_cluster=config.in_cluster)
    for setting in settings:
        if setting.name in ignored:
            found.append(_finding(FindingKind.NO_EFFECT, setting, "listeners are opened as the broker is started for"))
        elif setting.name not in THROTTLES:
            found += _of(config, setting)
    return found


def check_dynamic_settings(config: BrokerConfig) -> None:
    """Log a warning for each dynamic setting of *config* that is not obeyed.

    Raises:
        UnsupportedSettings: a setting is not supported, and nothing waives it.
    """
    found = dynamic_findings(config)
    refused = [finding for finding in found if finding.kind is FindingKind.REFUSED]
    if refused:
        raise UnsupportedSettings(refused)
    for finding in found:
        logger.warning("%s", finding)


def invalid_finding(setting: Setting, problem: ConfigError) -> Finding:
    """Return the finding for an invalid value."""
    return _finding(FindingKind.INVALID, setting, str(problem))


def dynamic_refusal(name: str, text: str, waivers: Waivers) -> str | None:
    """Return why a running broker refuses the setting *name*, None if it accepts it."""
    key = find_key(name)
    if key is None or key.effect.refusal is None or waivers.cover(name, key.effect.refusal):
        return None
    if _is_harmless(key, text):
        return None
    return f"{name} is not supported: {key.effect.refusal.consequence}"


def _of(config: BrokerConfig, setting: Setting) -> Iterator[Finding]:
    name = setting.name
    if name == "listeners":
        yield from _listeners(config, setting)
    key = find_key(name)
    if key is None:
        yield _undeclared(setting)
    elif key.effect.refusal is not None:
        is_waived = config.sources.waivers.cover(name, key.effect.refusal)
        if (
            (key.effect.since is None or is_waived)
            and not _is_harmless(key, setting.text)
            and not _names_only_this_broker(config, name)
        ):
            yield _refusal(config.sources.waivers, setting, key.effect.refusal)
    elif (
        (key.effect.in_cluster and not config.in_cluster)
        or key.effect.since is None
        or without_listener(name) is not None
    ):
        yield _finding(FindingKind.NO_EFFECT, setting, remedy="remove it")
    elif (stronger := _stronger_key(config, name)) is not None:
        yield _finding(FindingKind.NO_EFFECT, setting, f"{stronger} is set", "remove one of them")
    elif name == "log.message.format.version" and config.has_newer_format:
        yield _finding(FindingKind.NO_EFFECT, setting, "inter.broker.protocol.version is 3.0 or later", "remove it")
    elif _has_limits(config, key) and key.parse(setting.text) not in key.effect.complete_with:
        yield _finding(FindingKind.PARTIAL, setting, key.effect.limits)


def _stronger_key(config: BrokerConfig, name: str) -> str | None:
    """Return a key that is set and by which *name* has no effect, None without one."""
    for stronger, *weaker in FAMILIES:
        if name in weaker and stronger != "node.id":
            given = [each for each in (stronger, *weaker) if config.is_set(each)]
            before = (stronger,) if stronger in _ADDRESSES else given[: given.index(name)]
            return next((each for each in before if config.is_set(each)), None)
    return None


def _has_limits(config: BrokerConfig, key: Key) -> bool:
    return bool(key.effect.limits) and not (config.in_cluster and key.effect.complete_in_cluster)


def _is_harmless(key: Key | None, text: str) -> bool:
    try:
        return key is not None and key.is_harmless(key.parse(text))
    except ConfigError:
        return False  # a value for one listener or for a plugin, which was not checked


def _undeclared(setting: Setting) -> Finding:
    if is_known(setting.name):
        return _finding(FindingKind.NO_EFFECT, setting, "there is no tiered storage", "remove it")
    return Finding(FindingKind.UNKNOWN, setting.name, None, setting.place, remedy=suggestion(setting.name))


def _listeners(config: BrokerConfig, setting: Setting) -> Iterator[Finding]:
    """Yield the findings for listeners that need TLS or SASL."""
    for listener in config.unserved_listeners:
        needs = f"listener {listener.name} needs {listener.protocol}, and only PLAINTEXT is served"
        if config.sources.waivers.cover("listeners"):
            yield _finding(FindingKind.IGNORED, setting, needs, f"{listener} is not opened")
        else:
            remedy = "remove it, or start with --ignore-unsupported listeners to leave it closed"
            yield _finding(FindingKind.REFUSED, setting, needs, remedy)


def _refusal(waivers: Waivers, setting: Setting, refusal: Refusal) -> Finding:
    if waivers.cover(setting.name, refusal):
        return _finding(FindingKind.IGNORED, setting, refusal.consequence)
    flag = "--standalone" if refusal.cluster else f"--ignore-unsupported {setting.name}"
    return _finding(
        FindingKind.REFUSED, setting, refusal.consequence, f"remove it, or start with {flag} to accept that"
    )


def _names_only_this_broker(config: BrokerConfig, name: str) -> bool:
    """Return whether controller.quorum.* names this process only, which is obeyed."""
    if "controller" not in config.words("process.roles"):
        return False
    named = config.words(name) if name.startswith("controller.quorum.") else ()
    if len(named) != 1:
        return False
    if name == "controller.quorum.voters":
        return named[0].partition("@")[0] == str(config.node_id)
    return named[0].rpartition(":")[2] in {str(listener.port) for listener in config.controller_listeners}


def _finding(kind: FindingKind, setting: Setting, consequence: str = "", remedy: str = "") -> Finding:
    return Finding(kind, setting.name, displayed_value(setting), setting.place, consequence, remedy)


def displayed_value(setting: Setting) -> str:
    """Return the value of *setting*, hidden for a secret and for an unknown key, which may be one."""
    key: Key | None = find_key(setting.name)
    return HIDDEN if key is None or key.sensitive else setting.text.strip()
