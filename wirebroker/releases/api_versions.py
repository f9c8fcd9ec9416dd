"""The APIs that each release of Apache Kafka advertised, and the range of versions of each.

Facts: the schemas of each release's last tag (0.8.0 to 3.9), and the answers of brokers of 2.0.1, 2.8.2, 3.9.1, 4.1.0
and 4.3; up to 3.2 with ZooKeeper, from 3.3 on (the first release whose KRaft was for production) as a KRaft broker.  A
line is a key, Kafka's name for it, and the changes of its range: `2.1=0-10` from 2.1 on, `3.3=-` not any more,
`4.0=0(3)-12` advertised from 0 and served from 3 (KAFKA-18659), `zk:3.4=0` from 3.4 on with ZooKeeper only.  APIs that
only a plugin turns on are left out.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from wirebroker.releases.versions import is_at_least

HISTORY = """
  0 Produce 0.8.0=0 0.9.0=0-1 0.10.0=0-2 0.11.0=0-3 1.0=0-5 2.0=0-6 2.1=0-7 2.4=0-8 2.8=0-9 3.7=0-10 3.8=0-11
      4.0=0(3)-12 4.1=0(3)-13
  1 Fetch 0.8.0=0 0.9.0=0-1 0.10.0=0-2 0.10.1=0-3 0.11.0=0-5 1.0=0-6 1.1=0-7 2.0=0-8 2.1=0-10 2.3=0-11 2.7=0-12
      3.1=0-13 3.5=0-15 3.7=0-16 3.9=0-17 4.0=4-17 4.1=4-18
  2 ListOffsets 0.8.0=0 0.10.1=0-1 0.11.0=0-2 2.0=0-3 2.1=0-4 2.2=0-5 2.8=0-6 3.0=0-7 3.5=0-8 3.9=0-9 4.0=1-10
      4.2=1-11
  3 Metadata 0.8.0=0 0.10.0=0-1 0.10.1=0-2 0.11.0=0-4 1.0=0-5 2.0=0-6 2.1=0-7 2.3=0-8 2.4=0-9 2.8=0-11 3.1=0-12
      4.0=0-13
  4 LeaderAndIsr 0.10.0=0 1.0=0-1 2.2=0-2 2.4=0-4 2.8=0-5 3.2=0-6 3.3=-
  5 StopReplica 0.10.0=0 2.2=0-1 2.4=0-2 2.6=0-3 3.3=-
  6 UpdateMetadata 0.10.0=0-2 0.10.2=0-3 1.0=0-4 2.2=0-5 2.4=0-6 2.8=0-7 3.3=-
  7 ControlledShutdown 0.10.0=1 1.0=0-1 2.2=0-2 2.4=0-3 3.3=-
  8 OffsetCommit 0.8.1=0 0.8.2=0-1 0.9.0=0-2 0.11.0=0-3 2.0=0-4 2.1=0-6 2.3=0-7 2.4=0-8 3.7=0-9 4.0=2-9 4.2=2-10
  9 OffsetFetch 0.8.1=0 0.8.2=0-1 0.10.2=0-2 0.11.0=0-3 2.0=0-4 2.1=0-5 2.4=0-6 2.5=0-7 3.0=0-8 3.7=0-9 4.0=1-9
      4.2=1-10
