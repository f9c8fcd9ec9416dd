"""`wirebroker perf ...`: what kafka-producer-perf-test.sh, kafka-consumer-perf-test.sh and EndToEndLatency measure.

`statistics.py` has the figures of the producer, in Kafka's words.
"""
