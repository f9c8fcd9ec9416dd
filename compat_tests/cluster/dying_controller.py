"""wirebroker that ends, as if by kill -9, after a chosen write of its controller to ZooKeeper.

    python -m compat_tests.cluster.dying_controller ARMED start --listener ...

ARMED is a file: "write after 3" ends the process when ZooKeeper has acknowledged the 3rd write since the file appeared.
The broker has no code for this: the one function that all writes of the controller go through is replaced.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from compat_tests.transactions.crashing_broker import Switch, die
from wirebroker.kafka_controller.epoch_checked_writes import EpochCheckedWrites

if TYPE_CHECKING:
    from collections.abc import Sequence


def install(switch: Switch) -> None:
    """Replace the function at which the process may end."""
    multi = EpochCheckedWrites.multi

    async def counted(writes: EpochCheckedWrites, operations: Sequence[Any], epoch_zk_version: int) -> Any:
        results = await multi(writes, operations, epoch_zk_version)
        if switch.moment("write", "after"):
            die()
        return results

    EpochCheckedWrites.multi = counted  # type: ignore[method-assign, assignment]


def main() -> int:
    from wirebroker.cli.main import main as command

    install(Switch(Path(sys.argv.pop(1))))
    return command(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
