"""Little memory, few descriptors, a small stack, a clock that jumps, runs at the same time, objects of others: errors, never
damage; and the next run gets through (F12, F13, F14, F15, F19, F23, F38, F39, F40). Of the thousands of allocations the
long form draws 150, once for each to fail alone and once with all behind it."""

import os
import resource
import signal
import subprocess
import time

from faulted import DRIFT, FAILED, INVALID, IS_LONG, LINTEL, LOCKED, OK, PART_WAY, PRELOAD, STALE, choose_points
from scenarios import DESTROY, SCENARIOS, deploy
from world import describe
from world_case import WorldCase

# Many operations that touch nothing outside.
MANY = """
version: 2025-11-02
values:
  names: {type: array, value: [%s]}
resources:
""" + "".join('  id%d: {type: random/id, each: "${values.names}", spec: {byteLength: 4}}\n' % i for i in range(5))
HAS_SANITIZER = "libasan" in PRELOAD
ENDS = (OK, FAILED, INVALID, PART_WAY)


def find(name):
    return next(scenario for scenario in SCENARIOS if scenario.name == name)


class LimitCase(WorldCase):
    def measure(self, scenario, fault=None):
        self.start_anew()
        self.take_steps(scenario.before)
        self.lintel(*scenario.action, fault=fault, code=OK)
        self.expected = describe(*self.read_world(), self.dir)
        return self.count_calls() if fault else 0

    def begin(self, scenario):
        self.start_anew()
        self.take_steps(scenario.before)

    def end(self, scenario, when):
        self.go_on(scenario, when)
        self.check_settled(scenario, when)

    def lintel_limited(self, limit, soft, *args):
        def lower():
            resource.setrlimit(limit, (soft, resource.getrlimit(limit)[1]))

        process = subprocess.Popen([LINTEL, *args], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env=self.environment(), cwd=self.dir, preexec_fn=lower)
        return self.finish(process)