10 FindCoordinator 0.8.2=0 0.11.0=0-1 2.0=0-2 2.4=0-3 3.0=0-4 3.8=0-5 3.9=0-6
11 JoinGroup 0.9.0=0 0.10.1=0-1 0.11.0=0-2 2.0=0-3 2.2=0-4 2.3=0-5 2.4=0-6 2.5=0-7 3.2=0-9 4.0=2-9 4.1=0-9
12 Heartbeat 0.9.0=0 0.11.0=0-1 2.0=0-2 2.3=0-3 2.4=0-4
13 LeaveGroup 0.9.0=0 0.11.0=0-1 2.0=0-2 2.4=0-4 3.2=0-5
14 SyncGroup 0.9.0=0 0.11.0=0-1 2.0=0-2 2.3=0-3 2.4=0-4 2.5=0-5
15 DescribeGroups 0.9.0=0 0.11.0=0-1 2.0=0-2 2.3=0-3 2.4=0-5 4.0=0-6
16 ListGroups 0.9.0=0 0.11.0=0-1 2.0=0-2 2.4=0-3 2.6=0-4 3.8=0-5
17 SaslHandshake 0.10.0=0 1.0=0-1
18 ApiVersions 0.10.0=0 0.11.0=0-1 2.0=0-2 2.4=0-3 3.9=0-4
19 CreateTopics 0.10.1=0 0.10.2=0-1 0.11.0=0-2 2.0=0-3 2.4=0-5 2.7=0-6 2.8=0-7 4.0=2-7
20 DeleteTopics 0.10.1=0 0.11.0=0-1 2.0=0-2 2.1=0-3 2.4=0-4 2.7=0-5 2.8=0-6 4.0=1-6
21 DeleteRecords 0.11.0=0 2.0=0-1 2.6=0-2
22 InitProducerId 0.11.0=0 2.0=0-1 2.4=0-2 2.5=0-3 2.7=0-4 3.8=0-5
23 OffsetForLeaderEpoch 0.11.0=0 2.0=0-1 2.1=0-2 2.3=0-3 2.8=0-4 4.0=2-4
24 AddPartitionsToTxn 0.11.0=0 2.0=0-1 2.7=0-2 2.8=0-3 3.6=0-4 3.8=0-5
25 AddOffsetsToTxn 0.11.0=0 2.0=0-1 2.7=0-2 2.8=0-3 3.8=0-4
26 EndTxn 0.11.0=0 2.0=0-1 2.7=0-2 2.8=0-3 3.8=0-4 4.0=0-5
27 WriteTxnMarkers 0.11.0=0 2.8=0-1 4.0=1 4.2=1-2
28 TxnOffsetCommit 0.11.0=0 2.0=0-1 2.1=0-2 2.5=0-3 3.8=0-4 4.0=0-5
29 DescribeAcls 0.11.0=0 2.0=0-1 2.5=0-2 3.3=0-3 4.0=1-3
30 CreateAcls 0.11.0=0 2.0=0-1 2.5=0-2 3.3=0-3 4.0=1-3
31 DeleteAcls 0.11.0=0 2.0=0-1 2.5=0-2 3.3=0-3 4.0=1-3
32 DescribeConfigs 0.11.0=0 1.1=0-1 2.0=0-2 2.6=0-3 2.8=0-4 4.0=1-4
33 AlterConfigs 0.11.0=0 2.0=0-1 2.8=0-2
34 AlterReplicaLogDirs 1.0=0 2.0=0-1 2.8=0-2 4.0=1-2
35 DescribeLogDirs 1.0=0 2.0=0-1 2.6=0-2 3.2=0-3 3.3=0-4 4.0=1-4 4.3=1-5
36 SaslAuthenticate 1.0=0 2.2=0-1 2.5=0-2
37 CreatePartitions 1.0=0 2.0=0-1 2.5=0-2 2.7=0-3
38 CreateDelegationToken 1.1=0 2.0=0-1 2.4=0-2 3.3=- 3.6=0-3 4.0=1-3
39 RenewDelegationToken 1.1=0 2.0=0-1 2.5=0-2 3.3=- 3.6=0-2 4.0=1-2
40 ExpireDelegationToken 1.1=0 2.0=0-1 2.5=0-2 3.3=- 3.6=0-2 4.0=1-2
41 DescribeDelegationToken 1.1=0 2.0=0-1 2.5=0-2 3.3=- 3.6=0-3 4.0=1-3
42 DeleteGroups 1.1=0 2.0=0-1 2.4=0-2
43 ElectLeaders 2.2=0 2.4=0-2
44 IncrementalAlterConfigs 2.3=0 2.4=0-1
45 AlterPartitionReassignments 2.4=0 4.1=0-1
46 ListPartitionReassignments 2.4=0
47 OffsetDelete 2.4=0
48 DescribeClientQuotas 2.6=0 2.8=0-1
49 AlterClientQuotas 2.6=0 2.8=0-1
50 DescribeUserScramCredentials 2.7=0 3.3=- 3.5=0
51 AlterUserScramCredentials 2.7=0 3.3=- 3.5=0
55 DescribeQuorum 3.3=0-1 3.9=0-2
56 AlterPartition 2.7=0 3.2=0-1 3.3=-
57 UpdateFeatures 2.7=0 3.3=0-1 4.0=0-2
58 Envelope zk:3.4=0
60 DescribeCluster 2.8=0 3.7=0-1 4.0=0-2
61 DescribeProducers 2.8=0
64 UnregisterBroker 3.3=0
65 DescribeTransactions 3.0=0
66 ListTransactions 3.0=0 3.8=0-1 4.1=0-2
67 AllocateProducerIds 3.0=0 3.3=-
68 ConsumerGroupHeartbeat 3.7=0 4.0=0-1
69 ConsumerGroupDescribe 3.8=0 4.0=0-1
74 ListConfigResources 3.7=0 4.1=0-1
75 DescribeTopicPartitions 3.8=0
76 ShareGroupHeartbeat 4.1=1
77 ShareGroupDescribe 4.1=1
78 ShareFetch 4.1=1 4.2=1-2
79 ShareAcknowledge 4.1=1 4.2=1-2
80 AddRaftVoter 3.9=0 4.2=0-1
81 RemoveRaftVoter 3.9=0
83 InitializeShareGroupState 4.1=0
84 ReadShareGroupState 4.1=0
85 WriteShareGroupState 4.1=0 4.2=0-1
86 DeleteShareGroupState 4.1=0
87 ReadShareGroupStateSummary 4.1=0 4.2=0-1
88 StreamsGroupHeartbeat 4.2=0
89 StreamsGroupDescribe 4.2=0
90 DescribeShareGroupOffsets 4.1=0 4.2=0-1
91 AlterShareGroupOffsets 4.1=0
92 DeleteShareGroupOffsets 4.1=0
"""


class VersionRange(NamedTuple):
    """The versions of one API, all ends inclusive; versions below *lowest* are advertised and refused."""

    advertised: int
    lowest: int
    highest: int


_STEP = re.compile(r"(zk:)?([\d.]+)=(?:-|(\d+)(?:\((\d+)\))?(?:-(\d+))?)")


def api_versions(release: str, *, with_zookeeper: bool = False) -> dict[int, VersionRange]:
    """Return API key -> versions of *release*, one of RELEASES.

    An API that ended with 3.3 ended for KRaft only, so that *with_zookeeper* it goes on as it was.
    """
    ranges: dict[int, VersionRange] = {}
    key = -1
    for token in HISTORY.split():
        if token.isdecimal():
            key = int(token)
            continue
        step = _STEP.fullmatch(token)
        if step is None:  # the name
            continue
        zookeeper_only, since, low, served, high = step.groups()
        if is_at_least(release, since) and (with_zookeeper or zookeeper_only is None):
            if low is not None:
                ranges[key] = VersionRange(int(low), int(served or low), int(high or low))
            elif not with_zookeeper:
                del ranges[key]
    return ranges
