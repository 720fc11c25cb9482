"""Secrets never reach output, events, plans or the store in the clear (BP-280 to BP-282, LC-050 to LC-053)."""

import os

from cli_case import DRIFT, INVALID, OK, USAGE, CliCase, Terminal

SECRET = "opensesame-4711"
BLUEPRINT = """
version: 2025-11-02
variables:
  pass:
    type: string
    secret: true
resources:
  token:
    type: random/password
    spec:
      length: 24
  note:
    type: local/file
    spec:
      path: note.txt
      contents: "${variables.pass} ${resources.token.spec.result}"
  plain:
    type: local/file
    spec:
      path: plain.txt
      contents: "nothing"
exports:
  token:
    type: string
    field: resources.token.spec.result
  pass:
    type: string
    field: variables.pass
"""
GIVEN = ["--var", "pass=" + SECRET]


NAMED = """
version: 2025-11-02
variables:
  pass:
    type: string
    secret: true
resources:
  file:
    type: local/file
    spec: {path: "out/${variables.pass}.txt", contents: x, createDirectories: true}
  database:
    type: sqlite/database
    spec: {path: "${resources.file.spec.path}.db"}
"""


class Named(CliCase):
    """A secret in the name of an object is as secret as any other (LC-011 (5))."""

    def check(self, *args, code=OK):
        result = self.lintel(*args, code=code)
        self.assertNotIn(SECRET, result.out + result.err, args)
        for root, _, files in os.walk(self.path(".lintel")):
            for name in files:
                with open(os.path.join(root, name), "rb") as stream:
                    self.assertNotIn(SECRET.encode(), stream.read(), name)

    def test_LC_011_a_secret_in_the_name_of_an_object(self):
        self.write("blueprint.yaml", NAMED)
        self.check("deploy", "--auto-approve", *GIVEN)
        self.assertTrue(os.path.exists(self.path("out", SECRET + ".txt.db")))
        for args in (["show"], ["show", "--json"], ["state", "list"], ["state", "list", "--json"], ["drift"], ["drift", "--json"],
                     ["history", "--json"], ["plan", "--json"] + GIVEN, ["plan", "--json", "--var", "pass=other"]):
            self.check(*args)
        os.remove(self.path("out", SECRET + ".txt"))
        self.check("drift", "--json", code=DRIFT)
        self.check("deploy", "--auto-approve", "--accept-drift", "--json", "--var", "pass=other")
        self.assertFalse(os.path.exists(self.path("out", SECRET + ".txt.db")))
        self.check("destroy", "--auto-approve", "--json")
        self.assertEqual(os.listdir(self.path("out")), [])


class Broken(CliCase):
    def test_BP_281_a_broken_document_with_secrets_is_not_quoted(self):
        text = """
version: 2025-11-02
variables:
  token:
    type: string
    secret: true
    default: %s
resources: {}
"""
        for secret in ("'hunter2hunter2", "hunter2hunter2: x", '"hunter2hunter2" y', "hunter2\n   hunter2hunter2\n  hunter2hunter2",
                       "[hunter2hunter2", "it's\n  hunter2hunter2's"):
            self.write("blueprint.yaml", text % secret)
            for option in ("--format=text", "--format=sarif", "--format=junit", "--json"):
                result = self.lintel("validate", option, code=INVALID)
                self.assertNotIn("hunter2", result.out + result.err, (secret, option))
            self.assertIn("blueprint.yaml:", self.lintel("validate", code=INVALID).err)
            self.assertNotIn("hunter2", self.lintel("fmt", "--diff", code=INVALID).err)

    def test_without_secrets_it_is(self):
        self.write("blueprint.yaml", "version: 'open\nother: 1\n# secrets are elsewhere\n")
        self.assertIn("version: 'open", self.lintel("validate", code=INVALID).err)


