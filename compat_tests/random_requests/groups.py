"""Random requests of group members and of consumers without a group, with one member a group at most."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from compat_tests.random_requests.story import Member
from wirebroker.protocol.messages.delete_groups import DeleteGroupsRequest
from wirebroker.protocol.messages.describe_groups import DescribeGroupsRequest
from wirebroker.protocol.messages.heartbeat import HeartbeatRequest
from wirebroker.protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from wirebroker.protocol.messages.leave_group import LeaveGroupRequest, MemberIdentity
from wirebroker.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from wirebroker.protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from wirebroker.protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
    OffsetFetchRequestTopics,
)
from wirebroker.protocol.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment

if TYPE_CHECKING:
    from collections.abc import Callable

    from compat_tests.comparison import Side
    from compat_tests.random_requests.story import Story

_MEMBER_ID_REQUIRED: Final = 79
_STATIC_SINCE: Final = 5  # JoinGroup with a group.instance.id
_NO_TOPICS: Final = bytes(6) + b"\xff" * 4
"""A Subscription of no topics: Apache Kafka never answers a JoinGroup whose metadata it cannot read."""
_PROTOCOLS: Final = (("range",), ("range", "roundrobin"), ("roundrobin", "range"), ("roundrobin",))
_SESSIONS_MS: Final = (60_000,) * 8 + (100, 10**8)
_GENERATION_SHIFTS: Final = (0,) * 6 + (1, -1)
_REBALANCE_MS: Final = 60_000
_METADATA: Final = ("", "x" * 10, "y" * 50)


class GroupRequests:
    """Requests to the group coordinators of a story."""

    def __init__(self, story: Story) -> None:
        self._story = story
        self.weights: dict[Callable[[], None], int] = {
            self.join: 7,
            self.sync: 4,
            self.heartbeat: 3,
            self.leave: 2,
            self.commit: 7,
            self.fetch_offsets: 6,
            self.delete_offsets: 2,
            self.delete: 1,
            self.describe: 3,
        }

    def join(self) -> None:
        """The first member of a group, or its only one again, by its id or as a static member."""
        story, one_of = self._story, self._story.one_of
        group, version = one_of(story.groups), story.rng.randint(1, 9)
        member, by_id = story.members.get(group), story.chance(0.8)
        instance = one_of((None, None, "i1", "i2"))
        if member is not None and not by_id and member.instance is None:
            return  # a second member
        if member is not None and (not by_id or member.instance is not None or story.chance(0.8)):
            instance = member.instance
            version = max(version, _STATIC_SINCE) if not by_id else version
        if version < _STATIC_SINCE:
            instance = None
        protocols = [JoinGroupRequestProtocol(name, _NO_TOPICS) for name in one_of(_PROTOCOLS)]
        kind, session_ms = one_of(("consumer",) * 9 + ("other",)), one_of(_SESSIONS_MS)
        given: dict[str, str] = dict(member.ids) if member is not None and by_id else {}

        def request(side: Side) -> JoinGroupRequest:
            member_id = given.get(side.name, "")
            return JoinGroupRequest(group, session_ms, _REBALANCE_MS, member_id, instance, kind, protocols, None)

        label = f"join {group} known {sorted(given)} {instance} {kind} {[each.name for each in protocols]} {session_ms}"
        answers = story.ask(request, version, label)
        if answers.kafka.error_code == _MEMBER_ID_REQUIRED:
            given.update({side.name: answers.of(side).member_id for side in story.both.sides})
            answers = story.ask(request, version, f"{label}, with the member id")
        answer = answers.kafka
        story.note((answer.error_code, answer.generation_id))
        if not answer.error_code:
            ids = {side.name: answers.of(side).member_id for side in story.both.sides}
            story.members[group] = Member(group, instance, answer.generation_id, answer.protocol_name, ids)

    def _member(self) -> Member | None:
        members = list(self._story.members.values())
        return self._story.one_of(members) if members else None

    def sync(self) -> None:
        story, member = self._story, self._member()
        if member is None:
            return
        version, shift, assigns = story.rng.randint(0, 5), story.one_of(_GENERATION_SHIFTS), story.chance(0.8)

        def request(side: Side) -> SyncGroupRequest:
            member_id = member.of(side)
            assignments = [SyncGroupRequestAssignment(member_id, b"a")] if assigns else []
            instance = member.instance if version >= 3 else None
            generation = member.generation + shift
            return SyncGroupRequest(
                member.group, generation, member_id, instance, "consumer", member.protocol, assignments
            )

        story.ask(request, version, f"sync {member.group} generation +{shift} assigns {assigns}")

    def heartbeat(self) -> None:
        story, member = self._story, self._member()
        if member is None:
            return
        version, shift = story.rng.randint(0, 4), story.one_of(_GENERATION_SHIFTS)
        instance = member.instance if version >= 3 else None
        story.ask(
            lambda side: HeartbeatRequest(member.group, member.generation + shift, member.of(side), instance),
            version,
            f"heartbeat {member.group} generation +{shift}",
        )

    def leave(self) -> None:
        story, member = self._story, self._member()
        if member is None:
            return
        version, by_id, with_other = story.rng.randint(0, 5), story.chance(0.8), story.chance(0.3)

        def request(side: Side) -> LeaveGroupRequest:
            member_id = member.of(side)
            if version < 3:
                return LeaveGroupRequest(member.group, member_id, [])
            leaving = [MemberIdentity(member_id if by_id or not member.instance else "", member.instance, None)]
            if with_other:
                leaving.append(MemberIdentity("missing", None, None))
            return LeaveGroupRequest(member.group, "", leaving)

        answer = story.ask(request, version, f"leave {member.group} by id {by_id} with other {with_other}").kafka
        if not answer.error_code and (version < 3 or not answer.members[0].error_code):
            del story.members[member.group]

    def commit(self) -> None:
        story, one_of = self._story, self._story.one_of
        group, version, shift = one_of(story.groups), story.rng.randint(1, 9), one_of(_GENERATION_SHIFTS)
        member = story.members.get(group) if story.chance(0.6) else None
        topic, partition = story.topic(), story.partition()
        asked = OffsetCommitRequestPartition(partition, one_of((0, 5, 77, -1)), -1, -1, one_of(_METADATA))

        def request(side: Side) -> OffsetCommitRequest:
            made = OffsetCommitRequest(group, -1, "", None, -1, [OffsetCommitRequestTopic(topic, bytes(16), [asked])])
            if member is not None:
                made.generation_id_or_member_epoch, made.member_id = member.generation + shift, member.of(side)
                made.group_instance_id = member.instance if version >= 7 else None
            return made

        label = f"commit {group} member {member is not None} generation +{shift} {topic} {asked}"
        code = story.error_code(story.ask(request, version, label).kafka)
        story.note(code)
        if code:
            story.refused_groups.add(group)

    def fetch_offsets(self) -> None:
        story = self._story
        version, topic, stable = story.rng.randint(1, 9), story.topic(), story.chance(0.3)
        groups = story.rng.sample((*story.groups, "missing"), 2 if version >= 8 and story.chance(0.5) else 1)
        wants_all = version >= 2 and story.chance(0.5)
        if version >= 8:
            topics = None if wants_all else [OffsetFetchRequestTopics(topic, bytes(16), [0, 1, 7])]
            request = OffsetFetchRequest(groups=[OffsetFetchRequestGroup(each, None, -1, topics) for each in groups])
        else:
            named = None if wants_all else [OffsetFetchRequestTopic(topic, [0, 1, 7])]
            request = OffsetFetchRequest(group_id=groups[0], topics=named)
        if version >= 7:
            request.require_stable = stable
        story.await_markers()
        story.ask(request, version, f"offsets of {groups} stable {stable}")

    def delete_offsets(self) -> None:
        story = self._story
        group, topic = story.one_of((*story.groups, "missing")), story.topic()
        if group in story.refused_groups and group not in story.members:
            return
        asked = [OffsetDeleteRequestPartition(index) for index in (0, 7)]
        request = OffsetDeleteRequest(group, [OffsetDeleteRequestTopic(topic, asked)])
        story.ask(request, 0, f"delete offsets of {group} {topic}")

    def delete(self) -> None:
        story = self._story
        group = story.one_of((*story.groups, "missing"))
        if group not in story.refused_groups:
            story.ask(DeleteGroupsRequest([group]), story.rng.randint(0, 2), f"delete {group}")

    def describe(self) -> None:
        """Those groups that are the same on both sides, and one that is missing."""
        story = self._story
        known = [each for each in story.groups if each not in story.refused_groups or each in story.members]
        version = story.rng.randint(0, 5)
        request = DescribeGroupsRequest([*known, "missing", ""])
        if version >= 3:
            request.include_authorized_operations = story.chance(0.5)
        story.ask(request, version, f"describe {known}")
