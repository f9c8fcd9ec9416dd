"""Administration: the requests of handlers that change the cluster's metadata, wherever the controller is.

Two classes have these methods: `Controller`, on a broker that is a cluster by itself, and, on a broker of a cluster
with ZooKeeper, one that writes znodes, or says that another broker is the controller.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple, Protocol

from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from wirebroker.controller.topic_rules import NewPartitions, NewTopic
    from wirebroker.metadata.image import ClusterImage, TopicImage
    from wirebroker.metadata.records import ClientQuotaRecord, ConfigsRecord
    from wirebroker.model import TopicPartition
    from wirebroker.quota.levels import QuotaEntity
    from wirebroker.quota.mutation_quota import ControllerMutationQuota
    from wirebroker.zookeeper.znodes.topics import ReplicaAssignment


ConfigAlteration = Callable[["ClusterImage"], Awaitable["Sequence[ConfigsRecord]"]]
"""Returns the records that alter configs, for an image with the present ones."""
QuotaAlteration = Callable[["ClusterImage"], "Awaitable[Sequence[ClientQuotaRecord]]"]
"""Returns the records that alter client quotas, for an image with the present ones."""


class ElectionType(IntEnum):
    """The type in ElectLeaders."""

    PREFERRED = 0
    """The first replica is to lead."""
    UNCLEAN = 1
    """Any live replica is to lead a partition without a leader."""


class TopicResult(NamedTuple):
    """The outcome for one topic of a request."""

    name: str
    error: ErrorCode = ErrorCode.NONE
    message: str | None = None
    topic: TopicImage | None = None
    """The topic that was created or deleted."""
    configs: Mapping[str, str] = {}
    """The settings of a created topic."""
    is_complete: Callable[[ClusterImage], bool] = lambda _: True
    """Returns whether an image shows the change: in a cluster its brokers hear of it later."""


class Administration(Protocol):
    """Creates, grows and deletes topics, alters configs, and allocates producer ids.

    Every method that waits may raise ApiError NOT_CONTROLLER: the client has to ask another broker.
    """

    @property
    def is_active(self) -> bool:
        """Whether this broker is the active controller, which alone changes topics and reassigns partitions."""
        ...

    @property
    def completes_later(self) -> bool:
        """Whether changes of topics are complete only when the image shows them; a request without time begins them."""
        ...

    async def create_topics(
        self, topics: Sequence[NewTopic], quota: ControllerMutationQuota | None = None, *, validate_only: bool = False
    ) -> list[TopicResult]:
        """Create the valid ones of *topics*, whose names are different.

        Args:
            topics: Topics with different names.
            quota: The quota that the partitions count for, also with *validate_only*; None is none.
            validate_only: Check them, and create none.

        Returns:
            One result for each of *topics*, in order.
        """
        ...

    async def create_partitions(
        self,
        requests: Sequence[NewPartitions],
        quota: ControllerMutationQuota | None = None,
        *,
        validate_only: bool = False,
    ) -> list[TopicResult]:
        """Add partitions to topics; arguments and result are as those of `create_topics`."""
        ...

    async def delete_topics(
        self, topics: Sequence[TopicImage], quota: ControllerMutationQuota | None = None
    ) -> list[TopicResult]:
        """Delete different topics, whose partitions count for *quota*; return one result for each of them."""
        ...

    async def elect_leaders(
        self, partitions: Collection[TopicPartition], election_type: ElectionType
    ) -> Mapping[TopicPartition, int | ApiError]:
        """Elect leaders of *partitions* that need it; return the new leader of each, or why it has none.

        Where `completes_later`, the image shows the new leaders later.
        """
        ...

    async def alter_partition_reassignments(
        self, targets: Mapping[TopicPartition, Sequence[int] | None], *, allow_replication_factor_change: bool
    ) -> Mapping[TopicPartition, ApiError | None]:
        """Begin, replace and (with None) cancel reassignments; return the error of each, None if it has begun."""
        ...

    async def list_partition_reassignments(
        self, partitions: Collection[TopicPartition] | None
    ) -> Mapping[TopicPartition, ReplicaAssignment]:
        """Return those of *partitions*, None is all, that are being reassigned."""
        ...

    async def image_with_configs(self, resources: Collection[tuple[int, str]]) -> ClusterImage:
        """Return the newest image, in which *resources*, each a type and a name, have the settings that are durable.

        In a cluster the image of MetadataCache may lack the settings of topics without a replica on this broker.

        Raises:
            ApiError: REQUEST_TIMED_OUT.
        """
        ...

    async def alter_configs(self, resources: Collection[tuple[int, str]], alter: ConfigAlteration) -> None:
        """Make the records that *alter* returns for the newest image durable.

        Args:
            resources: The type and name of each resource to alter, whose settings the image has; other records are
                not allowed.
            alter: Called again if another broker has altered one of the resources meanwhile.

        Raises:
            ApiError: any that *alter* raises, KAFKA_STORAGE_ERROR, REQUEST_TIMED_OUT.
        """
        ...

    async def alter_client_quotas(self, entities: Collection[QuotaEntity], alter: QuotaAlteration) -> None:
        """Make the records that *alter* returns for the newest image durable.

        Args:
            entities: The entities to alter, whose quotas the image has; other records are not allowed.
            alter: Called again if another broker has altered one of the entities meanwhile.

        Raises:
            ApiError: KAFKA_STORAGE_ERROR, REQUEST_TIMED_OUT.
        """
        ...

    async def allocate_producer_ids(self) -> range:
        """Allocate a block of producer ids that was never allocated before (KIP-730).

        Raises:
            ApiError: the block cannot be made durable.
        """
        ...

    async def auto_create(
        self, names: Iterable[str], quota: ControllerMutationQuota | None = None
    ) -> Mapping[str, ErrorCode]:
        """Begin to create topics that do not exist, with the defaults; failures are logged.

        Returns:
            The codes of topics that are refused, as far as they are known: a controller that decides later has none.
        """
        ...

    async def create_internal(self, name: str) -> None:
        """Create the internal topic *name* unless it exists; a failure is logged, and the caller looks again."""
        ...


def check_quota(quota: ControllerMutationQuota | None, partition_count: int) -> None:
    """Count *partition_count* partitions for *quota*.

    Raises:
        ApiError: THROTTLING_QUOTA_EXCEEDED.
    """
    if quota is not None and not quota.accepts(partition_count):
        raise ApiError(ErrorCode.THROTTLING_QUOTA_EXCEEDED)
