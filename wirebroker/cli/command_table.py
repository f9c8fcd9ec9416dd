"""Help, usage and parsers for a table of commands of one or two words.

Only the module of the command that is run or explained is imported.  Each command has a parser of its own, so that a
wrong option is answered with the usage of that command.
"""

from __future__ import annotations

import argparse
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Final, NamedTuple, NoReturn

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

HELP_FLAGS = ("-h", "--help")
USAGE_EXIT_CODE: Final = 2
_ANY_WIDTH: Final = 80
"""Of the formatters with which argparse checks each option; they would ask for the width of the terminal every time."""
EXIT_CODES = """\
exit codes:
  0    done
  1    failed, or damage was found
  2    wrong usage, or nothing there to check
  130  interrupted (Ctrl-C)
  143  ended by SIGTERM"""


class UsageError(Exception):
    """The options are not enough or contradict each other; this text is printed, the exit code is 2."""


class CommandParser(argparse.ArgumentParser):
    """A parser that says in one line what is wrong, and where the help is."""

    def error(self, message: str) -> NoReturn:
        """Print *message* to standard error and exit with code 2."""
        self.exit(USAGE_EXIT_CODE, f"{self.prog}: error: {' '.join(message.split())} (see {self.prog} --help)\n")


class Command(NamedTuple):
    """One command, its module not yet imported."""

    words: tuple[str, ...]
    module: str
    help: str
    examples: tuple[str, ...]


class CommandTable:
    """The commands of a program, with help for the program, for a first word and for a command."""

    def __init__(self, program: str, about: str, commands: Sequence[Command], groups: Mapping[str, str]) -> None:
        self._program, self._about, self._commands, self._groups = program, about, commands, groups

    @property
    def commands(self) -> Sequence[Command]:
        """All commands, in the order of the help."""
        return self._commands

    def find(self, words: Sequence[str]) -> Command | None:
        """The command whose words *words* begin with; None if there is no such command."""
        for command in self._commands:
            if tuple(words[: len(command.words)]) == command.words:
                return command
        return None

    def parser(self, command: Command) -> argparse.ArgumentParser:
        """Import the module of *command* and return the parser of what follows its words."""
        module = import_module(command.module)
        parser = CommandParser(
            prog=" ".join((self._program, *command.words)),
            description=_sentence(command.help),
            epilog="\n  ".join(("examples:", *command.examples)),
            formatter_class=partial(argparse.HelpFormatter, width=_ANY_WIDTH),
        )
        module.add_arguments(parser)
        parser.formatter_class = argparse.RawDescriptionHelpFormatter
        parser.set_defaults(run=module.run)
        return parser

    def help(self, words: Sequence[str] = ()) -> str:
        """The help of the program, of a first word, or of the command that *words* are.

        Raises:
            SystemExit: there is no such command; the reason is on standard error.
        """
        command = self.find(words)
        if command is not None:
            return self.parser(command).format_help()
        if not words:
            return self._program_help()
        if words[0] in self._groups and (len(words) == 1 or words[1] in HELP_FLAGS):
            return self._group_help(words[0])
        self.refuse(words)

    def refuse(self, words: Sequence[str]) -> NoReturn:
        """Print on standard error that *words* begin with no command, and which there are; exit with code 2."""
        group = words[0] if words and words[0] in self._groups else None
        wrong = words[1:2] if group else words[:1]
        names = [each.words[1] for each in self._of_group(group)] if group else self._first_words()
        parser = CommandParser(prog=self._program if group is None else f"{self._program} {group}")
        problem = "a command is missing"
        if wrong:
            problem = f"no {'option' if wrong[0].startswith('-') else 'command'} {wrong[0]!r}"
        from difflib import get_close_matches  # for this message alone

        close = get_close_matches(wrong[0], names, n=1) if wrong else []
        parser.error(f"{problem}; did you mean {close[0]!r}?" if close else f"{problem}; there are {', '.join(names)}")

    def _first_words(self) -> list[str]:
        return list(dict.fromkeys(command.words[0] for command in self._commands))

    def _of_group(self, group: str) -> list[Command]:
        return [command for command in self._commands if command.words[0] == group and len(command.words) > 1]

    def _program_help(self) -> str:
        """The help of the program: all commands, and the exit codes."""
        name = self._program
        return "\n".join(
            (
                f"usage: {name} COMMAND [OPTION ...]",
                "",
                self._about,
                "",
                "commands:",
                *_listed(self._commands, 0),
                "",
                f"`{name} help COMMAND` or `{name} COMMAND --help` has a command's options and examples.",
                f"`{name} --version` prints the version.",
                "",
                EXIT_CODES,
                "",
            )
        )

    def _group_help(self, group: str) -> str:
        """The help of a first word: its commands."""
        return "\n".join(
            (
                f"usage: {self._program} {group} COMMAND [OPTION ...]",
                "",
                _sentence(self._groups[group]),
                "",
                "commands:",
                *_listed(self._of_group(group), 1),
                "",
                f"`{self._program} {group} COMMAND --help` has a command's options and examples.",
                "",
            )
        )


def _listed(commands: Sequence[Command], skipped: int) -> list[str]:
    """A line for each command, without its first *skipped* words."""
    names = [" ".join(command.words[skipped:]) for command in commands]
    width = max(map(len, names))
    return [f"  {name:<{width}}  {command.help}" for name, command in zip(names, commands, strict=True)]


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."
