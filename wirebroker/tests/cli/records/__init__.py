"""Tests of `wirebroker/cli/records/`."""
