"""wirebroker: a broker that stock Kafka clients cannot tell from Apache Kafka.

Open `broker.py` first: it builds the rooms bottom-up.  Floors, upper may import lower:

    cli > broker > server > handlers > controller, security, transaction > coordinator
        > replication > metadata, client > storage > record > protocol > model, clock, config

`ARCHITECTURE.md` beside this file has the walks of a Produce and a Fetch request.
"""

from __future__ import annotations

__version__ = "0.1.0"
