"""Which topics are taken over from a directory, and what becomes of those that the journal knows."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from typing import TYPE_CHECKING

from wirebroker.metadata.image import ClusterImage, PartitionImage
from wirebroker.metadata.kafka_import.import_plan import INTERNAL, KEEP_FOR_EVER, plan_import
from wirebroker.metadata.kafka_import.producer_ids import highest_producer_id
from wirebroker.metadata.records import ClusterIdRecord, RemoveTopicRecord, TopicRecord, apply
from wirebroker.protocol.internal import cluster_metadata as records
from wirebroker.protocol.internal.transaction_state import TransactionLogValue
from wirebroker.record.builder import simple_batch
from wirebroker.record.record_batch import RecordBatch
from wirebroker.storage.files import Files
from wirebroker.tests.metadata.kafka_import.kraft_frames import frame
from wirebroker.tests.storage.fakes.disk import FakeDisk
from wirebroker.tests.storage.fakes.logs import batch, manager

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from wirebroker.metadata.kafka_import.import_plan import ImportPlan

ONE, TWO = bytes([1]) * 16, bytes([2]) * 16
OURS = PartitionImage(0, 3, (0,), (0,))
FRESH = ClusterImage()


def partition(data: Path, name: str, topic_id: bytes | None = None, epoch: int | None = None) -> None:
    directory = data / name
    directory.mkdir(parents=True)
    (directory / f"{0:020}.log").touch()
    if topic_id is not None:
        text = urlsafe_b64encode(topic_id).decode().rstrip("=")
        (directory / "partition.metadata").write_text(f"version: 0\ntopic_id: {text}")
    if epoch is not None:
        (directory / "leader-epoch-checkpoint").write_text(f"0\n1\n{epoch} 0\n")


def imported(data: Path, image: ClusterImage = FRESH) -> tuple[ImportPlan, ClusterImage]:
    plan = plan_import([data], Files(), image, 0)
    return plan, apply(image, *plan.records(lambda topic, number: -1, -1))


def knowing(*topics: tuple[str, bytes, int]) -> ClusterImage:
    changes = [TopicRecord(name, topic_id, (OURS,) * count) for name, topic_id, count in topics]
    return apply(FRESH, ClusterIdRecord("x"), *changes)


def test_topics_by_their_directories(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    for number in (0, 1, 3):
        partition(tmp_path, f"a-b-{number}", ONE, 5 + number)
    partition(tmp_path, "__consumer_offsets-0", TWO)
    partition(tmp_path, "compacted-0")
    (tmp_path / "empty-7").mkdir()
    (tmp_path / "lost+found-1").mkdir()
    (tmp_path / "cleaner-offset-checkpoint").write_text("0\n1\ncompacted 0 3\n")
    plan, image = imported(tmp_path)
    assert set(image.topics) == {"a-b", "__consumer_offsets", "compacted"}
    topic = image.topics["a-b"]
    assert topic.topic_id == ONE
    assert [each.leader_epoch for each in topic.partitions] == [6, 7, 0, 9], "above all that were written in"
    assert image.topics["compacted"].topic_id not in (ONE, TWO, bytes(16))
    assert image.topic_config("a-b") == KEEP_FOR_EVER
    assert image.topic_config("compacted") == {**KEEP_FOR_EVER, "cleanup.policy": "compact"}
    assert image.topic_config("__consumer_offsets") == INTERNAL
    assert image.next_producer_id == 1_000_000
    assert plan.next_producer_id(2_345) == 1_003_000
    plan.report(image.next_producer_id)
    assert "partitions 2 have no directory here and are created empty" in caplog.text
    line = "3 topics with 6 partitions, 8 settings, producer ids from 1000000 on (__consumer_offsets, a-b, compacted)"
    assert line in caplog.text
    assert not imported(tmp_path, image)[0], "only unknown topics are imported"


def test_a_newer_epoch_in_the_log_wins(tmp_path: Path) -> None:
    partition(tmp_path, "t-0", ONE, 2)
    plan = plan_import([tmp_path], Files(), FRESH, 4)
    image = apply(FRESH, *plan.records(lambda topic, number: 7, -1))
    assert image.topics["t"].partitions == (PartitionImage(4, 8, (4,), (4,)),)


def test_a_directory_that_returns_from_kafka(tmp_path: Path) -> None:
    for name, topic_id in (("known-0", ONE), ("grown-0", ONE), ("grown-1", ONE), ("again-0", TWO), ("new-0", TWO)):
        partition(tmp_path, name, topic_id, 9)
    other, stale = ONE[:15] + b"\7", ONE[:15] + b"\5"
    before = knowing(("known", ONE, 1), ("grown", other, 1), ("again", stale, 2), ("gone", TWO, 1))
    (tmp_path / "grown-0" / "partition.metadata").unlink()
    (tmp_path / "grown-1" / "partition.metadata").unlink()
    plan, image = imported(tmp_path, before)
    assert {topic.name for topic in plan.topics} == {"grown", "again", "new"}
    assert image.topics["known"] == before.topics["known"]
    assert image.topics["gone"] == before.topics["gone"]
    assert [each.leader_epoch for each in image.topics["grown"].partitions] == [3, 10]
    assert image.topics["again"].topic_id == TWO, "made again by Kafka"
    assert stale in image.deleting


def test_a_deletion_that_is_not_finished_is_no_topic(tmp_path: Path) -> None:
    partition(tmp_path, "t-0", ONE)
    partition(tmp_path, "u-0")
    before = apply(
        knowing(("t", ONE, 1), ("u", TWO, 1)), RemoveTopicRecord("t", ONE, 1), RemoveTopicRecord("u", TWO, 1)
    )
    assert not imported(tmp_path, before)[0]


def test_the_less_frequent_of_two_topic_ids_is_not_imported(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    for number, topic_id in enumerate((ONE, TWO, TWO)):
        partition(tmp_path, f"t-{number}", topic_id)
    assert imported(tmp_path)[1].topics["t"].topic_id == TWO
    assert f"of them only {TWO.hex()} is served" in caplog.text


def test_topics_of_kraft(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    metadata = tmp_path / "__cluster_metadata-0"
    metadata.mkdir()
    values = [
        records.TopicRecord("t", ONE),
        records.PartitionRecord(0, ONE, leader_epoch=4),
        records.PartitionRecord(1, ONE, leader_epoch=6),
        records.ConfigRecord(2, "t", "retention.ms", "5"),
        records.ConfigRecord(4, "", "message.max.bytes", "7"),
        records.ConfigRecord(4, "0", "log.cleaner.threads", "2"),
        records.ConfigRecord(4, "1", "log.cleaner.threads", "3"),
        records.ProducerIdsRecord(0, 0, 5000),
        records.UserScramCredentialRecord(),
    ]
    (metadata / f"{0:020}.log").write_bytes(simple_batch([frame(value) for value in values]))
    partition(tmp_path, "t-0", ONE, 4)
    partition(tmp_path, "deleted-0", TWO)
    plan, image = imported(tmp_path)
    assert "up to offset 9" in plan.source
    assert set(image.topics) == {"t"}
    assert [each.leader_epoch for each in image.topics["t"].partitions] == [5, 7]
    assert image.configs == {
        (2, "t"): {"retention.ms": "5"},
        (4, ""): {"message.max.bytes": "7"},
        (4, "0"): {"log.cleaner.threads": "2"},
    }
    assert image.next_producer_id == 5000
    assert plan.next_producer_id(7_001) == 8000
    for text in (
        "topic=deleted: it has directories",
        "partitions 1 have no directory",
        "1 records of SCRAM credentials",
    ):
        assert text in caplog.text
    image = apply(image, ClusterIdRecord("x"))
    assert not imported(tmp_path, image)[0].topics


def test_producer_ids_in_the_logs() -> None:
    made = manager(FakeDisk())
    made.get_or_create("t", 0).append_as_leader(batch(b"v", producer=(41, 0, 0)), 0, 0)
    assert highest_producer_id(made.logs()) == 41
    state = TransactionLogValue(producer_id=77, transaction_timeout_ms=1).to_record(0)
    data = simple_batch([(b"\0\0\0\1x", state), (b"\0\0\0\1y", None)])
    made.get_or_create("__transaction_state", 3).append_as_leader(RecordBatch.parse(bytearray(data)), 0, 0)
    assert highest_producer_id(made.logs()) == 77
    made.get_or_create("__transaction_state", 4).append_as_leader(batch(b"nothing"), 0, 0)
    assert highest_producer_id(made.logs()) == 77
