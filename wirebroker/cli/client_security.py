"""The settings of TLS and SASL in a client.properties, with the names and rules of Kafka's Java clients.

Source: org.apache.kafka.common.config.SslConfigs and SaslConfigs, and DefaultSslEngineFactory for PEM (KIP-651).
Settings that would have no effect are warnings where they weaken nothing, and errors elsewhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.cli.command_table import UsageError
from wirebroker.cli.jaas import parse_jaas
from wirebroker.cli.pem import read_pem, store_type
from wirebroker.client.security import MECHANISMS, PLAIN, TLS_VERSIONS, Credentials, Security, TlsSettings

if TYPE_CHECKING:
    from collections.abc import Mapping

PROTOCOL: Final = "security.protocol"
MECHANISM: Final = "sasl.mechanism"
JAAS: Final = "sasl.jaas.config"
_PROTOCOLS: Final = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
_DEFAULT_MECHANISM: Final = "GSSAPI"
_LOGIN_MODULES: Final = {True: "PlainLoginModule", False: "ScramLoginModule"}
_TLS: Final = frozenset(
    {
        "ssl.truststore.type",
        "ssl.truststore.location",
        "ssl.truststore.certificates",
        "ssl.truststore.password",
        "ssl.keystore.type",
        "ssl.keystore.location",
        "ssl.keystore.certificate.chain",
        "ssl.keystore.key",
        "ssl.keystore.password",
        "ssl.key.password",
        "ssl.endpoint.identification.algorithm",
        "ssl.enabled.protocols",
    }
)
_SASL: Final = frozenset({MECHANISM, JAAS})
KEYS: Final = _TLS | _SASL | {PROTOCOL}
"""The settings that `read_security` obeys."""
_OF_JAVA: Final = (
    "ssl.keymanager.algorithm",
    "ssl.trustmanager.algorithm",
    "ssl.secure.random.implementation",
    "ssl.provider",
    "ssl.protocol",
    "security.providers",
    "sasl.kerberos.",
    "sasl.login.",
    "sasl.oauthbearer.",
)
"""Beginnings of settings of Java's libraries, or of mechanisms that are refused by their names."""
_PREFIXES: Final = ("ssl.", "sasl.", "security.")


class ReadSecurity(NamedTuple):
    """The security of settings, and the settings that have no part in it."""

    security: Security
    without_effect: list[str]
    """The names of settings that change nothing here, sorted."""


def is_security_key(name: str) -> bool:
    """Return whether a setting is about TLS or SASL."""
    return name.startswith(_PREFIXES)


def read_security(settings: Mapping[str, str]) -> ReadSecurity:
    """Return what *settings* say about TLS and SASL; read the files that they name.

    Raises:
        UsageError: a setting is wrong or not supported, a file cannot be read, or TLS or SASL is configured and not on.
    """
    given = {name for name in settings if is_security_key(name)}
    protocol = settings.get(PROTOCOL, _PROTOCOLS[0]).strip().upper()
    if protocol not in _PROTOCOLS:
        raise UsageError(f"{PROTOCOL}={settings[PROTOCOL]}: there are {', '.join(_PROTOCOLS)}")
    unsupported = sorted(name for name in given - KEYS if not name.startswith(_OF_JAVA))
    if unsupported:
        raise UsageError(f"{', '.join(unsupported)}: not supported by wirebroker's client")
    if protocol == _PROTOCOLS[0] and given & (_TLS | _SASL):
        asked = ", ".join(sorted(given & (_TLS | _SASL)))
        raise UsageError(f"{asked}: no effect as {PROTOCOL} is PLAINTEXT; set it to that of the listener")
    has_tls, has_sasl = protocol.endswith("SSL"), protocol.startswith("SASL")
    unused = {name for name in given - KEYS}
    unused |= (set() if has_tls else given & _TLS) | (set() if has_sasl else given & _SASL)
    tls = _read_tls(settings) if has_tls else None
    credentials = _read_credentials(settings) if has_sasl else None
    return ReadSecurity(Security(tls, credentials), sorted(unused))


def _read_credentials(settings: Mapping[str, str]) -> Credentials:
    mechanism = settings.get(MECHANISM, _DEFAULT_MECHANISM)
    if mechanism not in MECHANISMS:
        origin = "" if MECHANISM in settings else " (the default)"
        raise UsageError(f"{MECHANISM}={mechanism}{origin}: wirebroker's client has {', '.join(MECHANISMS)}")
    if JAAS not in settings:
        raise UsageError(f'{JAAS} is missing: {_LOGIN_MODULES[mechanism == PLAIN]} required username="..." ...')
    try:
        module = parse_jaas(settings[JAAS])
    except ValueError as problem:
        raise UsageError(f"{JAAS}: {problem}") from None
    wanted = _LOGIN_MODULES[mechanism == PLAIN]
    if module.name.rpartition(".")[2] != wanted:
        raise UsageError(f"{JAAS}: {module.name} is not the login module of {mechanism}, {wanted}")
    others = sorted(module.options.keys() - {"username", "password"})
    if others:
        raise UsageError(f"{JAAS}: options {', '.join(others)} are not supported by wirebroker's client")
    for name in ("username", "password"):
        if not module.options.get(name):
            raise UsageError(f"{JAAS}: option {name} is missing")
    return Credentials(mechanism, module.options["username"], module.options["password"])


