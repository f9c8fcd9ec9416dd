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
    "kafka-reassign-partitions": "reassign_partitions",
    "kafka-replica-verification": "replica_verification",
}
"""Script -> module of this package with `main(argv) -> exit code`."""
SAME_OPTIONS: Final = {
    "kafka-dump-log": ("dump-log",),
    "kafka-leader-election": ("elect",),
    "kafka-verifiable-producer": ("verifiable-producer",),
    "kafka-verifiable-consumer": ("verifiable-consumer",),
}
"""Script -> command of wirebroker with the same options and output."""
_OTHER_NAMES: Final = {"--admin.config": "--command-config", "--broker-list": "--bootstrap-server"}
"""Options of these scripts -> the names that the commands have for them."""
_AS_COMMAND: Final = ("kafka-transactions", "kafka-server-start", "kafka-e2e-latency")
"""Scripts whose arguments have another order than those of the command that does the same."""
ELSEWHERE: Final = {
    "connect-distributed": "run Apache Kafka's Connect, which works with wirebroker",
    "connect-mirror-maker": "use `wirebroker mirror`",
    "connect-plugin-path": "use Apache Kafka's script, which needs no broker",
    "connect-standalone": "run Apache Kafka's Connect, which works with wirebroker",
    "kafka-acls": "wirebroker has no ACLs; use Apache Kafka's script for a cluster that has",
    "kafka-client-metrics": "use `wirebroker configs describe` and `alter` with --client-metrics NAME",
    "kafka-delegation-tokens": "wirebroker has no delegation tokens; use Apache Kafka's script",
    "kafka-groups": "use `wirebroker groups list`",
    "kafka-jmx": "use `wirebroker metrics --jmx`",
    "kafka-metadata-quorum": "wirebroker has no KRaft quorum; use `wirebroker cluster describe`",
    "kafka-metadata-shell": "wirebroker has no KRaft metadata; use `wirebroker dump-log` for such a log",
    "kafka-mirror-maker": "use `wirebroker mirror`",
    "kafka-run-class": "there are no Java classes; `wirebroker --help` lists the commands",
    "kafka-server-stop": "use `wirebroker server-stop`",
    "kafka-storage": "`wirebroker start` prepares its data directory itself",
    "kafka-streams-application-reset": "use `wirebroker groups reset-offsets` and `wirebroker topics delete`",
    "trogdor": "use `wirebroker perf`",
    "zookeeper-security-migration": "use Apache Kafka's script, which needs no broker",
    "zookeeper-server-start": "use `wirebroker cluster up`, which has a ZooKeeper, or ZooKeeper's own script",
    "zookeeper-server-stop": "use ZooKeeper's own script",
    "zookeeper-shell": "use ZooKeeper's own zkCli.sh",
}
"""The other scripts of Apache Kafka, with what to use in their place."""
CONTROLLERS: Final = "--bootstrap-controller"
"""The option of some scripts to connect to KRaft controllers; none of them does here."""
GROUPS: Final = "kafka-consumer-groups"
_OFFSET_CHANGES: Final = ("--reset-offsets", "--delete-offsets")
"""The actions of GROUPS that are commands of wirebroker with the same options."""
_TRANSACTION_ACTIONS: Final = ("list", "describe", "describe-producers", "abort", "find-hanging")
_LATENCY_OPTIONS: Final = ("-b", "", "--num-records", "--acks", "--record-size", "--command-config")
"""Options for the arguments of kafka-e2e-latency, in their order; the second is the topic."""
_SUFFIX: Final = ".sh"


def script_name(word: str) -> str | None:
    """Return the name of a script without .sh, None if *word* is no script's."""
    name = word.removesuffix(_SUFFIX)
    return name if name in (*TOOLS, *SAME_OPTIONS, *_AS_COMMAND, *ELSEWHERE) else None


def equal_command(name: str, argv: Sequence[str]) -> list[str] | None:
    """Return the command line of wirebroker that does the same as the script, None if one of TOOLS does."""
    if name in SAME_OPTIONS:
        return [*SAME_OPTIONS[name], *(_OTHER_NAMES.get(each, each) for each in argv)]
    if name in _AS_COMMAND:
        return _with_order(name, argv)
    if name == GROUPS:
        action = next((each for each in argv if each in _OFFSET_CHANGES), None)
        if action is not None:
            return ["groups", action.removeprefix("--"), *(each for each in argv if each != action)]
    return None


def _with_order(name: str, argv: Sequence[str]) -> list[str]:
    """Return the command line of one of _AS_COMMAND."""
    if name == "kafka-transactions":
        at = next((number for number, each in enumerate(argv) if each in _TRANSACTION_ACTIONS), None)
        return ["transactions", *argv] if at is None else ["transactions", argv[at], *argv[:at], *argv[at + 1 :]]
    if name == "kafka-server-start":
        words = [each for each in argv if each != "-daemon"]
        file = ["--config", words.pop(0)] if words and not words[0].startswith("-") else []
        return ["start", *file, *("--set" if each == "--override" else each for each in words)]
    if any(each.startswith("-") for each in argv[:1]):
        return ["perf", "end-to-end", *argv]
    options = list(_LATENCY_OPTIONS[: len(argv)]) + [""] * (len(argv) - len(_LATENCY_OPTIONS))
    pairs = zip(options, argv, strict=True)
    return ["perf", "end-to-end", *(word for pair in pairs for word in pair if word)]


def run_tool(name: str, argv: Sequence[str]) -> int:
    """Run one of TOOLS and return its exit code."""
    code: int = import_module(f"wirebroker.cli.kafka_tools.{TOOLS[name]}").main(list(argv))
    return code
