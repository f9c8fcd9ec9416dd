"""`wirebroker produce` and `wirebroker consume` against both brokers, and beside other clients' programs."""

from __future__ import annotations

import json
import signal
import subprocess
from struct import pack
from typing import TYPE_CHECKING, Any

import pytest

from compat_tests.broker import running
from compat_tests.command import attempt, environment, output, wirebroker_command
from compat_tests.directory_scenario import await_markers
from compat_tests.kafka_requests import NOW
from compat_tests.kcat import Kcat, NoKcatError, find_kcat
from compat_tests.limits import WITHIN_S, flush
from compat_tests.python_clients import CLIENTS, CODECS
from compat_tests.spark_help import create_topic
from compat_tests.versions import KAFKA

if TYPE_CHECKING:
    from collections.abc import Callable

    from compat_tests.broker import Broker
    from tools.jvm.kafka import KafkaDist

pytestmark = [pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")]

RECORDS: list[dict[str, Any]] = [
    {"key": "k", "value": "v", "headers": [{"key": "h", "value": "1"}, {"key": "h", "value": None}]},
    {"key": None, "value": "no key", "headers": []},
    {"key": "tombstone", "value": None, "headers": [{"key": "b", "value_base64": "/wA="}]},
    {"key_base64": "/wD+", "value_base64": "gIE=", "headers": []},
    {"key": "", "value": "", "headers": []},
]
T0 = NOW  # old timestamps would have retention delete the records


@pytest.fixture(scope="module", params=["wirebroker", "apache_kafka"])
def at(request: pytest.FixtureRequest) -> str:
    """The address of either broker."""
    broker: Broker = request.getfixturevalue(request.param)
    return broker.bootstrap


@pytest.fixture(scope="module")
def kafka(kafka_dist: Callable[[str], KafkaDist]) -> KafkaDist:
    return kafka_dist(KAFKA)


def test_json_lines_survive_the_way_in_and_out(at: str, topic: str) -> None:
    create_topic(at, topic, 2)
    given = [{"partition": number % 2, "timestamp": T0 + number} | record for number, record in enumerate(RECORDS)]
    lines = "\n".join(map(json.dumps, given)).encode()
    for codec in CODECS:
        output("produce", topic, "-b", at, "--json", "--codec", codec, stdin=lines)
    printed = output("consume", topic, "-b", at, "--from-beginning", "--exit", "--format", "json")
    found = [json.loads(line) for line in printed.splitlines()]
    for partition in (0, 1):
        mine = [each for each in found if each["partition"] == partition]
        assert [each["offset"] for each in mine] == list(range(len(mine)))
        assert {each["topic"] for each in mine} == {topic}
        names = ("offset", "topic", "timestamp_type")
        bare = [{name: value for name, value in each.items() if name not in names} for each in mine]
        assert bare == [each for each in given if each["partition"] == partition] * len(CODECS)


def test_positions(at: str, topic: str) -> None:
    create_topic(at, topic)
    lines = b"".join(b'{"value": "%d", "timestamp": %d}\n' % (number, T0 + number) for number in range(10))
    output("produce", topic, "-b", at, "--json", stdin=lines)
    for words, expected in (
        (("--offset", "7"), "789"),
        (("--tail", "2"), "89"),
        (("--from-timestamp", str(T0 + 6)), "6789"),
        (("--from-timestamp", str(T0 + 99)), ""),
        (("--from-beginning", "--count", "3"), "012"),
        (("--group", topic, "--from-beginning", "--count", "4"), "0123"),
        (("--group", topic), "456789"),
    ):
        printed = output("consume", topic, "-b", at, "--exit", *words)
        assert printed.decode().replace("\n", "") == expected, words
    refused = attempt("consume", topic, "-b", at, "--offset", "99")
    assert (refused.returncode, refused.stderr.decode()) == (
        1,
        f"wirebroker: {topic}-0 has offsets from 0 to 10, not 99\n",
    )


def test_isolation(at: str, topic: str) -> None:
    from confluent_kafka import Producer

    create_topic(at, topic)
    producer = Producer({"bootstrap.servers": at, "transactional.id": topic})
    producer.init_transactions(WITHIN_S)
    for value, end in (("aborted", producer.abort_transaction), ("committed", producer.commit_transaction)):
        producer.begin_transaction()
        producer.produce(topic, value)
        flush(producer)
        end(WITHIN_S)
    await_markers(at, topic)
    consume = ("consume", topic, "-b", at, "--from-beginning", "--exit", "--isolation")
    assert output(*consume, "read_uncommitted") == b"aborted\ncommitted\n"
    assert output(*consume, "read_committed") == b"committed\n"


def test_kcat_and_kafka_python_read_the_records_and_the_reverse(bootstrap: str, topic: str) -> None:
    try:
        kcat: Kcat = find_kcat()
    except NoKcatError as reason:
        pytest.skip(str(reason))
    create_topic(bootstrap, topic)
    form = "%t|%p|%o|%k|%s|%h|%K|%S\n"
    lines = b"k1:v1\nk2:v2:x\n"
    output("produce", topic, "-b", bootstrap, "-K", ":", "-H", "a=1", "-H", "b=2", "-z", "lz4", stdin=lines)
    kcat.run("-b", bootstrap, "-P", "-t", topic, "-K", ":", "-H", "c=3", stdin="k3:v3")
    theirs = kcat.run("-b", bootstrap, "-C", "-t", topic, "-e", "-q", "-f", form)
    mine = output("consume", topic, "-b", bootstrap, "--from-beginning", "-e", "-f", form.replace("\n", "\\n"))
    assert mine.decode() == theirs
    assert theirs.splitlines()[1] == f"{topic}|0|1|k2|v2:x|a=1,b=2|2|4"
    records = CLIENTS["kafka-python"].consume(bootstrap, topic, 3)
    assert [(each.key, each.value) for each in records] == [(b"k1", b"v1"), (b"k2", b"v2:x"), (b"k3", b"v3")]
    assert records[0].headers == (("a", b"1"), ("b", b"2"))


def test_java_s_console_tools_read_the_records_and_the_reverse(kafka: KafkaDist, bootstrap: str, topic: str) -> None:
    create_topic(bootstrap, topic)
    output("produce", topic, "-b", bootstrap, "-K", ":", "-H", "h=1", "--timestamp", str(T0), stdin=b"k1:v1\n")
    properties = ("parse.key=true", "key.separator=:", "parse.headers=true")
    options = [word for each in properties for word in ("--property", each)]
    to = ("--bootstrap-server", bootstrap, "--topic", topic)
    kafka.run("kafka-console-producer", *to, *options, stdin="h:2,i:3\tk2:v2\n")
    prints = ("partition", "offset", "key", "headers", "timestamp")
    options = [word for each in prints for word in ("--property", f"print.{each}=true")]
    theirs = kafka.run("kafka-console-consumer", *to, "--from-beginning", "--max-messages", "2", *options).stdout
    said = attempt("kafka-console-consumer.sh", *to, "--from-beginning", "--max-messages", "2", *options)
    assert (said.stdout.decode(), said.stderr) == (theirs, b"Processed a total of 2 messages\n")
    template = "CreateTime:%T\\tPartition:%p\\tOffset:%o\\t%h\\t%k\\t%s\\n"
    mine = output("consume", topic, "-b", bootstrap, "--from-beginning", "-c", "2", "-f", template).decode()
    assert mine.replace("=", ":") == theirs
    assert mine.splitlines()[0] == f"CreateTime:{T0}\tPartition:0\tOffset:0\th=1\tk1\tv1"


def test_java_s_console_consumer_reads_the_topics_that_match(kafka: KafkaDist, at: str, topic: str) -> None:
    """`--include`, with numbers and doubles as Java's deserializers print them."""
    from confluent_kafka import Producer

    producer = Producer({"bootstrap.servers": at})
    for number in range(2):
        create_topic(at, f"{topic}-{number}")
        producer.produce(f"{topic}-{number}", pack(">d", 1e9 + number), key=pack(">i", number - 1))
    create_topic(at, f"{topic}-other")
    producer.produce(f"{topic}-other", b"other")
    flush(producer)
    package = "org.apache.kafka.common.serialization."
    options = (
        *("--bootstrap-server", at, "--include", rf"{topic}-\d", "--from-beginning", "--max-messages", "2"),
        *("--property", "print.key=true", "--key-deserializer", f"{package}IntegerDeserializer"),
        *("--value-deserializer", f"{package}DoubleDeserializer", "--enable-systest-events"),
    )
    theirs = kafka.run("kafka-console-consumer", *options).stdout
    said = attempt("kafka-console-consumer.sh", *options)
    assert sorted(said.stdout.decode().splitlines()) == sorted(theirs.splitlines())
    assert said.stderr == b"Processed a total of 2 messages\n"
    assert sorted(theirs.splitlines()) == ["-1\t1.0E9", "0\t1.000000001E9", "shutdown_complete"]
    mine = output("consume", rf"^{topic}-(\d|other)", "-b", at, "--from-beginning", "--exit", "-f", "%t\\n").decode()
    assert sorted(mine.splitlines()) == [f"{topic}-0", f"{topic}-1", f"{topic}-other"]


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("formatter", "class_name", "internal"),
    [
        ("offsets", "OffsetsMessageFormatter", "__consumer_offsets"),
        ("group-metadata", "GroupMetadataMessageFormatter", "__consumer_offsets"),
        ("transaction-log", "TransactionLogMessageFormatter", "__transaction_state"),
    ],
)
def test_formatters_print_what_java_s_print(
    kafka: KafkaDist, apache_kafka: Broker, topic: str, formatter: str, class_name: str, internal: str
) -> None:
    at = apache_kafka.bootstrap
    create_topic(at, topic)
    if formatter == "transaction-log":
        from confluent_kafka import Producer

        producer = Producer({"bootstrap.servers": at, "transactional.id": topic})
        producer.init_transactions(WITHIN_S)
        producer.begin_transaction()
        producer.produce(topic, "v", partition=0)
        producer.commit_transaction(WITHIN_S)
    else:
        output("produce", topic, "-b", at, "--value", "v")
        output("consume", topic, "-b", at, "--group", topic, "--from-beginning", "--exit")
    java = kafka.run(
        *("kafka-console-consumer", "--bootstrap-server", at, "--topic", internal, "--from-beginning"),
        *("--timeout-ms", "8000", "--formatter", f"org.apache.kafka.tools.consumer.{class_name}"),
    ).stdout
    mine = output("consume", internal, "-b", at, "--from-beginning", "--exit", "--formatter", formatter).decode()
    # Java prints the objects in one line, records of other tests among them
    theirs = set(java.replace('}{"key"', '}\n{"key"').splitlines())
    about_us = {line for line in mine.splitlines() if f'"{topic}"' in line}
    assert about_us
    assert about_us <= theirs


