"""README.md and the command line agree."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from wirebroker.cli.commands import COMMANDS, TABLE
from wirebroker.cli.connection import BOOTSTRAP_SERVER_VARIABLE, DEFAULT_BOOTSTRAP_SERVER

if TYPE_CHECKING:
    from wirebroker.cli.command_table import Command

README = (Path(__file__).parents[3] / "README.md").read_text()


def test_every_command_is_in_the_table() -> None:
    rows = dict(re.findall(r"^\| `wirebroker ([^`]+?)(?: [A-Z]+)?` \| (.*) \|$", README, re.MULTILINE))
    assert {row for row in rows if not row.endswith(" ...")} - {"help [COMMAND]"} <= {
        " ".join(command.words) for command in COMMANDS
    }
    for command in COMMANDS:
        group = f"{command.words[0]} ..."
        if group in rows:
            assert f"`{command.words[1]}`" in rows[group]
        else:
            assert " ".join(command.words) in rows


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command.words))
def test_options_that_are_named_exist(command: Command) -> None:
    """In the command's row of the table, and where the command is written out."""
    words = " ".join(command.words)
    lines = re.findall(
        rf"^\| `wirebroker {words}(?: [A-Z]+)?` \| .*$|wirebroker {words}\b[^`\n]*", README, re.MULTILINE
    )
    named = set(re.findall(r"(?<![\w-])--[a-z-]+", " ".join(lines)))
    known = {option for action in TABLE.parser(command)._actions for option in action.option_strings}
    assert lines or len(command.words) > 1
    assert named <= known


def test_the_client_is_installed_before_the_first_snippet() -> None:
    assert 0 < README.find("pip install confluent-kafka") < README.find("```python")


def test_the_spelling_of_connections() -> None:
    for spelling in (
        "`-b`/`--bootstrap-server`",
        BOOTSTRAP_SERVER_VARIABLE,
        DEFAULT_BOOTSTRAP_SERVER,
        "`--timeout MS`",
    ):
        assert spelling in README
