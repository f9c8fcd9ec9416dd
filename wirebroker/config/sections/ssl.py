"""Keys: TLS."""

from __future__ import annotations

from wirebroker.config.effects import refused
from wirebroker.config.keys import BOOLEAN, CLASS, LIST, PASSWORD, PER_BROKER, STRING, key
from wirebroker.config.values import one_of

_TLS = refused("connections are not encrypted and no client has to show a certificate")

# fmt: off
KEYS = (
    key("ssl.allow.dn.changes", BOOLEAN, False, effect=_TLS,
        text="Let a new certificate have another distinguished name than the one before."),
    key("ssl.allow.san.changes", BOOLEAN, False, effect=_TLS,
        text="Let a new certificate lack alternative names that the one before had."),
    key("ssl.cipher.suites", LIST, (), scope=PER_BROKER, effect=_TLS,
        text="Cipher suites to offer; empty for all."),
    key("ssl.client.auth", STRING, "none", one_of("required", "requested", "none"), PER_BROKER, effect=_TLS,
        text="Must clients show a certificate: required, requested or none."),
    key("ssl.enabled.protocols", LIST, ("TLSv1.2", "TLSv1.3"), scope=PER_BROKER, effect=_TLS,
        text="TLS versions to accept."),
    key("ssl.endpoint.identification.algorithm", STRING, "https", scope=PER_BROKER, effect=_TLS,
        text="Check host names with https; empty for no check."),
    key("ssl.engine.factory.class", CLASS, None, scope=PER_BROKER, effect=_TLS,
        text="Java class that makes TLS engines."),
    key("ssl.key.password", PASSWORD, None, scope=PER_BROKER, effect=_TLS,
        text="Password of the private key."),
    key("ssl.keymanager.algorithm", STRING, "SunX509", scope=PER_BROKER, effect=_TLS,
        text="Java's key manager algorithm."),
    key("ssl.keystore.certificate.chain", PASSWORD, None, scope=PER_BROKER, effect=_TLS,
        text="Certificates to show, as PEM."),
    key("ssl.keystore.key", PASSWORD, None, scope=PER_BROKER, effect=_TLS,
        text="Private key, as PEM."),
    key("ssl.keystore.location", STRING, None, scope=PER_BROKER, effect=_TLS,
        text="File with the private key and certificates."),
    key("ssl.keystore.password", PASSWORD, None, scope=PER_BROKER, effect=_TLS,
        text="Password of that file."),
    key("ssl.keystore.type", STRING, "JKS", scope=PER_BROKER, effect=_TLS,
        text="Type of that file: JKS, PKCS12 or PEM."),
    key("ssl.principal.mapping.rules", STRING, "DEFAULT", effect=_TLS,
        text="Rules that make a user name of a certificate's distinguished name."),
    key("ssl.protocol", STRING, "TLSv1.3", scope=PER_BROKER, effect=_TLS,
        text="TLS version to set up with."),
    key("ssl.provider", STRING, None, scope=PER_BROKER, effect=_TLS,
        text="Java's security provider for TLS."),
    key("ssl.secure.random.implementation", STRING, None, scope=PER_BROKER, effect=_TLS,
        text="Java's random number generator for TLS."),
    key("ssl.trustmanager.algorithm", STRING, "PKIX", scope=PER_BROKER, effect=_TLS,
        text="Java's trust manager algorithm."),
    key("ssl.truststore.certificates", PASSWORD, None, scope=PER_BROKER, effect=_TLS,
        text="Certificates to trust, as PEM."),
    key("ssl.truststore.location", STRING, None, scope=PER_BROKER, effect=_TLS,
        text="File with the certificates to trust."),
    key("ssl.truststore.password", PASSWORD, None, scope=PER_BROKER, effect=_TLS,
        text="Password of that file."),
    key("ssl.truststore.type", STRING, "JKS", scope=PER_BROKER, effect=_TLS,
        text="Type of that file: JKS, PKCS12 or PEM."),
)
# fmt: on
