"""wirebroker and Apache Kafka 3.9.1 with the same short timeouts; fixtures that run a script on both and compare."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from compat_tests.broker import Wirebroker
from compat_tests.conftest import unique_name, wait_until
from compat_tests.differences import GROUPS
from compat_tests.group_scenario import IN_ORDER, GroupScenario, differences, run_script
from compat_tests.versions import KAFKA, NEWEST_KAFKA
from compat_tests.wire import Wire
from tools.jvm.kafka import KafkaBroker
from wirebroker.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from wirebroker.protocol.messages.find_coordinator import FindCoordinatorRequest
from wirebroker.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from wirebroker.protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestGroup

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from compat_tests.broker import Broker
    from tools.jvm.kafka import KafkaDist

    Check = Callable[[Callable[[GroupScenario], None]], None]

SETTINGS = {
    "group.initial.rebalance.delay.ms": "0",
    "group.min.session.timeout.ms": "500",
    "group.max.size": "4",
    "offsets.topic.num.partitions": "3",
    "transaction.state.log.num.partitions": "3",
}


@pytest.fixture(scope="package")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wirebroker]:
    """Our broker with those settings."""
    with Wirebroker(tmp_path_factory.mktemp("groups-ours"), SETTINGS) as broker:
        _settle(broker)
        yield broker


def _kafka(dist: KafkaDist, directory: Path) -> Iterator[KafkaBroker]:
    with KafkaBroker(dist, directory, heap="320m", settings=SETTINGS | IN_ORDER) as broker:
        _settle(broker)
        yield broker


@pytest.fixture(scope="package")
def theirs(kafka_dist: Callable[[str], KafkaDist], tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaBroker]:
    """Apache Kafka 3.9.1 with the same."""
    yield from _kafka(kafka_dist(KAFKA), tmp_path_factory.mktemp("groups-theirs"))


@pytest.fixture(scope="module")
def newest(kafka_dist: Callable[[str], KafkaDist], tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaBroker]:
    """The newest Apache Kafka, for versions that 3.9.1 does not have."""
    yield from _kafka(kafka_dist(NEWEST_KAFKA), tmp_path_factory.mktemp("groups-newest"))


def _settle(broker: Broker) -> None:
    """Make the topic of the scripts, and wait until both kinds of coordinators answer."""
    with Wire(broker.host, broker.port, timeout_s=60) as wire:
        wire.ask(CreateTopicsRequest([CreatableTopic("read", 2, 1)], 50_000), 5)
        known = MetadataRequest([MetadataRequestTopic(name="read")], allow_auto_topic_creation=False)
        wait_until(lambda: not wire.ask(known, 9).topics[0].error_code)
        for kind in (0, 1):
            request = FindCoordinatorRequest(key_type=kind, coordinator_keys=["a", "b", "c", "d", "e"])
            wait_until(lambda: all(not c.error_code for c in wire.ask(request, 4).coordinators))  # noqa: B023
        fetch = OffsetFetchRequest(groups=[OffsetFetchRequestGroup(group_id=f"{n}", topics=None) for n in range(20)])
        wait_until(lambda: all(not g.error_code for g in wire.ask(fetch, 8).groups))


def _check(request: pytest.FixtureRequest, theirs: str) -> Check:
    pair = (request.getfixturevalue("ours"), request.getfixturevalue(theirs))

    def run(script: Callable[[GroupScenario], None]) -> None:
        group = unique_name(request.node.originalname or request.node.name)
        mine, other = run_script(pair, group, "read", script)
        found = differences(mine, other, {label: each.why for label, each in GROUPS.items()})
        for recorded, expected in zip(mine, other, strict=False):
            if recorded == expected and recorded[0] in GROUPS:
                found.append(
                    f"{recorded[0]}: no longer different, though differences.py says: {GROUPS[recorded[0]].why}"
                )
        assert not found, "\n".join(found)
        assert not [recorded for recorded in mine if recorded[0] == "the script broke off"], mine[-1]

    return run


@pytest.fixture
def check(request: pytest.FixtureRequest) -> Check:
    """Play a script on our broker and on Apache Kafka 3.9.1, and compare."""
    return _check(request, "theirs")


@pytest.fixture
def check_newest(request: pytest.FixtureRequest) -> Check:
    """Play a script on our broker and on the newest Apache Kafka, and compare."""
    return _check(request, "newest")
