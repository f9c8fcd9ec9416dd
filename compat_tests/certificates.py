"""An authority, and certificates that it signs for a broker at 127.0.0.1 and for a client, as PEM or PKCS12."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, NamedTuple

from compat_tests.limits import WITHIN_S

if TYPE_CHECKING:
    from pathlib import Path

_NEW_KEY = ("-newkey", "rsa:2048", "-noenc")


class Certificates(NamedTuple):
    """The files of one authority."""

    authority: Path
    """The certificate that both sides trust."""
    broker: Path
    """Key and certificate for 127.0.0.1."""
    client: Path
    """Key and certificate of a client."""


def make_certificates(directory: Path) -> Certificates:
    """Return new certificates, which are valid for two days."""
    authority, authority_key = directory / "authority.pem", directory / "authority.key"
    subject = ("-subj", "/CN=authority", "-days", "2")
    _openssl("req", "-x509", *_NEW_KEY, *subject, "-keyout", str(authority_key), "-out", str(authority))
    stores = []
    for name, extension in (("broker", "subjectAltName=IP:127.0.0.1"), ("client", "extendedKeyUsage=clientAuth")):
        key, signed, store = (directory / f"{name}.{kind}" for kind in ("key", "certificate", "pem"))
        signer = ("-CA", str(authority), "-CAkey", str(authority_key), "-addext", extension)
        _openssl(
            *("req", "-x509", *_NEW_KEY, "-subj", f"/CN={name}", "-days", "2", *signer),
            *("-keyout", str(key), "-out", str(signed)),
        )
        store.write_text(key.read_text() + signed.read_text())
        stores.append(store)
    return Certificates(authority, *stores)


class Pkcs12Stores(NamedTuple):
    """The stores of a client."""

    trust_store: Path
    """The authority, marked as trusted in the way that Java asks for."""
    key_store: Path
    """Key and certificate of the client."""


def make_pkcs12_stores(certificates: Certificates, directory: Path, password: str) -> Pkcs12Stores:
    """Return stores of PKCS12 with the content of the client's PEM files."""
    from cryptography.hazmat.primitives.serialization import BestAvailableEncryption
    from cryptography.hazmat.primitives.serialization.pkcs12 import PKCS12Certificate, serialize_java_truststore
    from cryptography.x509 import load_pem_x509_certificate

    stores = Pkcs12Stores(directory / "trust.p12", directory / "keys.p12")
    authority = PKCS12Certificate(load_pem_x509_certificate(certificates.authority.read_bytes()), b"authority")
    encryption = BestAvailableEncryption(password.encode())
    stores.trust_store.write_bytes(serialize_java_truststore([authority], encryption))
    export = ("pkcs12", "-export", "-in", str(certificates.client), "-out", str(stores.key_store))
    _openssl(*export, "-passout", f"pass:{password}")
    return stores


def _openssl(*arguments: str) -> None:
    subprocess.run(["openssl", *arguments], check=True, capture_output=True, timeout=WITHIN_S)
