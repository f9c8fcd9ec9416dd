"""``python -m tools.bench.loop_coordinators``: how late the event loop is while a coordinator has very many groups.

One shard of `__consumer_offsets` holds a million commits: 400 groups with 2,000 partitions each, and 100,000 groups
with two.  Measured are its loading after a restart, what administrators ask of all groups, and the removal of
everything; the probe is that of `loop_lag.py`.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from tools.bench.brokers import Wirebroker, scratch
from tools.bench.loop_burdens import TIMEOUT_MS, Client
from tools.bench.loop_probe import LoopProbe
from tools.bench.loop_report import SETTLE_S, WINDOW_S, Row, add_options, measure_on, publish
from tools.bench.raw_client import BenchError
from wirebroker.protocol.messages.delete_groups import DeleteGroupsRequest
from wirebroker.protocol.messages.delete_topics import DeleteTopicsRequest
from wirebroker.protocol.messages.describe_groups import DescribeGroupsRequest
from wirebroker.protocol.messages.find_coordinator import FindCoordinatorRequest
from wirebroker.protocol.messages.list_groups import ListGroupsRequest
from wirebroker.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from wirebroker.protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestGroup

RESULTS = Path(__file__).with_name("RESULTS_LOOP_COORDINATORS.md")
INTRODUCTION = """\
# Lag of the event loop while a coordinator works on very many groups

Written by `python -m tools.bench.loop_coordinators`; measured as in RESULTS_LOOP_LAG.md, on a broker
with `offsets.topic.num.partitions=1`: all groups are in one shard.  The target is p99.9 ≤ 50 ms.
"""
WIDE, PARTITIONS, READERS = "wide", 2_000, 400
NARROW, GROUPS = "narrow", 100_000
LARGE = [f"reader-{number:04d}" for number in range(READERS)]
SMALL = [f"group-{number:06d}" for number in range(GROUPS)]
PIPELINED = 20  # whose responses fit into socket buffers: the client reads none before it has sent all
LOADING = {14, 15, 16}


class OneShard(Wirebroker):
    """A broker whose groups are all in one shard: the worst case."""

    def command(self) -> Sequence[str]:
        return [*super().command(), "--set", "offsets.topic.num.partitions=1"]


def commit(group: str, topic: str, count: int) -> OffsetCommitRequest:
    offsets = [
        OffsetCommitRequestPartition(partition_index=each, committed_offset=7, committed_metadata="")
        for each in range(count)
    ]
    topics = [OffsetCommitRequestTopic(name=topic, partitions=offsets)]
    return OffsetCommitRequest(group_id=group, generation_id_or_member_epoch=-1, member_id="", topics=topics)


def fill(client: Client) -> None:
    """Make a million commits."""
    client.create(WIDE, PARTITIONS)
    client.create(NARROW, 2)
    client.ask(FindCoordinatorRequest(key="any", key_type=0), 2)
    requests = [commit(each, WIDE, PARTITIONS) for each in LARGE] + [commit(each, NARROW, 2) for each in SMALL]
    for at in range(0, len(requests), PIPELINED):
        for answer in client.ask_all(requests[at : at + PIPELINED], 3):
            code = answer.topics[0].partitions[0].error_code
            if code:
                raise BenchError(f"OffsetCommit answered error {code}")


def loaded(client: Client) -> None:
    """Wait until the shard serves."""
    while (found := client.ask(OffsetFetchRequest(group_id=SMALL[-1], topics=None), 3)).error_code in LOADING:
        time.sleep(0.02)
    if found.error_code or not found.topics:
        raise BenchError(f"OffsetFetch answered error {found.error_code} after a restart, {found.topics}")


def fetch_large(client: Client) -> None:
    groups = [OffsetFetchRequestGroup(group_id=each, topics=None) for each in LARGE]
    for group in client.ask(OffsetFetchRequest(groups=groups), 8).groups:
        if group.error_code or len(group.topics[0].partitions) != PARTITIONS:
            raise BenchError(f"OffsetFetch answered error {group.error_code}")


def fetch_large_one_by_one(client: Client) -> None:
    client.ask_all([OffsetFetchRequest(group_id=each, topics=None) for each in LARGE], 3)


def list_groups(client: Client) -> None:
    found = len(client.ask(ListGroupsRequest(), 4).groups)
    if found != READERS + GROUPS:
        raise BenchError(f"ListGroups answered {found} groups")


def describe_groups(client: Client) -> None:
    client.ask(DescribeGroupsRequest(groups=SMALL), 5)


def delete_groups(client: Client) -> None:
    for result in client.ask(DeleteGroupsRequest(groups_names=SMALL), 2).results:
        if result.error_code:
            raise BenchError(f"DeleteGroups answered error {result.error_code}")


def delete_topic(client: Client) -> None:
    """Until the last group, whose offsets are all of that topic, is gone."""
    client.ask(DeleteTopicsRequest(topic_names=[WIDE], timeout_ms=TIMEOUT_MS), 1)
    while client.ask(ListGroupsRequest(), 4).groups:
        time.sleep(0.05)


BURDENS: tuple[tuple[str, Callable[[Client], None]], ...] = (
    ("OffsetFetch of 400 groups in one request, 800,000 offsets", fetch_large),
    ("OffsetFetch of 400 groups with 2,000 offsets, pipelined", fetch_large_one_by_one),
    ("ListGroups of 100,400 groups", list_groups),
    ("DescribeGroups of 100,000 groups in one request", describe_groups),
    ("DeleteGroups of 100,000 groups in one request", delete_groups),
    ("DeleteTopics of a topic with 800,000 committed offsets", delete_topic),
)


def measure(broker: Wirebroker) -> Iterator[Row]:
    """Fill, restart, and run the burdens."""
    broker.start()
    with Client(broker.address) as client:
        fill(client)
    broker.stop()
    broker.start()
    with Client(broker.address) as client, LoopProbe(*broker.address) as probe:
        runs = (("loading 1,000,000 commits of 100,400 groups", loaded), *BURDENS)
        for what, run in runs:
            began = time.perf_counter()
            run(client)
            seconds = time.perf_counter() - began
            time.sleep(max(0.0, WINDOW_S - seconds))
            yield Row(what, broker.name, seconds, probe.read())
            time.sleep(SETTLE_S)
            probe.read()


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.bench.loop_coordinators", description=__doc__)
    add_options(parser, RESULTS)
    options = parser.parse_args(arguments)
    load_before = os.getloadavg()[0]
    with scratch(options.directory) as directory:
        broker = OneShard(directory / "wirebroker")
        rows = measure_on(broker, partial(measure, broker))
    if rows is None:
        return 1
    publish(INTRODUCTION, rows, load_before, RESULTS if options.keep else None)
    return 0


if __name__ == "__main__":
    sys.exit(main())
