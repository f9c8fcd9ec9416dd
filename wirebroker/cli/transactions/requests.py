"""Requests about transactions and producers that several commands send, and the form of their tables."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from wirebroker.cli.output import print_lines, print_records, table_lines
from wirebroker.client.admin import describe_code, response_error
from wirebroker.client.connection import ClientError, UnsupportedApi
from wirebroker.model import TopicPartition, partitions_by_topic
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.describe_producers import DescribeProducersRequest, TopicRequest
from wirebroker.protocol.messages.describe_transactions import DescribeTransactionsRequest
from wirebroker.protocol.messages.list_transactions import ListTransactionsRequest

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence

    from wirebroker.cli.output import Column
    from wirebroker.client.admin import Admin
    from wirebroker.client.connection import Connection
    from wirebroker.protocol.messages.describe_producers import ProducerState
    from wirebroker.protocol.messages.describe_transactions import TransactionState
    from wirebroker.protocol.messages.list_transactions import ListTransactionsResponse

_PARTITIONS_PER_REQUEST = 500


def print_rows(columns: Sequence[Column], rows: Sequence[Sequence[Any]], form: str) -> None:
    """Print *rows*; as a table with a tab behind each padded cell, as kafka-transactions.sh prints it."""
    if form == "table":
        cells = [["None" if cell is None else cell for cell in row] for row in rows]
        print_lines(table_lines(columns, cells, separator="\t"))
    else:
        print_records(columns, rows, form)


def add_partition(parser: argparse.ArgumentParser) -> None:
    """Add --topic and --partition, both required."""
    parser.add_argument("--topic", required=True, help="topic name")
    parser.add_argument("--partition", required=True, type=int, help="partition number")


def list_transactions(admin: Admin, **filters: Any) -> dict[int, ListTransactionsResponse]:
    """Broker id -> transactions that the broker coordinates, of every broker.

    Raises:
        ClientError: a broker refuses.
    """

    def ask(node_id: int, broker: Connection) -> ListTransactionsResponse:
        try:
            answer: ListTransactionsResponse = broker.send(ListTransactionsRequest(**filters))
        except UnsupportedApi as fault:  # or the version that the broker supports lacks the filter
            raise UnsupportedApi(f"broker {node_id}: {fault}") from fault
        if answer.error_code:
            raise response_error(f"broker {node_id}", answer.error_code)
        return answer

    return admin.retry(lambda: admin.ask_brokers(ask))


def describe_transaction(admin: Admin, transactional_id: str) -> tuple[int, TransactionState] | None:
    """(coordinator, state) of a transactional id, None if there is no such id.

    Raises:
        ClientError: its coordinator refuses.
    """
    request = DescribeTransactionsRequest(transactional_ids=[transactional_id])

    def send() -> tuple[int, TransactionState] | None:
        node_id, _, coordinator = admin.transaction_coordinator(transactional_id)
        state: TransactionState = coordinator.send(request).transaction_states[0]
        if state.error_code == ErrorCode.TRANSACTIONAL_ID_NOT_FOUND:
            return None
        if state.error_code:
            raise response_error(f"transactional id {transactional_id}", state.error_code)
        return node_id, state

    return admin.retry(send)


def producers_of(
    admin: Admin, partitions: Iterable[TopicPartition], broker_id: int | None = None, *, may_skip: bool = False
) -> dict[TopicPartition, list[ProducerState]]:
    """The producer states of each partition, as its leader has them, or the broker *broker_id*.

    With *may_skip* partitions are left out whose leader cannot be reached.

    Raises:
        ClientError: a broker refuses or does not exist, or a partition has no leader.
    """
    wanted = list(partitions)
    by_broker: dict[Connection, list[TopicPartition]] = defaultdict(list)
    if broker_id is not None:
        by_broker[admin.broker(broker_id)] = wanted
    else:
        leaders = admin.leaders(wanted, may_skip=may_skip)
        for at in wanted:
            if at in leaders:
                by_broker[leaders[at]].append(at)
            elif not (may_skip and admin.unreachable):
                raise ClientError(f"{at.topic}-{at.partition} does not exist or has no leader")
    found: dict[TopicPartition, list[ProducerState]] = {}
    for broker, asked in by_broker.items():
        for first in range(0, len(asked), _PARTITIONS_PER_REQUEST):
            found |= _producers(broker, asked[first : first + _PARTITIONS_PER_REQUEST])
    return found


def _producers(broker: Connection, partitions: list[TopicPartition]) -> dict[TopicPartition, list[ProducerState]]:
    """The producer states of *partitions*, asked of one broker in one request.

    Raises:
        ClientError: the broker refuses a partition.
    """
    topics = [TopicRequest(name, indexes) for name, indexes in partitions_by_topic(partitions).items()]
    found: dict[TopicPartition, list[ProducerState]] = {}
    for topic in broker.send(DescribeProducersRequest(topics=topics)).topics:
        for each in topic.partitions:
            if each.error_code:
                raise ClientError(f"{topic.name}-{each.partition_index}: {describe_code(each.error_code)}")
            found[TopicPartition(topic.name, each.partition_index)] = each.active_producers
    return found
