"""The Metadata of one broker, asked for with a single request.

A client library would connect, ask for ApiVersions and start threads for every question; waits ask again and again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from compat_tests.wire import Closed, Wire
from wirebroker.protocol.messages.metadata import MetadataRequest

if TYPE_CHECKING:
    from compat_tests.broker import Broker
    from wirebroker.protocol.messages.metadata import MetadataResponse, MetadataResponsePartition

_VERSION = 1
"""The first with a controller; all releases answer it."""
_TIMEOUT_S = 20


class Metadata(NamedTuple):
    """The answer of a broker."""

    controller_id: int
    broker_ids: frozenset[int]
    states: dict[str, dict[int, tuple[int, set[int]]]]
    """Topic -> partition -> leader and ISR."""


NO_METADATA = Metadata(-1, frozenset(), {})


def metadata_of(broker: Broker) -> Metadata:
    """Return the Metadata of a broker about all topics, NO_METADATA if it does not answer."""
    return metadata_at(broker.host, broker.port)


def metadata_at(host: str, port: int) -> Metadata:
    """Return the Metadata of the broker at an address about all topics, NO_METADATA if it does not answer."""
    answer = _ask(host, port)
    if answer is None:
        return NO_METADATA
    states = {
        str(topic.name): {each.partition_index: (each.leader_id, set(each.isr_nodes)) for each in topic.partitions}
        for topic in answer.topics
    }
    return Metadata(answer.controller_id, frozenset(each.node_id for each in answer.brokers), states)


def partitions_of(broker: Broker) -> list[MetadataResponsePartition] | None:
    """Return all partitions in the Metadata of a broker, None if it does not answer."""
    answer = _ask(broker.host, broker.port)
    return None if answer is None else [each for topic in answer.topics for each in topic.partitions]


def _ask(host: str, port: int) -> MetadataResponse | None:
    try:
        with Wire(host, port, _TIMEOUT_S) as wire:
            answer: MetadataResponse = wire.ask(MetadataRequest(topics=None), _VERSION)
    except (OSError, Closed):
        return None
    return answer
