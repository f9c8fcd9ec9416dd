"""Keys: TLS."""

from __future__ import annotations

from wirebroker.config.keys import BOOLEAN, CLASS, LIST, LOW, MEDIUM, PASSWORD, PER_BROKER, STRING, inert
from wirebroker.config.values import one_of

# fmt: off
KEYS = (
    inert("ssl.allow.dn.changes", BOOLEAN, False, LOW,
        text="Let a new certificate have another distinguished name than the one before."),
    inert("ssl.allow.san.changes", BOOLEAN, False, LOW,
        text="Let a new certificate lack alternative names that the one before had."),
    inert("ssl.cipher.suites", LIST, (), MEDIUM, scope=PER_BROKER,
        text="Cipher suites to offer; empty for all."),
    inert("ssl.client.auth", STRING, "none", MEDIUM, one_of("required", "requested", "none"), PER_BROKER,
        text="Must clients show a certificate: required, requested or none."),
    inert("ssl.enabled.protocols", LIST, ("TLSv1.2", "TLSv1.3"), MEDIUM, scope=PER_BROKER,
        text="TLS versions to accept."),
    inert("ssl.endpoint.identification.algorithm", STRING, "https", LOW, scope=PER_BROKER,
        text="Check host names with https; empty for no check."),
    inert("ssl.engine.factory.class", CLASS, None, LOW, scope=PER_BROKER,
        text="Java class that makes TLS engines."),
    inert("ssl.key.password", PASSWORD, None, MEDIUM, scope=PER_BROKER,
        text="Password of the private key."),
    inert("ssl.keymanager.algorithm", STRING, "SunX509", MEDIUM, scope=PER_BROKER,
        text="Java's key manager algorithm."),
    inert("ssl.keystore.certificate.chain", PASSWORD, None, MEDIUM, scope=PER_BROKER,
        text="Certificates to show, as PEM."),
    inert("ssl.keystore.key", PASSWORD, None, MEDIUM, scope=PER_BROKER,
        text="Private key, as PEM."),
    inert("ssl.keystore.location", STRING, None, MEDIUM, scope=PER_BROKER,
        text="File with the private key and certificates."),
    inert("ssl.keystore.password", PASSWORD, None, MEDIUM, scope=PER_BROKER,
        text="Password of that file."),
    inert("ssl.keystore.type", STRING, "JKS", MEDIUM, scope=PER_BROKER,
        text="Type of that file: JKS, PKCS12 or PEM."),
    inert("ssl.principal.mapping.rules", STRING, "DEFAULT", LOW,
        text="Rules that make a user name of a certificate's distinguished name."),
    inert("ssl.protocol", STRING, "TLSv1.3", MEDIUM, scope=PER_BROKER,
        text="TLS version to set up with."),
    inert("ssl.provider", STRING, None, MEDIUM, scope=PER_BROKER,
        text="Java's security provider for TLS."),
    inert("ssl.secure.random.implementation", STRING, None, LOW, scope=PER_BROKER,
        text="Java's random number generator for TLS."),
    inert("ssl.trustmanager.algorithm", STRING, "PKIX", MEDIUM, scope=PER_BROKER,
        text="Java's trust manager algorithm."),
    inert("ssl.truststore.certificates", PASSWORD, None, MEDIUM, scope=PER_BROKER,
        text="Certificates to trust, as PEM."),
    inert("ssl.truststore.location", STRING, None, MEDIUM, scope=PER_BROKER,
        text="File with the certificates to trust."),
    inert("ssl.truststore.password", PASSWORD, None, MEDIUM, scope=PER_BROKER,
        text="Password of that file."),
    inert("ssl.truststore.type", STRING, "JKS", MEDIUM, scope=PER_BROKER,
        text="Type of that file: JKS, PKCS12 or PEM."),
)
# fmt: on
