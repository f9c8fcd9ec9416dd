"""Plans the changes of one AlterClientQuotas request; pure, it changes nothing.

Rules and codes are those of Apache Kafka 3.9.1 with KRaft (ClientQuotaControlManager): each entity succeeds or fails by
itself, an entity that is named twice is changed as its first entry says and answered INVALID_REQUEST, and the removal
of a quota that is not there is no error.  Different: a limit that is not a number is refused.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.metadata.records import ClientQuotaRecord
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.quota.levels import ENTITY_TYPES, IP, entity_of
from wirebroker.quota.managers import (
    CONNECTION_CREATION_RATE,
    CONSUMER_BYTE_RATE,
    CONTROLLER_MUTATION_RATE,
    PRODUCER_BYTE_RATE,
    REQUEST_PERCENTAGE,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from wirebroker.loop_budget import LoopBudget
    from wirebroker.metadata.image import ClusterImage
    from wirebroker.protocol.messages.alter_client_quotas import OpData, RequestEntryData
    from wirebroker.quota.levels import QuotaEntity

_MAX_INT: Final = 2.0**31 - 1
_MAX_LONG: Final = 2.0**63 - 1
_FRACTION: Final = 1e-6
"""The largest difference of a limit from a whole number, for quotas in whole numbers."""

_USER_AND_CLIENT_KEYS: Final[Mapping[str, float | None]] = {
    PRODUCER_BYTE_RATE: _MAX_LONG,
    CONSUMER_BYTE_RATE: _MAX_LONG,
    REQUEST_PERCENTAGE: None,
    CONTROLLER_MUTATION_RATE: None,
}
"""Name of a quota -> its largest limit, if limits are whole numbers."""
_IP_KEYS: Final[Mapping[str, float | None]] = {CONNECTION_CREATION_RATE: _MAX_INT}


class QuotaChanges(NamedTuple):
    """The outcome of a request."""

    records: list[ClientQuotaRecord]
    """The quotas of each valid entity after its change, which may be those that it has."""
    errors: dict[QuotaEntity, ApiError | None]
    """Entity as it is named -> error, None if its change is in *records*, in the order of the request."""


async def plan_changes(
    image: ClusterImage, entries: Sequence[RequestEntryData], unknown_hosts: Collection[str], budget: LoopBudget
) -> QuotaChanges:
    """Return the records that make the changes of *entries*, and the errors; yields the event loop meanwhile.

    *unknown_hosts* are those names of ip entities that are neither addresses nor hosts with an address.
    """
    records: list[ClientQuotaRecord] = []
    errors: dict[QuotaEntity, ApiError | None] = {}
    for entry in entries:
        await budget.yield_if_due()
        named = {each.entity_type: each.entity_name for each in entry.entity}
        entity = entity_of(named)
        if entity in errors:
            errors[entity] = ApiError(ErrorCode.INVALID_REQUEST, "the entity is named twice in one request")
            continue
        try:
            keys = _check_entity(named, unknown_hosts)
            quotas = _apply(image.client_quotas.get(entity, {}), keys, entry.ops)
        except ApiError as error:
            errors[entity] = error
            continue
        errors[entity] = None
        records.append(ClientQuotaRecord(entity, quotas or None))
    return QuotaChanges(records, errors)


def _check_entity(named: Mapping[str, str | None], unknown_hosts: Collection[str]) -> Mapping[str, float | None]:
    """Return the quotas that the entity may have; ApiError if there is no such entity."""
    if not named:
        raise ApiError(ErrorCode.INVALID_REQUEST, "an entity without a type")
    for kind, name in named.items():
        if kind not in ENTITY_TYPES:
            raise ApiError(ErrorCode.INVALID_REQUEST, f"there is no type of entity {kind!r}")
        if name == "":
            raise ApiError(ErrorCode.INVALID_REQUEST, f"the name of a {kind} is empty")
    if IP not in named:
        return _USER_AND_CLIENT_KEYS
    if len(named) > 1:
        raise ApiError(ErrorCode.INVALID_REQUEST, "addresses do not go with users and client ids")
    if named[IP] in unknown_hosts:
        raise ApiError(ErrorCode.INVALID_REQUEST, f"{named[IP]} is neither an address nor a host that can be resolved")
    return _IP_KEYS


def _apply(before: Mapping[str, float], keys: Mapping[str, float | None], ops: Iterable[OpData]) -> dict[str, float]:
    """Return the quotas of an entity after *ops*; ApiError if one of them is not valid."""
    if any(count > 1 for count in Counter(op.key for op in ops).values()):
        raise ApiError(ErrorCode.INVALID_REQUEST, "a quota is named twice for one entity")
    quotas = dict(before)
    for op in ops:
        if op.remove:
            quotas.pop(op.key, None)
        else:
            _check_limit(keys, op.key, op.value)
            quotas[op.key] = op.value
    return quotas


def _check_limit(keys: Mapping[str, float | None], key: str, limit: float) -> None:
    if key not in keys:
        raise ApiError(ErrorCode.INVALID_REQUEST, f"this entity has no quota {key!r}")
    if math.isnan(limit) or limit <= 0:
        raise ApiError(ErrorCode.INVALID_REQUEST, f"{key} must be greater than 0")
    largest = keys[key]
    if largest is None:
        return
    if limit > largest:
        raise ApiError(ErrorCode.INVALID_REQUEST, f"{key} is at most {largest:.0f}")
    if limit % 1.0 > _FRACTION:
        raise ApiError(ErrorCode.INVALID_REQUEST, f"{key} must be a whole number")
