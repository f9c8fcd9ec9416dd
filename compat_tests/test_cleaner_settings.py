"""log.cleaner.* changed while the broker runs: each with its effect, most of them beside Apache Kafka 3.9.1.

`log.cleaner.io.buffer.size`, which nobody sees from outside, has its test in wirebroker/tests/storage/cleaner.
"""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

import pytest

from compat_tests.broker import Wirebroker
from compat_tests.conftest import unique_name, wait_until
from compat_tests.directory_scenario import EAGER_CLEANER, consume_all, create
from compat_tests.limits import flush
from compat_tests.versions import KAFKA
from compat_tests.wire import Wire
from tools.jvm.kafka import KafkaBroker
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from wirebroker.tests.time_limit import descendants

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from compat_tests.broker import Broker
    from tools.jvm.kafka import KafkaDist

CLEANER = "log.cleaner."
BROKER, SET, DELETE = 4, 0, 1
SETTINGS = {**EAGER_CLEANER, CLEANER + "backoff.ms": "100", "log.initial.task.delay.ms": "50"}
HOUR = "3600000"
SEGMENT_BYTES = 4000
LEAST_BYTES = str((1 << 20) + 24)
"""The smallest buffer, of 1 MB and one slot."""
ROUNDS_S = 2
"""How long a log is watched that is not to be cleaned: twenty times the backoff."""


@pytest.fixture(scope="module", params=["wirebroker", "apache_kafka"])
def broker(
    request: pytest.FixtureRequest,
    kafka_dist: Callable[[str], KafkaDist],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Broker]:
    directory = tmp_path_factory.mktemp(request.param)
    if request.param == "wirebroker":
        with Wirebroker(directory, SETTINGS) as broker:
            yield broker
    else:
        with KafkaBroker(kafka_dist(KAFKA), directory, settings=SETTINGS) as kafka:
            yield kafka


@pytest.fixture
def unset(broker: Broker) -> Iterator[Broker]:
    """The broker, from which everything is removed that the test has set."""
    yield broker
    names = (*sorted({name for case in CASES.values() for each in case for name in each}), "delete.retention.ms")
    change(broker, [(name, DELETE, None) for name in names])


def change(broker: Broker, changes: list[tuple[str, int, str | None]]) -> ErrorCode:
    """Change log.cleaner.* of all brokers of the cluster; return the error."""
    configs = [AlterableConfig(CLEANER + name, operation, value) for name, operation, value in changes]
    with Wire(broker.host, broker.port) as wire:
        request = IncrementalAlterConfigsRequest([AlterConfigsResource(BROKER, "", configs)])
        return ErrorCode(wire.ask(request, 1).responses[0].error_code)


def set_cleaner(broker: Broker, settings: Mapping[str, str]) -> None:
    assert change(broker, [(name, SET, value) for name, value in settings.items()]) is ErrorCode.NONE


def new_log(
    broker: Broker, records: int = 300, keys: int = 20, segment_bytes: int = SEGMENT_BYTES, partitions: int = 1
) -> str:
    """Create a compacted topic and fill several segments of it; return its name."""
    topic = unique_name("cleaned")
    create(broker.bootstrap, {topic: {"cleanup.policy": "compact", "segment.bytes": str(segment_bytes)}}, partitions)
    fill(broker, topic, [f"k{number % keys}" for number in range(records)])
    return topic


def fill(broker: Broker, topic: str, keys: list[str], value: str | None = "x" * 80) -> None:
    from confluent_kafka import Producer

    producer = Producer({"bootstrap.servers": broker.bootstrap, "batch.size": 2000})
    for number, key in enumerate(keys):
        producer.produce(topic, key=key, value=value)
        if number % 1000 == 999:
            flush(producer)
    flush(producer)


def is_cleaned(broker: Broker, topic: str, partition: int = 0) -> bool:
    """Whether the log was cleaned up to its active segment."""
    active = max(int(path.stem) for path in (broker.data_directory / f"{topic}-{partition}").glob("*.log"))
    return f"{topic} {partition} {active}\n" in (broker.data_directory / "cleaner-offset-checkpoint").read_text()


CASES: dict[str, tuple[dict[str, str], dict[str, str]]] = {
    "min.cleanable.ratio": ({"min.cleanable.ratio": "1"}, {"min.cleanable.ratio": "0.01"}),
    "min.compaction.lag.ms": ({"min.compaction.lag.ms": HOUR}, {"min.compaction.lag.ms": "0"}),
    "max.compaction.lag.ms": ({"min.cleanable.ratio": "1"}, {"max.compaction.lag.ms": "1"}),
    "backoff.ms": ({"backoff.ms": HOUR}, {"backoff.ms": "100"}),
}
"""Setting -> what keeps a log from being cleaned, and what has it cleaned then."""


