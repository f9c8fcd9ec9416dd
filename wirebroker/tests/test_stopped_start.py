"""A broker of a cluster stops while its start waits for ZooKeeper, without having registered."""

from __future__ import annotations

import logging
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from wirebroker.broker import run_broker
from wirebroker.cluster_member import cluster_mode
from wirebroker.tests.controller.fakes import broker_config
from wirebroker.tests.zookeeper.client_contract import info
from wirebroker.tests.zookeeper.fake_zookeeper import FakeZooKeeper
from wirebroker.tests.zookeeper.harness import member
from wirebroker.zookeeper.registration import BrokerRegistration

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator
    from pathlib import Path

    from trio.testing import MockClock

    from wirebroker.broker import Ready
    from wirebroker.config.server import BrokerConfig
    from wirebroker.zookeeper.connection import ZooKeeperSettings
    from wirebroker.zookeeper.session import Session

PATH = "/brokers/ids/1"


class CallAtLine(logging.Handler):
    """Calls *call* with each log message that has *text*."""

    def __init__(self, text: str, call: Callable[[], None]) -> None:
        super().__init__()
        self._text, self._call = text, call

    def emit(self, record: logging.LogRecord) -> None:
        if self._text in record.getMessage():
            self._call()


@contextmanager
def calling_at(text: str, call: Callable[[], None]) -> Iterator[None]:
    handler = CallAtLine(text, call)
    logger = logging.getLogger("wirebroker")
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)


def use(monkeypatch: pytest.MonkeyPatch, zookeeper: FakeZooKeeper, before_start: Callable[[], None]) -> None:
    """Have brokers open sessions with *zookeeper*, after which *before_start* is called."""

    @asynccontextmanager
    async def open_zookeeper(settings: ZooKeeperSettings, stop: trio.Event) -> AsyncIterator[Session]:
        async with member(zookeeper) as this:
            before_start()
            yield this.session
            await this.client.close()

    monkeypatch.setattr(cluster_mode, "open_zookeeper", open_zookeeper)


def config(directory: Path) -> BrokerConfig:
    return broker_config(
        zookeeper_connect="fake:1",
        broker_id=1,
        log_dirs=directory,
        listeners="PLAINTEXT://127.0.0.1:0",
        advertised_listeners="PLAINTEXT://127.0.0.1:9092",
    )


def never_ready(ready: Ready) -> None:
    pytest.fail("the broker is ready")


async def test_a_start_stops_while_it_waits_for_the_end_of_its_former_registration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mock_clock: MockClock
) -> None:
    zookeeper = FakeZooKeeper()  # which ends no session, as the clock stands still
    stop = trio.Event()
    use(monkeypatch, zookeeper, lambda: None)
    async with member(zookeeper) as earlier:
        former = await BrokerRegistration(earlier.session, info()).register()
        with calling_at("of an earlier process; waiting up to", stop.set):
            await run_broker(config(tmp_path), stop, never_ready)
        assert stop.is_set()
        assert zookeeper.nodes[PATH].czxid == former
        assert "/controller" not in zookeeper.nodes


async def test_a_start_stops_while_it_waits_for_zookeeper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    zookeeper = FakeZooKeeper()
    stop = trio.Event()
    use(monkeypatch, zookeeper, zookeeper.down)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(run_broker, config(tmp_path), stop, never_ready)
        await wait_all_tasks_blocked()
        stop.set()
