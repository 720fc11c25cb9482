"""The crash matrix with the state in PostgreSQL, and a server that is restarted by force again and again while runs are under
way; a server that loses what it confirmed (F1, F2, F27, F29, LC-044). The long form draws 60 points of each scenario."""

import os
import signal
import sys
import threading
import unittest

sys.path.insert(0, os.path.join(os.environ["LINTEL_SOURCE"], "tests", "cli", "commands"))

from faulted import FAILED, IS_LONG, KILLED, LOCKED, OK, PART_WAY, choose_points
from scenarios import SCENARIOS
from test_postgres import CAN_START, Server
from world import State, describe, read_processes
from world_case import WorldCase

NAMES = ("create", "update", "replace_create_first", "destroy")
LOST = [scenario for scenario in SCENARIOS if scenario.name in ("update", "replace_create_first")]
MANY = """
version: 2025-11-02
values:
  names: {type: array, value: [%s]}
resources:
  note:
    type: local/file
    each: ${values.names}
    spec: {path: 'out/${elem}.txt', contents: '${elem}', createDirectories: true}
"""


@unittest.skipUnless(CAN_START, "there are no programs of PostgreSQL")
class PostgresCase(WorldCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.cluster = Server()
        cls.schemas = 0

    @classmethod
    def tearDownClass(cls):
        cls.cluster.stop()
        super().tearDownClass()

    def start_anew(self):
        super().start_anew()
        type(self).schemas += 1
        self.schema = "s%d" % self.schemas
        self.key = "file:" + self.path("key")

    def environment(self, fault=None, more=None):
        url = self.cluster.url(schema=self.schema)
        return super().environment(fault, {"LINTEL_STATE": url, "LINTEL_KEY": self.key, **(more or {})})

    def query(self, sql):
        command = "SET search_path TO %s; COPY (%s) TO STDOUT (FORMAT csv, DELIMITER E'\\x01', QUOTE E'\\x02')" % (
            self.schema, sql)
        lines = self.cluster.query(command).splitlines()
        return [tuple(text.strip("\x02").replace("\x02\x02", "\x02") for text in line.split("\x01")) for line in lines]

    def read_state(self):
        found = self.cluster.query("SELECT count(*) FROM information_schema.tables WHERE table_schema = '%s'" % self.schema)
        return State(self.query if found != "0" else lambda sql: [])


class CrashPostgres(PostgresCase):
    def sweep(self, scenario):
        self.start_anew()
        self.take_steps(scenario.before)
        self.lintel(*scenario.action, fault="any=none@1", code=OK)
        total = self.count_calls()
        self.expected = describe(*self.read_world(), self.dir)
        killed = 0
        for point in choose_points(total, 4, 60):
            when = "%s: killed at call %d" % (scenario.name, point)
            self.start_anew()
            self.take_steps(scenario.before)
            killed += self.lintel(*scenario.action, fault="any=kill@%d" % point).code == KILLED
            self.go_on(scenario, when)
            self.check_settled(scenario, when)
        print("%s: %d points, killed at %d" % (scenario.name, total, killed))
        self.assertGreater(killed, 2)


class RestartedServer(PostgresCase):
    """F27: pg_ctl -m immediate, as often as the server comes up."""

    def restart(self, end):
        while not end.wait(1):
            self.cluster.run("pg_ctl", "-D", self.cluster.data, "-m", "immediate", "-w", "stop", check=False)
            self.cluster.start()
            self.restarts += 1

    def deploy_many(self, count):
        with open(self.path("many.yaml"), "w", encoding="utf-8") as stream:
            stream.write(MANY % ", ".join("n%d" % i for i in range(count)))
        return self.lintel("deploy", "-i", "x", "--auto-approve", "--parallel", "2", "many.yaml")

    def deploy_until(self, restarts, counts):
        """Each count at least once, and again while the server was not restarted as often."""
        results = []
        while len(results) < len(counts) or (self.restarts < restarts and len(results) < 50):
            results.append(self.deploy_many(counts[len(results) % len(counts)]))
        return results

    def test_restarted_server(self):
        self.restarts = 0
        self.lintel("list", code=OK)
        end = threading.Event()
        other = threading.Thread(target=self.restart, args=(end,))
        other.start()
        try:
            results = self.deploy_until(2, (900, 150, 900, 300, 600) if IS_LONG else (500, 100))
        finally:
            end.set()
            other.join()
        # However each ended, its state is true, and the next one goes on from there.
        for result in results:
            self.assertIn(result.code, (OK, FAILED, PART_WAY), result)
            self.assertTrue(result.code == OK or "state_not_available" in result.err, result)
        codes = [result.code for result in results]
        result = self.deploy_many(40)
        self.assertEqual(OK, result.code, (codes, result))
        names = {"n%d.txt" % i for i in range(40)}
        self.assertEqual(names, set(os.listdir(self.path("out"))))
        state = self.read_state()
        self.assertEqual({self.path("out", name) for name in names}, {e.physical_id for e in state.of_type("local/file")})
        self.assertEqual([], state.journal)
        print("%d restarts, exit codes %s" % (self.restarts, codes))
        self.assertGreater(self.restarts, 1)


class LostTail(PostgresCase):
    """F29: a failover to a copy that lacks what the server confirmed last. What was made since then is found again by its
    name and mark; but a process that only the lost part knew cannot be told from one that was retained."""

    def copy_server(self):
        self.copy = os.path.join(self.cluster.dir, "copy-%s" % self.schema)
        self.cluster.run("pg_basebackup", "-D", self.copy, "-h", self.cluster.dir, "-U", "owner", "-c", "fast", "-X", "stream", "-N")

    def fail_over(self):
        self.cluster.run("pg_ctl", "-D", self.cluster.data, "-m", "immediate", "-w", "stop")
        self.cluster.data = self.copy
        with open(os.path.join(self.copy, "standby.signal"), "wb"):
            pass
        self.cluster.start()
        self.cluster.run("pg_ctl", "-D", self.copy, "-w", "promote")

    def measure(self, scenario):
        self.start_anew()
        self.take_steps(scenario.before)
        self.lintel(*scenario.action, fault="any=none@1", code=OK)
        self.expected = describe(*self.read_world(), self.dir)
        return self.count_calls()

    def end(self, scenario, when):
        self.go_on(scenario, when)
        self.check_settled(scenario, when)

    def end_forgotten(self):
        """The service that the lost run has started; the state knows another one."""
        known = {element.physical_id for element in self.read_state().of_type("process/service")}
        for process in read_processes(self.binary):
            if str(process.pid) not in known:
                self.assertEqual("resources.api", process.marks["LINTEL_ELEMENT"])
                os.kill(process.pid, signal.SIGKILL)

    def test_lost_run(self):
        """All that a run has written is gone, but not what it has done."""
        for scenario in LOST:
            self.measure(scenario)
            self.start_anew()
            self.take_steps(scenario.before)
            self.copy_server()
            self.lintel(*scenario.action, code=OK)
            self.fail_over()
            self.go_on(scenario, scenario.name)
            self.end_forgotten()
            self.end(scenario, scenario.name + ": the state is as it was before the run")

    def test_lost_in_a_run(self):
        """The run itself finds out, and does not go on."""
        for scenario in LOST if IS_LONG else LOST[:1]:
            total = self.measure(scenario)
            self.start_anew()
            self.take_steps(scenario.before)
            self.copy_server()
            run = self.start(*scenario.action, fault="any=stop@%d" % (total * 2 // 3))
            found = os.waitid(os.P_PID, run.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
            self.assertEqual(os.CLD_STOPPED, found.si_code)
            self.fail_over()
            os.kill(run.pid, signal.SIGCONT)
            result = self.finish(run)
            self.assertIn(result.code, (FAILED, LOCKED, PART_WAY), result)
            self.assertIn("error[", result.err)
            self.end(scenario, scenario.name + ": the state was lost in the run")


def add_cases():
    for scenario in SCENARIOS:
        if scenario.name in NAMES:
            setattr(CrashPostgres, "test_postgres_" + scenario.name, lambda self, s=scenario: self.sweep(s))


add_cases()
