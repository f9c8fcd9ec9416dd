"""The state-change.log: its layout is Kafka's, and `wirebroker state-changes merge` reads it."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest

from wirebroker.cli.state_changes.merge import Selection
from wirebroker.kafka_controller.state_change_log import (
    STATE_CHANGE_LOGGER,
    StateChangeLogger,
    open_state_change_log,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(autouse=True)
def logger() -> Iterator[None]:
    """Leave the logger as it was."""
    handlers, level = list(STATE_CHANGE_LOGGER.handlers), STATE_CHANGE_LOGGER.level
    yield
    for each in STATE_CHANGE_LOGGER.handlers:
        if each not in handlers:
            each.close()
    STATE_CHANGE_LOGGER.handlers[:], STATE_CHANGE_LOGGER.propagate = handlers, True
    STATE_CHANGE_LOGGER.setLevel(level)


def test_changes_go_to_a_file_of_their_own(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "state-change.log"
    open_state_change_log(path)
    StateChangeLogger(1, 7).info("Changed partition %s from %s to %s", "t-0", "NewPartition", "OnlinePartition")
    (line,) = path.read_text().splitlines()
    assert line.endswith(
        "] INFO [Controller id=1 epoch=7] Changed partition t-0 from NewPartition to OnlinePartition"
        " (state.change.logger)"
    )
    assert caplog.records == []
    everything = Selection("t", frozenset({0}), "0000-00-00 00:00:00,000", "9999-12-31 23:59:59,999")
    assert everything.time_of(line) is not None


def test_without_a_file_only_errors_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    open_state_change_log(None)
    caplog.set_level(logging.ERROR, logger=STATE_CHANGE_LOGGER.name)
    StateChangeLogger(1, 7).info("Changed partition")
    StateChangeLogger(1, 7).error("Controller failed to change state")
    assert [record.levelname for record in caplog.records] == ["ERROR"]
