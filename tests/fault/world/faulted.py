"""Running lintel with faults in front of it (shim.c), in directories of our own, and what tests of that share."""

import json
import os
import random
import shutil
import signal
import struct
import subprocess
import tempfile
import unittest

LINTEL = os.environ["LINTEL_BIN"]
SHIM = os.environ["LINTEL_SHIM"]
IS_LONG = os.environ.get("LINTEL_LONG") == "1"
TAKES_ALL = os.environ.get("LINTEL_ALL") == "1"
SEED = int(os.environ.get("LINTEL_SEED", "4711"))
LIMIT_S = 120
KEPT = ("PATH", "HOME", "LC_ALL", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LD_LIBRARY_PATH")
OK, FAILED, CHANGES, DRIFT, INVALID, USAGE, LOCKED, STALE, PART_WAY = 0, 1, 2, 3, 4, 5, 6, 7, 9
KILLED = -signal.SIGKILL


def find_sanitizer():
    """The sanitizer's library has to come before ours."""
    needs = subprocess.run(["ldd", LINTEL], stdout=subprocess.PIPE, check=True).stdout.decode()
    return [line.split("=>")[1].split()[0] for line in needs.splitlines() if "libasan" in line]


PRELOAD = " ".join(find_sanitizer() + [SHIM])


class Result:
    def __init__(self, process, out, err):
        self.code = process.returncode
        self.out = out.decode("utf-8", "replace")
        self.err = err.decode("utf-8", "replace")

    def __repr__(self):
        return "exit %s\n%s\n%s" % (self.code, self.out[-2000:], self.err[-3000:])


class FaultCase(unittest.TestCase):
    """A directory of our own, in memory: a killed process needs no real disk, and there are thousands of them."""

    def setUp(self):
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.home = tempfile.mkdtemp(prefix="lintel-world-", dir=memory)
        self.addCleanup(shutil.rmtree, self.home, ignore_errors=True)
        self.dir = os.path.join(self.home, "w")
        os.mkdir(self.dir)

    def path(self, *names):
        return os.path.join(self.dir, *names)

    def environment(self, fault=None, more=None):
        env = {name: os.environ[name] for name in KEPT if name in os.environ}
        env.update(more or {})
        if fault is not None:
            env.update({"LD_PRELOAD": PRELOAD, "LINTEL_FAULT": fault, "LINTEL_FAULT_COUNT": os.path.join(self.home, "count")})
            # Memory of a process that is to die is nobody's business, and leaks cannot be told under LD_PRELOAD.
            env["ASAN_OPTIONS"] = env.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0"
        return env

    def start(self, *args, fault=None, env=None):
        if fault is not None and os.path.exists(os.path.join(self.home, "count")):
            os.unlink(os.path.join(self.home, "count"))
        return subprocess.Popen([LINTEL, *args], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                env=self.environment(fault, env), cwd=self.dir)

    def finish(self, process, code=None):
        try:
            out, err = process.communicate(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            raise AssertionError("lintel hangs: %r" % Result(process, *process.communicate())) from None
        result = Result(process, out, err)
        self.assertNotIn("Sanitizer", result.err)
        self.assertNotIn("runtime error", result.err)
        self.assertNotIn("Assertion", result.err)
        if code is not None:
            self.assertEqual(code, result.code, result)
        return result

    def lintel(self, *args, fault=None, env=None, code=None):
        return self.finish(self.start(*args, fault=fault, env=env), code)

    def count_calls(self):
        """What the shim has counted in the run before."""
        with open(os.path.join(self.home, "count"), "rb") as stream:
            return struct.unpack("<Q", stream.read(8))[0]

    def events(self, result):
        return [json.loads(line) for line in result.out.splitlines()]


def choose_points(total, in_short, in_long=None):
    """Of the points 1 to total so many, first and last among them. Short form: spread evenly, always the same. Long form:
    all unless told how many; these are drawn, one from each of as many equal parts (LINTEL_SEED says otherwise which,
    LINTEL_ALL=1 takes all after all)."""
    wanted = (in_long or total) if IS_LONG else in_short
    if total <= wanted or (IS_LONG and TAKES_ALL):
        return list(range(1, total + 1))
    step = (total - 1) / (wanted - 1)
    if not IS_LONG:
        return sorted({1 + round(step * i) for i in range(wanted)})
    rng = random.Random(SEED)
    drawn = {min(total, 1 + round(step * (i + rng.random()))) for i in range(wanted - 1)}
    print("%d of %d points, seed %d" % (wanted, total, SEED))
    return sorted(drawn | {1, total})
