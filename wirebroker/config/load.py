"""From flags, environment and file to a BrokerConfig, with the things an operator should be told on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wirebroker.config.catalog import is_known
from wirebroker.config.server import BrokerConfig
from wirebroker.config.settings import Origin, Setting, from_environment, from_file, from_flag, merge
from wirebroker.config.values import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


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
    environ: Mapping[str, str] | None = None,
) -> Loaded:
    """Read everything and say what a broker makes of it; ConfigError when it cannot start with that.

    Args:
        config_file: A Kafka `server.properties`, of ZooKeeper or KRaft style.
        data_dir: Short for `log.dirs`.
        listeners: Short for `listeners`, one each.
        sets: `key=value` each, the later one wins.
        as_version: Short for `wirebroker.as.version`.
        environ: Environment variables, e.g. `os.environ`.
    """
    given = list(from_file(config_file)) if config_file is not None else []
    given += from_environment(environ or {})
    given += [from_flag(text) for text in sets]
    if data_dir is not None:
        given.append(Setting("log.dirs", data_dir, Origin.FLAG, "--data-dir"))
    if as_version is not None:
        given.append(Setting("wirebroker.as.version", as_version, Origin.FLAG, "--as-version"))
    if listeners:
        given.append(Setting("listeners", ",".join(listeners), Origin.FLAG, "--listener"))
    return from_settings(given)


def from_settings(given: Iterable[Setting]) -> Loaded:
    """The config that *given* makes, stronger origins over weaker ones."""
    static = merge(given)
    for one, other in (("node.id", "broker.id"), ("broker.id", "node.id")):
        if one in static and other not in static:
            static[other] = static[one]._replace(name=other)
    config = BrokerConfig(static)
    return Loaded(config, tuple(_warnings(config)))


def _warnings(config: BrokerConfig) -> Iterable[str]:
    roles = config.words("process.roles")
    if roles and "broker" not in roles:
        raise ConfigError(f"process.roles={','.join(roles)}: wirebroker is a broker and cannot be only a controller")
    unserved = [listener for listener in config.listeners if listener.protocol != "PLAINTEXT"]
    if unserved:
        raise ConfigError(f"listeners: {unserved[0]} speaks {unserved[0].protocol}; only PLAINTEXT is served so far")
    unknown = sorted(name for name in config.sources.static if not is_known(name))
    if unknown:
        yield f"unknown keys, ignored: {', '.join(unknown)}"
    if config.zookeeper_connect:
        yield (
            f"zookeeper.connect={config.zookeeper_connect} is ignored: "
            "clusters on ZooKeeper come in a later version, this broker runs standalone"
        )
    if "controller" in roles or config.is_set("controller.quorum.voters"):
        yield (
            "this broker is its own controller: controller.quorum.* and the listeners named by "
            f"controller.listener.names ({config.text('controller.listener.names')}) are ignored"
        )
