"""Tools that ask for versions, ids, features, quorums and ACLs, and zookeeper-shell."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

import pytest

from compat_tests.cluster.compared_tools import masked
from compat_tests.cluster.tool_matrix.scenario import create, exit_code, skip_unless
from compat_tests.test_as_version import REASONS
from compat_tests.versions import KAFKA, OLD_KAFKA

if TYPE_CHECKING:
    from collections.abc import Callable

    from compat_tests.cluster.compared_tools import ComparedTools
    from compat_tests.cluster.mixed_cluster import MixedCluster
    from tools.jvm.kafka import KafkaDist

pytestmark = pytest.mark.nightly

_SESSION_CLOSED = re.compile(r"\s+WATCHER::\s+WatchedEvent state:Closed type:None path:null\Z")
"""The last event of a session, which zookeeper-shell prints unless it has ended before."""


def test_api_versions(tools: ComparedTools) -> None:
    if tools.theirs.dist.version == KAFKA:
        tools.compare("kafka-broker-api-versions", ordered=False, only=without_what_is_not_served)
        return
    theirs, ours = (usable_versions(each) for each in tools.both("kafka-broker-api-versions"))
    if missing := [each for each in theirs if each not in ours]:  # which has newer ones, too
        tools.differs("kafka-broker-api-versions", "\n".join(missing), "")


def without_what_is_not_served(printed: str) -> str:
    """The lines without those of APIs that wirebroker does not serve, each for the reason in test_as_version.py."""
    keys = "|".join(map(str, REASONS))
    return "\n".join(line for line in printed.splitlines() if not re.search(rf"\(({keys})\): ", line))


def usable_versions(printed: str) -> list[str]:
    """The brokers, and the version of each API that the tool would use."""
    found = re.findall(r"^\s*(\w+\(\d+\)): .*\[usable: (\d+)\]", printed, re.MULTILINE)
    return [*re.findall(r".* \(id: .*", printed), *(f"{name} {version}" for name, version in found)]


def test_the_cluster(tools: ComparedTools) -> None:
    skip_unless(tools, since="2.8", what="kafka-cluster")
    tools.compare("kafka-cluster", "cluster-id")
    tools.compare("kafka-cluster", "unregister", "--id", "2")


def test_features(tools: ComparedTools) -> None:
    skip_unless(tools, since="2.8", what="kafka-features")
    features = partial(tools.compare, "kafka-features", only=without_reasons)
    if tools.dist.version < "3":
        features("--describe")
        features("--describe", "--from-controller")
        features("--upgrade-all")
        features("--downgrade-all")
        return
    features("describe")
    features("upgrade", "--metadata", "3.9", only=exit_code)
    features("upgrade", "--release-version", "3.9")
    features("upgrade", "--feature", "metadata.version=5")
    features("upgrade", "--feature", "no.such.feature=1")
    features("downgrade", "--feature", "no.such.feature=1")
    features("disable", "--feature", "no.such.feature")


def without_reasons(printed: str) -> str:
    """The output without the reasons of refusals, which brokers word differently."""
    return re.sub(r"^(Could not .*?)\. .*$", r"\1", printed, flags=re.MULTILINE)


def test_what_needs_a_metadata_quorum_is_refused(tools: ComparedTools) -> None:
    skip_unless(tools, since="3.3", what="kafka-metadata-quorum")
    quorum = partial(tools.compare, "kafka-metadata-quorum")
    quorum("describe", "--status")
    quorum("describe", "--replication")
    if tools.dist.version >= "3.7":
        metrics = partial(tools.compare, "kafka-client-metrics")
        metrics("--list")
        metrics("--describe")
        metrics("--alter", "--name", "m", "--metrics", "org.apache.kafka.", "--interval", "1000")
        metrics("--delete", "--name", "m")


def test_security_without_an_authorizer_is_refused(tools: ComparedTools) -> None:
    acls = partial(tools.compare, "kafka-acls")
    acls("--list")
    acls("--add", "--allow-principal", "User:u", "--operation", "Read", "--topic", "t")
    acls("--remove", "--force", "--allow-principal", "User:u", "--operation", "Read", "--topic", "t")


def test_znodes_are_read(tools: ComparedTools, kafka_dist: Callable[[str], KafkaDist]) -> None:
    """zookeeper-shell on the znodes of topics, configs and brokers, as scripts of operators read them."""
    create(tools, "shown", {0: (0, 1), 1: (1, 2)}, {"retention.ms": "5000"})
    lines = [
        "ls /",
        "ls /brokers",
        "ls /brokers/ids",
        "get /brokers/ids/1",
        "get /brokers/topics/shown",
        "ls /brokers/topics/shown/partitions",
        "get /brokers/topics/shown/partitions/0/state",
        "ls /config",
        "get /config/topics/shown",
        "ls /config/topics",
        "get /controller",
        "ls /admin",
        "ls /admin/delete_topics",
        "ls /isr_change_notification",
        "ls /log_dir_event_notification",
        "ls /cluster",
        "get /cluster/id",
        *(["ls /feature", "get /feature"] if tools.theirs.dist.version >= "2.7" else []),
        "ls /consumers",
        "ls /latest_producer_id_block",
    ]

    # what runs a 2.0 broker here has the ZooKeeper of 2.8, without the library that the shell reads its options with
    shell = tools.dist if tools.dist.version >= OLD_KAFKA else kafka_dist(OLD_KAFKA)

    def run(cluster: MixedCluster) -> str:
        document = "\n".join([*lines, "quit", ""])
        done = shell.run("zookeeper-shell", "-server", cluster.zookeeper.connect, stdin=document, check=False)
        printed = _SESSION_CLOSED.sub("", masked(cluster, done.stdout).rstrip())
        return f"exit code {done.returncode}\n{printed}"

    theirs, ours = tools.on_both(run)
    assert '"partitions"' in ours
    ours = as_written_by(tools.theirs.dist.version, ours)
    if theirs != ours:
        tools.differs("zookeeper-shell", theirs, ours)


def as_written_by(release: str, printed: str) -> str:
    """The output without what Apache Kafka writes since a later release only, whatever the protocol is.

    Raises:
        AssertionError: there is nothing of that.
    """
    since = {
        "3.4": (r'"kraftControllerEpoch": -1, ("timestamp": "TIME", "version": )2', r"\g<1>1"),  # in /controller
        "2.8": (r"^(\[brokers, changes, clients, )ips, (topics, users\])$", r"\1\2"),  # under /config
        "2.7": (r"^(\[admin, brokers, .*)feature, ", r"\1"),  # under /
    }
    for first, (pattern, replacement) in since.items():
        if release < first:
            printed, found = re.subn(pattern, replacement, printed, flags=re.MULTILINE)
            assert found == 1, f"{pattern} is not in {printed}"
    return printed
