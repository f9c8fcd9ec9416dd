"""Settings of Java's clients in librdkafka's names and values.

Names and values that librdkafka spells differently are translated, and settings of the Java client alone are left out
with a warning.  Everything else is librdkafka's to accept or refuse.  TLS and SASL are either Java's settings, which
`cli/client_security.py` reads, or librdkafka's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from wirebroker.cli.client_security import JAAS, KEYS, MECHANISM, PROTOCOL, is_security_key, read_security
from wirebroker.cli.command_table import UsageError
from wirebroker.cli.pem import read_pem
from wirebroker.client.security import MECHANISMS, PLAINTEXT, Security

if TYPE_CHECKING:
    from collections.abc import Mapping

_OF_JAVA_ALONE: Final = frozenset(
    {
        "key.serializer",
        "value.serializer",
        "key.deserializer",
        "value.deserializer",
        "default.api.timeout.ms",
        "max.block.ms",
        "max.poll.records",
        "partitioner.class",
        "metric.reporters",
        "auto.include.jmx.reporter",
    }
)
"""Settings of the Java client without a counterpart in librdkafka."""
_RENAMED: Final = {
    "fetch.max.wait.ms": "fetch.wait.max.ms",
    "max.request.size": "message.max.bytes",
    "send.buffer.bytes": "socket.send.buffer.bytes",
    "receive.buffer.bytes": "socket.receive.buffer.bytes",
    "metadata.max.age.ms": "topic.metadata.refresh.interval.ms",
}
_DEFAULT_BUFFERS: Final = {"socket.send.buffer.bytes": "-1", "socket.receive.buffer.bytes": "-1"}
"""Values that mean "leave it to the system" for Java, as 0 does for librdkafka."""
_ASSIGNORS: Final = {
    "RangeAssignor": "range",
    "RoundRobinAssignor": "roundrobin",
    "CooperativeStickyAssignor": "cooperative-sticky",
}
_OF_JAVA_SECURITY: Final = frozenset(
    {name for name in KEYS if name.startswith(("ssl.truststore.", "ssl.keystore.c"))}
    | {"ssl.keystore.type", "ssl.keystore.key", JAAS}
)
"""Settings of TLS and SASL that librdkafka does not have."""


class LibrdkafkaConfig(NamedTuple):
    """Settings in librdkafka's names and values."""

    settings: dict[str, Any]
    security: Security | None
    """TLS and SASL, with which the settings agree; None if they are librdkafka's own ones."""
    without_effect: set[str]
    """Given settings that change nothing."""


def translated(given: Mapping[str, str]) -> LibrdkafkaConfig:
    """Return *given* in librdkafka's names and values; bootstrap.servers is left out.

    Raises:
        UsageError: a value has no counterpart.
    """
    found: dict[str, Any] = {}
    secured = {name: value for name, value in given.items() if is_security_key(name)}
    for name, value in given.items():
        if name == "bootstrap.servers" or name in _OF_JAVA_ALONE or name in secured:
            continue
        if name == "buffer.memory":
            found["queue.buffering.max.kbytes"] = str(max(1, _number(name, value) // 1024))
        elif name == "partition.assignment.strategy":
            words = [each.strip().rpartition(".")[2] for each in value.split(",")]
            found[name] = ",".join(_ASSIGNORS.get(word, word) for word in words)
        else:
            name = _RENAMED.get(name, name)
            found[name] = "0" if _DEFAULT_BUFFERS.get(name) == value else value
    unused = {name for name in given if name in _OF_JAVA_ALONE}
    if _is_librdkafkas(secured):
        return LibrdkafkaConfig(found | secured, None, unused)
    read = read_security(secured)
    return LibrdkafkaConfig(found | security_settings(read.security), read.security, unused.union(read.without_effect))


def _is_librdkafkas(secured: Mapping[str, str]) -> bool:
    """Whether settings of TLS and SASL are librdkafka's own.

    Raises:
        UsageError: some are, and others are Java's.
    """
    mechanism = secured.get(MECHANISM, MECHANISMS[0])
    own = sorted(name for name in secured if name not in KEYS and not name.startswith(("sasl.login.", "security.")))
    if not own and mechanism in MECHANISMS:
        return False
    javas = sorted(_OF_JAVA_SECURITY & secured.keys())
    if javas and own:
        raise UsageError(f"{', '.join(own)} of librdkafka with {', '.join(javas)} of Java's client: use those of one")
    if javas:
        raise UsageError(f"{MECHANISM}={mechanism} with {', '.join(javas)}: librdkafka has other settings for it")
    return True


def security_settings(security: Security) -> dict[str, Any]:
    """Return librdkafka's settings for *security*.

    Raises:
        UsageError: librdkafka cannot do what it says.
    """
    if security == PLAINTEXT:
        return {}
    tls, credentials = security
    protocol = ("SASL_" if credentials else "") + ("SSL" if tls else "PLAINTEXT")
    found: dict[str, Any] = {PROTOCOL: protocol}
    if credentials is not None:
        found |= {
            MECHANISM: credentials.mechanism,
            "sasl.username": credentials.username,
            "sasl.password": credentials.password,
        }
    if tls is not None:
        found["ssl.endpoint.identification.algorithm"] = "https" if tls.checks_host else "none"
        if tls.trusted_pem is not None:
            found["ssl.ca.pem"] = tls.trusted_pem
        if tls.certificate_pem is not None and tls.key_pem is not None:
            if len(read_pem(tls.certificate_pem).certificates) > 1:
                raise UsageError(
                    "ssl.keystore has a chain of certificates, of which librdkafka would send the first; "
                    "name the file of the chain with its own ssl.certificate.location and ssl.key.location"
                )
            found |= {"ssl.certificate.pem": tls.certificate_pem, "ssl.key.pem": tls.key_pem}
            if tls.key_password is not None:
                found["ssl.key.password"] = tls.key_password
    return found


def _number(name: str, value: str) -> int:
    try:
        return int(value)
    except ValueError:
        raise UsageError(f"{name}: {value!r} is not a whole number") from None
