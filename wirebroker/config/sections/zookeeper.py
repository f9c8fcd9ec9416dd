"""Keys: the connection to ZooKeeper."""

from __future__ import annotations

from wirebroker.config.effects import refused
from wirebroker.config.keys import BOOLEAN, HIGH, INT, LIST, LOW, MEDIUM, PASSWORD, STRING, inert, key
from wirebroker.config.values import at_least

# fmt: off
KEYS = (
    inert("zookeeper.clientCnxnSocket", STRING, None, MEDIUM,
        text="Java class of the ZooKeeper client's socket; Netty for TLS."),
    key("zookeeper.connect", STRING, None, HIGH,
        effect=refused("this broker does not join a cluster on ZooKeeper", cluster=True),
        text="ZooKeeper servers, host:port with commas between, and a path at the end."),
    inert("zookeeper.connection.timeout.ms", INT, None, HIGH,
        text="How long to wait for a connection; the session timeout when not set."),
    inert("zookeeper.max.in.flight.requests", INT, 10, HIGH, at_least(1),
        text="How many requests may be under way."),
    key("zookeeper.metadata.migration.enable", BOOLEAN, False, HIGH,
        effect=refused("this broker takes no part in a migration to KRaft", cluster=True),
        text="Take part in moving a cluster from ZooKeeper to KRaft."),
    inert("zookeeper.metadata.migration.min.batch.size", INT, 200, MEDIUM, at_least(1), internal=True,
        text="How many records that move writes at a time, at least."),
    inert("zookeeper.session.timeout.ms", INT, 18_000, HIGH,
        text="A broker that is silent for so long is gone."),
    key("zookeeper.set.acl", BOOLEAN, False, HIGH,
        effect=refused("this broker does not join a cluster on ZooKeeper", cluster=True),
        text="Let only the broker write what it stores."),
    inert("zookeeper.ssl.cipher.suites", LIST, None, LOW,
        text="Cipher suites for ZooKeeper."),
    inert("zookeeper.ssl.client.enable", BOOLEAN, False, MEDIUM,
        text="Use TLS to ZooKeeper."),
    inert("zookeeper.ssl.crl.enable", BOOLEAN, False, LOW,
        text="Look at revocation lists."),
    inert("zookeeper.ssl.enabled.protocols", LIST, None, LOW,
        text="TLS versions for ZooKeeper."),
    inert("zookeeper.ssl.endpoint.identification.algorithm", STRING, "HTTPS", LOW,
        text="Check ZooKeeper's host name with HTTPS; empty for no check."),
    inert("zookeeper.ssl.keystore.location", STRING, None, MEDIUM,
        text="File with the key and certificate to show to ZooKeeper."),
    inert("zookeeper.ssl.keystore.password", PASSWORD, None, MEDIUM,
        text="Password of that file."),
    inert("zookeeper.ssl.keystore.type", STRING, None, MEDIUM,
        text="Type of that file."),
    inert("zookeeper.ssl.ocsp.enable", BOOLEAN, False, LOW,
        text="Ask for a certificate's status online."),
    inert("zookeeper.ssl.protocol", STRING, "TLSv1.2", LOW,
        text="TLS version to speak with ZooKeeper."),
    inert("zookeeper.ssl.truststore.location", STRING, None, MEDIUM,
        text="File with the certificates to trust."),
    inert("zookeeper.ssl.truststore.password", PASSWORD, None, MEDIUM,
        text="Password of that file."),
    inert("zookeeper.ssl.truststore.type", STRING, None, MEDIUM,
        text="Type of that file."),
    inert("zookeeper.sync.time.ms", INT, 2000, LOW, removed_in="3.0",
        text="How far a ZooKeeper follower may be behind."),
)
# fmt: on
