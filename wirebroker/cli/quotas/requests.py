"""Requests about client quotas: DescribeClientQuotas and AlterClientQuotas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.client.admin import response_error
from wirebroker.protocol.messages.alter_client_quotas import (
    AlterClientQuotasRequest,
    OpData,
    RequestEntityData,
    RequestEntryData,
)
from wirebroker.protocol.messages.describe_client_quotas import ComponentData, DescribeClientQuotasRequest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from wirebroker.client.admin import Admin

USER, CLIENT_ID, IP = "user", "client-id", "ip"
USER_QUOTAS: Final = frozenset(
    {"producer_byte_rate", "consumer_byte_rate", "request_percentage", "controller_mutation_rate"}
)
IP_QUOTAS: Final = frozenset({"connection_creation_rate"})
_EXACT, _DEFAULT, _ANY = 0, 1, 2


class QuotaEntity(NamedTuple):
    """The user, client id or address that quotas are for: type -> name, None for the default of the type."""

    parts: tuple[tuple[str, str | None], ...]

    def named(self, entity_type: str) -> str | None:
        """Return the name of one part; None if the entity has no such part, "<default>" for the default."""
        for each, name in self.parts:
            if each == entity_type:
                return "<default>" if name is None else name
        return None


class QuotaFilter(NamedTuple):
    """A part of the entities to describe: of a type, and of one name, the default ("") or any (None)."""

    entity_type: str
    name: str | None


def describe_quotas(
    admin: Admin, filters: Sequence[QuotaFilter], *, strict: bool
) -> list[tuple[QuotaEntity, dict[str, float]]]:
    """Return the quotas of the entities that have all parts of *filters*; with *strict*, and no other part.

    Raises:
        ResponseError: the broker refuses.
    """
    components = [ComponentData(each.entity_type, *_match(each.name)) for each in filters]
    response = admin.first.send(DescribeClientQuotasRequest(components=components, strict=strict))
    if response.error_code:
        raise response_error("quotas", response.error_code, response.error_message)
    return [
        (
            QuotaEntity(tuple((part.entity_type, part.entity_name) for part in entry.entity)),
            {each.key: each.value for each in entry.values},
        )
        for entry in response.entries or []
    ]


def _match(name: str | None) -> tuple[int, str | None]:
    if name is None:
        return _ANY, None
    return (_EXACT, name) if name else (_DEFAULT, None)


def alter_quotas(admin: Admin, entity: QuotaEntity, added: Mapping[str, float], deleted: Sequence[str]) -> None:
    """Set and delete quotas of one entity.

    Raises:
        ResponseError: the broker refuses.
    """
    entry = RequestEntryData(
        entity=[RequestEntityData(*part) for part in entity.parts],
        ops=[
            *(OpData(key, value) for key, value in added.items()),
            *(OpData(key, 0.0, remove=True) for key in deleted),
        ],
    )
    request = AlterClientQuotasRequest(entries=[entry])

    def send() -> None:
        for result in admin.first.send(request).entries:
            if result.error_code:
                raise response_error("quotas", result.error_code, result.error_message)

    admin.retry(send)
