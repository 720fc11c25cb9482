"""Queued runs, workers, stored events, list, leases of others (LC-023, LC-032, LC-045, LC-060)."""

import json
import os
import signal
import sqlite3
import subprocess
import time
import unittest

from cli_case import DRIFT, FAILED, INVALID, LINTEL, LOCKED, OK, SMALL, STALE, USAGE, CliCase

# Enough to be in the middle of for a while.
MANY = """
version: 2025-11-02
values:
  names: {type: array, value: [%s]}
resources:
  note:
    type: local/file
    each: ${values.names}
    spec: {path: "notes/${elem}.txt", contents: "${elem}", createDirectories: true}
"""
# An operation that takes long and holds no lock of the state.
SLOW = """
version: 2025-11-02
resources:
  db:
    type: sqlite/database
    spec:
      path: slow.db
      migrations:
        - CREATE TABLE t (n)
        - |
          INSERT INTO t WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 4000000000)
          SELECT count(*) FROM c
"""
SECRET = """
version: 2025-11-02
variables:
  pw: {type: string, secret: true}
resources:
  note: {type: local/file, spec: {path: note.txt, contents: "${variables.pw}"}}
"""


class QueueCase(CliCase):
    def setUp(self):
        super().setUp()
        self.write("blueprint.yaml", SMALL)

    def enqueue(self, *args, code=OK):
        """Queues a deployment; the id of its run."""
        events = self.check_events("deploy", "--queue", "-y", *args, code=code)
        runs = [event for event in events if event["type"] == "run"]
        self.assertEqual(["queued"], [run["phase"] for run in runs])
        return runs[0]["runId"]

    def runs(self, *args):
        return self.check_json("queue", "queue", *args, code=OK)["runs"]

    def work(self, *args, code=OK):
        return self.check_events("work", "--until-empty", *args, code=code)

    def query(self, sql, *args):
        with sqlite3.connect(self.path(".lintel", "state.db")) as db:
            return db.execute(sql, args).fetchall()

    def start(self, *args):
        return subprocess.Popen([LINTEL, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.dir,
                                env=self.environment(None))

    def end(self, process):
        out, err = process.communicate(timeout=120)
        self.assertNotIn(b"Sanitizer", err)
        return process.returncode, out.decode(), err.decode()


class Queue(QueueCase):
    def test_LC_045_a_queued_plan_is_carried_out_by_a_worker(self):
        run = self.enqueue()
        self.assertFalse(os.path.exists(self.path("note.txt")))
        self.assertEqual([(run, "queued", "deploy", "shop")],
                         [(r["runId"], r["status"], r["kind"], r["instanceName"]) for r in self.runs()])
        events = self.work()
        self.assertEqual(["started", "ended"], [e["phase"] for e in events if e["type"] == "run"])
        elements = [e for e in events if e["type"] == "element"]
        self.assertEqual({run}, {e["runId"] for e in elements})
        self.assertEqual({"resources.id", "resources.note"}, {e["address"] for e in elements})
        self.assertEqual(1, events[-1]["runs"])
        self.assertTrue(self.read("note.txt").startswith(b"hello "))
        self.assertEqual([], self.runs())
        (done,) = self.runs("--all")
        self.assertEqual(("ended", "deployed", 0, 1), tuple(done[k] for k in ("status", "outcome", "runExitCode", "takes")))
        history = self.check_json("history", "history", code=OK)
        self.assertEqual([run], [r["runId"] for r in history["runs"]])
        self.assertEqual([], self.query("SELECT * FROM queued_plans"))

    def test_LC_045_oldest_first_and_the_second_is_stale(self):
        first = self.enqueue()
        self.work()
        second, third = self.enqueue("--var", "greeting=one"), self.enqueue("--var", "greeting=two")
        events = self.work()
        ended = [(e["runId"], e["exitCode"]) for e in events if e["type"] == "run" and e["phase"] == "ended"]
        self.assertEqual([(second, OK), (third, STALE)], ended)
        self.assertTrue(self.read("note.txt").startswith(b"one "))
        self.assertEqual([first, second, third], [r["runId"] for r in self.runs("--all")])
        self.assertEqual("stale", self.runs("--all")[-1]["outcome"])

    def test_LC_060_CLI_014_waiting_shows_the_events_and_gives_the_exit_code(self):
        worker = self.start("work", "--once")
        events = self.check_events("deploy", "--queue", "--wait", "-y", code=OK)
        self.assertEqual(OK, self.end(worker)[0])
        self.assertEqual(["version", "plan", "run", "element", "element", "element", "element", "summary"],
                         [e["type"] for e in events])
        self.assertEqual(("deployed", 2), (events[-1]["outcome"], events[-1]["done"]["created"]))
        self.write("late.txt", "")
        self.write("blueprint.yaml", SMALL.replace("path: note.txt", "path: late.txt"))
        worker = self.start("work", "--once")
        result = self.lintel("deploy", "--queue", "--wait", "-y")
        self.end(worker)
        self.assertNotIn(result.code, (OK, USAGE), result)
        self.assertIn("late.txt", result.err)  # what the worker found
        self.assertIn("error[", result.err)

    def test_LC_060_events_of_every_run_are_stored_and_go_with_its_history(self):
        self.deploy()
        rows = self.query("SELECT run_id, sequence, body FROM events ORDER BY number")
        lines = [json.loads(line) for row in rows for line in row[2].splitlines()]
        self.assertEqual(["version"] + ["element"] * 4 + ["summary"], [line["type"] for line in lines])
        self.assertEqual((OK, "deployed"), (lines[-1]["exitCode"], lines[-1]["outcome"]))
        self.assertEqual(list(range(1, len(rows) + 1)), [row[1] for row in rows])
        self.assertEqual([rows[0][0]], [r["runId"] for r in self.check_json("history", "history", code=OK)["runs"]])

    def test_LC_011_secrets_are_sealed_in_the_queue_and_hidden_in_events(self):
        self.write("blueprint.yaml", SECRET)
        run = self.enqueue("--var", "pw=very-secret-word")
        state = b"".join(self.read(os.path.relpath(name, self.dir)) for name in self.files_below(".lintel"))
        self.assertIn(run.encode(), state)
        self.assertNotIn(b"very-secret-word", state)
        events = self.work()
        self.assertNotIn("very-secret-word", json.dumps(events))
        self.assertEqual(b"very-secret-word", self.read("note.txt"))
        state = b"".join(self.read(os.path.relpath(name, self.dir)) for name in self.files_below(".lintel"))
        self.assertNotIn(b"very-secret-word", state)

    def test_LC_052_a_worker_takes_up_another_data_key(self):
        self.write("blueprint.yaml", SECRET)
        worker = self.start("work")
        self.lintel("deploy", "--queue", "--wait", "-y", "--var", "pw=the first secret", code=OK)
        self.lintel("state", "rekey", "--rotate", code=OK)
        self.lintel("deploy", "--queue", "--wait", "-y", "--var", "pw=the second secret", code=OK)
        worker.send_signal(signal.SIGTERM)
        self.assertEqual(143, self.end(worker)[0])
        self.assertEqual(b"the second secret", self.read("note.txt"))
        self.assertEqual([0, 0], [r["runExitCode"] for r in self.runs("--all")])

    def test_another_directory_takes_the_run(self):
        """A plan holds the text and the inputs; paths are those of where it was made."""
        self.enqueue("--var", "greeting=far")
        os.unlink(self.path("blueprint.yaml"))
        other = os.path.join(self.home, "other")
        os.mkdir(other)
        self.lintel("work", "--until-empty", "--state", self.path(".lintel", "state.db"), "--key",
                    "file:" + self.path(".lintel", "vault", "default.key"), cwd=other, code=OK)
        self.assertTrue(self.read("note.txt").startswith(b"far "))

    def test_destroy(self):
        self.deploy()
        self.check_events("destroy", "--queue", "-y", code=OK)
        self.assertTrue(os.path.exists(self.path("note.txt")))
        self.work()
        self.assertFalse(os.path.exists(self.path("note.txt")))
        self.assertEqual([], self.check_json("list", "list", code=OK)["instances"])
        self.assertEqual(["destroyed"], [r["outcome"] for r in self.runs("--all")])

    def test_a_saved_plan_and_force_are_queued(self):
        self.lintel("plan", "--out", "plan.json", code=OK)
        self.lintel("deploy", "--queue", "--plan", "plan.json", "--force", code=OK)
        self.assertTrue(json.loads(self.query("SELECT body FROM queue")[0][0])["force"])
        self.work()
        self.assertTrue(os.path.exists(self.path("note.txt")))

    def test_CLI_014_consent_is_asked_for_when_it_is_queued(self):
        self.lintel("deploy", "--queue", code=USAGE)
        self.assertFalse(os.path.exists(self.path(".lintel", "state.db")))
        self.deploy()
        self.write("note.txt", "by hand")
        self.lintel("deploy", "--queue", "-y", code=DRIFT)
        self.assertEqual([], self.runs("--all"))
        self.enqueue("--accept-drift")
        self.work()
        self.assertTrue(self.read("note.txt").startswith(b"hello "))

    def test_deny_of_the_worker_holds(self):
        run = self.enqueue()
        events = self.work("--deny", "create:resources.note")
        (ended,) = [e for e in events if e["type"] == "run" and e["phase"] == "ended"]
        self.assertEqual((run, USAGE, "change_denied"), (ended["runId"], ended["exitCode"], ended["diagnostics"][0]["code"]))
        self.assertFalse(os.path.exists(self.path("note.txt")))
        self.assertEqual("denied", self.runs("--all")[0]["outcome"])

    def test_name_spaces_have_their_own_workers(self):
        self.enqueue("--context", "staging")
        self.assertEqual([], self.runs())
        self.assertEqual(1, len(self.runs("--all-contexts")))
        self.assertEqual(0, self.work()[-1]["runs"])
        self.assertEqual(1, self.work("--context", "staging")[-1]["runs"])

    def test_cancelling(self):
        run = self.enqueue()
        value = self.check_json("queue", "queue", "cancel", run, code=OK)
        self.assertEqual([run], value["cancelled"])
        self.assertEqual(["cancelled"], [r["status"] for r in self.runs("--all")])
        self.assertEqual(0, self.work()[-1]["runs"])
        result = self.lintel("queue", "cancel", run, code=INVALID)
        self.assertIn("error[run_not_waiting]", result.err)
        self.assertIn("error[run_not_found]", self.lintel("queue", "cancel", "nobody", code=INVALID).err)
        self.lintel("queue", "cancel", code=USAGE)
        self.lintel("queue", "list", run, code=USAGE)
        self.lintel("deploy", "--wait", "-y", code=USAGE)
        waiting = self.start("deploy", "--queue", "--wait", "-y")
        while not self.runs():
            time.sleep(0.05)
        self.lintel("queue", "cancel", self.runs()[0]["runId"], code=OK)
        code, _, err = self.end(waiting)
        self.assertEqual(FAILED, code)
        self.assertIn("error[run_cancelled]", err)


class Interrupted(QueueCase):
    def setUp(self):
        super().setUp()
        self.write("blueprint.yaml", MANY % ", ".join("n%d" % i for i in range(300)))

    def count(self):
        return len(os.listdir(self.path("notes"))) if os.path.isdir(self.path("notes")) else 0

    def start_worker(self):
        """One that is in the middle of the run."""
        worker = self.start("work", "--json")
        while self.count() < 20 and worker.poll() is None:
            time.sleep(0.002)
        self.assertIsNone(worker.poll())
        return worker

    def check_done(self, run, takes):
        self.assertEqual(300, self.count())
        (done,) = self.runs("--all")
        self.assertEqual(("ended", "deployed", 0, takes),
                         tuple(done[k] for k in ("status", "outcome", "runExitCode", "takes")))
        history = self.check_json("history", "history", code=OK)
        self.assertEqual([(run, "succeeded")], [(r["runId"], r["outcome"]) for r in history["runs"]])
        bodies = self.query("SELECT body FROM events WHERE run_id = ? ORDER BY sequence", run)
        kinds = [json.loads(line)["type"] for body in bodies for line in body[0].splitlines()]
        self.assertEqual(("version", "summary", 1, 1),
                         (kinds[0], kinds[-1], kinds.count("version"), kinds.count("summary")))

    def test_LC_045_the_run_of_a_killed_worker_is_resumed(self):
        run = self.enqueue()
        worker = self.start_worker()
        worker.kill()
        self.end(worker)
        self.assertEqual(["interrupted"], [r["status"] for r in self.runs()])
        events = self.work()
        self.assertEqual(2, [e for e in events if e["type"] == "run"][0]["takes"])
        self.check_done(run, 2)

    def test_LC_061_a_worker_that_is_told_to_stop_gives_the_run_back(self):
        run = self.enqueue()
        worker = self.start_worker()
        worker.send_signal(signal.SIGTERM)
        code, out, err = self.end(worker)
        self.assertEqual(143, code, err)
        self.assertIn('"phase":"ended"', out)
        self.assertIn("given back to the queue", err)
        self.assertEqual(["queued"], [r["status"] for r in self.runs()])
        self.assertLess(self.count(), 300)
        self.work()
        self.check_done(run, 2)

    def test_a_run_whose_worker_is_gone_can_be_cancelled(self):
        run = self.enqueue()
        worker = self.start_worker()
        self.assertIn("instance_in_progress", self.lintel("queue", "cancel", run, code=LOCKED).err)
        self.assertEqual(["running"], [r["status"] for r in self.runs()])
        worker.kill()
        self.end(worker)
        self.lintel("queue", "cancel", run, code=OK)
        self.assertEqual(0, self.work()[-1]["runs"])
        self.deploy()  # settles what was left open
        self.assertEqual(300, self.count())

    def test_LC_032_who_holds_an_instance_and_how_to_break_that(self):
        self.write("blueprint.yaml", SLOW)
        self.enqueue()
        worker = self.start("work", "--json")
        self.addCleanup(worker.stderr.close)
        self.addCleanup(worker.stdout.close)
        try:
            while b'"phase":"started","action"' not in worker.stdout.readline():
                self.assertIsNone(worker.poll())
            (listed,) = self.check_json("list", "list", code=OK)["instances"]
            self.assertIn("@", listed["holder"])
            self.assertEqual((listed["holder"], 1), (listed["owner"], listed["queued"]))
            for command in (["deploy", "-y"], ["destroy", "-y"], ["drift"], ["state", "rm", "resources.db"]):
                result = self.lintel(*command, code=LOCKED)
                for text in ("instance 'shop' is held by " + listed["holder"], "process %d" % worker.pid, "since ",
                             "lintel work --json", "--lock-timeout 5m", "lintel unlock %s --reason TEXT" % listed["id"]):
                    self.assertIn(text, result.err)
        finally:
            worker.kill()
            worker.wait()


class Listing(QueueCase):
    def test_list_tells_status_age_drift_and_owner(self):
        self.deploy()
        self.write("note.txt", "by hand")
        self.lintel("drift", code=DRIFT)
        self.enqueue("--accept-drift")
        (one,) = self.check_json("list", "list", code=OK)["instances"]
        self.assertEqual((1, "", 1, 2, "deployed"), tuple(one[k] for k in ("drifted", "holder", "queued", "elements", "status")))
        self.assertIn("@", one["owner"])
        text = self.lintel("list", code=OK).out
        self.assertRegex(text, r"(?m)^NAME +DIALECT +STATUS +AGE +DRIFT +OWNER$")
        self.assertRegex(text, r"(?m)^shop +blueprint +DEPLOYED +\d+s +1 +\S+@\S+  \(queued: 1\)$")


if __name__ == "__main__":
    unittest.main()
