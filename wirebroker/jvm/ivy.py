"""Jars from Maven Central by name, through Apache Ivy: the jar that PySpark's wheel carries, else Maven Central's.

Ivy runs as a program on the Java of java.py, and checks the checksums of all that it fetches.  It walks the poms, and
``-cachepath`` makes it write the class path it found, which is remembered under the cache directory, so a second call
starts no Java.  A mirror of Maven Central named in the user's ~/.m2/settings.xml is used in its place.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
import time
import urllib.request
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree
from xml.sax.saxutils import quoteattr

from wirebroker.jvm.java import cache_directory, java, java_options

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

ATTEMPTS = 4
MAVEN_CENTRAL = "https://repo1.maven.org/maven2/"
IVY_VERSION = "2.5.3"
IVY_SHA256 = "9502aa5aabf0b1484924a13ef4b5d24f121f7f91aab6768f11cc9d0906c0803b"
ATTEMPT_TIMEOUT_S = 600


class ResolveError(Exception):
    """Ivy could not find or fetch a jar; the text ends with its output."""


def resolve(coordinates: Sequence[str], *, exclude: Sequence[str] = (), transitive: bool = True) -> list[Path]:
    """The jars of *coordinates* (``group:artifact:version[:classifier]``) and of all they need at run time.

    *exclude* names ``group:artifact`` pairs to leave out wherever they appear.  Fetched once, then found in the cache;
    safe to call from several processes at once.
    """
    cache = cache_directory()
    wanted = "\n".join([*coordinates, "", *exclude, str(transitive)])
    remembered = cache / "classpaths" / hashlib.sha256(wanted.encode()).hexdigest()[:24]
    found = _remembered(remembered)
    if found:
        return found
    with _locked(cache / "ivy.lock"):
        found = _remembered(remembered)  # another process may have fetched it meanwhile
        if not found:
            remembered.parent.mkdir(exist_ok=True)
            _run_ivy(cache, coordinates, exclude, transitive, remembered)
            found = _remembered(remembered)
    if not found:
        raise ResolveError(f"Ivy found no jars for {', '.join(coordinates)}")
    return found


def classpath(jars: Iterable[Path]) -> str:
    """*jars* as the value of Java's option -cp."""
    return os.pathsep.join(str(jar) for jar in jars)


def _remembered(path: Path) -> list[Path]:
    try:
        jars = [Path(line) for line in path.read_text().strip().split(os.pathsep) if line]
    except FileNotFoundError:
        return []
    return jars if all(jar.is_file() for jar in jars) else []


def _run_ivy(cache: Path, coordinates: Sequence[str], exclude: Sequence[str], transitive: bool, result: Path) -> None:
    """Have Ivy resolve *coordinates*, again if a registry refuses, and write their class path to *result*.

    Raises:
        ResolveError: no attempt succeeded.
    """
    work = cache / f"ivy-run-{os.getpid()}"
    work.mkdir(exist_ok=True)
    settings, module, output = work / "settings.xml", work / "ivy.xml", work / "classpath"
    settings.write_text(settings_xml(cache / "ivy", _central_mirror()))
    module.write_text(module_xml(coordinates, exclude, transitive))
    command = [java(), "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", *java_options()]
    command += ["-jar", str(ivy_jar()), "-settings", str(settings), "-ivy", str(module), "-confs", "default", "-warn"]
    command += ["-types", "jar", "bundle", "maven-plugin", "-cachepath", str(output)]
    output_text = ""
    try:
        for attempt in range(ATTEMPTS):
            if attempt:
                time.sleep(3 * attempt)  # a registry that refuses for a moment is common; the cache keeps what came
            try:
                run = subprocess.run(command, capture_output=True, text=True, timeout=ATTEMPT_TIMEOUT_S, check=False)
            except subprocess.TimeoutExpired as late:
                output_text = str(late)
                continue
            output_text = (run.stdout + run.stderr)[-4000:]
            if run.returncode == 0 and output.exists() and output.stat().st_size:
                output.replace(result)
                return
        raise ResolveError(f"Ivy could not resolve {', '.join(coordinates)}:\n{output_text}")
    finally:
        for path in (settings, module, output):
            path.unlink(missing_ok=True)
        work.rmdir()


