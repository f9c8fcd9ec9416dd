"""ReleaseProfile: what wirebroker has to know of the release of Apache Kafka that it emulates (`--as-version`)."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

from wirebroker.releases.features import NEWEST_TRANSACTION_VERSION, TRANSACTION_VERSION, Feature, features_of
from wirebroker.releases.versions import is_at_least, release_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from wirebroker.releases.api_versions import VersionRange
    from wirebroker.releases.config_keys import KeyDifferences
    from wirebroker.releases.error_codes import Code


_LAST_WITH_ZOOKEEPER: Final = "3.9"
_WITH_KRAFT_ONLY: Final = frozenset({74, 75})
"""The APIs ListClientMetricsResources and DescribeTopicPartitions, which no broker with ZooKeeper serves."""


class ReleaseProfile:
    """The behaviour of one release, or of wirebroker itself, which serves more than any release did.

    The tables of the releases are imported when a profile of a release needs them, which most brokers never do.

    Args:
        version: A version of Apache Kafka such as "2.0.1"; None for wirebroker itself.
        transaction_version: The highest level for the feature transaction.version; clients use the newer protocol at 2.
        in_cluster: Whether the broker is in a cluster with ZooKeeper, where wirebroker serves what 3.9 does, the last
            release with ZooKeeper, so that clients see the same versions on all brokers.

    Raises:
        UnknownRelease: *version* is of no known release.
    """

    def __init__(
        self,
        version: str | None = None,
        transaction_version: int = NEWEST_TRANSACTION_VERSION,
        *,
        in_cluster: bool = False,
    ) -> None:
        self.in_cluster = in_cluster
        """Whether the broker is in a cluster with ZooKeeper."""
        self.release = None if version is None else release_of(version)
        """The release emulated, one of RELEASES; None for wirebroker itself."""
        self._transaction_version = transaction_version

    def __repr__(self) -> str:
        return f"ReleaseProfile({self.release})"

    def is_at_least(self, release: str) -> bool:
        """Return whether *release* or a later one is emulated; True for wirebroker itself."""
        return self.release is None or is_at_least(self.release, release)

    def emulates(self, release: str) -> bool:
        """Return whether *release* or a later one is emulated; False for wirebroker itself.

        That is for what releases since 4.0 do in another way: wirebroker itself does as 3.9.
        """
        return self.release is not None and is_at_least(self.release, release)

    # -- ApiVersions

    @cached_property
    def api_versions(self) -> Mapping[int, VersionRange] | None:
        """API key -> versions of the release; None if all versions that there are may be served."""
        release = self.release or (_LAST_WITH_ZOOKEEPER if self.in_cluster else None)
        if release is None:
            return None
        from wirebroker.releases.api_versions import api_versions

        found = api_versions(release, with_zookeeper=self.in_cluster)
        if self.in_cluster:
            return {key: versions for key, versions in found.items() if key not in _WITH_KRAFT_ONLY}
        return found

    @cached_property
    def features(self) -> tuple[Feature, ...]:
        """The features of the cluster (KIP-584); with ZooKeeper there are none."""
        if self.in_cluster:
            return ()
        if self.release is None:
            newest = NEWEST_TRANSACTION_VERSION
            features: tuple[Feature, ...] = (Feature(TRANSACTION_VERSION, 0, newest, newest),)
        else:
            features = features_of(self.release)
        return tuple(
            each._replace(level=min(each.level, self._transaction_version))
            if each.name == TRANSACTION_VERSION
            else each
            for each in features
        )

    @property
    def transaction_version(self) -> int:
        """The level of the feature transaction.version; 0 for a release that does not know the feature."""
        return next((each.level for each in self.features if each.name == TRANSACTION_VERSION), 0)

    @property
    def features_epoch(self) -> int:
        """The epoch of the features in ApiVersions; -1 before releases knew of features."""
        return 0 if self.is_at_least("2.7") else -1

    @property
    def advertises_on_unsupported_version(self) -> bool:
        """Whether an ApiVersions request of an unsupported version is answered with the supported ones (KIP-511)."""
        return self.is_at_least("2.4")

    # -- behaviour

    @property
    def is_zookeeper_era(self) -> bool:
        """Whether the broker runs with ZooKeeper, or the release ran with ZooKeeper only."""
        return self.in_cluster or not self.is_at_least("3.3")

    @property
    def limits_min_isr_to_replicas(self) -> bool:
        """Whether min.insync.replicas asks for no more in-sync replicas than a partition has replicas.

        Before 3.7, acks=all to a topic whose min.insync.replicas is above its replicas is refused (KAFKA-15583).
        """
        return self.is_at_least("3.7")

    @property
    def has_record_errors(self) -> bool:
        """Whether a batch refused for single records is answered with them and the log start offset (KIP-467)."""
        return self.is_at_least("2.4")

    @property
    def refuses_log_append_time(self) -> bool:
        """Whether a producer may not set LogAppendTime even for topics with CreateTime, which drop it since 3.6."""
        return not self.is_at_least("3.6")

    @cached_property
    def verifies_produce(self) -> bool:
        """Whether a transactional Produce is refused before its producer has added the partitions (KIP-890)."""
        return self.is_at_least("3.6")

    @cached_property
    def verifies_txn_offset_commit(self) -> bool:
        """Whether a TxnOffsetCommit is refused before its producer has added the group's offsets (KIP-890)."""
        return self.is_at_least("3.7")

    def older_codes(self, codes: Iterable[Code]) -> Mapping[int, int]:
        """Return code -> the code that the release answers in its place, for those of *codes* that it does not know."""
        if self.release is None:
            return {}
        from wirebroker.releases.error_codes import older_codes

        return older_codes(self.release, codes)

    # -- configuration

    def key_differences(self) -> KeyDifferences | None:
        """Return how the config keys of the release differ from the registry of config; None for wirebroker itself."""
        if self.release is None:
            return None
        from wirebroker.releases.config_keys import key_differences

        return key_differences(self.release)


WIREBROKER = ReleaseProfile()
"""No emulation."""
