"""Tests of wirebroker/zookeeper/."""
