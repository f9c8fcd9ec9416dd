"""Tests of wirebroker.jvm."""
