"""Edits of the stored state, history and broken leases (LC-020, LC-025, LC-032; cli.md section 3)."""

import json
import os
import signal
import sqlite3
import subprocess
import time

from cli_case import INVALID, LINTEL, LOCKED, OK, SMALL, STALE, USAGE, CliCase

SECRET = "opensesame-4711"
CHAIN = """
version: 2025-11-02
variables:
  pass:
    type: string
    secret: true
resources:
  first:
    type: local/file
    spec:
      path: first.txt
      contents: "${variables.pass}"
  second:
    type: local/file
    spec:
      path: second.txt
      contents: "${resources.first.spec.path}"
"""


class Edits(CliCase):
    def setUp(self):
        super().setUp()
        self.write("blueprint.yaml", SMALL)

    def addresses(self):
        return [e["address"] for e in self.check_json("state", "state", "list", code=OK)["elements"]]

    def element(self, address):
        return self.check_json("state", "state", "show", address, code=OK)["element"]

    def test_list_and_show(self):
        self.deploy()
        self.assertEqual(["resources.id", "resources.note"], sorted(self.addresses()))
        note = self.element("resources.note")
        self.assertEqual(["resources.id"], note["dependsOnResources"])
        self.assertIn("resources.note (local/file) CREATED", self.lintel("state", "list", code=OK).out)

    def test_a_moved_resource_is_the_same_object(self):
        self.deploy()
        before = self.read("note.txt")
        value = self.check_json("state", "state", "mv", "resources.id", "resources.key", code=OK)
        self.assertEqual([{"change": "moved", "address": "resources.id", "to": "resources.key"}], value["changes"])
        self.assertEqual(["resources.key"], self.element("resources.note")["dependsOnResources"])
        self.write("blueprint.yaml", SMALL.replace("  id:\n", "  key:\n").replace("resources.id.", "resources.key."))
        self.assertIn("nothing would change", self.lintel("plan", code=OK).out)
        self.deploy()
        self.assertEqual(before, self.read("note.txt"))

    def test_a_removed_resource_stays_in_the_world(self):
        self.deploy()
        self.lintel("state", "rm", "resources.note", code=OK)
        self.assertEqual(["resources.id"], self.addresses())
        self.assertTrue(os.path.exists(self.path("note.txt")))
        self.lintel("destroy", "--auto-approve", code=OK)
        self.assertTrue(os.path.exists(self.path("note.txt")), "it is nobody's any more")

    def test_several_at_once_are_all_or_nothing(self):
        self.deploy()
        result = self.lintel("state", "rm", "resources.note", "resources.nope", code=INVALID)
        self.assertIn("'resources.nope'", result.err)
        self.assertEqual(2, len(self.addresses()))
        self.lintel("state", "rm", "resources.note", "resources.id", code=OK)
        self.assertEqual([], self.addresses())

    def test_a_dry_run_writes_nothing(self):
        self.deploy()
        before = self.check_json("list", "list", code=OK)["instances"]
        value = self.check_json("state", "state", "rm", "resources.note", "--dry-run", code=OK)
        self.assertTrue(value["dryRun"])
        self.assertEqual("resources.note", value["changes"][0]["address"])
        self.assertEqual(before, self.check_json("list", "list", code=OK)["instances"])
        self.assertEqual(1, len(self.check_json("history", "history", code=OK)["runs"]))

    def test_undo_takes_edits_back_one_by_one(self):
        self.deploy()
        shown = self.lintel("show", "--json", code=OK).json()["elements"]
        self.lintel("state", "mv", "resources.id", "resources.key", code=OK)
        self.lintel("state", "rm", "resources.note", code=OK)
        value = self.check_json("state", "state", "undo", code=OK)
        self.assertEqual([{"change": "restored", "address": "resources.note", "to": ""}], value["changes"])
        self.assertEqual(["resources.key", "resources.note"], sorted(self.addresses()))
        self.lintel("state", "undo", code=OK)
        by_address = lambda items: sorted(items, key=lambda e: e["address"])
        self.assertEqual(by_address(shown), by_address(self.lintel("show", "--json", code=OK).json()["elements"]))
        self.assertIn("nothing would change", self.lintel("plan", code=OK).out)
        result = self.lintel("state", "undo", code=INVALID)
        self.assertIn("state_edit_refused", result.err)

    def test_undo_does_not_reach_over_a_deployment(self):
        self.deploy()
        self.lintel("state", "rm", "resources.note", code=OK)
        os.unlink(self.path("note.txt"))
        self.deploy()
        self.assertIn("since the last deployment", self.lintel("state", "undo", code=INVALID).err)
        self.assertEqual(2, len(self.addresses()))

    def test_a_script_is_one_edit(self):
        self.deploy()
        self.write("script", "# names\nmv resources.id resources.key\n\nmv resources.key resources.code\nrm resources.note\n")
        self.lintel("state", "apply", "script", code=OK)
        self.assertEqual(["resources.code"], self.addresses())
        self.lintel("state", "undo", code=OK)
        self.assertEqual(["resources.id", "resources.note"], sorted(self.addresses()))

    def test_a_script_with_a_mistake_changes_nothing(self):
        self.deploy()
        for bad in ("rm\n", "mv resources.id\n", "drop resources.id\n", "rm resources.id resources.note\n", "rm resources.no\n"):
            self.write("script", "mv resources.id resources.key\n" + bad)
            result = self.lintel("state", "apply", "script", code=INVALID)
            self.assertIn("line 2 of the script", result.err)
            self.assertEqual(["resources.id", "resources.note"], sorted(self.addresses()))

    def test_what_cannot_be_moved(self):
        self.deploy()
        for source, target in (("resources.id", "resources.note"), ("resources.id", "values.x"), ("resources.id", "no address"),
                               ("resources.id", "resources.a\nb"),
                               ("resources.id.spec.hex", "resources.key")):
            result = self.lintel("state", "mv", source, target, code=INVALID)
            self.assertEqual(1, result.err.count("error[state_edit_refused]"), result)
        result = self.lintel("state", "mv", "resources.idd", "resources.key", code=INVALID)
        self.assertIn("did you mean 'resources.id'?", result.err)

    def test_usage(self):
        for args in (["state"], ["state", "lst"], ["state", "mv", "resources.id"], ["state", "rm"], ["state", "list", "x"],
                     ["unlock"], ["unlock", "shop"], ["unlock", "shop", "--reason", " "]):
            self.lintel(*args, code=USAGE)
        self.assertIn("lintel state list", self.lintel("state", "lst", code=USAGE).err)
        self.check_json("state", "state", "mv", "resources.id", code=USAGE)
        self.assertIn("instance_not_found", self.lintel("state", "list", "-i", "nope").err)

    def test_LC_003_a_plan_from_before_an_edit_is_stale(self):
        self.deploy()
        self.write("blueprint.yaml", SMALL.replace("hello", "bye"))
        self.lintel("plan", "--out", "plan.json", code=OK)
        self.lintel("state", "mv", "resources.id", "resources.key", code=OK)
        self.lintel("deploy", "--plan", "plan.json", code=STALE)

    def test_BP_281_secrets_are_moved_sealed_and_shown_masked(self):
        self.write("blueprint.yaml", CHAIN)
        self.deploy("--var", "pass=" + SECRET)
        self.lintel("state", "mv", "resources.first", "resources.one", code=OK)
        shown = self.lintel("state", "show", "resources.one", code=OK)
        self.assertIn("(sensitive)", shown.out)
        self.assertNotIn(SECRET, shown.out + shown.err)
        for name in self.files_below(".lintel"):
            with open(name, "rb") as stream:
                self.assertNotIn(SECRET.encode(), stream.read(), name)
        self.write("blueprint.yaml", CHAIN.replace("first:", "one:").replace("resources.first.", "resources.one."))
        plan = self.lintel("plan", "--var", "pass=" + SECRET, code=OK)
        self.assertIn("nothing would change", plan.out)
        self.lintel("state", "undo", code=OK)
        self.write("blueprint.yaml", CHAIN)
        self.assertIn("nothing would change", self.lintel("plan", "--var", "pass=" + SECRET, code=OK).out)

    def test_two_at_once(self):
        self.write("blueprint.yaml", "version: 2025-11-02\nresources:\n" + "".join(
            "  r%d:\n    type: random/id\n    spec:\n      byteLength: 4\n" % i for i in range(8)))
        self.deploy()
        running = [subprocess.Popen([LINTEL, "state", "rm", "resources.r%d" % i, "--lock-timeout", "60s"], cwd=self.dir,
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.environment(None)) for i in range(4)]
        done = [(process.communicate(), process.returncode) for process in running]
        gone = 0
        for (_, err), code in done:
            self.assertIn(code, (OK, LOCKED), err)
            gone += code == OK
        self.assertGreaterEqual(gone, 1)
        self.assertEqual(8 - gone, len(self.addresses()))
        self.assertEqual(1 + gone, len(self.check_json("history", "history", code=OK)["runs"]))

    def test_LC_021_killed_in_the_middle_it_is_old_or_new(self):
        count = 60
        self.write("blueprint.yaml", "version: 2025-11-02\nresources:\n" + "".join(
            "  r%d:\n    type: random/id\n    spec:\n      byteLength: 4\n" % i for i in range(count)))
        self.deploy()
        self.write("script", "".join("mv resources.r%d resources.s%d\n" % (i, i) for i in range(count)))
        old, new = (sorted("resources.%s%d" % (x, i) for i in range(count)) for x in "rs")
        for delay_ms in (5, 20, 40, 60, 80, 100, 140, 200):
            process = subprocess.Popen([LINTEL, "state", "apply", "script"], cwd=self.dir, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL, env=self.environment(None))
            time.sleep(delay_ms / 1000)
            process.send_signal(signal.SIGKILL)
            process.wait()
            found = sorted(self.addresses())
            self.assertIn(found, (old, new), delay_ms)
            if found == new:
                self.lintel("state", "undo", code=OK)
                self.assertEqual(old, sorted(self.addresses()))


