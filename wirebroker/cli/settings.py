"""The options that say how a broker is configured, shared by `start` and `config print`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from wirebroker.config.load import Loaded, load

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add `--config`, `--data-dir`, `--listener`, `--set` and `--as-version`."""
    parser.add_argument(
        "--config", metavar="FILE", help="a Kafka server.properties (2.x or 3.x, ZooKeeper or KRaft style)"
    )
    parser.add_argument(
        "--data-dir", metavar="DIR", help="where the data is kept (log.dirs; default ./wirebroker-data)"
    )
    parser.add_argument(
        "--listener",
        metavar="NAME://HOST:PORT",
        action="append",
        default=[],
        help="listen here, PLAINTEXT://127.0.0.1:9092 by default; no host means every interface, port 0 any free one; "
        "repeatable",
    )
    parser.add_argument(
        "--set", metavar="KEY=VALUE", action="append", default=[], help="set any Kafka broker config; repeatable"
    )
    parser.add_argument(
        "--as-version",
        metavar="VERSION",
        help="serve clients only what that release of Apache Kafka served, 0.8.0 to 4.3, to try an old client or an "
        "upgrade (wirebroker.as.version; default: everything wirebroker can do)",
    )


def from_arguments(args: argparse.Namespace) -> Loaded:
    """The config of the options, the environment (KAFKA_LOG_DIRS is log.dirs) and the file; ConfigError when wrong."""
    return load(
        config_file=args.config,
        data_dir=args.data_dir,
        listeners=args.listener,
        sets=args.set,
        as_version=args.as_version,
        environ=os.environ,
    )
