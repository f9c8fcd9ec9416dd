"""Connect in distributed mode on three wirebrokers, which are killed one after the other while connectors copy."""

from __future__ import annotations

from threading import Event, Thread
from typing import TYPE_CHECKING

import pytest

from compat_tests.cluster.three_wirebrokers import ThreeWirebrokers
from compat_tests.conftest import wait_until
from compat_tests.connect_worker import ConnectWorker
from compat_tests.directory_scenario import consume_all
from compat_tests.limits import join
from compat_tests.spark_help import create_topic
from compat_tests.versions import KAFKA

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Self

    from tools.jvm.kafka import KafkaDist

FILES, GROUP, TOPIC = 3, "connect-workers", "lines"


class GrowingFiles:
    """Files to which a thread appends numbers, ten lines a second to each, until the end of the block."""

    def __init__(self, directory: Path) -> None:
        self.paths = [directory / f"lines-{number}" for number in range(FILES)]
        self.written = 0
        for path in self.paths:
            path.touch()
        self._stopped = Event()
        self._thread = Thread(target=self._run, name="growing files", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        join(self._thread)

    def _run(self) -> None:
        while not self._stopped.wait(0.2):
            for number, path in enumerate(self.paths):
                with path.open("a") as lines:
                    lines.writelines(f"{number} {at}\n" for at in range(self.written, self.written + 2))
            self.written += 2


@pytest.mark.nightly
def test_every_line_is_copied_once(kafka_dist: Callable[[str], KafkaDist], tmp_path: Path) -> None:
    """Sources with exactly-once support read files, a sink writes one: no line is lost, and none is read twice."""
    with ThreeWirebrokers(tmp_path / "cluster", kafka_dist(KAFKA)) as cluster:
        create_topic(cluster.bootstrap(), TOPIC, 1)
        cluster.await_in_sync()
        (tmp_path / "connect").mkdir()
        worker = ConnectWorker(cluster.bootstrap(), tmp_path / "connect", replicas=3)
        target = tmp_path / "target"
        with worker.running():
            files = GrowingFiles(tmp_path)
            # with a small batch size the connector keeps what it has read until the file has grown again
            for number, path in enumerate(files.paths):
                worker.read_file(f"source-{number}", path, TOPIC, batch_size=2000)
            worker.write_file("sink", TOPIC, target)

            def copied() -> int:
                return target.read_text().count("\n") if target.exists() else 0

            with files:
                wait_until(lambda: copied() > 0)
                cluster.kill_and_restart(cluster.leader(TOPIC))
                cluster.kill_and_restart(cluster.transaction_coordinator("connect"))
                cluster.kill_and_restart(cluster.group_coordinator(GROUP))
                cluster.kill_and_restart(cluster.controller())
            wanted = {f"{number} {at}" for number in range(FILES) for at in range(files.written)}

            def found() -> list[str]:
                records = consume_all(cluster.bootstrap(), {TOPIC}, "read_committed")[TOPIC, 0]
                return [(each.value or b"").decode() for each in records]

            wait_until(lambda: len(found()) >= len(wanted), 240)
            wait_until(lambda: wanted <= set(target.read_text().splitlines()), 240)
        lines = found()
        assert len(lines) == len(set(lines)), "a line was read twice"
        assert set(lines) == wanted
        for number in range(FILES):
            in_order = [line for line in lines if line.startswith(f"{number} ")]
            assert in_order == [f"{number} {at}" for at in range(files.written)]
