"""Going back: after a run that failed, in the same process or later, and after one that succeeded (BP-520 to BP-523)."""

import json
import os
import re
import signal
import subprocess

from cli_case import CHANGES, FAILED, INVALID, LINTEL, OK, PART_WAY, SCHEMAS, USAGE, CliCase

ROLLED_BACK = 8

# Something of everything: contents and paths that change, one that goes, one that is to be kept.
BEFORE = """
version: 2025-11-02
resources:
  id: {type: random/id, spec: {byteLength: 4}}
  changed: {type: local/file, spec: {path: changed.txt, contents: "one ${id.spec.hex}"}}
  moved: {type: local/file, spec: {path: old.txt, contents: here}}
  gone: {type: local/file, dependsOn: changed, spec: {path: gone.txt, contents: g}}
  left: {type: local/file, removalPolicy: retain, spec: {path: left.txt, contents: l}}
  data: {type: sqlite/database, spec: {path: data.db}}
exports:
  path: {type: string, field: resources.moved.spec.path}
"""
AFTER = """
version: 2025-11-02
resources:
  id: {type: random/id, spec: {byteLength: 4}}
  changed: {type: local/file, spec: {path: changed.txt, contents: "two ${id.spec.hex}"}}
  moved: {type: local/file, spec: {path: new.txt, contents: there}}
  added: {type: local/file, spec: {path: added.txt, contents: a}}
  data: {type: sqlite/database, spec: {path: data.db}}
exports:
  path: {type: string, field: resources.moved.spec.path}
"""
LAST = """\
  last: {type: local/file, dependsOn: [changed, moved, added], spec: {path: /dev/null/last.txt, contents: z}}
"""
BROKEN = AFTER.replace("exports:\n", LAST + "exports:\n")
FIRST = """
version: 2025-11-02
resources:
  a: {type: local/file, spec: {path: a.txt, contents: a}}
  b: {type: local/file, dependsOn: a, spec: {path: /dev/null/b.txt, contents: b}}
"""


