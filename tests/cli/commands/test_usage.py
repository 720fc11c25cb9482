"""Command lines: how options are written, what a mistake gives (CLI-001, CLI-005, CLI-006, CLI-030)."""

import json
import os
import subprocess

from cli_case import INVALID, LINTEL, OK, USAGE, CliCase


class Forms(CliCase):
    """`config` shows what it was given, so it shows how options are read."""

    def setting(self, name, *args, env=None):
        value = self.check_json("config", "config", *args, code=OK, env=env)
        return next(s for s in value["settings"] if s["name"] == name)

    def test_CLI_001_value_behind_a_blank_or_an_equals_sign(self):
        self.assertEqual(["3"], self.setting("parallel", "--parallel", "3")["values"])
        self.assertEqual(["4"], self.setting("parallel", "--parallel=4")["values"])
        self.assertEqual(["a=b=c"], self.setting("state", "--state=a=b=c")["values"])

    def test_CLI_001_global_options_may_stand_before_the_command(self):
        result = self.lintel("--json", "--parallel", "7", "config", code=OK)
        self.assertIn('"values":["7"]', result.out)

    def test_CLI_001_flags_take_true_and_false(self):
        self.assertEqual(["false"], self.setting("strict", "--strict=false")["values"])
        self.assertEqual(["true"], self.setting("strict", "--strict")["values"])
        self.assertIn("takes true or false", self.lintel("config", "--strict=maybe", code=USAGE).err)

    def test_CLI_001_short_forms_can_be_bundled(self):
        value = self.lintel("config", "-qv", "--json", code=OK).json()
        given = {s["name"]: s["values"] for s in value["settings"]}
        self.assertEqual((["true"], ["true"]), (given["quiet"], given["verbose"]))
        self.assertEqual(["/"], self.setting("C", "-C/")["values"])
        self.assertEqual(["/"], self.setting("C", "-vC", "/")["values"])

    def test_CLI_001_options_may_stand_behind_arguments(self):
        self.assertEqual(1, len(self.lintel("errors", "usage_error", "--json", code=OK).json()["codes"]))

    def test_CLI_001_two_dashes_end_the_options(self):
        result = self.lintel("validate", "--", "--json", code=INVALID)
        self.assertEqual("", result.out)
        self.assertIn("'--json'", result.err)

    def test_the_last_one_counts(self):
        self.assertEqual(["5"], self.setting("parallel", "--parallel=4", "--parallel=5")["values"])

    def test_an_alias_means_its_option(self):
        self.write("blueprint.yaml", "version: 2025-11-02\n")
        result = self.lintel("show", "--instance-name", "nosuch", code=INVALID)
        self.assertIn("nosuch", result.err)


class Mistakes(CliCase):
    def refuse(self, *args, says):
        """Text and JSON say the same; nothing but JSON is on standard output."""
        plain = self.lintel(*args, code=USAGE)
        self.assertEqual("", plain.out)
        self.assertIn("error[usage_error]", plain.err)
        self.assertIn(says, plain.err)
        machine = self.lintel(*args, "--json", code=USAGE)
        last = json.loads(machine.out.splitlines()[-1])
        self.assertEqual(USAGE, last["exitCode"])
        self.assertTrue(all(d["code"] == "usage_error" for d in last["diagnostics"]))

    def test_CLI_005_no_command(self):
        result = self.lintel(code=USAGE)
        self.assertIn("usage: lintel", result.err)
        self.assertIn("  deploy ", result.err)
        self.check_json("failure", code=USAGE)

    def test_CLI_005_unknown_command_with_hint(self):
        self.refuse("pln", says="did you mean 'plan'?")
        self.assertIn("did you mean 'dynaml merge'?", self.lintel("dynaml", "marge", code=USAGE).err)
        value = self.check_json("failure", "pln", code=USAGE)
        self.assertEqual("did you mean 'plan'?", value["diagnostics"][0]["hint"])

    def test_CLI_005_unknown_option_with_hint(self):
        self.refuse("plan", "--detailed-exitcodes", says="did you mean '--detailed-exitcode'?")
        self.refuse("plan", "-z", says="unknown option '-z'")

    def test_an_option_of_a_command_before_it(self):
        self.refuse("--auto-approve", "deploy", says="it stands behind the command")

    def test_a_command_written_as_an_option(self):
        self.refuse("--version", says="lintel version")

    def test_missing_value_and_wrong_values(self):
        self.assertIn("needs a value", self.lintel("plan", "--out", code=USAGE).err)
        self.refuse("plan", "--parallel", "0", says="a positive number")
        self.refuse("plan", "--parallel", "99999999999999999999", says="a positive number")
        self.refuse("plan", "--lock-timeout", "5 minutes", says="a duration such as")
        self.refuse("validate", "--format", "xml", says="text|json|sarif")
        self.refuse("plan", "--var", "noequals", "--instance", "x", "blueprint.yaml", says="NAME=VALUE")

    def test_too_many_and_too_few_arguments(self):
        self.refuse("version", "now", says="takes no argument 'now'")
        self.refuse("completion", says="needs SHELL")
        self.refuse("completion", "tcsh", says="tcsh")

    def test_all_mistakes_of_a_line_are_reported(self):
        value = self.check_json("plan", "plan", "--nosuch", "--parallel=x", code=USAGE)
        self.assertEqual(2, len(value["diagnostics"]))

    def test_a_directory_that_is_not_there(self):
        self.refuse("-C", "nosuch", "version", says="nosuch")

    def test_a_working_directory_that_is_gone(self):
        line = 'cd gone && rmdir ../gone && exec "$0" list'
        os.mkdir(self.path("gone"))
        done = subprocess.run(["bash", "-c", line, LINTEL], cwd=self.dir, env=self.environment(None), check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        self.assertEqual(USAGE, done.returncode)
        self.assertIn(b"working directory", done.stderr)

    def test_a_mistake_in_a_command_that_streams(self):
        events = self.check_events("deploy", "--nosuch", code=USAGE)
        self.assertEqual(["version", "summary"], [e["type"] for e in events])

    def test_json_asked_for_by_the_environment(self):
        value = self.lintel("pln", env={"LINTEL_JSON": "1"}, code=USAGE).json()
        self.assertEqual("usage_error", value["diagnostics"][0]["code"])

    def test_json_asked_for_by_the_project_file(self):
        self.write("lintel.yaml", "json: true\n")
        value = self.lintel("plan", "--nosuch", code=USAGE).json()
        self.assertEqual("usage_error", value["diagnostics"][0]["code"])

    def test_control_characters_are_shown_escaped(self):
        result = self.lintel("pl\x1b[31man", code=USAGE)
        self.assertNotIn("\x1b", result.err)

    def test_no_blueprint_here(self):
        self.refuse("validate", says="no blueprint.yaml")
        self.refuse("plan", says="no blueprint.yaml")
