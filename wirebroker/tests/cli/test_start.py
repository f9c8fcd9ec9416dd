"""`wirebroker start` with a fake broker: the ready line, signals, and exit codes."""

from __future__ import annotations

import errno
import logging
import os
import resource
import signal
import sys
from typing import TYPE_CHECKING

import pytest
import trio
import trio.testing

from wirebroker import __version__
from wirebroker.broker import Ready
from wirebroker.cli import start as start_command
from wirebroker.cli.main import main
from wirebroker.startup import StartupError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from wirebroker.config.server import BrokerConfig

    FakeBroker = Callable[[BrokerConfig, trio.Event, Callable[[Ready], None], Callable[[], bool]], Awaitable[None]]


@pytest.fixture(autouse=True)
def as_before(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Leave the process's logging and limits as they were."""
    monkeypatch.setattr("os.environ", {})
    monkeypatch.setattr(logging, "basicConfig", lambda **_: None)
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    interval_s = sys.getswitchinterval()
    hangup = signal.signal(signal.SIGHUP, signal.SIG_DFL)  # under nohup it is ignored, and a broker leaves that so
    yield
    signal.signal(signal.SIGHUP, hangup)
    resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    sys.setswitchinterval(interval_s)


def start(monkeypatch: pytest.MonkeyPatch, broker: FakeBroker, *words: str) -> int:
    monkeypatch.setattr(start_command, "run_broker", broker)
    return main(["start", *words])


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_ready_and_a_clean_stop(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    number: signal.Signals,
) -> None:
    caplog.set_level(logging.INFO)
    before = signal.getsignal(signal.SIGINT)

    async def broker(config: BrokerConfig, stop: trio.Event, ready: Callable[[Ready], None], _: object) -> None:
        ready(Ready(config.node_id, ["PLAINTEXT://127.0.0.1:9092", "OTHER://[::1]:1"], config.log_dirs))
        os.kill(os.getpid(), number)
        await stop.wait()

    assert start(monkeypatch, broker, "--data-dir", "/d/data", "--set", "node.id=3") == 0
    expected = "ready: broker 3 on PLAINTEXT://127.0.0.1:9092, OTHER://[::1]:1, data in /d/data"
    assert capsys.readouterr().out == f"wirebroker {__version__} {expected}\n"
    assert caplog.messages == [f"{number.name}: stopping", "stopped"]
    assert signal.getsignal(signal.SIGINT) is before


def test_a_hangup_that_is_ignored_stays_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    async def broker(config: BrokerConfig, stop: trio.Event, ready: Callable[[Ready], None], _: object) -> None:
        os.kill(os.getpid(), signal.SIGHUP)
        await trio.testing.wait_all_tasks_blocked()
        assert not stop.is_set()

    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        assert start(monkeypatch, broker) == 0
    finally:
        signal.signal(signal.SIGHUP, before)


def test_the_ready_line_has_absolute_paths() -> None:
    line = start_command.ready_line(0, ["PLAINTEXT://127.0.0.1:9092"], ("wirebroker-data",))
    assert line.endswith(f"on PLAINTEXT://127.0.0.1:9092, data in {os.getcwd()}/wirebroker-data")


def test_further_signals_cut_requests_off_and_skip_the_flush(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    async def broker(
        config: BrokerConfig, stop: trio.Event, ready: Callable[[Ready], None], skip_flush: Callable[[], bool]
    ) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        await stop.wait()
        os.kill(os.getpid(), signal.SIGTERM)
        try:
            await trio.sleep_forever()
        finally:
            with trio.CancelScope(shield=True):
                seen.append(skip_flush())
                os.kill(os.getpid(), signal.SIGTERM)
                await trio.testing.wait_all_tasks_blocked()
                seen.append(skip_flush())

    assert start(monkeypatch, broker) == 0
    assert seen == [False, True]


@pytest.mark.parametrize(
    ("fault", "line"),
    [
        (StartupError("cannot listen on PLAINTEXT://x:1:\nin use"), "cannot listen on PLAINTEXT://x:1: in use"),
        (OSError(errno.EACCES, "Permission denied", "/d"), "/d: Permission denied"),
        (OSError(errno.ENOSPC, "No space left on device"), "No space left on device"),
        (OSError("odd"), "odd"),
        (ExceptionGroup("", [ExceptionGroup("", [StartupError("a")]), StartupError("b")]), "a; b"),
    ],
)
def test_an_expected_error_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], fault: Exception, line: str
) -> None:
    async def broker(*_: object) -> None:
        raise fault

    assert start(monkeypatch, broker) == 1
    out, err = capsys.readouterr()
    assert (out, err) == ("", f"wirebroker: {line}\n")


@pytest.mark.parametrize("fault", [ValueError("a bug"), ExceptionGroup("", [OSError("a disk"), ValueError("a bug")])])
def test_an_unexpected_error_is_raised(monkeypatch: pytest.MonkeyPatch, fault: Exception) -> None:
    async def broker(*_: object) -> None:
        raise fault

    with pytest.raises(ExceptionGroup):
        start(monkeypatch, broker)


def test_a_wrong_setting_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["start", "--set", "log.segment.bytes=5"]) == 1
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith("wirebroker: Invalid value 5 for configuration log.segment.bytes")


def test_warnings_are_logged(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    async def broker(*_: object) -> None:
        await trio.lowlevel.checkpoint()

    assert start(monkeypatch, broker, "--set", "nonsense=1") == 0
    assert "nonsense (--set) is not a setting of a broker and is ignored" in caplog.messages


def test_each_refused_setting_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    started: list[object] = []

    async def broker(*given: object) -> None:
        started.append(given)
        await trio.lowlevel.checkpoint()

    wanted = ("--set", "authorizer.class.name=a.B", "--set", "zookeeper.set.acl=true")
    assert start(monkeypatch, broker, *wanted) == 1
    out, err = capsys.readouterr()
    first, second = err.splitlines()
    assert (out, started) == ("", [])
    assert first.startswith("wirebroker: authorizer.class.name=a.B (--set) is not supported: ")
    assert first.endswith("start with --ignore-unsupported authorizer.class.name to accept that")
    assert second.endswith("start with --standalone to accept that")
    assert start(monkeypatch, broker, *wanted, "--standalone", "--ignore-unsupported", "authorizer.class.name") == 0
    assert len(started) == 1


def test_the_limit_of_open_files_is_raised() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
    start_command.raise_open_files_limit()
    assert resource.getrlimit(resource.RLIMIT_NOFILE) == (hard, hard)
