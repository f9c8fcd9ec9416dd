"""Fetch of messages from the partitions of this broker (Kafka: ReplicaManager.fetchMessages).

A function, not a method of ReplicaManager, so that a broker loads the modules of Fetch with the first request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

from wirebroker.replication.fetch_down_conversion import down_convert
from wirebroker.replication.fetch_reader import FORMAT_2_SINCE, FetchReader

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wirebroker.replication.delayed_fetch import DelayedFetch
    from wirebroker.replication.fetch_params import FetchParams
    from wirebroker.replication.fetch_results import FetchResults
    from wirebroker.replication.fetch_session import CachedPartition, FetchSession
    from wirebroker.replication.replica_manager import ReplicaManager


async def fetch_messages(
    replicas: ReplicaManager,
    params: FetchParams,
    entries: Sequence[CachedPartition],
    session: FetchSession | None = None,
) -> FetchResults:
    """Read partitions for a Fetch request, after waiting for min_bytes as long as the request allows.

    An error of a partition is in the results and ends the wait.

    Args:
        replicas: the partitions of this broker.
        params: the limits of the request.
        entries: the partitions to read, in the order in which they share max_bytes.
        session: the fetch session whose dirty partitions *entries* are; partitions of the session that change while
            the request waits are read, too.

    Returns:
        The data of *entries* and of changed partitions, in the order of the response.  Records are ranges of log files
        that are read when they are sent; for Fetch v0-v3 they are converted meanwhile.
    """
    reader = FetchReader(replicas, params)
    purgatory = replicas.purgatories.fetch
    expiration_ms = purgatory.timer.now_ms() + params.max_wait_ms
    if session is not None and session.follower:
        session.last_fetch_s = trio.current_time()
    while True:
        results = await purgatory.fetch(reader, entries, session, expiration_ms)
        if params.version >= FORMAT_2_SINCE or await down_convert(replicas, params, results):
            return results


async def fetch_or_delay(
    replicas: ReplicaManager,
    params: FetchParams,
    entries: Sequence[CachedPartition],
    session: FetchSession | None = None,
) -> FetchResults | DelayedFetch:
    """Read as `fetch_messages`, for Fetch v4 or later; return the pending operation if the request has to wait."""
    purgatory = replicas.purgatories.fetch
    if session is not None and session.follower:
        session.last_fetch_s = trio.current_time()
    expiration_ms = purgatory.timer.now_ms() + params.max_wait_ms
    reader = FetchReader(replicas, params)
    return await purgatory.fetch_or_delay(reader, entries, session, expiration_ms)
