"""ControllerWatch, and the notification of a failed log directory, on the fake ZooKeeper."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import trio
from trio.testing import wait_all_tasks_blocked

from wirebroker.tests.zookeeper.fake_client import LostRequest
from wirebroker.tests.zookeeper.fake_zookeeper import FakeZooKeeper
from wirebroker.tests.zookeeper.harness import member
from wirebroker.zookeeper.controller_watch import ControllerWatch
from wirebroker.zookeeper.log_dir_events import LogDirEvents
from wirebroker.zookeeper.operations import CreateMode
from wirebroker.zookeeper.znodes.cluster import CONTROLLER_PATH, Controller

if TYPE_CHECKING:
    import pytest
    from trio.testing import MockClock


async def test_the_controller_is_followed(caplog: pytest.LogCaptureFixture) -> None:
    zookeeper = FakeZooKeeper()
    async with member(zookeeper) as this:
        seen: list[int] = []
        watch = ControllerWatch(this.session, seen.append)
        await this.nursery.start(watch.run)
        assert (watch.controller_id, seen) == (-1, [])
        async with member(zookeeper) as other:
            await other.client.create(CONTROLLER_PATH, Controller(2, 7).encode(), CreateMode.EPHEMERAL)
            await wait_all_tasks_blocked()
            assert (watch.controller_id, seen) == (2, [2])
            zookeeper.down()
            await wait_all_tasks_blocked()
            assert watch.controller_id == 2
            zookeeper.nodes[CONTROLLER_PATH].data = b'{"version":1,"brokerid":3,"timestamp":"1"}'
            zookeeper.up()
            await wait_all_tasks_blocked()
            assert (watch.controller_id, seen) == (3, [2, 3])
            await other.client.set(CONTROLLER_PATH, b"?")
            await wait_all_tasks_blocked()
            assert seen == [2, 3, -1]
            assert "znode /controller is corrupt" in caplog.text
            await other.client.delete(CONTROLLER_PATH)
            await wait_all_tasks_blocked()
            assert seen == [2, 3, -1, -1]
            zookeeper.down()
            zookeeper.up()
            await wait_all_tasks_blocked()
            assert seen == [2, 3, -1, -1]


async def test_a_failed_log_directory_is_told(autojump_clock: MockClock, caplog: pytest.LogCaptureFixture) -> None:
    zookeeper = FakeZooKeeper()
    async with member(zookeeper) as this:
        events = LogDirEvents(this.session, 4)
        this.nursery.start_soon(events.run)
        await trio.sleep(5)
        assert zookeeper.children("/log_dir_event_notification") == []
        zookeeper.nodes["/log_dir_event_notification"].owner = 1  # no children below an ephemeral znode
        events.log_dir_failed()
        await trio.sleep(0.5)
        zookeeper.nodes["/log_dir_event_notification"].owner = 0
        this.client.faults.append(LostRequest())
        await trio.sleep(1)
        assert caplog.text.count("cannot be told of the failed log directory") == 1
        (name,) = zookeeper.children("/log_dir_event_notification")
        data = zookeeper.read(f"/log_dir_event_notification/{name}")
        assert json.loads(data or b"") == {"version": 1, "broker": 4, "event": 1}
