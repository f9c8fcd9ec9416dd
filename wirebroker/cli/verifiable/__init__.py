"""`wirebroker verifiable-producer` and `verifiable-consumer`: JSON events as Apache Kafka's programs print them.

`events.py` prints them.
"""
