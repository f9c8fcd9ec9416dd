"""The two clusters, for each pair of releases, and the ways that a tool has to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from compat_tests.cluster.compared_tools import ComparedTools
from compat_tests.versions import KAFKA, OLD_KAFKA, OLDEST_KAFKA

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tools.jvm.kafka import KafkaDist

MATRIX: Final = (
    (KAFKA, KAFKA),
    (OLDEST_KAFKA, OLDEST_KAFKA),
    (OLDEST_KAFKA, KAFKA),
    (OLD_KAFKA, OLD_KAFKA),
    (OLD_KAFKA, KAFKA),
)
"""Release of the tools, release of the brokers; tools before 2.6 use ZooKeeper for most of what they do."""
WAYS: Final = ("bootstrap", "zookeeper")


@pytest.fixture(scope="package", params=MATRIX, ids=lambda each: "tools-{}-brokers-{}".format(*each))
def package_tools(
    request: pytest.FixtureRequest, kafka_dist: Callable[[str], KafkaDist], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ComparedTools]:
    of_tools, of_brokers = request.param
    directory = tmp_path_factory.mktemp("matrix")
    with ComparedTools(directory, kafka_dist(of_brokers), kafka_dist(of_tools)) as tools:
        yield tools


@pytest.fixture
def tools(package_tools: ComparedTools) -> Iterator[ComparedTools]:
    """The clusters of the releases; the test fails at its end if an output differed."""
    yield package_tools
    package_tools.verify()


@pytest.fixture(params=WAYS)
def zookeeper(request: pytest.FixtureRequest) -> bool:
    """Whether the tool uses ZooKeeper."""
    return bool(request.param == "zookeeper")
