"""The ready line of the demo's broker."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from wirebroker.pipelines.local_broker import NoBrokerError, wait_ready

if TYPE_CHECKING:
    from pathlib import Path


class Process:
    def __init__(self, code: int | None) -> None:
        self.code = code

    def poll(self) -> int | None:
        return self.code


def test_the_address_is_read_from_the_ready_line(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("wirebroker 0.1.0 ready: broker 0 on PLAINTEXT://127.0.0.1:41233, data in /somewhere\n")
    assert wait_ready(cast("Any", Process(None)), log, 1) == "127.0.0.1:41233"


def test_the_last_log_line_of_a_broker_that_did_not_start(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("first\ncannot write to /nowhere\n")
    with pytest.raises(NoBrokerError, match="cannot write to /nowhere"):
        wait_ready(cast("Any", Process(1)), log, 1)
