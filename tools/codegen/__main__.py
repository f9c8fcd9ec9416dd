"""`python -m tools.codegen [--check]`: bring the generated modules up to date, or say which are not."""

from __future__ import annotations

import argparse
import sys

from tools.codegen.modules import PROTOCOL, generated_files


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.codegen", description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 if a file is stale")
    options = parser.parse_args(arguments)
    files = generated_files()
    stale = [path for path, text in files.items() if not path.exists() or path.read_text() != text]
    stray = [
        path
        for room in ("messages", "internal")
        for path in (PROTOCOL / room).glob("*.py")
        if path not in files and path.name != "__init__.py"
    ]
    if options.check:
        for path in stale:
            print(f"stale: {path.relative_to(PROTOCOL.parent.parent)}")
        for path in stray:
            print(f"no spec: {path.relative_to(PROTOCOL.parent.parent)}")
        return 1 if stale or stray else 0
    for path in stale:
        path.write_text(files[path])
        print(f"wrote {path.relative_to(PROTOCOL.parent.parent)}")
    for path in stray:
        path.unlink()
        print(f"removed {path.relative_to(PROTOCOL.parent.parent)}, it has no spec")
    return 0


if __name__ == "__main__":
    sys.exit(main())
