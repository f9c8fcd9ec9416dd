"""Client quotas: DescribeClientQuotas (key 48), AlterClientQuotas (49).

Specs: protocol_specs/48_describe_client_quotas (v0-v1), 49_alter_client_quotas (v0-v1).
KIPs: 546 quotas through the admin client, 612 quotas of addresses.
Waits: AlterClientQuotas until the change is durable and in effect, and for the resolver if an ip entity is a host name.
"""

from __future__ import annotations

import ipaddress
import logging
import socket
from typing import TYPE_CHECKING, Final

from wirebroker.handlers.client_quota_changes import QuotaChanges, plan_changes
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.protocol.messages.alter_client_quotas import (
    AlterClientQuotasResponse,
    ResponseEntityData,
    ResponseEntryData,
)
from wirebroker.protocol.messages.describe_client_quotas import (
    DescribeClientQuotasRequest,
    DescribeClientQuotasResponse,
    EntityData,
    EntryData,
    ValueData,
)
from wirebroker.quota.levels import ENTITY_TYPES, IP
from wirebroker.replication.worker_threads import WorkerThreads

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from wirebroker.handlers.context import RequestContext
    from wirebroker.metadata.image import ClusterImage
    from wirebroker.metadata.records import ClientQuotaRecord
    from wirebroker.protocol.messages.alter_client_quotas import AlterClientQuotasRequest, RequestEntryData
    from wirebroker.protocol.messages.describe_client_quotas import ComponentData
    from wirebroker.quota.levels import QuotaEntity

logger = logging.getLogger(__name__)

_HOST_LOOKUPS: Final = WorkerThreads(threads=4)
"""Threads of their own: a name server that does not answer keeps one for many seconds."""
_EXACT: Final = 0
_DEFAULT: Final = 1
_ANY: Final = 2


async def handle_describe_client_quotas(
    context: RequestContext, request: DescribeClientQuotasRequest
) -> DescribeClientQuotasResponse:
    """Return the quotas of the entities that match all components of the filter, or the error of the filter."""
    try:
        _check(request.components, in_cluster=context.services.config.current.in_cluster)
    except ApiError as error:
        return DescribeClientQuotasResponse(error_code=error.code, error_message=error.detail, entries=None)
    budget = context.start_budget()
    entries = []
    for entity, quotas in context.services.metadata.image.client_quotas.items():
        await budget.yield_if_due()
        if _matches(dict(entity), request):
            entries.append(
                EntryData([EntityData(*part) for part in entity], [ValueData(*each) for each in quotas.items()])
            )
    return DescribeClientQuotasResponse(entries=entries)


def _matches(named: Mapping[str, str | None], request: DescribeClientQuotasRequest) -> bool:
    if request.strict and len(named) != len(request.components):
        return False
    return all(
        each.entity_type in named
        and (each.match_type == _ANY or named[each.entity_type] == (each.match if each.match_type == _EXACT else None))
        for each in request.components
    )


def _check(components: list[ComponentData], *, in_cluster: bool) -> None:
    seen: set[str] = set()
    for each in components:
        kind = each.entity_type
        if not kind:
            raise ApiError(ErrorCode.INVALID_REQUEST, "a filter without a type of entity")
        if kind in seen:
            raise ApiError(ErrorCode.INVALID_REQUEST, f"two filters for {kind}")
        if kind not in ENTITY_TYPES:
            raise ApiError(ErrorCode.UNSUPPORTED_VERSION, f"there is no type of entity {kind}")
        seen.add(kind)
        if each.match_type not in (_EXACT, _DEFAULT, _ANY):
            raise ApiError(ErrorCode.INVALID_REQUEST, f"there is no match type {each.match_type}")
        if each.match_type == _EXACT:
            if each.match is None:
                raise ApiError(ErrorCode.INVALID_REQUEST, "an exact match needs a name")
        elif each.match is not None and not in_cluster:  # a broker with ZooKeeper ignores it
            raise ApiError(ErrorCode.INVALID_REQUEST, "a name goes with exact matches only")
    if IP in seen and len(seen) > 1:
        raise ApiError(ErrorCode.INVALID_REQUEST, "addresses do not go with users and client ids")


async def handle_alter_client_quotas(
    context: RequestContext, request: AlterClientQuotasRequest
) -> AlterClientQuotasResponse:
    """Change the quotas of entities; each succeeds or fails by itself, and validate_only changes none."""
    services = context.services
    budget = context.start_budget()
    names = set(await budget.collect(_host_names(request.entries))) - {""}
    unknown_hosts = await _HOST_LOOKUPS.run(_unknown_hosts, names) if names else names
    changes = await plan_changes(services.metadata.image, request.entries, unknown_hosts, budget)
    changed: list[ClientQuotaRecord] = []
    if not request.validate_only and changes.records:

        async def alter(image: ClusterImage) -> Sequence[ClientQuotaRecord]:
            nonlocal changes
            changes = await plan_changes(image, request.entries, unknown_hosts, budget)
            changed[:] = await budget.collect(each for each in changes.records if each.changes(image))
            return changes.records

        try:
            await services.administration.alter_client_quotas([each.entity for each in changes.records], alter)
        except ApiError as error:
            changes = QuotaChanges([], {entity: before or error for entity, before in changes.errors.items()})
            changed.clear()
        for record in changed:
            _log(context, record)
            await budget.yield_if_due()
    answers = (_answer(*each) for each in changes.errors.items())
    return AlterClientQuotasResponse(entries=await budget.collect(answers))


def _answer(entity: QuotaEntity, error: ApiError | None) -> ResponseEntryData:
    named = [ResponseEntityData(*part) for part in entity]
    if error is None:
        return ResponseEntryData(ErrorCode.NONE, None, named)
    return ResponseEntryData(error.code, error.detail, named)


def _log(context: RequestContext, record: ClientQuotaRecord) -> None:
    name = ", ".join(f"{kind} {'<default>' if name is None else name}" for kind, name in record.entity)
    quotas = record.quotas or {}
    logger.info(
        "quotas of %s: set to %s by client_id=%s peer=%s",
        name,
        ", ".join(f"{key}={limit:g}" for key, limit in quotas.items()) or "nothing",
        context.client_id,
        context.client_host,
    )


def _host_names(entries: Iterable[RequestEntryData]) -> Iterator[str]:
    """Yield the names of ip entities that are not written as addresses, and an empty one for each other entity."""
    for entry in entries:
        name = {each.entity_type: each.entity_name for each in entry.entity}.get(IP) or ""
        yield "" if _is_address(name) else name


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _unknown_hosts(names: Iterable[str]) -> set[str]:
    """Return those of *names* that cannot be resolved; to be called in a thread."""
    unknown: set[str] = set()
    for name in names:
        try:
            socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            unknown.add(name)
    return unknown
