"""Many workers on one queue, killed at random, and two deployments at once (LC-031, LC-045, F22, F23). With LINTEL_LONG=1:
20 workers and 1 000 runs on PostgreSQL, 100 rounds of two at once."""

import os
import random
import re
import sqlite3
import subprocess
import threading
import time
import unittest

from cli_case import LINTEL, LOCKED, OK, STALE, CliCase
from test_postgres import CAN_START, Server

LONG = os.environ.get("LINTEL_LONG") == "1"
WORKERS, RUNS = (20, 1000) if LONG else (4, 24)
ROUNDS = 100 if LONG else 6
SEED = int(os.environ.get("LINTEL_SEED", "4711"))
LIMIT_S = 3000 if LONG else 120

# What each operation leaves shows when it was done twice: another identifier than the state has, a second row.
BLUEPRINT = """
version: 2025-11-02
variables:
  name: {type: string}
resources:
  id: {type: random/id, spec: {byteLength: 8}}
  db:
    type: sqlite/database
    spec:
      path: "out/${variables.name}.db"
      migrations: ["CREATE TABLE made (id TEXT)", "INSERT INTO made VALUES ('${resources.id.spec.hex}')"]
  note:
    type: local/file
    dependsOn: db
    spec: {path: "out/${variables.name}.txt", contents: "${resources.id.spec.hex}"}
"""


class Pool:
    """Workers, one of which is killed now and then."""

    def __init__(self, case, state):
        self.case, self.state, self.kills = case, state, 0
        self.random = random.Random(SEED)
        self.log = open(case.path("workers.log"), "ab")
        case.addCleanup(self.log.close)
        self.workers = [self.start() for _ in range(WORKERS)]

    def start(self):
        return subprocess.Popen([LINTEL, "work", *self.state], stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
                                cwd=self.case.dir, env=self.case.environment(None))

    def kill_one(self):
        victim = self.random.randrange(len(self.workers))
        self.workers[victim].kill()
        self.workers[victim].wait()
        self.workers[victim] = self.start()
        self.kills += 1

    def stop(self):
        for worker in self.workers:
            worker.terminate()
        return [worker.wait(timeout=60) for worker in self.workers]


