"""The commands of `wirebroker`.

The table names modules as text because of the time to start: `wirebroker start` is to import the broker and nothing of
the other commands.  For the same reason `progress.py` imports tqdm, `dump/options.py` the decoders of internal topics,
`demo/` Spark and matplotlib, and some files json, difflib, TLS or the admin client when they are needed; all other
imports are at the top of their files.
"""

from __future__ import annotations

from wirebroker.cli.command_table import Command, CommandTable

COMMANDS = (
    Command(
        ("start",),
        "wirebroker.cli.start",
        "run a broker until SIGTERM or Ctrl-C",
        (
            "wirebroker start",
            "wirebroker start --config server.properties --standalone --listener PLAINTEXT://0.0.0.0:9092",
            "wirebroker start --data-dir /var/lib/wirebroker --set num.partitions=6 --set log.retention.hours=24",
            "wirebroker start --as-version 1.1",
            "wirebroker start --ephemeral --topic flights:4 --topic delays",
        ),
    ),
    Command(
        ("quickstart",),
        "wirebroker.cli.quickstart",
        "start a broker, create a topic, produce and consume, and say what happened (extra: client)",
        ("wirebroker quickstart",),
    ),
    Command(
        ("produce",),
        "wirebroker.cli.records.produce",
        "send records to a topic: lines of standard input, with keys, or JSON (extra: client)",
        (
            "wirebroker produce flights --value hello",
            "wirebroker produce flights --key-separator : --header origin=JFK --codec zstd",
            "wirebroker produce flights --json",
        ),
    ),
    Command(
        ("consume",),
        "wirebroker.cli.records.consume",
        "print the records of topics: values, JSON or a template (extra: client)",
        (
            "wirebroker consume flights --from-beginning",
            "wirebroker consume flights --tail 10 --exit --format json",
            "wirebroker consume '^flights-.*' --from-beginning --exit",
            "wirebroker consume flights --group g --template %p@%o:%k=%s\\n",
            "wirebroker consume __consumer_offsets --from-beginning --formatter offsets",
        ),
    ),
    Command(
        ("mirror",),
        "wirebroker.cli.mirror.command",
        "copy topics with records, configs and groups' offsets to another cluster; goes on where it ended",
        (
            "wirebroker mirror --from old:9092 --to new:9092 --topic flights --topic delays.* --all-groups",
            "wirebroker mirror --from old:9092 --to new:9092 --prefix old. --follow --checkpoint /var/lib/mirror.json",
        ),
    ),
    Command(
        ("verifiable-producer",),
        "wirebroker.cli.verifiable.producer",
        "send increasing numbers, and print what became of each as JSON (extra: client)",
        ("wirebroker verifiable-producer --topic t --max-messages 100 --throughput 10",),
    ),
    Command(
        ("verifiable-consumer",),
        "wirebroker.cli.verifiable.consumer",
        "consume as a member of a group, and print what happens as JSON (extra: client)",
        ("wirebroker verifiable-consumer --topic t --group-id g --max-messages 100 --verbose",),
    ),
    Command(
        ("export",),
        "wirebroker.cli.parquet.export",
        "write the records of a topic as Parquet files (extra: spark)",
        ("wirebroker export flights --parquet flights.parquet",),
    ),
    Command(
        ("import",),
        "wirebroker.cli.parquet.import_topic",
        "produce the records that export wrote (extra: spark)",
        ("wirebroker import flights --parquet flights.parquet",),
    ),
    Command(
        ("perf", "produce"),
        "wirebroker.cli.perf.produce",
        "measure the rate and the latencies of a producer (extra: client)",
        (
            "wirebroker perf produce t --num-records 1000000 --record-size 100",
            "wirebroker perf produce t --num-records 60000 --throughput 1000 --format csv",
        ),
    ),
    Command(
        ("perf", "consume"),
        "wirebroker.cli.perf.consume",
        "measure the rate of a consumer (extra: client)",
        ("wirebroker perf consume t --messages 1000000",),
    ),
    Command(
        ("perf", "end-to-end"),
        "wirebroker.cli.perf.end_to_end",
        "measure the time from a send to its receipt, one record at a time (extra: client)",
        ("wirebroker perf end-to-end t --num-records 10000 --record-size 100 --acks all",),
    ),
    Command(
        ("config", "print"),
        "wirebroker.cli.config_print",
        "show every setting a broker would start with, and where it comes from",
        (
            "wirebroker config print --config server.properties",
            "KAFKA_LOG_RETENTION_HOURS=24 wirebroker config print --all --format json",
        ),
    ),
    Command(
        ("config", "check"),
        "wirebroker.cli.config_check",
        "check the settings of a file: which have no effect, are unknown or would refuse the start",
        (
            "wirebroker config check server.properties",
            "wirebroker config check server.properties --standalone --format json",
        ),
    ),
    Command(
        ("dump-log",),
        "wirebroker.cli.dump.command",
        "print log segments, indexes and snapshots of a Kafka data directory",
        (
            "wirebroker dump-log --files wirebroker-data/flights-0/00000000000000000000.log --print-data-log",
            "wirebroker dump-log --files wirebroker-data/flights-0 --json",
        ),
    ),
    Command(
        ("log", "verify"),
        "wirebroker.cli.logs.verify",
        "check every file of a data directory of wirebroker or Apache Kafka",
        (
            "wirebroker log verify wirebroker-data",
            "wirebroker log verify /var/lib/kafka/data --format json",
        ),
    ),
    Command(
        ("log", "repair"),
        "wirebroker.cli.logs.repair",
        "show how damage in a data directory would be repaired; --execute does it",
        (
            "wirebroker log repair wirebroker-data",
            "wirebroker log repair wirebroker-data --execute",
        ),
    ),
    Command(
        ("groups", "list"),
        "wirebroker.cli.groups.list",
        "list consumer groups",
        ("wirebroker groups list --state",),
    ),
    Command(
        ("groups", "describe"),
        "wirebroker.cli.groups.describe",
        "show offsets and lag, members or state of consumer groups",
        (
            "wirebroker groups describe --group g",
            "wirebroker groups describe --all-groups --format json",
        ),
    ),
    Command(
        ("groups", "reset-offsets"),
        "wirebroker.cli.groups.reset_offsets",
        "move a consumer group to other offsets",
        (
            "wirebroker groups reset-offsets --group g --topic t:0,1 --to-earliest --execute",
            "wirebroker groups reset-offsets --group g --all-topics --by-duration PT1H",
        ),
    ),
    Command(
        ("groups", "delete"),
        "wirebroker.cli.groups.delete",
        "delete consumer groups without members",
        ("wirebroker groups delete --group g",),
    ),
    Command(
        ("groups", "delete-offsets"),
        "wirebroker.cli.groups.delete_offsets",
        "delete the offsets that a consumer group has committed for topics",
        ("wirebroker groups delete-offsets --group g --topic t",),
    ),
    Command(
        ("groups", "explain"),
        "wirebroker.cli.groups.explain",
        "show the latest rebalances of a consumer group and their reasons",
        ("wirebroker groups explain --group g",),
    ),
    Command(
        ("transactions", "list"),
        "wirebroker.cli.transactions.list",
        "list transactional ids",
        ("wirebroker transactions list", "wirebroker transactions list --duration-filter 60000 --format json"),
    ),
    Command(
        ("transactions", "describe"),
        "wirebroker.cli.transactions.describe",
        "show the state of a transactional id",
        ("wirebroker transactions describe --transactional-id x",),
    ),
    Command(
        ("transactions", "describe-producers"),
        "wirebroker.cli.transactions.describe_producers",
        "show the producer states of a partition",
        ("wirebroker transactions describe-producers --topic t --partition 0",),
    ),
    Command(
        ("transactions", "find-hanging"),
        "wirebroker.cli.transactions.find_hanging",
        "find open transactions that no coordinator will end",
        ("wirebroker transactions find-hanging --topic t", "wirebroker transactions find-hanging --broker-id 0"),
    ),
    Command(
        ("transactions", "abort"),
        "wirebroker.cli.transactions.abort",
        "end a hanging transaction in one partition",
        ("wirebroker transactions abort --topic t --partition 0 --start-offset 42",),
    ),
    Command(
        ("topics", "list"),
        "wirebroker.cli.topics.list",
        "list topics",
        ("wirebroker topics list", "wirebroker topics list flights.* --exclude-internal --format json"),
    ),
    Command(
        ("topics", "create"),
        "wirebroker.cli.topics.create",
        "create topics",
        (
            "wirebroker topics create flights --partitions 6 --config retention.ms=3600000",
            "wirebroker topics create t --replica-assignment 0:1,1:2 --if-not-exists",
        ),
    ),
    Command(
        ("topics", "describe"),
        "wirebroker.cli.topics.describe",
        "show partitions, replicas and settings of topics",
        ("wirebroker topics describe flights", "wirebroker topics describe --under-replicated-partitions"),
    ),
    Command(
        ("topics", "alter"),
        "wirebroker.cli.topics.alter",
        "give topics more partitions or other settings",
        (
            "wirebroker topics alter flights --partitions 12",
            "wirebroker topics alter flights --config cleanup.policy=compact --delete-config retention.ms",
        ),
    ),
    Command(
        ("topics", "delete"),
        "wirebroker.cli.topics.delete",
        "delete topics with their records",
        ("wirebroker topics delete flights --if-exists",),
    ),
    Command(
        ("configs", "describe"),
        "wirebroker.cli.configs.describe",
        "show settings of topics, brokers, loggers, client metrics and groups, quotas of users, clients and addresses",
        (
            "wirebroker configs describe --topic flights --all",
            "wirebroker configs describe --entity-type brokers --entity-default",
        ),
    ),
    Command(
        ("configs", "alter"),
        "wirebroker.cli.configs.alter",
        "change settings, quotas and SCRAM credentials of one entity",
        (
            "wirebroker configs alter --topic flights --add-config retention.ms=1000,cleanup.policy=[compact,delete]",
            "wirebroker configs alter --user alice --client app --delete-config producer_byte_rate",
        ),
    ),
    Command(
        ("quotas", "describe"),
        "wirebroker.cli.quotas.describe",
        "show the quotas of users, client ids and addresses",
        ("wirebroker quotas describe", "wirebroker quotas describe --user alice"),
    ),
    Command(
        ("quotas", "alter"),
        "wirebroker.cli.quotas.alter",
        "change the quotas of a user, client id or address",
        (
            "wirebroker quotas alter --user alice --set producer_byte_rate=1048576",
            "wirebroker quotas alter --client-defaults --delete request_percentage",
        ),
    ),
    Command(
        ("records", "delete"),
        "wirebroker.cli.records.delete",
        "delete the oldest records of partitions, up to an offset",
        ("wirebroker records delete flights:0=100 flights:1=latest",),
    ),
    Command(
        ("offsets", "get"),
        "wirebroker.cli.offsets.get",
        "show offsets of partitions: the first, the last, or that of a time",
        ("wirebroker offsets get", "wirebroker offsets get flights --time earliest --partitions 0,1"),
    ),
    Command(
        ("log-dirs", "describe"),
        "wirebroker.cli.log_dirs.describe",
        "show the log directories of brokers, and the size of each replica",
        ("wirebroker log-dirs describe --topic-list flights",),
    ),
    Command(
        ("log-dirs", "move"),
        "wirebroker.cli.log_dirs.move",
        "move replicas of a broker to another of its log directories",
        ("wirebroker log-dirs move flights:0 flights:1 --to /disk2/kafka --broker 1 --wait",),
    ),
    Command(
        ("cluster", "info"),
        "wirebroker.cli.cluster.info",
        "show the id of a cluster, its controller and its brokers",
        ("wirebroker cluster info --format json",),
    ),
    Command(
        ("cluster", "features"),
        "wirebroker.cli.cluster.features",
        "show and change the levels of a cluster's features",
        ("wirebroker cluster features", "wirebroker cluster features --upgrade metadata.version=3.9 --dry-run"),
    ),
    Command(
        ("cluster", "unregister"),
        "wirebroker.cli.cluster.unregister",
        "remove a broker that is gone for good from a KRaft cluster",
        ("wirebroker cluster unregister 3",),
    ),
    Command(
        ("api-versions",),
        "wirebroker.cli.api_versions",
        "show the APIs that each broker serves, and their versions",
        ("wirebroker api-versions",),
    ),
    Command(
        ("server-stop",),
        "wirebroker.cli.server_stop",
        "stop the broker that has a data directory on this machine",
        ("wirebroker server-stop", "wirebroker server-stop /var/lib/kafka/data --wait 120"),
    ),
    Command(
        ("completion",),
        "wirebroker.cli.completion",
        "print a script that completes commands and options in bash, zsh or fish",
        ("wirebroker completion bash", "wirebroker completion fish"),
    ),
    Command(
        ("state-changes", "merge"),
        "wirebroker.cli.state_changes.merge",
        "merge the state-change.log of several brokers by time",
        ("wirebroker state-changes merge --logs a/state-change.log,b/state-change.log --topic flights",),
    ),
    Command(
        ("topics", "explain-retention"),
        "wirebroker.cli.topics.explain_retention",
        "show each segment of a topic, when it is deleted or compacted, and which setting decides",
        (
            "wirebroker topics explain-retention t",
            "wirebroker topics explain-retention t --log-dir /var/lib/kafka/data --config server.properties",
        ),
    ),
    Command(
        ("cluster", "up"),
        "wirebroker.cli.cluster.up",
        "run a development cluster with its own ZooKeeper on this machine until Ctrl-C",
        (
            "wirebroker cluster up --brokers 3",
            "wirebroker cluster up --brokers 2 --kafka 1 --kafka-version 2.8.2 --data-dir ./cluster --racks a,b,c",
        ),
    ),
    Command(
        ("cluster", "describe"),
        "wirebroker.cli.cluster.describe",
        "show brokers, controller, leaders and replicas of a cluster, and partitions that are not healthy",
        ("wirebroker cluster describe", "wirebroker cluster describe --partitions --format json"),
    ),
    Command(
        ("reassign", "generate"),
        "wirebroker.cli.reassign.generate",
        "propose other brokers for the replicas of topics",
        ("wirebroker reassign generate --topics-to-move-json-file topics.json --broker-list 4,5,6",),
    ),
    Command(
        ("reassign", "execute"),
        "wirebroker.cli.reassign.execute",
        "begin to move replicas to other brokers",
        ("wirebroker reassign execute --reassignment-json-file plan.json --throttle 50000000",),
    ),
    Command(
        ("reassign", "verify"),
        "wirebroker.cli.reassign.verify",
        "show whether reassignments are done; when all are, remove their throttles",
        ("wirebroker reassign verify --reassignment-json-file plan.json",),
    ),
    Command(
        ("reassign", "cancel"),
        "wirebroker.cli.reassign.cancel",
        "bring partitions back to the replicas that they had before a reassignment",
        ("wirebroker reassign cancel --reassignment-json-file plan.json",),
    ),
    Command(
        ("reassign", "list"),
        "wirebroker.cli.reassign.list",
        "list the reassignments in progress",
        ("wirebroker reassign list --format json",),
    ),
    Command(
        ("elect",),
        "wirebroker.cli.elect",
        "elect preferred leaders, or unclean ones",
        (
            "wirebroker elect --election-type preferred --all-topic-partitions",
            "wirebroker elect --election-type unclean --topic t --partition 0",
        ),
    ),
    Command(
        ("replicas", "verify"),
        "wirebroker.cli.replicas.verify",
        "read all replicas of partitions and compare them",
        ("wirebroker replicas verify --topics-include 'flights.*'",),
    ),
    Command(
        ("doctor",),
        "wirebroker.cli.doctor.command",
        "check a configuration, this machine, or a running cluster, and say how to fix what is wrong",
        (
            "wirebroker doctor --config server.properties",
            "wirebroker doctor -b broker1:9092 --problems",
        ),
    ),
    Command(
        ("metrics",),
        "wirebroker.cli.monitor.metrics",
        "show the metrics of a broker, or write them as CSV",
        (
            "wirebroker metrics messagesin --watch",
            "wirebroker metrics --jmx 'TotalTimeMs,request=Produce' --format json",
            "wirebroker metrics --csv metrics --interval 10 BrokerTopicMetrics",
        ),
    ),
    Command(
        ("top",),
        "wirebroker.cli.monitor.top",
        "show rates, slow requests, lag, connections and disks, again and again",
        ("wirebroker top", "wirebroker top -b broker1:9092 --once"),
    ),
    Command(
        ("demo", "flights"),
        "wirebroker.cli.demo.flights",
        "send a year of flights through the broker and Spark, and check the results (extra: demo)",
        ("wirebroker demo flights", "wirebroker demo flights --limit 20000 --chart delays.png --output delays.csv"),
    ),
)
GROUPS = {
    "perf": "measure producers and consumers",
    "config": "print and check settings",
    "configs": "show and change settings of topics, brokers and others",
    "quotas": "show and change quotas of users, client ids and addresses",
    "records": "delete records",
    "offsets": "show offsets of partitions",
    "log-dirs": "show log directories, move replicas between them",
    "state-changes": "merge the state-change.log of several brokers",
    "log": "verify and repair data directories",
    "groups": "list, describe and change consumer groups",
    "transactions": "list, describe and abort transactions",
    "topics": "list, create, describe, change and delete topics, explain their retention",
    "cluster": "run a development cluster, describe a cluster and its features",
    "reassign": "move replicas to other brokers",
    "replicas": "compare replicas",
    "demo": "run an example with real data",
}
"""First words of commands of two words -> what they are about."""

TABLE = CommandTable("wirebroker", "A Kafka-compatible broker.", COMMANDS, GROUPS)
