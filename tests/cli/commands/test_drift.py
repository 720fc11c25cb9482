"""What was changed outside of lintel is found, shown and noted beside the state (BP-530, BP-531)."""

import os
import signal
import sqlite3
import subprocess

from cli_case import DRIFT, FAILED, INVALID, LINTEL, LOCKED, OK, SECRET, SMALL, USAGE, CliCase
from test_state import SLOW, find_services


class Drift(CliCase):
    def setUp(self):
        super().setUp()
        self.write("blueprint.yaml", SMALL)

    def marks(self):
        """Address → whether its row carries a drift record."""
        with sqlite3.connect("file:%s?mode=ro" % self.path(".lintel", "state.db"), uri=True) as db:
            rows = db.execute("select address, body from elements").fetchall()
        db.close()
        return {address: '"drifted":true' in body for address, body in rows}

    def version(self):
        return self.lintel("show", "--json", code=OK).json()["instance"]["version"]

    def test_BP_530_nothing_has_drifted(self):
        self.deploy()
        value = self.check_json("drift", "drift", code=OK)
        self.assertEqual((2, [], 0), (value["checked"], value["drift"], value["cleared"]))

    def test_BP_530_a_drift_record_is_saved_and_cleared_and_the_state_stays(self):
        self.deploy()
        version = self.version()
        before = self.read("note.txt")
        self.write("note.txt", "changed\n")
        value = self.check_json("drift", "drift", code=DRIFT)
        self.assertEqual(["resources.note"], [d["address"] for d in value["drift"]])
        self.assertEqual("changed", value["drift"][0]["kind"])
        field = value["drift"][0]["differences"][0]
        self.assertEqual(("spec.contents", before.decode(), "changed\n"),
                         (field["path"], field["stored"], field["external"]))
        self.assertEqual({"resources.id": False, "resources.note": True}, self.marks())
        self.assertEqual(version, self.version())
        self.write("note.txt", before)
        self.assertEqual(1, self.check_json("drift", "drift", code=OK)["cleared"])
        self.assertEqual({"resources.id": False, "resources.note": False}, self.marks())
        self.assertEqual(0, self.check_json("drift", "drift", code=OK)["cleared"])

    def test_BP_531_F39_what_is_gone_is_missing_and_made_again(self):
        self.deploy()
        os.unlink(self.path("note.txt"))
        result = self.lintel("drift", code=DRIFT)
        self.assertIn("resources.note (local/file) is gone", result.out)
        self.assertIn("1 of 2 objects read has drifted", result.out)
        self.lintel("deploy", "--auto-approve", code=DRIFT)
        self.assertFalse(os.path.exists(self.path("note.txt")), "not without consent to drift")
        self.deploy("--accept-drift")
        self.assertTrue(self.read("note.txt").startswith(b"hello "))
        self.assertEqual({"resources.id": False, "resources.note": False}, self.marks())
        self.lintel("drift", code=OK)

    def test_BP_530_a_saved_plan_is_not_stale_after_a_check(self):
        self.deploy()
        self.lintel("plan", "--var", "greeting=bye", "--out", "plan.json", code=OK)
        os.chmod(self.path("note.txt"), 0o600)
        self.lintel("drift", code=DRIFT)
        os.chmod(self.path("note.txt"), 0o644)
        self.lintel("drift", code=OK)
        self.lintel("deploy", "--plan", "plan.json", code=OK)

    def test_BP_282_secrets_are_hidden_and_sealed(self):
        self.write("blueprint.yaml", SECRET)
        self.deploy("--var", "token=hunter2secret")
        self.write("note.txt", "key=hunter2secret and more\n")
        for args in (["drift"], ["drift", "--json"]):
            result = self.lintel(*args, code=DRIFT)
            self.assertNotIn("hunter2secret", result.out + result.err)
            self.assertIn("(sensitive)", result.out)
        for name in self.files_below(".lintel"):
            with open(name, "rb") as stream:
                self.assertNotIn(b"hunter2secret", stream.read(), name)

    def test_BP_530_many_at_a_time(self):
        resources = "".join(
            "  n%03d:\n    type: local/file\n    spec:\n      path: n%03d.txt\n      contents: x\n" % (i, i) for i in range(200))
        self.write("blueprint.yaml", "version: 2025-11-02\nresources:\n" + resources)
        self.deploy()
        for i in range(0, 200, 3):
            os.unlink(self.path("n%03d.txt" % i))
        for parallel in ([], ["--parallel", "1"], ["--parallel", "64"]):
            value = self.check_json("drift", "drift", *parallel, code=DRIFT)
            self.assertEqual((200, 67), (value["checked"], len(value["drift"])))
            self.assertEqual({"missing"}, {d["kind"] for d in value["drift"]})

    def test_BP_411_no_instance(self):
        self.assertIn("instance_not_found", self.check_json("drift", "drift", code=INVALID)["diagnostics"][0]["code"])
        self.lintel("drift", "extra", code=USAGE)

    def test_BP_530_an_object_that_cannot_be_read(self):
        """An error, not drift; what was found of the others is noted, and no note is taken away."""
        second = "  other:\n    type: local/file\n    spec: {path: other.txt, contents: x}\nexports:"
        self.write("blueprint.yaml", SMALL.replace("exports:", second))
        self.deploy()
        self.write("note.txt", "by hand\n")
        self.lintel("drift", code=DRIFT)
        os.unlink(self.path("note.txt"))
        os.mkdir(self.path("note.txt"))
        self.write("other.txt", "by hand\n")
        value = self.check_json("drift", "drift", code=FAILED)
        self.assertEqual(["provider_error"], [d["code"] for d in value["diagnostics"]])
        self.assertIn("note.txt' is there and is not a regular file", value["diagnostics"][0]["message"])
        self.assertEqual({"resources.id": False, "resources.note": True, "resources.other": True}, self.marks())

    def test_LC_032_an_instance_that_is_deployed_is_left_alone(self):
        self.write("blueprint.yaml", SLOW)
        run = subprocess.Popen([LINTEL, "deploy", "--auto-approve", "--json"], cwd=self.dir, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, env=self.environment(None))
        self.addCleanup(self.stop, run)
        while b'"started"' not in run.stdout.readline():
            self.assertIsNone(run.poll())
        self.assertIn("instance_in_progress", self.lintel("drift", code=LOCKED).err)
        self.check_json("drift", "drift", "--lock-timeout", "200ms", code=LOCKED)

    def stop(self, run):
        run.kill()
        run.communicate()
        for pid in find_services():
            os.kill(pid, signal.SIGKILL)