class Rollback(CliCase):
    def put(self, text):
        self.write("blueprint.yaml", text)

    def texts(self):
        return {name: self.read(name) for name in sorted(os.listdir(self.dir)) if name.endswith(".txt")}

    def status(self):
        return self.lintel("show", "--json", code=OK).json()["instance"]["status"]

    def elements(self, *args):
        return {e["address"]: e for e in self.lintel("show", *args, "--json", code=OK).json()["elements"]}

    def roll_back(self, *args, code=OK, **options):
        return self.lintel("rollback", "--auto-approve", *args, code=code, **options)

    # --- after a failure ---

    def test_BP_521_a_first_deployment_that_failed_leaves_nothing(self):
        self.put(FIRST)
        result = self.deploy("--rollback", code=ROLLED_BACK)
        self.assertIn("Instance shop is not finished", result.out)
        self.assertIn("Instance shop rolled back.\n", result.out)
        self.assertEqual({}, self.texts())
        self.assertEqual("deploy_rollback_complete", self.status())
        self.assertEqual({}, self.elements())
        runs = self.check_json("history", "history", code=OK)["runs"]
        self.assertEqual([("deploy", "deploy_failed"), ("rollback", "succeeded")],
                         [(r["kind"], r["outcome"]) for r in runs])
        self.put(FIRST.replace("/dev/null/", ""))
        self.deploy()
        self.assertEqual(["a.txt", "b.txt"], list(self.texts()))

    def test_BP_521_a_failed_update_is_led_back(self):
        self.put(BEFORE)
        self.deploy()
        before, elements = self.texts(), self.elements()
        inode = os.stat(self.path("old.txt")).st_ino
        self.put(BROKEN)
        self.deploy(code=PART_WAY)
        self.assertIn("new.txt", self.texts())
        self.assertNotEqual(before, self.texts())
        shown = self.lintel("rollback", "--dry-run", code=OK).out
        self.assertIn("Taken back into the state, the object is still there:\n  resources.moved\n", shown)
        self.assertIn("~ resources.changed (local/file) will be updated", shown)
        self.assertIn("- resources.added (local/file) will be destroyed", shown)
        self.assertIn("new.txt", self.texts(), "nothing was done")
        self.roll_back()
        self.assertEqual(before, self.texts())
        self.assertEqual(inode, os.stat(self.path("old.txt")).st_ino, "the object itself was kept")
        self.assertEqual("update_rollback_complete", self.status())
        after = self.elements()
        self.assertEqual(list(sorted(elements)), list(sorted(after)))
        for address, element in elements.items():
            self.assertEqual(element.get("specData"), after[address].get("specData"), address)
            self.assertEqual(element.get("dependsOn"), after[address].get("dependsOn"), address)
            self.assertEqual(element.get("value"), after[address].get("value"), address)
        self.assertEqual("ROLLBACK COMPLETE",
                         re.search(r"resources.changed \(local/file\) ([A-Z ]+)\n", self.lintel("show").out).group(1))
        self.put(BEFORE)
        self.assertIn("nothing to do", self.deploy().out)

    def test_LC_060_events_tell_of_both_runs(self):
        self.put(BEFORE)
        self.deploy()
        self.put(BROKEN)
        events = self.check_events("deploy", "--rollback", "--auto-approve", code=ROLLED_BACK)
        last = events[-1]
        self.assertEqual("update_rollback_complete", last["outcome"])
        self.assertEqual("update_failed", last["failedRun"]["outcome"])
        self.assertEqual((["resources.moved"], []), (last["takenBack"], last["skipped"]))
        self.assertEqual(2, [e["type"] for e in events].count("plan"))
        ended = {e["address"]: (e["status"], e["preciseStatus"]) for e in events
                 if e["type"] == "element" and e["phase"] == "ended"}
        self.assertEqual(("rollback_complete", "update_rollback_complete"), ended["resources.changed"])
        self.assertEqual(("rollback_complete", "create_rollback_complete"), ended["resources.added"])

    def test_BP_524_a_rollback_that_fails_ends_with_9(self):
        self.put(BEFORE)
        self.deploy()
        self.put(BROKEN.replace("path: added.txt, contents: a", "path: sub/added.txt, contents: a"))
        self.deploy(code=PART_WAY)
        os.remove(self.path("changed.txt"))
        os.mkdir(self.path("changed.txt"))  # it cannot be written any more
        result = self.roll_back("--refresh=false", code=PART_WAY)
        self.assertIn("'lintel rollback' goes on from here", result.out)
        self.assertEqual("update_rollback_failed", self.status())
        os.rmdir(self.path("changed.txt"))
        self.roll_back()
        self.assertEqual("update_rollback_complete", self.status())
        self.assertTrue(self.read("changed.txt").startswith(b"one "))

    def test_CLI_011_deny_holds_for_the_rollback_too(self):
        self.put(FIRST)
        result = self.deploy("--rollback", "--deny", "destroy:resources.a", code=PART_WAY)
        self.assertIn("change_denied", result.err)
        self.assertEqual(["a.txt"], list(self.texts()))

    def test_a_run_that_has_not_begun_is_not_rolled_back(self):
        self.put(FIRST.replace("/dev/null/", ""))
        self.deploy()
        self.put(FIRST.replace("/dev/null/b.txt", "c.txt"))
        self.lintel("plan", "--out", "old.json", code=OK)
        self.deploy()
        result = self.lintel("deploy", "--plan", "old.json", "--rollback", code=7)
        self.assertNotIn("Rolling back", result.out)
        self.assertIn("c.txt", self.texts())

    # --- after a success ---

    def test_BP_520_a_success_is_led_back_until_the_next(self):
        self.put(BEFORE)
        self.deploy()
        before = self.texts()
        inode = os.stat(self.path("left.txt")).st_ino
        self.put(AFTER)
        self.deploy()
        self.assertNotIn("gone.txt", self.texts())
        self.assertEqual(inode, os.stat(self.path("left.txt")).st_ino)
        self.roll_back()
        self.assertEqual(before, self.texts())
        self.assertEqual(inode, os.stat(self.path("left.txt")).st_ino, "taken back as it is")
        self.assertEqual(self.path("old.txt"), self.elements()["exports.path"]["value"])
        result = self.lintel("rollback", "--auto-approve", code=OK)
        self.assertEqual("There is nothing to roll back: the last run was a rollback, which is not rolled back.\n",
                         result.out)
        self.put(BEFORE)
        self.assertIn("nothing to do", self.deploy().out)

    def test_BP_521_values_that_were_drawn_come_back(self):
        text = """
            version: 2025-11-02
            resources:
              id: {type: random/id, spec: {byteLength: 4}}
              pass: {type: random/password, spec: {length: 12}}
              note: {type: local/file, spec: {path: note.txt, contents: "${id.spec.hex} ${pass.spec.result}"}}
            """
        self.put(text)
        self.deploy()
        before = self.texts()
        self.put(text.replace("byteLength: 4", "byteLength: 8").replace("length: 12", "length: 20"))
        self.deploy()
        self.assertNotEqual(before, self.texts())
        self.assertNotIn("rollback_value_may_change", self.roll_back().err)
        self.assertEqual(before, self.texts())
        self.put(text)
        self.assertIn("nothing to do", self.deploy().out)

    def test_a_first_success_is_led_back_to_nothing(self):
        self.put(BEFORE)
        self.deploy()
        self.roll_back()
        self.assertEqual({}, self.texts())
        self.assertEqual("deploy_rollback_complete", self.status())

    def test_nothing_to_roll_back(self):
        events = self.check_events("rollback", "-i", "none", "--auto-approve", code=INVALID)
        self.assertEqual(["instance_not_found"], [d["code"] for d in events[-1]["diagnostics"]])
        self.put(BEFORE)
        self.deploy()
        self.lintel("state", "mv", "resources.left", "resources.other", code=OK)
        last = self.check_events("rollback", "--auto-approve", code=OK)[-1]
        self.assertEqual(("unchanged", "the state was edited by hand since"), (last["outcome"], last["reason"]))

    def test_CLI_011_consent(self):
        self.put(BEFORE)
        self.deploy()
        result = self.lintel("rollback", code=USAGE)
        self.assertIn("consent_required", result.err)
        self.assertIn("give --auto-approve; --dry-run shows what would be done", result.err)
        self.assertEqual(5, len(self.texts()) + 1)

    # --- children, links, secrets ---

    def test_BP_521_children_and_templates(self):
        self.write("core.yaml", """
            version: 2025-11-02
            variables:
              text: {type: string}
            resources:
              part: {type: local/file, each: '${list("x", "y")}', spec: {path: "part-${elem}.txt",
                     contents: "${variables.text} ${elem}"}}
            exports:
              first: {type: string, field: "resources.part[0].spec.path"}
            """)
        text = """
            version: 2025-11-02
            include:
              core: {path: core.yaml, variables: {text: TEXT}}
            resources:
              user: {type: local/file, spec: {path: user.txt, contents: "${children.core.first}"}}
            """
        self.put(text.replace("TEXT", "one"))
        self.deploy()
        before, elements = self.texts(), self.elements()
        self.write("blueprint.yaml", text.replace("TEXT", "two").rstrip() +
                   "\n              last: {type: local/file, dependsOn: user, spec: {path: /dev/null/l.txt}}\n")
        self.deploy("--rollback", code=ROLLED_BACK)
        self.assertEqual(before, self.texts())
        self.assertEqual({a: e.get("dependsOn") for a, e in elements.items()},
                         {a: e.get("dependsOn") for a, e in self.elements().items()})

    def test_BP_521_links(self):
        text = """
            version: 2025-11-02
            resources:
              store: {type: sqlite/database, metadata: {labels: {app: a}}, spec: {path: PATH}}
              api:
                type: process/service
                linkSelector: {byLabel: {app: a}}
                spec: {command: sleep, args: ["1000"]}
            """
        self.put(text.replace("PATH", "one.db"))
        self.deploy()
        self.addCleanup(self.lintel, "destroy", "--auto-approve")
        before = self.elements()
        self.assertIn("links.api::store", before)
        last = "              last: {type: local/file, dependsOn: api, spec: {path: /dev/null/l.txt}}\n"
        self.put(text.replace("PATH", "two.db").rstrip() + "\n" + last)
        self.deploy("--rollback", code=ROLLED_BACK)
        after = self.elements()
        self.assertEqual(before["resources.api"]["specData"], after["resources.api"]["specData"])
        self.assertEqual(before["links.api::store"]["data"], after["links.api::store"]["data"])
        self.assertTrue(os.path.exists(self.path("one.db")))
        self.assertFalse(os.path.exists(self.path("two.db")))

    SECRET = """
        version: 2025-11-02
        variables:
          token: {type: string, secret: true}
        resources:
          note: {type: local/file, spec: {path: note.txt, contents: "key=${variables.token}"}}
        """
    SECRET_BROKEN = SECRET.rstrip() + """
          last: {type: local/file, dependsOn: note, spec: {path: /dev/null/l.txt}}
        """

    def test_secrets_are_led_back_sealed(self):
        self.put(self.SECRET)
        self.deploy("--var", "token=first-secret")
        self.put(self.SECRET_BROKEN)
        result = self.deploy("--var", "token=second-secret", "--rollback", code=ROLLED_BACK)
        self.assertNotIn("secret", result.out.replace("(sensitive)", "") + result.err)
        self.assertEqual(b"key=first-secret", self.read("note.txt"))
        for name in self.files_below(".lintel"):
            with open(name, "rb") as stream:
                self.assertNotIn(b"first-secret", stream.read(), name)

    def test_BP_522_what_needs_a_secret_that_is_not_stored_is_listed(self):
        self.put(self.SECRET)
        self.deploy("--no-seal", "--var", "token=first-secret")
        self.put(self.SECRET_BROKEN)
        self.deploy("--no-seal", "--var", "token=second-secret", code=PART_WAY)
        result = self.lintel("rollback", "--no-seal", "--dry-run", code=OK)
        self.assertIn("Not rolled back:\n  note (local/file), UPDATED: it needs a secret of which only a digest is "
                      "stored\n", result.out)
        last = self.check_events("rollback", "--no-seal", "--auto-approve", code=PART_WAY)[-1]
        self.assertEqual([{"address": "resources.note", "name": "note", "type": "local/file", "child": "",
                           "status": "updated", "reason": "it needs a secret of which only a digest is stored"}],
                         last["skipped"])
        self.assertEqual("update_rollback_failed", last["outcome"])
        self.assertEqual(b"key=second-secret", self.read("note.txt"))

    # --- killed ---

    def test_BP_523_a_rollback_that_was_killed_goes_on(self):
        self.put("""
            version: 2025-11-02
            resources:
              a: {type: local/file, spec: {path: a.txt, contents: a}}
              slow: {type: process/service, dependsOn: a, spec: {command: [sh, -c, "trap '' TERM; sleep 1000 & wait; wait"],
                     stopTimeoutMs: 3000}}
              bad: {type: local/file, dependsOn: slow, spec: {path: /dev/null/b.txt}}
            """)
        self.deploy(code=PART_WAY)
        child = subprocess.Popen([LINTEL, "rollback", "--auto-approve"], cwd=self.dir, env=self.environment(None),
                                 stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
        for line in child.stderr:
            if b"resources.slow destroying" in line:
                break
        child.send_signal(signal.SIGKILL)
        child.wait()
        child.stderr.close()
        shown = self.lintel("show", "--json", code=OK).json()
        self.assertEqual("deploy_rolling_back", shown["instance"]["status"])
        self.assertRegex(self.lintel("list", code=OK).out,
                         r"DEPLOY ROLLING BACK, CUT OFF .*\(its run was interrupted: nothing more since 2[-0-9: +]+\)")
        listed = self.check_json("list", "list", code=OK)["instances"][0]
        self.assertEqual(("deploy_rolling_back", ""), (listed["status"], listed["holder"]))
        self.assertGreater(listed["interruptedMs"], listed["createdMs"])
        slow = [e for e in shown["elements"] if e["address"] == "resources.slow"][0]
        self.assertEqual(("rolling_back", "create_rolling_back"), (slow["status"], slow["preciseStatus"]))
        self.roll_back()
        self.assertEqual({}, self.texts())
        self.assertEqual("deploy_rollback_complete", self.status())
        runs = self.lintel("history", "--json", code=OK).json()["runs"]
        self.assertEqual([("deploy", "deploy_failed"), ("rollback", "interrupted"), ("rollback", "succeeded")],
                         [(r["kind"], r["outcome"]) for r in runs])

    # --- what was ---

    def test_LC_025_show_as_it_was(self):
        self.put(BEFORE)
        self.deploy()
        first = self.elements()
        self.put(AFTER)
        self.deploy()
        second = self.elements()
        self.put(AFTER.replace("contents: there", "contents: elsewhere"))
        self.deploy()
        self.assertEqual(first, self.elements("--at", "1"))
        self.assertEqual(second, self.elements("--at", "2"))
        self.assertEqual(self.elements(), self.elements("--at", "3"))
        runs = self.lintel("history", "--json", code=OK).json()["runs"]
        self.assertEqual(first, self.elements("--at", runs[0]["runId"]))
        self.assertIn('spec.contents: "here"', self.lintel("show", "--at", "1", "resources.moved", code=OK).out)
        self.check_json("show", "show", "--at", "1", code=OK)
        self.roll_back()
        self.assertEqual(first, self.elements("--at", "1"))
        self.assertEqual("there", self.elements("--at", "4")["resources.moved"]["specData"]["contents"])
        result = self.lintel("show", "--at", "99", code=FAILED)
        self.assertIn("run_not_reachable", result.err)
        self.lintel("show", "--at", "1", "plan.json", code=USAGE)
        self.put(BROKEN)
        self.deploy("--rollback", code=ROLLED_BACK)
        self.assertIn("it did not succeed", self.lintel("show", "--at", "5", code=FAILED).err)
        self.assertEqual(second, self.elements("--at", "2"))

    def test_LC_025_what_differs_between_two_runs(self):
        self.put(BEFORE)
        self.deploy()
        self.put(AFTER)
        self.deploy()
        value = self.check_json("history", "history", "diff", "1", "2", code=OK)
        self.assertEqual((1, 2), (value["diff"]["first"]["number"], value["diff"]["second"]["number"]))
        changes = {c["address"]: c for c in value["diff"]["changes"]}
        self.assertEqual({"resources.changed": "changed", "resources.moved": "replaced", "resources.added": "added",
                          "resources.gone": "removed", "resources.left": "removed", "exports.path": "changed"},
                         {address: c["change"] for address, c in changes.items()})
        fields = {f["fieldPath"]: (f.get("prevValue"), f.get("newValue")) for f in changes["resources.moved"]["fields"]}
        self.assertEqual(("here", "there"), fields["spec.contents"])
        self.assertEqual({"added": 1, "removed": 2, "changed": 2, "replaced": 1, "same": 2}, value["diff"]["counts"])
        text = self.lintel("history", "diff", "1", code=OK).out  # up to now
        self.assertRegex(text, r"^From run 1 \(deploy, .*\) to now\n\n")
        self.assertIn("  -/+ resources.moved (local/file): another object\n", text)
        self.assertIn('      ~ spec.contents: "here" → "there"\n', text)
        self.assertIn("\n1 added, 2 removed, 2 changed, 1 replaced, 2 the same.\n", text)
        ids = [r["runId"] for r in self.lintel("history", "--json", code=OK).json()["runs"]]
        self.assertEqual(value["diff"], self.lintel("history", "diff", *ids, "--json", code=OK).json()["diff"])
        self.lintel("history", "diff", "1", "2", "--detailed-exitcode", code=CHANGES)
        same = self.check_json("history", "history", "diff", "2", "--detailed-exitcode", code=OK)
        self.assertEqual(([], None), (same["diff"]["changes"], same["diff"]["second"]))
        self.lintel("destroy", "--auto-approve", code=OK)
        self.assertIn("0 added, 7 removed", self.lintel("history", "diff", "1", code=OK).out)
        self.assertIn("run_not_reachable", self.check_json("history", "history", "diff", "9", code=FAILED)["diagnostics"]
                      [0]["code"])
        for wrong in (["diff"], ["diff", "1", "2", "3"], ["list", "1"], ["--detailed-exitcode"], ["diff", ""]):
            self.lintel("history", *wrong, code=USAGE)

    def test_LC_025_over_edits_and_reconciliations(self):
        self.put(BEFORE)
        self.deploy()
        first = self.elements()
        self.write("left.txt", "by hand")
        self.lintel("reconcile", "--apply", "--auto-approve", code=OK)
        self.lintel("state", "mv", "resources.left", "resources.other", code=OK)
        kinds = [r["kind"] for r in self.lintel("history", "--json", code=OK).json()["runs"]]
        self.assertEqual(["deploy", "reconcile", "state mv"], kinds)
        self.assertEqual(first, self.elements("--at", "1"))
        second = self.elements("--at", "2")
        self.assertEqual("by hand", second["resources.left"]["specData"]["contents"])
        self.assertIn("resources.other", self.elements("--at", "3"))

    def test_LC_025_after_a_destruction(self):
        self.put(BEFORE)
        self.deploy()
        first = self.elements()
        name = self.lintel("show", "--json", code=OK).json()["instance"]["id"]
        self.lintel("destroy", "--auto-approve", code=OK)
        self.assertEqual(first, self.elements("--at", "1", "--instance-id", name))

    def test_BP_524_a_destroyed_instance_is_made_again(self):
        self.put(BEFORE)
        self.deploy()
        before, elements = self.texts(), self.elements()
        inode = os.stat(self.path("left.txt")).st_ino
        self.lintel("destroy", "--auto-approve", code=OK)
        self.assertEqual(["left.txt"], list(self.texts()))
        shown = self.lintel("rollback", "--dry-run", code=OK).out
        self.assertIn("Instance shop was destroyed and is made again\n", shown)
        self.assertIn("+ resources.changed (local/file) will be created", shown)
        self.assertIn("Taken back into the state, the object is still there:\n  resources.left\n", shown)
        self.lintel("show", code=INVALID)
        self.roll_back()
        self.assertEqual(before, self.texts())
        self.assertEqual(inode, os.stat(self.path("left.txt")).st_ino)
        self.assertEqual("destroy_rollback_complete", self.status())
        self.assertEqual(list(elements), list(self.elements()))
        runs = self.check_json("history", "history", code=OK)["runs"]
        self.assertEqual([(1, "deploy"), (2, "destroy"), (3, "rollback")], [(r["number"], r["kind"]) for r in runs])
        self.put(BEFORE)
        self.assertIn("nothing to do", self.deploy().out)

    def test_LC_025_secrets_of_the_past_stay_hidden(self):
        self.put(self.SECRET)
        self.deploy("--var", "token=first-secret")
        self.deploy("--var", "token=second-secret")
        result = self.lintel("show", "--at", "1", "--json", code=OK)
        SCHEMAS.check("show", json.loads(result.out))
        self.assertNotIn("first-secret", result.out)
        self.assertIn("(sensitive)", result.out)
        result = self.lintel("history", "diff", "1", "2", code=OK)
        self.assertIn("      ~ spec.contents: (sensitive) → (sensitive)\n", result.out)
        result = self.check_json("history", "history", "diff", "1", "2", code=OK)
        self.assertNotIn("-secret", json.dumps(result))
        self.assertEqual([("spec.contents", "(sensitive)", "(sensitive)", True)],
                         [(f["fieldPath"], f["prevValue"], f["newValue"], f["sensitive"])
                          for f in result["diff"]["changes"][0]["fields"][:1]])
        self.deploy("--var", "token=first-secret")
        self.assertIn("0 changed", self.lintel("history", "diff", "1", "3", code=OK).out)
