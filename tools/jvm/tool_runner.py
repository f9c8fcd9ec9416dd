"""ToolRunner: Apache Kafka's command line tools in one JVM, where a tool takes a tenth of the time of a process.

    with ToolRunner(KafkaDist("3.9.1")) as tools:
        done = tools.run("kafka-topics", "--bootstrap-server", where, "--list")
        done.returncode, done.stdout

A tool's main method runs in a thread of its own.  Its exit, which Kafka's tools request from the class Exit, ends the
run: the thread that asked for it waits for ever, as no line behind an exit may run.
"""

from __future__ import annotations

import subprocess
from contextlib import ExitStack
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, Self

from tools.jvm.bridge import compiled, compiler_jars, jvm

if TYPE_CHECKING:
    from tools.jvm.kafka import KafkaDist

TIMEOUT_S: Final = 240
_OWN_PROCESS: Final = frozenset({"kafka-features", "kafka-metadata-quorum", "zookeeper-shell"})
"""Tools that may end the JVM itself: their parser of options calls System.exit."""
_SOURCE: Final = """
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.utils.Exit;

public class Runner implements Exit.Procedure {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private volatile CountDownLatch ended;
    private volatile int status;

    public Runner() {
        System.setOut(new PrintStream(out, true));
        System.setErr(new PrintStream(err, true));
        Exit.setExitProcedure(this);
        Exit.setHaltProcedure(this);
    }

    public void execute(int statusCode, String message) {
        end(ended, statusCode);
        while (true) {
            try {
                Thread.sleep(Long.MAX_VALUE);
            } catch (InterruptedException ignored) {
            }
        }
    }

    private synchronized void end(CountDownLatch latch, int statusCode) {
        if (latch.getCount() > 0) {
            status = statusCode;
            latch.countDown();
        }
    }

    public int run(String name, List arguments, long timeoutMs) throws Exception {
        out.reset();
        err.reset();
        final CountDownLatch latch = new CountDownLatch(1);
        ended = latch;
        final String[] words = new String[arguments.size()];
        for (int i = 0; i < words.length; i++) words[i] = (String) arguments.get(i);
        final Method main = Class.forName(name).getMethod("main", new Class[] {String[].class});
        Thread thread = new Thread("tool") {
            public void run() {
                try {
                    main.invoke(null, new Object[] {words});
                    end(latch, 0);
                } catch (InvocationTargetException failure) {
                    failure.getCause().printStackTrace();
                    end(latch, 1);
                } catch (Throwable failure) {
                    failure.printStackTrace();
                    end(latch, 1);
                }
            }
        };
        thread.setDaemon(true);
        thread.start();
        return latch.await(timeoutMs, TimeUnit.MILLISECONDS) ? status : -1;
    }

    public String out() { return out.toString(); }

    public String err() { return err.toString(); }
}
"""


class ToolRunner:
    """A JVM with the classes of one release, which runs one tool at a time; a context manager that ends the JVM."""

    def __init__(self, dist: KafkaDist) -> None:
        self.dist = dist
        self._stack = ExitStack()
        self._one_at_a_time = Lock()
        self._runner: Any = None

    def __enter__(self) -> Self:
        self._start()
        return self

    def _start(self) -> None:
        logging = f"-Dlog4j.configuration=file:{Path(__file__).with_name('log4j.properties')}"
        options = [logging, "-Djava.awt.headless=true"]
        root = self._stack.enter_context(jvm([*self.dist.jars, *compiler_jars()], options=options))
        self._runner = compiled(root, "Runner", _SOURCE).newInstance()

    def __exit__(self, *_: object) -> None:
        self._runner = None
        self._stack.close()

    def run(self, tool: str, *arguments: str, timeout_s: float = TIMEOUT_S) -> subprocess.CompletedProcess[str]:
        """Run a tool to its end.

        Raises:
            TimeoutError: it has not ended after *timeout_s*.
        """
        if tool in _OWN_PROCESS:
            return self.dist.run(tool, *arguments, check=False)
        with self._one_at_a_time:
            status = self._runner.run(self.dist.main_class(tool), list(arguments), int(timeout_s * 1000))
            out, err = str(self._runner.out()), str(self._runner.err())
            if status == -1:  # it would write into the output of the next one
                self._stack.close()
                self._start()
        if status == -1:
            raise TimeoutError(f"{tool} {' '.join(arguments)} has not ended in {timeout_s} s:\n{out}{err}")
        return subprocess.CompletedProcess([tool, *arguments], status, out, err)
