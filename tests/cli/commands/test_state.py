"""State that is damaged, foreign, newer, read-only, full or in use: one clear error, and nothing is lost (LC-030 to LC-046)."""

import glob
import json
import os
import signal
import sqlite3
import subprocess
import tempfile
import time
import unittest

from cli_case import FAILED, LINTEL, LOCKED, OK, SCHEMAS, SMALL, CliCase

IS_ROOT = os.geteuid() == 0


def can_mount():
    """tmpfs needs root and a kernel that lets us."""
    if not IS_ROOT:
        return False
    place = tempfile.mkdtemp()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", place], stderr=subprocess.DEVNULL, check=False)
    if done.returncode == 0:
        subprocess.run(["umount", place], check=False)
    os.rmdir(place)
    return done.returncode == 0


class State(CliCase):
    def setUp(self):
        super().setUp()
        self.write("blueprint.yaml", SMALL)
        self.state = self.path(".lintel", "state.db")

    def refused(self, code, *args):
        """Every command that opens the state says the same, ends with 1, and leaves the file as it was."""
        before = self.read(".lintel/state.db")
        for command in (["plan"], ["list"], ["show"], ["output"], ["deploy", "--auto-approve"], ["destroy", "--auto-approve"]):
            result = self.lintel(*command, *args, code=FAILED)
            self.assertEqual(1, result.err.count("error["), result)
            self.assertIn("error[%s]" % code, result.err)
            self.assertIn("state.db", result.err)
            self.assertEqual([code], self.lintel(*command, *args, "--json", code=FAILED).codes())
        self.assertEqual(before, self.read(".lintel/state.db"))

    def test_LC_043_a_file_that_is_no_state(self):
        self.write(".lintel/state.db", "not a database at all, but long enough to look like one\n" * 100)
        self.refused("state_foreign")

    def test_LC_043_a_database_of_another_program(self):
        os.mkdir(self.path(".lintel"))
        with sqlite3.connect(self.state) as db:
            db.execute("create table songs (title)")
        db.close()
        self.refused("state_foreign")

    def test_LC_043_a_state_of_a_newer_version(self):
        self.deploy()
        with sqlite3.connect(self.state) as db:
            db.execute("pragma user_version = 9999")
        db.close()
        self.refused("state_newer")

    def test_LC_043_a_damaged_state(self):
        self.deploy()
        size = os.path.getsize(self.state)
        with open(self.state, "r+b") as stream:
            for offset in range(4096, size, 512):
                stream.seek(offset)
                stream.write(b"\xa5" * 256)
        for name in glob.glob(self.state + "-*"):
            os.unlink(name)
        self.refused("state_corrupt")

    def test_LC_043_a_state_cut_short(self):
        self.deploy()
        for name in glob.glob(self.state + "-*"):
            os.unlink(name)
        os.truncate(self.state, os.path.getsize(self.state) // 2)
        self.refused("state_corrupt")

    def test_a_state_in_a_directory_that_cannot_be_made(self):
        result = self.lintel("deploy", "--auto-approve", "--state", "/dev/null/x/state.db", code=FAILED)
        self.assertEqual(1, result.err.count("error["), result)
        self.assertFalse(os.path.exists(self.path("note.txt")))

    def test_a_state_that_is_a_directory(self):
        os.makedirs(self.state)
        result = self.lintel("deploy", "--auto-approve", code=FAILED)
        self.assertEqual(1, result.err.count("error["), result)

    def test_an_unknown_kind_of_store(self):
        result = self.lintel("list", "--state", "mysql://host/x")
        self.assertIn(result.code, (FAILED, 4, 5))
        self.assertEqual(1, result.err.count("error["), result)

    @unittest.skipUnless(can_mount(), "mounting a tmpfs is not allowed here")
    def test_LC_046_a_full_disk(self):
        os.mkdir(self.path(".lintel"))
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "none", self.path(".lintel")], check=True)
        self.addCleanup(subprocess.run, ["umount", "-l", self.path(".lintel")], check=False)
        self.deploy()
        before = self.lintel("show", "--json", code=OK).json()["elements"]
        with open(self.path(".lintel", "ballast"), "wb", buffering=0) as stream:
            try:
                while stream.write(b"x" * 4096):
                    pass
            except OSError:
                pass
        self.write("blueprint.yaml", SMALL.replace("default: hello", "default: " + "bye" * 20000))
        result = self.lintel("deploy", "--auto-approve")
        self.assertNotEqual(OK, result.code)
        self.assertIn("error[", result.err)
        os.unlink(self.path(".lintel", "ballast"))
        self.assertEqual(before[0], self.lintel("show", "--json", code=OK).json()["elements"][0])
        self.deploy("--accept-drift")
        self.assertIn("nothing would change", self.lintel("plan", code=OK).out)

    @unittest.skipUnless(can_mount(), "mounting a tmpfs is not allowed here")
    def test_LC_046_a_read_only_file_system(self):
        os.mkdir(self.path(".lintel"))
        subprocess.run(["mount", "-t", "tmpfs", "none", self.path(".lintel")], check=True)
        self.addCleanup(subprocess.run, ["umount", "-l", self.path(".lintel")], check=False)
        self.deploy()
        subprocess.run(["mount", "-o", "remount,ro", self.path(".lintel")], check=True)
        self.write("blueprint.yaml", SMALL.replace("default: hello", "default: bye"))
        result = self.lintel("deploy", "--auto-approve", code=FAILED)
        self.assertEqual(1, result.err.count("error["), result)
        self.assertTrue(self.read("note.txt").startswith(b"hello"), "nothing was done")
        self.lintel("show", code=OK)
        self.lintel("plan", code=OK)
        subprocess.run(["mount", "-o", "remount,rw", self.path(".lintel")], check=True)
        self.deploy()


