"""tools/run-tests counts what tests print, and whatever goes wrong with a test is a failure."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest

SOURCE = os.environ.get("LINTEL_SOURCE") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Runner(unittest.TestCase):
    def setUp(self):
        self.build = tempfile.mkdtemp(prefix="runner-")
        self.addCleanup(shutil.rmtree, self.build)

    def run_tests(self, *scripts, protocol="tap", timeout=20, suite="s", options=()):
        tests = [{"name": "t%d" % index, "cmd": ["/bin/sh", "-c", script], "env": {}, "workdir": None, "timeout": timeout,
                  "suite": ["lintel:" + suite], "is_parallel": True, "protocol": protocol} for index, script in enumerate(scripts)]
        os.makedirs(os.path.join(self.build, "meson-info"), exist_ok=True)
        with open(os.path.join(self.build, "meson-info", "intro-tests.json"), "w", encoding="utf-8") as stream:
            json.dump(tests, stream)
        done = subprocess.run([os.path.join(SOURCE, "tools", "run-tests"), *options, self.build], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, check=False)
        lines = done.stdout.decode().splitlines()
        return done.returncode, lines[-1], "\n".join(lines[:-1])

    def test_cases_of_all_programs_are_counted(self):
        status, last, text = self.run_tests("echo 1..2; echo ok 1 - a; echo ok 2 - b",
                                            "echo 1..1; echo ok 1 - c; echo 1..1; echo ok 1 - d")
        self.assertEqual((status, last, text), (0, "4 passed, 0 failed", ""))

    def test_a_failed_case_is_shown(self):
        status, last, text = self.run_tests("echo 1..2; echo ok 1 - a; echo not ok 2 - b; echo why >&2; exit 1")
        self.assertEqual((status, last), (1, "1 passed, 1 failed"))
        self.assertIn("failed: t0: b", text)
        self.assertIn("why", text)

    def test_skips_are_named_with_their_reason(self):
        status, last, text = self.run_tests(
            "echo 1..3; echo ok 1 - a '# SKIP no network'; echo '# SKIP-REASON too old'; echo not ok 2 '# SKIP b'; echo ok 3 - c",
            "echo '1..0 # SKIP no suites'")
        self.assertEqual((status, last), (0, "1 passed, 0 failed"))
        for line in ("skipped: t0 a: no network", "skipped: t0 b: too old", "skipped: t1: no suites"):
            self.assertIn(line, text.splitlines())

    def test_a_crash_is_a_failure(self):
        status, last, text = self.run_tests("echo 1..1; echo ok 1 - a; kill -SEGV $$")
        self.assertEqual((status, last), (1, "1 passed, 1 failed"))
        self.assertIn("killed by SIGSEGV", text)

    def test_an_error_after_the_last_case_is_a_failure(self):
        status, last, _ = self.run_tests("echo 1..1; echo ok 1 - a; exit 23")
        self.assertEqual((status, last), (1, "1 passed, 1 failed"))

    def test_stopping_before_the_plan_is_done_is_a_failure(self):
        status, last, text = self.run_tests("echo 1..3; echo ok 1 - a")
        self.assertEqual((status, last), (1, "1 passed, 1 failed"))
        self.assertIn("stopped after 1 of 3 cases", text)

    def test_no_plan_is_a_failure(self):
        self.assertEqual(self.run_tests("true")[:2], (1, "0 passed, 1 failed"))

    def test_running_too_long_is_a_failure(self):
        status, last, text = self.run_tests("echo 1..1; echo ok 1 - a; sleep 30", timeout=1)
        self.assertEqual((status, last), (1, "1 passed, 1 failed"))
        self.assertIn("took longer than 1 s", text)

    def test_nothing_to_run_is_a_failure(self):
        self.assertEqual(self.run_tests()[:2], (1, "0 passed, 0 failed"))

    def test_long_suites_run_only_when_named(self):
        self.assertEqual(self.run_tests("echo 1..1; echo ok 1 - a", suite="crash")[:2], (1, "0 passed, 0 failed"))
        named = self.run_tests("echo 1..1; echo ok 1 - a", suite="crash", options=("--suite", "crash"))
        self.assertEqual(named[:2], (0, "1 passed, 0 failed"))

    def test_a_program_that_is_not_there_is_a_failure(self):
        self.assertEqual(self.run_tests("exec /nowhere/at/all")[0], 1)

    def test_exit_statuses_count_without_tap(self):
        self.assertEqual(self.run_tests("true", "false", protocol="exitcode")[:2], (1, "1 passed, 1 failed"))
        status, last, text = self.run_tests("true", "echo too old; exit 77", protocol="exitcode")
        self.assertEqual((status, last), (0, "1 passed, 0 failed"))
        self.assertIn("skipped: t1: too old", text)


class UnittestTap(unittest.TestCase):
    def run_file(self, text):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "test_x.py")
            with open(path, "w", encoding="utf-8") as stream:
                stream.write("import unittest\n\n\nclass X(unittest.TestCase):\n" + text)
            done = subprocess.run([os.path.join(SOURCE, "tools", "unittest-tap"), path], stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, check=False)
        lines = [line for line in done.stdout.decode().splitlines() if not line.startswith("#")]
        return done.returncode, lines

    def test_cases(self):
        status, lines = self.run_file(
            "    def test_a(self):\n        print('ok 9 - no TAP')\n\n"
            "    def test_b(self):\n        self.fail()\n\n"
            "    @unittest.skip('why')\n    def test_c(self):\n        pass\n\n"
            "    def test_d(self):\n        for i in range(3):\n            with self.subTest(i):\n                self.assertEqual(i, 0)\n")
        self.assertEqual(status, 1)
        self.assertEqual(lines, ["ok 1 - X.test_a", "not ok 2 - X.test_b", "ok 3 - X.test_c # SKIP why", "not ok 4 - X.test_d", "1..4"])

    def test_a_file_that_cannot_be_loaded_has_no_plan(self):
        status, lines = self.run_file("    nonsense(\n")
        self.assertNotEqual(status, 0)
        self.assertEqual(lines, [])

    def test_no_cases_are_a_failure(self):
        self.assertEqual(self.run_file("    pass\n"), (1, ["1..0"]))
