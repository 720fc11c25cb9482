"""Plans for people, machines and files (CLI-020, CLI-030, LC-003, BP-420 to BP-426)."""

import json
import os
import re

from cli_case import CHANGES, INVALID, OK, SCHEMAS, SMALL, STALE, USAGE, CliCase


class Text(CliCase):
    """What people see, byte for byte."""

    def plan(self, *args, code=OK):
        """The plan with DIR for the directory of the test."""
        return self.lintel("plan", *args, code=code).out.replace(self.dir, "DIR")

    def test_CLI_020_a_new_instance(self):
        self.write("blueprint.yaml", SMALL)
        self.assertEqual("""\
Instance shop is new
+ create

  + resources.id (random/id) will be created
      + spec.byteLength: 4
      + spec.id: (known on deploy)
      + spec.hex: (known on deploy)
  + resources.note (local/file) will be created
      + spec.path: "DIR/note.txt"
      + spec.contents: (known on deploy)
      + spec.mode: "0644"
      + spec.createDirectories: false
      + spec.adopt: false
      + spec.sha256: (known on deploy)
      + spec.size: (known on deploy)

Exports:
  + exports.path: "DIR/note.txt"
  + exports.hex: (known on deploy)

Plan: 2 to create, 0 to update, 0 to replace, 0 to destroy.
""", self.plan())

    def test_CLI_020_nothing_to_do(self):
        self.write("blueprint.yaml", SMALL)
        self.deploy()
        self.assertEqual("""\
Instance shop: nothing would change.
Plan: 0 to create, 0 to update, 0 to replace, 0 to destroy.
""", self.plan())
        self.lintel("plan", "--detailed-exitcode", code=OK)

    def test_CLI_020_update_replace_destroy(self):
        self.write("blueprint.yaml", SMALL + "\n  # nothing\n")
        self.deploy()
        hex_text = self.lintel("output", "hex", "--raw", code=OK).out.strip()
        changed = SMALL.replace("path: note.txt", "path: other.txt").replace("default: hello", "default: bye")
        self.write("blueprint.yaml", changed)
        text = self.plan()
        self.assertIn("resources.note (local/file) will be", text)
        self.assertRegex(text, r'(?m)^(-/\+|\+/-) resources\.note ')
        self.assertEqual(1, text.count("spec.sha256"))
        self.assertIn('      ~ spec.path: "DIR/note.txt" → "DIR/other.txt"  # forces replacement\n', text)
        self.assertIn('      ~ spec.contents: "hello %s" → "bye %s"\n' % (hex_text, hex_text), text)
        self.assertIn('  ~ exports.path: "DIR/note.txt" → "DIR/other.txt"\n', text)
        self.assertTrue(text.endswith("Plan: 0 to create, 0 to update, 1 to replace, 0 to destroy.\n"))
        self.write("blueprint.yaml", SMALL.replace("default: hello", "default: bye"))
        text = self.plan()
        self.assertIn("  ~ resources.note (local/file) will be updated\n", text)
        self.assertTrue(text.endswith("Plan: 0 to create, 1 to update, 0 to replace, 0 to destroy.\n"))

    def test_CLI_020_destroy(self):
        self.write("blueprint.yaml", SMALL)
        self.deploy()
        text = self.plan("--destroy")
        self.assertIn("Instance shop: everything will be destroyed\n- destroy\n", text)
        self.assertIn("  - resources.id (random/id) will be destroyed\n", text)
        self.assertIn("  - resources.note (local/file) will be destroyed\n", text)
        self.assertTrue(text.endswith("Plan: 0 to create, 0 to update, 0 to replace, 2 to destroy.\n"))

    def test_CLI_020_a_removed_resource(self):
        self.write("blueprint.yaml", SMALL)
        self.deploy()
        self.write("blueprint.yaml", "version: 2025-11-02\nresources:\n  id:\n    type: random/id\n    spec: {byteLength: 4}\n")
        text = self.plan()
        self.assertIn("  - resources.note (local/file) will be destroyed\n", text)
        self.assertIn("  - exports.path: \"DIR/note.txt\"\n", text)

    def test_CLI_020_replacement_that_forces_another(self):
        self.write("blueprint.yaml", SMALL)
        self.deploy()
        self.write("blueprint.yaml", SMALL.replace("byteLength: 4", "byteLength: 5"))
        text = self.plan()
        self.assertIn("      ~ spec.byteLength: 4 → 5  # forces replacement\n", text)
        self.assertRegex(text, r'      ~ spec\.contents: "hello [0-9a-f]{8}" → \(known on deploy\)\n')

    def test_CLI_020_sensitive_values(self):  # F106
        self.write("blueprint.yaml", """
            version: 2025-11-02
            variables:
              pass: {type: string, secret: true}
            resources:
              note:
                type: local/file
                spec:
                  path: note.txt
                  contents: "password=${variables.pass}"
            """)
        text = self.plan("--var", "pass=opensesame")
        self.assertIn("      + spec.contents: (sensitive)\n", text)
        self.assertNotIn("opensesame", text)
        self.deploy("--var", "pass=opensesame")
        self.assertIn("nothing would change", self.plan("--var", "pass=opensesame"))
        text = self.plan("--var", "pass=changed-one")
        self.assertIn("      ~ spec.contents: (sensitive) → (sensitive)\n", text)
        shown = self.plan("--var", "pass=changed-one", "--show-sensitive", "--yes-i-mean-it")
        self.assertIn('"password=changed-one"', shown)

    def test_LC_062_control_characters_are_escaped(self):
        self.write("blueprint.yaml", SMALL.replace("default: hello", 'default: "a\\e[31mb\\n"'))
        self.deploy()
        self.write("blueprint.yaml", SMALL.replace("default: hello", 'default: "\\e]0;x\\a"'))
        text = self.plan()
        self.assertNotIn("\x1b", text)
        self.assertNotIn("\x07", text)

    def test_BP_421_drift_is_shown(self):
        self.write("blueprint.yaml", SMALL)
        self.deploy()
        os.unlink(self.path("note.txt"))
        text = self.plan()
        self.assertIn("Changed outside of lintel since the last run:\n  resources.note is gone\n", text)
        self.assertIn("  + resources.note (local/file) will be created again: it is gone\n", text)
        self.assertIn("nothing would change", self.plan("--refresh=false"))


