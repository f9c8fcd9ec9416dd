"""Configuration: Kafka's keys, parsed once, each value knowing where it came from.

Open `load.py` first: it turns flags, environment and file into a `BrokerConfig` (`server.py`).  A key is declared
once, in `sections/`, with its text.  `topic.py` lays a topic's own settings over the broker's and makes the `LogConfig`
(`log.py`) that storage obeys; `describe.py` answers where a value comes from; `unsupported.py` finds the settings
that are not obeyed, and refuses the start for those that somebody relies on.

Imports nothing of wirebroker and nothing that waits.
"""
