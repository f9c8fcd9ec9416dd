"""Random requests, each made from the answers before it, to wirebroker and to Apache Kafka 3.9.1.

`story.py` has the two brokers and what is known of them, `logs.py`, `transactions.py` and `groups.py` the requests.
A seed makes the same requests in every run.
"""
