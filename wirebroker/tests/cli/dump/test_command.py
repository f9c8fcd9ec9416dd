"""`dump-log`: the lines of Apache Kafka 3.9.1's tool for bytes it wrote, checks of indexes, JSON, and damage."""

from __future__ import annotations

import json
from struct import pack
from typing import TYPE_CHECKING, Any

import pytest

from wirebroker.cli.dump.batches import batches_of
from wirebroker.cli.main import main
from wirebroker.record.builder import build_batch, simple_batch
from wirebroker.record.compression import Codec, Compression
from wirebroker.record.record_batch import Record
from wirebroker.storage.producer_snapshots import encode_snapshot
from wirebroker.storage.producer_state_entry import BatchMetadata, ProducerStateEntry
from wirebroker.tests.record.golden import ABORT_MARKER, APPEND_TIME, COMMIT_MARKER, JAVA
from wirebroker.tests.record.produce_cases import patched

if TYPE_CHECKING:
    from pathlib import Path

BASE = "00000000000000000000"

#: The output of kafka-dump-log.sh 3.9.1 for the file that `golden_log` writes.
GOLDEN = """\
Log starting offset: 0
baseOffset: 0 lastOffset: 2 count: 3 baseSequence: 0 lastSequence: 2 producerId: 2000 producerEpoch: 0 \
partitionLeaderEpoch: 0 isTransactional: false isControl: false deleteHorizonMs: OptionalLong.empty position: 0 \
CreateTime: 1795260610305 size: 136 magic: 2 compresscodec: gzip crc: 3205966891 isvalid: true
| offset: 0 CreateTime: 1795260610296 keySize: 2 valueSize: 51 sequence: 0 headerKeys: [a] key: k1 payload: \
one one one one one one one one one one one one one
| offset: 1 CreateTime: 1795260610305 keySize: 2 valueSize: 0 sequence: 1 headerKeys: [b,c] key: k3 payload:\x20
| offset: 2 CreateTime: 1795260610305 keySize: 2 valueSize: 7 sequence: 2 headerKeys: [d] key: k2 payload: zwei ü
baseOffset: 0 lastOffset: 2 count: 3 baseSequence: 0 lastSequence: 2 producerId: 2002 producerEpoch: 0 \
partitionLeaderEpoch: 0 isTransactional: false isControl: false deleteHorizonMs: OptionalLong.empty position: 136 \
CreateTime: 1795260613880 size: 140 magic: 2 compresscodec: snappy crc: 309685102 isvalid: true
| offset: 0 CreateTime: 1795260613819 keySize: 2 valueSize: 51 sequence: 0 headerKeys: [a] key: k1 payload: \
one one one one one one one one one one one one one
| offset: 1 CreateTime: 1795260613880 keySize: 2 valueSize: 0 sequence: 1 headerKeys: [b,c] key: k3 payload:\x20
| offset: 2 CreateTime: 1795260613880 keySize: 2 valueSize: 7 sequence: 2 headerKeys: [d] key: k2 payload: zwei ü
baseOffset: 0 lastOffset: 1 count: 2 baseSequence: -1 lastSequence: -1 producerId: -1 producerEpoch: -1 \
partitionLeaderEpoch: 0 isTransactional: false isControl: false deleteHorizonMs: OptionalLong.empty position: 276 \
LogAppendTime: 1795260382675 size: 86 magic: 2 compresscodec: none crc: 1203538963 isvalid: true
| offset: 0 LogAppendTime: 1795260382675 keySize: -1 valueSize: 1 sequence: -1 headerKeys: [] payload: a
| offset: 1 LogAppendTime: 1795260382675 keySize: -1 valueSize: 5 sequence: -1 headerKeys: [] payload: \ufffd\x00bin
baseOffset: 100 lastOffset: 100 count: 1 baseSequence: -1 lastSequence: -1 producerId: 3 producerEpoch: 0 \
partitionLeaderEpoch: 0 isTransactional: true isControl: true deleteHorizonMs: OptionalLong.empty position: 362 \
CreateTime: 1795260385784 size: 78 magic: 2 compresscodec: none crc: 2032719163 isvalid: true
| offset: 100 CreateTime: 1795260385784 keySize: 4 valueSize: 6 sequence: -1 headerKeys: [] endTxnMarker: ABORT \
coordinatorEpoch: 0
baseOffset: 101 lastOffset: 101 count: 1 baseSequence: -1 lastSequence: -1 producerId: 4 producerEpoch: 0 \
partitionLeaderEpoch: 0 isTransactional: true isControl: true deleteHorizonMs: OptionalLong.empty position: 440 \
CreateTime: 1795260385797 size: 78 magic: 2 compresscodec: none crc: 1591300974 isvalid: true
| offset: 101 CreateTime: 1795260385797 keySize: 4 valueSize: 6 sequence: -1 headerKeys: [] endTxnMarker: COMMIT \
coordinatorEpoch: 0
Found 4 invalid bytes at the end of 00000000000000000000.log
"""


