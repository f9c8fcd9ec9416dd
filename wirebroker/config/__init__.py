"""Configuration: Kafka's keys, parsed once, each value with its origin.

Open `load.py` first: it turns flags, environment and file into a `BrokerConfig` (`server.py`); `dynamic_config.py`
holds the current one of a running broker.  A key is declared once, in `sections/`, with default, bounds, scope, effect
and text (`keys.py`).  `topic.py` makes the `LogConfig` (`log.py`) of a topic; `describe.py` makes the entries of
DescribeConfigs; `unsupported.py` finds the settings that are not obeyed.

A key takes effect where its attribute is read: `max.connections.per.ip` is `max_connections_per_ip` of the BrokerConfig
or of a `Section` of it (`section.py`), the topic key `retention.ms` is `retention_ms` of the LogConfig.

Imports `releases` and nothing that waits.
"""
