"""The log as JSON lines, and its limit."""

from __future__ import annotations

import json
import logging
import sys

from wirebroker.cli.log_format import BURST, PERIOD_S, JsonFormatter, RateLimit


def record(message: str, *args: object, line: int = 1) -> logging.LogRecord:
    return logging.LogRecord("wirebroker.x", logging.WARNING, "x.py", line, message, args, None)


def test_a_line_is_one_json_object() -> None:
    made = record("topic=%s: two\nlines", "tä")
    made.created, made.msecs = 0.25, 250.0
    line = JsonFormatter().format(made)
    assert "\n" not in line
    assert json.loads(line) == {
        "time": "1970-01-01T00:00:00.250Z",
        "level": "WARNING",
        "logger": "wirebroker.x",
        "message": "topic=tä: two\nlines",
    }


def test_a_traceback_is_a_field() -> None:
    made = record("failed")
    try:
        raise KeyError("x")
    except KeyError:
        made.exc_info = sys.exc_info()
    assert "KeyError" in json.loads(JsonFormatter().format(made))["exception"]


def test_a_statement_that_logs_too_much_is_limited() -> None:
    now = 0.0
    limit = RateLimit(lambda: now)
    assert sum(limit.filter(record("often")) for _ in range(BURST + 7)) == BURST
    assert limit.filter(record("seldom", line=2))
    now = PERIOD_S
    first = record("often")
    assert limit.filter(first)
    assert json.loads(JsonFormatter().format(first))["suppressed"] == 7
    second = record("often")
    assert limit.filter(second)
    assert "suppressed" not in json.loads(JsonFormatter().format(second))
