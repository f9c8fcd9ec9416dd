"""QuotaManagers: the quotas of a broker that clients are throttled by (Kafka: QuotaFactory)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.quota.manager import ClientQuotaManager
from wirebroker.quota.mutation_quota import ControllerMutationQuotaManager
from wirebroker.quota.rate import QuotaWindow

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wirebroker.quota.levels import QuotaEntity

PRODUCER_BYTE_RATE: Final = "producer_byte_rate"
CONSUMER_BYTE_RATE: Final = "consumer_byte_rate"
REQUEST_PERCENTAGE: Final = "request_percentage"
CONTROLLER_MUTATION_RATE: Final = "controller_mutation_rate"
CONNECTION_CREATION_RATE: Final = "connection_creation_rate"

_DEFAULT_WINDOW: Final = QuotaWindow()
_NO_LIMIT: Final = 2**63 - 1
"""The default of the keys quota.producer.default and quota.consumer.default."""


class QuotaManagers:
    """A manager of each quota; handlers ask its `enabled` before anything else.

    Args:
        window: The samples that rates are measured over.
        controller_window: The time whose tokens a client of controller_mutation_rate may use at once.
        producer_default: Bytes per second of each client id without a quota; the largest long is no limit.
        consumer_default: The same for what clients fetch.
    """

    def __init__(
        self,
        window: QuotaWindow = _DEFAULT_WINDOW,
        *,
        controller_window: QuotaWindow = _DEFAULT_WINDOW,
        producer_default: int = _NO_LIMIT,
        consumer_default: int = _NO_LIMIT,
    ) -> None:
        self.produce = ClientQuotaManager(PRODUCER_BYTE_RATE, window, static_default=_static_default(producer_default))
        self.fetch = ClientQuotaManager(CONSUMER_BYTE_RATE, window, static_default=_static_default(consumer_default))
        self.request = ClientQuotaManager(REQUEST_PERCENTAGE, window, max_throttle_ms=window.size_ms)
        self.controller_mutation = ControllerMutationQuotaManager(CONTROLLER_MUTATION_RATE, controller_window)

    def update(self, quotas: Mapping[QuotaEntity, Mapping[str, float]]) -> None:
        """Take the limits from *quotas*, all quotas of each entity."""
        self.produce.update(quotas)
        self.fetch.update(quotas)
        self.request.update(quotas)
        self.controller_mutation.update(quotas)


def _static_default(limit: int) -> float | None:
    return None if limit == _NO_LIMIT else float(limit)
