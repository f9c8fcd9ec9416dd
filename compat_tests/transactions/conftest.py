"""The three brokers that are compared."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

from compat_tests.transactions.compared_brokers import start_brokers
from compat_tests.versions import KAFKA, KAFKA_4

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from compat_tests.transactions.compared_brokers import ComparedBrokers
    from tools.jvm.kafka import KafkaDist


@pytest.fixture(scope="package")
def brokers(
    kafka_dist: Callable[[str], KafkaDist], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ComparedBrokers]:
    """wirebroker and two releases of Apache Kafka, with short transaction timeouts."""
    with start_brokers(kafka_dist, tmp_path_factory.mktemp("transactions"), KAFKA, KAFKA_4) as found:
        yield found


@pytest.fixture
def same(brokers: ComparedBrokers, request: pytest.FixtureRequest) -> Callable[..., None]:
    """``same(script, (ApiKey.END_TXN, 5))``: the script is answered alike by all that serve these."""
    return partial(brokers.check, request.node.originalname or request.node.name)
