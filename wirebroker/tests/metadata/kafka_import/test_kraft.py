"""The KRaft metadata log: snapshots, the log behind them, transactions, damage, and what it all adds up to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from wirebroker.metadata.errors import StoreDamaged
from wirebroker.metadata.kafka_import.kraft_image import KraftImage
from wirebroker.metadata.kafka_import.kraft_log import MetadataLog
from wirebroker.metadata.kafka_import.kraft_records import TYPES, UnknownKraftRecord, parse
from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.internal import cluster_metadata as records
from wirebroker.record.builder import build_batch, simple_batch
from wirebroker.record.record_batch import CONTROL, Record
from wirebroker.storage.files import Files
from wirebroker.tests.metadata.kafka_import.kraft_frames import frame

if TYPE_CHECKING:
    from pathlib import Path

    from wirebroker.protocol.message import Message

ONE, TWO = bytes([1]) * 16, bytes([2]) * 16


def batch(base_offset: int, *messages: Message) -> bytes:
    return simple_batch([frame(each) for each in messages], base_offset=base_offset)


def control(base_offset: int, kind: int) -> bytes:
    record = Record(base_offset, 0, b"\0\0" + kind.to_bytes(2, "big"), b"\0\0\0", [])
    return build_batch([record], attributes=CONTROL)


def snapshot(*messages: Message, footer: bool = True) -> bytes:
    data = control(0, 3) + batch(1, *messages)
    return data + control(1 + len(messages), 4) if footer else data


def read(directory: Path) -> tuple[KraftImage, MetadataLog]:
    image, log = KraftImage(), MetadataLog(str(directory), Files())
    image.replay(log.values())
    return image, log


def names(image: KraftImage) -> set[str]:
    return {topic.name for topic in image.topics.values()}


def test_every_record_can_be_framed() -> None:
    for number, kind in TYPES.items():
        for version in kind.VERSIONS:
            assert parse(frame(kind(), version)) == (number, version, kind())
    with pytest.raises(UnknownKraftRecord, match="type 99"):
        parse(bytes((1, 99, 0)))
    with pytest.raises(UnknownKraftRecord, match="version 7"):
        parse(bytes((1, 2, 7)))
    for value in (b"", b"\1", bytes((2, 2, 0)), frame(records.NoOpRecord()) + b"\0", bytes((1, 2, 0, 9))):
        with pytest.raises(ProtocolError):
            parse(value)


def test_topics_settings_and_producer_ids() -> None:
    image = KraftImage()
    changes: list[Message] = [
        records.TopicRecord("t", ONE),
        records.PartitionRecord(0, ONE, leader=0, leader_epoch=4),
        records.PartitionRecord(1, ONE, leader=0, leader_epoch=0),
        records.PartitionChangeRecord(0, ONE, isr=[0]),
        records.PartitionChangeRecord(1, ONE, leader=0),
        records.TopicRecord("gone", TWO),
        records.ConfigRecord(2, "gone", "retention.ms", "1"),
        records.RemoveTopicRecord(TWO),
        records.ConfigRecord(2, "t", "retention.ms", "1"),
        records.ConfigRecord(2, "t", "segment.bytes", "5"),
        records.ConfigRecord(2, "t", "retention.ms", None),
        records.ConfigRecord(4, "", "x", "y"),
        records.ConfigRecord(4, "", "x", None),
        records.ProducerIdsRecord(0, 0, 3000),
        records.FeatureLevelRecord("metadata.version", 21),
        records.AccessControlEntryRecord(),
    ]
    image.replay((at, frame(message)) for at, message in enumerate(changes))
    assert image.topic_by_name()["t"].leader_epochs == {0: 4, 1: 1}
    assert names(image) == {"t"}
    assert image.configs == {(2, "t"): {"segment.bytes": "5"}}
    assert (image.next_producer_id, image.features, image.not_imported) == (3000, {"metadata.version": 21}, {"ACLs": 1})


def test_client_quotas() -> None:
    def quota(key: str, value: float, *entity: tuple[str, str | None], remove: bool = False) -> Message:
        return records.ClientQuotaRecord([records.EntityData(*part) for part in entity], key, value, remove)

    user, client = ("user", "u"), ("client-id", None)
    image = KraftImage()
    changes: list[Message] = [
        quota("producer_byte_rate", 1.0, user),
        quota("producer_byte_rate", 2.0, client, user),
        quota("consumer_byte_rate", 3.0, client, user),
        quota("producer_byte_rate", 0.0, client, user, remove=True),
        quota("connection_creation_rate", 4.0, ("ip", "10.0.0.1")),
        quota("connection_creation_rate", 0.0, ("ip", "10.0.0.1"), remove=True),
        quota("producer_byte_rate", 5.0, user),
        quota("producer_byte_rate", 0.0, ("user", "never"), remove=True),
    ]
    image.replay((at, frame(message)) for at, message in enumerate(changes))
    assert image.client_quotas == {(user,): {"producer_byte_rate": 5.0}, (user, client): {"consumer_byte_rate": 3.0}}


@pytest.mark.parametrize(("end", "kept"), [("end", {"a", "b"}), ("abort", {"a"}), (None, {"a"})])
def test_transactions_are_applied_at_their_end(end: str | None, kept: set[str]) -> None:
    image = KraftImage()
    changes: list[Message] = [records.TopicRecord("a", ONE), records.BeginTransactionRecord("x")]
    changes.append(records.TopicRecord("b", TWO))
    if end is not None:
        changes.append(records.EndTransactionRecord() if end == "end" else records.AbortTransactionRecord())
    image.replay((at, frame(message)) for at, message in enumerate(changes))
    assert names(image) == kept


def test_records_of_newer_releases_are_skipped(caplog: pytest.LogCaptureFixture) -> None:
    image = KraftImage()
    image.replay([(5, bytes((1, 99, 0))), (6, frame(records.TopicRecord("t", ONE)))])
    assert names(image) == {"t"}
    assert "offset 5 is ignored" in caplog.text
    for broken in (
        records.PartitionRecord(0, TWO),
        records.PartitionChangeRecord(3, ONE),
        records.RemoveTopicRecord(TWO),
    ):
        with pytest.raises(StoreDamaged):
            image.replay([(7, frame(broken))])
    with pytest.raises(StoreDamaged):
        image.replay([(8, b"\1")])


def test_the_newest_complete_snapshot_and_the_log_behind_it(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / f"{3:020}-{1:010}.checkpoint").write_bytes(snapshot(records.TopicRecord("old", ONE)))
    (tmp_path / f"{4:020}-{1:010}.checkpoint").write_bytes(snapshot(records.TopicRecord("kept", ONE)))
    (tmp_path / f"{5:020}-{2:010}.checkpoint").write_bytes(snapshot(records.TopicRecord("cut", ONE), footer=False))
    log = batch(2, *[records.NoOpRecord()] * 3, records.TopicRecord("later", TWO)) + control(6, 2)
    (tmp_path / f"{2:020}.log").write_bytes(log + batch(7, records.TopicRecord("torn", ONE))[:-3])
    image, metadata = read(tmp_path)
    assert names(image) == {"kept", "later"}
    assert metadata.snapshot is not None
    assert (metadata.snapshot.end_offset, metadata.end_offset) == (4, 7)
    assert "it has no footer" in caplog.text
    assert "an incomplete batch" in caplog.text


def test_damage_is_refused(tmp_path: Path) -> None:
    path = tmp_path / f"{0:020}.log"
    whole = batch(0, records.TopicRecord("t", ONE)) + batch(1, records.TopicRecord("u", TWO))
    for at in (30, 70):
        data = bytearray(whole)
        data[at] ^= 1
        path.write_bytes(data)
        with pytest.raises(StoreDamaged, match="checksum"):
            read(tmp_path)
    path.write_bytes(whole)
    assert names(read(tmp_path)[0]) == {"t", "u"}
    path.rename(tmp_path / f"{9:020}.log")
    with pytest.raises(StoreDamaged, match="begins at offset 9"):
        read(tmp_path)
    (tmp_path / f"{0:020}.log").write_bytes(whole)
    with pytest.raises(StoreDamaged, match="2 to 8 are missing"):
        read(tmp_path)
