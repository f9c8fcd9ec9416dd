"""The files byte for byte as Apache Kafka 3.9.1 wrote them (hex copied from its log directory) for the same records."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.config.topic import default_log_config
from wirebroker.model import TopicPartition
from wirebroker.storage.producer_snapshots import decode_snapshot, encode_snapshot
from wirebroker.storage.transaction_index import AbortedTransaction, TransactionIndex
from wirebroker.tests.storage.fakes.disk import FakeDisk
from wirebroker.tests.storage.fakes.logs import Clock, batch, high_watermarks, manager

if TYPE_CHECKING:
    from wirebroker.config.log import LogConfig

# 60 batches of one 1,000-byte record each, timestamps 1700000000000 + n: 1,070 bytes a batch, an entry every fourth
INDEX = (
    "00000004000010b800000008000021700000000c0000322800000010000042e0000000140000539800000018000064500000001c00007508"
    "00000020000085c00000002400009678000000280000a7300000002c0000b7e8000000300000c8a0000000340000d958000000380000ea10"
)
TIME_INDEX = (
    "0000018bcfe56804000000040000018bcfe56808000000080000018bcfe5680c0000000c0000018bcfe56810000000100000018bcfe56814"
    "000000140000018bcfe56818000000180000018bcfe5681c0000001c0000018bcfe56820000000200000018bcfe56824000000240000018b"
    "cfe56828000000280000018bcfe5682c0000002c0000018bcfe56830000000300000018bcfe56834000000340000018bcfe5683800000038"
    "0000018bcfe5683b0000003b"
)
EMPTY_SNAPSHOT_SIZE = 10
SNAPSHOT = (
    "0001bffec40300000001000000000000000d00000000050300000000000005030000001b0000018bcfe58b32ffffffffffffffffffffffff"
)
TRANSACTION_INDEX = (
    "00000000000000000018000000000000233200000000000023960000000000002397"
    "0000000000000000001900000000000023970000000000" + "0023fb00000000000023fc"
)
DIRECTORY = "/data/t-0/"
FIRST = DIRECTORY + "00000000000000000000"


def written(config: LogConfig | None = None) -> FakeDisk:
    """A directory after a clean shutdown."""
    disk = FakeDisk()
    made = manager(disk, config or default_log_config(), Clock(1_700_000_000_000))
    log = made.get_or_create("t", 0, bytes.fromhex("f3a063f3981a4dd9ad78482d8c25314b"))
    log.assign_leader_epoch(0)
    for n in range(60):
        log.append_as_leader(batch(b"z" * 1000, timestamp=1_700_000_000_000 + n), 0, 1_700_000_000_000)
    made.close(broker_epoch=10)
    return disk


def test_a_partition_directory() -> None:
    disk = written()
    names = {path.removeprefix(DIRECTORY): disk.content(path) for path in disk.names if path.startswith(DIRECTORY)}
    assert {name: len(data) for name, data in names.items()} == {
        "00000000000000000000.log": 64_200,
        "00000000000000000000.index": len(INDEX) // 2,
        "00000000000000000000.timeindex": len(TIME_INDEX) // 2,
        "00000000000000000060.snapshot": EMPTY_SNAPSHOT_SIZE,
        "leader-epoch-checkpoint": 8,
        "partition.metadata": 43,
    }
    assert names["00000000000000000000.index"].hex() == INDEX
    assert names["00000000000000000000.timeindex"].hex() == TIME_INDEX
    assert names["leader-epoch-checkpoint"] == b"0\n1\n0 0\n"
    assert names["partition.metadata"] == b"version: 0\ntopic_id: 86Bj85gaTdmteEgtjCUxSw"
    assert names["00000000000000000060.snapshot"].hex() == "0001" + "48674bc7" + "00000000"


def test_a_log_directory() -> None:
    disk = written()
    names = {path.removeprefix("/data/"): disk.content(path) for path in disk.names if path.count("/") == 2}
    assert names == {
        ".lock": b"",
        ".kafka_cleanshutdown": b'{"version":0,"brokerEpoch":10}',
        "recovery-point-offset-checkpoint": b"0\n1\nt 0 60\n",
        "log-start-offset-checkpoint": b"0\n0\n",
        "cleaner-offset-checkpoint": b"",
    }


def test_high_watermarks() -> None:
    disk = FakeDisk()
    made = manager(disk)
    for partition in (0, 1):
        made.get_or_create("topic-a", partition)
    made.log_dirs.checkpoint_high_watermarks({TopicPartition("topic-a", 0): 1234, TopicPartition("topic-a", 1): 77})
    assert disk.content("/data/replication-offset-checkpoint") == b"0\n2\ntopic-a 0 1234\ntopic-a 1 77\n"
    assert high_watermarks(made) == {TopicPartition("topic-a", 0): 1234, TopicPartition("topic-a", 1): 77}


def test_while_it_is_open_an_index_is_preallocated() -> None:
    disk = FakeDisk()
    log = manager(disk, default_log_config()).get_or_create("t", 0)
    for n in range(60):
        log.append_as_leader(batch(b"z" * 1000, timestamp=1_700_000_000_000 + n), 0, 0)
    index, time_index = disk.content(FIRST + ".index"), disk.content(FIRST + ".timeindex")
    assert (len(index), len(time_index)) == (10_485_760, 10_485_756)
    assert index.rstrip(b"\0") == bytes.fromhex(INDEX)
    assert time_index.rstrip(b"\0") == bytes.fromhex(TIME_INDEX)[:-12]  # the last entry comes with the end


def test_a_rolled_segment_and_one_recovered_are_the_same() -> None:
    config = default_log_config()._replace(segment_bytes=20_000)
    clean = written(config)
    disk = FakeDisk()
    log = manager(disk, config).get_or_create("t", 0)
    log.assign_leader_epoch(0)
    for n in range(60):
        log.append_as_leader(batch(b"z" * 1000, timestamp=1_700_000_000_000 + n), 0, 0)
    left = disk.restarted()
    manager(left, config).close()
    indexes = [path for path in clean.names if path.endswith("index")]
    assert len(indexes) == 2 * 4
    assert [left.content(path) for path in indexes] == [clean.content(path) for path in indexes]


def test_a_snapshot() -> None:
    (entry,) = entries = decode_snapshot(bytes.fromhex(SNAPSHOT), "golden")
    assert (entry.producer_id, entry.epoch, entry.last_sequence) == (13, 0, 1283)
    assert entry.last_timestamp == 1_700_000_009_010
    assert (entry.coordinator_epoch, entry.current_txn_first_offset) == (-1, -1)
    assert entry.batches == [(1283, 1283, 27, 1_700_000_009_010)]
    assert encode_snapshot(entries).hex() == SNAPSHOT


def test_a_transaction_index() -> None:
    disk = FakeDisk()
    disk.make_directory("/x")
    index = TransactionIndex(disk, "/x/a.txnindex", exists=False)
    for aborted in (AbortedTransaction(24, 9010, 9110, 9111), AbortedTransaction(25, 9111, 9211, 9212)):
        index.append(aborted)
    assert disk.content("/x/a.txnindex").hex() == TRANSACTION_INDEX
    assert TransactionIndex(disk, "/x/a.txnindex", exists=True).entries() == index.entries()