def _read_tls(settings: Mapping[str, str]) -> TlsSettings:
    from wirebroker.client.tls import client_context

    algorithm = settings.get("ssl.endpoint.identification.algorithm", "https").strip().lower()
    if algorithm not in ("https", ""):
        raise UsageError(f"ssl.endpoint.identification.algorithm={algorithm}: https or nothing")
    certificate, key = _key_store(settings)
    found = TlsSettings(
        trusted_pem=_trust_store(settings),
        certificate_pem=certificate,
        key_pem=key,
        key_password=settings.get("ssl.key.password"),
        checks_host=bool(algorithm),
        versions=_versions(settings.get("ssl.enabled.protocols", ",".join(TLS_VERSIONS))),
    )
    try:
        client_context(found)
    except ValueError as problem:
        raise UsageError(str(problem)) from None
    return found


def _versions(text: str) -> tuple[str, ...]:
    wanted = {each.strip() for each in text.split(",")}
    if not wanted <= set(TLS_VERSIONS):
        raise UsageError(f"ssl.enabled.protocols={text}: wirebroker's client has {', '.join(TLS_VERSIONS)}")
    return tuple(each for each in TLS_VERSIONS if each in wanted)


def _trust_store(settings: Mapping[str, str]) -> str | None:
    """Return the certificates of the trust store, None if there is none."""
    text = _stored(settings, "ssl.truststore", ("ssl.truststore.certificates",))
    if text is None:
        return None
    certificates = read_pem(text).certificates
    if not certificates:
        raise UsageError("ssl.truststore has no certificate between BEGIN and END lines")
    return "".join(certificates)


def _key_store(settings: Mapping[str, str]) -> tuple[str | None, str | None]:
    """Return the client's certificates and its key, None and None if there is no key store."""
    text = _stored(settings, "ssl.keystore", ("ssl.keystore.key", "ssl.keystore.certificate.chain"))
    if text is None:
        return None, None
    found = read_pem(text)
    if len(found.keys) != 1 or not found.certificates:
        counts = f"{len(found.keys)} keys and {len(found.certificates)} certificates"
        raise UsageError(f"ssl.keystore has {counts}; it needs one key, and the certificate with its chain")
    return "".join(found.certificates), found.keys[0]


def _stored(settings: Mapping[str, str], store: str, inline: tuple[str, ...]) -> str | None:
    """Return the PEM of a store: of its file or, by the keys *inline*, of the settings themselves.

    Raises:
        UsageError: the store cannot be read, is of another type, or is given in part or twice.
    """
    location, kind = settings.get(f"{store}.location"), settings.get(f"{store}.type", "").upper()
    given = [name for name in inline if name in settings]
    if location is None and not given:
        if kind or f"{store}.password" in settings:
            raise UsageError(f"{store}.type and {store}.password without {store}.location")
        return None
    if location is not None and given:
        raise UsageError(f"{store}.location and {', '.join(given)} are given; leave out one of them")
    if given:
        if len(given) != len(inline):
            missing = ", ".join(name for name in inline if name not in settings)
            raise UsageError(f"{missing} is missing beside {', '.join(given)}")
        if kind != "PEM":
            raise UsageError(f"{', '.join(given)}: only with {store}.type=PEM")
        data = "\n".join(settings[name] for name in inline).encode()
    else:
        data = _contents(f"{store}.location", location or "")
    # Java takes JKS if no type is given; here the file itself says what it is
    found = store_type(data) or kind or "no key store"
    if found == "PKCS12" and kind in ("", "PKCS12", "JKS"):  # Java reads both by either name
        return _pkcs12(f"{store}.location={location}", location or "", data, settings.get(f"{store}.password"))
    if found != "PEM":
        raise UsageError(_conversion(f"{store}.location={location}", location or "", found))
    if kind not in ("", "PEM"):
        raise UsageError(f"{store}.type={kind}: {location} is PEM")
    if f"{store}.password" in settings:
        raise UsageError(f"{store}.password: PEM has none; the password of a key is ssl.key.password")
    return data.decode("ascii", "replace")


def _pkcs12(what: str, path: str, data: bytes, password: str | None) -> str:
    """Return the PEM of a store in PKCS12.

    Raises:
        UsageError: it cannot be read.
    """
    from wirebroker.cli.pkcs12 import pem_of

    try:
        return pem_of(data, password)
    except ImportError:
        raise UsageError(f"{_conversion(what, path, 'PKCS12')}; or pip install 'wirebroker[client]'") from None
    except ValueError as problem:
        raise UsageError(f"{what}: {problem}") from None


def _contents(name: str, path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as fault:
        raise UsageError(f"{name}={path}: {fault.strerror or fault}") from None


def _conversion(what: str, path: str, kind: str) -> str:
    """Return that a store is not PEM, and how to make it PEM."""
    if kind == "PKCS12":
        return f"{what} is {kind}; wirebroker's client reads PEM: openssl pkcs12 -in {path} -nodes -out {path}.pem"
    if kind == "JKS":
        convert = f"keytool -importkeystore -srckeystore {path} -destkeystore {path}.p12 -deststoretype PKCS12"
        return f"{what} is {kind}, which only Java reads; make it PKCS12 and name {path}.p12: {convert}"
    return f"{what} is {kind}; wirebroker's client reads PEM"