class History(CliCase):
    def test_LC_025_runs_are_listed_with_their_outcome(self):
        self.write("blueprint.yaml", SMALL)
        self.deploy()
        self.lintel("state", "mv", "resources.id", "resources.key", code=OK)
        self.write("blueprint.yaml", SMALL.replace("note.txt", "missing/note.txt"))
        os.chmod(self.dir, 0o700)
        self.write("missing", "a file where a directory should be")
        self.assertNotEqual(OK, self.lintel("deploy", "--auto-approve").code)
        runs = self.check_json("history", "history", code=OK)["runs"]
        self.assertEqual([1, 2, None], [run["number"] for run in runs])
        self.assertEqual(["deploy", "state mv", "deploy"], [run["kind"] for run in runs])
        self.assertEqual(2, runs[0]["summary"]["create"])
        self.assertEqual("resources.key", runs[1]["changes"][0]["to"])
        self.assertNotEqual("succeeded", runs[2]["outcome"])
        for run in runs:
            self.assertGreater(run["startedMs"], 1600000000000)
            self.assertGreaterEqual(run["endedMs"], run["startedMs"])
            self.assertIn("@", run["actor"])
        text = self.lintel("history", code=OK).out
        self.assertIn("moved resources.id → resources.key", text)
        self.assertIn("2 created", text)

    def test_LC_020_an_edit_keeps_the_journal_of_a_run_that_failed(self):
        self.write("blueprint.yaml", SMALL.replace("note.txt", "missing/note.txt"))
        self.write("missing", "a file where a directory should be")
        self.assertNotEqual(OK, self.lintel("deploy", "--auto-approve").code)
        before = self.check_json("history", "history", code=OK)["runs"]
        self.lintel("state", "mv", "resources.id", "resources.key", code=OK)
        after = self.check_json("history", "history", code=OK)["runs"]
        self.assertEqual(["state mv"] + [run["kind"] for run in before], [run["kind"] for run in after])
        self.lintel("state", "undo", code=OK)
        os.unlink(self.path("missing"))
        os.mkdir(self.path("missing"))
        self.deploy()

    def test_LC_025_of_a_destroyed_instance(self):
        self.write("blueprint.yaml", SMALL)
        self.assertIn("nor a history", self.lintel("history", code=INVALID).err)
        self.deploy()
        value = self.check_json("history", "history", code=OK)
        self.lintel("destroy", "--auto-approve", code=OK)
        runs = self.check_json("history", "history", code=OK)["runs"]
        self.assertEqual(["deploy", "destroy"], [run["kind"] for run in runs])
        self.deploy()
        self.assertEqual(["deploy"], [run["kind"] for run in self.lintel("history", "--json").json()["runs"]])
        runs = self.check_json("history", "history", "--instance-id", value["instanceId"], code=OK)["runs"]
        self.assertEqual(["deploy", "destroy"], [run["kind"] for run in runs])
        self.assertIn("no instance", self.lintel("history", "--instance-id", "x" * 21, code=INVALID).err)


