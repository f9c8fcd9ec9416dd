"""`wirebroker completion`: a script for a shell, made from the table of commands and their parsers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.cli.commands import TABLE
from wirebroker.cli.kafka_tools.scripts import SAME_OPTIONS, TOOLS

if TYPE_CHECKING:
    import argparse

    from wirebroker.cli.command_table import CommandTable

_SHELLS: Final = ("bash", "zsh", "fish")
_ZSH: Final = "autoload -U +X bashcompinit && bashcompinit\n"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the name of the shell."""
    parser.add_argument("shell", choices=_SHELLS, metavar="SHELL", help=", ".join(_SHELLS))


def run(args: argparse.Namespace) -> int:
    """Print the script; return the exit code."""
    options = command_options(TABLE)
    print(fish_script(options) if args.shell == "fish" else bash_script(options, zsh=args.shell == "zsh"), end="")
    return 0


def command_options(table: CommandTable) -> dict[tuple[str, ...], list[str]]:
    """Return the words of each command -> its options."""
    return {
        command.words: sorted(
            option
            for action in table.parser(command)._actions
            for option in action.option_strings
            if option[:2] == "--"
        )
        for command in table.commands
    }


def bash_script(options: dict[tuple[str, ...], list[str]], *, zsh: bool) -> str:
    """Return a script for bash, or for zsh, which has a function that makes bash's `complete` known."""
    lines = [
        "_wirebroker() {",
        '    local word=${COMP_WORDS[COMP_CWORD]} words=""',
        '    case "$COMP_CWORD:${COMP_WORDS[1]}" in',
        f'        1:*) words="{" ".join(_first_words(options))}" ;;',
    ]
    for group, names in _groups(options).items():
        lines.append(f'        2:{group}) words="{" ".join(names)}" ;;')
    lines += ["        *)", '            case "${COMP_WORDS[1]} ${COMP_WORDS[2]}" in']
    for command, names in options.items():
        pattern = f'"{" ".join(command)}"' if len(command) > 1 else f'"{command[0]} "*'
        lines.append(f'                {pattern}) words="{" ".join(names)}" ;;')
    lines += [
        "            esac ;;",
        "    esac",
        '    COMPREPLY=($(compgen -W "$words" -- "$word"))',
        "}",
        "complete -o default -F _wirebroker wirebroker",
        "",
    ]
    return (_ZSH if zsh else "") + "\n".join(lines)


def fish_script(options: dict[tuple[str, ...], list[str]]) -> str:
    """Return a script for fish."""
    lines = [f"complete -c wirebroker -n __fish_use_subcommand -f -a '{' '.join(_first_words(options))}'"]
    for group, names in _groups(options).items():
        condition = f"__fish_seen_subcommand_from {group}; and not __fish_seen_subcommand_from {' '.join(names)}"
        lines.append(f"complete -c wirebroker -n '{condition}' -f -a '{' '.join(names)}'")
    for command, names in options.items():
        condition = "; and ".join(f"__fish_seen_subcommand_from {word}" for word in command)
        lines += [f"complete -c wirebroker -n '{condition}' -l {name.removeprefix('--')}" for name in names]
    return "\n".join((*lines, ""))


def _first_words(options: dict[tuple[str, ...], list[str]]) -> list[str]:
    scripts = (f"{name}.sh" for name in (*TOOLS, *SAME_OPTIONS))
    return [*dict.fromkeys(words[0] for words in options), "help", *scripts]


def _groups(options: dict[tuple[str, ...], list[str]]) -> dict[str, list[str]]:
    """Return the first words of commands of two words -> their second words."""
    groups: dict[str, list[str]] = {}
    for words in options:
        if len(words) > 1:
            groups.setdefault(words[0], []).append(words[1])
    return groups
