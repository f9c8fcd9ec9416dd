"""Records of __consumer_offsets, as Kafka 3.9's decoder prints them (lines seen in its output)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from wirebroker.cli.dump_offsets import decode
from wirebroker.cli.main import main
from wirebroker.coordinator.group import records
from wirebroker.coordinator.group.offsets import CommittedOffset
from wirebroker.protocol.internal.consumer_offsets import OffsetCommitValue
from wirebroker.protocol.internal.consumer_protocol import AssignedPartitions, ConsumerProtocolAssignment
from wirebroker.record.builder import build_batch
from wirebroker.record.record_batch import Record
from wirebroker.tests.coordinator.house import House

if TYPE_CHECKING:
    from pathlib import Path

KEY = '{"type":"1","data":{"group":"g","topic":"t","partition":1}}'


def test_a_committed_offset() -> None:
    record = records.offset_record("g", "t", 1, CommittedOffset(100, 0, "", 1795264660163))
    payload = '{"version":"3","data":{"offset":100,"leaderEpoch":0,"metadata":"","commitTimestamp":1795264660163}}'
    assert decode(record.key, record.value) == (KEY, payload)


def test_one_with_an_expiry_of_its_own() -> None:
    record = records.offset_record("g", "t", 1, CommittedOffset(5, -1, "m", 1, 2))
    payload = '{"version":"1","data":{"offset":5,"metadata":"m","commitTimestamp":1,"expireTimestamp":2}}'
    assert decode(record.key, record.value) == (KEY, payload)


@pytest.mark.parametrize("version", [0, 2])
def test_old_versions_say_what_they_have(version: int) -> None:
    key = records.offset_record("g", "t", 1, None).key
    _, payload = decode(key, OffsetCommitValue(offset=5, metadata="m", commit_timestamp=1).to_record(version))
    assert payload == f'{{"version":"{version}","data":{{"offset":5,"metadata":"m","commitTimestamp":1}}}}'


def test_tombstones() -> None:
    assert decode(records.offset_record("g", "t", 1, None).key, None) == (KEY, "<DELETE>")
    assert decode(records.group_tombstone("g").key, None) == ('{"type":"2","data":{"group":"g"}}', "<DELETE>")


def test_a_group_and_what_its_members_say() -> None:
    house = House()
    member = house.join(protocols=(("range", b"\0\1\0\0\0\1\0\1t\xff\xff\xff\xff\0\0\0\0"),)).reply.member_id
    assignment = ConsumerProtocolAssignment([AssignedPartitions("t", [0, 2])]).to_record(1)
    house.sync(member, 1, {member: assignment})
    group = house.shard.groups["g"]
    record = records.group_record(group)
    _, payload = decode(record.key, record.value)
    assert payload == (
        '{"version":"3","data":{"protocolType":"consumer","generation":1,"protocol":"range",'
        f'"leader":"{member}","currentStateTimestamp":1700001000000,"members":[{{"memberId":"{member}",'
        '"groupInstanceId":null,"clientId":"c","clientHost":"/127.0.0.1","rebalanceTimeout":30000,'
        '"sessionTimeout":10000,"subscription":{"topics":["t"],"userData":null,"ownedPartitions":[]},'
        '"assignment":{"assignedPartitions":[{"topic":"t","partitions":[0,2]}],"userData":null}}]}}'
    )


def test_bytes_that_are_no_subscription_stay_base64() -> None:
    house = House()
    house.stable("a")
    record = records.group_record(house.shard.groups["g"])
    _, payload = decode(record.key, record.value)
    assert '"subscription":"bQ==","assignment":"YQ=="' in payload


@pytest.mark.parametrize(("key", "value"), [(b"", b""), (b"\0\1\0", None), (b"\0\2\0\1g", b"\0\3")])
def test_what_is_no_such_record(key: bytes, value: bytes | None) -> None:
    with pytest.raises(ValueError, match=r"."):
        decode(key, value)


def test_kinds_from_later_versions_are_named() -> None:
    assert decode(b"\0\x63whatever", b"x") == ("unknown::99", "eA==")


def test_json_has_them_as_objects(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written = records.offset_record("g", "t", 1, CommittedOffset(100, 0, "", 5))
    gone = records.offset_record("g", "t", 1, None)
    batch = build_batch([Record(0, 7, written.key, written.value, []), Record(1, 7, gone.key, gone.value, [])])
    (tmp_path / "00000000000000000000.log").write_bytes(batch)
    assert main(["dump-log", "--json", "--offsets-decoder", str(tmp_path / "00000000000000000000.log")]) == 0
    shown = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    payloads = [each["payload"] for each in shown if each["kind"] == "record"]
    assert payloads[0]["data"]["offset"] == 100
    assert payloads[1] is None
