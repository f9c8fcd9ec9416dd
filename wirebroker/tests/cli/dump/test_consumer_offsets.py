"""Records of __consumer_offsets, as Kafka 3.9's decoder prints them (lines seen in its output)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tools.codegen import codecs
from wirebroker.cli.dump.consumer_offsets import decode
from wirebroker.cli.main import main
from wirebroker.coordinator.group import records
from wirebroker.coordinator.group.offset_metadata_manager import OffsetAndMetadata
from wirebroker.protocol.internal.consumer_offsets import OffsetCommitValue
from wirebroker.protocol.internal.consumer_protocol import AssignedPartitions, ConsumerProtocolAssignment
from wirebroker.record.builder import build_batch
from wirebroker.record.record_batch import Record
from wirebroker.tests.coordinator.shard_harness import ShardHarness

if TYPE_CHECKING:
    from pathlib import Path

KEY = '{"type":"1","data":{"group":"g","topic":"t","partition":1}}'


def test_a_committed_offset() -> None:
    record = records.offset_record("g", "t", 1, OffsetAndMetadata(100, 0, "", 1795264660163))
    payload = '{"version":"3","data":{"offset":100,"leaderEpoch":0,"metadata":"","commitTimestamp":1795264660163}}'
    assert decode(record.key, record.value) == (KEY, payload)


def test_a_committed_offset_with_an_expire_timestamp() -> None:
    record = records.offset_record("g", "t", 1, OffsetAndMetadata(5, -1, "m", 1, 2))
    payload = '{"version":"1","data":{"offset":5,"metadata":"m","commitTimestamp":1,"expireTimestamp":2}}'
    assert decode(record.key, record.value) == (KEY, payload)


@pytest.mark.parametrize("version", [0, 2])
def test_old_versions_have_fewer_fields(version: int) -> None:
    key = records.offset_record("g", "t", 1, None).key
    _, payload = decode(key, OffsetCommitValue(offset=5, metadata="m", commit_timestamp=1).to_record(version))
    assert payload == f'{{"version":"{version}","data":{{"offset":5,"metadata":"m","commitTimestamp":1}}}}'


def test_tombstones() -> None:
    assert decode(records.offset_record("g", "t", 1, None).key, None) == (KEY, "<DELETE>")
    assert decode(records.group_tombstone("g").key, None) == ('{"type":"2","data":{"group":"g"}}', "<DELETE>")


def test_a_group_with_subscriptions_and_assignments() -> None:
    harness = ShardHarness()
    member = harness.join(protocols=(("range", b"\0\1\0\0\0\1\0\1t\xff\xff\xff\xff\0\0\0\0"),)).reply.member_id
    assignment = b"\0\1" + codecs.encode(ConsumerProtocolAssignment([AssignedPartitions("t", [0, 2])]), 1)
    harness.sync(member, 1, {member: assignment})
    group = harness.shard.manager.groups["g"]
    record = records.group_record(group)
    _, payload = decode(record.key, record.value)
    assert payload == (
        '{"version":"3","data":{"protocolType":"consumer","generation":1,"protocol":"range",'
        f'"leader":"{member}","currentStateTimestamp":1700001000000,"members":[{{"memberId":"{member}",'
        '"groupInstanceId":null,"clientId":"c","clientHost":"/127.0.0.1","rebalanceTimeout":30000,'
        '"sessionTimeout":10000,"subscription":{"topics":["t"],"userData":null,"ownedPartitions":[]},'
        '"assignment":{"assignedPartitions":[{"topic":"t","partitions":[0,2]}],"userData":null}}]}}'
    )


def test_another_protocol_stays_base64() -> None:
    harness = ShardHarness()
    harness.stable("a")
    record = records.group_record(harness.shard.manager.groups["g"])
    _, payload = decode(record.key, record.value)
    assert '"subscription":"bQ==","assignment":"YQ=="' in payload


@pytest.mark.parametrize(("key", "value"), [(b"", b""), (b"\0\1\0", None), (b"\0\2\0\1g", b"\0\3")])
def test_invalid_records(key: bytes, value: bytes | None) -> None:
    with pytest.raises(ValueError, match=r"."):
        decode(key, value)


def test_keys_of_later_versions() -> None:
    assert decode(b"\0\x63whatever", b"x") == ("unknown::99", "eA==")


def test_json_report_has_objects(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written = records.offset_record("g", "t", 1, OffsetAndMetadata(100, 0, "", 5))
    gone = records.offset_record("g", "t", 1, None)
    batch = build_batch([Record(0, 7, written.key, written.value, []), Record(1, 7, gone.key, gone.value, [])])
    (tmp_path / "00000000000000000000.log").write_bytes(batch)
    assert main(["dump-log", "--json", "--offsets-decoder", str(tmp_path / "00000000000000000000.log")]) == 0
    shown = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    payloads = [each["payload"] for each in shown if each["kind"] == "record"]
    assert payloads[0]["data"]["offset"] == 100
    assert payloads[1] is None
