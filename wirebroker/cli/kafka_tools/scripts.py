"""The names of Apache Kafka's scripts, and what runs them here."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

TOOLS: Final = {
    "kafka-topics": "topics",
    "kafka-configs": "configs",
    "kafka-consumer-groups": "consumer_groups",
    "kafka-get-offsets": "get_offsets",
    "kafka-delete-records": "delete_records",
    "kafka-log-dirs": "log_dirs",
    "kafka-broker-api-versions": "broker_api_versions",
    "kafka-cluster": "cluster",
    "kafka-features": "features",
    "kafka-console-producer": "console_producer",
    "kafka-console-consumer": "console_consumer",
    "kafka-producer-perf-test": "producer_perf_test",
    "kafka-consumer-perf-test": "consumer_perf_test",
}
"""Script -> module of this package with `main(argv) -> exit code`."""
SAME_OPTIONS: Final = {
    "kafka-dump-log": ("dump-log",),
    "kafka-leader-election": ("elect",),
    "kafka-verifiable-producer": ("verifiable-producer",),
    "kafka-verifiable-consumer": ("verifiable-consumer",),
}
"""Script -> command of wirebroker with the same options and output."""
REASSIGN: Final = "kafka-reassign-partitions"
GROUPS: Final = "kafka-consumer-groups"
_OFFSET_CHANGES: Final = ("--reset-offsets", "--delete-offsets")
"""The actions of GROUPS that are commands of wirebroker with the same options."""
_ACTIONS: Final = ("--generate", "--execute", "--verify", "--cancel", "--list")
_SUFFIX: Final = ".sh"


def script_name(word: str) -> str | None:
    """Return the name of a script without .sh, None if *word* is no script's."""
    name = word.removesuffix(_SUFFIX)
    return name if name in (*TOOLS, *SAME_OPTIONS, REASSIGN) else None


def equal_command(name: str, argv: Sequence[str]) -> list[str] | None:
    """Return the command line of wirebroker that does the same as the script, None if one of TOOLS does."""
    if name in SAME_OPTIONS:
        return [*SAME_OPTIONS[name], *argv]
    if name == REASSIGN:
        action = next((each for each in argv if each in _ACTIONS), None)
        words = [] if action is None else [action.removeprefix("--")]
        return ["reassign", *words, *(each for each in argv if each != action)]
    if name == GROUPS:
        action = next((each for each in argv if each in _OFFSET_CHANGES), None)
        if action is not None:
            return ["groups", action.removeprefix("--"), *(each for each in argv if each != action)]
    return None


def run_tool(name: str, argv: Sequence[str]) -> int:
    """Run one of TOOLS and return its exit code."""
    code: int = import_module(f"wirebroker.cli.kafka_tools.{TOOLS[name]}").main(list(argv))
    return code
