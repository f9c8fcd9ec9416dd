"""A start with real directories: lost and replaced log directories, and stops on the way."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from wirebroker.cli.main import main
from wirebroker.metadata.image import BROKER_RESOURCE, PartitionImage
from wirebroker.metadata.journal import JOURNAL_NAME
from wirebroker.metadata.records import ClusterIdRecord, ConfigsRecord, TopicRecord
from wirebroker.startup import BrokerStorage, open_storage
from wirebroker.storage.errors import StorageError
from wirebroker.tests.controller.fakes import broker_config
from wirebroker.tests.storage.fakes.logs import batch

if TYPE_CHECKING:
    from pathlib import Path

LEADER = PartitionImage(0, 0, (0,), (0,))
TOPIC_ID = bytes(range(16))


def start(*dirs: Path) -> BrokerStorage:
    config = broker_config(log_dirs=",".join(map(str, dirs)), broker_id=0)
    opened = open_storage(config, lambda: False)
    assert opened is not None
    return opened


def stop(opened: BrokerStorage) -> None:
    opened.store.close()
    opened.log_manager.close()


def written(*dirs: Path) -> None:
    """A broker with a topic of four partitions, with a record in each."""
    opened = start(*dirs)
    opened.store.write_blocking([ClusterIdRecord(opened.cluster_id), TopicRecord("t", TOPIC_ID, (LEADER,) * 4)])
    for number in range(4):
        log = opened.log_manager.get_or_create("t", number, TOPIC_ID, is_new=True)
        log.append_as_leader(batch(), 0, 0)
    stop(opened)


def ends(opened: BrokerStorage) -> list[int | None]:
    """The log end offset of each partition, None where it is not served."""
    found: list[int | None] = []
    for number in range(4):
        try:
            found.append(opened.log_manager.get_or_create("t", number, TOPIC_ID).log_end_offset)
        except StorageError:
            found.append(None)
    return found


@pytest.fixture
def dirs(tmp_path: Path) -> tuple[Path, Path]:
    made = tmp_path / "one", tmp_path / "two"
    written(*made)
    return made


def test_metadata_survives_the_loss_of_either_directory(dirs: tuple[Path, Path]) -> None:
    for lost in dirs:
        backup = lost.with_name("backup")
        shutil.copytree(lost, backup)
        shutil.rmtree(lost)
        opened = start(*dirs)
        assert set(opened.store.image.topics) == {"t"}
        assert ends(opened).count(None) == 2
        assert opened.log_manager.log_dirs.is_offline(lost)
        stop(opened)
        shutil.rmtree(lost)
        backup.rename(lost)
    opened = start(*dirs)
    assert ends(opened) == [1] * 4
    stop(opened)


def test_empty_directory_in_place_of_one_with_logs_is_offline_until_it_is_accepted(
    dirs: tuple[Path, Path], caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    one, two = dirs
    shutil.rmtree(two)
    for _ in range(2):
        caplog.clear()
        opened = start(one, two)
        assert opened.log_manager.log_dirs.is_offline(two)
        assert ends(opened) == [1, None, 1, None]
        assert f"wirebroker log repair {two} --accept-empty --execute" in caplog.text
        stop(opened)
    assert main(["log", "repair", str(two), "--accept-empty"]) == 0
    assert "add --execute" in capsys.readouterr().out
    opened = start(one, two)
    assert opened.log_manager.log_dirs.is_offline(two)
    stop(opened)
    assert main(["log", "repair", str(one), "--accept-empty", "--execute"]) == 2
    assert main(["log", "repair", str(two), "--accept-empty", "--execute"]) == 0
    for _ in range(2):
        opened = start(one, two)
        assert not opened.log_manager.log_dirs.is_offline(two)
        assert ends(opened) == [1, 0, 1, 0]
        stop(opened)


def test_one_more_directory_is_used_at_once(dirs: tuple[Path, Path], tmp_path: Path) -> None:
    opened = start(*dirs, tmp_path / "three")
    assert not opened.log_manager.log_dirs.is_offline(tmp_path / "three")
    assert ends(opened) == [1] * 4
    stop(opened)
    assert (tmp_path / "three" / JOURNAL_NAME).read_bytes() == (dirs[0] / JOURNAL_NAME).read_bytes()


def test_partition_directory_that_is_lost_is_refused(dirs: tuple[Path, Path], caplog: pytest.LogCaptureFixture) -> None:
    shutil.rmtree(dirs[0] / "t-0")
    opened = start(*dirs)
    assert ends(opened) == [None, 1, 1, 1]
    assert f"accept the loss with `wirebroker log repair {dirs[0]}`" in caplog.text
    stop(opened)
    assert main(["log", "repair", str(dirs[0]), "--execute"]) == 0
    opened = start(*dirs)
    assert ends(opened) == [0, 1, 1, 1]
    stop(opened)


def test_logs_are_opened_with_the_dynamic_settings_of_the_journal(tmp_path: Path) -> None:
    opened = start(tmp_path / "one")
    settings = {
        "num.recovery.threads.per.data.dir": "3",
        "producer.id.expiration.ms": "77",
        "log.segment.bytes": "5000",
    }
    opened.store.write_blocking([ConfigsRecord(BROKER_RESOURCE, "", settings)])
    stop(opened)
    opened = start(tmp_path / "one")
    log_manager = opened.log_manager
    assert log_manager.defaults.segment_bytes == 5000
    assert log_manager._recovery_threads == 3
    assert log_manager._log_loader.context.producer_id_expiration_ms == 77
    stop(opened)
