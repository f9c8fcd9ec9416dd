"""kafka.csv.metrics.*: a broker writes its metrics to CSV files, as with KafkaCSVMetricsReporter."""

from __future__ import annotations

import csv
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
import trio

from wirebroker.config.server import BrokerConfig
from wirebroker.config.settings import Origin, Setting
from wirebroker.metrics import catalogue
from wirebroker.metrics.rates import Rates
from wirebroker.monitoring.csv_metrics import CsvMetrics
from wirebroker.monitoring.settings import is_asked_for
from wirebroker.tests.traced_broker import run_traced_broker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from wirebroker.metrics.metric import Snapshot

REPORTER = "kafka.metrics.KafkaCSVMetricsReporter"
FILE = "kafka.server:type=ReplicaManager,name=LeaderCount.csv"


def read(path: Path) -> list[list[str]]:
    with path.open(newline="") as file:
        return list(csv.reader(file))


async def test_a_broker_writes_a_line_for_each_interval(tmp_path: Path) -> None:
    directory = tmp_path / "metrics"
    settings = {
        "kafka.metrics.reporters": REPORTER,
        "kafka.csv.metrics.reporter.enabled": "true",
        "kafka.csv.metrics.dir": str(directory),
        "kafka.metrics.polling.interval.secs": 1,
    }
    async with run_traced_broker(tmp_path / "data", settings):
        with trio.fail_after(60):
            while not (directory / FILE).exists() or len(read(directory / FILE)) < 3:  # noqa: ASYNC110
                await trio.sleep(0.05)
    header, *lines = read(directory / FILE)
    assert header == ["# time", "Value"]
    assert [value for _, value in lines] == ["0"] * len(lines)


@pytest.mark.parametrize(
    "settings",
    [
        {"kafka.csv.metrics.reporter.enabled": "true"},
        {"kafka.metrics.reporters": REPORTER},
        {"kafka.metrics.reporters": "a.Reporter", "kafka.csv.metrics.reporter.enabled": "true"},
    ],
)
def test_both_settings_are_needed(settings: dict[str, str]) -> None:
    found = {name: Setting(name, text, Origin.FLAG, "test") for name, text in settings.items()}
    assert not is_asked_for(BrokerConfig(found))


async def test_a_failure_is_logged_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def collect(work: Callable[[Snapshot], Iterable[Any]]) -> list[Any]:
        return list(work([(catalogue.LEADER_COUNT, [((), 3)])]))

    collector: Any = SimpleNamespace(rates=Rates(), collect=collect)
    (tmp_path / "file").touch()
    metrics = CsvMetrics(collector, tmp_path / "file")
    await metrics.write()
    await metrics.write()
    (line,) = caplog.messages
    assert line == f"metrics cannot be written to {tmp_path / 'file'}: File exists"
    caplog.set_level("INFO")
    (tmp_path / "file").unlink()
    await metrics.write()
    assert caplog.messages[-1] == f"metrics are written to {tmp_path / 'file'} again"
    assert [line[1:] for line in read(tmp_path / "file" / FILE)] == [["Value"], ["3"]]
