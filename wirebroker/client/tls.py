"""TLS of the client's connections, with the standard library's ssl."""

from __future__ import annotations

import os
import ssl
import tempfile
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import socket

    from wirebroker.client.security import TlsSettings

_VERSIONS: Final = {"TLSv1.2": ssl.TLSVersion.TLSv1_2, "TLSv1.3": ssl.TLSVersion.TLSv1_3}


@cache
def client_context(settings: TlsSettings) -> ssl.SSLContext:
    """Return the context of *settings*; equal settings have one context.

    Raises:
        ValueError: a certificate or key cannot be used; the text says which.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = settings.checks_host
    context.minimum_version = _VERSIONS[settings.versions[0]]
    context.maximum_version = _VERSIONS[settings.versions[-1]]
    if settings.trusted_pem is None:
        context.load_default_certs()
    else:
        try:
            context.load_verify_locations(cadata=settings.trusted_pem)
        except ssl.SSLError as fault:
            raise ValueError(f"the trusted certificates cannot be read: {reason(fault)}") from None
    if settings.certificate_pem is not None:
        _load_certificate(context, settings)
    return context


def _load_certificate(context: ssl.SSLContext, settings: TlsSettings) -> None:
    """Have *context* present the client's certificate.

    OpenSSL takes it from a file only: one that nobody else may read, and that is gone afterwards.

    Raises:
        ValueError: certificate and key cannot be read, or do not belong together.
    """
    with tempfile.NamedTemporaryFile("w", prefix="wirebroker-", suffix=".pem") as file:
        os.fchmod(file.fileno(), 0o600)
        file.write(f"{settings.key_pem}\n{settings.certificate_pem}\n")
        file.flush()
        try:
            # without a password OpenSSL would ask for that of an encrypted key on the terminal
            context.load_cert_chain(file.name, password=settings.key_password or "")
        except ssl.SSLError as fault:
            raise ValueError(f"the client's certificate and key cannot be used: {reason(fault)}") from None


def handshake(tcp: socket.socket, host: str, settings: TlsSettings) -> ssl.SSLSocket:
    """Return *tcp* with TLS, after the handshake.

    Raises:
        OSError: the handshake failed, or the broker's certificate is not trusted or names another host.
    """
    return client_context(settings).wrap_socket(tcp, server_hostname=host)


def reason(fault: OSError) -> str:
    """Return a fault of TLS in words."""
    if isinstance(fault, ssl.SSLCertVerificationError):
        return f"the certificate is not accepted: {fault.verify_message}"
    if isinstance(fault, ssl.SSLError) and fault.reason:
        return fault.reason.lower().replace("_", " ")
    return fault.strerror or str(fault)
