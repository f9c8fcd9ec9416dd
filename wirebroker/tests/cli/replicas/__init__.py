"""Tests of wirebroker.cli.replicas."""
