"""Which messages are generated, and in which direction: those that have a route or a caller, and no others.

To let wirebroker send the requests of one more API, add its name to CLIENT and run `python -m tools.codegen`; to serve
one more, take its name out of NOT_SERVED.  `wirebroker/tests/protocol/test_usage.py` compares these tables with the
routes of the broker and with the names that the source uses.

A class has both directions where both are used: the functions stay beside the class that they belong to, and its bases
tell a type checker what it can do.  A second home for the client's functions would need a registry, and a broker saves
nothing by it: it imports a module when a client sends its first request of that API.
"""

from __future__ import annotations

from enum import Flag, auto
from typing import TYPE_CHECKING, Final

from tools.codegen.model import Kind

if TYPE_CHECKING:
    from tools.codegen.model import ApiSpec, MessageSpec


class Direction(Flag):
    """A direction of a message: READ from bytes, WRITE to bytes."""

    READ = auto()
    WRITE = auto()


BOTH: Final = Direction.READ | Direction.WRITE
NONE: Final = Direction(0)

NOT_SERVED: Final = frozenset(
    {
        "AlterShareGroupOffsets",
        "DeleteShareGroupOffsets",
        "DescribeShareGroupOffsets",
        "ShareAcknowledge",
        "ShareFetch",
        "ShareGroupDescribe",
        "ShareGroupHeartbeat",
        "UnregisterBroker",
    }
)
"""APIs without a route: a spec and a line in the table of APIs, but no classes unless the broker sends them itself."""

CLIENT: Final = frozenset(
    {
        "AddPartitionsToTxn",
        "AllocateProducerIds",
        "AlterClientQuotas",
        "AlterConfigs",
        "AlterPartition",
        "AlterPartitionReassignments",
        "AlterReplicaLogDirs",
        "AlterUserScramCredentials",
        "ApiVersions",
        "ControlledShutdown",
        "CreatePartitions",
        "CreateTopics",
        "DeleteGroups",
        "DeleteRecords",
        "DeleteTopics",
        "DescribeClientQuotas",
        "DescribeCluster",
        "DescribeConfigs",
        "DescribeGroups",
        "DescribeLogDirs",
        "DescribeProducers",
        "DescribeTopicPartitions",
        "DescribeTransactions",
        "DescribeUserScramCredentials",
        "ElectLeaders",
        "Fetch",
        "FindCoordinator",
        "IncrementalAlterConfigs",
        "InitProducerId",
        "Inspect",
        "LeaderAndIsr",
        "ListConfigResources",
        "ListGroups",
        "ListOffsets",
        "ListPartitionReassignments",
        "ListTransactions",
        "Metadata",
        "OffsetCommit",
        "OffsetDelete",
        "OffsetFetch",
        "OffsetForLeaderEpoch",
        "Produce",
        "SaslAuthenticate",
        "SaslHandshake",
        "StopReplica",
        "UnregisterBroker",
        "UpdateFeatures",
        "UpdateMetadata",
        "WriteTxnMarkers",
    }
)
"""APIs whose requests wirebroker sends itself (wirebroker/client and the commands that use it)."""

WRITTEN_RECORDS: Final = frozenset(
    {
        "GroupMetadataKey",
        "GroupMetadataValue",
        "OffsetCommitValue",
        "TransactionLogKey",
        "TransactionLogValue",
    }
)
"""Records of internal topics that the coordinators write; the others are read only, from Apache Kafka's logs."""

NOT_READ_RECORDS: Final = frozenset(
    {
        "ConsumerGroupRegularExpressionKey",
        "ConsumerGroupRegularExpressionValue",
    }
)
"""Records that nothing here reads."""


def directions(spec: ApiSpec, message: MessageSpec) -> Direction:
    """Return the directions of *message*, one of *spec*, to generate; with NONE there is no class either."""
    match message.kind:
        case Kind.RECORD:
            if spec.file == "headers" or message.name in NOT_READ_RECORDS:
                return NONE  # headers are read and written by hand
            return BOTH if message.name in WRITTEN_RECORDS else Direction.READ
        case Kind.REQUEST:
            served, sent = Direction.READ, Direction.WRITE
        case Kind.RESPONSE:
            served, sent = Direction.WRITE, Direction.READ
    return (NONE if spec.name in NOT_SERVED else served) | (sent if spec.name in CLIENT else NONE)
