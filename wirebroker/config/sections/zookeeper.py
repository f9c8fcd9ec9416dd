"""Keys: the connection to ZooKeeper."""

from __future__ import annotations

from wirebroker.config.keys import BOOLEAN, HIGH, INT, LIST, LOW, MEDIUM, PASSWORD, STRING, inert
from wirebroker.config.values import at_least

KEYS = (
    inert("zookeeper.clientCnxnSocket", STRING, None, MEDIUM),
    inert("zookeeper.connect", STRING, None, HIGH),
    inert("zookeeper.connection.timeout.ms", INT, None, HIGH),
    inert("zookeeper.max.in.flight.requests", INT, 10, HIGH, at_least(1)),
    inert("zookeeper.metadata.migration.enable", BOOLEAN, False, HIGH),
    inert("zookeeper.metadata.migration.min.batch.size", INT, 200, MEDIUM, at_least(1), internal=True),
    inert("zookeeper.session.timeout.ms", INT, 18_000, HIGH),
    inert("zookeeper.set.acl", BOOLEAN, False, HIGH),
    inert("zookeeper.ssl.cipher.suites", LIST, None, LOW),
    inert("zookeeper.ssl.client.enable", BOOLEAN, False, MEDIUM),
    inert("zookeeper.ssl.crl.enable", BOOLEAN, False, LOW),
    inert("zookeeper.ssl.enabled.protocols", LIST, None, LOW),
    inert("zookeeper.ssl.endpoint.identification.algorithm", STRING, "HTTPS", LOW),
    inert("zookeeper.ssl.keystore.location", STRING, None, MEDIUM),
    inert("zookeeper.ssl.keystore.password", PASSWORD, None, MEDIUM),
    inert("zookeeper.ssl.keystore.type", STRING, None, MEDIUM),
    inert("zookeeper.ssl.ocsp.enable", BOOLEAN, False, LOW),
    inert("zookeeper.ssl.protocol", STRING, "TLSv1.2", LOW),
    inert("zookeeper.ssl.truststore.location", STRING, None, MEDIUM),
    inert("zookeeper.ssl.truststore.password", PASSWORD, None, MEDIUM),
    inert("zookeeper.ssl.truststore.type", STRING, None, MEDIUM),
    inert("zookeeper.sync.time.ms", INT, 2000, LOW, removed_in="3.0"),
)
