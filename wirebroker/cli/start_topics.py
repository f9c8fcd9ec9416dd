"""Topics that `wirebroker start --topic` creates before the ready line, over a connection of their own."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from wirebroker.cli.topics.changes import create_topic
from wirebroker.client.admin import Admin
from wirebroker.client.connection import ClientError, ResponseError
from wirebroker.protocol.errors import ErrorCode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wirebroker.cli.start_options import StartTopic

_TIMEOUT_S: Final = 30.0
_RETRY_S: Final = 0.1


def create_topics(address: str, topics: Sequence[StartTopic]) -> None:
    """Create *topics* at the broker that listens at *address*; those that exist are left as they are.

    Waits for a controller, as in a cluster there may be none for a moment.

    Raises:
        ClientError: a topic cannot be created.
    """
    deadline = time.monotonic() + _TIMEOUT_S
    with Admin(address, _TIMEOUT_S) as admin:
        for name, partitions in topics:
            while True:
                try:
                    create_topic(admin, name, partitions, None, (), {})
                except ResponseError as problem:
                    if problem.code == ErrorCode.TOPIC_ALREADY_EXISTS:
                        break
                    if problem.code != ErrorCode.NOT_CONTROLLER or time.monotonic() >= deadline:
                        raise ClientError(f"--topic {name}: {problem}") from None
                    time.sleep(_RETRY_S)
                else:
                    break