class Secrets(CliCase):
    def setUp(self):
        super().setUp()
        self.write("blueprint.yaml", BLUEPRINT)
        self.seen = []

    def run_and_keep(self, *args, **options):
        result = self.lintel(*args, **options)
        self.seen.append((args, result.out + result.err))
        return result

    def secrets(self):
        password = self.read("note.txt").decode().split(" ", 1)[1]
        self.assertEqual(24, len(password))
        return [SECRET, password]

    def test_nothing_shows_or_stores_them(self):
        run = self.run_and_keep
        for extra in ([], ["--json"], ["--verbose"]):
            run("validate", *GIVEN, *extra, code=OK)
            run("plan", *GIVEN, *extra, code=OK)
        run("plan", *GIVEN, "--out", ".lintel-plan.json", code=OK)
        run("deploy", "--auto-approve", "--json-into", ".lintel-events", *GIVEN, code=OK)
        for extra in ([], ["--json"]):
            for command in (["show"], ["show", "resources.token"], ["show", "resources.note.spec.contents"], ["output"], ["output", "token"],
                            ["list"], ["plan"] + GIVEN, ["plan", "--destroy"], ["show", "./.lintel-plan.json"], ["config"]):
                run(*command, *extra, code=OK)
        run("output", "token", "--raw", code=OK)
        run("plan", "--var", "pass=another-secret", code=OK)
        run("deploy", "--auto-approve", "--json", "--var", "pass=" + SECRET, code=OK)
        secrets = self.secrets()
        for args, text in self.seen:
            for secret in secrets:
                self.assertNotIn(secret, text, args)
        files = self.files_below(".lintel") + [self.path(".lintel-plan.json"), self.path(".lintel-events")]
        self.assertTrue(any(name.endswith("state.db") for name in files))
        for name in files:
            with open(name, "rb") as stream:
                data = stream.read()
            for secret in secrets:
                self.assertNotIn(secret.encode(), data, name)

    def test_destroy_shows_none_and_leaves_none(self):
        self.run_and_keep("deploy", "--auto-approve", *GIVEN, code=OK)
        secrets = self.secrets()
        self.run_and_keep("destroy", "--auto-approve", code=OK)
        self.run_and_keep("list", "--json", code=OK)
        for args, text in self.seen:
            for secret in secrets:
                self.assertNotIn(secret, text, args)
        for name in self.files_below(".lintel"):
            with open(name, "rb") as stream:
                data = stream.read()
            for secret in secrets:
                self.assertNotIn(secret.encode(), data, name)

    def test_mistakes_do_not_quote_them(self):
        self.write("vars.yaml", "pass: 123456789\n")
        result = self.lintel("plan", "--vars", "vars.yaml", code=INVALID)
        self.assertNotIn("123456789", result.out + result.err)
        self.write("blueprint.yaml", BLUEPRINT.replace("secret: true", "secret: true\n    allowedValues: [aaaa, bbbb]"))
        for extra in ([], ["--json"]):
            result = self.lintel("plan", *GIVEN, *extra, code=INVALID)
            self.assertNotIn(SECRET, result.out + result.err)

    def test_failures_of_providers_do_not_quote_them(self):
        self.write("blueprint.yaml", BLUEPRINT.replace("path: note.txt", "path: /dev/null/${variables.pass}"))
        for extra in ([], ["--json"]):
            result = self.lintel("deploy", "--auto-approve", *GIVEN, *extra)
            self.assertIn("resource_deploy_failed", result.err)
            self.assertNotIn(SECRET, result.out + result.err)

    def test_the_command_line_is_recorded_without_them(self):
        self.deploy("--var=pass=" + SECRET)
        for name in self.files_below(".lintel"):
            with open(name, "rb") as stream:
                self.assertNotIn(SECRET.encode(), stream.read(), name)

    def test_they_are_shown_when_asked_for_twice(self):
        self.deploy(*GIVEN)
        password = self.secrets()[1]
        self.assertIn("needs a terminal", self.lintel("output", "token", "--show-sensitive", code=USAGE).err)
        shown = self.lintel("output", "token", "--raw", "--show-sensitive", "--yes-i-mean-it", code=OK).out
        self.assertEqual(password + "\n", shown)
        self.assertEqual("(sensitive)\n", self.lintel("output", "token", "--raw", code=OK).out)
        value = self.check_json("output", "output", "--show-sensitive", "--yes-i-mean-it", code=OK)
        self.assertEqual({"type": "string", "sensitive": True, "value": password}, value["exports"]["token"])
        value = self.check_json("output", "output", code=OK)
        self.assertEqual("(sensitive)", value["exports"]["token"]["value"])
        terminal = Terminal(self, ["output", "token", "--show-sensitive"])
        self.assertEqual(OK, terminal.wait())
        self.assertIn(password.encode(), terminal.text)

    def test_CLI_010_a_secret_is_asked_for_without_echo(self):
        terminal = Terminal(self, ["plan"])
        terminal.read_until(b"pass: ")
        terminal.answer(SECRET.encode() + b"\n")
        self.assertEqual(OK, terminal.wait(), terminal.text)
        self.assertNotIn(SECRET.encode(), terminal.text)
        self.assertIn(b"Plan: 3 to create", terminal.text)

    def test_CLI_010_a_signal_while_asking_leaves_the_terminal_as_it_was(self):
        terminal = Terminal(self, ["plan"])
        terminal.read_until(b"pass: ")
        terminal.interrupt()
        self.assertEqual(130, terminal.wait())

    def test_CLI_010_without_a_terminal_it_is_missing(self):
        self.assertEqual(["required_variable_missing"], self.lintel("plan", "--json", code=INVALID).codes())

    def test_LC_050_the_key_lies_beside_the_store(self):
        self.deploy(*GIVEN)
        key = self.path(".lintel", "vault", "default.key")
        self.assertEqual(0o600, os.stat(key).st_mode & 0o777)
        os.rename(key, key + ".gone")
        result = self.lintel("output", "token", "--raw", "--show-sensitive", "--yes-i-mean-it")
        self.assertNotIn(self.secrets()[1], result.out)

    def test_LC_052_a_wrong_key_is_said_before_anything_happens(self):
        self.deploy(*GIVEN)
        key = self.path(".lintel", "vault", "default.key")
        self.lintel("deploy", "--auto-approve", "--key", "file:other.key", "--var", "pass=x", "-i", "b", code=None)
        with open(key, "r+b") as stream:
            stream.write(b"garbage")
        result = self.lintel("deploy", "--auto-approve", *GIVEN)
        self.assertEqual(1, result.code, result)
        self.assertIn("key_not_usable", result.err)

    def test_BP_282_literals_of_the_blueprint_are_sealed_in_plans(self):
        self.write("blueprint.yaml", """
            version: 2025-11-02
            variables: {tok: {type: string, secret: true, default: topsecretvalue}}
            resources:
              note: {type: local/file, spec: {path: note.txt, contents: "${variables.tok}"}}
            """)
        self.lintel("plan", "--out", "plan.json", code=OK)
        self.assertNotIn(b"topsecretvalue", self.read("plan.json"))
        self.assertNotIn("topsecretvalue", self.lintel("plan", "--json", code=OK).out)
        self.assertNotIn("topsecretvalue", self.lintel("show", "plan.json", "--json", code=OK).out)
        os.remove(self.path("blueprint.yaml"))
        self.lintel("deploy", "--plan", "plan.json", code=OK)
        self.assertEqual(b"topsecretvalue", self.read("note.txt"))

    def test_BP_282_a_plan_whose_text_cannot_be_opened(self):
        self.write("blueprint.yaml", """
            version: 2025-11-02
            variables: {tok: {type: string, secret: true, default: topsecretvalue}}
            resources:
              note: {type: local/file, spec: {path: note.txt, contents: "${variables.tok}"}}
            """)
        self.lintel("plan", "--out", "plan.json", "--no-seal", code=OK)
        self.assertNotIn(b"topsecretvalue", self.read("plan.json"))
        result = self.lintel("deploy", "--plan", "plan.json", "--json")
        self.assertNotEqual(OK, result.code)
        self.assertIn("secret_value_unavailable", result.out)


class Process(CliCase):
    def test_LC_053_F104_no_core_file_while_secrets_are_in_memory(self):
        self.write("blueprint.yaml", BLUEPRINT)
        terminal = Terminal(self, ["deploy"] + GIVEN)
        terminal.read_until(b"'yes'")
        with open("/proc/%d/limits" % terminal.pid, encoding="ascii") as stream:
            self.assertRegex(stream.read(), r"Max core file size +0 +0 ")
        terminal.answer(b"no\r")
        self.assertEqual(USAGE, terminal.wait())
