"""Tests of wirebroker.cli.cluster."""
