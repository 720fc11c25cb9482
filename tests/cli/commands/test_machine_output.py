"""What programs that call lintel rely on, of every command: JSON and nothing else on standard output, whatever happens
(CLI-006, CLI-030), and the exit codes of the one table (CLI-033)."""

import json
import os
import re
import unittest

from cli_case import CHANGES, DRIFT, FAILED, INVALID, OK, SCHEMAS, SMALL, SOURCE, USAGE, CliCase

# What a command cannot do without, so that it gets as far as the mistake of the test.
ARGUMENTS = {"completion": ["bash"], "explain": ["resources.id"], "state": ["list"], "unlock": ["shop", "--reason", "x"],
             "import": ["resources.id", "x"], "work": ["--until-empty"]}
WITHOUT_STATE = {"completion", "config", "errors", "fmt", "functions", "help", "init", "providers", "validate", "version"}


class EveryCommand(CliCase):
    def setUp(self):
        super().setUp()
        self.write("blueprint.yaml", SMALL)
        self.commands = {c["name"]: c for c in json.loads(self.lintel("help", "--json", code=OK).out)["help"]["commands"]}

    def check(self, name, *args, **options):
        """Runs a command with --json and returns its last object; all of standard output fits the schema."""
        command = self.commands[name]
        result = self.lintel(name, *ARGUMENTS.get(name, []), *args, "--json", **options)
        objects = [json.loads(line) for line in result.out.splitlines()]
        self.assertTrue(result.out.endswith("\n"), result)
        is_stream = command["output"] == "events"
        for one in objects:
            SCHEMAS.check("events" if is_stream else name, one)
        self.assertEqual(is_stream, len(objects) > 1, result)
        self.assertEqual(result.code, objects[-1]["exitCode"])
        self.assertIn(result.code, [e["code"] for e in command["exitCodes"]], "%s: an exit code it does not tell of" % name)
        return objects[-1]

    def test_CLI_030_an_option_that_does_not_exist(self):
        for name in self.commands:
            last = self.check(name, "--no-such-option")
            self.assertEqual(USAGE, last["exitCode"], name)
            self.assertEqual("usage_error", last["diagnostics"][0]["code"], name)

    def test_CLI_030_a_broken_project_file(self):
        self.write("lintel.yaml", "parallel: [\n")
        for name in self.commands:
            self.assertEqual(INVALID, self.check(name)["exitCode"], name)

    def test_CLI_030_a_state_that_is_none(self):
        self.write(".lintel/state.db", b"this is no database at all, whatever its name says\n" * 100)
        for name in sorted(set(self.commands) - WITHOUT_STATE):
            last = self.check(name)
            self.assertNotEqual(OK, last["exitCode"], name)
            self.assertTrue([d for d in last["diagnostics"] if d["severity"] == "error"], name)

    def test_CLI_030_nothing_deployed_yet(self):
        for name in sorted(set(self.commands) - {"init"}):
            self.check(name)
        self.assertEqual([], [f for f in self.files_below() if f.endswith("note.txt")], "--json is no consent")

    def test_CLI_030_a_mistake_in_the_blueprint(self):
        self.write("blueprint.yaml", SMALL.replace("random/id", "random/idd"))
        for name in ("validate", "plan", "deploy", "render", "graph", "console"):
            codes = [d["code"] for d in self.check(name)["diagnostics"]]
            self.assertIn("resource_type_not_found", codes, name)

    def test_CLI_006_results_go_to_standard_output_and_the_rest_does_not(self):
        failed = self.lintel("plan", "--no-such-option", code=USAGE)
        self.assertEqual("", failed.out)
        self.write("blueprint.yaml", SMALL + "values:\n  unused: {type: string, value: x}\n")
        warned = self.lintel("output", code=INVALID)
        self.assertEqual("", warned.out)
        self.deploy()
        self.assertEqual("note.txt\n", os.path.basename(self.lintel("output", "path", "--raw", code=OK).out))

    def test_CLI_006_machine_output_into_a_full_file_is_told(self):
        self.check_json("help", "help", "--log", "/dev/null/x", code=FAILED)
        result = self.lintel("version", "--json-into", "/dev/full", code=FAILED)
        self.assertIn("'/dev/full' is not complete: No space left on device", result.err)


class ExitCodes(CliCase):
    def test_CLI_033_the_table_of_the_specification_is_the_one_of_the_program(self):
        with open(os.path.join(SOURCE, "docs", "spec", "lifecycle.md"), encoding="utf-8") as stream:
            table = stream.read().split("| exit code | meaning |")[1].split("\n\n")[0]
        wanted = {int(code) for cells in re.findall(r"^\| ([\d, ]+) \|", table, re.MULTILINE) for code in cells.split(",")}
        commands = json.loads(self.lintel("help", "--json", code=OK).out)["help"]["commands"]
        meanings = {}
        for command in commands:
            for one in command["exitCodes"]:
                meanings.setdefault(one["code"], set()).add(one["meaning"])
        self.assertEqual(wanted, set(meanings))
        self.assertTrue(all(len(texts) == 1 for texts in meanings.values()), "one meaning each")

    def test_CLI_033_codes_that_are_asked_for(self):
        self.write("blueprint.yaml", SMALL)
        self.lintel("plan", code=OK)
        self.lintel("plan", "--detailed-exitcode", code=CHANGES)
        self.deploy()
        self.lintel("plan", "--detailed-exitcode", code=OK)
        os.unlink(self.path("note.txt"))
        self.lintel("drift", code=DRIFT)
        self.lintel("deploy", "--auto-approve", code=DRIFT)


if __name__ == "__main__":
    unittest.main()
