"""Requests about a cluster as a whole: its id and brokers, the versions of APIs, its features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker import __version__
from wirebroker.client.admin import response_error
from wirebroker.client.connection import UnsupportedApi
from wirebroker.protocol.messages.api_versions import ApiVersionsRequest
from wirebroker.protocol.messages.describe_cluster import DescribeClusterRequest
from wirebroker.protocol.messages.unregister_broker import UnregisterBrokerRequest
from wirebroker.protocol.messages.update_features import FeatureUpdateKey, UpdateFeaturesRequest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wirebroker.client.admin import Admin
    from wirebroker.client.connection import Connection
    from wirebroker.protocol.messages.api_versions import ApiVersionsResponse

METADATA_VERSION: Final = "metadata.version"
_METADATA_VERSIONS: Final = """
3.0-IV1 3.1-IV0 3.2-IV0 3.3-IV0 3.3-IV1 3.3-IV2 3.3-IV3 3.4-IV0 3.5-IV0 3.5-IV1 3.5-IV2 3.6-IV0 3.6-IV1 3.6-IV2
3.7-IV0 3.7-IV1 3.7-IV2 3.7-IV3 3.7-IV4 3.8-IV0 3.9-IV0 4.0-IV0 4.0-IV1 4.0-IV2 4.0-IV3
""".split()  # noqa: SIM905 - a literal list is longer
"""The names of the levels of the feature metadata.version, from level 1 on."""
UPGRADE, SAFE_DOWNGRADE, UNSAFE_DOWNGRADE = 1, 2, 3
_WITH_FEATURES: Final = 3
"""The first version of ApiVersions with features."""
_WITH_TYPE: Final = 1
_WITH_FENCED: Final = 2


class BrokerInfo(NamedTuple):
    """A broker of the cluster."""

    broker_id: int
    host: str
    port: int
    rack: str | None
    is_fenced: bool | None
    """None if the cluster does not say."""


class ClusterInfo(NamedTuple):
    """The id of a cluster, its controller (or, in KRaft, the broker that answers for it) and its brokers."""

    cluster_id: str | None
    controller_id: int | None
    brokers: list[BrokerInfo]


class Feature(NamedTuple):
    """A feature: the levels that a broker supports, and the one that the cluster has."""

    name: str
    min_version: int
    max_version: int
    finalized_level: int


def describe_cluster(admin: Admin) -> ClusterInfo:
    """Return id, controller and brokers of the cluster; brokers before 2.8 are asked for Metadata.

    Raises:
        ResponseError: the broker refuses.
    """
    try:
        version = admin.first.version(DescribeClusterRequest)
    except UnsupportedApi:
        found = admin.metadata(())
        brokers = [BrokerInfo(each.node_id, each.host, each.port, each.rack, None) for each in found.brokers]
        return ClusterInfo(found.cluster_id, _known(found.controller_id), sorted(brokers))
    has_fenced = version >= _WITH_FENCED
    response = admin.first.send(DescribeClusterRequest(include_fenced_brokers=has_fenced))
    if response.error_code:
        raise response_error("cluster", response.error_code, response.error_message)
    return ClusterInfo(
        response.cluster_id,
        _known(response.controller_id),
        sorted(
            BrokerInfo(each.broker_id, each.host, each.port, each.rack, each.is_fenced if has_fenced else None)
            for each in response.brokers
        ),
    )


def _known(controller_id: int) -> int | None:
    return controller_id if controller_id >= 0 else None


def api_versions(broker: Connection) -> ApiVersionsResponse:
    """Return the APIs and features of a broker.

    Raises:
        ResponseError: the broker refuses.
    """
    request = ApiVersionsRequest()
    if broker.version(ApiVersionsRequest) >= _WITH_FEATURES:
        request.client_software_name, request.client_software_version = "wirebroker", __version__
    response: ApiVersionsResponse = broker.send(request)
    if response.error_code:
        raise response_error(f"broker at {broker.address}", response.error_code)
    return response


def features_of(response: ApiVersionsResponse) -> tuple[list[Feature], int | None]:
    """Return the features in a response, sorted, and the epoch of their levels, None if there is none."""
    finalized = {each.name: each.max_version_level for each in response.finalized_features}
    features = [
        Feature(each.name, each.min_version, each.max_version, finalized.get(each.name, 0))
        for each in response.supported_features
    ]
    epoch = response.finalized_features_epoch
    return sorted(features), epoch if epoch >= 0 else None


def level_text(feature: str, level: int) -> str:
    """Return a level as kafka-features.sh writes it: for metadata.version the release and the number of the change."""
    if feature != METADATA_VERSION:
        return str(level)
    return _METADATA_VERSIONS[level - 1] if 1 <= level <= len(_METADATA_VERSIONS) else f"UNKNOWN {level}"


def level_number(feature: str, text: str) -> int:
    """Return the number of a level; that of metadata.version may be named by its release, as 3.9 or 3.9-IV0.

    Raises:
        ValueError: *text* is no level, in Kafka's words.
    """
    if feature == METADATA_VERSION and "." in text:
        fitting = [each for each in _METADATA_VERSIONS if each == text or each.startswith(f"{text}-")]
        if not fitting:
            raise ValueError(
                f"Unknown metadata.version {text}. Supported metadata.version are {', '.join(_METADATA_VERSIONS)}"
            )
        return _METADATA_VERSIONS.index(fitting[-1]) + 1
    try:
        return int(text)
    except ValueError:
        raise ValueError(
            f"Can't parse feature=level string {feature}={text}: unable to parse {text} as a short."
        ) from None


def update_features(
    admin: Admin, updates: Sequence[tuple[str, int, int]], *, validate_only: bool
) -> dict[str, str | None]:
    """Change levels of features, given as (feature, level, type of change); return the error of each, None for none.

    Raises:
        ResponseError: the controller refuses all of them.
    """
    controller = admin.controller()
    version = controller.version(UpdateFeaturesRequest)
    keys = [
        FeatureUpdateKey(name, level, upgrade_type=kind)
        if version >= _WITH_TYPE
        else FeatureUpdateKey(name, level, allow_downgrade=kind != UPGRADE)
        for name, level, kind in updates
    ]
    request = UpdateFeaturesRequest(timeout_ms=admin.timeout_ms, feature_updates=keys, validate_only=validate_only)
    response = controller.send(request)
    if response.error_code and not response.results:
        raise response_error("features", response.error_code, response.error_message)
    errors: dict[str, str | None] = {name: None for name, _, _ in updates}
    for result in response.results:
        if result.error_code:
            errors[result.feature] = str(result.error_message or response_error(result.feature, result.error_code))
    return errors


def unregister_broker(admin: Admin, broker_id: int) -> None:
    """Remove the registration of a broker, which KRaft keeps after the broker's end.

    Raises:
        UnsupportedApi: the cluster has no registrations that outlive a broker: it is one with ZooKeeper, or wirebroker.
        ResponseError: the cluster refuses.
    """
    response = admin.controller().send(UnregisterBrokerRequest(broker_id=broker_id))
    if response.error_code:
        raise response_error(f"broker {broker_id}", response.error_code, response.error_message)
