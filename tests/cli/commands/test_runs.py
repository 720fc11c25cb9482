"""What is recorded of runs and instances, and the settings of runs: who, when, how much of it is kept, how long a lease
lasts (LC-001, LC-025, LC-030, LC-042, BP-410, BP-541, BP-542)."""

import json
import os
import re
import socket
import sqlite3
import subprocess
import sys
import time
import unittest

from cli_case import FAILED, INVALID, LINTEL, LOCKED, OK, PART_WAY, SMALL, SOURCE, USAGE, CliCase

# A service whose port opens late; until then the call that makes it is under way.
LATE_PORT = """
import socket, sys, time
time.sleep(float(sys.argv[2]))
server = socket.socket()
server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
server.bind(("127.0.0.1", int(sys.argv[1])))
server.listen()
time.sleep(100)
"""
SLOW = """
version: 2025-11-02
resources:
  app:
    type: process/service
    spec:
      command: %s
      args: [late_port.py, "%d", "%s"]
      healthCheck: {tcp: "127.0.0.1:%d", timeoutMs: 30000}
"""


def find_free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Runs(CliCase):
    def setUp(self):
        super().setUp()
        self.write("blueprint.yaml", SMALL)

    def history(self, *args):
        return self.check_json("history", "history", *args, code=OK)["runs"]

    def test_LC_001_who_ran_what_when(self):
        before = int(time.time() * 1000)
        child = subprocess.Popen([LINTEL, "deploy", "--auto-approve", "--var", "greeting=opensesame"], cwd=self.dir,
                                 env=self.environment(None), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.assertEqual(OK, child.wait(60))
        after = int(time.time() * 1000)
        run = self.history()[0]
        self.assertRegex(run["runId"], "^[0-9A-HJKMNP-TV-Z]{26}$")
        self.assertEqual(("deploy", "succeeded"), (run["kind"], run["outcome"]))
        self.assertRegex(run["actor"], "^[^@]+@[^@]+$")
        self.assertEqual(child.pid, run["pid"])
        self.assertEqual("lintel deploy --auto-approve --var greeting=…", run["command"])
        self.assertTrue(before <= run["startedMs"] <= run["endedMs"] <= after, run)

    def test_LC_001_every_kind_of_run_in_the_order_of_time(self):
        self.deploy()
        self.deploy("--var", "greeting=again")
        self.write("note.txt", "by hand\n")
        self.lintel("reconcile", "--apply", "--auto-approve", code=OK)
        self.lintel("state", "mv", "resources.id", "resources.key", code=OK)
        runs = self.history()
        self.assertEqual(["deploy", "deploy", "reconcile", "state mv"], [r["kind"] for r in runs])
        self.assertEqual([1, 2, 3, 4], [r["number"] for r in runs])
        ids = [r["runId"] for r in runs]
        self.assertEqual(sorted(ids), ids, "ids are ordered by time")
        self.assertTrue(all(r["pid"] > 0 and r["command"].startswith("lintel ") for r in runs), runs)

    def test_LC_025_so_many_runs_are_kept(self):
        for greeting in ("a", "b", "c", "d"):
            self.deploy("--keep-history", "2", "--var", "greeting=" + greeting)
        self.assertEqual([3, 4], [r["number"] for r in self.history()])
        self.write("lintel.yaml", "keep-history: 3\n")
        self.deploy("--var", "greeting=e")
        self.assertEqual([3, 4, 5], [r["number"] for r in self.history()])
        self.lintel("deploy", "--keep-history", "0", code=USAGE)

    def test_LC_025_inputs_are_kept_as_keyed_digests(self):
        self.write("blueprint.yaml", SMALL.replace("default: hello", "secret: true"))
        for secret in ("opensesame", "opensesame", "something else"):
            self.deploy("--var", "greeting=" + secret)
        rows = sqlite3.connect(self.path(".lintel/state.db")).execute("SELECT body FROM history ORDER BY number").fetchall()
        digests = [json.loads(body)["inputDigests"] for body, in rows]
        self.assertEqual([["greeting"]] * len(digests), [[d["name"] for d in one] for one in digests])
        self.assertEqual(digests[0], digests[-2])
        self.assertNotEqual(digests[0], digests[-1])
        self.assertTrue(re.fullmatch("[0-9a-f]{64}", digests[0][0]["digest"]), digests)

    def test_BP_410_id_name_and_version_of_an_instance(self):
        self.deploy()
        first = self.check_json("list", "list", code=OK)["instances"][0]
        self.assertRegex(first["id"], "^[A-Za-z0-9_-]{21}$")
        self.assertEqual("shop", first["name"])
        self.deploy("--var", "greeting=again")
        second = self.check_json("list", "list", code=OK)["instances"][0]
        self.assertEqual(first["id"], second["id"])
        self.assertGreater(second["version"], first["version"])
        self.write("other.yaml", SMALL.replace("note.txt", "other.txt"))
        self.deploy("other.yaml", "-i", "other")
        both = self.check_json("list", "list", code=OK)["instances"]
        self.assertEqual(2, len({i["id"] for i in both}))
        database = sqlite3.connect(self.path(".lintel/state.db"))
        with self.assertRaises(sqlite3.IntegrityError):  # names are unique, whoever writes
            database.execute("UPDATE instances SET name = 'shop'")

    def test_LC_042_rows_and_columns(self):
        self.write("blueprint.yaml", SMALL.replace("default: hello", "secret: true"))
        self.deploy("--var", "greeting=opensesame")
        database = sqlite3.connect(self.path(".lintel/state.db"))
        rows = database.execute("SELECT address, type, status, physical_id, created_ms, updated_ms, body FROM elements "
                                "ORDER BY address").fetchall()
        self.assertEqual([("resources.id", "random/id", "created"), ("resources.note", "local/file", "created")],
                         [row[:3] for row in rows])
        self.assertEqual(self.path("note.txt"), rows[1][3])
        self.assertTrue(all(0 < row[4] <= row[5] for row in rows))
        note = json.loads(rows[1][6])
        self.assertEqual(["path", "contents"], list(note["specData"])[:2], "in the order of the blueprint")
        self.assertEqual(self.path("note.txt"), note["specData"]["path"], "what is no secret stands there in clear")
        self.assertEqual("sealed", note["specData"]["contents"]["$lintel"], "a secret is sealed in its place")
        self.assertNotIn("opensesame", "".join(row[6] for row in rows))

    def test_BP_541_BP_542_statuses_of_a_life(self):
        def statuses():
            shown = self.check_json("show", "show", code=OK)
            return shown["instance"]["status"], [e["status"] for e in shown["elements"] if "status" in e]

        self.write("note.txt", "in the way\n")
        self.lintel("deploy", "--auto-approve", code=PART_WAY)
        self.assertEqual(("deploy_failed", ["created", "create_failed"]), statuses())
        self.assertIn("DEPLOY FAILED", self.lintel("list", code=OK).out)
        self.assertIn("CREATE FAILED", self.lintel("show", code=OK).out)
        os.unlink(self.path("note.txt"))
        self.deploy()
        self.assertEqual(("deployed", ["created", "created"]), statuses())
        self.deploy("--var", "greeting=again")
        self.assertEqual(("updated", ["created", "updated"]), statuses())
        os.unlink(self.path("note.txt"))
        os.mkdir(self.path("note.txt"))
        self.write("note.txt/inside", "x")
        self.lintel("deploy", "--auto-approve", "--refresh=false", "--var", "greeting=third", code=FAILED)
        self.assertEqual(("update_failed", ["created", "update_failed"]), statuses())
        failed = self.lintel("destroy", "--auto-approve", "--refresh=false")
        self.assertIn("error[resource_destroy_failed]: 'destroy' of 'resources.note' failed", failed.err)
        self.assertEqual("destroy_failed", statuses()[0])

    def test_F41_a_guard_holds_when_its_block_has_left_the_blueprint(self):
        guarded = SMALL.replace("  note:\n", "  note:\n    removalPolicy: retain\n")
        self.write("blueprint.yaml", guarded)
        self.deploy()
        self.write("blueprint.yaml", guarded.split("  note:\n")[0])
        self.assertIn("  . resources.note", self.lintel("plan", code=OK).out)
        self.deploy()
        self.assertTrue(os.path.exists(self.path("note.txt")))
        self.assertEqual(INVALID, self.lintel("show", "resources.note").code, "forgotten, but there")

    def test_LC_060_failures_are_told_when_they_happen(self):
        self.write("note.txt", "in the way\n")
        events = self.check_events("deploy", "--auto-approve", code=PART_WAY)
        told = [i for i, e in enumerate(events) if e["type"] == "diagnostic"]
        self.assertEqual(1, len(told), events)
        diagnostic = events[told[0]]["diagnostic"]
        self.assertEqual(("resource_deploy_failed", "resources.note"), (diagnostic["code"], diagnostic["path"]))
        ended = [i for i, e in enumerate(events) if e.get("phase") == "ended" and e["address"] == "resources.note"]
        self.assertTrue(told[0] < ended[0] < len(events) - 1)
        self.assertIn(diagnostic, events[-1]["diagnostics"], "and once more with all others at the end")

    def test_BP_502_a_child_with_a_failure_in_it_has_failed(self):
        self.write("core.yaml", SMALL.replace("note.txt", "inner.txt"))
        self.write("blueprint.yaml", SMALL + "include:\n  core: {path: core.yaml}\n")
        self.write("inner.txt", "in the way\n")
        events = self.check_events("deploy", "--auto-approve", code=PART_WAY)
        found = {d["code"]: d for d in events[-1]["diagnostics"] if d["severity"] == "error"}
        self.assertEqual("children.core/resources.note", found["resource_deploy_failed"]["path"])
        self.assertEqual("children.core", found["child_blueprint_error"]["path"])
        self.assertEqual("'children.core' failed: 1 of its operations did", found["child_blueprint_error"]["message"])

    def test_BP_541_BP_542_every_status_is_one_of_the_specification(self):
        with open(os.path.join(SOURCE, "docs", "spec", "blueprint.md"), encoding="utf-8") as stream:
            chapter = stream.read().split("## 3.15 ")[1].split("| code")[0]
        words = set(re.findall(r"[a-z]+(?:_[a-z]+)*", " ".join(re.findall(r"`([^`]+)`", chapter))))
        with open(os.path.join(SOURCE, "src", "model", "statuses.def"), encoding="utf-8") as stream:
            known = re.findall(r"STATUS\((\w+)\)", stream.read())
        instance = re.search(r"Instance: `([^`]+)`", chapter).group(1).split()
        resource = re.search(r"Resource: `([^`]+)`", chapter).group(1).split()
        self.assertEqual([], sorted((set(instance) | set(resource)) - set(known) - {"unknown"}), "statuses that cannot be told")
        parts = re.compile(r"(create|update|destroy)_(failed|interrupted|rolling_back|rollback_\w+)|\w*resource_[ab]\w*|\w*intermediaries\w*")
        self.assertEqual([], [s for s in known if s not in words and not parts.fullmatch(s)], "statuses nobody specified")


class Leases(CliCase):
    def start(self, seconds, *args):
        """A deployment that is under way for so long."""
        port = find_free_port()
        self.write("late_port.py", LATE_PORT)
        self.write("blueprint.yaml", SLOW % (os.path.realpath(sys.executable), port, seconds, port))
        self.addCleanup(self.lintel, "destroy", "--auto-approve")
        child = subprocess.Popen([LINTEL, "deploy", "--auto-approve", "--json", *args], cwd=self.dir,
                                 env=self.environment(None), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(child.communicate)
        while b'"started"' not in child.stdout.readline():
            self.assertIsNone(child.poll())
        return child

    def test_LC_030_F44_a_lease_outlives_calls_that_are_longer(self):
        """The call takes several times the lease; nobody gets in, and it ends well."""
        child = self.start(3, "--lease-time", "1s")
        time.sleep(1.5)
        self.lintel("deploy", "--auto-approve", "--lease-time", "1s", code=LOCKED)
        self.assertIsNone(child.poll())
        self.assertEqual(OK, child.wait(60), child)

    def test_LC_030_too_short_a_lease_is_refused(self):
        self.write("blueprint.yaml", SMALL)
        self.assertIn("at least 1s", self.lintel("deploy", "--auto-approve", "--lease-time", "900ms", code=USAGE).err)

    def test_LC_032_waiting_for_another_run(self):
        child = self.start(1)
        self.lintel("deploy", "--auto-approve", "--lock-timeout", "300ms", code=LOCKED)
        self.lintel("deploy", "--auto-approve", "--lock-timeout", "1m", code=OK)
        self.assertEqual(OK, child.wait(60))


if __name__ == "__main__":
    unittest.main()
