"""An error of a command is one line without a traceback."""

from __future__ import annotations

import builtins
import errno
import os
import socket
from typing import TYPE_CHECKING, Any

import pytest

from wirebroker.cli.commands import COMMANDS
from wirebroker.cli.main import main
from wirebroker.tests.cli.fake_cluster import FakeConnection

if TYPE_CHECKING:
    from pathlib import Path

CLUSTER_COMMANDS = (
    ("produce", "t", "--value", "v"),
    ("consume", "t"),
    ("groups", "list"),
    ("groups", "describe", "--all-groups"),
    ("groups", "reset-offsets", "--group", "g", "--all-topics", "--to-latest"),
    ("groups", "delete", "--group", "g"),
    ("groups", "delete-offsets", "--group", "g", "--topic", "t"),
    ("groups", "explain", "--group", "g"),
    ("transactions", "list"),
    ("transactions", "describe", "--transactional-id", "x"),
    ("transactions", "describe-producers", "--topic", "t", "--partition", "0"),
    ("transactions", "find-hanging", "--topic", "t"),
    ("transactions", "abort", "--topic", "t", "--partition", "0", "--start-offset", "7"),
    ("topics", "list"),
    ("records", "delete", "t:0=1"),
    ("offsets", "get"),
    ("log-dirs", "describe"),
    ("log-dirs", "move", "t:0", "--to", "/data"),
    ("cluster", "info"),
    ("cluster", "features"),
    ("api-versions",),
    ("configs", "describe", "--topic", "t"),
    ("configs", "alter", "--topic", "t", "--add-config", "retention.ms=1"),
    ("quotas", "describe"),
    ("quotas", "alter", "--user", "u", "--set", "producer_byte_rate=1"),
    ("topics", "create", "t"),
    ("topics", "describe"),
    ("topics", "alter", "t", "--partitions", "3"),
    ("topics", "delete", "t"),
)


def only_line(capsys: pytest.CaptureFixture[str]) -> str:
    """Return standard error, which is one line; standard output is empty."""
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    return err.strip()


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WIREBROKER_BOOTSTRAP_SERVER", raising=False)