class Limits(LimitCase):
    def test_memory(self):
        """F12, F13: one allocation fails, or all from there on. What cannot go on aborts, as if it were killed."""
        if HAS_SANITIZER:
            self.skipTest("the sanitizer has an allocator of its own")
        scenario = find("update")
        total = self.measure(scenario, "memory=none@1")
        failures = 0
        for suffix in ("", "+"):
            for point in choose_points(total, 6, 150):
                when = "allocation %d%s of %d" % (point, suffix, total)
                self.begin(scenario)
                result = self.lintel(*scenario.action, fault="memory=enomem@%d%s" % (point, suffix))
                self.assertIn(result.code, ENDS + (-signal.SIGABRT,), (when, result))
                self.assertTrue(result.code == OK or result.err.strip(), (when, result))
                if result.code == OK:
                    self.check_settled(scenario, when)
                failures += result.code != OK
                self.end(scenario, when)
        print("%d allocations, %d runs failed" % (total, failures))
        self.assertGreater(failures, 2)

    def test_descriptors(self):
        """F14"""
        scenario = find("update")
        self.measure(scenario)
        failures = 0
        for count in range(3, 65, 1 if IS_LONG else 9):
            self.begin(scenario)
            result = self.lintel_limited(resource.RLIMIT_NOFILE, count, *scenario.action)
            # With so few the loader of the system cannot open libraries.
            self.assertIn(result.code, ENDS + (127,), (count, result))
            failures += result.code != OK
            self.end(scenario, "%d descriptors" % count)
        self.assertGreater(failures, 0)

    def test_stack(self):
        """F15: 256 KiB, also for what is nested as deeply as it can be."""
        limit = (resource.RLIMIT_STACK, 256 * 1024 * (4 if HAS_SANITIZER else 1))
        for name in ("create", "update", "destroy"):
            scenario = find(name)
            self.measure(scenario)
            self.begin(scenario)
            result = self.lintel_limited(*limit, *scenario.action)
            self.assertEqual(OK, result.code, (name, result))
            self.end(scenario, name)
        deep = {"flow": "version: 2025-11-02\nvalues: {a: {type: array, value: %s}}\n" % ("[" * 100000),
                "expression": "version: 2025-11-02\nvalues: {a: {type: integer, value: '${%s1%s}'}}\n" % ("(" * 100000, ")" * 100000),
                "calls": "version: 2025-11-02\nvalues: {a: {type: string, value: '${%s\"x\"%s}'}}\n" % ("trim(" * 100000, ")" * 100000)}
        for name, text in deep.items():
            with open(self.path(name + ".yaml"), "w", encoding="utf-8") as stream:
                stream.write(text)
            result = self.lintel_limited(*limit, "validate", name + ".yaml")
            self.assertEqual(INVALID, result.code, (name, result))

    def test_clock(self):
        """F19: the wall clock jumps by ten days, in the middle of a run and between two."""
        scenario = find("update")
        total = self.measure(scenario, "any=none@1")
        for jump in ("ahead", "behind"):
            for point in choose_points(total, 3, 20):
                when = "%s at call %d" % (jump, point)
                self.begin(scenario)
                result = self.lintel(*scenario.action, fault="any=%s@%d" % (jump, point))
                self.assertEqual(OK, result.code, (when, result))
                self.end(scenario, when)

    def test_together(self):
        """F23: deploying, destroying and planning at once; each gets through, is locked out, or comes too late."""
        scenario = find("update")
        self.measure(scenario)
        self.begin(scenario)
        commands = (scenario.action, DESTROY, ("plan", "-i", "x", "--allow-private", "updated.yaml"), deploy("first"))
        seen = set()
        for _ in range(40 if IS_LONG else 5):
            for process in [self.start(*command) for command in commands]:
                result = self.finish(process)
                known = ENDS + (LOCKED, STALE, DRIFT)
                self.assertIn(result.code, known, result)
                seen.add(result.code)
            state = self.read_state()
            self.assertLessEqual(len(state.instances), 1)
        self.end(scenario, "after all")
        self.assertGreater(len(seen), 1, seen)

    def test_two_states(self):
        """F38: a second state does not take what belongs to the first."""
        scenario = find("create")
        self.measure(scenario)
        other = self.lintel("--state", "other.db", *deploy("first"))
        self.assertEqual(PART_WAY, other.code, other)
        self.assertIn("exists and was not made by this resource", other.err)
        self.lintel("--state", "other.db", *DESTROY)
        self.check_after_other(scenario)

    def check_after_other(self, scenario):
        """Its services are its own; everything of the first is as it was."""
        state = self.read_state()
        files, processes = self.read_world()
        mine = [p for p in processes if p.marks.get("LINTEL_INSTANCE") in state.instances]
        self.assertEqual(self.expected, describe(files, mine, self.dir))
        self.end(scenario, "beside another state")

    def test_by_hand(self):
        """F39: deleted by hand. The plan says so, deploying needs consent, and makes it anew."""
        scenario = find("create")
        self.measure(scenario)
        self.remove("out", "told.txt")
        plan = self.lintel("plan", "-i", "x", "--allow-private", "first.yaml", code=OK)
        self.assertIn("resources.told", plan.out)
        command = [word for word in deploy("first") if word != "--accept-drift"]
        self.assertEqual(DRIFT, self.lintel(*command).code)
        self.assertFalse(os.path.exists(self.path("out", "told.txt")))
        self.end(scenario, "made anew")

    def test_long_journal(self):
        """F40: a run of many operations was killed near its end. Whoever comes next starts in no more than a few seconds, and
        in time that grows with the journal, not faster."""
        seconds = {}
        sizes = (10000, 50000) if IS_LONG else (1000, 5000)
        for count in sizes:
            self.start_anew()
            with open(self.path("many.yaml"), "w", encoding="utf-8") as stream:
                stream.write(MANY % ", ".join("n%d" % i for i in range(count // 5)))
            self.lintel(*deploy("many"), fault="any=none@1", code=OK)
            total = self.count_calls()
            rows = next(filter(lambda n: n > count, (self.cut_off_at(total * part // 20) for part in range(19, 1, -1))), 0)
            self.assertGreater(rows, count)
            begin = time.monotonic()
            self.lintel("show", "-i", "x", code=OK)
            seconds[count] = time.monotonic() - begin
            self.lintel(*deploy("many"), code=OK)
            self.assertEqual(count, len(self.read_state().elements))
        print("seconds to start: %r" % seconds)
        self.assertLess(seconds[sizes[1]], 5 * 3 * max(seconds[sizes[0]], 0.1))

    def cut_off_at(self, point):
        """How many rows the journal has then."""
        with open(self.path("many.yaml"), encoding="utf-8") as stream:
            text = stream.read()
        self.start_anew()
        with open(self.path("many.yaml"), "w", encoding="utf-8") as stream:
            stream.write(text)
        self.lintel(*deploy("many"), fault="any=kill@%d" % point)
        return len(self.read_state().journal)
