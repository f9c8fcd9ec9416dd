"""A broker that is stopped for longer than the session timeout: members with a heartbeat meanwhile stay members."""

from __future__ import annotations

import os
import signal
import time
from typing import TYPE_CHECKING

from compat_tests.conftest import wait_until
from compat_tests.group_scenario import GroupScenario
from tools.bench.group_wire import await_coordinator
from wirebroker.protocol.messages.describe_groups import DescribeGroupsRequest

if TYPE_CHECKING:
    from collections.abc import Callable

    from compat_tests.broker import Wirebroker

SESSION_S = 10
MEMBERS = 6


def test_members_outlive_a_standstill(start_wirebroker: Callable[..., Wirebroker]) -> None:
    broker = start_wirebroker({"group.min.session.timeout.ms": "500"})
    await_coordinator((broker.host, broker.port))
    with GroupScenario(broker, "g", "t") as scenario:
        members: list[tuple[str, str]] = []
        for number in range(MEMBERS):
            group = f"g{number}"
            answer = scenario.join(group, 3, group=group, session_ms=SESSION_S * 1000)
            assert scenario.sync(group, 3, answer.member_id, 1, {}, group=group).error_code == 0
            members.append((group, answer.member_id))
        silent = scenario.join("silent", 3, group="silent", session_ms=SESSION_S * 1000)
        scenario.sync("silent", 3, silent.member_id, 1, {}, group="silent")
        for name, member_id in members:
            assert scenario.heartbeat(name, 3, member_id, 1, group=name).error_code == 0
        os.kill(broker.pid, signal.SIGSTOP)
        try:
            for name, member_id in members:
                scenario.send_heartbeat(name, member_id, 1, group=name)
            time.sleep(SESSION_S + 1)
        finally:
            os.kill(broker.pid, signal.SIGCONT)
        for name, _ in members:
            assert scenario.receive(name).error_code == 0, name
        for name, member_id in members:
            assert scenario.heartbeat(name, 3, member_id, 1, group=name).error_code == 0, name
        # no session ends at once, so that all heartbeats can be read
        described = DescribeGroupsRequest(["silent"])
        wait_until(lambda: scenario.ask_unrecorded("t", described, 5).groups[0].group_state == "Empty")
        assert scenario.heartbeat("silent", 3, silent.member_id, 1, group="silent").error_code == 25
