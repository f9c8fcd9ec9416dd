"""The settings of TLS and SASL that a command obeys, and those that it refuses."""

from __future__ import annotations

import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from wirebroker.cli.client_security import read_security
from wirebroker.cli.command_table import UsageError
from wirebroker.cli.jaas import parse_jaas
from wirebroker.cli.pem import read_pem, store_type
from wirebroker.client.security import PLAINTEXT, Credentials

if TYPE_CHECKING:
    from pathlib import Path

PLAIN = 'org.apache.kafka.common.security.plain.PlainLoginModule required username="me" password="word";'
SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule required username=me password='word';"
NO_CERTIFICATE = "-----BEGIN CERTIFICATE-----\nbm90aGluZw==\n-----END CERTIFICATE-----\n"


@pytest.fixture(scope="module")
def key_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with a self-signed certificate for localhost and its key."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl is not installed")
    directory = tmp_path_factory.mktemp("certificates")
    options = ["-x509", "-newkey", "rsa:2048", "-noenc", "-days", "2", "-subj", "/CN=localhost"]
    key, certificate, both = (directory / name for name in ("key.pem", "certificate.pem", "both.pem"))
    subprocess.run(
        [openssl, "req", *options, "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True
    )
    both.write_text(key.read_text() + certificate.read_text())
    return both


def test_no_settings() -> None:
    assert read_security({"acks": "all"}) == (PLAINTEXT, [])


@pytest.mark.parametrize(("mechanism", "jaas"), [("PLAIN", PLAIN), ("SCRAM-SHA-256", SCRAM), ("SCRAM-SHA-512", SCRAM)])
def test_sasl(mechanism: str, jaas: str) -> None:
    settings = {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": mechanism, "sasl.jaas.config": jaas}
    found = read_security(settings | {"ssl.protocol": "TLS", "ssl.truststore.location": "/ca.jks"})
    assert found.security == (None, Credentials(mechanism, "me", "word"))
    assert found.without_effect == ["ssl.protocol", "ssl.truststore.location"]


def test_stores_in_files(key_store: Path) -> None:
    settings = {
        "security.protocol": "SSL",
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": str(key_store),
        "ssl.keystore.location": str(key_store),
        "ssl.endpoint.identification.algorithm": "",
        "ssl.enabled.protocols": "TLSv1.3",
    }
    tls = read_security(settings).security.tls
    assert tls is not None
    pem = read_pem(key_store.read_text())
    assert (tls.trusted_pem, tls.certificate_pem, tls.key_pem) == (
        *(pem.certificates[0], pem.certificates[0]),
        pem.keys[0],
    )
    assert (tls.checks_host, tls.versions) == (False, ("TLSv1.3",))
    assert "PRIVATE" not in repr(tls)


def test_stores_in_one_line_of_a_properties_file(key_store: Path) -> None:
    pem = read_pem(key_store.read_text())
    settings = {
        "security.protocol": "SSL",
        "ssl.truststore.type": "PEM",
        "ssl.truststore.certificates": pem.certificates[0].replace("\n", " "),
        "ssl.keystore.type": "PEM",
        "ssl.keystore.key": pem.keys[0].replace("\n", ""),
        "ssl.keystore.certificate.chain": pem.certificates[0].replace("\n", ""),
    }
    tls = read_security(settings).security.tls
    assert tls is not None
    assert (tls.trusted_pem, tls.key_pem, tls.checks_host) == (pem.certificates[0], pem.keys[0], True)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"security.protocol": "TLS"}, "security.protocol=TLS: there are PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL"),
        ({"sasl.jaas.config": PLAIN}, "sasl.jaas.config: no effect as security.protocol is PLAINTEXT"),
        (
            {"security.protocol": "SSL", "ssl.cipher.suites": "A", "ssl.surprise": "x"},
            "ssl.cipher.suites, ssl.surprise: not supported by wirebroker's client",
        ),
        ({"security.protocol": "SASL_SSL"}, r"sasl.mechanism=GSSAPI \(the default\): wirebroker's client has PLAIN"),
        ({"security.protocol": "SASL_SSL", "sasl.mechanism": "PLAIN"}, "sasl.jaas.config is missing: PlainLoginModule"),
        (
            {"security.protocol": "SASL_SSL", "sasl.mechanism": "PLAIN", "sasl.jaas.config": SCRAM},
            "ScramLoginModule is not the login module of PLAIN",
        ),
        (
            {"security.protocol": "SASL_SSL", "sasl.mechanism": "PLAIN", "sasl.jaas.config": "PlainLoginModule"},
            "sasl.jaas.config: it is not: CLASS required",
        ),
        (
            {
                "security.protocol": "SASL_SSL",
                "sasl.mechanism": "SCRAM-SHA-256",
                "sasl.jaas.config": SCRAM.replace(";", " tokenauth=true;"),
            },
            "options tokenauth are not supported",
        ),
        (
            {
                "security.protocol": "SASL_SSL",
                "sasl.mechanism": "PLAIN",
                "sasl.jaas.config": "PlainLoginModule required;",
            },
            "option username is missing",
        ),
        ({"ssl.truststore.location": "/no/file"}, "ssl.truststore.location=/no/file: No such file or directory"),
        ({"ssl.truststore.type": "PEM"}, "ssl.truststore.type and ssl.truststore.password without"),
        ({"ssl.truststore.certificates": NO_CERTIFICATE}, "only with ssl.truststore.type=PEM"),
        (
            {"ssl.truststore.certificates": NO_CERTIFICATE, "ssl.truststore.location": "/a"},
            "leave out one of them",
        ),
        ({"ssl.truststore.type": "PEM", "ssl.truststore.certificates": "-----BEGIN X-----"}, "has no certificate"),
        ({"ssl.truststore.type": "PEM", "ssl.truststore.certificates": NO_CERTIFICATE}, "certificates cannot be read"),
        ({"ssl.keystore.key": "k"}, "ssl.keystore.certificate.chain is missing beside ssl.keystore.key"),
        ({"ssl.endpoint.identification.algorithm": "ldaps"}, "identification.algorithm=ldaps: https or nothing"),
        ({"ssl.enabled.protocols": "TLSv1.1,TLSv1.2"}, "wirebroker's client has TLSv1.2, TLSv1.3"),
    ],
)
def test_settings_that_are_refused(settings: dict[str, str], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        read_security({"security.protocol": "SSL"} | settings if "security.protocol" not in says else settings)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (
            b"\xfe\xed\xfe\xed\0\0\0\2",
            "is JKS, which only Java reads; make it PKCS12 and name .*/store.p12: keytool -importkeystore",
        ),
        (b"\x30\x82\x0a\x01", "ssl.truststore.location=/.*/store: "),
        (b"nothing", "is no key store"),
    ],
)
def test_stores_of_other_types(content: bytes, says: str, tmp_path: Path) -> None:
    file = tmp_path / "store"
    file.write_bytes(content)
    with pytest.raises(UsageError, match=says):
        read_security({"security.protocol": "SSL", "ssl.truststore.location": str(file)})


