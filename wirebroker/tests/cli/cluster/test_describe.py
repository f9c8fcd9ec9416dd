"""`wirebroker cluster describe`: leaders and replicas are counted for each broker."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from wirebroker.cli.cluster.describe import broker_rows, partition_rows
from wirebroker.cli.main import main
from wirebroker.protocol.messages.metadata import (
    MetadataResponse,
    MetadataResponseBroker,
    MetadataResponseTopic,
)
from wirebroker.protocol.messages.metadata import (
    MetadataResponsePartition as _Partition,
)
from wirebroker.tests.cli.fake_cluster import FakeConnection

if TYPE_CHECKING:
    import pytest


def partition(number: int, leader: int, replicas: list[int], isr: list[int], offline: list[int]) -> _Partition:
    return _Partition(
        partition_index=number,
        leader_id=leader,
        leader_epoch=4,
        replica_nodes=replicas,
        isr_nodes=isr,
        offline_replicas=offline,
    )


def test_the_summary_below_the_table(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("wirebroker.client.admin.Connection", FakeConnection)
    assert main(["cluster", "describe", "-b", "broker:9092"]) == 0
    (summary,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("cluster ")]
    assert summary.startswith("cluster without an id, controller ")  # the releases before 0.10.1 send none
    assert summary.endswith(": 1 topic, 2 partitions, 0 under-replicated, 0 offline")


def test_epochs_are_asked_for(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("wirebroker.client.admin.Connection", FakeConnection)
    assert main(["cluster", "describe", "--epochs", "--format", "json", "-b", "broker:9092"]) == 0
    (broker,) = json.loads(capsys.readouterr().out)["brokers"]
    assert (broker["broker_epoch"], broker["controller_epoch"]) == (25, 3)


def test_a_broker_that_is_down_has_a_row_without_an_address() -> None:
    metadata = MetadataResponse(
        brokers=[MetadataResponseBroker(0, "a", 9092, "r1"), MetadataResponseBroker(1, "b", 9092)],
        controller_id=1,
        topics=[
            MetadataResponseTopic(
                name="t",
                partitions=[
                    partition(1, 1, [0, 1], [0, 1], []),
                    partition(0, 0, [0, 2], [0], [2]),
                    partition(2, -1, [2], [2], [2]),
                ],
            )
        ],
    )
    rows = partition_rows(metadata)
    assert [(each.partition, each.leader, each.is_under_replicated, each.is_offline) for each in rows] == [
        (0, 0, True, False),
        (1, 1, False, False),
        (2, None, False, True),
    ]
    assert broker_rows(metadata, rows) == [
        (0, "a:9092", "r1", False, 1, 1, 2, 0, 0),
        (1, "b:9092", None, True, 1, 0, 1, 0, 0),
        (2, None, None, False, 0, 0, 2, 1, 2),
    ]
