"""Keys: TLS."""

from __future__ import annotations

from wirebroker.config.keys import BOOLEAN, CLASS, LIST, LOW, MEDIUM, PASSWORD, PER_BROKER, STRING, inert
from wirebroker.config.values import one_of

KEYS = (
    inert("ssl.allow.dn.changes", BOOLEAN, False, LOW),
    inert("ssl.allow.san.changes", BOOLEAN, False, LOW),
    inert("ssl.cipher.suites", LIST, (), MEDIUM, scope=PER_BROKER),
    inert("ssl.client.auth", STRING, "none", MEDIUM, one_of("required", "requested", "none"), PER_BROKER),
    inert("ssl.enabled.protocols", LIST, ("TLSv1.2", "TLSv1.3"), MEDIUM, scope=PER_BROKER),
    inert("ssl.endpoint.identification.algorithm", STRING, "https", LOW, scope=PER_BROKER),
    inert("ssl.engine.factory.class", CLASS, None, LOW, scope=PER_BROKER),
    inert("ssl.key.password", PASSWORD, None, MEDIUM, scope=PER_BROKER),
    inert("ssl.keymanager.algorithm", STRING, "SunX509", MEDIUM, scope=PER_BROKER),
    inert("ssl.keystore.certificate.chain", PASSWORD, None, MEDIUM, scope=PER_BROKER),
    inert("ssl.keystore.key", PASSWORD, None, MEDIUM, scope=PER_BROKER),
    inert("ssl.keystore.location", STRING, None, MEDIUM, scope=PER_BROKER),
    inert("ssl.keystore.password", PASSWORD, None, MEDIUM, scope=PER_BROKER),
    inert("ssl.keystore.type", STRING, "JKS", MEDIUM, scope=PER_BROKER),
    inert("ssl.principal.mapping.rules", STRING, "DEFAULT", LOW),
    inert("ssl.protocol", STRING, "TLSv1.3", MEDIUM, scope=PER_BROKER),
    inert("ssl.provider", STRING, None, MEDIUM, scope=PER_BROKER),
    inert("ssl.secure.random.implementation", STRING, None, LOW, scope=PER_BROKER),
    inert("ssl.trustmanager.algorithm", STRING, "PKIX", MEDIUM, scope=PER_BROKER),
    inert("ssl.truststore.certificates", PASSWORD, None, MEDIUM, scope=PER_BROKER),
    inert("ssl.truststore.location", STRING, None, MEDIUM, scope=PER_BROKER),
    inert("ssl.truststore.password", PASSWORD, None, MEDIUM, scope=PER_BROKER),
    inert("ssl.truststore.type", STRING, "JKS", MEDIUM, scope=PER_BROKER),
)