SLOW = """
version: 2025-11-02
resources:
  sleeper:
    type: process/service
    spec:
      command: /bin/sleep
      args: ["600.%d"]
      healthCheck:
        tcp: 127.0.0.1:1
        timeoutMs: 60000
""" % os.getpid()


def find_services():
    """The services that the tests of this file have started and that still run; a zombie has no command line."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/cmdline" % name, "rb") as stream:
                if stream.read() == b"/bin/sleep\x00600.%d\x00" % os.getpid():
                    found.append(int(name))
        except OSError:
            pass
    return found


class Runs(CliCase):
    """A run that takes long: it waits for a health check that never passes."""

    def setUp(self):
        super().setUp()
        self.write("blueprint.yaml", SLOW)

    def start(self):
        process = subprocess.Popen([LINTEL, "deploy", "--auto-approve", "--json"], cwd=self.dir, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=self.environment(None))
        self.addCleanup(self.stop, process)
        while b'"started"' not in process.stdout.readline():
            self.assertIsNone(process.poll())
        return process

    def stop(self, process):
        if process.poll() is None:
            process.kill()
        process.communicate()
        for pid in find_services():
            os.kill(pid, signal.SIGKILL)

    def test_LC_032_two_deployments_of_one_instance(self):
        self.start()
        for command in (["deploy", "--auto-approve"], ["destroy", "--auto-approve"]):
            result = self.lintel(*command, code=LOCKED)
            self.assertEqual(1, result.err.count("error["), result)
            self.assertIn("instance_in_progress", result.err)
            self.assertIn("lintel deploy", result.err, "who holds it")
        self.check_events("deploy", "--auto-approve", code=LOCKED)
        start = time.monotonic()
        self.lintel("deploy", "--auto-approve", "--lock-timeout", "1s", code=LOCKED)
        self.assertGreaterEqual(time.monotonic() - start, 1)
        self.assertRegex(self.lintel("list", code=OK).out, r"shop +blueprint .*@")

    def test_LC_060_a_heartbeat_every_10_seconds(self):
        self.write("blueprint.yaml", SLOW.replace("60000", "10600"))
        result = self.lintel("deploy", "--auto-approve", "--json-into", "events")
        self.assertNotEqual(OK, result.code)
        self.assertRegex(result.err, r"(?m)^  … resources\.sleeper creating, (9\.[5-9]|10\.\d)s so far$")
        events = [json.loads(line) for line in self.read("events").splitlines()]
        for event in events:
            SCHEMAS.check("events", event)
        self.assertEqual(["resources.sleeper"], [e["address"] for e in events if e["type"] == "heartbeat"])
        self.lintel("destroy", "--auto-approve", code=OK)

    def test_LC_033_a_killed_holder_is_taken_over_at_once(self):
        process = self.start()
        process.kill()
        process.wait()
        self.write("blueprint.yaml", SMALL)
        result = self.lintel("deploy", "--auto-approve", "--accept-drift")
        self.assertNotEqual(LOCKED, result.code, result)

    def test_LC_023_destroying_after_a_kill_leaves_no_process(self):
        self.write("blueprint.yaml", SLOW.replace("60000", "3000"))
        process = self.start()
        end = time.monotonic() + 10
        while not find_services():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)
        process.kill()
        process.wait()
        self.lintel("destroy", "--auto-approve", "--force")
        self.assertEqual([], find_services())

    def test_LC_061_an_interrupt_awaits_a_second_ends(self):
        process = self.start()
        process.send_signal(signal.SIGINT)
        time.sleep(0.5)
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
        self.assertEqual(130, process.returncode, (out, err))
        self.assertIn(b"interrupted", out + err)

    def test_LC_061_sigterm(self):
        process = self.start()
        process.send_signal(signal.SIGTERM)
        time.sleep(0.5)
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)
        self.assertEqual(143, process.returncode)