class Machine(CliCase):
    def setUp(self):
        super().setUp()
        self.write("blueprint.yaml", SMALL)

    def test_CLI_030_one_object(self):
        value = self.check_json("plan", "plan", code=OK)
        self.assertEqual("shop", value["plan"]["instance"]["name"])
        self.deploy()
        self.check_json("plan", "plan", "--destroy", code=OK)

    def test_stage_means_plan(self):
        self.assertEqual(self.lintel("plan", code=OK).out, self.lintel("stage", code=OK).out)
        self.assertEqual("plan", self.lintel("stage", "--json", code=OK).json()["command"])

    def test_detailed_exitcode(self):
        self.check_json("plan", "plan", "--detailed-exitcode", code=CHANGES)
        self.lintel("plan", "--detailed-exitcode", code=CHANGES)
        self.deploy()
        self.check_json("plan", "plan", "--detailed-exitcode", code=OK)

    def test_LC_002_planning_writes_nothing(self):
        self.lintel("plan", code=OK)
        self.assertEqual(["blueprint.yaml"], os.listdir(self.dir))

    def test_LC_004_equal_input_gives_equal_plans(self):
        def get_plan():
            text = json.dumps(self.lintel("plan", "--json", code=OK).json()["plan"])
            return re.sub(r'"(id|runTime)": ("[^"]*"|\d+)', "", text)

        self.deploy()
        self.write("blueprint.yaml", SMALL.replace("default: hello", "default: bye"))
        self.assertEqual(get_plan(), get_plan())

    def test_json_into_gives_both(self):
        result = self.lintel("plan", "--json-into", "out.json", code=OK)
        self.assertIn("Plan: 2 to create", result.out)
        SCHEMAS.check("plan", json.loads(self.read("out.json")))
        result = self.lintel("plan", "--json-into", "no/such/dir", code=1)
        self.assertIn("file_not_writable", result.err)

    def test_an_instance_must_be_named_for_another_file(self):
        os.rename(self.path("blueprint.yaml"), self.path("other.yaml"))
        self.assertIn("--instance NAME", self.lintel("plan", "other.yaml", code=USAGE).err)
        self.assertIn("Instance x is new", self.lintel("plan", "other.yaml", "-i", "x", code=OK).out)
        self.assertIn("Instance y is new", self.lintel("plan", "-", "--input-format=yaml", "-iy", stdin=SMALL.encode(), code=OK).out)

    def test_BP_411_name_and_id(self):
        self.assertIn("instance_id_and_name_provided", self.lintel("plan", "-i", "x", "--instance-id", "y", code=USAGE).err)
        self.assertIn("instance_not_found", self.lintel("plan", "--instance-id", "nosuch", code=INVALID).err)

    def test_a_variable_from_outside_is_named_without_its_text(self):
        text = self.lintel("plan", "--var", "greetnig=hush", code=OK).err
        self.assertIn("\n --> --var greetnig\n  = hint: did you mean 'greeting'?\n", text)

    def test_variables_in_rising_precedence(self):
        def contents(*args, env=None):
            plan = self.lintel("plan", *args, env=env, code=OK).out
            return plan

        self.write("blueprint.yaml", SMALL.replace(" ${resources.id.spec.hex}", ""))
        self.write("a.yaml", "greeting: from a\n")
        self.write("b.json", '{"greeting": "from b"}')
        self.write("text", "from text\n")
        self.assertIn('"hello"', contents())
        self.assertIn('"from env"', contents(env={"LINTEL_VAR_greeting": "from env"}))
        self.assertIn('"from a"', contents("--vars", "a.yaml", env={"LINTEL_VAR_greeting": "from env"}))
        self.assertIn('"from b"', contents("--vars", "a.yaml", "--vars", "b.json"))
        self.assertIn('"from var"', contents("--vars", "a.yaml", "--var", "greeting=from var"))
        self.assertIn('"from text"', contents("--var", "greeting=@text"))
        self.assertIn('"@text"', contents("--var", "greeting=@@text"))
        self.assertIn('"a=b"', contents("--var=greeting=a=b"))
        self.assertIn('""', contents("--var", "greeting="))


