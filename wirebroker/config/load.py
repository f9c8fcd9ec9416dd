"""From flags, environment and file to a BrokerConfig, with the things an operator should be told on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wirebroker.config.environment import from_environment, unknown_variables
from wirebroker.config.server import BrokerConfig
from wirebroker.config.settings import Origin, Setting, from_file, from_flag, merge
from wirebroker.config.unsupported import NO_WAIVERS, Kind, UnsupportedSettings, Waivers, findings

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from wirebroker.config.environment import UnknownVariable


class Loaded(NamedTuple):
    """A config and the warnings that came with it, one line each."""

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
) -> Loaded:
    """Read everything and say what a broker makes of it.

    Args:
        config_file: A Kafka `server.properties`, of ZooKeeper or KRaft style.
        data_dir: Short for `log.dirs`.
        listeners: Short for `listeners`, one each.
        sets: `key=value` each, the later one wins.
        as_version: Short for `wirebroker.as.version`.
        waivers: Which settings may be without effect.
        environ: Environment variables, e.g. `os.environ`.

    Raises:
        ConfigError: A value will not do.
        UnsupportedSettings: A setting has no effect, and is not one to be without unawares.
    """
    given = gather(config_file, data_dir, listeners, sets, as_version, environ)
    return from_settings(given, waivers, unknown_variables(environ or {}))


def gather(
    config_file: str | None,
    data_dir: str | None,
    listeners: Sequence[str],
    sets: Sequence[str],
    as_version: str | None,
    environ: Mapping[str, str] | None,
) -> list[Setting]:
    """All settings of file, environment and flags, for `load`; ConfigError when one cannot be read."""
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
) -> Loaded:
    """The config that *given* makes, stronger origins over weaker ones; raises as `load` does."""
    waivers.check()
    config = BrokerConfig(merged(given), waivers=waivers)
    found = findings(config, variables)
    refused = [each for each in found if each.kind is Kind.REFUSED]
    if refused:
        raise UnsupportedSettings(refused)
    return Loaded(config, tuple(map(str, found)))


def merged(given: Iterable[Setting]) -> dict[str, Setting]:
    """One setting per key, and the id of the broker under both of its names."""
    static = merge(given)
    for one, other in (("node.id", "broker.id"), ("broker.id", "node.id")):
        if one in static and other not in static:
            static[other] = static[one]._replace(name=other)
    return static
