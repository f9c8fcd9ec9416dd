"""Servers that tests start: those of a test end with it, those of longer fixtures live on."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tools.jvm.server_process import ServerProcess


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


def test_a_test_starts_servers(request: pytest.FixtureRequest, started_by_tests: list[Sleeping]) -> None:
    """One by itself, and one by the fixture that it is the first to ask for."""
    started_by_tests += [Sleeping(), request.getfixturevalue("of_the_module")]
    assert [server.running for server in started_by_tests] == [True, True]


def test_only_its_own_has_ended_with_it(started_by_tests: list[Sleeping]) -> None:
    assert [server.running for server in started_by_tests] == [False, True]
    started_by_tests[1].kill()