def test_a_closed_pipe_and_ctrl_c(bootstrap: str, topic: str) -> None:
    create_topic(bootstrap, topic)
    output("produce", topic, "-b", bootstrap, stdin=b"x\n" * 200_000)
    consume = wirebroker_command("consume", topic, "-b", bootstrap, "--from-beginning")
    with running(consume, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == b"x\n"
        process.stdout.close()
        assert (process.wait(120), process.stderr.read()) == (0, b"")
    with running(
        [*consume[:-1], "--tail", "1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"x\n"
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=120)[1] == b"wirebroker: interrupted\n"
        assert process.returncode == 130


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_leaves_the_group(bootstrap: str, topic: str, number: signal.Signals, code: int) -> None:
    """At once: the group is empty as soon as the command has ended, long before the session timeout of 45 s."""
    create_topic(bootstrap, topic)
    output("produce", topic, "-b", bootstrap, "--value", "x")
    consume = wirebroker_command("consume", topic, "-b", bootstrap, "--from-beginning", "--group", topic)
    with running(consume, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"x\n"
        # what is printed before is noted for the commit; a signal may come between the last print and its note
        output("produce", topic, "-b", bootstrap, "--value", "y")
        assert process.stdout.readline() == b"y\n"
        process.send_signal(number)
        process.communicate(timeout=120)
        assert process.returncode == code
    (group,) = json.loads(output("groups", "describe", "--group", topic, "-b", bootstrap, "--format", "json"))
    (offset,) = [each["current_offset"] for each in group["partitions"]]
    assert (group["state"], offset) in (("Empty", 1), ("Empty", 2))


def test_table(bootstrap: str, topic: str) -> None:
    create_topic(bootstrap, topic)
    record = ("--key", "k", "--header", "h=1", "--timestamp", "1700000000123", "--value", "a\tb")
    output("produce", topic, "-b", bootstrap, *record)
    output("produce", topic, "-b", bootstrap, "--timestamp", "1700000000124", "--null", "", "--value", "")
    lines = output("consume", topic, "-b", bootstrap, "--from-beginning", "--exit", "--format", "table")
    header, first, second = (line.split() for line in lines.decode().splitlines())
    assert header == ["TOPIC", "PARTITION", "OFFSET", "TIMESTAMP", "KEY", "HEADERS", "VALUE"]
    assert first == [topic, "0", "0", "2023-11-14T22:13:20.123Z", "k", "h=1", "a\\tb"]
    assert second == [topic, "0", "1", "2023-11-14T22:13:20.124Z", "-", "-", "-"]


@pytest.mark.parametrize(
    ("words", "stdin", "code", "says"),
    [
        (("--json",), b'{"value": 1}\n{"key"\n', 2, "line 2: no JSON: "),
        (("-K", ":"), b"x", 2, "line 1: no key separator ':'"),
        (("-p", "7"), b"x", 1, "has no partition 7; it has 1"),
        (
            ("-X", "max.request.size=2000"),
            b"x" * 3000,
            1,
            "record 1: Unable to produce message: ",
        ),
    ],
)
def test_records_that_cannot_be_sent(
    bootstrap: str, topic: str, words: tuple[str, ...], stdin: bytes, code: int, says: str
) -> None:
    create_topic(bootstrap, topic)
    run = attempt("produce", topic, "-b", bootstrap, *words, stdin=stdin)
    assert run.returncode == code
    assert says in run.stderr.decode()
    assert run.stderr.count(b"\n") == 1