class Saved(CliCase):
    def setUp(self):
        super().setUp()
        self.write("blueprint.yaml", SMALL)

    def save(self, *args):
        result = self.lintel("plan", "--out", "plan.json", *args, code=OK)
        self.assertIn("lintel deploy --plan plan.json", result.err)
        SCHEMAS.check("plan-file", json.loads(self.read("plan.json")))
        self.assertEqual(0o600, os.stat(self.path("plan.json")).st_mode & 0o777)

    def test_LC_003_a_saved_plan_is_carried_out_exactly(self):
        self.save("--var", "greeting=saved")
        os.unlink(self.path("blueprint.yaml"))
        self.lintel("deploy", "--plan", "plan.json", code=OK)
        self.assertTrue(self.read("note.txt").startswith(b"saved "))

    def test_LC_003_it_needs_no_further_consent_and_names_its_instance(self):
        self.save("-i", "other")
        self.lintel("deploy", "--plan", "plan.json", code=OK)
        self.assertIn("other", self.lintel("list", code=OK).out)
        self.assertIn("names its instance", self.lintel("deploy", "--plan", "plan.json", "-i", "x", code=USAGE).err)
        self.assertIn("holds its blueprint", self.lintel("deploy", "--plan", "plan.json", "blueprint.yaml", code=USAGE).err)

    def test_LC_003_a_stale_plan_does_nothing(self):
        self.save()
        self.deploy()
        before = self.read("note.txt")
        result = self.lintel("deploy", "--plan", "plan.json", code=STALE)
        self.assertIn("stale_change_set", result.err)
        self.assertEqual(before, self.read("note.txt"))
        events = self.check_events("deploy", "--plan", "plan.json", code=STALE)
        self.assertNotIn("element", [e["type"] for e in events])

    def test_LC_003_what_was_destroyed_in_between_is_stale(self):
        self.deploy()
        self.lintel("plan", "--destroy", "--out", "plan.json", code=OK)
        self.lintel("destroy", "-y", code=OK)
        result = self.lintel("deploy", "--plan", "plan.json", code=STALE)
        self.assertIn("not there any more", result.err)

    def test_a_plan_of_destruction(self):
        self.deploy()
        self.save("--destroy")
        self.lintel("destroy", "--plan", "plan.json", code=OK)
        self.assertFalse(os.path.exists(self.path("note.txt")))

    def test_a_plan_of_a_deployment_is_no_plan_of_destruction(self):
        self.save()
        self.assertIn("the saved plan deploys", self.lintel("destroy", "--plan", "plan.json", code=USAGE).err)

    def test_show_a_saved_plan(self):
        self.save()
        self.assertEqual(self.lintel("plan", code=OK).out, self.lintel("show", "./plan.json", code=OK).out)
        self.check_json("show", "show", "./plan.json", code=OK)

    def test_files_that_are_no_plans(self):
        self.write("x.json", "{}")
        self.write("y.json", "{")
        self.write("newer.json", json.dumps({"formatVersion": "99.0"}))
        self.save()
        self.write("cut.json", self.read("plan.json")[:-200])
        for name in ("x.json", "y.json", "newer.json", "cut.json", "blueprint.yaml"):
            result = self.lintel("deploy", "--plan", name, code=INVALID)
            self.assertIn("invalid_plan_file", result.err, name)
        self.assertIn("file_not_readable", self.lintel("deploy", "--plan", "nosuch", code=INVALID).err)
        self.assertIn("looks like resources.NAME", self.lintel("show", "nosuch", code=INVALID).err)

    def test_a_plan_that_cannot_be_saved(self):
        result = self.lintel("plan", "--out", "no/such/plan.json", code=1)
        self.assertIn("file_not_writable", result.err)
        self.assertFalse(any(name.endswith(".tmp") for name in os.listdir(self.dir)))

    def test_secrets_of_a_saved_plan_are_sealed(self):
        self.write("blueprint.yaml", """
            version: 2025-11-02
            variables:
              pass: {type: string, secret: true}
            resources:
              note:
                type: local/file
                spec:
                  path: note.txt
                  contents: "${variables.pass}"
            """)
        self.save("--var", "pass=opensesame")
        self.assertNotIn(b"opensesame", self.read("plan.json"))
        self.lintel("deploy", "--plan", "plan.json", code=OK)
        self.assertEqual(b"opensesame", self.read("note.txt"))