@pytest.mark.parametrize("words", CLUSTER_COMMANDS, ids=lambda words: " ".join(words[:2]))
@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused"), ": Connection refused"),
        (socket.gaierror(socket.EAI_NONAME, "Name or service not known"), ": Name or service not known"),
        (TimeoutError("timed out"), " within 5 s"),
        (UnicodeError("label empty or too long"), ": 'h' is no host name"),
    ],
    ids=["refused", "unknown host", "timeout", "no host name"],
)
def test_a_broker_that_cannot_be_reached(
    words: tuple[str, ...],
    fault: Exception,
    says: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def create_connection(*_: Any, **__: Any) -> None:
        raise fault

    monkeypatch.setattr(socket, "create_connection", create_connection)
    assert main([*words, "-b", "h:1"]) == 1
    assert only_line(capsys) == f"wirebroker: cannot reach a broker at h:1{says}"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("groups", "describe", "--group", "nobody"), "consumer group 'nobody' does not exist"),
        (("groups", "explain", "--group", "nobody"), "consumer group 'nobody' does not exist"),
        (("groups", "reset-offsets", "--group", "g", "--topic", "x", "--to-latest"), "stop its members"),
        (("groups", "reset-offsets", "--group", "e", "--topic", "x", "--to-latest"), "topic x does not exist"),
        (("groups", "reset-offsets", "--group", "e", "--topic", "t:9", "--to-latest"), "topic t has no partition 9"),
        (("groups", "reset-offsets", "--group", "e", "--topic", "t:x", "--to-latest"), "partitions are numbers"),
        (("groups", "reset-offsets", "--group", "e", "--all-topics", "--from-file", "/no/file"), "No such file"),
        (("groups", "delete-offsets", "--group", "g", "--topic", "x"), "topic x does not exist"),
        (("transactions", "describe-producers", "--topic", "x", "--partition", "0"), "x-0 does not exist"),
        (("transactions", "find-hanging", "--topic", "x"), "topic x does not exist"),
        (("transactions", "abort", "--topic", "x", "--partition", "0", "--start-offset", "1"), "x-0 does not exist"),
        (("transactions", "abort", "--topic", "t", "--partition", "0", "--start-offset", "1"), "begins at offset 1"),
        (("configs", "alter", "--topic", "t", "--delete-config", "x"), "Invalid config(s): x"),
        (("configs", "alter", "--user", "u", "--add-config", "x=1"), "Unexpected config names: x"),
        (("configs", "alter", "--user", "u", "--add-config", "producer_byte_rate=x"), "Cannot parse quota"),
        (("configs", "alter", "--user", "u", "--add-config", "SCRAM-SHA-256=[x=1]"), "Invalid credential property"),
        (("configs", "alter", "--user-defaults", "--add-config", "SCRAM-SHA-256=[password=x]"), "is not allowed"),
        (("configs", "alter", "--ip", "::1", "--add-config", "x=1"), "Unexpected config names: x"),
        (("configs", "alter", "--broker-logger", "0", "--add-config", "x=INFO"), "Invalid broker logger(s): x"),
        (("configs", "alter", "--topic", "t", "--add-config-file", "/no/file"), "No such file"),
        (("records", "delete", "x:0=1"), "x-0: UNKNOWN_TOPIC_OR_PARTITION"),
        (("records", "delete", "--offset-json-file", "/no/file"), "/no/file: No such file"),
        (("offsets", "get", "x"), "no partition matches"),
        (("log-dirs", "describe", "--broker-list", "7"), "there is no broker 7; there are 0"),
        (("log-dirs", "move", "t:0", "--to", "/x"), "t-0: LOG_DIR_NOT_FOUND"),
        (("log-dirs", "move", "t:0", "--to", "/data", "--broker", "7"), "there is no broker 7"),
        (("cluster", "features", "--upgrade", "x=1"), "features: INVALID_REQUEST: no such feature"),
        (("server-stop", "/no/directory"), "/no/directory: No such file or directory"),
        (("state-changes", "merge", "--logs", "/no/file"), "/no/file: No such file or directory"),
        (("topics", "describe", "x"), "topic x does not exist"),
        (("topics", "describe", "--topic-id", "AAECAwQFBgcICQoLDA0ODw"), "there is no topic with the id"),
        (("topics", "describe", "--topic-id", "short"), "an id has 22 characters"),
        (("topics", "create", "t"), "topic t: TOPIC_ALREADY_EXISTS: it exists."),
        (("topics", "alter", "x", "--partitions", "3"), "topic x does not exist"),
        (("topics", "delete", "t", "x"), "topic x does not exist"),
        (("topics", "delete", "("), "( is not a regular expression"),
    ],
)
def test_names_that_do_not_exist(
    words: tuple[str, ...], says: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("wirebroker.client.admin.Connection", FakeConnection)
    assert main(words) == 1
    assert says in only_line(capsys)


@pytest.mark.parametrize("content", ["t,0\n", "t,0,x\n", "t,zero,1\n", "g,t,0,1\n"])
def test_a_csv_of_another_form(
    content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("wirebroker.client.admin.Connection", FakeConnection)
    plan = tmp_path / "plan.csv"
    plan.write_text(content)
    assert main(["groups", "reset-offsets", "--group", "e", "--all-topics", "--from-file", str(plan)]) == 1
    assert only_line(capsys) == f"wirebroker: {plan}: each line is topic,partition,offset"


@pytest.mark.parametrize("command", ["verify", "repair"])
def test_no_directory(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "f"
    file.touch()
    assert main(["log", command, str(file)]) == 2
    assert only_line(capsys) == f"wirebroker: {file} is a file, not a data directory or a partition's directory"
    assert main(["log", command, str(tmp_path / "d")]) == 2
    assert only_line(capsys) == f"wirebroker: {tmp_path / 'd'} does not exist"


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("log", "verify", "{}"), 2),
        (("log", "repair", "{}"), 2),
        (("dump-log", "{}"), 1),
        (("config", "print", "--config", "{}"), 1),
        (("start", "--config", "{}"), 1),
    ],
)
def test_permission_denied(
    words: tuple[str, ...],
    code: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def denied(path: Any, *_: Any, **__: Any) -> Any:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    (tmp_path / "t-0").mkdir()
    with monkeypatch.context() as patched:
        for module, name in ((os, "open"), (os, "scandir"), (os, "listdir"), (builtins, "open")):
            patched.setattr(module, name, denied)
        result = main([word.format(tmp_path) for word in words])
    assert result == code
    assert only_line(capsys).endswith(": Permission denied")


@pytest.mark.parametrize("words", [each.words for each in COMMANDS], ids=" ".join)
@pytest.mark.parametrize("wrong", [("--no-such-option",), ("--format", "nonsense"), ("--timeout", "x")], ids=" ".join)
def test_wrong_usage_of_every_command(
    words: tuple[str, ...], wrong: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """An option that there is not, or a value that it cannot have: some of these commands have no such option."""
    with pytest.raises(SystemExit) as end:
        main([*words, *wrong])
    assert end.value.code == 2
    only_line(capsys)
