"""Loads a BrokerConfig from flags, environment and file, with warnings for the operator."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wirebroker.config.environment import from_environment, unknown_variables
from wirebroker.config.server import BrokerConfig
from wirebroker.config.settings import Origin, Setting, from_file, from_flag, merge
from wirebroker.config.unsupported import FindingKind, UnsupportedSettings, findings, refused_keys
from wirebroker.config.values import ConfigError
from wirebroker.config.waivers import NO_WAIVERS, Waivers

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from wirebroker.config.environment import UnknownVariable


class LoadedConfig(NamedTuple):
    """A configuration and its warnings, one line each."""

    config: BrokerConfig
    warnings: tuple[str, ...]


def load(
    *,
    config_file: str | None = None,
    data_dir: str | None = None,
    listeners: Sequence[str] = (),
    sets: Sequence[str] = (),
    as_version: str | None = None,
    waivers: Waivers = NO_WAIVERS,
    environ: Mapping[str, str] | None = None,
) -> LoadedConfig:
    """Return the configuration that flags, environment and file make.

    Each of the many parameters is one way to give settings on the command line.

    Args:
        config_file: A Kafka `server.properties`, of ZooKeeper or KRaft style.
        data_dir: Short for `log.dirs`.
        listeners: Short for `listeners`, one each.
        sets: `key=value` each; later ones win.
        as_version: Short for `wirebroker.as.version`.
        waivers: The settings without effect that the operator accepts.
        environ: Environment variables, e.g. `os.environ`.

    Raises:
        ConfigError: a value is invalid.
        UnsupportedSettings: a setting is not supported, and nothing waives it.
    """
    given = collect_settings(config_file, data_dir, listeners, sets, as_version, environ)
    return from_settings(given, waivers, unknown_variables(environ or {}))


def collect_settings(
    config_file: str | None,
    data_dir: str | None,
    listeners: Sequence[str],
    sets: Sequence[str],
    as_version: str | None,
    environ: Mapping[str, str] | None,
) -> list[Setting]:
    """Return all settings of file, environment and flags, see `load`; ConfigError for one that cannot be read."""
    given = list(from_file(config_file)) if config_file is not None else []
    given += from_environment(environ or {})
    given += [from_flag(text) for text in sets]
    if data_dir is not None:
        given.append(Setting("log.dirs", data_dir, Origin.FLAG, "--data-dir"))
    if as_version is not None:
        given.append(Setting("wirebroker.as.version", as_version, Origin.FLAG, "--as-version"))
    if listeners:
        given.append(Setting("listeners", ",".join(listeners), Origin.FLAG, "--listener"))
    return given


def from_settings(
    given: Iterable[Setting],
    waivers: Waivers = NO_WAIVERS,
    variables: Iterable[UnknownVariable] = (),
) -> LoadedConfig:
    """Return the configuration that the settings *given* make; raises as `load` does."""
    waivers.check()
    static = effective_settings(given)
    try:
        config = BrokerConfig(static, waivers=waivers)
    except ConfigError as problem:
        refused = refused_keys(static, waivers)
        if refused:  # the contradiction may come of it
            raise UnsupportedSettings(refused) from None
        raise ConfigError(with_place(problem, static)) from None
    found = findings(config, variables)
    refused = [each for each in found if each.kind is FindingKind.REFUSED]
    if refused:
        raise UnsupportedSettings(refused)
    return LoadedConfig(config, tuple(map(str, found)))


def with_place(problem: ConfigError, static: Mapping[str, Setting]) -> str:
    """Return the text of *problem*, which begins with a key, and where that key is set."""
    text = str(problem)
    setting = static.get(text.partition("=")[0])
    return text if setting is None or setting.place in text else f"{text} ({setting.place})"


def effective_settings(given: Iterable[Setting]) -> dict[str, Setting]:
    """Return the strongest setting of each key, and the id of the broker under both of its names."""
    static = merge(given)
    for one, other in (("node.id", "broker.id"), ("broker.id", "node.id")):
        if one in static and other not in static:
            static[other] = static[one]._replace(name=other)
    return static
