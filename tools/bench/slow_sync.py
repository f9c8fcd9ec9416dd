"""`python -m tools.bench.slow_sync start ...`: wirebroker on a disk whose every sync takes SLOW_SYNC_MS (30) longer."""

import os
import sys
import time
from collections.abc import Callable
from typing import Any

DELAY_S = int(os.environ.get("SLOW_SYNC_MS", "30")) / 1000


def _slow(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*arguments: Any) -> Any:
        time.sleep(DELAY_S)
        return function(*arguments)

    return call


if __name__ == "__main__":
    os.fsync, os.fdatasync, os.sync = _slow(os.fsync), _slow(os.fdatasync), _slow(os.sync)
    from wirebroker.cli.main import main

    sys.exit(main())
