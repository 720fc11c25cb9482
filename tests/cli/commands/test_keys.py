"""Where the key that seals secrets comes from (LC-050, LC-052): --key SPEC."""

import json
import os

from cli_case import FAILED, OK, USAGE, CliCase

SECRET = """
    version: 2025-11-02
    variables:
      pass: {type: string, secret: true}
    resources:
      note:
        type: local/file
        spec: {path: note.txt, contents: "${variables.pass}"}
    """


class Keys(CliCase):
    def setUp(self):
        super().setUp()
        self.write("blueprint.yaml", SECRET)
        for name in ("first", "second"):  # each makes its key in a state of its own
            self.lintel("plan", "--key", "file:%s.key" % name, "--state", "aside/%s.db" % name, "--out", "x.json", "--var", "pass=x", code=OK)
        self.first = self.read("first.key").decode()
        self.second = self.read("second.key").decode()
        os.unlink(self.path("x.json"))
        self.key = {"TEAM_KEY": self.first}

    def shown(self, *args, env=None, code=OK):
        return self.lintel("show", "resources.note.spec.contents", "--show-sensitive", "--yes-i-mean-it", *args, env=env, code=code)

    def refused(self, spec, env=None, part="key_not_usable", code=FAILED):
        result = self.lintel("deploy", "-y", "--var", "pass=open-sesame", "--key", spec, env=env, code=code)
        self.assertIn(part, result.err)
        for text in (self.first, self.second):
            for line in text.splitlines()[1:]:
                self.assertNotIn(line.split()[1], result.out + result.err)
        self.assertFalse(os.path.exists(self.path("note.txt")))
        return result.err

    def test_LC_050_a_variable_holds_what_a_key_file_holds(self):
        self.lintel("deploy", "-y", "--key", "env:TEAM_KEY", "--var", "pass=open-sesame", env=self.key, code=OK)
        self.assertFalse(os.path.exists(self.path(".lintel", "vault")))
        self.assertIn("open-sesame", self.shown("--key", "env:TEAM_KEY", env=self.key).out)
        self.assertIn("open-sesame", self.shown("--key", "file:first.key").out)
        result = self.shown("--key", "file:second.key", code=FAILED)
        self.assertNotIn("open-sesame", result.out)
        self.assertIn("key file 'second.key' does not open the secrets of context 'default'", result.err)

    def test_LC_050_a_command_prints_it(self):
        os.unlink(self.path("note.txt")) if os.path.exists(self.path("note.txt")) else None
        spec = "command:cat   first.key"
        self.lintel("deploy", "-y", "--key", spec, "--var", "pass=open-sesame", code=OK)
        self.assertIn("open-sesame", self.shown("--key", spec).out)
        self.assertIn("open-sesame", self.shown(env={"LINTEL_KEY": spec}).out)
        self.write("lintel.yaml", "key: command:cat first.key\n")
        self.assertIn("open-sesame", self.shown().out)
        self.write("lintel.yaml", "key: env:TEAM_KEY\n")
        self.assertIn("open-sesame", self.shown(env=self.key).out)

    def test_LC_003_a_saved_plan_is_carried_out_with_it(self):
        self.lintel("plan", "--out", "p.json", "--key", "env:TEAM_KEY", "--var", "pass=open-sesame", env=self.key, code=OK)
        self.assertNotIn(b"open-sesame", self.read("p.json"))
        self.lintel("deploy", "--plan", "p.json", "--key", "command:cat first.key", code=OK)
        self.assertEqual(b"open-sesame", self.read("note.txt"))

    def test_LC_052_what_is_wrong_is_said_with_the_source_and_without_the_key(self):
        self.assertIn("the key from 'env:NO_SUCH' is not there", self.refused("env:NO_SUCH"))
        self.refused("env:")
        self.refused("env:A=B")
        self.assertIn("the key from 'env:TEAM_KEY' is malformed", self.refused("env:TEAM_KEY", env={"TEAM_KEY": self.first[:-9]}))
        self.refused("env:TEAM_KEY", env={"TEAM_KEY": ""})
        self.refused("env:TEAM_KEY", env={"TEAM_KEY": "x" * 100000})
        mixed = self.first.splitlines()[:2] + self.second.splitlines()[2:]
        self.assertIn("is damaged: its check is wrong", self.refused("env:TEAM_KEY", env={"TEAM_KEY": "\n".join(mixed)}))

    def test_LC_052_commands_that_give_no_key(self):
        self.assertIn("there is no such program", self.refused("command:no-such-program-here"))
        self.assertIn("there is no such program", self.refused("command:"))
        self.assertIn("there is no such program", self.refused("command:   "))
        self.assertIn("the program failed", self.refused("command:false"))
        self.assertIn("is malformed", self.refused("command:true"))
        self.assertIn("is malformed", self.refused("command:echo $(cat first.key)"))
        self.assertIn("printed too much", self.refused("command:yes"))

    def test_CLI_005_other_forms(self):
        self.refused("first.key", part="file:PATH, env:NAME, command:ARGV, passphrase", code=USAGE)
        self.refused("passphrase:", part="file:PATH, env:NAME, command:ARGV, passphrase", code=USAGE)

    def test_pure_runs_no_program(self):  # F110
        self.lintel("deploy", "-y", "--key", "command:cat first.key", "--var", "pass=open-sesame", code=OK)
        result = self.shown("--pure", "--key", "command:touch ran")
        self.assertNotIn("open-sesame", result.out)
        self.assertFalse(os.path.exists(self.path("ran")))

    def test_LC_053_no_key_reaches_the_state(self):
        self.lintel("deploy", "-y", "--key", "env:TEAM_KEY", "--var", "pass=open-sesame", env=self.key, code=OK)
        key = self.first.splitlines()[1].split()[1].encode()
        for root, _, names in os.walk(self.path(".lintel")):
            for name in names:
                with open(os.path.join(root, name), "rb") as stream:
                    data = stream.read()
                self.assertNotIn(key, data)
                self.assertNotIn(b"open-sesame", data)
        json.loads(self.lintel("show", "--json", "--key", "env:TEAM_KEY", env=self.key, code=OK).out)
