"""The state is brought to what is really there, and nothing outside is touched (BP-532, BP-533)."""

import os
import subprocess

from cli_case import DRIFT, INVALID, LINTEL, LOCKED, OK, PART_WAY, SECRET, SMALL, STALE, USAGE, CliCase, Terminal


class Reconcile(CliCase):
    def setUp(self):
        super().setUp()
        self.write("blueprint.yaml", SMALL)

    def results(self, *args, code):
        events = self.check_events("reconcile", *args, code=code)
        return {r["address"]: r for e in events if e["type"] == "reconciliation" for r in e["results"]}

    def element(self, address):
        value = self.lintel("show", address, "--json", code=OK).json()
        return value["elements"][0]

    def test_BP_532_nothing_to_do(self):
        self.deploy()
        self.assertEqual({}, self.results(code=OK))
        self.assertEqual({}, self.results("--apply", "--auto-approve", code=OK))
        self.assertIn("nothing to reconcile", self.lintel("reconcile", code=OK).out)

    def test_BP_532_external_state_is_accepted(self):
        self.deploy()
        self.write("note.txt", "by hand\n")
        found = self.results(code=DRIFT)
        self.assertEqual(["resources.note"], list(found))
        note = found["resources.note"]
        self.assertEqual(("drift", "accept_external"), (note["type"], note["recommendedAction"]))
        self.assertEqual((note["oldStatus"], note["newStatus"]), ("created", "created"))
        self.assertEqual("by hand\n", note["externalState"]["contents"])
        self.assertNotEqual("by hand\n", note["storedState"]["contents"])
        self.assertEqual("spec.contents", note["differences"][0]["path"])
        self.assertNotEqual("by hand\n", self.element("resources.note")["specData"]["contents"], "only shown")
        self.results("--apply", "--auto-approve", code=OK)
        self.assertEqual("by hand\n", self.element("resources.note")["specData"]["contents"])
        self.assertEqual(b"by hand\n", self.read("note.txt"), "nothing outside is touched")
        self.lintel("drift", code=OK)
        plan = self.lintel("plan", "--json", code=OK).json()["plan"]
        self.assertEqual([], plan["drift"])
        self.deploy()
        self.assertTrue(self.read("note.txt").startswith(b"hello "))

    def test_BP_532_what_is_gone(self):
        self.deploy()
        os.unlink(self.path("note.txt"))
        note = self.results("--apply", "--auto-approve", code=OK)["resources.note"]
        self.assertEqual((True, "destroyed"), (note["missing"], note["newStatus"]))
        self.assertNotIn("externalState", note)
        self.assertEqual("destroyed", self.element("resources.note")["status"])
        self.lintel("drift", code=OK)
        self.deploy()
        self.assertTrue(os.path.exists(self.path("note.txt")))

    def test_BP_532_what_is_gone_can_be_destroyed(self):
        self.deploy()
        os.unlink(self.path("note.txt"))
        self.results("--apply", "--auto-approve", code=OK)
        self.lintel("destroy", "--auto-approve", code=OK)
        self.assertIn("no instances", self.lintel("list", code=OK).out)

    def test_BP_532_named_elements_and_scopes(self):
        self.deploy()
        self.write("note.txt", "by hand\n")
        self.assertEqual({}, self.results("resources.id", code=OK))
        self.assertEqual({}, self.results("--scope", "interrupted", code=OK))
        self.assertIn("resources.note", self.results("resources.note", "resources.id", code=DRIFT))
        self.assertEqual(INVALID, self.lintel("reconcile", "resources.none").code)
        self.assertEqual(USAGE, self.lintel("reconcile", "note.txt").code)
        self.assertEqual(USAGE, self.lintel("reconcile", "--update-status").code)
        self.results("--apply", "--update-status", "--auto-approve", code=PART_WAY)
        self.assertNotEqual("by hand\n", self.element("resources.note")["specData"]["contents"])
        self.results("--apply", "--accept-external", "--auto-approve", code=OK)
        self.assertEqual("by hand\n", self.element("resources.note")["specData"]["contents"])

    def test_BP_532_children_are_left_out_or_named(self):
        self.write("core.yaml", SMALL.replace("note.txt", "inner.txt"))
        self.write("blueprint.yaml", SMALL + "include:\n  core: {path: core.yaml}\n")
        self.deploy()
        self.write("note.txt", "by hand\n")
        self.write("inner.txt", "by hand\n")
        inner = "children.core/resources.note"
        self.assertEqual({"resources.note", inner}, set(self.results(code=DRIFT)))
        self.assertEqual({"resources.note"}, set(self.results("--no-children", code=DRIFT)))
        self.assertEqual({inner}, set(self.results("children.core", code=DRIFT)))
        self.assertEqual({inner}, set(self.results(inner, code=DRIFT)))
        self.assertEqual(INVALID, self.lintel("reconcile", "children.none").code)
        self.results("children.core", "--apply", "--auto-approve", code=OK)
        self.assertEqual({"resources.note"}, set(self.results(code=DRIFT)))

    def test_BP_532_nothing_was_cut_off_to_be_cleaned_up(self):
        self.deploy()
        self.write("note.txt", "by hand\n")
        self.assertEqual({}, self.results("--scope", "interrupted", "--cleaned-up", code=OK))
        self.assertEqual("drift", self.results("--cleaned-up", code=DRIFT)["resources.note"]["type"])

    def test_CLI_011_applying_needs_consent(self):
        self.deploy()
        self.write("note.txt", "by hand\n")
        self.assertIn("consent_required", self.lintel("reconcile", "--apply", code=USAGE).err)
        terminal = Terminal(self, ["reconcile", "--apply"])
        terminal.read_until(b"Only 'yes'")
        terminal.answer(b"no\n")
        self.assertEqual(USAGE, terminal.wait())
        self.lintel("reconcile", code=DRIFT)
        terminal = Terminal(self, ["reconcile", "--apply"])
        terminal.read_until(b"Only 'yes'")
        terminal.answer(b"yes\n")
        self.assertEqual(OK, terminal.wait())
        self.lintel("reconcile", code=OK)

    def test_BP_464_a_plan_from_before_is_stale(self):
        self.deploy()
        self.write("note.txt", "by hand\n")
        self.lintel("plan", "--var", "greeting=bye", "--out", "plan.json", code=OK)
        self.lintel("reconcile", "--apply", "--auto-approve", code=OK)
        self.lintel("deploy", "--plan", "plan.json", code=STALE)

    def test_BP_532_an_instance_that_changed_while_consent_was_asked_for(self):
        self.deploy()
        self.write("note.txt", "by hand\n")
        terminal = Terminal(self, ["reconcile", "--apply"])
        terminal.read_until(b"Only 'yes'")
        self.deploy("--accept-drift")
        terminal.answer(b"yes\n")
        self.assertEqual(STALE, terminal.wait())
        self.assertTrue(self.read("note.txt").startswith(b"hello "))
        self.lintel("drift", code=OK)

    def test_BP_532_an_outdated_drift_record(self):
        self.deploy()
        before = self.read("note.txt")
        self.write("note.txt", "by hand\n")
        self.lintel("drift", code=DRIFT)
        self.write("note.txt", before)
        note = self.results("--apply", "--auto-approve", code=OK)["resources.note"]
        self.assertEqual(("state_refresh", "update_status"), (note["type"], note["recommendedAction"]))
        self.assertEqual(0, self.lintel("drift", "--json", code=OK).json()["cleared"])

    def test_BP_282_secrets_are_hidden_and_sealed(self):
        self.write("blueprint.yaml", SECRET)
        self.deploy("--var", "token=hunter2secret")
        self.write("note.txt", "key=hunter2secret and more\n")
        for args in ([], ["--json"], ["--apply", "--auto-approve"]):
            result = self.lintel("reconcile", *args)
            self.assertNotIn("hunter2secret", result.out + result.err)
        for name in self.files_below(".lintel"):
            with open(name, "rb") as stream:
                self.assertNotIn(b"hunter2secret", stream.read(), name)

    def test_LC_032_two_at_once(self):
        self.deploy()
        for round in range(5):
            self.write("note.txt", "by hand %d\n" % round)
            both = [subprocess.Popen([LINTEL, "reconcile", "--apply", "--auto-approve"], cwd=self.dir,
                                     env=self.environment(None), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                    for _ in range(2)]
            for process in both:
                process.communicate(timeout=60)
            codes = sorted(p.returncode for p in both)
            self.assertIn(OK, codes)
            self.assertLessEqual(set(codes), {OK, LOCKED, STALE})
            self.lintel("reconcile", code=OK)

    def test_BP_411_no_instance(self):
        self.check_events("reconcile", code=INVALID)
