"""Wirebroker beside Apache Kafka: the same workloads, the same clients, one run, alternating.

``python -m tools.bench run`` writes ``RESULTS.md``; start reading at ``workloads.py`` (what is measured and
which ratio is wanted) and ``compare.py`` (who is measured when).  ``wire.py`` prepares the frames, ``raw.py``
sends them, ``librdkafka.py`` and ``clients.py`` drive the published clients, ``brokers.py`` starts and
watches the two brokers.
"""
