"""Certificates and private keys in PEM (RFC 7468), as settings and files of Kafka's clients have them."""

from __future__ import annotations

import re
import textwrap
from typing import Final, NamedTuple

_BLOCK: Final = re.compile(r"-----BEGIN ([A-Z0-9 ]+)-----(.*?)-----END \1-----", re.DOTALL)
_CERTIFICATE: Final = "CERTIFICATE"
_KEYS: Final = ("PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY")
_LINE: Final = 64
_JAVA_KEY_STORE: Final = b"\xfe\xed\xfe\xed"
_DER_SEQUENCE: Final = b"\x30"


class Pem(NamedTuple):
    """The certificates and the private keys of a text, each as a block of PEM."""

    certificates: list[str]
    keys: list[str]


def read_pem(text: str) -> Pem:
    """Return the blocks of *text*, each with lines of 64 characters, though a properties file has one line."""
    found = Pem([], [])
    for block in _BLOCK.finditer(text):
        kind, body = block[1], block[2]
        if ":" not in body:  # else it has headers, those of a key with OpenSSL's old encryption, and real lines
            body = "\n" + "\n".join(textwrap.wrap("".join(body.split()), _LINE)) + "\n"
        normalized = f"-----BEGIN {kind}-----{body}-----END {kind}-----\n"
        if kind == _CERTIFICATE:
            found.certificates.append(normalized)
        elif kind in _KEYS:
            found.keys.append(normalized)
    return found


def store_type(data: bytes) -> str:
    """Return the type of the key store in *data*: PEM, JKS or PKCS12; an empty text for anything else."""
    if b"-----BEGIN " in data:
        return "PEM"
    if data.startswith(_JAVA_KEY_STORE):
        return "JKS"
    return "PKCS12" if data.startswith(_DER_SEQUENCE) else ""
