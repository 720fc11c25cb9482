"""What the tests of the command line share: a directory of their own, and a way to run lintel in it."""

import json
import os
import pty
import select
import shutil
import signal
import subprocess
import tempfile
import termios
import textwrap
import time
import unittest

from json_schema import Schemas

LINTEL = os.environ["LINTEL_BIN"]
SOURCE = os.environ.get("LINTEL_SOURCE") or os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
SCHEMAS = Schemas(os.path.join(SOURCE, "docs", "schemas"))
LIMIT_S = 120
KEPT = ("PATH", "HOME", "LC_ALL", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LD_LIBRARY_PATH")

OK, FAILED, CHANGES, DRIFT, INVALID, USAGE, LOCKED, STALE, PART_WAY = 0, 1, 2, 3, 4, 5, 6, 7, 9

# Two resources of which one needs the other, a secret and exports: enough for most tests.
SMALL = """
version: 2025-11-02
variables:
  greeting:
    type: string
    default: hello
resources:
  id:
    type: random/id
    spec:
      byteLength: 4
  note:
    type: local/file
    spec:
      path: note.txt
      contents: "${variables.greeting} ${resources.id.spec.hex}"
exports:
  path:
    type: string
    field: resources.note.spec.path
  hex:
    type: string
    field: resources.id.spec.hex
"""

# A resource that holds a secret.
SECRET = """
version: 2025-11-02
variables:
  token:
    type: string
    secret: true
resources:
  note:
    type: local/file
    spec:
      path: note.txt
      contents: "key=${variables.token}"
"""


class Result:
    def __init__(self, code, out, err):
        self.code = code
        self.out = out
        self.err = err

    def __repr__(self):
        return "exit %d\n--- stdout\n%s\n--- stderr\n%s" % (self.code, self.out, self.err)

    def json(self):
        """The one object on standard output."""
        return json.loads(self.out)

    def events(self):
        return [json.loads(line) for line in self.out.splitlines()]

    def codes(self):
        """Codes of the diagnostics of a run with --json."""
        last = json.loads(self.out.splitlines()[-1])
        return [d["code"] for d in last["diagnostics"]]


class CliCase(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.home = tempfile.mkdtemp(prefix="lintel-cli-")
        self.addCleanup(shutil.rmtree, self.home, ignore_errors=True)
        self.dir = os.path.join(self.home, "shop")
        os.mkdir(self.dir)

    def path(self, *names):
        return os.path.join(self.dir, *names)

    def write(self, name, text):
        data = text if isinstance(text, bytes) else textwrap.dedent(text).lstrip("\n").encode()
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "wb") as stream:
            stream.write(data)

    def read(self, name):
        with open(self.path(name), "rb") as stream:
            return stream.read()

    def environment(self, env):
        base = {name: os.environ[name] for name in KEPT if name in os.environ}
        base["TERM"] = "xterm"
        base.update(env or {})
        return base

    def lintel(self, *args, env=None, stdin=b"", cwd=None, code=None):
        """Runs lintel in the directory of the test; `code` is the exit status that is expected, when given."""
        done = subprocess.run([LINTEL] + list(args), input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env=self.environment(env), cwd=cwd or self.dir, timeout=LIMIT_S, check=False)
        result = Result(done.returncode, done.stdout.decode("utf-8", "surrogateescape"),
                        done.stderr.decode("utf-8", "surrogateescape"))
        self.assertNotIn("Sanitizer", result.err)
        self.assertNotIn("runtime error", result.err)
        if code is not None:
            self.assertEqual(code, result.code, result)
        return result

    def deploy(self, *args, **options):
        return self.lintel("deploy", "--auto-approve", *args, code=options.pop("code", OK), **options)

    def check_json(self, schema, *args, code=None, **options):
        """Runs with --json; every byte on standard output is one JSON object that fits the schema."""
        result = self.lintel(*args, "--json", code=code, **options)
        value = json.loads(result.out)
        SCHEMAS.check(schema, value)
        self.assertEqual(result.code, value["exitCode"])
        self.assertEqual(1, result.out.count("\n"), "one line")
        return value

    def check_events(self, *args, code=None, **options):
        """The same for a command that streams: each line fits, version is first and summary last."""
        result = self.lintel(*args, "--json", code=code, **options)
        events = [json.loads(line) for line in result.out.splitlines()]
        for event in events:
            SCHEMAS.check("events", event)
        kinds = [event["type"] for event in events]
        self.assertEqual("version", kinds[0])
        self.assertEqual("summary", kinds[-1])
        self.assertEqual(1, kinds.count("version"))
        self.assertEqual(1, kinds.count("summary"))
        self.assertEqual(result.code, events[-1]["exitCode"])
        return events

    def codes_of(self, *args, code=INVALID, **options):
        """Validates with --json and returns (code, line, column) of every error."""
        value = self.check_json("validate", "validate", *args, code=code, **options)
        return [(d["code"],) + tuple(d["range"]["start"][k] for k in ("line", "column") if "range" in d)
                for d in value["diagnostics"] if d["severity"] == "error"]

    def files_below(self, *names):
        found = []
        for directory, _, files in os.walk(self.path(*names)):
            found += [os.path.join(directory, name) for name in files]
        return found


class Terminal:
    """lintel on a terminal of its own: what it shows, and a way to answer."""

    def __init__(self, case, args, env=None):
        self.text = b""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            try:
                os.chdir(case.dir)
                os.execve(LINTEL, [LINTEL] + list(args), case.environment(env))
            finally:
                os._exit(127)
        case.addCleanup(self.close)

    def read_until(self, wanted, limit_s=60):
        """Reads on until the text occurs (None: until the end)."""
        end = time.monotonic() + limit_s
        while wanted is None or wanted not in self.text:
            ready, _, _ = select.select([self.fd], [], [], max(0, end - time.monotonic()))
            if not ready:
                raise AssertionError("nothing more comes: %r" % self.text)
            try:
                data = os.read(self.fd, 65536)
            except OSError:  # Linux ends a terminal this way
                data = b""
            if not data:
                if wanted is None:
                    return self.text
                raise AssertionError("ended without %r: %r" % (wanted, self.text))
            self.text += data
        return self.text

    def answer(self, text):
        os.write(self.fd, text)

    def await_editing(self, limit_s=60):
        """Until the program reads key by key: what comes before that may be lost."""
        end = time.monotonic() + limit_s
        while termios.tcgetattr(self.fd)[3] & termios.ICANON:
            if time.monotonic() > end:
                raise AssertionError("no line is being edited: %r" % self.text)
            time.sleep(0.01)

    def interrupt(self, number=signal.SIGINT):
        os.kill(self.pid, number)

    def wait(self):
        """Reads to the end and returns the exit status."""
        self.read_until(None)
        _, status = os.waitpid(self.pid, 0)
        self.pid = 0
        return os.waitstatus_to_exitcode(status)

    def close(self):
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self.pid = 0
        os.close(self.fd)
