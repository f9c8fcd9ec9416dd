"""kcat (the command line client over an older librdkafka) lists, produces, consumes and asks for offsets."""

from __future__ import annotations

import json

import pytest

from compat_tests.kcat import Kcat, NoKcatError, find_kcat
from compat_tests.python_clients import CLIENTS, CODECS, Record
from compat_tests.spark_help import create_topic

T0 = 1_700_000_000_000
HOUR_MS = 3_600_000


@pytest.fixture(scope="session")
def kcat() -> Kcat:
    try:
        return find_kcat()
    except NoKcatError as reason:
        pytest.skip(str(reason))


def test_list(kcat: Kcat, bootstrap: str, topic: str) -> None:
    create_topic(bootstrap, topic, 3)
    answer = json.loads(kcat.run("-b", bootstrap, "-L", "-J", "-t", topic))
    (found,) = answer["topics"]
    assert found["topic"] == topic
    assert [partition["partition"] for partition in found["partitions"]] == [0, 1, 2]
    brokers = {broker["id"] for broker in answer["brokers"]}
    assert {partition["leader"] for partition in found["partitions"]} <= brokers
    assert answer["controllerid"] in brokers


@pytest.mark.parametrize("codec", CODECS)
def test_produce_and_consume(kcat: Kcat, bootstrap: str, topic: str, codec: str) -> None:
    create_topic(bootstrap, topic)
    lines = [f"k{i}:the same text again and again {i}" for i in range(500)]
    kcat.run(
        "-b", bootstrap, "-P", "-t", topic, "-K", ":", "-z", codec, "-H", "a=1", "-H", "b=two", stdin="\n".join(lines)
    )
    said = kcat.run("-b", bootstrap, "-C", "-t", topic, "-e", "-q", "-f", "%o|%h|%k:%s\n")
    assert said.splitlines() == [f"{i}|a=1,b=two|{line}" for i, line in enumerate(lines)]
    records = CLIENTS["confluent-kafka"].consume(bootstrap, topic, 500)
    assert [f"{(r.key or b'').decode()}:{(r.value or b'').decode()}" for r in records] == lines


def test_idempotent(kcat: Kcat, bootstrap: str, topic: str) -> None:
    create_topic(bootstrap, topic)
    settings = ("-X", "enable.idempotence=true")
    kcat.run("-b", bootstrap, "-P", "-t", topic, *settings, stdin="\n".join(map(str, range(100))))
    said = kcat.run("-b", bootstrap, "-C", "-t", topic, "-e", "-q", "-X", "isolation.level=read_committed")
    assert said.split() == [str(i) for i in range(100)]


def test_null_keys_and_values(kcat: Kcat, bootstrap: str, topic: str) -> None:
    create_topic(bootstrap, topic)
    kcat.run("-b", bootstrap, "-P", "-t", topic, "-K", ":", "-Z", stdin=":no key\nno value:")
    said = kcat.run("-b", bootstrap, "-C", "-t", topic, "-e", "-q", "-J")
    found = [json.loads(line) for line in said.splitlines()]
    assert [(record["key"], record["payload"]) for record in found] == [(None, "no key"), ("no value", None)]


def test_offsets_and_times(kcat: Kcat, bootstrap: str, topic: str) -> None:
    create_topic(bootstrap, topic)
    hourly = [Record(None, b"%d" % i, T0 + i * HOUR_MS) for i in range(10)]
    CLIENTS["confluent-kafka"].produce(bootstrap, topic, hourly)
    ask = ("-b", bootstrap, "-C", "-t", topic, "-p", "0", "-e", "-q")
    assert kcat.run(*ask, "-o", "7").split() == ["7", "8", "9"]
    assert kcat.run(*ask, "-o", "-2").split() == ["8", "9"]
    assert kcat.run(*ask, "-o", f"s@{T0 + 5 * HOUR_MS - 1}", "-c", "2").split() == ["5", "6"]
    assert kcat.run(*ask, "-o", f"s@{T0}", "-o", f"e@{T0 + 3 * HOUR_MS}").split() == ["0", "1", "2"]
    assert kcat.run(*ask, "-c", "1", "-f", "%T").strip() == str(T0)
    assert f"{topic} [0] offset 4" in kcat.run("-b", bootstrap, "-Q", "-t", f"{topic}:0:{T0 + 4 * HOUR_MS}")


def test_an_unknown_topic(kcat: Kcat, bootstrap: str, topic: str) -> None:
    said = kcat.run("-b", bootstrap, "-L", "-t", topic, "-X", "allow.auto.create.topics=false")
    assert f'topic "{topic}" with 0 partitions: Broker: Unknown topic or partition' in said
