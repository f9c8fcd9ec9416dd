"""Wirebroker beside Apache Kafka: the same workloads, the same clients, one run, alternating.

``python -m tools.bench run`` writes ``RESULTS.md``; start reading at ``workloads.py`` (what is measured, and the ratio
that is wanted) and ``compare.py`` (the order of measurements).  ``wire.py`` prepares frames and ``raw_client.py`` sends
them, ``librdkafka.py`` and ``client_processes.py`` drive the published clients, ``brokers.py`` starts and watches the
two brokers, and a workload uses one of them through a ``broker_session.py``.

Measurements of their own: ``groups.py``, ``transactions.py``, ``conversion.py`` (old message formats), ``loop_lag.py``
and ``loop_coordinators.py`` (how late the event loop is), ``message_codecs.py`` (the generated codecs alone),
``sweep.py`` (a chart over record sizes, partitions, replicas and clients), ``commands.py`` (the time and rate of
commands, beside Apache Kafka's tools).
"""
