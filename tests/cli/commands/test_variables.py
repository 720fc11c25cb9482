"""Where the values of variables come from, and which one counts (CLI-010)."""

import json
import unittest

from cli_case import INVALID, OK, USAGE, CliCase, Terminal

BLUEPRINT = """
version: 2025-11-02
variables:
  s: {type: string}
  i: {type: integer, default: 1}
  f: {type: float, default: 1.5}
  b: {type: boolean, default: false}
values:
  all: {type: string, value: "${variables.s}|${variables.i}|${variables.f}|${variables.b}"}
resources:
  id: {type: random/id, spec: {byteLength: 4}}
metadata:
  all: "${values.all}"
"""


class Variables(CliCase):
    def setUp(self):
        super().setUp()
        self.write("blueprint.yaml", BLUEPRINT)

    def all(self, *args, **options):
        result = self.lintel("render", "--json", *args, code=OK, **options)
        return json.loads(result.out)["blueprint"]["metadata"]["all"]

    def codes(self, *args):
        return [(d["code"], d["file"]) for d in json.loads(self.lintel("render", "--json", *args, code=INVALID).out)["diagnostics"]
                if d["severity"] == "error"]

    def test_CLI_010_text_is_parsed_as_the_declared_type(self):
        self.assertEqual("x|5|2.0|true", self.all("--var", "s=x", "--var", "i=5", "--var", "f=2", "--var", "b=true"))
        self.assertEqual("5|1|1.5|false", self.all("--var", "s=5"), "a string stays one")
        self.assertEqual("a=b|1|1.5|false", self.all("--var", "s=a=b"), "the first equals sign ends the name")
        self.assertEqual("|1|1.5|false", self.all("--var", "s="))
        for wrong in ("i=1.5", "i=x", "i=", "f=x", "b=yes", "b=1"):
            name = wrong[0]
            self.assertEqual([("variable_invalid_or_missing", "--var " + name)], self.codes("--var", "s=x", "--var", wrong))

    def test_CLI_010_files_are_typed(self):
        self.write("v.yaml", "s: from file\ni: 7\nf: 2.5\nb: true\n")
        self.assertEqual("from file|7|2.5|true", self.all("--vars", "v.yaml"))
        self.write("v.json", '{"s": "json", "i": 8}')
        self.assertEqual("json|8|1.5|false", self.all("--vars", "v.json"))
        self.write("v.json", '{"s": "json", "i": "8"}')
        self.assertEqual([("variable_invalid_or_missing", "v.json")], self.codes("--vars", "v.json"))
        self.write("v.yaml", "- s\n")
        self.assertEqual([("invalid_map", "v.yaml")], self.codes("--vars", "v.yaml"))

    def test_CLI_010_later_ones_win(self):
        self.write("one.yaml", "s: one\ni: 1\n")
        self.write("two.yaml", "i: 2\nf: 2.5\n")
        env = {"LINTEL_VAR_s": "env", "LINTEL_VAR_i": "9", "LINTEL_VAR_f": "9", "LINTEL_VAR_b": "true"}
        self.assertEqual("env|9|9.0|true", self.all(env=env), "the environment before defaults")
        self.assertEqual("one|1|9.0|true", self.all("--vars", "one.yaml", env=env), "files before the environment")
        self.assertEqual("one|2|2.5|true", self.all("--vars", "one.yaml", "--vars", "two.yaml", env=env), "in order")
        self.assertEqual("one|1|2.5|true", self.all("--vars", "two.yaml", "--vars", "one.yaml", env=env), "in order")
        self.assertEqual("one|4|2.5|true", self.all("--var", "i=3", "--vars", "one.yaml", "--vars", "two.yaml", "--var", "i=4",
                                                    env=env), "--var before all, the last one counts")

    def test_CLI_010_a_variable_is_read_from_a_file(self):
        self.write("text", b"two\nlines\n")
        self.assertEqual("two\nlines|1|1.5|false", self.all("--var", "s=@text"), "without the end of its last line")
        self.write("number", b"12\n")
        self.assertEqual("x|12|1.5|false", self.all("--var", "s=x", "--var", "i=@number"))
        self.assertEqual("@text|1|1.5|false", self.all("--var", "s=@@text"))
        self.assertEqual("a@b|1|1.5|false", self.all("--var", "s=a@b"), "elsewhere it is a character")
        result = self.lintel("render", "--var", "s=@nothing", code=INVALID)
        self.assertIn("'nothing' cannot be read: No such file or directory", result.err)

    def test_CLI_010_what_is_no_variable(self):
        for wrong in ("s", "=x", ""):
            self.assertIn("takes NAME=VALUE", self.lintel("render", "--var", wrong, code=USAGE).err)
        self.assertIn("unknown", self.lintel("render", "--var", "s=x", "--var", "unknown=1").err)

    def test_CLI_010_a_secret_is_asked_for_on_a_terminal(self):
        self.write("blueprint.yaml", BLUEPRINT.replace("s: {type: string}", "s: {type: string, secret: true}"))
        terminal = Terminal(self, ["plan"])
        terminal.read_until(b"s: ")
        terminal.answer(b"opensesame\r")
        self.assertEqual(OK, terminal.wait(), terminal.text)
        self.assertNotIn(b"opensesame", terminal.text)
        self.lintel("plan", code=INVALID)


if __name__ == "__main__":
    unittest.main()
