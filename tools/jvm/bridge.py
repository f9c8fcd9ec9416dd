"""Java objects in Python: a JVM with py4j's gateway, which ends with the ``with`` block.

    with jvm(jars) as java:
        java.java.util.ArrayList()          # a new object
        java.org.apache.kafka.common...     # any class on the class path

py4j and its jar ship with PySpark.  The gateway dies with its standard input, so a killed run leaves no JVM
behind.  A call that takes longer than CALL_TIMEOUT_S raises Py4JNetworkError.
"""

from __future__ import annotations

from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tools.jvm import class_archive
from wirebroker.jvm.ivy import classpath
from wirebroker.jvm.java import java

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

CALL_TIMEOUT_S = 300
"""How long a call into Java may take: many wait there for a broker, some of them without a limit of their own."""
SMALL_JVM = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto")


@contextmanager
def jvm(jars: Sequence[Path], *, heap: str = "256m", options: Sequence[str] = ()) -> Iterator[Any]:
    """The root of a new JVM's packages.  *jars* form its class path."""
    from py4j.java_gateway import GatewayParameters, JavaGateway, launch_gateway

    archive = class_archive.options(classpath([py4j_jar(), *jars]), record=True)  # py4j puts its jar in front
    port, token, process = launch_gateway(
        jarpath=str(py4j_jar()),
        classpath=classpath(jars),
        javaopts=[f"-Xmx{heap}", *SMALL_JVM, *options, *archive],
        java_path=java(),
        die_on_exit=True,
        enable_auth=True,
        return_proc=True,
    )
    gateway = None
    try:
        parameters = GatewayParameters(port=port, auth_token=token, auto_convert=True, read_timeout=CALL_TIMEOUT_S)
        gateway = JavaGateway(gateway_parameters=parameters)
        yield gateway.jvm
    finally:
        if gateway is not None:
            gateway.close()
            gateway._gateway_client.is_connected = False  # or py4j would send the JVM each reference that Python drops
        process.kill()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()
        process.wait(60)


def compiled(root: Any, name: str, source: str) -> Any:
    """The class *name* out of Java *source*, by the compiler that Spark carries (Janino: no lambdas, no generics).

    The class is not on `root`'s class path; make objects with ``.newInstance()`` or `JavaClass` methods on them.
    """
    compiler = root.org.codehaus.janino.SimpleCompiler()
    compiler.cook(source)
    return compiler.getClassLoader().loadClass(name)


def compiler_jars() -> list[Path]:
    """The jars that `compiled` needs on the class path."""
    jars = py4j_jar().parent
    return [*jars.glob("janino-*.jar"), *jars.glob("commons-compiler-*.jar")]


def static_method(java_class: Any, name: str) -> Any:
    """A static method that shares its name with an instance method, which hides it from plain attribute access."""
    from py4j.java_gateway import JavaMember
    from py4j.protocol import STATIC_PREFIX

    return JavaMember(name, None, STATIC_PREFIX + java_class._fqn, java_class._gateway_client)


def py4j_jar() -> Path:
    """The Java half of py4j, as PySpark ships it."""
    spec = find_spec("pyspark")
    assert spec is not None, "pyspark is not installed"
    assert spec.origin is not None
    return sorted((Path(spec.origin).parent / "jars").glob("py4j*.jar"))[0]
