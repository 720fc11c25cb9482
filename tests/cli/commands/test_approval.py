"""Consent by rule: what may be done without asking, and what may not be done at all (CLI-011)."""

import os
import time

from cli_case import OK, SMALL, USAGE, CliCase

TWO = """
    version: 2025-11-02
    resources:
      dbmain:
        type: local/file
        spec: {path: %s, contents: data}
      web:
        type: local/file
        spec: {path: web.txt, contents: %s}
    """


class Approval(CliCase):
    def setUp(self):
        super().setUp()
        self.write("blueprint.yaml", TWO % ("db.txt", "one"))

    def refused(self, *args, code="change_denied"):
        before = sorted(os.listdir(self.dir)), self.lintel("show", "--json").out
        result = self.lintel(*args, code=USAGE)
        self.assertIn(code, result.err)
        self.assertIn("nothing was done", result.err)
        self.assertEqual(before, (sorted(os.listdir(self.dir)), self.lintel("show", "--json").out))
        return result.err

    def test_CLI_011_kinds_that_are_approved_need_no_terminal(self):
        self.lintel("deploy", "--approve", "create,update", code=OK)
        self.write("blueprint.yaml", TWO % ("db.txt", "two"))
        self.lintel("deploy", "--approve", "create", "--approve", "update", code=OK)
        self.assertEqual(b"two", self.read("web.txt"))

    def test_CLI_011_any_other_kind_is_refused_and_named(self):
        self.deploy()
        self.write("blueprint.yaml", TWO % ("other.txt", "two"))
        text = self.refused("deploy", "--approve", "create,update", code="consent_required")
        self.assertIn("does not cover: replace ('resources.dbmain')", text)
        self.write("blueprint.yaml", SMALL)
        text = self.refused("deploy", "--approve", "update", code="consent_required")
        self.assertIn("does not cover: create, destroy", text)
        self.lintel("deploy", "--approve", "create,destroy", code=OK)

    def test_CLI_011_auto_approve_covers_all_kinds(self):
        self.deploy()
        self.write("blueprint.yaml", TWO % ("other.txt", "two"))
        self.lintel("deploy", "--approve", "create", "--auto-approve", code=OK)

    def test_CLI_011_destroy(self):
        self.deploy()
        self.assertIn("does not cover: destroy", self.refused("destroy", "--approve", "create,update", code="consent_required"))
        self.assertIn("'destroy' 'resources.", self.refused("destroy", "-y", "--deny", "destroy:*").replace("destroy '", "'destroy' '"))
        self.lintel("destroy", "--approve", "destroy", code=OK)
        self.assertFalse(os.path.exists(self.path("web.txt")))

    def test_CLI_011_an_empty_instance_is_destroyed_with_approval_only(self):
        self.write("blueprint.yaml", "version: 2025-11-02\nresources: {}\nvalues: {a: {type: string, value: x}}\n")
        if self.lintel("deploy", "-y").code == OK:
            self.assertIn("does not cover: destroy", self.lintel("destroy", "--approve", "create", code=USAGE).err)

    def test_CLI_011_nothing_overrides_deny(self):
        self.deploy()
        self.write("blueprint.yaml", TWO % ("other.txt", "two"))
        text = self.refused("deploy", "--auto-approve", "--deny", "replace:resources.db*")
        self.assertIn("the plan would replace 'resources.dbmain', which --deny 'replace:resources.db*' forbids", text)
        self.refused("deploy", "-y", "--deny", "*:resources.?bmain")
        self.refused("deploy", "-y", "--deny", "create,update:*")
        self.lintel("plan", "--out", "plan.json", code=OK)
        self.refused("deploy", "--plan", "plan.json", "--deny", "replace:*")
        self.assertIn("and 1 more are denied", self.refused("deploy", "-y", "--deny", "*:*"))
        self.lintel("deploy", "-y", "--deny", "destroy:*", "--deny", "replace:resources.web", code=OK)

    def test_CLI_011_approval_holds_for_saved_plans(self):
        self.deploy()
        self.write("blueprint.yaml", TWO % ("other.txt", "two"))
        self.lintel("plan", "--out", "plan.json", code=OK)
        self.refused("deploy", "--plan", "plan.json", "--approve", "create", code="consent_required")
        self.lintel("deploy", "--plan", "plan.json", "--approve", "update,replace", code=OK)

    def test_CLI_004_a_project_denies_for_everybody(self):
        self.deploy()
        self.write("lintel.yaml", "deny: ['destroy:*', 'replace:resources.db*']\n")
        self.write("blueprint.yaml", TWO % ("other.txt", "two"))
        self.refused("deploy", "-y")
        self.refused("destroy", "-y")

    def test_what_nobody_saw_is_not_consent_to_drift(self):
        """BP-421"""
        self.deploy()
        self.write("web.txt", "changed by hand")
        self.write("blueprint.yaml", TWO % ("db.txt", "two"))
        unseen = self.lintel("deploy", "--auto-approve").code
        self.assertNotEqual(OK, unseen)
        self.assertEqual(unseen, self.lintel("deploy", "--approve", "update").code)
        self.lintel("deploy", "--approve", "update", "--accept-drift", code=OK)

    def test_CLI_030_machines_are_told(self):
        self.deploy()
        self.write("blueprint.yaml", TWO % ("other.txt", "two"))
        events = self.check_events("deploy", "--approve", "update", code=USAGE)
        self.assertEqual(["consent_required"], [d["code"] for d in events[-1]["diagnostics"]])
        events = self.check_events("deploy", "-y", "--deny", "replace:*", code=USAGE)
        self.assertEqual(["change_denied"], [d["code"] for d in events[-1]["diagnostics"]])
        self.assertNotIn("element", [event["type"] for event in events])

    def test_options_that_mean_nothing(self):
        for bad in ("destroy", "destroy:", ":*", "", "all:*", "destroy,:*x", "destory:*", "\x1b[31m:*"):
            result = self.lintel("deploy", "-y", "--deny", bad, code=USAGE if bad != "destroy,:*x" else OK)
            self.assertNotIn("\x1b", result.err)
        for bad in ("", "everything", "create,,update"):
            self.lintel("deploy", "--approve", bad, code=USAGE)

    def test_hostile_patterns_take_no_time(self):
        started = time.monotonic()
        self.lintel("deploy", "-y", "--deny", "destroy:" + "*a" * 20000 + "b", code=OK)
        self.write("blueprint.yaml", TWO % ("db.txt", "two"))
        self.lintel("deploy", "-y", "--deny", "update:" + "*" * 100000 + "!", code=OK)
        self.assertLess(time.monotonic() - started, 30)
