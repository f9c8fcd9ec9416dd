"""Texts of the keys in `sections/zookeeper.py`."""

from __future__ import annotations

TEXTS = {
    "zookeeper.clientCnxnSocket": "Java class of the ZooKeeper client's socket; Netty for TLS.",
    "zookeeper.connect": "ZooKeeper servers, host:port with commas between, and a path at the end.",
    "zookeeper.connection.timeout.ms": "How long to wait for a connection; the session timeout when not set.",
    "zookeeper.max.in.flight.requests": "How many requests may be under way.",
    "zookeeper.metadata.migration.enable": "Take part in moving a cluster from ZooKeeper to KRaft.",
    "zookeeper.metadata.migration.min.batch.size": "How many records that move writes at a time, at least.",
    "zookeeper.session.timeout.ms": "A broker that is silent for so long is gone.",
    "zookeeper.set.acl": "Let only the broker write what it stores.",
    "zookeeper.ssl.cipher.suites": "Cipher suites for ZooKeeper.",
    "zookeeper.ssl.client.enable": "Use TLS to ZooKeeper.",
    "zookeeper.ssl.crl.enable": "Look at revocation lists.",
    "zookeeper.ssl.enabled.protocols": "TLS versions for ZooKeeper.",
    "zookeeper.ssl.endpoint.identification.algorithm": "Check ZooKeeper's host name with HTTPS; empty for no check.",
    "zookeeper.ssl.keystore.location": "File with the key and certificate to show to ZooKeeper.",
    "zookeeper.ssl.keystore.password": "Password of that file.",
    "zookeeper.ssl.keystore.type": "Type of that file.",
    "zookeeper.ssl.ocsp.enable": "Ask for a certificate's status online.",
    "zookeeper.ssl.protocol": "TLS version to speak with ZooKeeper.",
    "zookeeper.ssl.truststore.location": "File with the certificates to trust.",
    "zookeeper.ssl.truststore.password": "Password of that file.",
    "zookeeper.ssl.truststore.type": "Type of that file.",
    "zookeeper.sync.time.ms": "How far a ZooKeeper follower may be behind.",
}
