"""TopicSettings: where the controller finds out which topics allow a leader that is not in sync."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Set

    from wirebroker.config.log import LogConfig
    from wirebroker.kafka_controller.controller_zk_client import ControllerZkClient

UNCLEAN_ELECTION: Final = "unclean.leader.election.enable"


class TopicSettings:
    """Reads `unclean.leader.election.enable` from ZooKeeper when it matters, as Kafka does; an UncleanElection.

    Args:
        zk_client: Reads the settings of topics.
        log_config: Returns the settings of a topic whose own settings are given, with the brokers' defaults now.
    """

    def __init__(self, zk_client: ControllerZkClient, log_config: Callable[[Mapping[str, str]], LogConfig]) -> None:
        self._zk_client, self._log_config = zk_client, log_config

    async def topics_with_unclean_election(self, topics: Set[str]) -> Set[str]:
        """Return those of *topics* that allow it."""
        found = await self._zk_client.get_topic_configs(topics)
        return {topic for topic, own in found.items() if self._log_config(own).unclean_leader_election_enable}
