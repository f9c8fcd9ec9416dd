"""The config keys that Apache Kafka had at 2.0, 2.8, 3.9, 4.0 and 4.1, as differences from the registry of config.

Facts: what brokers of 2.0.1, 2.8.2, 3.9.1, 4.0.0 and 4.1.0 answer to DescribeConfigs.  The registry is that of 3.9 with
the keys removed before and, with the release that brought them, those added after; of 4.2 and 4.3 only those that
stayed.  A release has the keys of the nearest of the five, its era.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from wirebroker.releases.versions import is_at_least

ADDED = {
    "2.8": """
        connection.failed.authentication.delay.ms connections.max.reauth.ms control.plane.listener.name
        controller.quota.window.num controller.quota.window.size.seconds delegation.token.secret.key
        fetch.max.bytes group.max.size kafka.metrics.polling.interval.secs kafka.metrics.reporters
        log.cleaner.max.compaction.lag.ms max.connection.creation.rate max.connections replica.selector.class
        sasl.server.max.receive.size security.providers socket.connection.setup.timeout.max.ms
        socket.connection.setup.timeout.ms ssl.engine.factory.class ssl.keystore.certificate.chain
        ssl.keystore.key ssl.principal.mapping.rules ssl.truststore.certificates zookeeper.clientCnxnSocket
        zookeeper.ssl.cipher.suites zookeeper.ssl.client.enable zookeeper.ssl.crl.enable
        zookeeper.ssl.enabled.protocols zookeeper.ssl.endpoint.identification.algorithm
        zookeeper.ssl.keystore.location zookeeper.ssl.keystore.password zookeeper.ssl.keystore.type
        zookeeper.ssl.ocsp.enable zookeeper.ssl.protocol zookeeper.ssl.truststore.location
        zookeeper.ssl.truststore.password zookeeper.ssl.truststore.type
        """,
    "3.9": """
        auto.include.jmx.reporter broker.heartbeat.interval.ms broker.session.timeout.ms compression.gzip.level
        compression.lz4.level compression.zstd.level controller.listener.names
        controller.quorum.append.linger.ms controller.quorum.bootstrap.servers
        controller.quorum.election.backoff.max.ms controller.quorum.election.timeout.ms
        controller.quorum.fetch.timeout.ms controller.quorum.request.timeout.ms
        controller.quorum.retry.backoff.ms controller.quorum.voters early.start.listeners
        eligible.leader.replicas.enable group.consumer.assignors group.consumer.heartbeat.interval.ms
        group.consumer.max.heartbeat.interval.ms group.consumer.max.session.timeout.ms group.consumer.max.size
        group.consumer.min.heartbeat.interval.ms group.consumer.min.session.timeout.ms
        group.consumer.session.timeout.ms group.coordinator.append.linger.ms
        group.coordinator.rebalance.protocols group.coordinator.threads group.share.delivery.count.limit
        group.share.heartbeat.interval.ms group.share.max.groups group.share.max.heartbeat.interval.ms
        group.share.max.record.lock.duration.ms group.share.max.session.timeout.ms group.share.max.size
        group.share.min.heartbeat.interval.ms group.share.min.record.lock.duration.ms
        group.share.min.session.timeout.ms group.share.partition.max.record.locks
        group.share.record.lock.duration.ms group.share.session.timeout.ms
        initial.broker.registration.timeout.ms log.dir.failure.timeout.ms log.local.retention.bytes
        log.local.retention.ms log.message.timestamp.after.max.ms log.message.timestamp.before.max.ms
        max.request.partition.size.limit metadata.log.dir metadata.log.max.record.bytes.between.snapshots
        metadata.log.max.snapshot.interval.ms metadata.log.segment.bytes metadata.log.segment.ms
        metadata.max.idle.interval.ms metadata.max.retention.bytes metadata.max.retention.ms node.id
        process.roles producer.id.expiration.ms remote.fetch.max.wait.ms
        remote.log.index.file.cache.total.size.bytes remote.log.manager.copier.thread.pool.size
        remote.log.manager.copy.max.bytes.per.second remote.log.manager.copy.quota.window.num
        remote.log.manager.copy.quota.window.size.seconds remote.log.manager.expiration.thread.pool.size
        remote.log.manager.fetch.max.bytes.per.second remote.log.manager.fetch.quota.window.num
        remote.log.manager.fetch.quota.window.size.seconds remote.log.manager.task.interval.ms
        remote.log.manager.thread.pool.size remote.log.metadata.custom.metadata.max.bytes
        remote.log.metadata.manager.class.name remote.log.metadata.manager.class.path
        remote.log.metadata.manager.impl.prefix remote.log.metadata.manager.listener.name
        remote.log.reader.max.pending.tasks remote.log.reader.threads remote.log.storage.manager.class.name
        remote.log.storage.manager.class.path remote.log.storage.manager.impl.prefix
        remote.log.storage.system.enable sasl.login.connect.timeout.ms sasl.login.read.timeout.ms
        sasl.login.retry.backoff.max.ms sasl.login.retry.backoff.ms sasl.mechanism.controller.protocol
        sasl.oauthbearer.clock.skew.seconds sasl.oauthbearer.expected.audience sasl.oauthbearer.expected.issuer
        sasl.oauthbearer.jwks.endpoint.refresh.ms sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms
        sasl.oauthbearer.jwks.endpoint.retry.backoff.ms sasl.oauthbearer.jwks.endpoint.url
        sasl.oauthbearer.scope.claim.name sasl.oauthbearer.sub.claim.name sasl.oauthbearer.token.endpoint.url
        socket.listen.backlog.size ssl.allow.dn.changes ssl.allow.san.changes telemetry.max.bytes
        transaction.partition.verification.enable zookeeper.metadata.migration.enable
        """,
}
"""Broker keys by the first era that had them, if not 2.0; the declaration of a key that came after 3.9 has its own."""
REMOVED = """
        auto.include.jmx.reporter broker.id.generation.enable control.plane.listener.name
        controlled.shutdown.max.retries controlled.shutdown.retry.backoff.ms delegation.token.master.key
        eligible.leader.replicas.enable inter.broker.protocol.version
        leader.imbalance.per.broker.percentage log.message.downconversion.enable log.message.format.version
        log.message.timestamp.difference.max.ms offsets.commit.required.acks password.encoder.cipher.algorithm
        password.encoder.iterations password.encoder.key.length password.encoder.keyfactory.algorithm
        password.encoder.old.secret password.encoder.secret reserved.broker.max.id zookeeper.clientCnxnSocket
        zookeeper.connect zookeeper.connection.timeout.ms zookeeper.max.in.flight.requests
        zookeeper.metadata.migration.enable zookeeper.session.timeout.ms zookeeper.set.acl
        zookeeper.ssl.cipher.suites zookeeper.ssl.client.enable zookeeper.ssl.crl.enable
        zookeeper.ssl.enabled.protocols zookeeper.ssl.endpoint.identification.algorithm
        zookeeper.ssl.keystore.location zookeeper.ssl.keystore.password zookeeper.ssl.keystore.type
        zookeeper.ssl.ocsp.enable zookeeper.ssl.protocol zookeeper.ssl.truststore.location
        zookeeper.ssl.truststore.password zookeeper.ssl.truststore.type
        """
"""Broker keys that 4.0 did away with."""
TOPIC_ADDED = {
    "2.8": "max.compaction.lag.ms",
    "3.9": """
        compression.gzip.level compression.lz4.level compression.zstd.level local.retention.bytes local.retention.ms
        message.timestamp.after.max.ms message.timestamp.before.max.ms remote.log.copy.disable
        remote.log.delete.on.disable remote.storage.enable
        """,
}
TOPIC_CHANGED: dict[str, dict[str, dict[str, Any]]] = {"4.1": {"segment.bytes": {"at_least": 1 << 20}}}
"""As CHANGED, for topic keys."""
TOPIC_REMOVED = "message.downconversion.enable message.format.version message.timestamp.difference.max.ms"
"""Topic keys that 4.0 did away with."""

_PROTOCOLS = "PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT,SASL_SSL:SASL_SSL"
_BEFORE_3: dict[str, dict[str, Any]] = {
    "listener.security.protocol.map": {"default": _PROTOCOLS},
    "principal.builder.class": {"default": None},
}
_SINCE_4: dict[str, dict[str, Any]] = {
    "advertised.listeners": {"scope": "READ_ONLY"},
    "group.consumer.assignors": {"default": ("uniform", "range")},
    "group.consumer.migration.policy": {"internal": False, "default": "bidirectional"},
    "group.coordinator.append.linger.ms": {"default": 5},
    "group.coordinator.rebalance.protocols": {"default": ("classic", "consumer")},
    "group.coordinator.threads": {"default": 4},
    "group.share.max.size": {"kind": "INT"},
    "log.segment.bytes": {"at_least": 1 << 20},
    "log.message.timestamp.after.max.ms": {"default": 3_600_000},
    "metric.reporters": {"default": ("org.apache.kafka.common.metrics.JmxReporter",)},
    "num.recovery.threads.per.data.dir": {"default": 2},
    "remote.log.manager.copier.thread.pool.size": {"default": 10, "scope": "CLUSTER_WIDE"},
    "remote.log.manager.expiration.thread.pool.size": {"default": 10, "scope": "CLUSTER_WIDE"},
    "remote.log.manager.thread.pool.size": {"default": 2},
    "remote.log.reader.threads": {"scope": "CLUSTER_WIDE"},
}
CHANGED: dict[str, dict[str, dict[str, Any]]] = {
    "2.0": {
        **_BEFORE_3,
        "group.max.session.timeout.ms": {"default": 300_000},
        "log.retention.hours": {"scope": "CLUSTER_WIDE"},
        "log.retention.minutes": {"scope": "CLUSTER_WIDE"},
        "log.roll.hours": {"scope": "CLUSTER_WIDE"},
        "log.roll.jitter.hours": {"scope": "CLUSTER_WIDE"},
        "max.connections.per.ip": {"scope": "READ_ONLY"},
        "max.connections.per.ip.overrides": {"scope": "READ_ONLY"},
        "message.max.bytes": {"default": 1_000_012},
        "replica.lag.time.max.ms": {"default": 10_000},
        "ssl.enabled.protocols": {"default": ("TLSv1.2", "TLSv1.1", "TLSv1")},
        "ssl.protocol": {"default": "TLS"},
        "transaction.abort.timed.out.transaction.cleanup.interval.ms": {"default": 60_000},
        "zookeeper.session.timeout.ms": {"default": 6_000},
    },
    "2.8": _BEFORE_3,
    "3.9": {},
    "4.0": {
        **_SINCE_4,
        "share.coordinator.append.linger.ms": {"default": 10},
    },
    "4.1": {
        **_SINCE_4,
        "group.coordinator.rebalance.protocols": {
            "one_of": ("consumer", "classic", "share", "streams", "unknown"),
            "default": ("classic", "consumer", "streams"),
        },
        "group.share.max.groups": {"internal": True},
        "group.share.partition.max.record.locks": {"default": 2_000},
    },
}
"""Era -> broker key -> the attributes that differ from its declaration; enumerations by the name of the member."""

_PROTOCOL_VERSIONS = """
    0.8.0=0.8.0 0.8.1=0.8.1 0.8.2=0.8.2 0.9.0=0.9.0 0.10.0=0.10.0-IV1 0.10.1=0.10.1-IV2 0.10.2=0.10.2-IV0
    0.11.0=0.11.0-IV2 1.0=1.0-IV0 1.1=1.1-IV0 2.0=2.0-IV1 2.1=2.1-IV2 2.2=2.2-IV1 2.3=2.3-IV1 2.4=2.4-IV1
    2.5=2.5-IV0 2.6=2.6-IV0 2.7=2.7-IV2 2.8=2.8-IV1 3.0=3.0-IV1 3.1=3.1-IV0 3.2=3.2-IV0 3.3=3.3-IV3 3.4=3.4-IV0
    3.5=3.5-IV2 3.6=3.6-IV2 3.7=3.7-IV4 3.8=3.8-IV0 3.9=3.9-IV0
    """
"""Release -> its own inter.broker.protocol.version, which before 3.0 was its message format, too."""


class KeyDifferences(NamedTuple):
    """How the keys of a release differ from the registry."""

    era: str
    """The one of the five releases whose keys these are."""
    absent: frozenset[str]
    """Broker keys that the release does not have, beside those whose declaration says so."""
    absent_topic: frozenset[str]
    changed: dict[str, dict[str, Any]]
    """Broker key -> attribute -> value."""
    changed_topic: dict[str, dict[str, Any]]
    """Topic key -> attribute -> value."""


def era_of(release: str) -> str:
    """Return the one of the five releases whose keys stand for those of *release*."""
    if not is_at_least(release, "2.8"):
        return "2.0"
    if not is_at_least(release, "3.3"):  # the last with ZooKeeper, see `api_versions.py`
        return "2.8"
    if not is_at_least(release, "4.0"):
        return "3.9"
    return "4.1" if is_at_least(release, "4.1") else "4.0"


def key_differences(release: str) -> KeyDifferences:
    """Return how the keys of *release*, one of RELEASES, differ from the registry."""
    era = era_of(release)
    absent = " ".join(names for since, names in ADDED.items() if since > era).split()
    absent_topic = " ".join(names for since, names in TOPIC_ADDED.items() if since > era).split()
    if era >= "4.0":
        absent += REMOVED.split()
        absent_topic += TOPIC_REMOVED.split()
    changed = dict(CHANGED[era])
    own = dict(pair.split("=") for pair in _PROTOCOL_VERSIONS.split()).get(release)
    if own is not None:
        changed["inter.broker.protocol.version"] = {"default": own}
        if not is_at_least(release, "3.0"):
            changed["log.message.format.version"] = {"default": own}
    return KeyDifferences(era, frozenset(absent), frozenset(absent_topic), changed, TOPIC_CHANGED.get(era, {}))
