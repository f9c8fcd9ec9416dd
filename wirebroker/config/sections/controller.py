"""Keys: the KRaft controller, registration and shutdown."""

from __future__ import annotations

from wirebroker.config.keys import BOOLEAN, FOREVER, HIGH, INT, LIST, LONG, LOW, MEDIUM, STRING, inert, key
from wirebroker.config.values import at_least, one_of

KEYS = (
    inert("broker.heartbeat.interval.ms", INT, 2000, MEDIUM),
    inert("broker.session.timeout.ms", INT, 9000, MEDIUM),
    inert("controlled.shutdown.enable", BOOLEAN, True, MEDIUM),
    inert("controlled.shutdown.max.retries", INT, 3, MEDIUM),
    inert("controlled.shutdown.retry.backoff.ms", LONG, 5000, MEDIUM),
    key("controller.listener.names", STRING, None, HIGH),
    inert(
        "controller.performance.always.log.threshold.ms",
        LONG,
        2000,
        MEDIUM,
        at_least(0),
        internal=True,
        since="4.1",
    ),
    inert("controller.performance.sample.period.ms", LONG, 60_000, MEDIUM, at_least(100), internal=True, since="4.1"),
    inert("controller.quorum.append.linger.ms", INT, 25, MEDIUM),
    inert("controller.quorum.bootstrap.servers", LIST, (), HIGH),
    inert("controller.quorum.election.backoff.max.ms", INT, 1000, HIGH),
    inert("controller.quorum.election.timeout.ms", INT, 1000, HIGH),
    inert("controller.quorum.fetch.timeout.ms", INT, 2000, HIGH),
    inert("controller.quorum.request.timeout.ms", INT, 2000, MEDIUM),
    inert("controller.quorum.retry.backoff.ms", INT, 20, LOW),
    inert("controller.quorum.voters", LIST, (), HIGH),
    inert("controller.socket.timeout.ms", INT, 30_000, MEDIUM),
    inert("eligible.leader.replicas.enable", BOOLEAN, False, HIGH),
    inert("initial.broker.registration.timeout.ms", INT, 60_000, MEDIUM),
    inert("internal.metadata.delete.delay.millis", LONG, 60_000, LOW, internal=True, since="4.1"),
    inert("internal.metadata.log.segment.bytes", INT, None, LOW, internal=True, since="4.1"),
    inert("internal.metadata.max.batch.size.in.bytes", INT, 8 << 20, LOW, internal=True, since="4.1"),
    inert("internal.metadata.max.fetch.size.in.bytes", INT, 8 << 20, LOW, internal=True, since="4.1"),
    key("metadata.log.dir", STRING, None, HIGH),
    inert("metadata.log.max.record.bytes.between.snapshots", LONG, 20_971_520, HIGH, at_least(1)),
    inert("metadata.log.max.snapshot.interval.ms", LONG, 3_600_000, HIGH, at_least(0)),
    inert("metadata.log.segment.bytes", INT, 1 << 30, HIGH, at_least(12)),
    inert("metadata.log.segment.min.bytes", INT, 8 << 20, HIGH, at_least(12), internal=True),
    inert("metadata.log.segment.ms", LONG, 604_800_000, HIGH),
    inert("metadata.max.idle.interval.ms", INT, 500, LOW, at_least(0)),
    inert("metadata.max.retention.bytes", LONG, 100 << 20, HIGH),
    inert("metadata.max.retention.ms", LONG, 604_800_000, HIGH),
    key("process.roles", LIST, (), HIGH, one_of("broker", "controller")),
    inert("server.max.startup.time.ms", LONG, FOREVER, MEDIUM, at_least(0), internal=True),
    inert("unstable.api.versions.enable", BOOLEAN, False, HIGH, internal=True),
    inert("unstable.feature.versions.enable", BOOLEAN, False, HIGH, internal=True),
)
