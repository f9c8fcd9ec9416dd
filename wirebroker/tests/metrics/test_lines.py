"""Lines of Graphite and StatsD."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.metrics import catalogue
from wirebroker.metrics.lines import MAX_DATAGRAM_BYTES, graphite_lines, statsd_datagrams
from wirebroker.metrics.rates import Rates

if TYPE_CHECKING:
    from wirebroker.metrics.metric import Snapshot

SNAPSHOT: Snapshot = [
    (catalogue.LEADER_COUNT, [((), 3)]),
    (catalogue.LOG_SIZE, [(("a.b c", "0"), 12)]),
    (catalogue.CONNECTION_COUNT, [(("PLAINTEXT", "0"), 2)]),
    (catalogue.GROUP_LAG_SUM, [(("g", "t"), 9)]),
]


def test_graphite() -> None:
    assert list(graphite_lines(SNAPSHOT, Rates(), "p.q", 7)) == [
        "p.q.kafka.server.ReplicaManager.LeaderCount.Value 3 7\n",
        "p.q.kafka.log.Log.Size.topic.a_b_c.partition.0.Value 12 7\n",
        "p.q.kafka.server.socket-server-metrics.listener.PLAINTEXT.networkProcessor.0.connection-count 2 7\n",
        "p.q.kafka_consumergroup_lag_sum.consumergroup.g.topic.t.Value 9 7\n",
    ]


def test_statsd_fills_datagrams() -> None:
    assert list(statsd_datagrams(SNAPSHOT[:2], Rates(), "")) == [
        b"kafka.server.ReplicaManager.LeaderCount.Value:3|g\nkafka.log.Log.Size.topic.a_b_c.partition.0.Value:12|g"
    ]
    many: Snapshot = [(catalogue.LOG_SIZE, [((f"topic-{n}", "0"), n) for n in range(100)])]
    datagrams = list(statsd_datagrams(many, Rates(), ""))
    assert len(datagrams) > 3
    assert all(len(each) <= MAX_DATAGRAM_BYTES for each in datagrams)
    assert sum(len(each.split(b"\n")) for each in datagrams) == 100
