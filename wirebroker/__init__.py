"""wirebroker: a broker that stock Kafka clients cannot tell from Apache Kafka.

Open `broker.py` first: it builds the packages ("rooms") from the bottom up.  Upper ones may import lower ones:

    cli > broker > standalone, cluster_member > composition > startup > monitoring > scheduler, log_cleaner, server
        > handlers > cluster > kafka_controller > controller > coordinator > replication
        > metadata, client, zookeeper > storage > record > protocol > timer
        > model, clock, cancellation, loop_budget, inbox, config, quota, metrics > releases, collector, pipelines, jvm

`ARCHITECTURE.md` beside this file follows requests through the rooms, `GLOSSARY.md` explains words that Kafka lacks.
"""

from __future__ import annotations

__version__ = "0.1.0"