@pytest.mark.parametrize("setting", CASES)
def test_a_change_has_a_log_cleaned(unset: Broker, setting: str) -> None:
    broker = unset
    before, after = CASES[setting]
    set_cleaner(broker, before)
    topic = new_log(broker)
    time.sleep(ROUNDS_S)
    assert not is_cleaned(broker, topic)
    set_cleaner(broker, after)
    wait_until(lambda: is_cleaned(broker, topic))
    kept = consume_all(broker.bootstrap, {topic})[topic, 0]
    assert len(kept) < 100, "20 keys, and the active segment"


def test_tombstones_stay_as_long_as_was_set_when_they_were_met(unset: Broker) -> None:
    broker = unset

    def is_there_after_two_rounds(retention_ms: str) -> bool:
        set_cleaner(broker, {"delete.retention.ms": retention_ms})
        topic = new_log(broker)
        fill(broker, topic, ["gone"], None)
        for number in range(2):
            fill(broker, topic, [f"{number} {each}" for each in range(100)])
            wait_until(lambda: is_cleaned(broker, topic))
            time.sleep(0.01)  # the horizon
        return b"gone" in [record.key for record in consume_all(broker.bootstrap, {topic})[topic, 0]]

    assert is_there_after_two_rounds(HOUR)
    assert not is_there_after_two_rounds("1")


def test_changes_are_refused_as_by_apache_kafka(broker: Broker) -> None:
    refused = {
        "no more than 1 MB of buffer": {"dedupe.buffer.size": str(1 << 20)},
        "no more than 1 MB of buffer for each of two": {"dedupe.buffer.size": "1500000", "threads": "2"},
        "no cleaner": {"threads": "0"},
        "three times as many cleaners": {"threads": "3"},
        "a negative lag": {"min.compaction.lag.ms": "-1"},
        "no lag": {"max.compaction.lag.ms": "0"},
        "a ratio above 1": {"min.cleanable.ratio": "1.1"},
        "no number": {"backoff.ms": "x"},
        "read only": {"enable": "false"},
    }
    answers = {
        label: change(broker, [(name, SET, value) for name, value in settings.items()])
        for label, settings in refused.items()
    }
    assert answers == dict.fromkeys(refused, ErrorCode.INVALID_REQUEST)


@pytest.mark.parametrize(
    ("settings", "keys"),
    [
        ({"dedupe.buffer.size": LEAST_BYTES}, 39_321),
        ({"dedupe.buffer.size": LEAST_BYTES, "io.buffer.load.factor": "0.5"}, 21_845),
        ({"dedupe.buffer.size": str(2 << 20)}, None),
    ],
)
def test_the_buffer_bounds_the_keys_of_a_round(tmp_path: Path, settings: dict[str, str], keys: int | None) -> None:
    with Wirebroker(tmp_path, SETTINGS) as broker:
        set_cleaner(broker, {**settings, "min.compaction.lag.ms": HOUR})
        topic = new_log(broker, 50_000, 50_000, 1_000_000)
        set_cleaner(broker, {"min.compaction.lag.ms": "0"})
        wait_until(lambda: is_cleaned(broker, topic))
        rounds = re.findall(rf"topic={topic} partition=0: compacted offsets (\d+) to (\d+)", broker.log())
        if keys is None:
            assert len(rounds) == 1
        else:
            assert rounds[0] == ("0", str(keys - 1))
            assert len(rounds) == -(-int(rounds[-1][1]) // keys)


def test_the_rate_holds_for_many_small_logs_and_for_a_large_one(tmp_path: Path) -> None:
    """Each of the small ones is cleaned in less time than the rate is measured over."""
    with Wirebroker(tmp_path, SETTINGS) as broker:
        set_cleaner(broker, {"min.compaction.lag.ms": HOUR, "io.max.bytes.per.second": "150000"})
        topic = new_log(broker, 9000, 600, partitions=30)
        began = time.monotonic()
        set_cleaner(broker, {"min.compaction.lag.ms": "0"})
        wait_until(lambda: all(is_cleaned(broker, topic, partition) for partition in range(30)))
        assert time.monotonic() - began > 4, "1.7 MB are read"
        set_cleaner(broker, {"min.compaction.lag.ms": HOUR, "io.max.bytes.per.second": "1"})
        topic = new_log(broker, 50_000, 50_000, 100_000)
        set_cleaner(broker, {"min.compaction.lag.ms": "0"})
        time.sleep(ROUNDS_S)
        assert not is_cleaned(broker, topic)
        set_cleaner(broker, {"io.max.bytes.per.second": "1e9"})
        wait_until(lambda: is_cleaned(broker, topic))


def test_the_number_of_cleaners(tmp_path: Path) -> None:
    with Wirebroker(tmp_path, {**SETTINGS, CLEANER + "io.max.bytes.per.second": "4000"}) as broker:
        set_cleaner(broker, {"min.compaction.lag.ms": HOUR})
        for _ in range(3):
            new_log(broker)
        set_cleaner(broker, {"min.compaction.lag.ms": "0"})
        for threads in (1, 2, 3, 2, 1):
            set_cleaner(broker, {"threads": str(threads)})
            wait_until(lambda: len(descendants(broker.pid)) == threads)  # noqa: B023 - called in this turn only
