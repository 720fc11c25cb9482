"""Deploying, looking at what is there, destroying: what the commands print and how they end."""

import json
import os
import signal
import subprocess

from cli_case import DRIFT, FAILED, INVALID, LINTEL, OK, PART_WAY, SCHEMAS, SMALL, USAGE, CliCase, Terminal

# A file that cannot be made, beside one that can.
BROKEN = SMALL.replace("path: note.txt", "path: /dev/null/note.txt")


class Deploy(CliCase):
    def setUp(self):
        super().setUp()
        self.write("blueprint.yaml", SMALL)

    def test_deploy_update_destroy(self):
        result = self.deploy()
        self.assertIn("Plan: 2 to create, 0 to update, 0 to replace, 0 to destroy.\n", result.out)
        self.assertIn("Instance shop deployed.\n", result.out)
        self.assertIn('  path = "%s"\n' % self.path("note.txt"), result.out)
        self.assertIn("✓ resources.note created", result.err)
        self.write("blueprint.yaml", SMALL.replace("default: hello", "default: bye"))
        result = self.deploy()
        self.assertIn("Instance shop updated.\n", result.out)
        self.assertTrue(self.read("note.txt").startswith(b"bye "))
        result = self.lintel("destroy", "--auto-approve", code=OK)
        self.assertIn("Instance shop destroyed.\n", result.out)
        self.assertFalse(os.path.exists(self.path("note.txt")))
        self.assertEqual("no instances\n", self.lintel("list", code=OK).out)

    def test_CLI_032_without_a_terminal_a_line_for_start_and_end(self):
        result = self.deploy()
        self.assertNotIn("\x1b", result.out + result.err)
        self.assertEqual(1, result.err.count("resources.note creating\n"))
        self.assertEqual(1, result.err.count("resources.note created ("))
        result = self.lintel("destroy", "--auto-approve", "--quiet", code=OK)
        self.assertEqual("", result.err)

    def test_CLI_006_quiet_says_nothing_unasked(self):
        result = self.deploy("--quiet")
        self.assertEqual(("", ""), (result.out, result.err))
        self.assertIn("nothing would change", self.lintel("plan", "--quiet", code=OK).out)
        result = self.lintel("rollback", "--auto-approve", "--quiet", code=OK)
        self.assertEqual(("", ""), (result.out, result.err))
        self.write("note.txt", "in the way")
        result = self.lintel("deploy", "--auto-approve", "--quiet")
        self.assertNotEqual(OK, result.code)
        self.assertIn("error[", result.err)
        self.assertNotIn("will be created", result.out)

    def test_BP_502_what_was_not_started_is_told_with_its_reason(self):
        self.write("blueprint.yaml", """
            version: 2025-11-02
            resources:
              a: {type: local/file, spec: {path: /dev/null/a.txt}}
              b: {type: local/file, dependsOn: a, spec: {path: b.txt}}
              c: {type: local/file, dependsOn: b, spec: {path: c.txt}}
            """)
        result = self.lintel("deploy", "--auto-approve", code=FAILED)
        self.assertIn("  resources.b: 'create' was not started: 'create' of 'resources.a' failed\n", result.err)
        self.assertIn("  resources.c: 'create' was not started: 'create' of 'resources.b' was not started\n",
                      result.err)

    def test_BP_542_what_is_made_again_is_created(self):
        self.deploy()
        os.unlink(self.path("note.txt"))
        self.assertIn("resources.note created (", self.lintel("deploy", "--auto-approve", "--accept-drift", code=OK).err)
        self.assertIn("resources.note (local/file) CREATED", self.lintel("show", code=OK).out)
        self.assertIn("\n        1 created\n", self.lintel("history", code=OK).out)

    def test_BP_468_what_a_late_condition_leaves_out_is_named(self):
        self.write("blueprint.yaml", """
            version: 2025-11-02
            resources:
              id: {type: random/id, spec: {}}
              gone: {type: local/file, condition: '${eq(id.spec.hex, "")}', spec: {path: gone.txt}}
            """)
        self.assertIn("  resources.gone: left out: its condition is false\n", self.deploy().err)

    def test_deploying_again_changes_nothing(self):
        self.deploy()
        before = os.stat(self.path("note.txt")).st_mtime_ns
        self.assertTrue(self.deploy().out.startswith("Instance shop is up to date: nothing to do.\n"))
        self.assertEqual(before, os.stat(self.path("note.txt")).st_mtime_ns)

    def test_LC_060_events(self):
        events = self.check_events("deploy", "--auto-approve", code=OK)
        kinds = [e["type"] for e in events]
        self.assertEqual("plan", kinds[1])
        ended = {e["address"]: e["status"] for e in events if e["type"] == "element" and e["phase"] == "ended"}
        self.assertEqual({"resources.id": "created", "resources.note": "created"}, ended)
        self.assertEqual({"created": 2, "updated": 0, "replaced": 0, "destroyed": 0}, events[-1]["done"])
        self.assertEqual("deployed", events[-1]["outcome"])
        events = self.check_events("destroy", "--auto-approve", code=OK)
        self.assertEqual(2, events[-1]["done"]["destroyed"])

    def test_CLI_030_json_into_gives_both(self):
        result = self.deploy("--json-into", "events")
        self.assertIn("Instance shop deployed.", result.out)
        lines = [json.loads(line) for line in self.read("events").splitlines()]
        for line in lines:
            SCHEMAS.check("events", line)
        self.assertEqual(("version", "summary"), (lines[0]["type"], lines[-1]["type"]))

    def test_a_failure_part_way_is_told_and_repaired_by_another_run(self):
        self.write("blueprint.yaml", BROKEN)
        result = self.deploy(code=PART_WAY)
        self.assertIn("✗ resources.note create failed", result.err)
        self.assertIn("resource_deploy_failed", result.err)
        self.assertIn("Instance shop is not finished: deploying or destroying it goes on from here.\n", result.out)
        shown = self.lintel("show", code=OK).out
        self.assertIn("resources.id (random/id) CREATED\n", shown)
        self.assertIn("resources.note (local/file) CREATE FAILED\n", shown)
        self.check_json("show", "show", code=OK)
        self.write("blueprint.yaml", SMALL)
        self.deploy()
        self.assertIn("nothing would change", self.lintel("plan", code=OK).out)

    def test_events_of_a_failure(self):
        self.write("blueprint.yaml", BROKEN)
        events = self.check_events("deploy", "--auto-approve", code=PART_WAY)
        self.assertIn("resource_deploy_failed", [d["code"] for d in events[-1]["diagnostics"]])
        self.assertEqual("deploy_failed", events[-1]["outcome"])

    def test_an_invalid_blueprint_is_not_deployed(self):
        self.write("blueprint.yaml", SMALL.replace("byteLength", "byteLenght"))
        self.deploy(code=INVALID)
        events = self.check_events("deploy", "--auto-approve", code=INVALID)
        self.assertEqual(["version", "summary"], [e["type"] for e in events])
        self.assertFalse(os.path.exists(self.path(".lintel", "state.db")))

    def test_BP_421_drift_stops_a_deployment_nobody_looked_at(self):
        self.deploy()
        self.write("note.txt", "edited")
        result = self.deploy(code=DRIFT)
        self.assertIn("drift_detected", result.err)
        self.assertEqual(b"edited", self.read("note.txt"))
        self.check_events("deploy", "--auto-approve", code=DRIFT)
        self.deploy("--accept-drift")
        self.assertTrue(self.read("note.txt").startswith(b"hello "))

    def test_BP_421_what_a_failed_update_has_left_is_no_drift(self):
        text = ("version: 2025-11-02\nvariables: {program: {type: string, default: /bin/sleep}}\nresources:\n"
                "  service: {type: process/service, spec: {command: ['${variables.program}', '600']}}\n")
        self.write("blueprint.yaml", text)
        self.deploy()
        self.deploy("--var", "program=/bin/false", code=FAILED)  # it was stopped, and the new one does not start
        shown = self.lintel("plan", code=OK).out
        self.assertIn("Left half-way by an earlier run:\n  resources.service is gone\n", shown)
        self.assertNotIn("Changed outside", shown)
        self.assertNotIn("Changed outside", self.lintel("plan", "--summary", code=OK).out)
        self.assertNotIn("Changed outside", self.lintel("plan", "--md", code=OK).out)
        self.check_json("plan", "plan", code=OK)
        self.deploy()
        self.assertIn("nothing would change", self.lintel("plan", code=OK).out)
        self.lintel("destroy", "--auto-approve", code=OK)

    def test_destroying_what_is_not_there(self):
        self.assertIn("instance_not_found", self.lintel("destroy", "--auto-approve", code=INVALID).err)
        self.check_events("destroy", "--auto-approve", "-i", "nosuch", code=INVALID)

    def test_a_reader_that_goes_away_stops_nothing(self):  # F18
        for closed in ("| head -c 1 >/dev/null", ">&-", "2>&-", ">&- 2>&- <&-", ">/dev/full"):
            line = 'exec "$0" deploy --auto-approve ' + closed
            if closed.startswith("|"):
                line = 'set -o pipefail; "$0" deploy --auto-approve ' + closed
            done = subprocess.run(["bash", "-c", line, LINTEL], cwd=self.dir, env=self.environment(None), check=False,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
            self.assertEqual(OK, done.returncode, (closed, done.stderr))
            self.assertTrue(os.path.exists(self.path("note.txt")), closed)
            self.lintel("destroy", "--auto-approve", code=OK)

    def test_a_result_that_cannot_be_written_is_a_failure(self):
        for line in ('exec "$0" version >/dev/full', 'exec "$0" version >&-', 'exec "$0" list --json >/dev/full'):
            done = subprocess.run(["bash", "-c", line, LINTEL], cwd=self.dir, env=self.environment(None), check=False,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
            self.assertEqual(FAILED, done.returncode, line)
            self.assertIn(b"file_not_writable", done.stderr)


class Look(CliCase):
    def setUp(self):
        super().setUp()
        self.write("blueprint.yaml", SMALL)

    def test_output(self):
        self.deploy()
        hex_text = self.read("note.txt").decode().split()[1]
        self.assertEqual('path = "%s"\nhex = "%s"\n' % (self.path("note.txt"), hex_text), self.lintel("output", code=OK).out)
        self.assertEqual(hex_text + "\n", self.lintel("output", "hex", "--raw", code=OK).out)
        value = self.check_json("output", "output", code=OK)
        self.assertEqual({"type": "string", "sensitive": False, "value": self.path("note.txt")}, value["exports"]["path"])
        self.assertEqual(["hex"], list(self.check_json("output", "output", "hex", code=OK)["exports"]))
        self.assertIn("did you mean 'path'?", self.lintel("output", "pathh", code=INVALID).err)
        self.assertIn("needs the NAME", self.lintel("output", "--raw", code=USAGE).err)
        self.check_json("output", "output", "nosuch", code=INVALID)

    def test_show(self):
        self.deploy()
        text = self.lintel("show", code=OK).out
        self.assertRegex(text, r"^Instance shop \([A-Za-z0-9_-]{21}\) DEPLOYED, version \d+\n")
        self.assertRegex(text, r'\n    spec.byteLength: 4\n    spec.id: "[^"]+"\n')
        value = self.check_json("show", "show", code=OK)
        self.assertEqual(["resources.id", "resources.note", "exports.path", "exports.hex"],
                         [e["address"] for e in value["elements"]])
        one = self.check_json("show", "show", "resources.id", code=OK)
        self.assertEqual(["resources.id"], [e["address"] for e in one["elements"]])
        self.assertEqual("4\n", self.lintel("show", "resources.id.spec.byteLength", code=OK).out)
        self.assertEqual(4, self.check_json("show", "show", "resources.id.spec.byteLength", code=OK)["value"])
        self.assertIn("did you mean 'resources.id'?", self.lintel("show", "resources.ix", code=INVALID).err)
        self.lintel("show", "resources.id.spec.nosuch", code=INVALID)
        self.check_json("show", "show", "resources.nosuch", code=INVALID)

    def test_list(self):
        self.assertEqual([], self.check_json("list", "list", code=OK)["instances"])
        self.deploy()
        self.write("blueprint.yaml", SMALL.replace("note.txt", "second.txt"))
        self.deploy("-i", "second", "--context", "other")
        (one,) = self.check_json("list", "list", code=OK)["instances"]
        self.assertEqual(("shop", "blueprint", "deployed"), (one["name"], one["dialect"], one["status"]))
        self.assertRegex(one["owner"], r"^\S+@\S+$")
        self.assertEqual(2, len(self.check_json("list", "list", "--all-contexts", code=OK)["instances"]))
        self.assertRegex(self.lintel("list", code=OK).out, r"(?m)^shop +blueprint +DEPLOYED +\d+s +- +\S+@\S+")

    def test_looking_makes_no_state(self):
        self.lintel("list", code=OK)
        self.lintel("show", code=INVALID)
        self.lintel("output", code=INVALID)
        self.assertEqual(["blueprint.yaml"], os.listdir(self.dir))

    def test_an_instance_by_id(self):
        self.deploy()
        (one,) = self.lintel("list", "--json", code=OK).json()["instances"]
        self.assertIn(one["id"], self.lintel("show", "--instance-id", one["id"], cwd=self.home, env={"LINTEL_STATE": self.path(".lintel/state.db")}, code=OK).out)
        self.assertIn("instance_not_found", self.lintel("show", "--instance-id", "nosuch", code=INVALID).err)

    def test_LC_043_files_are_private(self):
        self.deploy()
        self.assertEqual(0o700, os.stat(self.path(".lintel")).st_mode & 0o777)
        for name in self.files_below(".lintel"):
            self.assertEqual(0o600, os.stat(name).st_mode & 0o777, name)


class Consent(CliCase):
    def setUp(self):
        super().setUp()
        self.write("blueprint.yaml", SMALL)

    def test_CLI_011_without_a_terminal_nothing_happens(self):
        for extra in ([], ["--json"]):
            result = self.lintel("deploy", *extra, stdin=b"yes\n", code=USAGE)
            self.assertIn("consent_required", result.err)
            self.assertIn("--auto-approve", result.err)
        self.assertFalse(os.path.exists(self.path("note.txt")))
        self.check_events("deploy", code=USAGE)
        self.deploy()
        self.lintel("destroy", stdin=b"yes\n", code=USAGE)
        self.check_events("destroy", code=USAGE)
        self.assertTrue(os.path.exists(self.path("note.txt")))

    def ask(self, answer, *args):
        terminal = Terminal(self, args or ["deploy"])
        terminal.read_until(b"Only 'yes' is taken as consent:")
        terminal.answer(answer)
        return terminal.wait(), terminal.text.decode()

    def test_CLI_011_yes_on_a_terminal(self):
        code, text = self.ask(b"yes\n")
        self.assertEqual(OK, code, text)
        self.assertIn("Plan: 2 to create", text)
        self.assertTrue(os.path.exists(self.path("note.txt")))
        code, text = self.ask(b"yes\n", "destroy")
        self.assertEqual(OK, code, text)
        self.assertFalse(os.path.exists(self.path("note.txt")))

    def test_CLI_011_anything_else_is_no(self):
        for answer in (b"no\n", b"y\n", b"\n", b"yes please\n", b"yes" + b" " * 100 + b"no\n", b"\x04"):
            code, text = self.ask(answer)
            self.assertEqual(USAGE, code, text)
            self.assertIn("nothing was done", text)
        self.assertFalse(os.path.exists(self.path("note.txt")))

    def test_BP_421_a_person_who_has_seen_the_drift_may_go_on(self):
        self.deploy()
        self.write("note.txt", "edited")
        code, text = self.ask(b"yes\n")
        self.assertEqual(OK, code, text)
        self.assertTrue(self.read("note.txt").startswith(b"hello "))

    def test_a_signal_while_asking(self):
        terminal = Terminal(self, ["deploy"])
        terminal.read_until(b"taken as consent:")
        terminal.interrupt(signal.SIGINT)
        self.assertEqual(130, terminal.wait())
        terminal = Terminal(self, ["deploy"])
        terminal.read_until(b"taken as consent:")
        terminal.interrupt(signal.SIGTERM)
        self.assertEqual(143, terminal.wait())
        self.assertFalse(os.path.exists(self.path("note.txt")))

    def test_CLI_020_colour_and_a_live_block_on_a_terminal(self):
        terminal = Terminal(self, ["deploy", "--auto-approve"])
        self.assertEqual(OK, terminal.wait(), terminal.text)
        self.assertIn(b"\x1b[32m+\x1b[0m", terminal.text)
        self.assertIn(b"\x1b[1A\x1b[2K", terminal.text)
        terminal = Terminal(self, ["destroy", "--auto-approve"], env={"TERM": "dumb", "NO_COLOR": "1"})
        self.assertEqual(OK, terminal.wait(), terminal.text)
        self.assertNotIn(b"\x1b[3", terminal.text)
