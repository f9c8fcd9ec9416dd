"""``python -m tools.docs SITE``: write the references, and build the site with mkdocs; broken links are errors."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tools.docs.reference import pages

SOURCES = Path(__file__).parents[2] / "wirebroker" / "docs"


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print("usage: python -m tools.docs SITE", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as directory:
        made = write_sources(Path(directory))
        site = Path(arguments[0]).absolute()
        command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", str(made), "-d", str(site)]
        return subprocess.run(command, check=False).returncode


def write_sources(directory: Path) -> Path:
    """Write the pages and the references to *directory*, and return the configuration of mkdocs there."""
    sources = directory / "docs"
    shutil.copytree(SOURCES, sources)
    reference = sources / "pages" / "reference"
    reference.mkdir()
    for name, text in pages().items():
        (reference / name).write_text(text)
    return sources / "mkdocs.yml"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
