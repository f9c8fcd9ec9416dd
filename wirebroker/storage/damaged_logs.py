"""Open a log that was refused for damage in its middle up to the damage, on a broker that can fetch the rest again.

The caller knows that no acknowledged record depends on the log: another replica leads, and this one is not in the ISR.
After a crash at any step the log is refused again, or loaded as far as it goes:

1. the recovery point on the disk becomes the offset of the damage, so that a shorter log is not taken for a loss, and
   the cleaner checkpoint, so that records which are fetched again are compacted;
2. the segments behind it are removed, the last one first;
3. the segment with the damage is cut there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.storage.checkpoints import PartitionCheckpoints
from wirebroker.storage.errors import CorruptFileError, DamagedLogError, StorageError, UnrecoverableLogError
from wirebroker.storage.partition_metadata import read_topic_id_after_crash

if TYPE_CHECKING:
    from wirebroker.config.log import LogConfig
    from wirebroker.model import TopicPartition
    from wirebroker.storage.log_dir import LogDir
    from wirebroker.storage.log_dirs import LogDirs
    from wirebroker.storage.log_loader import LogLoader
    from wirebroker.storage.log_table import LogTable


def truncate_to_damage(
    log_dirs: LogDirs, table: LogTable, loader: LogLoader, at: TopicPartition, config: LogConfig
) -> DamagedLogError | None:
    """Truncate the log of *at* where it is damaged, and add it to *table*.

    Returns:
        The damage; None, with nothing changed, if the partition was not refused for damage in the middle of its log.

    Raises:
        StorageError: the disk failed, or the log cannot be loaded all the same.
    """
    refusal = table.refused.get(at)
    damage = None if refusal is None else refusal.__cause__
    log_dir = next((each for each in log_dirs.online if at in each.refused), None)
    if not isinstance(damage, DamagedLogError) or log_dir is None:
        return None
    try:
        _load(log_dir, table, loader, at, config, damage.offset)
    except (UnrecoverableLogError, CorruptFileError) as error:
        table.refused[at] = StorageError(f"{at} was refused: {error}")
        raise table.refused[at] from error
    except OSError as error:
        raise log_dirs.take_offline(log_dir, error) from error
    return damage


def _load(
    log_dir: LogDir, table: LogTable, loader: LogLoader, at: TopicPartition, config: LogConfig, offset: int
) -> None:
    topic_id = read_topic_id_after_crash(loader.context.files, log_dir.file(str(at)))
    log_dir.lower_recovery_point(at, offset)
    if log_dir.cleaner_offsets.get(at, 0) > offset:
        log_dir.checkpoint_cleaner_offset(at, offset)
    recovery_point, log_start = log_dir.recovery_points.get(at, 0), log_dir.log_starts.get(at, 0)
    checkpoints = PartitionCheckpoints(False, recovery_point, log_start)
    log = loader.load(log_dir.path / str(at), at, config, checkpoints, truncates_damage=True)
    log_dir.refused.discard(at)
    del table.refused[at]
    table.add(log_dir, log, topic_id)
