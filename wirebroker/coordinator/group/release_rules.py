"""The checks of members in which releases of Apache Kafka differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wirebroker.protocol.errors import ErrorCode

if TYPE_CHECKING:
    from wirebroker.coordinator.group.classic_group import ClassicGroup
    from wirebroker.releases.profile import ReleaseProfile


class GroupRules(NamedTuple):
    """How a release checks the requests of members."""

    requires_known_instance_id: bool = True
    """Whether a group instance id that the group does not know is refused with UNKNOWN_MEMBER_ID, as since 3.0."""
    heartbeats_in_completing_rebalance: bool = True
    """Whether Heartbeat succeeds between JoinGroup and SyncGroup, as since 2.7."""

    def validate_member(self, group: ClassicGroup, member_id: str, instance_id: str | None) -> ErrorCode:
        """NONE if *member_id* is a member as `ClassicGroup.validate_member` has it, or the code of the release."""
        if instance_id is not None and not self.requires_known_instance_id and instance_id not in group.static_members:
            instance_id = None
        return group.validate_member(member_id, instance_id)

    def validate_txn_member(
        self, group: ClassicGroup | None, member_id: str, instance_id: str | None, generation_id: int
    ) -> ErrorCode:
        """NONE if TxnOffsetCommit may come from this member; before 3.0 each field is checked only if it is set."""
        code = ErrorCode.NONE
        if self.requires_known_instance_id:
            if group is None:
                return ErrorCode.UNKNOWN_MEMBER_ID
            code = group.validate_member(member_id, instance_id)
            if not code and generation_id != group.generation_id:
                code = ErrorCode.ILLEGAL_GENERATION
            return code
        if member_id or (group is not None and instance_id in group.static_members):
            code = ErrorCode.UNKNOWN_MEMBER_ID if group is None else self.validate_member(group, member_id, instance_id)
        if not code and generation_id >= 0 and generation_id != (0 if group is None else group.generation_id):
            code = ErrorCode.ILLEGAL_GENERATION
        return code


NEWEST_RULES = GroupRules()


def group_rules(profile: ReleaseProfile) -> GroupRules:
    """Return the rules of a release."""
    return GroupRules(
        requires_known_instance_id=profile.is_at_least("3.0"),
        heartbeats_in_completing_rebalance=profile.is_at_least("2.7"),
    )
