"""One line about peers that speak something else, and not one for each of their attempts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.server.foreign_protocols import PEERS, QUIET_S, ForeignProtocolLog

if TYPE_CHECKING:
    import pytest


def test_lines_name_the_peer_and_the_remedy_at_a_bounded_rate(caplog: pytest.LogCaptureFixture) -> None:
    now = 0.0
    log = ForeignProtocolLog("PLAINTEXT://0.0.0.0:9092", lambda: now)
    log.report("10.0.0.1", "TLS")
    assert caplog.messages == [
        "peer=10.0.0.1: closing: it speaks TLS, and listener PLAINTEXT://0.0.0.0:9092 speaks only Kafka's protocol"
        " without encryption; security.protocol must be PLAINTEXT in the client's configuration"
    ]
    for attempt in range(100):
        now = attempt * QUIET_S / 100
        log.report("10.0.0.1", "TLS")
        log.report("10.0.0.2", "HTTP")
    assert [line.split(",")[0] for line in caplog.messages] == [
        "peer=10.0.0.1: closing: it speaks TLS",
        "peer=10.0.0.2: closing: it speaks HTTP",
    ]
    now = QUIET_S
    log.report("10.0.0.1", "TLS")
    assert caplog.messages[-1].endswith("(198 such connections since the last such line)")
    for scanned in range(1000):
        log.report(f"10.1.0.{scanned}", "TLS")
    assert len(caplog.messages) <= 3 + PEERS
