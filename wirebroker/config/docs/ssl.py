"""Texts of the keys in `sections/ssl.py`."""

from __future__ import annotations

TEXTS = {
    "ssl.allow.dn.changes": "Let a new certificate have another distinguished name than the one before.",
    "ssl.allow.san.changes": "Let a new certificate lack alternative names that the one before had.",
    "ssl.cipher.suites": "Cipher suites to offer; empty for all.",
    "ssl.client.auth": "Must clients show a certificate: required, requested or none.",
    "ssl.enabled.protocols": "TLS versions to accept.",
    "ssl.endpoint.identification.algorithm": "Check host names with https; empty for no check.",
    "ssl.engine.factory.class": "Java class that makes TLS engines.",
    "ssl.key.password": "Password of the private key.",
    "ssl.keymanager.algorithm": "Java's key manager algorithm.",
    "ssl.keystore.certificate.chain": "Certificates to show, as PEM.",
    "ssl.keystore.key": "Private key, as PEM.",
    "ssl.keystore.location": "File with the private key and certificates.",
    "ssl.keystore.password": "Password of that file.",
    "ssl.keystore.type": "Type of that file: JKS, PKCS12 or PEM.",
    "ssl.principal.mapping.rules": "Rules that make a user name of a certificate's distinguished name.",
    "ssl.protocol": "TLS version to set up with.",
    "ssl.provider": "Java's security provider for TLS.",
    "ssl.secure.random.implementation": "Java's random number generator for TLS.",
    "ssl.trustmanager.algorithm": "Java's trust manager algorithm.",
    "ssl.truststore.certificates": "Certificates to trust, as PEM.",
    "ssl.truststore.location": "File with the certificates to trust.",
    "ssl.truststore.password": "Password of that file.",
    "ssl.truststore.type": "Type of that file: JKS, PKCS12 or PEM.",
}
