"""Servers that tests start: those of a test end with it, those of longer fixtures live on."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from compat_tests.broker import Wirebroker
from compat_tests.fork_server import ForkServer
from tools.jvm.server_process import ServerProcess
from wirebroker.protocol.messages.metadata import MetadataRequest

if TYPE_CHECKING:
    from pathlib import Path


class Sleeping(ServerProcess):
    """A process that does nothing."""

    def __init__(self) -> None:
        super().__init__()
        self._process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])

    @property
    def running(self) -> bool:
        """Whether the process was neither killed nor has ended."""
        return self._process is not None and not self.has_ended


@pytest.fixture(scope="module")
def started_by_tests() -> list[Sleeping]:
    return []


@pytest.fixture(scope="module")
def of_the_module() -> Sleeping:
    return Sleeping()


@pytest.fixture(scope="session")
def of_the_session() -> Sleeping:
    return Sleeping()


def test_a_test_starts_servers(request: pytest.FixtureRequest, started_by_tests: list[Sleeping]) -> None:
    """One by itself, and those of fixtures that it is the first to ask for."""
    of_fixtures = [request.getfixturevalue(name) for name in ("of_the_module", "of_the_session")]
    started_by_tests += [Sleeping(), *of_fixtures]
    assert [server.running for server in started_by_tests] == [True, True, True]


def test_only_its_own_has_ended_with_it(started_by_tests: list[Sleeping]) -> None:
    assert [server.running for server in started_by_tests] == [False, True, True]
    for server in started_by_tests[1:]:
        server.kill()


def test_a_forked_broker_is_one_like_any_other(tmp_path: Path) -> None:
    """It has its port, its output and its exit code, starts again, and ends with the server."""
    server = ForkServer()
    first, second = (Wirebroker(tmp_path / name, {"broker.id": name}) for name in ("1", "2"))
    for broker in (first, second):
        broker.launch = server.launch
        broker.start()
    assert first.pid != second.pid
    port = first.port
    first.stop()
    first.start()
    with first.connect() as wire:
        assert wire.ask(MetadataRequest(topics=None), 1).controller_id == 1
    assert (first.port, first.starts) == (port, 2)
    assert first.log().count("ready: broker 1") == 2
    second.kill()
    assert not second.running
    second.start()
    server.kill()
    assert not second.running


@pytest.mark.parametrize("first", [[], ["start"]], ids=["module", "module-and-argument"])
def test_a_forked_program_fails_as_any_other(tmp_path: Path, first: list[str]) -> None:
    server = ForkServer()
    found = []
    for name, launch in (("forked", server.launch), ("other", Wirebroker(tmp_path).launch)):
        arguments = ["start", "--set", "no.such.key"][len(first) :]
        process = launch(["-m", "wirebroker", *first], arguments, tmp_path / name, {})
        found.append((process.wait(60), (tmp_path / name).read_text()))
    server.kill()
    assert found[0] == found[1]
    assert found[0][0] != 0
    assert "no.such.key" in found[0][1]


def test_a_forked_process_may_have_the_id_of_one_that_has_ended() -> None:
    server = ForkServer()
    first, second = 1 << 30, (1 << 30) + 1  # no process has them
    told = iter([{"pid": first}, {"pid": first, "code": -9}, {"pid": second}, {"pid": first}])
    server._read(json.dumps(line).encode() for line in told)  # type: ignore[arg-type]
    assert [(each.pid, each.poll()) for each in server._started] == [(first, -9), (second, None), (first, None)]
    told = iter([{"pid": second, "code": 0}, {"pid": first, "code": 1}])
    server._read(json.dumps(line).encode() for line in told)  # type: ignore[arg-type]
    assert [each.poll() for each in server._started] == [-9, 0, 1]
