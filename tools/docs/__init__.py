"""The documentation site: pages from `wirebroker/docs`, and references that are made from the code."""