@pytest.fixture
def golden_log(tmp_path: Path) -> Path:
    path = tmp_path / f"{BASE}.log"
    path.write_bytes(JAVA["gzip"] + JAVA["snappy"] + APPEND_TIME + ABORT_MARKER + COMMIT_MARKER + b"tail")
    return path


@pytest.fixture
def partition(tmp_path: Path) -> Path:
    """A segment of 30 batches of 10 records, one offset index entry each 10 batches."""
    batches = [batch(n * 10) for n in range(30)]
    (tmp_path / f"{BASE}.log").write_bytes(b"".join(batches))
    ends = [sum(map(len, batches[:n])) for n in (9, 19, 29)]
    index = b"".join(pack(">ii", n * 10 + 9, at) for n, at in zip((9, 19, 29), ends, strict=True))
    (tmp_path / f"{BASE}.index").write_bytes(index)
    times = b"".join(pack(">qi", 1000 + n * 10 + 9, n * 10 + 9) for n in (9, 19, 29))
    (tmp_path / f"{BASE}.timeindex").write_bytes(times)
    return tmp_path


def batch(base_offset: int, codec: Codec = Codec.NONE) -> bytes:
    records = [Record(base_offset + n, 1000 + base_offset + n, None, b"value", []) for n in range(10)]
    return patched(build_batch(records, compression=Compression(codec)), partition_leader_epoch=0)


def dump(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str, str]:
    capsys.readouterr()
    code = main(["dump-log", *map(str, arguments)])
    said = capsys.readouterr()
    return code, said.out, said.err


