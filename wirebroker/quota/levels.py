"""QuotaLevels: which quota counts for a client, and with which other clients it is shared.

The eight levels, most specific first (Kafka: ClientQuotaManager):

    1 user and client id             5 default user and default client id
    2 user and default client id     6 default user
    3 user                           7 client id
    4 default user and client id     8 default client id

A quota of a user (3, 6) is shared by all clients of the user, one of a client id (7, 8) by all users of the client id,
any other by the connections of one user with one client id.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

USER: Final = "user"
CLIENT_ID: Final = "client-id"
IP: Final = "ip"
ENTITY_TYPES: Final = (USER, CLIENT_ID, IP)

QuotaEntity = tuple[tuple[str, str | None], ...]
"""(type, name) of each part, in the order user, client-id, ip; a name of None is the default entity of that type."""


def entity_of(named: Mapping[str, str | None]) -> QuotaEntity:
    """Return the entity of names by type; types are in the order user, client-id, ip, then unknown ones."""
    known = [(kind, named[kind]) for kind in ENTITY_TYPES if kind in named]
    return (*known, *((kind, name) for kind, name in named.items() if kind not in ENTITY_TYPES))


class QuotaTags(NamedTuple):
    """The clients that share one measured rate; an empty field stands for any."""

    user: str
    client_id: str


class QuotaLevels:
    """The limits of one quota, by entity."""

    __slots__ = ("_limits", "_static_default")

    def __init__(self, limits: Mapping[QuotaEntity, float], static_default: float | None = None) -> None:
        """*static_default* is the limit of client ids without any (`quota.producer.default` of Kafka 2.x)."""
        self._limits = limits
        self._static_default = static_default

    def __bool__(self) -> bool:
        return bool(self._limits) or self._static_default is not None

    def find(self, user: str, client_id: str) -> tuple[QuotaTags, float | None]:
        """Return the clients that share the quota of a client, and the limit; None is none.

        As in Kafka, a client without a client id belongs to no client id, not even to the default one.
        """
        limits = self._limits
        for user_part in ((USER, user), (USER, None)):
            for client_part in ((CLIENT_ID, client_id), (CLIENT_ID, None)):
                if client_id and (limit := limits.get((user_part, client_part))) is not None:
                    return QuotaTags(user, client_id), limit
            if (limit := limits.get((user_part,))) is not None:
                return QuotaTags(user, ""), limit
        for client_part in ((CLIENT_ID, client_id), (CLIENT_ID, None)):
            if client_id and (limit := limits.get((client_part,))) is not None:
                return QuotaTags("", client_id), limit
        return QuotaTags("", client_id), self._static_default if client_id else None
