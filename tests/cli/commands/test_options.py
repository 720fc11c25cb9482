"""Global options of cli.md section 2 that concern what templates may reach, and the log."""

import json
import os
import socket
import unittest

from cli_case import FAILED, INVALID, OK, SCHEMAS, SMALL, USAGE, CliCase

GLOBAL = ("C state context json json-into color quiet verbose log strict offline pure plugin-path module-root key "
          "allow-outside allow-private parallel lock-timeout limit keep-history lease-time drain-time stable-time").split()


class Table(CliCase):
    def test_CLI_003_every_global_option_is_in_the_table(self):
        names = [o["name"] for o in self.lintel("help", "--json", code=OK).json()["help"]["globalOptions"]]
        for name in GLOBAL:
            self.assertIn(name, names)

    def test_CLI_004_paths_of_the_project_file_are_meant_from_there(self):
        self.write("lintel.yaml", "plugin-path: tools:/opt/x\nmodule-root: [one, /two]\noffline: true\n")
        os.mkdir(self.path("sub"))
        value = self.check_json("config", "config", code=OK, cwd=self.path("sub"))
        found = {s["name"]: s["values"] for s in value["settings"]}
        self.assertEqual([self.path("tools") + ":/opt/x"], found["plugin-path"])
        self.assertEqual([self.path("one"), "/two"], found["module-root"])
        self.assertEqual(["true"], found["offline"])

    def test_CLI_004_config_shows_what_is_set_and_all_with_the_option(self):
        short = {s["name"] for s in self.check_json("config", "config", code=OK)["settings"]}
        every = {s["name"] for s in self.check_json("config", "config", "--all", code=OK)["settings"]}
        self.assertTrue({"state", "key", "parallel", "context"} <= short)
        self.assertFalse({"input-format", "auto-approve", "check", "log"} & short)
        self.assertTrue(short | {"input-format", "auto-approve", "check", "log"} <= every)
        given = self.check_json("config", "config", code=OK, env={"LINTEL_AUTO_APPROVE": "1"})["settings"]
        self.assertIn(("auto-approve", "environment"), [(s["name"], s["origin"]) for s in given])


class Verbose(CliCase):
    def test_CLI_004_it_says_what_was_set_and_from_where_and_how_it_ended(self):
        self.write("blueprint.yaml", SMALL)
        self.write("lintel.yaml", "parallel: 3\n")
        result = self.deploy("--verbose", "--var", "greeting=opensesame", env={"LINTEL_COLOR": "never"})
        self.assertIn("--parallel is set by project file %s\n" % self.path("lintel.yaml"), result.err)
        self.assertIn("--color is set by environment LINTEL_COLOR\n", result.err)
        self.assertIn("--var is set by option\n", result.err)
        self.assertNotIn("opensesame", result.err)
        self.assertIn("state: %s\n" % self.path(".lintel", "state.db"), result.err)
        self.assertRegex(result.err, r"read blueprint\.yaml: \d+ bytes\n")
        self.assertRegex(result.err, r"exit code 0 after \d+\.\ds: done, or no change\n$")
        self.assertEqual(self.lintel("plan", code=OK).out, self.lintel("plan", "--verbose", code=OK).out)

    def test_passwords_of_addresses_are_not_shown(self):
        env = {"LINTEL_STATE": "postgres://ann:opensesame@127.0.0.1:1/x"}
        result = self.lintel("list", "--verbose", env=env)
        self.assertNotIn("opensesame", result.out + result.err)

    def test_quiet_is_stronger(self):
        self.assertEqual("", self.lintel("version", "--quiet", "--verbose", code=OK).err)


class Log(CliCase):
    def lines(self, name="run.log"):
        entries = [json.loads(line) for line in self.read(name).splitlines()]
        for entry in entries:
            SCHEMAS.check("log", entry)
        return entries

    def test_a_run_leaves_its_events(self):
        self.write("blueprint.yaml", SMALL)
        self.deploy("--log", "run.log")
        kinds = [e["type"] for e in self.lines()]
        self.assertEqual("version", kinds[0])
        self.assertEqual("summary", kinds[-1])
        self.assertIn("element", kinds)
        self.assertEqual(0o600, os.stat(self.path("run.log")).st_mode & 0o777)

    def test_the_log_and_json_say_the_same(self):
        self.write("blueprint.yaml", SMALL)
        events = self.check_events("deploy", "--auto-approve", "--log", "run.log", code=OK)
        self.assertEqual(events, self.lines())

    def test_every_command_and_its_mistakes(self):
        self.write("blueprint.yaml", SMALL.replace("random/id", "random/idd"))
        self.lintel("validate", "--log", "run.log", code=INVALID)
        self.lintel("version", "--log", "run.log", code=OK)
        entries = self.lines()
        self.assertEqual(["version", "summary", "version", "summary"], [e["type"] for e in entries])
        self.assertEqual(["validate", "version"], [e["command"] for e in entries if e["type"] == "version"])
        self.assertEqual(INVALID, entries[1]["exitCode"])
        self.assertTrue(entries[1]["diagnostics"])

    def test_BP_281_secrets_are_not_in_it(self):
        self.write("blueprint.yaml", SMALL.replace("default: hello", "secret: true"))
        self.deploy("--var", "greeting=hunter2hunter2", "--log", "run.log")
        self.assertNotIn(b"hunter2hunter2", self.read("run.log"))

    def test_a_log_that_cannot_be_written(self):
        self.write("blueprint.yaml", SMALL)
        self.assertIn("'no/run.log' cannot be written", self.lintel("validate", "--log", "no/run.log", code=FAILED).err)
        self.assertIn("is not complete", self.lintel("validate", "--log", "/dev/full", code=OK).err)


