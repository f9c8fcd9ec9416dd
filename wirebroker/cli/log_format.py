"""The formats of the log of `wirebroker start`: text, or one JSON object in each line.

JSON lines are for collectors of logs, and are limited: of lines that one statement of the code writes, BURST in each
PERIOD_S are passed on, and the first of the next period says how many were not.
"""

from __future__ import annotations

import json
import logging
import sys
import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

FORMATS: Final = ("text", "json")
TEXT_FORMAT: Final = "%(asctime)s %(levelname)s %(name)s: %(message)s"
BURST: Final = 100
PERIOD_S: Final = 10.0


def configure_logging(level: str, form: str) -> None:
    """Log to standard error from *level* on, in the format *form*."""
    if form == "text":
        logging.basicConfig(level=level.upper(), stream=sys.stderr, format=TEXT_FORMAT)
        return
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter())
    handler.addFilter(RateLimit())
    logging.basicConfig(level=level.upper(), handlers=[handler])


class JsonFormatter(logging.Formatter):
    """Makes one JSON object of a record: time, level, logger, message, and a traceback if there is one."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, without its end."""
        seconds = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        fields: dict[str, object] = {
            "time": f"{seconds}.{int(record.msecs):03d}Z",
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        suppressed = getattr(record, "suppressed", 0)
        if suppressed:
            fields["suppressed"] = suppressed
        if record.exc_info:
            fields["exception"] = self.formatException(record.exc_info)
        return json.dumps(fields)


class RateLimit(logging.Filter):
    """Passes on BURST records of one statement in PERIOD_S; sets `suppressed` of the first one after that."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._counts: dict[tuple[str, int], list[float]] = {}
        """Place of the statement -> begin of its period, and the records in it."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether the record is written."""
        now = self._clock()
        place = (record.pathname, record.lineno)
        period = self._counts.get(place)
        if period is None or now - period[0] >= PERIOD_S:
            suppressed = 0 if period is None else max(0, int(period[1]) - BURST)
            self._counts[place] = [now, 1]
            if suppressed:
                record.suppressed = suppressed
            return True
        period[1] += 1
        return period[1] <= BURST