def objects(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> list[dict[str, Any]]:
    _, out, _ = dump(capsys, "--json", *arguments)
    return [json.loads(line) for line in out.splitlines()]


def test_everything_in_a_log(golden_log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = dump(capsys, "--files", golden_log, "--print-data-log")
    assert out == f"Dumping {golden_log}\n{GOLDEN}"
    assert err.splitlines() == [
        f"Non-consecutive offsets in {golden_log}",
        "  1 is followed by 100",
        "  2 is followed by 0",
        "  2 is followed by 0",
    ]
    assert code == 0


def test_batches_only(golden_log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, err = dump(capsys, golden_log)
    assert out == "".join(
        line for line in f"Dumping {golden_log}\n{GOLDEN}".splitlines(keepends=True) if not line.startswith("| ")
    )
    assert err == ""


def test_records_without_their_contents(golden_log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = dump(capsys, golden_log, "--deep-iteration")
    assert "| offset: 1 LogAppendTime: 1795260382675 keySize: -1 valueSize: 5 sequence: -1 headerKeys: []\n" in out
    assert "payload" not in out


def test_contents_without_records_metadata(golden_log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = dump(capsys, golden_log, "--print-data-log", "--skip-record-metadata")
    lines = out.splitlines()
    assert "| key: k3 payload: " in lines
    assert " payload: a" in lines  # as the original has it: no bar without a key
    assert lines.count("") == 2  # the markers


def test_max_bytes(golden_log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for limit, batches in ((136, 1), (275, 1), (276, 2), (16, 0)):
        _, out, _ = dump(capsys, golden_log, "--max-bytes", str(limit))
        assert out.count("baseOffset") == batches
        assert "invalid bytes" not in out


def test_decoders(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / f"{BASE}.log"
    path.write_bytes(simple_batch([(pack(">i", -7), pack(">q", 1 << 40))]))
    _, out, _ = dump(
        capsys,
        path,
        "--key-decoder-class",
        "org.apache.kafka.tools.api.IntegerDecoder",
        "--value-decoder-class=LongDecoder",
    )
    assert "key: -7 payload: 1099511627776" in out
    code, _, err = dump(capsys, path, "--key-decoder-class", "LongDecoder")
    assert code == 1
    assert "4 bytes are no integer of 8" in err


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"plain", "plain"),
        ("grün".encode(), "grün"),
        (b"a\xffb", "a\ufffdb"),
        (b"\xe2\x82", "\ufffd"),
        (b"\xed\xa0\x80x", "\ufffdx"),
        (b"\xed\xa0x", "\ufffdx"),
        (b"\xf0\x9f\x98\x80", "😀"),
    ],
)
def test_text_as_java_reads_it(data: bytes, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / f"{BASE}.log"
    path.write_bytes(simple_batch([data]))
    assert f"payload: {text}\n" in dump(capsys, path, "--print-data-log")[1]


def test_indexes(partition: Path, capsys: pytest.CaptureFixture[str]) -> None:
    index, times = partition / f"{BASE}.index", partition / f"{BASE}.timeindex"
    size = len(batch(0))
    code, out, err = dump(capsys, "--files", f"{index},{times}")
    assert out.splitlines() == [
        f"Dumping {index}",
        *(f"offset: {n * 10 + 9} position: {n * size}" for n in (9, 19, 29)),
        f"Dumping {times}",
        *(f"timestamp: {1000 + n * 10 + 9} offset: {n * 10 + 9}" for n in (9, 19, 29)),
    ]
    assert (code, err) == (0, "")
    assert dump(capsys, index, times, "--verify-index-only")[1] == f"Dumping {index}\nDumping {times}\n"
    assert dump(capsys, index, times, "--index-sanity-check")[1].splitlines() == [
        f"Dumping {index}",
        f"{index} passed sanity check.",
        f"Dumping {times}",
        f"{times} passed sanity check.",
    ]


def test_zeros_end_an_index(partition: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for suffix in ("index", "timeindex"):
        path = partition / f"{BASE}.{suffix}"
        before = dump(capsys, path)
        with path.open("ab") as file:
            file.write(bytes(12 * 1000))
        assert dump(capsys, path) == before


def test_empty_index(partition: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = partition / f"{BASE}.index"
    path.write_bytes(b"")
    assert dump(capsys, path)[1] == f"Dumping {path}\n{path} is empty.\n"
    assert dump(capsys, partition / f"{BASE}.timeindex")[2] == ""  # looks from the start of the log then


def test_index_mismatches(partition: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = partition / f"{BASE}.index"
    size = len(batch(0))
    path.write_bytes(pack(">iiii", 9, 0, 20, size * 2))
    code, out, err = dump(capsys, path, "--verify-index-only")
    assert (code, out) == (0, f"Dumping {path}\n")
    assert err == f"Mismatches in :{path}\n  Index offset: 20, log offset: 29\n"


def test_time_index_mismatches(partition: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = partition / f"{BASE}.timeindex"
    path.write_bytes(b"".join(pack(">qi", *entry) for entry in ((1019, 19), (1015, 29), (1030, 35), (1040, 999))))
    _, out, err = dump(capsys, path)
    assert out.splitlines()[-1] == "timestamp: 1040 offset: 999"
    assert err.splitlines() == [
        f"Found timestamp mismatch in :{path}",
        "  Index timestamp: 1015, log timestamp: 1029",
        f"Found out of order timestamp in :{path}",
        "  Index timestamp: 1015, Previously indexed timestamp: 1019",
        "The following indexed offsets are not found in the log.",
        "Indexed offset: 35, found log offset: 39",
        "Indexed offset: 999, found log offset: -1",
    ]


@pytest.mark.parametrize(
    ("suffix", "data", "text"),
    [
        ("index", pack(">iib", 9, 0, 0), "no multiple of 8"),
        ("index", pack(">ii", -1, 0), "last offset is -1"),
        ("timeindex", pack(">qib", 1, 9, 0), "no multiple of 12"),
        ("timeindex", pack(">qiqi", 5, 9, 4, 19), "last timestamp is 4 which is less than the first timestamp 5"),
        ("timeindex", pack(">qiqi", 5, 9, 6, -2), "last offset is -2"),
    ],
)
def test_index_sanity_check_fails(
    partition: Path, capsys: pytest.CaptureFixture[str], suffix: str, data: bytes, text: str
) -> None:
    path = partition / f"{BASE}.{suffix}"
    path.write_bytes(data)
    code, out, err = dump(capsys, path, "--index-sanity-check")
    assert (code, out) == (1, f"Dumping {path}\n")
    assert text in err


def test_index_entry_without_a_batch(partition: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = partition / f"{BASE}.index"
    for position in (1 << 30, -5, (partition / f"{BASE}.log").stat().st_size):
        path.write_bytes(pack(">ii", 9, position))
        code, _, err = dump(capsys, path)
        assert code == 1
        assert f"position {position}, where no whole batch is" in err
    path.write_bytes(pack(">ii", 9, 0))
    assert dump(capsys, path, "--max-message-size", "50")[0] == 1


def test_transaction_index(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / f"{BASE}.txnindex"
    path.write_bytes(pack(">hqqqq", 0, 3, 0, 100, 50) + pack(">hqqqq", 0, 4, 152, 203, 204))
    assert dump(capsys, path)[1].splitlines()[1:] == [
        "version: 0 producerId: 3 firstOffset: 0 lastOffset: 100 lastStableOffset: 50",
        "version: 0 producerId: 4 firstOffset: 152 lastOffset: 203 lastStableOffset: 204",
    ]
    good = path.read_bytes()
    path.write_bytes(good[:-1])
    assert dump(capsys, path)[0] == 1
    path.write_bytes(good[:34] + b"\x01" + good[35:])
    code, out, err = dump(capsys, path)
    assert (code, out) == (1, f"Dumping {path}\n")
    assert "unknown version 1" in err


def test_producer_snapshot(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with_batch, without = ProducerStateEntry(3), ProducerStateEntry(4)
    with_batch.epoch, with_batch.last_timestamp, with_batch.current_txn_first_offset = 0, 1795260386511, 1224
    with_batch.coordinator_epoch = 0
    with_batch.batches.append(BatchMetadata(600, 1224, 0, 1795260386511))
    path = tmp_path / f"{BASE}.snapshot"
    path.write_bytes(encode_snapshot([with_batch, without]))
    code, out, _ = dump(capsys, path)
    assert out.splitlines()[1:] == [
        "producerId: 3 producerEpoch: 0 coordinatorEpoch: 0 currentTxnFirstOffset: OptionalLong[1224]"
        " lastTimestamp: 1795260386511 firstSequence: 600 lastSequence: 600 lastOffset: 1224 offsetDelta: 0"
        " timestamp: 1795260386511",
        "producerId: 4 producerEpoch: -1 coordinatorEpoch: -1 currentTxnFirstOffset: OptionalLong.empty"
        " lastTimestamp: -1 ",
    ]
    assert code == 0
    good = path.read_bytes()
    for damage, text in (
        (good[:-1] + b"x", "CRC is no longer valid"),
        (b"\x00\x02" + good[2:], "unknown file version 2"),
        (good[:-1], "schema validation"),
        (b"", "schema validation"),
    ):
        path.write_bytes(damage)
        code, _, err = dump(capsys, path)
        assert code == 0
        assert text in err


def test_partition_directory(partition: Path, capsys: pytest.CaptureFixture[str]) -> None:
    later = "00000000000000000300"
    (partition / f"{later}.log").write_bytes(batch(300))
    (partition / f"{later}.index").write_bytes(b"")
    (partition / f"{later}.snapshot").write_bytes(encode_snapshot([]))
    (partition / "leader-epoch-checkpoint").write_text("0\n2\n0 0\n4 120\n")
    (partition / "partition.metadata").write_text("version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAAQ")
    (partition / f"{BASE}.log.deleted").write_bytes(b"?")
    code, out, err = dump(capsys, "--files", partition, "--verify-index-only")
    assert [line.split("/")[-1] for line in out.splitlines() if line.startswith("Dumping")] == [
        f"{BASE}.log",
        f"{BASE}.index",
        f"{BASE}.timeindex",
        f"{later}.log",
        f"{later}.index",
        f"{later}.snapshot",
        "leader-epoch-checkpoint",
        "partition.metadata",
    ]
    assert "epoch: 4 startOffset: 120" in out.splitlines()
    assert "version: 0 topic_id: AAAAAAAAAAAAAAAAAAAAAQ" in out.splitlines()
    assert (code, err) == (0, "")


def test_json(golden_log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = objects(capsys, golden_log, "--print-data-log")
    assert {one["file"] for one in found} == {str(golden_log)}
    kinds = [one["kind"] for one in found]
    assert kinds.count("batch") == 5
    assert kinds.count("record") == 10
    assert found[1]["crc"] == 3205966891
    assert found[1]["isvalid"] is True
    assert found[3] == {
        "file": str(golden_log),
        "kind": "record",
        "offset": 1,
        "timestampType": "CreateTime",
        "timestamp": 1795260610305,
        "keySize": 2,
        "valueSize": 0,
        "sequence": 1,
        "headerKeys": ["b", "c"],
        "key": "k3",
        "payload": "",
        "headers": [["b", "x"], ["c", "y"]],
    }
    binary = next(one for one in found if one.get("valueSize") == 5)
    assert binary["payload"] == {"base64": "/wBiaW4="}
    marker = next(one for one in found if one.get("controlType") == "COMMIT")
    assert marker["coordinatorEpoch"] == 0
    assert "payload" not in marker
    assert {"kind": "trailing", "invalidBytes": 4, "file": str(golden_log)} in found
    assert [one["values"] for one in found if one["kind"] == "disagreement"] == [[2, 0], [2, 0], [1, 100]]


def test_json_of_the_other_files(partition: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (partition / f"{BASE}.txnindex").write_bytes(pack(">hqqqq", 0, 3, 0, 100, 50))
    (partition / f"{BASE}.snapshot").write_bytes(encode_snapshot([ProducerStateEntry(3)]) + b"damage")
    (partition / "leader-epoch-checkpoint").write_text("0\n1\n4 120\n")
    found = objects(capsys, partition)
    by_kind = {one["kind"]: one for one in found}
    assert by_kind["index"]["offset"] == 299
    assert by_kind["time"]["timestamp"] == 1299
    assert by_kind["aborted"]["lastStableOffset"] == 50
    assert by_kind["epoch"]["startOffset"] == 120
    assert "CRC" in by_kind["remark"]["text"]
    (partition / f"{BASE}.index").write_bytes(b"1")
    assert objects(capsys, partition / f"{BASE}.index", "--index-sanity-check")[-1]["kind"] == "empty"
    (partition / f"{BASE}.index").unlink()
    assert objects(capsys, partition / f"{BASE}.index")[-1]["kind"] == "fault"


@pytest.mark.parametrize("codec", Codec)
def test_batches_larger_than_what_is_read_at_once(
    codec: Codec, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"{BASE}.log"
    path.write_bytes(b"".join(batch(n * 10, codec) for n in range(50)))
    whole = dump(capsys, path, "--print-data-log")
    assert whole[1].count("isvalid: true") == 50
    assert whole[1].count("\n| ") == 500
    defaults = batches_of.__kwdefaults__
    assert defaults is not None
    for size in (1, 61, 100, 333):
        monkeypatch.setitem(defaults, "read_ahead_bytes", size)
        assert dump(capsys, path, "--print-data-log") == whole


def test_damage(partition: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = partition / f"{BASE}.log"
    good = path.read_bytes()
    size = len(batch(0))

    path.write_bytes(good[:200] + b"?" + good[201:])
    assert dump(capsys, path)[1].count("isvalid: false") == 1

    path.write_bytes(good[:-1])
    code, out, _ = dump(capsys, path)
    assert (code, out.splitlines()[-1]) == (0, f"Found {size - 1} invalid bytes at the end of {BASE}.log")

    for damage, text in (
        (bytes(100), f"position {size}: found record size 0 smaller than minimum record overhead (14)"),
        (bytes(8) + pack(">ii", 21, 0) + b"\x01" + bytes(100), f"position {size}: a message smaller than its fields"),
        (bytes(8) + pack(">ii", 60, 0) + b"\x07" + bytes(100), f"position {size}: unknown magic 7"),
        (bytes(8) + pack(">ii", 30, 0) + b"\x02" + bytes(100), f"position {size}: a batch smaller than its header"),
    ):
        path.write_bytes(good[:size] + damage)
        code, out, err = dump(capsys, path, partition / f"{BASE}.index", "--index-sanity-check")
        assert code == 1
        assert err == f"wirebroker dump-log: {path}: {text}\n"
        assert "passed sanity check" in out  # the files after it are still dumped


def test_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = dump(capsys, tmp_path / f"{BASE}.log")
    assert code == 1
    assert "No such file" in err
    odd = tmp_path / "odd.log"
    odd.write_bytes(b"")
    assert dump(capsys, odd)[0] == 1
    other = tmp_path / "notes.txt"
    other.write_bytes(b"")
    assert dump(capsys, other)[::2] == (0, f"Ignoring unknown file {other}\n")


def test_a_directory_without_segments(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = dump(capsys, tmp_path)
    assert (code, out) == (1, "")
    assert err == (
        f"wirebroker: {tmp_path} has no segments, indexes or snapshots; name the directory of a partition, TOPIC-N\n"
    )
