"""Every command that has `--format` prints valid JSON with snake_case keys, a table with a header, and plain text."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from wirebroker.cli.commands import COMMANDS, TABLE
from wirebroker.cli.main import main
from wirebroker.tests.cli.fake_cluster import GROUP, TOPIC, TRANSACTION_START, TRANSACTIONAL_ID, FakeConnection

if TYPE_CHECKING:
    from pathlib import Path

_PARTITION = ("--topic", TOPIC, "--partition", "0")
ARGUMENTS: dict[tuple[str, ...], tuple[str, ...]] = {
    ("groups", "list"): ("--state",),
    ("groups", "describe"): ("--group", GROUP),
    ("groups", "reset-offsets"): ("--group", "empty", "--topic", TOPIC, "--to-offset", "7"),
    ("groups", "delete"): ("--group", GROUP),
    ("groups", "delete-offsets"): ("--group", GROUP, "--topic", TOPIC),
    ("groups", "explain"): ("--group", GROUP),
    ("transactions", "list"): (),
    ("transactions", "describe"): ("--transactional-id", TRANSACTIONAL_ID),
    ("transactions", "describe-producers"): _PARTITION,
    ("transactions", "find-hanging"): _PARTITION,
    ("transactions", "abort"): (*_PARTITION, "--start-offset", str(TRANSACTION_START)),
    ("config", "check"): ("--set", "num.io.threads=3"),
    ("config", "print"): (),
    ("log", "verify"): ("{directory}",),
    ("log", "repair"): ("{directory}",),
    ("topics", "explain-retention"): (TOPIC,),
    ("records", "delete"): (f"{TOPIC}:0=5",),
    ("offsets", "get"): (TOPIC,),
    ("log-dirs", "describe"): (),
    ("log-dirs", "move"): (f"{TOPIC}:0", "--to", "/data"),
    ("cluster", "info"): (),
    ("cluster", "features"): (),
    ("cluster", "unregister"): ("3",),
    ("api-versions",): (),
    ("configs", "describe"): ("--topic", TOPIC),
    ("configs", "alter"): ("--topic", TOPIC, "--add-config", "retention.ms=1"),
    ("quotas", "describe"): (),
    ("quotas", "alter"): ("--user", "u", "--set", "producer_byte_rate=7"),
    ("topics", "list"): (),
    ("topics", "create"): ("new", "--partitions", "2"),
    ("topics", "describe"): (TOPIC,),
    ("topics", "alter"): (TOPIC, "--partitions", "3", "--config", "retention.ms=1"),
    ("topics", "delete"): (TOPIC,),
    ("cluster", "describe"): ("--epochs",),
    ("reassign", "generate"): ("--topics-to-move-json-file", "{directory}/topics.json", "--broker-list", "0"),
    ("reassign", "execute"): ("--additional", "--reassignment-json-file", "{directory}/plan.json"),
    ("reassign", "verify"): ("--reassignment-json-file", "{directory}/plan.json"),
    ("reassign", "cancel"): ("--reassignment-json-file", "{directory}/plan.json"),
    ("reassign", "list"): (),
    ("elect",): ("--election-type", "preferred", "--all-topic-partitions"),
    ("replicas", "verify"): (),
}
"""Arguments with which a command has something to print."""
QUIET = {("transactions", "abort")}
"""Commands that print nothing but JSON."""
WITHOUT_HEADER = {
    ("groups", "explain"),
    ("log", "verify"),
    ("log", "repair"),
    ("config", "check"),
    ("topics", "explain-retention"),
    ("topics", "describe"),
    ("cluster", "info"),
    ("cluster", "describe"),
    ("reassign", "generate"),
    ("reassign", "execute"),
    ("reassign", "verify"),
    ("reassign", "cancel"),
    ("elect",),
}
OWN_FORMATS = {("demo", "flights"), ("consume",), ("perf", "produce"), ("perf", "consume"), ("perf", "end-to-end")} | {
    ("metrics",),
    ("doctor",),
}
WITHOUT_FORMAT = {("start",), ("dump-log",), ("cluster", "up"), ("produce",), ("quickstart",), ("mirror",)} | {
    ("server-stop",),
    ("completion",),
    ("top",),
    ("state-changes", "merge"),
}

WITHOUT_FORMAT |= {("verifiable-producer",), ("verifiable-consumer",), ("export",), ("import",)}


@pytest.fixture(autouse=True)
def cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wirebroker.client.admin.Connection", FakeConnection)
    monkeypatch.setattr("os.environ", {})


def printed(words: tuple[str, ...], form: str, directory: Path, capsys: pytest.CaptureFixture[str], *more: str) -> str:
    (directory / "t-0").mkdir(exist_ok=True)
    (directory / "topics.json").write_text('{"version":1,"topics":[{"topic":"t"}]}')
    (directory / "plan.json").write_text(
        '{"version":1,"partitions":[{"topic":"t","partition":0,"replicas":[0],"log_dirs":["any"]}]}'
    )
    arguments = [each.format(directory=directory) for each in ARGUMENTS[words]]
    assert main([*words, *arguments, *more, "--format", form]) == 0
    return capsys.readouterr().out


def keys(document: Any) -> list[str]:
    """The keys of all objects in *document*."""
    if isinstance(document, dict):
        return [*document, *(key for value in document.values() for key in keys(value))]
    return [key for value in document for key in keys(value)] if isinstance(document, list) else []


def test_every_command_with_formats_is_tested() -> None:
    have = {
        command.words
        for command in COMMANDS
        if any("--format" in action.option_strings for action in TABLE.parser(command)._actions)
    }
    assert have == ARGUMENTS.keys() | OWN_FORMATS
    assert {command.words for command in COMMANDS} - have == WITHOUT_FORMAT


@pytest.mark.parametrize("words", ARGUMENTS, ids=" ".join)
def test_json(words: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = keys(json.loads(printed(words, "json", tmp_path, capsys)))
    assert names
    assert [name for name in names if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name)] == []


@pytest.mark.parametrize("words", ARGUMENTS, ids=" ".join)
def test_a_table(words: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(words, "table", tmp_path, capsys).strip().splitlines()
    assert bool(lines) == (words not in QUIET)
    if words not in QUIET | WITHOUT_HEADER:
        starts = [match.start() for match in re.finditer(r"\S+( \(ID\))?", lines[0])]
        assert all(line[start - 1].isspace() for line in lines[1:] for start in starts[1:] if start < len(line))


@pytest.mark.parametrize("words", [each for each in ARGUMENTS if each not in QUIET | WITHOUT_HEADER], ids=" ".join)
def test_text_has_the_table_s_cells(words: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = printed(words, "table", tmp_path, capsys).strip().splitlines()
    text = printed(words, "text", tmp_path, capsys).splitlines()
    assert len(text) == len(table) - 1
    assert len(text[0].split("\t")) == len(re.findall(r"\S+(?: \(ID\))?", table[0]))


@pytest.mark.parametrize(
    ("what", "says"),
    [(("--members", "--verbose"), "/127.0.0.1"), (("--state",), "broker:9092"), (("--offsets",), "/127.0.0.1")],
)
@pytest.mark.parametrize("form", ["json", "table", "text"])
def test_describe_of_members_and_state(
    what: tuple[str, ...], says: str, form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert says in printed(("groups", "describe"), form, tmp_path, capsys, *what)


def test_a_group_that_does_not_exist(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["groups", "describe", "--group", "nobody", "--format", "json"]) == 1
    assert capsys.readouterr() == ("[]\n", "wirebroker: consumer group 'nobody' does not exist\n")


def test_the_bootstrap_server_of_the_environment(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[str] = []

    class RecordedRequests(FakeConnection):
        def __init__(self, address: Any, timeout_s: float, client_id: str = "", security: object = None) -> None:
            super().__init__(address, timeout_s, client_id)
            asked.append(self.address)

    monkeypatch.setattr("wirebroker.client.admin.Connection", RecordedRequests)
    monkeypatch.setattr("os.environ", {"WIREBROKER_BOOTSTRAP_SERVER": "elsewhere:1"})
    for more, address in (
        ([], "elsewhere:1"),
        (["-b", "here:2"], "here:2"),
        (["--bootstrap-server", "[::1]:3"], "[::1]:3"),
    ):
        asked.clear()
        assert main(["groups", "list", *more]) == 0
        assert asked[0] == address
