"""Session on the fake ZooKeeper: pings, lost connections, expired sessions."""

from __future__ import annotations

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from wirebroker.tests.zookeeper.fake_client import LostAnswer, LostRequest
from wirebroker.tests.zookeeper.fake_zookeeper import FakeZooKeeper
from wirebroker.tests.zookeeper.harness import member
from wirebroker.zookeeper import connection
from wirebroker.zookeeper.errors import ClientClosed
from wirebroker.zookeeper.operations import SessionEvent, SessionState


async def test_pings_come_every_third_of_the_timeout(autojump_clock: MockClock) -> None:
    zookeeper = FakeZooKeeper()
    async with member(zookeeper, timeout_s=9.0) as this:
        begin = trio.current_time()
        await trio.sleep(10)
        assert [round(time - begin, 3) for time in this.client.pings] == [0, 3, 6, 9]


async def test_a_connection_without_an_answer_to_a_ping_is_given_up(
    autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    zookeeper = FakeZooKeeper()
    async with member(zookeeper, timeout_s=9.0) as this:
        await trio.sleep(0.1)
        session_id = this.session.session_id
        this.client.is_silent = True
        states: list[SessionEvent] = []
        this.session.subscribe(states.append)
        await trio.sleep(5.8)
        assert states == []
        await trio.sleep(0.2)
        assert [event.state for event in states] == [SessionState.SUSPENDED, SessionState.CONNECTED]
        assert this.session.session_id == session_id
        assert "no answer to a ping in 3.0 s" in caplog.text
        pings = len(this.client.pings)
        await trio.sleep(9)
        assert len(this.client.pings) == pings + 3


async def test_requests_are_repeated_until_an_answer_comes() -> None:
    zookeeper = FakeZooKeeper()
    async with member(zookeeper) as this:
        zookeeper.put("/a", b"1")
        this.client.faults += [LostRequest("/a"), LostAnswer("/a")]
        stat = await this.session.retry(lambda: this.client.set("/a", b"2"))
        assert stat.version == 2
        zookeeper.down()
        outcome: list[bytes | None] = []

        async def read() -> None:
            outcome.append((await this.session.retry(lambda: this.client.get("/a"))).data)

        this.nursery.start_soon(read)
        await wait_all_tasks_blocked()
        assert outcome == []
        zookeeper.up()
        await wait_all_tasks_blocked()
        assert outcome == [b"2"]


async def test_a_session_that_expires_is_followed_by_another(caplog: pytest.LogCaptureFixture) -> None:
    zookeeper = FakeZooKeeper()
    async with member(zookeeper) as this:
        states: list[tuple[SessionState, int]] = []
        this.session.subscribe(lambda event: states.append((event.state, this.session.session_id)))
        before = this.session.session_id
        zookeeper.expire(this.client)
        await wait_all_tasks_blocked()
        after = this.session.session_id
        assert states == [
            (SessionState.SUSPENDED, before),
            (SessionState.EXPIRED, before),
            (SessionState.CONNECTED, after),
        ]
        assert this.session.former_ids == {before}
        assert f"session 0x{before:x} has expired" in caplog.text


async def test_what_depends_on_the_connection_hears_once_of_its_end() -> None:
    zookeeper = FakeZooKeeper()
    async with member(zookeeper) as this:
        calls: list[str] = []

        def forgotten() -> None:
            calls.append("forgotten")

        this.session.call_once_lost(lambda: calls.append("lost"))
        this.session.call_once_lost(forgotten)
        this.session.forget(forgotten)
        this.client.drop_connection()
        await wait_all_tasks_blocked()
        this.client.drop_connection()
        await wait_all_tasks_blocked()
        assert calls == ["lost"]


async def test_the_reason_is_logged_while_there_is_no_connection(
    autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    zookeeper = FakeZooKeeper()
    async with member(zookeeper) as this:
        await trio.sleep(0.1)
        this.client.last_connect_error = "127.0.0.1:2181: timed out"
        zookeeper.down()
        await trio.sleep(70)
        lines = [each for each in caplog.messages if "no connection for" in each]
        assert [each.partition("no connection ")[2].partition(";")[0] for each in lines] == [
            "for 30 s (127.0.0.1:2181: timed out)",
            "for 60 s (127.0.0.1:2181: timed out)",
        ]
        zookeeper.up()
        await trio.sleep(70)
        assert len([each for each in caplog.messages if "no connection for" in each]) == 2


async def test_a_session_whose_end_no_server_confirms_is_told(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with member(FakeZooKeeper()) as this:
        monkeypatch.setattr(this.client, "close", trio.sleep_forever)
        await connection._close(this.session)
    assert "no server has confirmed the end of the session" in caplog.text


async def test_a_client_that_is_closed_ends_all_waits() -> None:
    zookeeper = FakeZooKeeper()
    with pytest.RaisesGroup(ClientClosed):
        async with member(zookeeper) as this:
            zookeeper.down()
            await this.client.close()
            await trio.sleep_forever()
