"""Tests of wirebroker/kafka_controller."""
