"""metrics: names and values of metrics, and the formats in which they leave the broker.

Begin with `metric.py`: a Metric is one of Kafka's MBeans; `catalogue.py` declares all of them.  Values are read from
the state of the rooms above when somebody asks (`wirebroker/monitoring`); what only the requests themselves know is in
`request_metrics.py`.  `prometheus.py` and `jmx.py` write values down.  Imports nothing of wirebroker.
"""
