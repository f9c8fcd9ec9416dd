"""Key stores and trust stores in PKCS12 (RFC 7292), the format that keytool writes, by the library cryptography."""

from __future__ import annotations


def pem_of(data: bytes, password: str | None) -> str:
    """Return the certificates of a store, and its private key without encryption if it has one, as PEM.

    The certificate of the key is the first.

    Raises:
        ImportError: cryptography is not installed.
        ValueError: the password is wrong, or *data* is damaged or of another format.
    """
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
    from cryptography.hazmat.primitives.serialization.pkcs12 import load_pkcs12

    store = load_pkcs12(data, None if password is None else password.encode())
    certificates = [*([] if store.cert is None else [store.cert]), *store.additional_certs]
    blocks = [each.certificate.public_bytes(Encoding.PEM) for each in certificates]
    if store.key is not None:
        blocks.append(store.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return b"".join(blocks).decode("ascii")
