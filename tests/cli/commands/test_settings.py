"""Where settings come from: option, environment, project file, default (CLI-004)."""

import os

from cli_case import INVALID, OK, USAGE, CliCase


class Settings(CliCase):
    def settings(self, *args, **options):
        value = self.check_json("config", "config", *args, code=OK, **options)
        return {s["name"]: s for s in value["settings"]}

    def test_CLI_004_option_before_environment_before_file_before_default(self):
        self.assertEqual("default", self.settings()["parallel"]["origin"])
        self.write("lintel.yaml", "parallel: 2\n")
        found = self.settings()["parallel"]
        self.assertEqual((["2"], "project file"), (found["values"], found["origin"]))
        self.assertEqual(self.path("lintel.yaml"), found["from"])
        found = self.settings(env={"LINTEL_PARALLEL": "3"})["parallel"]
        self.assertEqual((["3"], "environment", "LINTEL_PARALLEL"), (found["values"], found["origin"], found["from"]))
        found = self.settings("--parallel", "4", env={"LINTEL_PARALLEL": "3"})["parallel"]
        self.assertEqual((["4"], "option"), (found["values"], found["origin"]))

    def test_CLI_004_nearest_project_file_upwards(self):
        self.write("lintel.yaml", "parallel: 2\n")
        os.makedirs(self.path("a", "b"))
        self.assertEqual(["2"], self.settings(cwd=self.path("a", "b"))["parallel"]["values"])
        self.write("a/lintel.yaml", "parallel: 5\n")
        self.assertEqual(["5"], self.settings(cwd=self.path("a", "b"))["parallel"]["values"])
        self.assertEqual(["5"], self.settings("-C", "a/b")["parallel"]["values"])

    def test_CLI_004_the_project_directory_is_where_the_state_lies(self):
        os.makedirs(self.path(".lintel"))
        os.makedirs(self.path("a"))
        value = self.check_json("config", "config", code=OK, cwd=self.path("a"))
        self.assertEqual(os.path.realpath(self.dir), os.path.realpath(value["projectDirectory"]))

    def test_CLI_004_paths_in_the_project_file_start_there(self):
        self.write("lintel.yaml", "state: run/state.db\nvars: [a.yaml, /etc/b.yaml]\nkey: file:my.key\n")
        os.makedirs(self.path("sub"))
        found = self.settings(cwd=self.path("sub"))
        self.assertEqual([self.path("run/state.db")], found["state"]["values"])
        self.assertEqual([self.path("a.yaml"), "/etc/b.yaml"], found["vars"]["values"])
        self.assertEqual(["file:" + self.path("my.key")], found["key"]["values"])

    def test_CLI_004_lists_where_an_option_repeats(self):
        self.write("lintel.yaml", "parallel: [1, 2]\n")
        result = self.lintel("config", code=USAGE)
        self.assertIn("lintel.yaml:1:11", result.err)

    def test_CLI_004_another_key_is_an_error(self):
        self.write("lintel.yaml", "quiet: true\nparalel: 2\n")
        value = self.check_json("config", "config", code=USAGE)
        (found,) = value["diagnostics"]
        self.assertEqual("did you mean 'parallel'?", found["hint"])
        self.assertEqual(2, found["range"]["start"]["line"])

    def test_CLI_004_wrong_value_has_its_place(self):
        self.write("lintel.yaml", "parallel: many\n")
        self.assertIn("lintel.yaml:1:11", self.lintel("config", code=USAGE).err)
        self.write("lintel.yaml", "- parallel\n")
        self.assertIn("lintel.yaml:1:1", self.lintel("config", code=INVALID).err)

    def test_CLI_004_broken_project_file(self):
        self.write("lintel.yaml", "parallel: [1\n")
        value = self.check_json("config", "config", code=INVALID)
        self.assertEqual("invalid_syntax", value["diagnostics"][0]["code"])
        self.write("lintel.yaml", b"parallel: \xff\n")
        self.assertEqual("invalid_encoding", self.check_json("config", "config", code=INVALID)["diagnostics"][0]["code"])

    def test_CLI_004_options_of_other_commands_are_left_alone(self):
        self.write("lintel.yaml", "auto-approve: true\nraw: true\n")
        self.lintel("version", code=OK)

    def test_an_empty_project_file(self):
        self.write("lintel.yaml", "")
        self.lintel("version", code=OK)

    def test_wrong_value_in_the_environment_names_the_variable(self):
        self.assertIn("LINTEL_PARALLEL", self.lintel("version", env={"LINTEL_PARALLEL": "x"}, code=USAGE).err)

    def test_values_of_variables_are_not_shown(self):
        self.write("lintel.yaml", "var: [password=opensesame]\n")
        for extra in ([], ["--json"]):
            result = self.lintel("config", *extra, code=OK)
            self.assertIn("password=…", result.out)
            self.assertNotIn("opensesame", result.out + result.err)

    def test_names_of_name_spaces_stay_in_their_directory(self):
        self.write("blueprint.yaml", "version: 2025-11-02\n")
        for name in ("../x", ".hidden", "a/b", "a b"):
            self.assertIn("--context", self.lintel("list", "--context", name, code=USAGE).err)


class Colour(CliCase):
    def is_coloured(self, *args, env=None):
        return "\x1b[" in self.lintel("pln", *args, env=env, code=USAGE).err

    def test_no_colour_without_a_terminal(self):
        self.assertFalse(self.is_coloured())

    def test_options_and_variables(self):
        self.assertTrue(self.is_coloured("--color", "always") or self.is_coloured(env={"LINTEL_COLOR": "always"}))
        self.assertTrue(self.is_coloured(env={"CLICOLOR_FORCE": "1"}))
        self.assertFalse(self.is_coloured(env={"CLICOLOR_FORCE": "0"}))
        self.assertFalse(self.is_coloured(env={"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}))
        self.assertTrue(self.is_coloured(env={"LINTEL_COLOR": "always", "NO_COLOR": "1"}))
        self.assertFalse(self.is_coloured(env={"LINTEL_COLOR": "never", "CLICOLOR_FORCE": "1"}))
