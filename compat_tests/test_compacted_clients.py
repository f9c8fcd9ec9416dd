"""The compacted topics of Streams and of a consumer group stay small however much is written to them.

Each test writes many times what may be left, with small segments, and then has the application begin anew with what
the compacted topics hold: state stores, committed offsets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from compat_tests.compacted_topics import SETTINGS, SMALL, CompactedTopics
from compat_tests.directory_scenario import create
from compat_tests.spark_help import create_topic
from compat_tests.streams_application import PARTITIONS, Application, Reader, feed, streams_jvm
from compat_tests.versions import KAFKA
from tools.bench import compaction_loads, group_wire

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from compat_tests.broker import Wirebroker

pytestmark = pytest.mark.nightly


def test_streams(
    start_wirebroker: Callable[..., Wirebroker], tmp_path: Path, show_at_the_end: Callable[[str, str], None]
) -> None:
    """Counts with exactly_once_v2; an instance without state restores it from the compacted changelog."""
    broker = start_wirebroker(SETTINGS)
    total = 40_000
    large = {"segment.bytes": "10000000"}
    create(broker.bootstrap, {"words": large, "counts": large}, PARTITIONS)
    reader = Reader(broker.bootstrap, "counts")
    topics = CompactedTopics(broker, "application-*-changelog", "__consumer_offsets", "__transaction_state")
    with streams_jvm(KAFKA) as root:
        feed(broker.bootstrap, "words", 0, total)
        with_state = Application(root, broker.bootstrap, "application", tmp_path / "1")
        with with_state.running("words", "counts") as application:
            reader.read(total, application)
        topics.wait_until_small()
        show_at_the_end("Streams", topics.table())
        broker.kill()
        broker.start()
        feed(broker.bootstrap, "words", total, 700)
        without_state = Application(root, broker.bootstrap, "application", tmp_path / "2")
        with without_state.running("words", "counts") as application:
            reader.read(total + 700, application)
    reader.check(total + 700)
    reader.consumer.close()


def test_a_million_commits(
    start_wirebroker: Callable[..., Wirebroker], show_at_the_end: Callable[[str, str], None]
) -> None:
    broker = start_wirebroker({**SETTINGS, "offsets.topic.num.partitions": "1"})
    address = broker.host, broker.port
    partitions, times = 100, 10_000
    create_topic(broker.bootstrap, "consumed", partitions)
    group_wire.await_coordinator(address)
    compaction_loads.fill_offsets(address, "consumed", 1, partitions, times)
    topics = CompactedTopics(broker, "__consumer_offsets")
    topics.wait_until_small()
    table = topics.table()
    before = broker.log_file.stat().st_size
    broker.stop()
    broker.start()
    compaction_loads.verify_offsets(address, "consumed", 1, partitions, times - 1)
    (loaded,) = [line for line in broker.log(before).splitlines() if "__consumer_offsets-0: loaded " in line]
    show_at_the_end("a million commits", f"{table}\n{loaded.partition(': ')[2]}")
    assert partitions <= int(loaded.split("loaded ")[1].split()[0]) < SMALL // 40
