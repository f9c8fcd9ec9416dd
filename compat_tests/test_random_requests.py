"""Random requests, each made from the answers before it, answered by wirebroker as by Apache Kafka 3.9.1."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final

import pytest

from compat_tests.broker import Wirebroker
from compat_tests.comparison import SideBySide
from compat_tests.conftest import unique_name, wait_until
from compat_tests.differences import ALWAYS, START_TIME
from compat_tests.kafka_requests import init_producer_id
from compat_tests.random_requests.groups import GroupRequests
from compat_tests.random_requests.logs import LogRequests
from compat_tests.random_requests.story import Story
from compat_tests.random_requests.transactions import TransactionRequests
from compat_tests.versions import KAFKA
from tools.jvm.kafka import KafkaBroker
from wirebroker.protocol.messages.delete_topics import DeleteTopicsRequest
from wirebroker.protocol.messages.describe_transactions import DescribeTransactionsRequest
from wirebroker.protocol.messages.find_coordinator import FindCoordinatorRequest
from wirebroker.protocol.messages.offset_fetch import OffsetFetchRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from compat_tests.comparison import Side
    from tools.jvm.kafka import KafkaDist

SETTINGS: Final = {
    "group.initial.rebalance.delay.ms": "0",
    "log.retention.check.interval.ms": "600000",
    "offsets.topic.num.partitions": "3",
    "transaction.state.log.num.partitions": "3",
}
STEPS: Final = 150
SEEDS: Final = 4
NIGHTLY_SEEDS: Final = 100


@pytest.fixture(scope="module")
def pair(kafka_dist: Callable[[str], KafkaDist], tmp_path_factory: pytest.TempPathFactory) -> Iterator[SideBySide]:
    """Both brokers, whose coordinators have loaded their partitions."""
    directory = tmp_path_factory.mktemp("random-requests")
    with (
        KafkaBroker(kafka_dist(KAFKA), directory / "theirs", heap="320m", settings=SETTINGS) as theirs,
        Wirebroker(directory / "ours", SETTINGS) as ours,
    ):
        both = SideBySide(theirs, ours, ordered=False, always=(*ALWAYS, START_TIME))
        for side in both.sides:
            for number in range(20):
                wait_until(lambda side=side, number=number: _is_loaded(side, f"name-{number}"))  # type: ignore[misc]  # bound per turn
        yield both
        both.close()


def _is_loaded(side: Side, name: str) -> bool:
    """Whether the coordinators of the group and of the transactional id *name* answer."""
    for kind in (0, 1):  # which creates the topics of coordinators
        side.ask(FindCoordinatorRequest(name, kind), 3)
    offsets = side.ask(OffsetFetchRequest(group_id=name, topics=None), 5)
    return not offsets.error_code and not side.ask(init_producer_id(transactional_id=name), 4).error_code


@pytest.mark.parametrize("seed", range(SEEDS))
def test_random_requests_are_answered_alike(pair: SideBySide, seed: int) -> None:
    run(pair, seed)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(SEEDS, SEEDS + NIGHTLY_SEEDS))
def test_many_random_requests_are_answered_alike(pair: SideBySide, seed: int) -> None:
    run(pair, seed)


def run(both: SideBySide, seed: int) -> None:
    """Make the requests of one seed, then compare everything that they have left."""
    both.begin()
    story = Story(both, seed, unique_name("random"))
    logs = LogRequests(story)
    weights = logs.weights | TransactionRequests(story).weights | GroupRequests(story).weights
    choice = random.Random(seed)
    for _ in range(2):
        story.create_topic()
    for request in choice.choices(list(weights), list(weights.values()), k=STEPS):
        request()
    logs.compare_logs()
    story.await_markers()
    story.ask(DescribeTransactionsRequest(story.transactional_ids), 0, "transactions at the end")
    for group in story.groups:
        story.ask(OffsetFetchRequest(group_id=group, topics=None), 7, f"offsets of {group} at the end")
    for side in both.sides:
        side.ask(DeleteTopicsRequest(topic_names=story.topics, timeout_ms=30_000), 3)
