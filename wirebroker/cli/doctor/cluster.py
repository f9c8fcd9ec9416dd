"""Checks of a running cluster of any Kafka, as a client sees it."""

from __future__ import annotations

import ipaddress
import time
from typing import TYPE_CHECKING, Final

from wirebroker.cli.doctor.clocks import check_clocks
from wirebroker.cli.doctor.finding import Finding, Level
from wirebroker.client.admin import Admin
from wirebroker.client.connection import Address, ClientError, Connection, parse_addresses
from wirebroker.client.security import PLAINTEXT
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ProtocolError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wirebroker.client.security import Security
    from wirebroker.protocol.messages.metadata import MetadataResponse

_SLOW_S: Final = 0.1
_NAMED: Final = 5
"""Partitions that a finding names."""
_OTHER_CONFIG: Final = "--command-config FILE with security.protocol, and the user, of the listener"


def check_cluster(bootstrap: str, timeout_s: float, security: Security = PLAINTEXT) -> Iterator[Finding]:
    """Connect, and check brokers, the controller and partitions."""
    began = time.perf_counter()
    try:
        admin = Admin(bootstrap, timeout_s, security=security)
    except (ClientError, ProtocolError) as problem:
        fix = f"wirebroker start --listener PLAINTEXT://{parse_addresses(bootstrap)[0]}"
        yield Finding(Level.ERROR, "connection", str(problem), fix if security == PLAINTEXT else _OTHER_CONFIG)
        return
    with admin:
        try:
            metadata = admin.metadata()
        except (ClientError, ProtocolError) as problem:
            yield Finding(Level.ERROR, "connection", str(problem), _OTHER_CONFIG)
            return
        took_s = time.perf_counter() - began
        yield Finding(Level.OK, "connection", f"{bootstrap} answers, {took_s * 1000:.0f} ms for three requests")
        yield from check_brokers(metadata, bootstrap, timeout_s, security)
        yield from check_partitions(metadata)
        yield from check_clocks(admin, metadata)


def check_brokers(
    metadata: MetadataResponse, bootstrap: str, timeout_s: float, security: Security = PLAINTEXT
) -> Iterator[Finding]:
    """Connect to each broker under the address that it advertises."""
    asked = parse_addresses(bootstrap)
    for broker in metadata.brokers:
        name = f"broker {broker.node_id}"
        address = Address(broker.host, broker.port)
        began = time.perf_counter()
        try:
            Connection(address, timeout_s, security=security).close()
        except (ClientError, ProtocolError) as problem:
            there = asked[0].host
            fix = f"advertised.listeners=PLAINTEXT://{there}:{broker.port}"
            yield Finding(Level.ERROR, name, f"clients are sent to {address}, and cannot connect: {problem}", fix)
            continue
        took_s = time.perf_counter() - began
        if is_loopback(broker.host) and not any(is_loopback(each.host) for each in asked):
            fix = f"advertised.listeners=PLAINTEXT://{asked[0]}"
            yield Finding(Level.ERROR, name, f"clients of other machines are sent to {address}", fix)
        elif took_s > _SLOW_S:
            text = f"{address} takes {took_s * 1000:.0f} ms for a connection and a request"
            yield Finding(Level.NOTE, name, text, f"wirebroker top -b {address} shows its load")
        else:
            yield Finding(Level.OK, name, f"{address} answers")
    if metadata.controller_id not in {broker.node_id for broker in metadata.brokers}:
        text = "the cluster has none: topics cannot be changed, leaders not elected"
        yield Finding(
            Level.ERROR, "controller", text, "start the brokers that `wirebroker cluster describe` does not list"
        )
    else:
        yield Finding(Level.OK, "controller", f"broker {metadata.controller_id}")


def is_loopback(host: str) -> bool:
    """Whether only clients of the same machine reach *host*."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def check_partitions(metadata: MetadataResponse) -> Iterator[Finding]:
    """Look for partitions without a leader, and with replicas that are out of sync."""
    offline: list[str] = []
    behind: list[str] = []
    count = 0
    for topic in metadata.topics:
        for partition in topic.partitions:
            count += 1
            name = f"{topic.name}-{partition.partition_index}"
            if partition.leader_id < 0 or partition.error_code == ErrorCode.LEADER_NOT_AVAILABLE:
                offline.append(name)
            elif len(partition.isr_nodes) < len(partition.replica_nodes):
                behind.append(name)
    if offline:
        fix = "start the brokers that have them, or: wirebroker elect --election-type unclean --all-topic-partitions"
        yield Finding(Level.ERROR, "partitions", f"{len(offline)} without a leader: {_some(offline)}", fix)
    if behind:
        fix = "wirebroker topics describe --under-replicated-partitions"
        yield Finding(Level.WARNING, "partitions", f"{len(behind)} with replicas out of sync: {_some(behind)}", fix)
    if not offline and not behind:
        yield Finding(Level.OK, "partitions", f"{count}, all with a leader and all replicas in sync")


def _some(names: list[str]) -> str:
    return ", ".join(names[:_NAMED]) + (", ..." if len(names) > _NAMED else "")
