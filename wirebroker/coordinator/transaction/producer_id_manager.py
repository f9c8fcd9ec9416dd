"""ProducerIdManager: hands out producer ids, from blocks that the controller allocates (KIP-730)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator


class ProducerIdManager:
    """Producer ids that were never used before.

    Shards take them in the middle of a turn, where they cannot wait.  So a request that may need one is preceded by
    `ensure_available`, which nearly always returns without waiting.

    Args:
        allocate_block: returns a block of ids that no other call returns; raises ApiError if it cannot be made durable.
    """

    def __init__(self, allocate_block: Callable[[], Awaitable[range]]) -> None:
        self._allocate_block = allocate_block
        self._block: Iterator[int] = iter(())
        self._left = 0
        self._allocation: trio.Event | None = None
        self._error: ApiError | None = None

    async def ensure_available(self) -> None:
        """Allocate a block if no id is left.  If that fails, `generate_producer_id` raises the error.

        So a request fails only if it turns out to need an id.
        """
        while not self._left:
            if self._allocation is not None:
                await self._allocation.wait()
                continue
            self._allocation = trio.Event()
            try:
                block = await self._allocate_block()
                self._block, self._left = iter(block), len(block)
            except ApiError as error:
                self._error = error
                return
            finally:
                self._allocation.set()
                self._allocation = None

    def generate_producer_id(self) -> int:
        """Return a new producer id.

        Raises:
            ApiError: no id is left: the error of the last allocation, or COORDINATOR_LOAD_IN_PROGRESS, as in Kafka.
        """
        if not self._left:
            error, self._error = self._error, None
            raise error if error is not None else ApiError(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS)
        self._left -= 1
        return next(self._block)