DATA = """
version: 2025-11-02
datasources:
  d:
    type: %s
    filter: {field: %s, operator: "=", search: "%s"}
    exports: {text: {type: string, aliasFor: %s}}
resources:
  note: {type: local/file, spec: {path: n.txt, contents: "${datasources.d.text}"}}
"""


class Outside(CliCase):
    def test_pure_asks_no_data_source(self):  # F110
        outside = os.path.join(self.home, "outside.txt")
        with open(outside, "w", encoding="ascii") as stream:
            stream.write("from outside")
        for kind in (("local/file", "path", outside, "content"), ("process/environment", "name", "MARK", "value")):
            self.write("blueprint.yaml", DATA % kind)
            wanted = "from outside" if kind[0] == "local/file" else "of the environment"
            for pure in (False, True):
                result = self.lintel("plan", "--json", *(["--pure"] if pure else []), env={"MARK": wanted}, code=OK)
                self.assertEqual(not pure, wanted in result.out, kind)
            self.assertIn("(known on deploy)", self.lintel("plan", "--pure", code=OK).out)

    def test_offline_and_pure_open_no_connection(self):  # F110
        with socket.socket() as server:
            server.bind(("127.0.0.1", 0))
            server.listen()
            server.setblocking(False)
            url = "http://127.0.0.1:%d/x" % server.getsockname()[1]
            self.write("blueprint.yaml", DATA % ("http/document", "url", url, "body"))
            for option in ("--offline", "--pure"):
                self.lintel("plan", option, "--allow-private", code=OK)
                with self.assertRaises(BlockingIOError):
                    server.accept()
            self.write("blueprint.yaml", DATA % ("process/environment", "name", "HOME", "value"))
            self.assertIn(os.environ["HOME"], self.lintel("plan", "--offline", code=OK).out, "what is here is read")

    def test_pure_does_not_touch_anything(self):  # F110
        self.write("blueprint.yaml", SMALL)
        self.lintel("validate", "--pure", code=OK)
        self.lintel("plan", "--pure", code=OK)
        for command in ("deploy", "destroy"):
            self.assertIn("'--pure' touches nothing", self.lintel(command, "--pure", "--auto-approve", code=USAGE).err)
        self.assertEqual([], [f for f in self.files_below() if f.endswith("note.txt")])

    def test_BP_170_includes_from_files(self):
        self.write("child/blueprint.yaml", """
            version: 2025-11-02
            variables:
              word: {type: string}
            resources:
              note:
                type: local/file
                spec: {path: "${variables.word}.txt", contents: x}
            exports:
              path: {type: string, field: resources.note.spec.path}
            """)
        self.write("blueprint.yaml", """
            version: 2025-11-02
            include:
              inner:
                path: child/blueprint.yaml
                variables: {word: made}
            exports:
              path: {type: string, field: children.inner.path}
            """)
        self.lintel("validate", code=OK)
        self.deploy()
        self.lintel("plan", "--detailed-exitcode", code=OK)
        self.lintel("destroy", "--auto-approve", code=OK)

    def test_BP_176_nothing_outside_unless_allowed(self):
        self.write("child.yaml", "version: 2025-11-02\nresources:\n  id: {type: random/id, spec: {byteLength: 4}}\n")
        self.write("inner/blueprint.yaml", """
            version: 2025-11-02
            include:
              up: {path: ../child.yaml}
            resources:
              id: {type: random/id, spec: {byteLength: 4}}
            """)
        inner = self.path("inner")
        value = self.check_json("validate", "validate", cwd=inner, code=INVALID)
        self.assertEqual(["include_path_outside_root"], [d["code"] for d in value["diagnostics"]])
        self.lintel("validate", "--allow-outside", cwd=inner, code=OK)


if __name__ == "__main__":
    unittest.main()
