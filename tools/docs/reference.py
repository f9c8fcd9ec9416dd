"""The pages of the reference: settings, metrics, commands and error codes, as Markdown."""

from collections.abc import Iterable, Sequence

from wirebroker.cli.command_table import EXIT_CODES
from wirebroker.cli.commands import COMMANDS, TABLE
from wirebroker.config.keys import Key
from wirebroker.config.registry import BROKER_KEYS, TOPIC_KEYS
from wirebroker.config.values import render_value
from wirebroker.metrics.catalogue import ALL
from wirebroker.metrics.metric import Metric
from wirebroker.metrics.prometheus import confluent_name, prometheus_name
from wirebroker.protocol.errors import ErrorCode


def pages() -> dict[str, str]:
    """Return file name -> text of every page."""
    return {
        "commands.md": commands(),
        "broker-settings.md": settings("Broker settings", BROKER_KEYS.values()),
        "topic-settings.md": settings("Topic settings", TOPIC_KEYS.values()),
        "metrics.md": metrics(),
        "errors.md": errors(),
    }


def commands() -> str:
    """Return the help of every command."""
    parts = ["# Commands", _block(EXIT_CODES)]
    for command in COMMANDS:
        parts += [f"## wirebroker {' '.join(command.words)}", _block(TABLE.help(command.words))]
    return "\n\n".join(parts) + "\n"


def settings(title: str, keys: Iterable[Key]) -> str:
    """Return a table of keys."""
    rows = [
        (
            f"`{key.name}`",
            key.kind.name.lower(),
            "" if key.sensitive or key.default is None else f"`{render_value(key.default)}`",
            key.scope.name.lower().replace("_", "-"),
            key.effect.level + (f": {key.effect.limits}" if key.effect.limits else ""),
            key.text,
        )
        for key in sorted(keys, key=lambda key: key.name)
    ]
    return f"# {title}\n\n" + _table(("name", "type", "default", "update mode", "effect", "meaning"), rows)


def metrics() -> str:
    """Return a table of all metrics, by their names of Prometheus."""
    rows = [
        (f"`{prometheus_name(metric)}`", metric.kind.value, ", ".join(metric.tags), _other_names(metric), metric.text)
        for metric in ALL
    ]
    return "# Metrics\n\n" + _table(
        ("name", "kind", "labels", "MBean, and name in /metrics/confluent", "meaning"), rows
    )


def _other_names(metric: Metric) -> str:
    if not metric.domain:
        return ""
    mbean = metric.mbean([f"({tag})" for tag in metric.tags])
    return f"`{mbean}`, `{confluent_name(metric)}`"


def errors() -> str:
    """Return a table of the error codes of the protocol."""
    rows = [(str(int(code)), f"`{code.name}`", code.meaning) for code in ErrorCode]
    return "# Error codes\n\n" + _table(("code", "name", "meaning"), rows)


def _table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [titles, ["---"] * len(titles), *rows]
    return "".join("| " + " | ".join(_cell(cell) for cell in line) + " |\n" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def _block(text: str) -> str:
    return f"```text\n{text.rstrip()}\n```"
