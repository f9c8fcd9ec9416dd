"""Flags over environment over file, and what a repeated or unreadable one does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from wirebroker.config.settings import Origin, Setting, from_file, from_flag, merge
from wirebroker.config.values import ConfigError

if TYPE_CHECKING:
    from pathlib import Path


def flag(name: str, text: str) -> Setting:
    return Setting(name, text, Origin.FLAG, "--set")


def test_a_flag_is_key_and_value() -> None:
    assert from_flag("log.dirs = a=b") == Setting("log.dirs", " a=b", Origin.FLAG, "--set")
    assert from_flag("log.dirs=").text == ""


@pytest.mark.parametrize("text", ["log.dirs", "=x", ""])
def test_a_flag_without_key_or_value_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="expected key=value"):
        from_flag(text)


def test_a_file_gives_each_entry_its_line(tmp_path: Path) -> None:
    path = tmp_path / "server.properties"
    path.write_bytes("\ufeff# caf\u00e9\nlog.dirs=/a,\\\n /b\nbroker.rack=\u00e9\n".encode())
    assert from_file(str(path)) == [
        Setting("log.dirs", "/a,/b", Origin.FILE, f"{path}:2"),
        Setting("broker.rack", "\u00e9", Origin.FILE, f"{path}:4"),
    ]


def test_a_missing_file_is_one_line() -> None:
    with pytest.raises(ConfigError, match=r"^cannot read /no/such: No such file or directory$"):
        from_file("/no/such")


def test_a_broken_file_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "server.properties"
    path.write_text("a=b\nc=\\uzzzz\n")
    with pytest.raises(ConfigError, match=r"server\.properties: line 2: "):
        from_file(str(path))


def test_the_stronger_origin_wins_and_then_the_later_one() -> None:
    merged = merge(
        [
            flag("a", "flag 1"),
            Setting("a", "file", Origin.FILE, "f:1"),
            flag("a", "flag 2"),
            Setting("b", "file 1", Origin.FILE, "f:2"),
            Setting("b", "file 2", Origin.FILE, "f:3"),
            Setting("a", "environment", Origin.ENVIRONMENT, "KAFKA_A"),
        ]
    )
    assert {name: setting.text for name, setting in merged.items()} == {"a": "flag 2", "b": "file 2"}


def test_a_stronger_member_silences_its_family() -> None:
    merged = merge([Setting("log.retention.ms", "1", Origin.FILE, "f:1"), flag("log.retention.hours", "2")])
    assert list(merged) == ["log.retention.hours"]
    equals = [Setting("log.dir", "a", Origin.FILE, "f:1"), Setting("log.dirs", "b", Origin.FILE, "f:2")]
    assert set(merge(equals)) == {"log.dir", "log.dirs"}
