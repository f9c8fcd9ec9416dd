"""Apache Kafka's scripts by name: their output for one topic "t", as 3.9.1 prints it, their errors and exit codes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from wirebroker import __version__
from wirebroker.cli.commands import COMMANDS, TABLE
from wirebroker.cli.kafka_tools.scripts import ELSEWHERE, SAME_OPTIONS, TOOLS, equal_command, script_name
from wirebroker.cli.kafka_tools.tool import java_double
from wirebroker.cli.main import main
from wirebroker.tests.cli.fake_cluster import FakeConnection

if TYPE_CHECKING:
    from pathlib import Path

TO = ("--bootstrap-server", "broker:9092")


@pytest.fixture(autouse=True)
def cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wirebroker.client.admin.Connection", FakeConnection)
    monkeypatch.setattr("os.environ", {})


@pytest.mark.parametrize(
    ("words", "code", "out"),
    [
        (("kafka-topics.sh", "--list"), 0, "t\n"),
        (("kafka-topics", "--list", "--topic", "nothing"), 0, "\n"),
        (("kafka-topics.sh", "--create", "--topic", "new"), 0, "Created topic new.\n"),
        (("kafka-topics.sh", "--create", "--topic", "t"), 1, "Error while executing topic command : it exists.\n"),
        (("kafka-topics.sh", "--create", "--topic", "t", "--if-not-exists"), 0, ""),
        (
            ("kafka-topics.sh", "--describe"),
            0,
            "Topic: t\tTopicId: AAECAwQFBgcICQoLDA0ODw\tPartitionCount: 2\tReplicationFactor: 2\t"
            "Configs: retention.ms=99\n"
            "\tTopic: t\tPartition: 0\tLeader: 0\tReplicas: 0,1\tIsr: 0\tElr: \tLastKnownElr: \n"
            "\tTopic: t\tPartition: 1\tLeader: 0\tReplicas: 0,1\tIsr: 0,1\tElr: \tLastKnownElr: \n",
        ),
        (
            ("kafka-topics.sh", "--describe", "--under-replicated-partitions"),
            0,
            "\tTopic: t\tPartition: 0\tLeader: 0\tReplicas: 0,1\tIsr: 0\tElr: \tLastKnownElr: \n",
        ),
        (
            ("kafka-topics.sh", "--delete", "--topic", "x"),
            1,
            "Error while executing topic command : Topic 'Optional[x]' does not exist as expected\n",
        ),
        (("kafka-topics.sh", "--alter", "--topic", "t", "--partitions", "9"), 0, ""),
        (("kafka-topics.sh", "--delete", "--topic", "x", "--if-exists"), 0, ""),
        (
            ("kafka-configs.sh", "--describe", "--entity-type", "topics", "--entity-name", "t"),
            0,
            "Dynamic configs for topic t are:\n  retention.ms=99 sensitive=false "
            "synonyms={DYNAMIC_TOPIC_CONFIG:retention.ms=99, DEFAULT_CONFIG:log.retention.ms=100}\n",
        ),
        (
            ("kafka-configs.sh", "--alter", "--topic", "t", "--add-config", "a=1"),
            0,
            "Completed updating config for topic t.\n",
        ),
        (
            ("kafka-configs.sh", "--alter", "--broker-defaults", "--add-config", "a=1"),
            0,
            "Completed updating default config for brokers in the cluster.\n",
        ),
        (
            ("kafka-configs.sh", "--describe", "--entity-type", "users"),
            0,
            "Quota configs for user-principal 'u', the default client-id are producer_byte_rate=1024.0\n"
            "SCRAM credential configs for user-principal 'u' are SCRAM-SHA-256=iterations=4096\n",
        ),
        (("kafka-consumer-groups.sh", "--list"), 0, "g\n"),
        (
            ("kafka-consumer-groups.sh", "--list", "--state"),
            0,
            f"{'GROUP':<25} {'STATE':<20}\n{'g':<25} {'Stable':<20}\n",
        ),
        (
            ("kafka-consumer-groups.sh", "--describe", "--group", "nobody"),
            0,
            "\nError: Consumer group 'nobody' does not exist.\n",
        ),
        (
            ("kafka-consumer-groups.sh", "--describe", "--group", "g", "--members"),
            0,
            f"\n{'GROUP':<15} {'CONSUMER-ID':<15} {'HOST':<15} {'CLIENT-ID':<15} {'#PARTITIONS':<15} \n"
            f"{'g':<15} {'m':<15} {'/127.0.0.1':<15} {'client':<15} {'2':<15} \n",
        ),
        (
            ("kafka-consumer-groups.sh", "--describe", "--group", "g", "--state"),
            0,
            f"\n{'GROUP':<25} {'COORDINATOR (ID)':<25} {'ASSIGNMENT-STRATEGY':<20} {'STATE':<15} #MEMBERS\n"
            f"{'g':<25} {'broker:9092  (0)':<25} {'range':<20} {'Stable':<15} 1\n",
        ),
        (
            ("kafka-consumer-groups.sh", "--delete", "--group", "g"),
            0,
            "Deletion of requested consumer groups ('g') was successful.\n",
        ),
        (("kafka-get-offsets.sh", "--topic", "t"), 0, "t:0:100\nt:1:100\n"),
        (("kafka-get-offsets.sh", "--topic-partitions", "t:1-", "--time", "-2"), 0, "t:1:0\n"),
        (
            ("kafka-log-dirs.sh", "--describe"),
            0,
            "Querying brokers for log directories information\nReceived log directory information from brokers 0\n"
            '{"brokers":[{"broker":0,"logDirs":[{"partitions":[{"partition":"t-0","size":123,"offsetLag":0,'
            '"isFuture":false}],"error":null,"logDir":"/data"}]}],"version":1}\n',
        ),
        (("kafka-cluster.sh", "cluster-id"), 0, "Cluster ID: c\n"),
        (
            ("kafka-features.sh", "describe"),
            0,
            "Feature: metadata.version\tSupportedMinVersion: 3.0-IV1\tSupportedMaxVersion: 3.9-IV0\t"
            "FinalizedVersionLevel: 3.8-IV0\tEpoch: 5\n",
        ),
        (
            ("kafka-features.sh", "upgrade", "--metadata", "3.9", "--dry-run"),
            0,
            "metadata.version can be upgraded to 21.\n",
        ),
    ],
)
def test_output(words: tuple[str, ...], code: int, out: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*words, *TO]) == code
    assert capsys.readouterr().out == out


def test_deleted_records(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "offsets.json"
    file.write_text(json.dumps({"partitions": [{"topic": "t", "partition": 1, "offset": 7}]}))
    assert main(["kafka-delete-records.sh", *TO, "--offset-json-file", str(file)]) == 0
    assert capsys.readouterr().out == (
        "Executing records delete operation\nRecords delete operation completed:\npartition: t-1\tlow_watermark: 7\n"
    )


def test_api_versions(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["kafka-broker-api-versions.sh", *TO]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "broker:9092 (id: 0 rack: null) -> ("
    assert lines[1] == "\tProduce(0): 3 to 99 [usable: 13],"
    assert lines[2] == "\tFetch(1): UNSUPPORTED,"
    assert lines[-2:] == ["\tUNKNOWN(30000): 0 to 1", ")"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("kafka-topics.sh", "--nonsense"), "nonsense is not a recognized option"),
        (("kafka-topics.sh", "--describe", "--topics-with"), "topics-with is not a recognized option"),
        (("kafka-configs.sh", "--describe"), "At least one entity type must be specified"),
        (("kafka-configs.sh", "--alter", "--topic", "t", "--delete-config", "x"), "Invalid config(s): x"),
        (
            ("kafka-configs.sh", "--alter", "--entity-type", "topics", "--add-config", "a=b"),
            "an entity name must be specified with --alter of topics",
        ),
        (("kafka-get-offsets.sh", "--topic", "x"), "Error occurred: Could not match any topic-partitions with the"),
        (("kafka-get-offsets.sh", "--time", "now"), "Error occurred: Malformed time argument now."),
        (("kafka-log-dirs.sh", "--describe", "--broker-list", "7"), "do not exist from --broker-list: 7."),
        (("kafka-features.sh", "disable"), "You must specify at least one feature to disable"),
        (("kafka-delete-records.sh", "--offset-json-file", "/no/file"), "Unable to read file /no/file"),
        (("kafka-topics.sh", "--list", "--command-config", "/no/file"), "/no/file: No such file or directory"),
    ],
)
def test_errors(words: tuple[str, ...], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*words, *TO]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert says in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("kafka-topics.sh",), "This tool helps to create, delete, describe, or change a topic."),
        (("kafka-topics.sh", "--list", "--describe"), "Command must include exactly one action: --list, --describe"),
        (("kafka-topics.sh", "--create", *TO), 'Missing required argument "[topic]"'),
        (
            ("kafka-topics.sh", "--list", "--partitions", "1", *TO),
            'Option "[partitions]" can\'t be used with option "[list]"',
        ),
        (
            ("kafka-topics.sh", "--alter", "--topic", "t", "--config", "a=b", *TO),
            'can\'t be used with option "[alter]"',
        ),
        (("kafka-configs.sh", *TO, "--topic", "t"), "Command must include exactly one action: --describe, --alter"),
        (("kafka-log-dirs.sh", *TO), 'Missing required argument "[describe]"'),
        (("kafka-get-offsets.sh", "--topic", "t"), 'Missing required argument "[bootstrap-server]"'),
    ],
)
def test_usage(words: tuple[str, ...], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(words)
    assert end.value.code == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert says in err.splitlines()[0]
    assert len(err.splitlines()) > 5


@pytest.mark.parametrize("option", [("--bootstrap-controller", "h:1"), ("--bootstrap-controller=h:1",)])
@pytest.mark.parametrize(
    "script", ["kafka-features.sh", "kafka-cluster.sh", "kafka-configs.sh", "kafka-leader-election"]
)
def test_controllers_to_connect_to_are_refused(
    script: str, option: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([script, *option, "describe"]) == 1
    assert capsys.readouterr() == (
        "",
        "wirebroker: --bootstrap-controller is for KRaft controllers; name brokers with --bootstrap-server, which ask "
        "them\n",
    )


@pytest.mark.parametrize(
    "words",
    [
        ("kafka-producer-perf-test.sh", "--num-records", "1", "--throughput", "-1", "--record-size", "1"),
        ("kafka-consumer-perf-test.sh", "--messages", "1"),
    ],
)
@pytest.mark.parametrize("option", [(), ("--print-metrics",)])
def test_metrics_of_the_java_client_are_not_printed(
    words: tuple[str, ...], option: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("confluent_kafka")
    assert main([*words, "--topic", "t", "--bootstrap-server", "127.0.0.1:1", *option]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    *before, last = err.splitlines()
    assert [line.partition(":")[0] for line in before] == ["--print-metrics has no effect"] * len(option)
    assert last == "wirebroker: cannot reach a broker at 127.0.0.1:1: Connection refused"


def test_names() -> None:
    for name in (*TOOLS, *SAME_OPTIONS, *ELSEWHERE):
        assert script_name(f"{name}.sh") == script_name(name) == name
    assert script_name("kafka-nothing.sh") is None
    with pytest.raises(SystemExit) as end:
        main(["kafka-nothing.sh"])
    assert end.value.code == 2


def test_scripts_that_are_commands() -> None:
    assert equal_command("kafka-dump-log", ["--files", "f"]) == ["dump-log", "--files", "f"]
    assert equal_command("kafka-leader-election", ["--election-type", "unclean"]) == [
        "elect",
        "--election-type",
        "unclean",
    ]
    assert equal_command("kafka-leader-election", ["--admin.config", "f"]) == ["elect", "--command-config", "f"]
    assert equal_command("kafka-verifiable-producer", ["--broker-list", "a:1"]) == [
        "verifiable-producer",
        "--bootstrap-server",
        "a:1",
    ]
    assert equal_command("kafka-topics", []) is None
    assert equal_command("kafka-consumer-groups", ["--list"]) is None
    assert equal_command("kafka-consumer-groups", ["--group", "g", "--reset-offsets"]) == [
        "groups",
        "reset-offsets",
        "--group",
        "g",
    ]


@pytest.mark.parametrize(
    "words", ["kafka-leader-election.sh", "kafka-transactions.sh", "kafka-dump-log.sh --nope", "kafka-topics.sh --nope"]
)
def test_wrong_usage_of_a_script_has_the_exit_code_of_apache_kafka(
    words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        code: object = main(words.split())
    except SystemExit as end:
        code = end.code
    assert code == 1
    assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize("name", ["kafka-topics.sh", "kafka-dump-log.sh", "kafka-transactions", "kafka-e2e-latency.sh"])
def test_every_script_has_a_version(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name, "--version"]) == 0
    assert capsys.readouterr().out == f"{__version__}\n"


@pytest.mark.parametrize("options", [("--bootstrap-server", "a:1"), ("--verify", "--execute"), ("--list", "--verify")])
def test_a_reassignment_has_one_action(options: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["kafka-reassign-partitions.sh", *options])
    assert end.value.code == 1
    assert capsys.readouterr().err.startswith(
        "Command must include exactly one action: --generate, --execute, --verify, --cancel, --list\n"
    )


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ("--execute", 'Missing required argument "[reassignment-json-file]"'),
        ("--generate --broker-list 1", 'Missing required argument "[topics-to-move-json-file]"'),
        (
            "--cancel --reassignment-json-file f --additional",
            'Option "[additional]" can\'t be used with action "[cancel]"',
        ),
        (
            "--verify --reassignment-json-file=f --throttle=5",
            'Option "[throttle]" can\'t be used with action "[verify]"',
        ),
        (
            "--list --reassignment-json-file f",
            'Option "[reassignment-json-file]" can\'t be used with action "[list]"',
        ),
    ],
)
def test_options_of_a_reassignment(options: str, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["kafka-reassign-partitions.sh", *TO, *options.split()])
    assert end.value.code == 1
    assert capsys.readouterr().err.splitlines()[0] == line


def test_a_reassignment_names_its_brokers_and_has_a_number_as_throttle(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["kafka-reassign-partitions.sh", "--execute"])
    assert capsys.readouterr().err.splitlines()[0] == "Please specify --bootstrap-server"
    words = ["--execute", "--reassignment-json-file", "f", "--throttle", "x"]
    assert main(["kafka-reassign-partitions.sh", *TO, *words]) == 1
    assert capsys.readouterr().err == "Cannot parse argument 'x' of option throttle\n"


@pytest.mark.parametrize("kind", ["preferred", "PREFERRED", "Unclean"])
def test_the_type_of_an_election_in_any_case(kind: str) -> None:
    parser = TABLE.parser(next(each for each in COMMANDS if each.words == ("elect",)))
    assert parser.parse_args(["--election-type", kind, "--all-topic-partitions"]).election_type == kind.lower()


def test_numbers_as_java_prints_them() -> None:
    numbers = {1024.0: "1024.0", 0.0: "0.0", 1e9: "1.0E9", 12345678.0: "1.2345678E7", 1e-4: "1.0E-4", 2048.5: "2048.5"}
    assert {number: java_double(number) for number in numbers} == numbers


@pytest.mark.parametrize(
    ("script", "command"),
    [
        ("kafka-transactions.sh --bootstrap-server a:1 list", "transactions list --bootstrap-server a:1"),
        ("kafka-transactions.sh", "transactions"),
        ("kafka-server-start.sh -daemon f --override a=b", "start --config f --set a=b"),
        ("kafka-server-start.sh --override a=b", "start --set a=b"),
        ("kafka-e2e-latency.sh a:1 t 5 all 9", "perf end-to-end -b a:1 t --num-records 5 --acks all --record-size 9"),
        (
            "kafka-e2e-latency.sh a:1 t 5 1 9 f",
            "perf end-to-end -b a:1 t --num-records 5 --acks 1 --record-size 9 --command-config f",
        ),
        ("kafka-e2e-latency.sh --help", "perf end-to-end --help"),
    ],
)
def test_scripts_whose_arguments_have_another_order(script: str, command: str) -> None:
    name, *argv = script.split()
    assert equal_command(name.removesuffix(".sh"), argv) == command.split()


@pytest.mark.parametrize("name", sorted(ELSEWHERE))
def test_scripts_that_are_elsewhere(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([f"{name}.sh", "--help"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err == f"wirebroker: {name}.sh is not here: {ELSEWHERE[name]}\n"


def test_every_script_of_kafka_is_known() -> None:
    """Those in bin/ of Apache Kafka 3.9."""
    scripts = """
        connect-distributed connect-mirror-maker connect-plugin-path connect-standalone kafka-acls
        kafka-broker-api-versions kafka-client-metrics kafka-cluster kafka-configs kafka-console-consumer
        kafka-console-producer kafka-consumer-groups kafka-consumer-perf-test kafka-delegation-tokens
        kafka-delete-records kafka-dump-log kafka-e2e-latency kafka-features kafka-get-offsets kafka-jmx
        kafka-leader-election kafka-log-dirs kafka-metadata-quorum kafka-metadata-shell kafka-mirror-maker
        kafka-producer-perf-test kafka-reassign-partitions kafka-replica-verification kafka-run-class
        kafka-server-start kafka-server-stop kafka-storage kafka-streams-application-reset kafka-topics
        kafka-transactions kafka-verifiable-consumer kafka-verifiable-producer trogdor zookeeper-security-migration
        zookeeper-server-start zookeeper-server-stop zookeeper-shell
    """
    assert [name for name in scripts.split() if script_name(f"{name}.sh") is None] == []
