"""Spark pipelines over a Kafka-compatible broker, written to be copied.

Open flights.py first: it is the pipeline of ``wirebroker demo flights`` and calls the other files in order, events.py
(a data frame becomes events), produce.py (events become records), delays.py (the Structured Streaming job and the batch
read), check.py (the same figures from pandas).  session.py and java.py start Spark.  Options, clean-up, tables and
charts of the command are in ``wirebroker/cli/demo``.

Everything here is behind the extra ``[spark]`` and imports pyspark, pandas and confluent-kafka inside functions, so
that the command line can list the demo without them.  The broker never imports this package, and this package speaks to
it as any client does: it uses nothing else of wirebroker.
"""
