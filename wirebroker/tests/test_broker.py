"""The composition root: background tasks that fail, and what listeners serve."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import trio

from wirebroker.broker import _accept_connections, max_connections
from wirebroker.composition import keep_running
from wirebroker.config.dynamic_config import DynamicConfig
from wirebroker.handlers.routes import RouteTable
from wirebroker.metadata.cache import MetadataCache
from wirebroker.metadata.image import ClusterImage
from wirebroker.quota.managers import QuotaManagers
from wirebroker.server.listener import Listener
from wirebroker.tests.controller.fakes import broker_config
from wirebroker.timer.timer import Timer

if TYPE_CHECKING:
    import pytest
    from trio.testing import MockClock

API_VERSIONS_2 = bytes.fromhex("0000000a 0012 0002 00000007 ffff")


async def test_a_task_that_fails_is_started_again(autojump_clock: MockClock, caplog: pytest.LogCaptureFixture) -> None:
    runs = 0

    async def work() -> None:
        nonlocal runs
        runs += 1
        if runs < 3:
            raise KeyError(runs)

    await keep_running("work", work)
    assert runs == 3
    assert [record.message for record in caplog.records] == ["background task work failed; it starts again in 1 s"] * 2


def test_peers_leave_descriptors_for_the_logs() -> None:
    for limit in (256, 1024, 65536):
        assert 64 <= max_connections(limit) < limit - max(64, limit // 3)


async def test_the_control_plane_listener_serves_the_apis_of_the_others() -> None:
    """As Apache Kafka does (KIP-291): only its processor and its limit of connections are its own."""
    config = broker_config(
        zookeeper_connect="z:1",
        listeners="PLAINTEXT://127.0.0.1:1,CTRL://127.0.0.1:2",
        listener_security_protocol_map="PLAINTEXT:PLAINTEXT,CTRL:PLAINTEXT",
        control_plane_listener_name="CTRL",
    )
    services = SimpleNamespace(
        config=DynamicConfig(config),
        metadata=MetadataCache(ClusterImage()),
        replicas=SimpleNamespace(timer=Timer()),
        routes=RouteTable(config.release_profile),
        fetchers=None,
        quotas=QuotaManagers(),
    )
    listeners = [Listener("PLAINTEXT", "127.0.0.1", 0), Listener("CTRL", "127.0.0.1", 0)]
    answers = []
    async with trio.open_nursery() as nursery:
        processors = _accept_connections(nursery, nursery, config, cast("Any", services), listeners)
        assert len(processors) == 2
        for listener in listeners:
            async with await trio.open_tcp_stream("127.0.0.1", listener.port) as client:
                await client.send_all(API_VERSIONS_2)
                answer = b""
                while len(answer) < 4 or len(answer) < 4 + int.from_bytes(answer[:4], "big"):
                    answer += await client.receive_some()
                answers.append(answer)
        nursery.cancel_scope.cancel()
    for listener in listeners:
        listener.close()
    assert answers[0] == answers[1]
    assert len(answers[0]) > 60 * 6, "all of them"