SLOW = """
version: 2025-11-02
resources:
  id:
    type: random/id
    spec:
      byteLength: 4
  sleeper:
    type: process/service
    spec:
      command: /bin/sleep
      args: ["601.%d"]
      healthCheck:
        tcp: 127.0.0.1:1
        timeoutMs: 20000
""" % os.getpid()


class SlowRun(CliCase):
    def start(self):
        self.write("blueprint.yaml", SLOW)
        process = subprocess.Popen([LINTEL, "deploy", "--auto-approve", "--json"], cwd=self.dir, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=self.environment(None))
        self.addCleanup(self.stop, process)
        line = b""
        while not (b'"started"' in line and b"resources.sleeper" in line):
            line = process.stdout.readline()
            self.assertNotEqual(b"", line, "it has ended")
        return process

    def stop(self, process):
        if process.poll() is None:
            process.kill()
        process.communicate()
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open("/proc/%s/cmdline" % name, "rb") as stream:
                    if stream.read() == b"/bin/sleep\x00601.%d\x00" % os.getpid():
                        os.kill(int(name), signal.SIGKILL)
            except OSError:
                pass


class Unlock(SlowRun):
    def test_LC_032_a_broken_lease_stops_the_run_that_held_it(self):
        process = self.start()
        for args in (["state", "rm", "resources.id"], ["state", "undo"]):
            self.assertIn("instance_in_progress", self.lintel(*args, code=LOCKED).err)
        value = self.check_json("unlock", "unlock", "shop", "--reason", "the agent is gone", code=OK)
        self.assertTrue(value["broken"])
        self.assertIn("@", value["actor"])
        self.assertIn("deploy", value["holderCommand"])
        runs = self.check_json("history", "history", code=OK)["runs"]
        self.assertEqual(["unlock", "deploy"], [run["kind"] for run in runs])
        self.assertEqual("the agent is gone", runs[0]["reason"])
        self.assertEqual("interrupted", runs[1]["outcome"])
        self.assertIn("the agent is gone", self.lintel("history", code=OK).out)
        out, err = process.communicate(timeout=90)
        self.assertEqual(LOCKED, process.returncode, (out, err))
        refused = self.lintel("state", "rm", "resources.sleeper", code=INVALID)
        self.assertIn("cut off", refused.err)
        self.lintel("destroy", "--auto-approve", "--force", "--accept-drift", code=OK)

    def test_LC_032_nobody_holds_it(self):
        self.write("blueprint.yaml", SMALL)
        self.deploy()
        self.assertFalse(self.check_json("unlock", "unlock", "shop", "--reason", "x", code=OK)["broken"])
        self.assertIn("nobody", self.lintel("unlock", "shop", "--reason", "x", code=OK).out)
        self.assertEqual(1, len(self.check_json("history", "history", code=OK)["runs"]))
        self.assertIn("instance_not_found", self.lintel("unlock", "other", "--reason", "x").err)


