"""`wirebroker config check`: findings as a table and as JSON, and the exit code."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from wirebroker.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Check = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.environ", {})


@pytest.fixture
def check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Check:
    """Check a file of this text, with these options; returns the exit code, standard output and standard error."""

    def run(text: str, *options: str) -> tuple[int, str, str]:
        path = tmp_path / "server.properties"
        path.write_text(text)
        code = main(["config", "check", str(path), *options])
        out, err = (each.replace(f"{tmp_path}/", "") for each in capsys.readouterr())
        return code, out, err

    return run


STOCK = """# as shipped
broker.id=0
num.network.threads=3
log.dirs=/tmp/kafka-logs
zookeeper.connect=localhost:2181
zookeeper.set.acl=true
group.initial.rebalance.delay.ms=0
"""


def as_document(check: Check, text: str, *options: str) -> tuple[int, Any]:
    code, out, _ = check(text, "--format", "json", *options)
    return code, json.loads(out)


def test_a_file_whose_settings_all_have_an_effect(check: Check) -> None:
    code, out, err = check("log.dirs=/d\nnum.partitions=3\n")
    assert (code, out, err) == (0, "2 settings: all of them have their effect\n", "")
    assert as_document(check, "num.partitions=3\n") == (0, {"ok": True, "settings": 1, "findings": []})


def test_the_table_lists_faults_first(check: Check) -> None:
    code, out, err = check(STOCK + "log.segment.byte=1\nnum.partitions=0\nauthorizer.class.name=a.B\n")
    head, *rows, blank, summary = out.splitlines()
    assert (code, err, blank) == (1, "", "")
    assert head.split() == ["RESULT", "KEY", "VALUE", "SOURCE", "DETAIL"]
    column = head.index("KEY")
    assert [(row[:column].strip(), row[column:].split()[0]) for row in rows] == [
        ("invalid", "num.partitions"),
        ("refused", "authorizer.class.name"),
        ("refused", "zookeeper.set.acl"),
        ("unknown", "log.segment.byte"),
        ("no effect", "num.network.threads"),
    ]
    assert rows[3].split()[2:4] == ["-", "server.properties:8"]
    assert rows[3].endswith("did you mean log.segment.bytes?")
    assert summary == "9 settings: 1 invalid, 2 refused, 1 unknown, 1 no effect"


def test_an_accepted_setting_is_no_fault(check: Check) -> None:
    assert check(STOCK)[0] == 1
    code, document = as_document(check, STOCK, "--standalone")
    assert (code, document["ok"]) == (0, True)
    assert [(each["result"], each["key"]) for each in document["findings"]] == [
        ("ignored", "zookeeper.connect"),
        ("ignored", "zookeeper.set.acl"),
        ("no effect", "num.network.threads"),
    ]
    assert check("super.users=User:a\n", "--ignore-unsupported", "super.users")[0] == 0


def test_json(check: Check) -> None:
    _, document = as_document(check, "ssl.key.password=swordfish\n")
    assert document["findings"] == [
        {
            "result": "refused",
            "key": "ssl.key.password",
            "value": "[hidden]",
            "source": "server.properties:1",
            "detail": "connections are not encrypted and no client has to show a certificate; remove it, or start with "
            "--ignore-unsupported ssl.key.password to accept that",
        }
    ]


def test_text_is_a_line_for_each_finding_with_tabs(check: Check) -> None:
    assert check("num.io.threads=3\n", "--format", "text")[1] == (
        "no effect\tnum.io.threads\t3\tserver.properties:1\tremove it\n"
    )


def test_the_environment_and_options_are_checked(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.environ", {"KAFKA_NUM_PARTITONS": "7", "KAFKA_SUPER_USERS": "User:a"})
    assert main(["config", "check", "--set", "num.io.threads=1", "--format", "text"]) == 1
    assert [line.split("\t")[:2] for line in capsys.readouterr().out.splitlines()] == [
        ["refused", "super.users"],
        ["unknown", "KAFKA_NUM_PARTITONS"],
        ["no effect", "num.io.threads"],
    ]


@pytest.mark.parametrize(
    ("text", "options", "line"),
    [
        ("", ("--ignore-unsupported", "super.user"), "did you mean super.users?"),
        ("a=\\u12\n", (), "line 1: \\u is not followed by four hexadecimal digits"),
    ],
)
def test_an_unreadable_file_or_option_is_one_line(check: Check, text: str, options: tuple[str, ...], line: str) -> None:
    code, out, err = check(text, *options)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert line in err


def test_settings_that_contradict_each_other_hide_nothing(check: Check) -> None:
    text = "log.dirs=/a,/a\nauthorizer.class.name=x\nnum.partiton=3\nlisteners=PLAINTEXT\nnum.partitions=0\n"
    code, document = as_document(check, text)
    found = [(each["result"], each["key"], each["source"]) for each in document["findings"]]
    assert (code, document["ok"]) == (1, False)
    assert sorted(found) == [
        ("invalid", "listeners", "server.properties:4"),
        ("invalid", "log.dirs", "server.properties:1"),
        ("invalid", "num.partitions", "server.properties:5"),
        ("refused", "authorizer.class.name", "server.properties:2"),
        ("unknown", "num.partiton", "server.properties:3"),
    ]


def test_wrong_usage_is_2(check: Check) -> None:
    with pytest.raises(SystemExit) as end:
        check("", "--format", "xml")
    assert end.value.code == 2
