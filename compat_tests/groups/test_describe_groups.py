"""FindCoordinator, DescribeGroups, ListGroups and DeleteGroups in every version, compared with Apache Kafka."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from compat_tests.conftest import wait_until
from compat_tests.differences import NEWEST_GROUPS
from compat_tests.groups.operators import delete, describe, list_groups, look
from wirebroker.protocol.messages.delete_groups import DeleteGroupsRequest
from wirebroker.protocol.messages.describe_groups import DescribeGroupsRequest
from wirebroker.protocol.messages.find_coordinator import FindCoordinatorRequest

if TYPE_CHECKING:
    from collections.abc import Callable

    from compat_tests.group_scenario import GroupScenario
    from compat_tests.groups.conftest import Check


@pytest.mark.parametrize("version", range(7))
def test_find_coordinator(check: Check, version: int) -> None:
    def script(s: GroupScenario) -> None:
        keys = ["", s.group, "another", s.group]
        kinds = (0, 1, 2, 3, -1) if version >= 1 else (0,)
        for kind in kinds:
            if version >= 4:
                s.ask("a", FindCoordinatorRequest(key_type=kind, coordinator_keys=keys), version)
                s.ask("a", FindCoordinatorRequest(key_type=kind, coordinator_keys=[]), version)
                continue
            for key in keys:
                request = FindCoordinatorRequest(key=key)
                if version >= 1:
                    request.key_type = kind
                s.ask("a", request, version)

    check(script)


def through_all_states(s: GroupScenario, everything: Callable[[], None]) -> None:
    """Look at a group in each of its states."""

    def look_at(state: str) -> None:
        # The newest Apache Kafka shows written state, which follows the answer to the member that changed it.
        wait_until(
            lambda: s.ask_unrecorded("admin", DescribeGroupsRequest([s.group]), 5).groups[0].group_state == state
        )
        everything()

    look_at("Dead")
    pending = s.join("p", 4).member_id
    look_at("Empty")
    s.leave("p", 0, (pending, None))
    look_at("Empty")
    s.join_new_member("a", 5, instance="i")
    member = s.receive("a").member_id
    look_at("CompletingRebalance")
    s.sync("a", 5, member, 1, {member: b"1"}, instance="i")
    look_at("Stable")
    s.start_join("b", 3)
    look_at("PreparingRebalance")
    s.leave("a", 0, (member, None))
    other = s.receive("b").member_id
    look_at("CompletingRebalance")
    s.leave("b", 0, (other, None))
    look_at("Empty")
    s.commit("x", 5)
    look_at("Empty")
    s.commit("x", 5, group=s.group + "-simple")
    look_at("Empty")


@pytest.mark.parametrize("version", range(6))
def test_describing_and_listing(check: Check, version: int) -> None:
    def script(s: GroupScenario) -> None:
        def everything() -> None:
            describe(s, version)
            describe(s, version, s.group, "", "unknown", s.group)
            if version >= 3:
                describe(s, version, s.group, "unknown", operations=True)
            list_groups(s, version)
            if version >= 4:
                for states in (["Stable"], ["empty"], ["PREPARINGREBALANCE"], ["Bogus"], ["Dead", "Empty"], [""]):
                    list_groups(s, version, states_filter=states)
            if version >= 5:
                for types in (["classic"], ["Consumer"], ["Classic", "share"], ["bogus"], [""]):
                    list_groups(s, version, types_filter=types)
                list_groups(s, version, states_filter=["Stable"], types_filter=["classic"])

        through_all_states(s, everything)

    check(script)


def test_describing_as_the_newest_kafka(check_newest: Check) -> None:
    """3.9.1 has no version 6, where a group that does not exist is an error.

    In two things we do as 3.9.1, whatever the version: see NEWEST_GROUPS.
    """

    def look_closely(s: GroupScenario, *groups: str, operations: bool = False) -> None:
        answer = s.ask_unrecorded("admin", DescribeGroupsRequest(list(groups), operations), 6)
        for group in answer.groups:
            if group.authorized_operations in NEWEST_GROUPS["authorized_operations"]:
                group.authorized_operations = 0
            for member in group.members:
                if group.group_state != "Stable" and member.member_assignment in NEWEST_GROUPS["member_assignment"]:
                    member.member_assignment = b""
        s._note(f"DescribeGroups v6 {len(groups)} {operations}", answer)

    def script(s: GroupScenario) -> None:
        s.ask_unrecorded("admin", DeleteGroupsRequest([""]), 2)  # which other tests leave on our broker

        def everything() -> None:
            look_closely(s, s.group)
            look_closely(s, s.group, "", "unknown", s.group)
            look_closely(s, s.group, "unknown", operations=True)

        through_all_states(s, everything)

    check_newest(script)


@pytest.mark.parametrize("version", range(3))
def test_deleting_groups(check: Check, version: int) -> None:
    def script(s: GroupScenario) -> None:
        s.ask_unrecorded("admin", DeleteGroupsRequest([""]), 2)  # which other tests leave on one of the brokers
        delete(s, version, s.group, "", "unknown")
        s.commit("x", 5, group=s.group + "-simple")
        pending = s.join("p", 4).member_id
        delete(s, version)
        s.leave("p", 0, (pending, None))
        ids, _ = s.stable(5, "a")
        delete(s, version, s.group, s.group + "-simple", "unknown")
        s.committed("x", 5, {}, group=s.group + "-simple")
        s.start_join("b", 3)
        delete(s, version)
        s.leave("a", 0, (ids[0], None))
        other = s.receive("b").member_id
        delete(s, version)
        s.leave("b", 0, (other, None))
        delete(s, version, s.group, s.group)
        look(s)
        delete(s, version)
        s.join("a", 3)

    check(script)