class Rescue(SlowRun):
    """A run that was cut off has left an intent open; the lines are those that it writes when the store is full."""

    def setUp(self):
        super().setUp()
        process = self.start()
        process.kill()
        process.wait()
        with sqlite3.connect(self.path(".lintel", "state.db")) as db:
            self.run_id, self.operation = db.execute(
                "select run_id, operation from journal where kind = 2 and address = 'resources.sleeper'").fetchone()
            self.instance_id = db.execute("select id from instances").fetchone()[0]
        db.close()

    def lines(self, **changes):
        head = dict({"instanceId": self.instance_id, "runId": self.run_id, "token": 1}, **changes)
        element = {"address": "resources.sleeper", "type": "process/service", "status": "created", "preciseStatus": "created",
                   "physicalId": "1", "createdMs": 1, "updatedMs": 2,
                   "body": {"name": "sleeper", "specData": {"command": "/bin/sleep"}}}
        outcome = {"kind": "outcome", "operation": self.operation, "address": "resources.sleeper", "action": "create",
                   "body": {"result": "succeeded"}}
        return "".join(json.dumps(dict(head, **line)) + "\n" for line in ({"element": element}, outcome))

    def open_intents(self):
        return self.lintel("show", "--json", code=OK).json()["instance"]["openIntents"]

    def test_LC_046_lines_are_replayed_once(self):
        self.assertEqual(1, self.open_intents())
        self.write("rescue.jsonl", self.lines())
        self.lintel("state", "rescue", "rescue.jsonl", "--dry-run", code=OK)
        self.assertEqual(1, self.open_intents())
        self.check_json("state", "state", "rescue", "rescue.jsonl", code=OK)
        self.assertEqual(0, self.open_intents())
        shown = self.check_json("state", "state", "show", "resources.sleeper", code=OK)["element"]
        self.assertEqual(["created", "1"], [shown["status"], shown["physicalId"]])
        self.assertIn("nothing to change", self.lintel("state", "rescue", "rescue.jsonl", code=OK).out)
        self.assertIn("state_edit_refused", self.lintel("state", "undo", code=INVALID).err)

    def test_LC_046_of_another_run_nothing_counts(self):
        self.write("rescue.jsonl", self.lines(runId="0" * 26))
        self.assertIn("nothing to change", self.lintel("state", "rescue", "rescue.jsonl", code=OK).out)
        self.assertEqual(1, self.open_intents())

    def test_LC_046_what_is_no_rescue_file(self):
        for text in ("no json\n", "[]\n", "{}\n", self.lines(instanceId="x" * 21), self.lines() + '{"half":', "\x00\n",
                     json.dumps({"instanceId": self.instance_id, "runId": self.run_id, "kind": "intent", "body": {}}) + "\n"):
            self.write("rescue.jsonl", text.encode())
            result = self.lintel("state", "rescue", "rescue.jsonl", code=INVALID)
            self.assertIn("of the rescue file", result.err)
            self.assertEqual(1, self.open_intents())
