"""The options that say how a broker is configured, shared by `start` and `config print`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from wirebroker.config.load import Loaded, load

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add `--config`, `--data-dir`, `--listener` and `--set`."""
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


def from_arguments(args: argparse.Namespace) -> Loaded:
    """The config of the options, the environment (KAFKA_LOG_DIRS is log.dirs) and the file; ConfigError when wrong."""
    return load(
        config_file=args.config,
        data_dir=args.data_dir,
        listeners=args.listener,
        sets=args.set,
        environ=os.environ,
    )
