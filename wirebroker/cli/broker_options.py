"""The options that configure a broker, shared by `start`, `config print` and `config check`."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from wirebroker.config.endpoints import split_listeners
from wirebroker.config.load import collect_settings, load
from wirebroker.config.settings import from_flag
from wirebroker.config.values import ConfigError
from wirebroker.config.waivers import Waivers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wirebroker.config.load import LoadedConfig
    from wirebroker.config.settings import Setting


def add_arguments(parser: argparse.ArgumentParser, *, file_is_argument: bool = False) -> None:
    """Add `--config` (or an argument FILE), `--data-dir`, `--listener`, `--set`, `--as-version` and the waivers."""
    about = "a Kafka server.properties (2.x or 3.x, ZooKeeper or KRaft style)"
    if file_is_argument:
        parser.add_argument("config", metavar="FILE", nargs="?", help=about)
    else:
        parser.add_argument("--config", metavar="FILE", help=about)
    parser.add_argument(
        "--data-dir", metavar="DIR", help="where the data is kept (log.dirs; default ./wirebroker-data)"
    )
    parser.add_argument(
        "--listener",
        type=_listeners,
        metavar="NAME://HOST:PORT",
        action="append",
        default=[],
        help="listen here, PLAINTEXT://127.0.0.1:9092 by default; no host means every interface, port 0 any free one; "
        "repeatable",
    )
    parser.add_argument(
        "--set",
        type=_key_and_value,
        metavar="KEY=VALUE",
        action="append",
        default=[],
        help="set any Kafka broker config; repeatable",
    )
    parser.add_argument(
        "--as-version",
        metavar="VERSION",
        help="serve clients only what that release of Apache Kafka served, 0.8.0 to 4.3, to try an old client or an "
        "upgrade (wirebroker.as.version; default: everything wirebroker can do)",
    )
    parser.add_argument(
        "--standalone",
        action="store_true",
        help="start although keys such as zookeeper.connect make this broker part of a cluster, which it does not join",
    )
    parser.add_argument(
        "--ignore-unsupported",
        metavar="KEY",
        action="append",
        default=[],
        help="start although this key, such as authorizer.class.name, has no effect yet; * stands for any part of a "
        "name (--ignore-unsupported 'ssl.*'); repeatable",
    )


def _listeners(text: str) -> str:
    """Return *text* if it has the syntax of listeners; argparse.ArgumentTypeError if not."""
    try:
        split_listeners(text)
    except ConfigError as problem:
        raise argparse.ArgumentTypeError(str(problem)) from None
    return text


def _key_and_value(text: str) -> str:
    """Return *text* if it is KEY=VALUE; argparse.ArgumentTypeError if not."""
    try:
        from_flag(text)
    except ConfigError:
        raise argparse.ArgumentTypeError(f"{text!r} is not KEY=VALUE") from None
    return text


def from_arguments(args: argparse.Namespace) -> LoadedConfig:
    """The config of the options, the environment (KAFKA_LOG_DIRS is log.dirs) and the file; ConfigError when wrong."""
    return load(
        config_file=args.config,
        data_dir=args.data_dir,
        listeners=args.listener,
        sets=args.set,
        as_version=args.as_version,
        waivers=waivers(args),
        environ=os.environ,
    )


def gathered(args: argparse.Namespace) -> list[Setting]:
    """The settings of file, environment and options, not yet parsed; ConfigError when one cannot be read."""
    return collect_settings(args.config, args.data_dir, args.listener, args.set, args.as_version, os.environ)


def environment() -> Mapping[str, str]:
    """The environment variables of this process."""
    return os.environ


def waivers(args: argparse.Namespace) -> Waivers:
    """Which settings may be without effect."""
    return Waivers(args.standalone, tuple(args.ignore_unsupported))
