"""Spark pipelines over a Kafka-compatible broker, written to be copied.

Open flights.py first: it is the pipeline of ``wirebroker demo flights`` and calls the other files in order, events.py
(a data frame becomes events), produce.py (events become records), delays.py (the Structured Streaming job and the batch
query), check.py (the same windows from pandas).  session.py and java.py start Spark, local_broker.py a broker.
Options, clean-up, tables and charts of the command are in ``wirebroker/cli/demo``.

The extra ``[spark]`` installs pyspark, pandas and confluent-kafka; they are imported inside functions, so that the
command can say which of them are missing.  This package imports nothing else of wirebroker, and only ``cli/demo``
imports it.
"""
