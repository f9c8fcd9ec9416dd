"""The jars of a release of Apache Kafka, and those of a ZooKeeper server alone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from wirebroker.jvm.ivy import resolve

if TYPE_CHECKING:
    from pathlib import Path

_LOGGING = "org.slf4j:slf4j-reload4j:1.7.36"
_BINDINGS_NOT_WANTED = ("slf4j-log4j12", "logback-", "slf4j-simple", "log4j-1.2.17")
# the dependencies of Connect and Streams are half of the jars, and no tool of a broker uses them
_UNUSED = ("org.apache.kafka:connect-runtime", "org.apache.kafka:connect-transforms", "org.rocksdb:rocksdbjni")
# what ZooKeeper's own file calls "provided", and Apache Kafka names beside it
_ZOOKEEPER = (
    "org.apache.zookeeper:zookeeper:3.8.4",
    "io.dropwizard.metrics:metrics-core:4.1.12.1",
    "org.xerial.snappy:snappy-java:1.1.10.5",
)


def kafka_jars(version: str) -> list[Path]:
    """The broker, the tools and one log binding of a release, and the ZooKeeper that it brings; fetched on first use.

    Raises:
        ResolveError: they cannot be fetched.
    """
    scala = "2.12" if re.match(r"2\.[0-3]\.", version) else "2.13"
    coordinates = [f"org.apache.kafka:{name}:{version}" for name in (f"kafka_{scala}", "kafka-clients", "kafka-tools")]
    if scala == "2.12":
        # ZooKeeper 3.4 takes addresses apart in a way that Java 14 broke
        coordinates += ["org.apache.zookeeper:zookeeper:3.5.9"]
    if version.startswith("4."):
        coordinates += [
            "org.apache.logging.log4j:log4j-slf4j-impl:2.24.3",
            "org.apache.logging.log4j:log4j-core:2.24.3",
        ]
    else:
        coordinates += [_LOGGING]
    return _one_binding(resolve(coordinates, exclude=_UNUSED))


def zookeeper_jars() -> list[Path]:
    """A ZooKeeper server and one log binding; fetched on first use.

    Raises:
        ResolveError: they cannot be fetched.
    """
    return _one_binding(resolve([*_ZOOKEEPER, _LOGGING]))


def _one_binding(jars: list[Path]) -> list[Path]:
    return [jar for jar in jars if not jar.name.startswith(_BINDINGS_NOT_WANTED)]
