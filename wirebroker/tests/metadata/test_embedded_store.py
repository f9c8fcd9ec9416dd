"""EmbeddedStore: what is acknowledged is in the journal, also after a crash at any byte."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio

from wirebroker.metadata.embedded_store import EmbeddedStore
from wirebroker.metadata.errors import StoreDamaged, StoreUnavailable
from wirebroker.metadata.image import BrokerImage, ClusterImage
from wirebroker.metadata.journal import JOURNAL_NAME, STARTED_EMPTY, frame
from wirebroker.metadata.records import (
    ClusterIdRecord,
    MetadataRecord,
    PartitionsRecord,
    ProducerIdsRecord,
    RemoveTopicRecord,
    TopicRecord,
)
from wirebroker.tests.metadata.fakes import FaultyFiles, partitions, topic_id

if TYPE_CHECKING:
    from pathlib import Path


def opened(directory: Path, files: FaultyFiles | None = None) -> EmbeddedStore:
    return EmbeddedStore.open([directory], files or FaultyFiles())


def state_of(store: EmbeddedStore) -> tuple[ClusterImage, int]:
    return store.image, store.version


async def test_written_records_are_there_after_a_restart(tmp_path: Path) -> None:
    store = opened(tmp_path)
    assert state_of(store) == (ClusterImage(), 0)
    await store.write([ClusterIdRecord("c"), TopicRecord("t", topic_id(1), partitions(2))])
    assert store.version == 1
    await store.write([ProducerIdsRecord(1000)])
    assert store.version == 2
    before = state_of(store)
    store.close()
    store = opened(tmp_path)
    assert state_of(store) == before
    assert before[0].topics["t"].partitions == partitions(2)
    store.close()


async def test_cut_at_every_byte_the_store_opens_with_a_state_that_was_acknowledged(tmp_path: Path) -> None:
    store = opened(tmp_path)
    writes: list[list[MetadataRecord]] = [
        [ClusterIdRecord("c"), ProducerIdsRecord(5)],
        [TopicRecord("t", topic_id(1), partitions(1)), TopicRecord("u", topic_id(2), partitions(2))],
        [RemoveTopicRecord("t", topic_id(1), 1), ProducerIdsRecord(1005)],
    ]
    states = [(len(STARTED_EMPTY), state_of(store))]
    for changes in writes:
        await store.write(changes)
        states.append((store.path.stat().st_size, state_of(store)))
    store.close()
    whole = store.path.read_bytes()
    for cut in range(len(whole) + 1):
        store.path.write_bytes(whole[:cut])
        expected = [state for size, state in states if size <= cut] or [(ClusterImage(), 0)]
        store = opened(tmp_path)
        assert state_of(store) == expected[-1], cut
        store.close()


async def test_a_second_writer_is_a_bug(tmp_path: Path) -> None:
    store = opened(tmp_path)
    outcomes: list[object] = []

    async def writer(name: str) -> None:
        try:
            await store.write([ClusterIdRecord(name)])
            outcomes.append(store.version)
        except RuntimeError as error:
            outcomes.append(str(error))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(writer, "c")
        nursery.start_soon(writer, "d")
    assert outcomes == ["a second writer: all writes must come from the controller's task", 1]
    assert store.version == 1
    store.close()


async def test_nothing_is_visible_that_is_not_durable(tmp_path: Path) -> None:
    files = FaultyFiles()
    store = opened(tmp_path, files)
    files.fail = {"sync"}
    with pytest.raises(StoreUnavailable):
        await store.write([ClusterIdRecord("c")])
    assert state_of(store) == (ClusterImage(), 0)
    store.close()


async def test_an_inapplicable_record_is_not_written(tmp_path: Path) -> None:
    store = opened(tmp_path)
    size = store.path.stat().st_size
    await store.write([TopicRecord("t", topic_id(1), partitions(1))])
    with pytest.raises(KeyError):
        await store.write([PartitionsRecord("missing", partitions(1))])
    await store.write([ProducerIdsRecord(1)])
    assert store.version == 2
    store.close()
    assert size < store.path.stat().st_size
    opened(tmp_path).close()


async def test_the_journal_stays_small_however_much_happens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wirebroker.metadata.embedded_store.SMALLEST_COMPACTION_BYTES", 500)
    store = opened(tmp_path)
    for version in range(100):
        await store.write([ProducerIdsRecord(version)])
        assert store.path.stat().st_size < 600
    before = state_of(store)
    assert before[1] == 100
    store.close()
    store = opened(tmp_path)
    assert state_of(store) == before
    store.close()


async def test_a_failed_compaction_does_not_fail_the_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("wirebroker.metadata.embedded_store.SMALLEST_COMPACTION_BYTES", 10)
    monkeypatch.setattr("wirebroker.metadata.embedded_store.COMPACTION_FACTOR", 0)
    files = FaultyFiles()
    store = opened(tmp_path, files)
    files.fail = {"rename"}
    await store.write([ClusterIdRecord("c")])
    assert store.version == 1
    assert "compaction failed" in caplog.text
    store.close()
    store = opened(tmp_path)
    assert store.image.cluster_id == "c"
    store.close()


async def test_every_log_dir_has_the_journal(tmp_path: Path) -> None:
    dirs = [tmp_path / "a", tmp_path / "b"]
    for directory in dirs:
        directory.mkdir()
    store = EmbeddedStore.open(dirs[:1], FaultyFiles())
    await store.write([ClusterIdRecord("c")])
    store.close()
    store = EmbeddedStore.open(dirs, FaultyFiles())  # one more directory
    await store.write([ProducerIdsRecord(1000)])
    store.close()
    for directory in dirs:
        store = opened(directory)
        assert store.path == directory / JOURNAL_NAME
        assert (store.image.cluster_id, store.image.next_producer_id) == ("c", 1000)
        store.close()


async def test_a_start_without_a_log_dir_begins_a_generation(tmp_path: Path) -> None:
    store = opened(tmp_path)
    await store.write([TopicRecord("t", topic_id(1), partitions(2))])
    store.close()
    store = EmbeddedStore.open([tmp_path], FaultyFiles(), all_online=False)
    await store.write([ProducerIdsRecord(1000)])
    version = store.version
    assert version == (1 << 32) + 2
    await store.write([ProducerIdsRecord(2000)])
    assert store.version == version + 1
    before = state_of(store)
    store.close()
    store = opened(tmp_path)
    assert state_of(store) == before
    assert store.image.topics["t"].partitions == partitions(2)
    store.close()


async def test_write_that_fails_after_it_began_a_generation_can_be_tried_again(tmp_path: Path) -> None:
    files = FaultyFiles()
    store = EmbeddedStore.open([tmp_path], files, all_online=False)
    writes = 0
    real = files.note

    def note(verb: str) -> None:
        nonlocal writes
        writes += verb == "write"
        if writes == 2:  # the first one is the snapshot's
            files.fail = {"write"}
        real(verb)

    files.note = note  # type: ignore[method-assign]
    with pytest.raises(StoreUnavailable):
        await store.write([ClusterIdRecord("c")])
    assert state_of(store) == (ClusterImage(), 0)
    files.note, files.fail = real, set()  # type: ignore[method-assign]
    await store.write([ClusterIdRecord("c")])
    assert store.version == (1 << 32) + 1
    store.close()


def test_a_missing_journal_is_not_made_up_when_there_must_be_one(tmp_path: Path) -> None:
    with pytest.raises(StoreDamaged, match="in a log directory that cannot be used"):
        EmbeddedStore.open([tmp_path], FaultyFiles(), may_start=False)
    assert list(tmp_path.iterdir()) == []


def test_a_journal_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    (tmp_path / JOURNAL_NAME).write_bytes(STARTED_EMPTY + frame(1, b'[["Teleported",1]]'))
    with pytest.raises(StoreDamaged, match="a newer version wrote Teleported"):
        opened(tmp_path)


async def test_the_registered_broker_is_live_and_the_controller_and_not_in_the_journal(tmp_path: Path) -> None:
    store = opened(tmp_path)
    size = store.path.stat().st_size
    store.register_broker(BrokerImage(3, 7, ()))
    assert (store.version, store.image.controller_id, list(store.image.brokers)) == (0, 3, [3])
    await store.write([ProducerIdsRecord(1)])
    assert store.image.controller_id == 3
    store.close()
    assert store.path.stat().st_size > size
    store = opened(tmp_path)
    assert store.image == ClusterImage(next_producer_id=1)
    store.close()
