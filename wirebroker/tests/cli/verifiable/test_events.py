"""Events in the words of Apache Kafka 3.9.1's verifiable programs."""

from __future__ import annotations

import os
import signal

from wirebroker.cli.verifiable.events import event_text, stop_on_signal


def test_the_line_of_an_event() -> None:
    place = {"topic": "t", "partition": 0, "offset": 7}
    assert event_text(1795403062189, "producer_send_success", key=None, value="7.0", **place) == (
        '{"timestamp":1795403062189,"name":"producer_send_success","key":null,"value":"7.0",'
        '"topic":"t","partition":0,"offset":7}'
    )


def test_a_signal_is_noted_and_the_handler_put_back() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with stop_on_signal() as stop:
        assert not stop.is_set
        os.kill(os.getpid(), signal.SIGTERM)
        assert stop.is_set
    assert signal.getsignal(signal.SIGTERM) is before
