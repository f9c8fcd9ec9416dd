"""wirebroker, Apache Kafka 3.9.1 and 4.1, running at the same time and ready for transactions."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from compat_tests.broker import Broker, Wirebroker
from compat_tests.conftest import unique_name, wait_until
from compat_tests.group_scenario import IN_ORDER
from compat_tests.transactions.scenario import differences, run_script
from compat_tests.wire import Wire
from tools.jvm.kafka import KafkaBroker
from wirebroker.protocol.messages.api_versions import ApiVersionsRequest
from wirebroker.protocol.messages.create_topics import CreatableTopic, CreatableTopicConfig, CreateTopicsRequest
from wirebroker.protocol.messages.find_coordinator import FindCoordinatorRequest
from wirebroker.protocol.messages.init_producer_id import InitProducerIdRequest
from wirebroker.protocol.messages.list_offsets import ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic
from wirebroker.protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestGroup

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from compat_tests.transactions.scenario import TransactionScenario
    from tools.jvm.kafka import KafkaDist
    from wirebroker.protocol.api import ApiKey

OURS = "wirebroker"
SETTINGS = {
    "group.initial.rebalance.delay.ms": "0",
    "group.min.session.timeout.ms": "500",
    "offsets.topic.num.partitions": "3",
    "transaction.state.log.num.partitions": "3",
    "transaction.abort.timed.out.transaction.cleanup.interval.ms": "100",
}
PARTITIONS = 3
PATIENCE_S = 120  # a JVM that has just started, on a starved machine


class ComparedBrokers:
    """The brokers, and the versions that each of them serves."""

    def __init__(self, brokers: dict[str, Broker]) -> None:
        self.brokers = brokers
        self.served = {name: _served(broker) for name, broker in brokers.items()}
        for broker in brokers.values():
            await_coordinators(broker)

    def check(self, name: str, script: Callable[[TransactionScenario], None], *apis: tuple[ApiKey, int]) -> None:
        """Run *script* on each broker that serves all of *apis*, and compare; at least one Apache Kafka must take
        part."""
        taking_part = {
            each: broker
            for each, broker in self.brokers.items()
            if all(low <= version <= high for key, version in apis for low, high in [self.served[each][key]])
        }
        assert OURS in taking_part, f"not served: {apis}"
        assert len(taking_part) > 1, f"no Apache Kafka serves all of {apis}"
        topic = unique_name(name)
        for broker in taking_part.values():
            create_topic(broker, topic)
        recorded = run_script(taking_part, topic, topic, script)
        ours = recorded.pop(OURS)
        found = [line for release, theirs in recorded.items() for line in differences(ours, theirs, release)]
        assert not found, "\n".join(found)
        assert not [each for each in ours if each.label == "the script broke off"], ours[-1]


@contextmanager
def start_brokers(
    kafka_dist: Callable[[str], KafkaDist],
    where: Path,
    *releases: str,
    settings: Mapping[str, str] = SETTINGS,
) -> Iterator[ComparedBrokers]:
    """Start wirebroker and these releases."""
    with ExitStack() as stack:
        brokers: dict[str, Broker] = {OURS: stack.enter_context(Wirebroker(where / OURS, settings))}
        for release in releases:
            in_order = {**settings, **IN_ORDER}
            made = KafkaBroker(kafka_dist(release), where / release, heap="320m", settings=in_order)
            brokers[release] = stack.enter_context(made)
        yield ComparedBrokers(brokers)


def _served(broker: Broker) -> dict[int, tuple[int, int]]:
    with Wire(broker.host, broker.port, timeout_s=PATIENCE_S) as wire:
        answer = wire.ask(ApiVersionsRequest("compat", "1"), 3)
    return {each.api_key: (each.min_version, each.max_version) for each in answer.api_keys}


def await_coordinators(broker: Broker) -> None:
    with Wire(broker.host, broker.port, timeout_s=PATIENCE_S) as wire:
        names = [f"{number}" for number in range(20)]
        for kind in (0, 1):
            request = FindCoordinatorRequest(key_type=kind, coordinator_keys=names)
            wait_until(lambda: all(not each.error_code for each in wire.ask(request, 4).coordinators))  # noqa: B023
        groups = [OffsetFetchRequestGroup(group_id=name, topics=None) for name in names]
        wait_until(lambda: all(not g.error_code for g in wire.ask(OffsetFetchRequest(groups=groups), 8).groups))
        for name in names:
            producer = InitProducerIdRequest(name, 1000)
            wait_until(lambda: not wire.ask(producer, 4).error_code)  # noqa: B023


def create_topic(broker: Broker, name: str) -> None:
    with Wire(broker.host, broker.port, timeout_s=PATIENCE_S) as wire:
        forever = [CreatableTopicConfig("retention.ms", "-1")]  # some scripts write records that are years old
        answer = wire.ask(CreateTopicsRequest([CreatableTopic(name, PARTITIONS, 1, [], forever)], 50_000), 5)
        assert not answer.topics[0].error_code
        wanted = [ListOffsetsPartition(number, -1, -1) for number in range(PARTITIONS)]
        request = ListOffsetsRequest(-1, 0, [ListOffsetsTopic(name, wanted)])
        wait_until(lambda: all(not p.error_code for p in wire.ask(request, 4).topics[0].partitions))
