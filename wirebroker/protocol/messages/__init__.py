"""One generated module per API, made from `protocol_specs/`: do not edit, run `python -m tools.codegen`."""