def ivy_jar() -> Path:
    """The Ivy jar inside the installed PySpark (found without importing it), else one fetched from Maven Central."""
    spec = find_spec("pyspark")
    if spec is not None and spec.origin is not None:
        jars = sorted((Path(spec.origin).parent / "jars").glob("ivy-*.jar"))
        if jars:
            return jars[0]
    return fetch_ivy(cache_directory() / f"ivy-{IVY_VERSION}.jar", _central_mirror() or MAVEN_CENTRAL)


def fetch_ivy(path: Path, repository: str) -> Path:
    """Fetch Ivy's jar from a Maven *repository* to *path*, unless it is there; return *path*.

    Raises:
        ResolveError: the jar cannot be fetched, or is not the published one.
    """
    if path.is_file():
        return path
    url = f"{repository}org/apache/ivy/ivy/{IVY_VERSION}/ivy-{IVY_VERSION}.jar"
    try:
        with urllib.request.urlopen(url, timeout=60) as response:
            jar: bytes = response.read()
    except OSError as fault:
        raise ResolveError(f"cannot fetch {url}: {fault}") from fault
    if hashlib.sha256(jar).hexdigest() != IVY_SHA256:
        raise ResolveError(f"{url} has another SHA-256 than the published jar; is a proxy in the way?")
    partial = path.with_suffix(f".{os.getpid()}")
    partial.write_bytes(jar)
    partial.replace(path)
    return path


def settings_xml(cache: Path, mirror: str | None) -> str:
    """Ivy's settings: Maven Central, or *mirror* in its place, with everything cached in *cache*."""
    root = f" root={quoteattr(mirror)}" if mirror else ""  # without a root, ibiblio means Maven Central
    return f"""<ivysettings>
  <settings defaultResolver="central"/>
  <caches defaultCacheDir={quoteattr(str(cache))} lockStrategy="no-lock"/>
  <resolvers>
    <ibiblio name="central" m2compatible="true" usepoms="true"{root}/>
  </resolvers>
</ivysettings>
"""


def module_xml(coordinates: Sequence[str], exclude: Sequence[str], transitive: bool) -> str:
    """An Ivy module that depends on *coordinates*: their jar and, through Maven's runtime scope, what they need."""
    lines = []
    for coordinate in coordinates:
        group, name, version, *classifier = coordinate.split(":")
        wanted = "default->master,runtime(*)" if transitive else "default->master(*)"
        lines.append(
            f'    <dependency org={quoteattr(group)} name={quoteattr(name)} rev={quoteattr(version)} force="true"'
            f' conf="{wanted}"{"" if transitive else " transitive=" + quoteattr("false")}>'
        )
        if classifier:
            lines.append(
                f'      <artifact name={quoteattr(name)} type="jar" ext="jar" m:classifier={quoteattr(classifier[0])}/>'
            )
        lines.append("    </dependency>")
    for pair in exclude:
        group, name = pair.split(":")
        lines.append(f"    <exclude org={quoteattr(group)} module={quoteattr(name)}/>")
    dependencies = "\n".join(lines)
    return f"""<ivy-module version="2.0" xmlns:m="http://ant.apache.org/ivy/maven">
  <info organisation="wirebroker" module="jars" revision="1"/>
  <configurations><conf name="default"/></configurations>
  <dependencies>
{dependencies}
  </dependencies>
</ivy-module>
"""


def _central_mirror() -> str | None:
    """The mirror of Maven Central that the user's Maven settings name, if any."""
    try:
        root = ElementTree.parse(Path.home() / ".m2" / "settings.xml").getroot()
    except (OSError, ElementTree.ParseError):
        return None
    space = root.tag[: root.tag.index("}") + 1] if root.tag.startswith("{") else ""
    for mirror in root.iter(f"{space}mirror"):
        names = [name.strip() for name in (mirror.findtext(f"{space}mirrorOf") or "").split(",")]
        url = (mirror.findtext(f"{space}url") or "").strip()
        if url and "!central" not in names and {"central", "*", "external:*"} & set(names):
            return url.rstrip("/") + "/"
    return None


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
