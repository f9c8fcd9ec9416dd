"""MemberStorage: the log directories of a broker that joins a cluster."""

from __future__ import annotations

import errno
from pathlib import Path

from wirebroker.cluster_member.member_storage import MemberStorage
from wirebroker.metadata.cache import MetadataCache
from wirebroker.metadata.image import ClusterImage
from wirebroker.metadata.meta_properties import FILE_NAME
from wirebroker.tests.controller.fakes import broker_config
from wirebroker.tests.storage.fakes.disk import FakeDisk
from wirebroker.tests.storage.fakes.logs import SMALL, manager

DIRS = (Path("/one"), Path("/two"))
CLUSTER_ID = "0123456789012345678901"


def test_a_directory_that_fails_before_it_is_marked_is_offline_and_the_others_serve() -> None:
    disk = FakeDisk()
    for each in DIRS:
        disk.make_directory(str(each))
    logs = manager(disk, SMALL, None, *DIRS)
    storage = MemberStorage(broker_config(broker_id=7), CLUSTER_ID, MetadataCache(ClusterImage()), logs, disk)
    disk.fail_next["read"] = errno.EIO
    storage.mark_directories()
    assert [each.path for each in logs.log_dirs.online] == [DIRS[1]]
    assert CLUSTER_ID.encode() in disk.content(f"{DIRS[1]}/{FILE_NAME}")
    assert f"{DIRS[0]}/{FILE_NAME}" not in disk.names
