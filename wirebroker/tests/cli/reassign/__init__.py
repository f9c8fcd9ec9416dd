"""Tests of wirebroker.cli.reassign."""
