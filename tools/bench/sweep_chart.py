"""The chart of the sweep: MB/s over record size, partitions and clients, both clusters in each panel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tools.bench.sweep_shapes import PLAIN_SIZE, Point, Setup

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

LINES = ("-", "--")
COLOURS = {1: "tab:green", 2: "tab:orange", 3: "tab:blue"}


def draw(points: Sequence[Point], clusters: Sequence[str], path: Path) -> None:
    """Write the chart to *path*, in the format of its suffix; the first of *clusters* has whole lines.

    Raises:
        ImportError: matplotlib is not installed.
    """
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    mpl.rcParams["svg.fonttype"] = "none"  # text stays text
    mpl.rcParams["svg.hashsalt"] = "sweep"  # the same figures give the same file
    figure, panels = pyplot.subplots(2, 2, figsize=(12, 9), layout="constrained")
    by_size: tuple[tuple[Any, str, Callable[[Point], float]], ...] = (
        (panels[0][0], "written", lambda each: each.written),
        (panels[0][1], "read", lambda each: each.read),
    )
    for panel, verb, value in by_size:
        for line, name in zip(LINES, clusters, strict=False):
            for replicas, colour in COLOURS.items():
                own = [each for each in points if each.cluster == name]
                curve = [each for each in own if each.setup == Setup(each.setup.size, replicas=replicas)]
                x, y = [each.setup.size for each in curve], [value(each) for each in curve]
                panel.plot(x, y, line, color=colour, marker=".", label=f"{name}, replication factor {replicas}")
        panel.set(xscale="log", yscale="log", xlabel="record size in bytes", ylabel=f"MB/s {verb}")
        panel.legend(fontsize="small")
    for panel, what in zip(panels[1], ("partitions", "clients"), strict=True):
        for line, name in zip(LINES, clusters, strict=False):
            curve = [
                each
                for each in points
                if each.cluster == name
                and each.setup == Setup(PLAIN_SIZE)._replace(**{what: getattr(each.setup, what)})
            ]
            curve.sort(key=lambda each: getattr(each.setup, what))
            x = [getattr(each.setup, what) for each in curve]
            panel.plot(
                x, [each.written for each in curve], line, color="tab:blue", marker=".", label=f"{name}, written"
            )
            panel.plot(x, [each.read for each in curve], line, color="tab:purple", marker=".", label=f"{name}, read")
        panel.set_xticks(range(1, 1 + max([getattr(each.setup, what) for each in points])))
        panel.set(xlabel=f"{what}, records of {PLAIN_SIZE} B, 3 replicas", ylabel="MB/s", ylim=(0, None))
        panel.legend(fontsize="small")
    figure.suptitle("Producers with acks=all, then consumers; all brokers and clients on one machine")
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
    pyplot.close(figure)
