"""The three brokers that are compared."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

from compat_tests.transactions import stage
from compat_tests.versions import KAFKA, KAFKA_4

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tools.jvm.kafka import KafkaDist


@pytest.fixture(scope="package")
def brokers(kafka_dist: Callable[[str], KafkaDist], tmp_path_factory: pytest.TempPathFactory) -> Iterator[stage.Stage]:
    """wirebroker and two releases of Apache Kafka, with quick timeouts of transactions."""
    with stage.staged(kafka_dist, tmp_path_factory.mktemp("transactions"), KAFKA, KAFKA_4) as found:
        yield found


@pytest.fixture
def same(brokers: stage.Stage, request: pytest.FixtureRequest) -> Callable[..., None]:
    """``same(script, (ApiKey.END_TXN, 5))``: the script is answered alike by all that serve these."""
    return partial(brokers.check, request.node.originalname or request.node.name)
