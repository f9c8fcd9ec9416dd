"""The retention of a topic by its files alone, for a broker that does not run."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from wirebroker.cli.standard_streams import print_error
from wirebroker.client.connection import ClientError
from wirebroker.config.describe import explain_settings
from wirebroker.config.load import collect_settings, effective_settings
from wirebroker.config.server import BrokerConfig
from wirebroker.config.topic import check_settings, log_config
from wirebroker.config.values import ConfigError
from wirebroker.metadata.dynamic_config_publisher import dynamic_settings
from wirebroker.metadata.errors import StoreDamaged
from wirebroker.metadata.image import ClusterImage
from wirebroker.metadata.journal import JOURNAL_NAME, read_entries
from wirebroker.metadata.kafka_import.kraft_image import KraftImage
from wirebroker.metadata.kafka_import.kraft_log import MetadataLog
from wirebroker.metadata.records import apply, decode
from wirebroker.model import TopicPartition
from wirebroker.storage.errors import CorruptFileError
from wirebroker.storage.files import Files
from wirebroker.storage.log_snapshot import read_log
from wirebroker.storage.retention_report import (
    DECIDING_BROKER_KEYS,
    DECIDING_TOPIC_KEYS,
    CleaningFacts,
    explain_retention,
)

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from wirebroker.config.log import LogConfig

_KRAFT_METADATA: Final = "__cluster_metadata-0"


def explain_directories(args: argparse.Namespace) -> dict[str, Any]:
    """Return the document that a broker would send, of the directories `--log-dir`.

    Raises:
        ClientError: the topic is in none of them, or its settings cannot be read.
    """
    files, now_ms = Files(), time.time_ns() // 1_000_000
    directories = [Path(each) for each in args.log_dir]
    for each in directories:
        if not each.is_dir():
            raise ClientError(f"{each} is no directory; give a data directory (as in log.dirs)")
    try:
        config, overrides = _settings(files, directories, args)
        settings = log_config(config.topic_defaults, overrides)
        partitions = []
        for log_dir in directories:
            for path in sorted(log_dir.glob(f"{args.topic}-*"), key=lambda each: (len(each.name), each.name)):
                number = path.name.removeprefix(f"{args.topic}-")
                if number.isdecimal() and path.is_dir():
                    at = TopicPartition(args.topic, int(number))
                    partitions.append(_partition(files, log_dir, at, settings, config.log_cleaner_enable, now_ms))
    except (ConfigError, StoreDamaged) as problem:
        raise ClientError(str(problem)) from problem
    except OSError as problem:
        raise ClientError(f"{problem.filename}: {problem.strerror}") from problem
    if not partitions:
        raise ClientError(f"no partition of {args.topic} is in {', '.join(args.log_dir)}")
    described = explain_settings(config, overrides, DECIDING_TOPIC_KEYS, DECIDING_BROKER_KEYS)
    return {"topic": args.topic, "now_ms": now_ms, "settings": described, "partitions": partitions}


def _settings(
    files: Files, directories: list[Path], args: argparse.Namespace
) -> tuple[BrokerConfig, Mapping[str, str]]:
    """The broker's settings, and those of the topic, from files and options."""
    static = effective_settings(collect_settings(args.config, None, (), args.set, None, {}))
    config = BrokerConfig(static)
    given = check_settings(dict(each.split("=", 1) for each in args.topic_config), config.topic_defaults)
    journals = [path for path in (each / JOURNAL_NAME for each in directories) if path.exists()]
    if journals:
        image = _image(files, journals[0])
        return BrokerConfig(static, *dynamic_settings(image, config.node_id)), {
            **image.topic_config(args.topic),
            **given,
        }
    metadata = next((path for path in (each / _KRAFT_METADATA for each in directories) if path.exists()), None)
    if metadata is not None:
        kraft = KraftImage()
        kraft.replay(MetadataLog(str(metadata), files).values())
        image = ClusterImage(configs=kraft.configs)
        return BrokerConfig(static, *dynamic_settings(image, config.node_id)), {
            **image.topic_config(args.topic),
            **given,
        }
    print_error(
        "the directories hold no settings of topics (Apache Kafka keeps them in ZooKeeper): defaults are assumed, but"
        " for --topic-config KEY=VALUE"
    )
    return config, given


def _image(files: Files, journal: Path) -> ClusterImage:
    entries, _ = read_entries(files.read(str(journal)) or b"", journal)
    return apply(ClusterImage(), *(record for entry in entries for record in decode(entry.payload)))


def _partition(
    files: Files, log_dir: Path, at: TopicPartition, config: LogConfig, is_cleaner_enabled: bool, now_ms: int
) -> dict[str, Any]:
    identity = {"partition": at.partition, "directory": str(log_dir / str(at))}
    try:
        log = read_log(files, log_dir, at, config, now_ms)
        if log is None:
            return {**identity, "problem": "no segment is in the directory"}
        facts = CleaningFacts(log.high_watermark, log.cleaner_offset, is_cleaner_enabled)
        report = explain_retention(log.view, config, facts, now_ms)
    except CorruptFileError as fault:
        return {**identity, "problem": f"{fault}; run `wirebroker log verify {log_dir}`"}
    return {**identity, "problem": None, **report.as_object()}
