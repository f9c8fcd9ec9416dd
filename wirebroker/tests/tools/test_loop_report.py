"""The page about the event loop's lag: measured rows are replaced, sections written by hand stay."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tools.bench.loop_probe import Lag
from tools.bench.loop_report import Row, hand_written, publish

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("sections", ["", "\n## Before\n\n| a | 1 |\n", "\n## Before\n\nold\n\n## Later\n\nmore\n"])
def test_sections_written_by_hand_stay(tmp_path: Path, sections: str) -> None:
    results = tmp_path / "RESULTS.md"
    for seconds in (1.0, 2.0):
        results.write_text((results.read_text() if results.exists() else "# Lag\n\nold rows\n") + sections)
        publish("# Lag\n\nText.\n", [Row("rolls", "wirebroker", seconds, Lag(400, 1, 2, 50, 60))], 0.5, results)
        page = results.read_text()
        assert page.startswith("# Lag\n\nText.\n\n| burden")
        assert f"| rolls | wirebroker | {seconds:.2f} | 1.0 | 2.0 | 50.0 | 60.0 | yes |" in page
        assert page.endswith(sections)
        assert hand_written(page) == sections
        assert "old rows" not in page
        results.write_text(page.removesuffix(sections))


def test_no_page_is_no_section() -> None:
    assert hand_written("") == ""
