"""kill -9 in front of every call with which lintel changes anything outside: its state, and the world (so also behind every
one, and before and after every write of the journal and every call of a provider). Whoever runs it again ends with a world
that is the one of the state and of the blueprint: nothing is missing, nobody's, or there twice (F1, F2, F3, F5, LC-011,
LC-021, LC-023).

The short form takes some points of each scenario; the long form all, and it kills recoveries as well: at each 29th point
of the run, each 23rd of the one that goes on."""

from faulted import IS_LONG, KILLED, choose_points
from scenarios import SCENARIOS
from world import describe
from world_case import WorldCase

MAX_POINTS = 3000


class CrashMatrix(WorldCase):
    def measure(self, scenario):
        """Without a kill: how many points there are, and what the world is afterwards."""
        self.start_anew()
        self.take_steps(scenario.before)
        result = self.lintel(*scenario.action, fault="any=none@1")
        self.assertIn(result.code, scenario.codes, result)
        total = self.count_calls()
        self.assertTrue(self.go_on(scenario, "undisturbed"))
        self.expected = describe(*self.read_world(), self.dir)
        self.check_settled(scenario, "undisturbed")
        return total

    def survive(self, scenario, point, again=None):
        when = "%s: killed at call %d%s" % (scenario.name, point, "" if again is None else ", and going on at %d" % again)
        self.start_anew()
        self.take_steps(scenario.before)
        result = self.lintel(*scenario.action, fault="any=kill@%d" % point)
        self.assertIn(result.code, scenario.codes + (KILLED,), (when, result))
        if again is not None:
            self.go_on(scenario, when, "any=kill@%d" % again)
        self.go_on(scenario, when)
        self.check_settled(scenario, when)
        return result.code == KILLED

    def sweep(self, scenario):
        total = self.measure(scenario)
        self.assertLess(total, MAX_POINTS)
        self.assertGreater(total, 30 if scenario.name != "drift" else 10)
        killed = sum(self.survive(scenario, point) for point in choose_points(total, scenario.points))
        print("%s: %d points, killed at %d" % (scenario.name, total, killed))
        self.assertGreater(killed, 2)

    def sweep_twice(self, scenario):
        """F3: the recovery is killed, too."""
        total = self.measure(scenario)
        step = 29 if IS_LONG else total // 2
        for point in range(total // 3, total, step):
            for again in range(7 if IS_LONG else 60, total, 23 if IS_LONG else total):
                self.survive(scenario, point, again)


def add_cases():
    for scenario in SCENARIOS:
        setattr(CrashMatrix, "test_killed_" + scenario.name, lambda self, s=scenario: self.sweep(s))
        setattr(CrashMatrix, "test_killed_twice_" + scenario.name, lambda self, s=scenario: self.sweep_twice(s))


add_cases()
