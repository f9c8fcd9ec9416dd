"""Regular expressions in the place of topics: `consume '^flights-.*'`.

A pattern begins with ^, which no name can, and must match a whole name, as in a Java consumer.  It stands for no
internal topic: these are read by their names only.
"""

from __future__ import annotations

import re
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from wirebroker.cli.command_table import UsageError
from wirebroker.cli.records.client_library import serve
from wirebroker.model import INTERNAL_TOPICS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_BEGIN: Final = "^"
_REFRESH_S: Final = 10.0
"""How often a member of a group asks for topics that are new."""
_FIRST_REFRESH_S: Final = 1.0
"""How often it asks as long as there is none."""


def is_pattern(topic: str) -> bool:
    """Return whether *topic* is a regular expression."""
    return topic.startswith(_BEGIN)


def check_patterns(topics: Iterable[str]) -> None:
    """Raise UsageError for a pattern that cannot be read."""
    for topic in filter(is_pattern, topics):
        try:
            re.compile(topic)
        except re.error as fault:
            raise UsageError(f"{topic!r} is no regular expression: {fault}") from None


def matching_topics(client: Any, topics: Sequence[str], timeout_s: float) -> list[str]:
    """Return *topics*, each once, with the names that there are now in the place of each pattern, which may be none.

    Raises:
        KafkaException: the cluster does not answer.
    """
    if not any(map(is_pattern, topics)):
        return list(dict.fromkeys(topics))
    present = sorted(set(serve(client.list_topics, timeout=timeout_s).topics) - INTERNAL_TOPICS)
    found: dict[str, None] = {}
    for topic in topics:
        found |= (
            dict.fromkeys(name for name in present if re.fullmatch(topic, name)) if is_pattern(topic) else {topic: None}
        )
    return list(found)


class PatternSubscription:
    """Subscribes a member of a group to the topics that match, and to others as they are created.

    librdkafka could match the names itself, but by POSIX's rules, which lack much of what Java's and Python's have.
    """

    def __init__(
        self,
        client: Any,
        topics: Sequence[str],
        timeout_s: float,
        subscribe: Callable[[list[str]], None],
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._client, self._topics, self._timeout_s = client, topics, timeout_s
        self._subscribe = subscribe
        self._clock = clock
        self._names: list[str] = []
        self._due_s = clock()

    def refresh(self) -> None:
        """Subscribe to what matches by now, unless the cluster was asked a moment ago or has nothing new."""
        now_s = self._clock()
        if now_s < self._due_s:
            return
        names = matching_topics(self._client, self._topics, self._timeout_s)
        self._due_s = now_s + (_REFRESH_S if names else _FIRST_REFRESH_S)
        if names and names != self._names:
            self._names = names
            self._subscribe(names)
