"""The references of the documentation site name everything that the code declares."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tools.docs.__main__ import SOURCES, write_sources
from tools.docs.reference import pages
from wirebroker.cli.commands import COMMANDS
from wirebroker.config.registry import BROKER_KEYS, TOPIC_KEYS
from wirebroker.metrics.catalogue import ALL
from wirebroker.metrics.prometheus import prometheus_name
from wirebroker.protocol.errors import ErrorCode

if TYPE_CHECKING:
    from pathlib import Path

PAGES = pages()


def test_everything_is_there() -> None:
    for name in (*BROKER_KEYS, *map(prometheus_name, ALL)):
        assert f"| `{name}` |" in PAGES["broker-settings.md"] + PAGES["metrics.md"]
    for name in TOPIC_KEYS:
        assert f"| `{name}` |" in PAGES["topic-settings.md"]
    for code in ErrorCode:
        assert f"| {int(code)} | `{code.name}` |" in PAGES["errors.md"]
    for command in COMMANDS:
        assert f"\n## wirebroker {' '.join(command.words)}\n" in PAGES["commands.md"]


@pytest.mark.parametrize("name", [name for name in PAGES if name != "commands.md"])
def test_rows_have_as_many_cells_as_the_header(name: str) -> None:
    _, _, *lines = PAGES[name].splitlines()
    counts = {len(re.findall(r"(?<!\\)\|", line)) for line in lines}
    assert len(counts) == 1


def test_every_page_of_the_navigation_is_written(tmp_path: Path) -> None:
    """mkdocs itself finds broken links (`tox -e docs`)."""
    config = write_sources(tmp_path)
    named = re.findall(r": ([\w/-]+\.md)$", (SOURCES / "mkdocs.yml").read_text(), re.MULTILINE)
    written = {str(path.relative_to(config.parent / "pages")) for path in (config.parent / "pages").rglob("*.md")}
    assert set(named) == written
