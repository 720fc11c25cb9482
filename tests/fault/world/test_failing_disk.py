"""Disks that fail at the n-th call, for every n, and disks that are full at every size: a clean error, nothing that was
recorded is lost, outcomes that could not be recorded go to the rescue file, and the next run gets through (F7, F8, F9, LC-043,
LC-046).

Of the calls the long form draws 120 of each kind, or takes all there are (choose_points)."""

import ctypes
import glob
import os
import subprocess
import unittest

from faulted import FAILED, INVALID, IS_LONG, LOCKED, OK, PART_WAY, choose_points
from scenarios import SCENARIOS
from world import describe
from world_case import WorldCase

CLONE_NEWNS = 0x20000
# Class and action, and how many calls of a deployment the short form takes.
FAULTS = (("write=enospc", 4), ("write=eio", 4), ("write=short", 4), ("sync=eio", 4), ("read=eio", 3), ("read=short", 3))
LASTING = (("write=enospc", 5), ("sync=eio", 3))


def find(name):
    return next(scenario for scenario in SCENARIOS if scenario.name == name)


class FailingCase(WorldCase):
    def measure(self, scenario, classes=()):
        """The number of calls of each class, and the world without faults."""
        totals = {}
        for name in classes:
            self.start_anew()
            self.take_steps(scenario.before)
            self.lintel(*scenario.action, fault="%s=none@1" % name, code=OK)
            totals[name] = self.count_calls()
        if not classes:
            self.start_anew()
            self.take_steps(scenario.before)
            self.lintel(*scenario.action, code=OK)
        self.expected = describe(*self.read_world(), self.dir)
        return totals

    def check_failure(self, result, when):
        # LOCKED: whoever cannot read who it is (the boot id, say) cannot show that the lease is its own.
        self.assertIn(result.code, (OK, FAILED, INVALID, LOCKED, PART_WAY), (when, result))
        if result.code != OK:
            self.assertIn("error[", result.err, (when, result))

    def rescue(self, when):
        """What could not be recorded, is."""
        found = glob.glob(self.path(".lintel", "rescue-*.jsonl"))
        for path in found:
            self.lintel("state", "rescue", path, "-i", "x", code=OK)
            os.unlink(path)
        self.assertLessEqual(len(found), 1, when)
        return len(found)


class FailingCalls(FailingCase):
    def survive(self, scenario, fault):
        when = "%s: %s" % (scenario.name, fault)
        self.start_anew()
        self.take_steps(scenario.before)
        result = self.lintel(*scenario.action, fault=fault)
        self.check_failure(result, when)
        rescued = self.rescue(when)
        self.go_on(scenario, when)
        self.check_settled(scenario, when)
        return result.code != OK, rescued

    def sweep(self, scenario, faults, suffix):
        totals = self.measure(scenario, {fault.partition("=")[0] for fault, _ in faults})
        failures, rescues = 0, 0
        for fault, in_short in faults:
            for point in choose_points(totals[fault.partition("=")[0]], in_short, 120):
                failed, rescued = self.survive(scenario, "%s@%d%s" % (fault, point, suffix))
                failures += failed
                rescues += rescued
        print("%s: %s, %d runs failed, %d rescue files" % (scenario.name, totals, failures, rescues))
        self.assertGreater(failures, 3 if IS_LONG else 0)

    def test_failing_once(self):  # F7, F8, F9
        for name in ("create", "update", "destroy") if IS_LONG else ("update",):
            self.sweep(find(name), FAULTS, "")

    def test_failing_start(self):  # F9
        """Who cannot read who it is does not hold the lease, and says so."""
        scenario = find("create")
        self.measure(scenario)
        codes = set()
        for point in range(25, 41):
            self.start_anew()
            result = self.lintel(*scenario.action, fault="read=eio@%d" % point)
            self.check_failure(result, point)
            codes.add(result.code)
        self.assertIn(LOCKED, codes)

    def test_failing_for_good(self):  # F7, F8
        for name in ("create", "update", "destroy") if IS_LONG else ("update",):
            self.sweep(find(name), LASTING, "+")


def may_mount():
    return os.geteuid() == 0 and subprocess.run(
        ["unshare", "-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], stderr=subprocess.DEVNULL, check=False).returncode == 0


@unittest.skipUnless(may_mount(), "mounting takes root")
class FullDisk(FailingCase):
    """In a name space of mounts that nobody else sees."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNS) != 0:
            raise unittest.SkipTest("a name space of mounts takes root")
        subprocess.run(["mount", "--make-rprivate", "/"], check=True)

    def fill_up_to(self, free_kib):
        """All room but so much is taken."""
        with open(self.path("filler"), "wb") as stream:
            left = os.statvfs(self.dir).f_bavail * os.statvfs(self.dir).f_frsize // 1024
            stream.write(b"\0" * max(0, left - free_kib) * 1024)

    def start_anew(self):
        if os.path.ismount(self.dir):
            subprocess.run(["umount", "-l", self.dir], check=True)  # what runs there is about to end
        super().start_anew()

    def survive(self, scenario, free_kib):
        when = "%s: %d KiB free" % (scenario.name, free_kib)
        self.start_anew()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", self.dir], check=True)
        self.write_blueprints()
        self.take_steps(scenario.before)
        self.fill_up_to(free_kib)
        result = self.lintel(*scenario.action)
        self.check_failure(result, when)
        self.remove("filler")
        self.rescue(when)
        self.go_on(scenario, when)
        self.check_settled(scenario, when)
        return result.code != OK

    def sweep(self, name, largest_kib):
        scenario = find(name)
        self.measure(scenario)
        sizes = range(0, largest_kib, 4 if IS_LONG else largest_kib // 4)
        failures = sum(self.survive(scenario, size) for size in sizes)
        self.start_anew()
        print("%s: full at %d of %d sizes" % (name, failures, len(sizes)))
        self.assertGreater(failures, 1)
        self.assertTrue(failures < len(sizes) or not IS_LONG, "the largest is not large enough")

    def test_full_create(self):  # F7
        self.sweep("create", 640)

    def test_full_update(self):  # F7
        self.sweep("update", 340)
