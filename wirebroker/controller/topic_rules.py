"""Validation of new topics and partitions against an image, and the assignment of their replicas; pure.

Codes and their order are those of Apache Kafka 3.9.1: of a KRaft broker for a broker alone, of one with ZooKeeper for
one in a cluster or in a release that ran with ZooKeeper only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, NoReturn

from wirebroker.config.topic import check_settings
from wirebroker.config.values import ConfigError
from wirebroker.controller.assignment import assign
from wirebroker.metadata.image import NO_LEADER, ClusterImage, PartitionImage, unify_collision_chars
from wirebroker.metadata.topic_names import detect_invalid_topic
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from wirebroker.config.server import BrokerConfig

USE_DEFAULT = -1
MOST_PARTITIONS_PER_REQUEST = 10_000  # as in Kafka; all are in one journal entry
_FORBIDDEN_SINCE = "3.4"
_NULL_CONFIG_CODES = (("2.6", ErrorCode.UNKNOWN_SERVER_ERROR), ("3.3", ErrorCode.INVALID_REQUEST))
"""Release, and the code with which those before it refuse a setting whose value is null."""
FORBIDDEN_NAMES = frozenset({"__cluster_metadata"})  # Kafka's metadata log; its tools take a topic of that name for one


class NewTopic(NamedTuple):
    """A requested topic, with counts (USE_DEFAULT for the broker's) or with *assignments*: (partition, replicas)."""

    name: str
    partition_count: int = USE_DEFAULT
    replication_factor: int = USE_DEFAULT
    assignments: Sequence[tuple[int, Sequence[int]]] = ()
    configs: Mapping[str, str | None] | None = None


class NewPartitions(NamedTuple):
    """A request for *total_count* partitions; *assignments* are the replicas of each new one, None to assign them."""

    topic: str
    total_count: int
    assignments: Sequence[Sequence[int]] | None = None


class Plan(NamedTuple):
    """A valid topic, complete except for its id."""

    partitions: tuple[PartitionImage, ...]
    configs: dict[str, str]


def plan_topic(new: NewTopic, image: ClusterImage, config: BrokerConfig) -> Plan:
    """Return the partitions and settings of a new topic.

    Args:
        new: the requested topic.
        image: the brokers and topics that there are.
        config: the settings of this broker.

    Raises:
        ApiError: the topic cannot be created.
    """
    profile = config.release_profile
    if new.name in FORBIDDEN_NAMES and profile.is_at_least(_FORBIDDEN_SINCE):
        raise ApiError(ErrorCode.INVALID_REQUEST, f"topic {new.name} cannot be created: the name is reserved")
    if profile.is_zookeeper_era:
        return _plan_topic_with_zookeeper(new, image, config)
    _check_name(new.name, image)
    configs = _checked_configs(new, config)
    assignments: Sequence[Sequence[int]]
    if new.assignments:
        _check_no_counts(new)
        assignments = _requested_replicas(new, image, allow_unknown_brokers=False)
    else:
        assignments = _assigned_replicas(new, image, config)
    return Plan(new_partitions(assignments, image), configs)


def _plan_topic_with_zookeeper(new: NewTopic, image: ClusterImage, config: BrokerConfig) -> Plan:
    """Return the same as `plan_topic`, after checks in the order of a controller with ZooKeeper.

    Given replicas may be on brokers that the image lacks: they may be down.
    """
    _check_is_new(new.name, image)
    if new.configs and None in new.configs.values():
        _refuse_null_config(new.name, config)
    assignments: Sequence[Sequence[int]]
    if new.assignments:
        _check_no_counts(new)
        _check_name(new.name, image)
        assignments = _requested_replicas(new, image, allow_unknown_brokers=True)
    else:
        assignments = _assigned_replicas(new, image, config)
        _check_name(new.name, image)
    return Plan(new_partitions(assignments, image), _checked_configs(new, config))


def _refuse_null_config(name: str, config: BrokerConfig) -> NoReturn:
    codes = (code for release, code in _NULL_CONFIG_CODES if not config.release_profile.is_at_least(release))
    raise ApiError(next(codes, ErrorCode.INVALID_CONFIG), f"a setting of topic {name} has the value null")


def check_creation_with_zookeeper(plan: Plan, name: str, image: ClusterImage, earlier: dict[str, str]) -> None:
    """Refuse a planned topic that a controller with ZooKeeper, for which only this broker is there, does not create.

    Such a controller creates the topics of a request one after the other.

    Args:
        plan: the topic.
        name: its name.
        image: the brokers that there are.
        earlier: metric name -> name of the topics before this one, which is added.

    Raises:
        ApiError: the topic cannot be created.
    """
    other = earlier.setdefault(unify_collision_chars(name), name)
    if other != name:
        raise ApiError(ErrorCode.INVALID_TOPIC_EXCEPTION, f"topic name {name} collides with {other}")
    missing = {broker for each in plan.partitions for broker in each.replicas} - image.brokers.keys()
    if missing:
        message = f"brokers {', '.join(map(str, sorted(missing)))} do not join: the partitions get no leaders"
        raise ApiError(ErrorCode.REQUEST_TIMED_OUT, message)


def _check_name(name: str, image: ClusterImage) -> None:
    reason = detect_invalid_topic(name)
    if reason is not None:
        raise ApiError(ErrorCode.INVALID_TOPIC_EXCEPTION, reason)
    _check_is_new(name, image)
    others = image.topics_colliding_with(name)
    if others:
        reason = f"topic name {name} collides with {', '.join(others)}: metrics take '.' and '_' for the same"
        raise ApiError(ErrorCode.INVALID_TOPIC_EXCEPTION, reason)


def _check_is_new(name: str, image: ClusterImage) -> None:
    if name in image.topics:
        raise ApiError(ErrorCode.TOPIC_ALREADY_EXISTS, f"topic {name} already exists")


def _checked_configs(new: NewTopic, config: BrokerConfig) -> dict[str, str]:
    try:
        return check_settings(new.configs or {}, config.topic_defaults, config.keys.topic)
    except ConfigError as error:
        raise ApiError(ErrorCode.INVALID_CONFIG, str(error)) from error


def plan_partitions(new: NewPartitions, image: ClusterImage) -> tuple[PartitionImage, ...]:
    """Return the partitions to add to a topic.

    Raises:
        ApiError: the request is not valid.
    """
    topic = image.topic(new.topic)
    if topic is None:
        raise ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    existing = len(topic.partitions)
    added = new.total_count - existing
    if added <= 0:
        raise ApiError(
            ErrorCode.INVALID_PARTITIONS,
            f"topic {new.topic} has {existing} partitions already; {new.total_count} is not more",
        )
    if added > MOST_PARTITIONS_PER_REQUEST:
        raise ApiError(ErrorCode.POLICY_VIOLATION, f"{added} new partitions; at most {MOST_PARTITIONS_PER_REQUEST}")
    replication_factor = len(topic.partitions[0].replicas)
    if new.assignments is None:
        racks = {broker.node_id: broker.rack for broker in image.live_brokers()}
        if replication_factor > len(racks):
            raise ApiError(ErrorCode.INVALID_REPLICATION_FACTOR, _too_few(replication_factor, len(racks)))
        first_leader = topic.partitions[0].replicas[0]
        start = next((at for at, broker in enumerate(sorted(racks)) if broker >= first_leader), 0)
        assigned = assign(racks, added, replication_factor, start=start, shift=start, first_partition=existing)
        return new_partitions(assigned, image)
    if len(new.assignments) != added:
        raise ApiError(
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
            f"{added} partitions are to be added, but replicas are given for {len(new.assignments)}",
        )
    check_replicas(new.assignments, image, replication_factor)
    return new_partitions(new.assignments, image)


def check_replicas(
    assignments: Iterable[Sequence[int]],
    image: ClusterImage,
    replication_factor: int | None = None,
    *,
    allow_unknown_brokers: bool = False,
) -> None:
    """Check that replica lists are not empty, of equal length, and without repeated or unknown brokers.

    Raises:
        ApiError: INVALID_REPLICA_ASSIGNMENT.
    """
    for replicas in assignments:
        if not replicas:
            raise ApiError(ErrorCode.INVALID_REPLICA_ASSIGNMENT, "a partition is given no replicas")
        for broker in replicas:
            if broker not in image.brokers and not allow_unknown_brokers:
                raise ApiError(ErrorCode.INVALID_REPLICA_ASSIGNMENT, f"there is no broker {broker}")
        if len(set(replicas)) < len(replicas):
            raise ApiError(ErrorCode.INVALID_REPLICA_ASSIGNMENT, "a partition is given the same broker twice")
        if replication_factor is None:
            replication_factor = len(replicas)
        elif len(replicas) != replication_factor:
            raise ApiError(
                ErrorCode.INVALID_REPLICA_ASSIGNMENT,
                f"a partition is given {len(replicas)} replicas, others have {replication_factor}",
            )


def check_racks(image: ClusterImage) -> None:
    """Check that all live brokers have racks, or none has.

    Raises:
        ApiError: UNKNOWN_SERVER_ERROR, as brokers with ZooKeeper answer.
    """
    without = [broker.node_id for broker in image.live_brokers() if broker.rack is None]
    if 0 < len(without) < len(image.live_brokers()):
        raise ApiError(
            ErrorCode.UNKNOWN_SERVER_ERROR,
            f"brokers {', '.join(map(str, sorted(without)))} have no broker.rack and the others have one: replicas "
            "cannot be spread over racks; set broker.rack for all brokers or for none",
        )


def new_partitions(assignments: Iterable[Sequence[int]], image: ClusterImage) -> tuple[PartitionImage, ...]:
    """Return new partitions: every live replica is in sync, and the first of them leads; no replica may be live."""
    made: dict[tuple[int, ...], PartitionImage] = {}  # equal ones are shared
    partitions: list[PartitionImage] = []
    for assignment in assignments:
        replicas = tuple(assignment)
        if replicas not in made:
            isr = tuple(broker for broker in replicas if broker in image.brokers)
            made[replicas] = PartitionImage(isr[0] if isr else NO_LEADER, 0, replicas, isr)
        partitions.append(made[replicas])
    return tuple(partitions)


def _check_no_counts(new: NewTopic) -> None:
    for field, value in (("replication factor", new.replication_factor), ("partition count", new.partition_count)):
        if value != USE_DEFAULT:
            raise ApiError(
                ErrorCode.INVALID_REQUEST, f"replicas are given for each partition, so the {field} must be -1"
            )


def _requested_replicas(new: NewTopic, image: ClusterImage, *, allow_unknown_brokers: bool) -> Sequence[Sequence[int]]:
    _check_count(len(new.assignments))
    by_partition: dict[int, Sequence[int]] = {}
    for partition, replicas in new.assignments:
        if partition in by_partition:
            raise ApiError(ErrorCode.INVALID_REPLICA_ASSIGNMENT, f"replicas of partition {partition} are given twice")
        by_partition[partition] = replicas
        check_replicas([replicas], image, allow_unknown_brokers=allow_unknown_brokers)
    if sorted(by_partition) != list(range(len(by_partition))):
        raise ApiError(ErrorCode.INVALID_REPLICA_ASSIGNMENT, "partitions must be numbered from 0 without gaps")
    assignments = [by_partition[partition] for partition in range(len(by_partition))]
    check_replicas(assignments, image, allow_unknown_brokers=allow_unknown_brokers)
    return assignments


def _check_count(partition_count: int) -> None:
    if partition_count > MOST_PARTITIONS_PER_REQUEST:
        raise ApiError(
            ErrorCode.POLICY_VIOLATION, f"{partition_count} partitions; at most {MOST_PARTITIONS_PER_REQUEST}"
        )


def _assigned_replicas(new: NewTopic, image: ClusterImage, config: BrokerConfig) -> list[tuple[int, ...]]:
    if new.replication_factor == 0 or new.replication_factor < USE_DEFAULT:
        raise ApiError(
            ErrorCode.INVALID_REPLICATION_FACTOR, "the replication factor must be at least 1, or -1 for the default"
        )
    if new.partition_count == 0 or new.partition_count < USE_DEFAULT:
        raise ApiError(ErrorCode.INVALID_PARTITIONS, "there must be at least 1 partition, or -1 for the default")
    partition_count = config.num_partitions if new.partition_count == USE_DEFAULT else new.partition_count
    replication_factor = (
        config.default_replication_factor if new.replication_factor == USE_DEFAULT else new.replication_factor
    )
    if replication_factor < 1:
        raise ApiError(
            ErrorCode.INVALID_REPLICATION_FACTOR,
            f"default.replication.factor={replication_factor}: the replication factor must be at least 1",
        )
    racks = {broker.node_id: broker.rack for broker in image.live_brokers()}
    if replication_factor > len(racks):
        raise ApiError(ErrorCode.INVALID_REPLICATION_FACTOR, _too_few(replication_factor, len(racks)))
    check_racks(image)
    _check_count(partition_count)
    # the number of topics spreads leaders as well as a random number, and is repeatable
    return assign(racks, partition_count, replication_factor, start=len(image.topics), shift=len(image.topics))


def _too_few(wanted: int, there: int) -> str:
    return f"{wanted} replicas of a partition need as many brokers, and there are {there}"
