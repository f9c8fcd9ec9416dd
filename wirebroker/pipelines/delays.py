"""The Spark jobs: delay per carrier and hour as a stream from topic to topic, and a batch query of the results.

Both topics are read and written with Spark's stock ``kafka`` source and sink.  The stream runs in append mode: a window
is written once, when the watermark has passed its end, and is final then.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

# An event may be this much older than the newest one before it.  Spark reads the partitions in parallel, and planes
# that flew mostly in winter make their partition run ahead of the others: by 6.6 days at most, measured.
WATERMARK_DAYS = 14
EVENT = "carrier string, dep_delay int"
DELAY = "carrier string, hour string, flights long, departed long, delay_minutes long, mean_delay double"


class DelayRow(NamedTuple):
    """One window: the flights of one carrier that were scheduled to leave in one hour (UTC)."""

    carrier: str
    hour: str
    flights: int
    departed: int
    delay_minutes: int | None  # over the departed; None when none was
    mean_delay: float | None


class DelayStream(NamedTuple):
    """The stream from a topic of flights to a topic of delays, and the checkpoint from which it continues."""

    bootstrap: str
    source: str
    target: str
    checkpoint: Path
    batch_rows: int  # read at most in one micro-batch


class StreamResult(NamedTuple):
    """The counts of one run of a stream."""

    rows_read: int
    rows_dropped: int  # later than the watermark allows
    batches: int


def delays_per_hour(events: Any) -> Any:
    """Streaming transformation: rows of the ``kafka`` source in, rows for the ``kafka`` sink out."""
    from pyspark.sql import functions as f

    parsed = events.select("timestamp", f.from_json(f.col("value").cast("string"), EVENT).alias("event"))
    windows = (
        parsed.withWatermark("timestamp", f"{WATERMARK_DAYS} days")
        .groupBy(f.window("timestamp", "1 hour"), "event.carrier")
        .agg(
            f.count("*").alias("flights"),
            f.count("event.dep_delay").alias("departed"),
            f.sum("event.dep_delay").alias("delay_minutes"),
        )
    )
    rows = windows.select(
        "carrier",
        f.date_format("window.start", "yyyy-MM-dd'T'HH:mm:ss'Z'").alias("hour"),
        "flights",
        "departed",
        "delay_minutes",
        (f.col("delay_minutes") / f.col("departed")).alias("mean_delay"),
    )
    return rows.select(f.concat_ws(" ", "carrier", "hour").alias("key"), f.to_json(f.struct("*")).alias("value"))


def stream_delays(spark: Any, stream: DelayStream, on_progress: Callable[[int], None]) -> StreamResult:
    """Run the stream over all records that its source holds now, then stop; a further call continues at the checkpoint.

    *on_progress* is called with the number of rows read so far.
    """
    events = (
        spark.readStream.format("kafka")
        .option("kafka.bootstrap.servers", stream.bootstrap)
        .option("subscribe", stream.source)
        .option("startingOffsets", "earliest")
        .option("maxOffsetsPerTrigger", stream.batch_rows)
        .load()
    )
    query = (
        delays_per_hour(events)
        .writeStream.format("kafka")
        .option("kafka.bootstrap.servers", stream.bootstrap)
        .option("topic", stream.target)
        .option("checkpointLocation", str(stream.checkpoint))
        .outputMode("append")
        .trigger(availableNow=True)
        .start()
    )
    while query.isActive:
        on_progress(rows_read(query))
        time.sleep(0.2)
    query.awaitTermination()  # raises what ended the query, if anything did
    on_progress(rows_read(query))
    progress = query.recentProgress
    dropped = sum(operator["numRowsDroppedByWatermark"] for p in progress for operator in p["stateOperators"])
    return StreamResult(rows_read(query), dropped, len(progress))


def rows_read(query: Any) -> int:
    """The number of input rows of all micro-batches so far."""
    return sum(progress["numInputRows"] for progress in query.recentProgress)


def read_delays(spark: Any, bootstrap: str, topic: str) -> list[DelayRow]:
    """Read the results back with a batch query, in order of carrier and hour."""
    from pyspark.sql import functions as f

    rows = (
        spark.read.format("kafka")
        .option("kafka.bootstrap.servers", bootstrap)
        .option("subscribe", topic)
        .option("startingOffsets", "earliest")
        .option("endingOffsets", "latest")
        .load()
        .select(f.from_json(f.col("value").cast("string"), DELAY).alias("delay"))
        .select("delay.*")
        .orderBy("carrier", "hour")
    )
    return [DelayRow(*row) for row in rows.collect()]
