"""kafka-reassign-partitions.sh: the actions of `wirebroker reassign`, whose output is the same, with Kafka's options.

`--list` alone is printed in another form.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from wirebroker.cli.kafka_tools.as_command import run_command
from wirebroker.cli.kafka_tools.tool import ToolError, ToolParser, connect, is_given, message_of
from wirebroker.cli.reassign.requests import list_reassignments
from wirebroker.client.connection import ClientError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

_ABOUT: Final = "This tool helps to move topic partitions between replicas."
_REQUIRED: Final = {
    "generate": ("topics-to-move-json-file", "broker-list"),
    "execute": ("reassignment-json-file",),
    "verify": ("reassignment-json-file",),
    "cancel": ("reassignment-json-file",),
    "list": (),
}
"""Action -> the options that it needs."""
_PERMITTED: Final = {
    "generate": ("disable-rack-aware",),
    "execute": ("additional", "throttle", "replica-alter-log-dirs-throttle", "timeout"),
    "verify": ("preserve-throttles",),
    "cancel": ("preserve-throttles", "timeout"),
    "list": (),
}
"""Action -> the options that it may have, too."""
_FLAGS: Final = ("additional", "disable-rack-aware", "preserve-throttles")
_NUMBERS: Final = {"replica-alter-log-dirs-throttle": -1, "throttle": -1, "timeout": 10_000}
"""Option -> its default; a throttle below 0 is none."""


def main(argv: list[str]) -> int:
    """Run the script and return its exit code."""
    parser = ToolParser("kafka-reassign-partitions", _ABOUT)
    for option in (*_REQUIRED, *_FLAGS):
        parser.add_argument(f"--{option}", action="store_true")
    for option in ("broker-list", "reassignment-json-file", "topics-to-move-json-file", *_NUMBERS):
        parser.add_argument(f"--{option}")
    args = parser.read(argv)
    action = _check(parser, args, argv)
    if action == "list":
        return _list(args)
    module = import_module(f"wirebroker.cli.reassign.{action}")
    words = ["--bootstrap-server", args.bootstrap_server]
    for option in ("command-config", *_REQUIRED[action], *_PERMITTED[action]):
        if option in _FLAGS and is_given(args, option):
            words.append(f"--{option}")
        elif option not in _NUMBERS and is_given(args, option):
            words += [f"--{option}", getattr(args, option.replace("-", "_"))]
    return run_command(module, words, **_settings(args, action))


def _check(parser: ToolParser, args: argparse.Namespace, argv: Sequence[str]) -> str:
    """Return the action; end with the usage if there is not one, or its options are not the right ones."""
    actions = [each for each in _REQUIRED if is_given(args, each)]
    if len(actions) != 1:
        names = ", ".join(f"--{each}" for each in _REQUIRED)
        parser.usage_error(f"Command must include exactly one action: {names}")
    if not is_given(args, "bootstrap-server"):
        parser.usage_error("Please specify --bootstrap-server")
    (action,) = actions
    parser.require(args, *_REQUIRED[action])
    allowed = (action, "bootstrap-server", "command-config", *_REQUIRED[action], *_PERMITTED[action])
    for word in argv:
        option = word.removeprefix("--").partition("=")[0]
        if word.startswith("--") and option not in allowed:
            parser.usage_error(f'Option "[{option}]" can\'t be used with action "[{action}]"')
    return action


def _settings(args: argparse.Namespace, action: str) -> dict[str, Any]:
    """Return the numbers among the options as the command has them.

    Raises:
        ToolError: one is no number.
    """
    numbers = {name: _number(args, name) for name in _NUMBERS}
    settings: dict[str, Any] = {}
    if "timeout" in _PERMITTED[action]:
        settings["move_timeout_s"] = numbers["timeout"] / 1000
    if action == "execute":
        for name in ("throttle", "replica-alter-log-dirs-throttle"):
            settings[name.replace("-", "_")] = numbers[name] if numbers[name] >= 0 else None
    return settings


def _number(args: argparse.Namespace, name: str) -> int:
    text = getattr(args, name.replace("-", "_"))
    try:
        return _NUMBERS[name] if text is None else int(text)
    except ValueError:
        raise ToolError(f"Cannot parse argument '{text}' of option {name}") from None


def _list(args: argparse.Namespace) -> int:
    """Print the reassignments in progress."""
    try:
        with connect(args) as admin:
            found = list_reassignments(admin)
    except ClientError as problem:
        raise ToolError(message_of(problem)) from None
    print("Current partition reassignments:" if found else "No partition reassignments found.")
    for at, each in sorted(found.items()):
        changes = (("replicas", each.replicas), ("adding", each.adding), ("removing", each.removing))
        print(f"{at}:" + "".join(f" {name}: {','.join(map(str, ids))}." for name, ids in changes if ids))
    return 0
