"""The bit sets of "authorized operations" (KIP-430) that describing APIs return when asked.

Bit n stands for the ACL operation numbered n: 3 read, 4 write, 5 create, 6 delete, 7 alter, 8 describe, 9 cluster
action, 10 describe configs, 11 alter configs, 12 idempotent write.  Without an authorizer every
operation of a resource is allowed to every client.
"""

from __future__ import annotations

from typing import Final

NOT_ASKED: Final = -(1 << 31)

ALL_ON_CLUSTER: Final = sum(1 << operation for operation in (5, 7, 8, 9, 10, 11, 12))
ALL_ON_GROUP: Final = sum(1 << operation for operation in (3, 6, 8))
ALL_ON_TOPIC: Final = sum(1 << operation for operation in (3, 4, 5, 6, 7, 8, 10, 11))
