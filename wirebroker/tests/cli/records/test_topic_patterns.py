"""Patterns in the place of topics: the names that match, and the subscription of a group's member."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from wirebroker.cli.command_table import UsageError
from wirebroker.cli.records.topic_patterns import PatternSubscription, check_patterns, matching_topics


class FakeClient:
    """A client of a cluster that has *topics*; counts the requests."""

    def __init__(self, *topics: str) -> None:
        self.topics = set(topics)
        self.requests = 0

    def list_topics(self, *, timeout: float) -> SimpleNamespace:
        assert timeout == 5
        self.requests += 1
        return SimpleNamespace(topics=dict.fromkeys(self.topics))


@pytest.mark.parametrize(
    ("topics", "found"),
    [
        (["b"], ["b"]),
        (["^[ab]"], ["a", "b"]),
        (["^a"], ["a"]),  # the whole name
        (["^a.*", "b", "^a"], ["a", "a-1", "b"]),
        ([r"^a-\d", "z"], ["a-1", "z"]),
        (["^__.*"], ["__mine"]),  # internal topics by their names only
        (["^nothing"], []),
    ],
)
def test_names_that_match(topics: list[str], found: list[str]) -> None:
    client = FakeClient("a", "a-1", "b", "__consumer_offsets", "__transaction_state", "__mine")
    assert matching_topics(client, topics, 5) == found


def test_names_alone_need_no_request() -> None:
    client = FakeClient("a")
    assert matching_topics(client, ["b", "a", "b"], 5) == ["b", "a"]
    assert client.requests == 0


def test_a_pattern_that_cannot_be_read_is_wrong_usage() -> None:
    check_patterns(["^a.*", "b("])  # the second is a name
    with pytest.raises(UsageError, match="no regular expression"):
        check_patterns(["^b("])


def test_a_member_follows_topics_that_are_created() -> None:
    client, now, subscribed = FakeClient(), [0.0], list[list[str]]()
    subscription = PatternSubscription(client, ["^a.*"], 5, subscribed.append, lambda: now[0])
    subscription.refresh()
    assert (subscribed, client.requests) == ([], 1)
    client.topics.add("a1")
    subscription.refresh()
    assert (subscribed, client.requests) == ([], 1)  # asked a moment ago
    now[0] = 1.0
    subscription.refresh()
    assert subscribed == [["a1"]]
    now[0] = 11.0
    subscription.refresh()
    assert (subscribed, client.requests) == ([["a1"]], 3)
    client.topics |= {"a2", "b"}
    now[0] = 21.0
    subscription.refresh()
    assert subscribed == [["a1"], ["a1", "a2"]]
