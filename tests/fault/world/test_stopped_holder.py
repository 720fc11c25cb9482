"""SIGSTOP for longer than the lease: another run takes over and gets through; the first one, when it wakes, writes nothing
any more and ends with exit code 6 (F20, F25, F26, LC-030, LC-031)."""

import os
import signal
import time

from faulted import IS_LONG, LOCKED, OK, STALE, choose_points
from scenarios import SCENARIOS
from world import describe
from world_case import WorldCase

LEASE = ("--lease-time", "1s")
PATIENCE_S = 5
ANYWHERE = 24  # points of the long form


class StoppedHolder(WorldCase):
    def wait_until_stopped(self, process):
        """False when it ended before it came to the point."""
        end = time.monotonic() + 60
        while time.monotonic() < end:
            found = os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
            if found is not None:
                return found.si_code == os.CLD_STOPPED
        raise AssertionError("neither stops nor ends")

    def wait_for(self, process):
        """Whether it ended in time."""
        end = time.monotonic() + PATIENCE_S
        while process.poll() is None and time.monotonic() < end:
            time.sleep(0.02)
        return process.poll() is not None

    def survive(self, scenario, calls, point):
        """Whether the second run took over while the first one slept."""
        when = "%s: stopped at call %d of %s" % (scenario.name, point, calls)
        self.start_anew()
        self.take_steps(scenario.before)
        first = self.start(*scenario.action, *LEASE, fault="%s=stop@%d" % (calls, point))
        if not self.wait_until_stopped(first):
            self.finish(first, OK)
            return False
        second = self.start(*scenario.action, *LEASE, "--lock-timeout", "60s")
        took_over = self.wait_for(second)  # else the first one sleeps in the middle of a transaction
        if took_over:
            result = self.finish(second)
            is_new = "instance_not_found" in result.err
            self.assertTrue(result.code == OK or is_new, (when, result))
            if not is_new:
                self.check_settled(scenario, when + ", before it wakes")
        os.kill(first.pid, signal.SIGCONT)
        woken = self.finish(first)
        if not took_over:  # both went on at once: whoever was late finds the state changed, and runs again
            self.check_woken(self.finish(second), when)
            self.go_on(scenario, when)
        self.check_woken(woken, when)
        self.check_settled(scenario, when + ", after it woke")
        return took_over and woken.code == LOCKED

    def check_woken(self, woken, when):
        # Who had not taken the lease yet finds nothing to do, or nothing at all; who had, finds it lost.
        is_gone = "instance_not_found" in woken.err or "key_not_usable" in woken.err
        self.assertTrue(woken.code in (OK, LOCKED, STALE) or is_gone, (when, woken))

    def measure(self, scenario, calls):
        self.start_anew()
        self.take_steps(scenario.before)
        self.lintel(*scenario.action, fault="%s=none@1" % calls, code=OK)
        self.expected = describe(*self.read_world(), self.dir)
        return self.count_calls()

    def sweep(self, scenario, in_short):
        """Between what changes the world; in the long form also in the midst of transactions, of the state or of a
        provider, where the second run has to wait most of the time until the first one wakes."""
        total = self.measure(scenario, "world")
        lost = sum(self.survive(scenario, "world", point) for point in choose_points(total, in_short))
        print("%s: %d points, %d takeovers" % (scenario.name, total, lost))
        self.assertGreater(lost, 0)
        if IS_LONG:
            total = self.measure(scenario, "any")
            points = choose_points(total, 0, ANYWHERE)
            lost = sum(self.survive(scenario, "any", point) for point in points)
            print("%s: %d points of %d anywhere, %d takeovers" % (scenario.name, len(points), total, lost))


def add_cases():
    for scenario in SCENARIOS:
        if scenario.name in ("create", "update", "replace_create_first", "destroy"):
            setattr(StoppedHolder, "test_stopped_" + scenario.name, lambda self, s=scenario: self.sweep(s, 3))


add_cases()
