"""Current clients with `--as-version`: they detect the release, and produce and consume."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

from compat_tests.broker import Wirebroker
from compat_tests.conftest import unique_name
from compat_tests.python_clients import AioKafka, Client, ConfluentKafka, KafkaPython, Record

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")]

RELEASES = ("0.10.0", "0.10.2", "0.11.0", "1.1", "2.0", "2.4", "2.8", "3.3", "3.9", "4.0", "4.1")
NOW = int(time.time() * 1000)
TAKEN_FOR = {"0.11.0": (0, 11)}
"""Release -> kafka-python's name for it, if that is another one."""
CLIENTS = (ConfluentKafka(), KafkaPython(), AioKafka())


@pytest.fixture(scope="module", params=RELEASES)
def release_broker(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, Wirebroker]]:
    """(release, a broker that behaves like it)."""
    release: str = request.param
    with Wirebroker(tmp_path_factory.mktemp(f"as-{release}"), {"wirebroker.as.version": release}) as broker:
        yield release, broker


def test_kafka_python_takes_it_for_that_release(release_broker: tuple[str, Wirebroker]) -> None:
    import kafka

    release, broker = release_broker
    producer: Any = kafka.KafkaProducer(bootstrap_servers=broker.bootstrap, enable_idempotence=False)
    try:
        producer.send(unique_name(), b"value").get(timeout=60)
        found = producer.config["api_version"]
    finally:
        producer.close()
    assert found == TAKEN_FOR.get(release, tuple(map(int, release.split("."))))


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: type(client).__name__)
@pytest.mark.parametrize("codec", ["none", "gzip", "lz4"])
def test_records_go_round(release_broker: tuple[str, Wirebroker], client: Client, codec: str) -> None:
    release, broker = release_broker
    with_headers = not release.startswith("0.10")
    headers = (("h", b"1"),) if with_headers else ()
    records = [Record(b"%d" % n, b"value %d" % n, NOW + n, headers) for n in range(20)]
    topic = unique_name("round")
    offsets = client.produce(broker.bootstrap, topic, records, codec=codec, idempotent=with_headers)
    assert offsets == list(range(20))
    assert client.consume(broker.bootstrap, topic, 20) == records
