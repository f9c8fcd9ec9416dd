"""The command line: the right module for each command, and only that one."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from wirebroker import __version__
from wirebroker.cli.main import COMMANDS, build_parser, main

if TYPE_CHECKING:
    import argparse


def run(*words: str) -> int:
    with pytest.raises(SystemExit) as end:
        main(words)
    assert isinstance(end.value.code, int)
    return end.value.code


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--version") == 0
    assert capsys.readouterr().out == f"wirebroker {__version__}\n"


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--help") == 0
    text = capsys.readouterr().out
    for command in COMMANDS:
        assert command.words[0] in text


@pytest.mark.parametrize("words", [("start",), ("config", "print")])
def test_a_command_has_options_and_examples(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*words, "--help") == 0
    text = capsys.readouterr().out
    (command,) = (each for each in COMMANDS if each.words == words)
    assert "--set KEY=VALUE" in text
    assert all(example in text for example in command.examples)


@pytest.mark.parametrize("words", [(), ("config",), ("nonsense",), ("start", "--nonsense"), ("start", "extra")])
def test_wrong_usage_is_exit_code_2(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*words) == 2
    assert capsys.readouterr().err.startswith("usage: wirebroker")


@pytest.mark.parametrize("example", [example for command in COMMANDS[:2] for example in command.examples])
def test_examples_are_accepted(example: str) -> None:
    words = example.partition("wirebroker ")[2].split()
    assert callable(build_parser(words).parse_args(words).run)


def test_the_exit_code_is_the_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    from wirebroker.cli import config_print

    monkeypatch.setattr(config_print, "run", lambda _: 7)
    assert main(["config", "print"]) == 7


def test_a_reader_that_has_seen_enough_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    from wirebroker.cli import config_print

    def run(_: argparse.Namespace) -> int:
        raise BrokenPipeError

    monkeypatch.setattr(config_print, "run", run)
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", sys.stdout)
        assert main(["config", "print"]) == 0


def test_other_commands_are_not_imported() -> None:
    """Each module counts for the start of a broker, so the demo's and the tools' stay out."""
    program = (
        "import sys; from wirebroker.cli.main import build_parser; build_parser(['start']);"
        "print([name for name in ('wirebroker.cli.log_dump', 'wirebroker.pipelines', 'wirebroker.cli.config_print',"
        "'wirebroker.config.docs', 'asyncio', 'kazoo', 'pyspark') if name in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "[]\n"