@pytest.fixture(scope="module")
def pkcs12_store(key_store: Path) -> Path:
    """The same as PKCS12, with the password `right`."""
    store = key_store.with_name("store.p12")
    command = ["openssl", "pkcs12", "-export", "-in", str(key_store), "-out", str(store), "-passout", "pass:right"]
    subprocess.run(command, check=True, capture_output=True)
    return store


@pytest.mark.parametrize("kind", [None, "PKCS12", "JKS"])
def test_pkcs12(kind: str | None, key_store: Path, pkcs12_store: Path) -> None:
    settings = {"security.protocol": "SSL"}
    for store in ("ssl.truststore", "ssl.keystore"):
        settings |= {f"{store}.location": str(pkcs12_store), f"{store}.password": "right"}
        settings |= {} if kind is None else {f"{store}.type": kind}
    tls = read_security(settings).security.tls
    assert tls is not None
    (certificate,) = read_pem(key_store.read_text()).certificates
    assert tls.trusted_pem == tls.certificate_pem == certificate
    assert tls.key_pem is not None
    assert tls.key_pem.startswith("-----BEGIN PRIVATE KEY-----")


def test_pkcs12_that_is_refused(pkcs12_store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = {"security.protocol": "SSL", "ssl.truststore.location": str(pkcs12_store)}
    for more, says in (
        ({}, "Invalid password"),
        ({"ssl.truststore.password": "wrong"}, "Invalid password"),
        (
            {"ssl.truststore.type": "PEM", "ssl.truststore.password": "right"},
            "is PKCS12; wirebroker's client reads PEM",
        ),
    ):
        with pytest.raises(UsageError, match=says):
            read_security(settings | more)
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.serialization", None)
    with pytest.raises(UsageError, match=r"openssl pkcs12 -in .*; or pip install 'wirebroker\[client\]'"):
        read_security(settings | {"ssl.truststore.password": "right"})


def test_a_store_with_another_type_or_a_password(key_store: Path) -> None:
    settings = {"security.protocol": "SSL", "ssl.truststore.location": str(key_store)}
    for more, says in (
        ({"ssl.truststore.type": "JKS"}, "is PEM"),
        ({"ssl.truststore.password": "p"}, "PEM has none"),
    ):
        with pytest.raises(UsageError, match=says):
            read_security(settings | more)


def test_a_key_of_another_certificate_or_with_another_password(key_store: Path, tmp_path: Path) -> None:
    encrypted = tmp_path / "encrypted.pem"
    command = ["openssl", "pkcs8", "-topk8", "-in", str(key_store), "-out", str(encrypted), "-passout", "pass:right"]
    subprocess.run(command, check=True, capture_output=True)
    encrypted.write_text(encrypted.read_text() + key_store.read_text().partition("-----END PRIVATE KEY-----\n")[2])
    settings = {"security.protocol": "SSL", "ssl.keystore.location": str(encrypted)}
    for more in ({}, {"ssl.key.password": "wrong"}):
        with pytest.raises(UsageError, match="the client's certificate and key cannot be used"):
            read_security(settings | more)
    assert read_security(settings | {"ssl.key.password": "right"}).security.tls is not None


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (PLAIN, {"username": "me", "password": "word"}),
        (SCRAM, {"username": "me", "password": "word"}),
        ('a.B REQUIRED\n p="\\"=;\\\\ x" ;\n', {"p": '"=;\\ x'}),
        ("a.B optional;", {}),
    ],
)
def test_jaas(text: str, options: dict[str, str]) -> None:
    assert parse_jaas(text).options == options


@pytest.mark.parametrize(
    "text",
    ["", "a.B", "a.B required", 'a.B required p="x"', 'a.B required p="x;', "a.B required p; ", f"{PLAIN}{PLAIN}"],
)
def test_no_jaas(text: str) -> None:
    with pytest.raises(ValueError, match=r"it is not|neither|behind the semicolon") as refused:
        parse_jaas(text)
    assert '"word"' not in str(refused.value)


def test_types_of_stores() -> None:
    assert [store_type(data) for data in (b"", b"x\n-----BEGIN A-----", b"\x30\x82")] == ["", "PEM", "PKCS12"]
