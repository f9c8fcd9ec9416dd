"""The errors of the ZooKeeper room: a small family, so that callers catch what they can answer.

ConnectionLoss is the one to think about: the operation may or may not have taken effect.
"""

from __future__ import annotations


class ZooKeeperError(Exception):
    """Base of all errors of operations; also raised for codes of which no caller makes anything.

    Attributes:
        path: the path of the operation, below the chroot.
        operation: the index of the failed operation in a multi, None for a single operation.
    """

    def __init__(self, path: str, detail: str = "", operation: int | None = None) -> None:
        super().__init__(f"{path}: {detail or type(self).__name__}")
        self.path, self.operation = path, operation


class ConnectionLoss(ZooKeeperError):
    """The connection was lost before the answer came: nobody knows whether the operation took effect."""


class SessionExpired(ZooKeeperError):
    """The session is over, and its ephemeral znodes are gone or will be; the operation took no effect."""


class ClientClosed(ZooKeeperError):
    """The client is closed; the operation took no effect, or belongs to a connection that was lost."""


class NoNode(ZooKeeperError):
    """The znode, or the parent of a znode to create, does not exist."""


class NodeExists(ZooKeeperError):
    """The znode to create exists."""


class BadVersion(ZooKeeperError):
    """The znode has another version than the operation expects."""


class NotEmpty(ZooKeeperError):
    """The znode to delete has children."""


class NoAuth(ZooKeeperError):
    """The access control list of the znode does not allow the operation."""


class CorruptZnode(ValueError):
    """The data of a znode are not what Kafka writes there; the message names path and problem in one line."""

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"znode {path} is corrupt: {problem}")
        self.path, self.problem = path, problem
