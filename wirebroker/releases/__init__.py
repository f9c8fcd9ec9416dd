"""The releases of Apache Kafka that `--as-version` can emulate, and how their brokers differ from wirebroker.

Open `profile.py` first: a ReleaseProfile is everything that the rest of the broker asks about a release.  The facts are
in `versions.py` (which releases there are), `api_versions.py` (APIs and their versions), `features.py` (KIP-584),
`config_keys.py` (keys, defaults and scopes) and `error_codes.py` (codes that a release does not know yet).

Imports nothing of wirebroker and nothing that waits.  `config` parses `wirebroker.as.version` to a profile,
`handlers/routes.py` restricts the route table to it.
"""