class WorkersCase(CliCase):
    def enqueue(self, state):
        """From several sides at once."""
        names = ["n%d" % i for i in range(RUNS)]

        def add(part):
            for name in part:
                self.lintel("deploy", "--queue", "-y", "-i", name, "--var", "name=" + name, *state, code=OK)
        threads = [threading.Thread(target=add, args=(names[i::2],)) for i in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return names

    def torture(self, state, count_open):
        """Kills until all runs are over."""
        pool = Pool(self, state)
        end = time.monotonic() + LIMIT_S
        while count_open() > 0:
            self.assertLess(time.monotonic(), end, "the queue does not become empty")
            time.sleep(pool.random.uniform(0.02, 0.25))
            if pool.kills < RUNS:
                pool.kill_one()
        codes = pool.stop()
        self.assertLessEqual(set(codes), {143, -15})  # the last ones may have been too young to listen
        with open(self.path("workers.log"), "r", encoding="utf-8") as stream:
            text = stream.read()
        self.assertNotIn("Sanitizer", text)
        self.assertNotIn("error[", text)
        return pool.kills

    def check_objects(self, identifiers):
        """Each instance has what its state says, made once."""
        for name, identifier in identifiers.items():
            self.assertEqual(identifier, self.read("out/%s.txt" % name).decode(), name)
            with sqlite3.connect(self.path("out", name + ".db")) as db:
                self.assertEqual([(identifier,)], db.execute("SELECT id FROM made").fetchall(), name)
            db.close()
        self.assertEqual(2 * RUNS, len(os.listdir(self.path("out"))))

    def two_at_once(self, state):
        """In each round one wins; the other is told that the instance is held, or comes too late."""
        locked = 0
        self.write("blueprint.yaml", "version: 2025-11-02\nresources:\n  a: {type: random/id, spec: {}}\n")
        self.lintel("deploy", "-y", *state, code=OK)
        for number in range(ROUNDS):
            self.write("blueprint.yaml", "version: 2025-11-02\nresources:\n" + "".join(
                "  a%d: {type: random/id, spec: {keepers: {round: 'r%d'}}}\n" % (i, number) for i in range(100)))
            results = []
            threads = [threading.Thread(target=lambda: results.append(self.lintel("deploy", "-y", *state)))
                       for _ in range(2)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            codes = sorted(result.code for result in results)
            self.assertIn(OK, codes, results)
            self.assertTrue(set(codes) <= {OK, LOCKED, STALE}, results)
            locked += LOCKED in codes
            self.assertIn("nothing would change", self.lintel("plan", *state, code=OK).out)
        return locked


@unittest.skipUnless(CAN_START, "there are no programs of PostgreSQL")
class OnPostgres(WorkersCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def setUp(self):
        super().setUp()
        self.schema = "w_" + self._testMethodName[-40:].lower()
        self.state = ("--state", self.server.url(schema=self.schema), "--key", "file:" + self.path("team.key"))
        self.write("blueprint.yaml", BLUEPRINT)
        os.mkdir(self.path("out"))

    def query(self, sql):
        return self.server.query(sql.replace("@", self.schema + "."))

    def test_LC_045_each_run_runs_once_to_its_end_though_workers_are_killed(self):
        names = self.enqueue(self.state)
        kills = self.torture(self.state, lambda: int(self.query("SELECT count(*) FROM @queue WHERE status < 3")))
        self.assertEqual(str(RUNS), self.query("SELECT count(*) FROM @queue WHERE status = 3 AND exit_code = 0"))
        self.assertEqual(str(RUNS), self.query(
            "SELECT count(*) FROM @history AS h JOIN @queue AS q ON q.id = h.run_id AND q.instance_id = h.instance_id"))
        self.assertEqual(str(RUNS), self.query("SELECT count(*) FROM @history"))
        self.assertEqual("0", self.query("SELECT count(*) FROM @journal"))
        self.assertEqual("0", self.query("SELECT count(*) FROM @queued_plans"))
        rows = self.query("SELECT i.name || ' ' || substring(e.body from '\"hex\":\"([0-9a-f]*)\"') FROM @instances AS i"
                          " JOIN @elements AS e ON e.instance_id = i.id AND e.address = 'resources.id'"
                          " WHERE i.status = 'deployed'")
        identifiers = dict(line.split(" ") for line in rows.splitlines())
        self.assertEqual(set(names), set(identifiers))
        self.check_objects(identifiers)
        resumed = int(self.query("SELECT count(*) FROM @queue WHERE takes > 1"))
        print("# %d kills, %d of %d runs resumed, seed %d" % (kills, resumed, RUNS, SEED))
        self.assertGreater(kills, 0)

    def test_F22_two_at_once(self):
        self.two_at_once(self.state)


class OnSqlite(WorkersCase):
    def setUp(self):
        super().setUp()
        self.write("blueprint.yaml", BLUEPRINT)
        os.mkdir(self.path("out"))

    def count_open(self):
        with sqlite3.connect("file:%s?mode=ro" % self.path(".lintel", "state.db"), uri=True, timeout=30) as db:
            count = db.execute("SELECT count(*) FROM queue WHERE status < 3").fetchone()[0]
        db.close()
        return count

    def test_LC_045_each_run_runs_once_to_its_end_though_workers_are_killed(self):
        names = self.enqueue(())
        self.torture((), self.count_open)
        with sqlite3.connect(self.path(".lintel", "state.db")) as db:
            self.assertEqual(RUNS, db.execute("SELECT count(*) FROM queue JOIN history ON run_id = id"
                                              " WHERE queue.status = 3 AND exit_code = 0").fetchone()[0])
            rows = db.execute("SELECT i.name, e.body FROM instances AS i JOIN elements AS e ON e.instance = i.number"
                              " AND e.address = 'resources.id'").fetchall()
        db.close()
        identifiers = {name: re.search(r'"hex":"([0-9a-f]*)"', body).group(1) for name, body in rows}
        self.assertEqual(set(names), set(identifiers))
        self.check_objects(identifiers)

    def test_F22_two_at_once(self):
        self.two_at_once(())


if not LONG:  # in the short form PostgreSQL shows it
    del OnSqlite.test_LC_045_each_run_runs_once_to_its_end_though_workers_are_killed


if __name__ == "__main__":
    unittest.main()
