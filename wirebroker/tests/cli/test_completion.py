"""`wirebroker completion`: the script offers commands and options in bash, and names all of them for the others."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from wirebroker.cli.commands import COMMANDS
from wirebroker.cli.main import main


def script(shell: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["completion", shell]) == 0
    return capsys.readouterr().out


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash on this machine")
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["wirebroker", "top"], ["topics"]),
        (["wirebroker", "kafka-top"], ["kafka-topics.sh"]),
        (["wirebroker", "topics", "de"], ["describe", "delete"]),
        (["wirebroker", "topics", "create", "--repl"], ["--replication-factor", "--replica-assignment"]),
        (["wirebroker", "start", "--as"], ["--as-version"]),
        (["wirebroker", "nonsense", "x"], []),
    ],
)
def test_bash(words: list[str], offered: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    line = " ".join(words)
    program = (
        f"{script('bash', capsys)}\nCOMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _wirebroker wirebroker; "
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(["bash", "-c", program], capture_output=True, text=True, check=True)
    found = set(done.stdout.split())
    assert set(offered) <= found
    assert all(each.startswith(words[-1]) for each in found)
    assert bool(found) == bool(offered)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_command_is_named(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = script(shell, capsys)
    assert all(word in text for command in COMMANDS for word in command.words)
    assert "replication-factor" in text
