"""`--topic` and `--ephemeral` of `wirebroker start`."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from wirebroker.cli.command_table import UsageError
from wirebroker.cli.start_options import StartTopic, ephemeral_directory, hint, reachable_address, start_topic


def test_start_topic() -> None:
    assert start_topic("t") == StartTopic("t", None)
    assert start_topic("t:3") == StartTopic("t", 3)


@pytest.mark.parametrize("text", ["", ":3", "t:", "t:0", "t:-1", "t:x"])
def test_what_is_no_topic(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError):
        start_topic(text)


def test_an_ephemeral_directory_is_removed_also_after_an_error() -> None:
    args = argparse.Namespace(ephemeral=True, data_dir=None, set=[])

    def fail() -> None:
        with ephemeral_directory(args):
            (Path(args.data_dir) / "t-0").mkdir(parents=True)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert not Path(args.data_dir).exists()


def test_a_data_directory_that_is_given_stays(tmp_path: Path) -> None:
    with ephemeral_directory(argparse.Namespace(ephemeral=False, data_dir=str(tmp_path))):
        pass
    assert tmp_path.exists()
    with pytest.raises(UsageError), ephemeral_directory(argparse.Namespace(ephemeral=True, data_dir=str(tmp_path))):
        pass
    assert tmp_path.exists()


@pytest.mark.parametrize(
    ("listeners", "address"),
    [
        (["PLAINTEXT://h:1", "PLAINTEXT://i:2"], "h:1"),
        (["SSL://h:1", "PLAINTEXT://0.0.0.0:2"], "127.0.0.1:2"),
        (["PLAINTEXT://[::1]:2"], "[::1]:2"),
        (["SSL://h:1"], None),
    ],
)
def test_reachable_address(listeners: list[str], address: str | None) -> None:
    assert reachable_address(listeners) == address


def test_hint() -> None:
    assert "produce greetings --value hello && wirebroker consume greetings --from" in hint("127.0.0.1:9092", ())
    assert "produce t -b h:1 --value hello" in hint("h:1", [StartTopic("t", 1)])
