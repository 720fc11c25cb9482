"""Limits hold, and can be moved by a setting (LC-080); what templates and names hold stays data (F81, F102)."""

import json
import re
import unittest

from cli_case import INVALID, OK, SMALL, SOURCE, USAGE, CliCase

NESTED = "version: 2025-11-02\nresources:\n  id: {type: random/id, spec: {byteLength: 4}}\nmetadata:\n  deep: %s\n"
# The smallest blueprint that a limit refuses: name, what it is set to, what passes and what does not.
TEXT = "version: 2025-11-02\nresources:\n  note: {type: local/file, spec: {path: n.txt, contents: %s}}\n"


class Limits(CliCase):
    def check(self, setting, blueprint, *args, command="validate", wanted="limit_exceeded"):
        """The blueprint is refused with the setting and passes without it."""
        self.write("blueprint.yaml", blueprint)
        self.lintel(command, *args, code=OK)
        value = self.check_json(command, command, *args, "--limit", setting, code=INVALID)
        self.assertIn(wanted, [d["code"] for d in value["diagnostics"]], setting)

    def test_LC_080_documents(self):
        self.check("document-bytes=100", SMALL)
        self.check("nesting=9", NESTED % ("[" * 10 + "]" * 10))
        self.check("expr-depth=4", TEXT % ('"${%sx%s}"' % ("trim(" * 6, ")" * 6)).replace("(x)", '(\\"x\\")'))
        self.write("inner/inner/blueprint.yaml", "version: 2025-11-02\nresources:\n  id: {type: random/id, spec: {byteLength: 4}}\n")
        self.write("inner/blueprint.yaml", "version: 2025-11-02\ninclude:\n  b: {path: inner/blueprint.yaml}\n")
        self.check("include-depth=1", "version: 2025-11-02\ninclude:\n  a: {path: inner/blueprint.yaml}\n",
                   wanted="max_blueprint_depth_exceeded")

    def test_LC_080_evaluation(self):
        self.check("eval-steps=5", SMALL, command="plan")
        items = "[" + ", ".join('"%d"' % i for i in range(50)) + "]"
        self.check("each-instances=49", """
            version: 2025-11-02
            values:
              all: {type: array, value: %s}
            resources:
              id: {type: random/id, each: "${values.all}", spec: {byteLength: 4}}
            """ % items, command="plan")
        self.check("elements=3", SMALL, command="plan")
        self.write("words.txt", "x," * 2000)
        self.check("file-bytes=100", TEXT % '"${file(\\"words.txt\\")}"', command="plan")
        self.check("result-items=10", TEXT % '"${join(split(utf8(file(\\"words.txt\\")), \\",\\"), \\"\\")}"', command="plan")
        self.check("result-text=100", TEXT % '"${replace(utf8(file(\\"words.txt\\")), \\"x\\", \\"yy\\")}"', command="plan")

    def test_LC_080_they_can_be_raised(self):
        self.write("blueprint.yaml", NESTED % ("[" * 300 + "]" * 300))
        self.lintel("validate", code=INVALID)
        self.lintel("validate", "--limit", "nesting=400", code=OK)
        self.write("lintel.yaml", "limit: [nesting=400, expr-depth=400]\n")
        self.lintel("validate", code=OK)
        self.deploy()
        self.lintel("plan", "--detailed-exitcode", code=OK)
        self.lintel("validate", "--limit", "nesting=100", code=INVALID)

    def test_LC_080_diagnostics_are_counted_beyond_their_limit(self):
        self.write("blueprint.yaml", SMALL + "".join("unknown%d: x\n" % i for i in range(20)))
        value = self.check_json("validate", "validate", "--strict", "--limit", "diagnostics=5", code=INVALID)
        self.assertLessEqual(len(value["diagnostics"]), 10)
        self.assertIn("20 errors", self.lintel("validate", "--strict", "--limit", "diagnostics=5", code=INVALID).err)

    def test_LC_080_what_is_no_limit(self):
        for wrong in ("elements", "elements=", "elements=0", "elements=-1", "elements=x", "nesting=1000000000",
                      "elements=99999999999999999999", "colour=1", "=1", ""):
            result = self.lintel("version", "--limit", wrong, code=USAGE)
            self.assertIn("takes NAME=N", result.err)
            self.assertIn("alias-nodes, diagnostics, document-bytes", result.err)
        self.write("lintel.yaml", "limit: [nesting=400,\n  colour=1]\n")
        self.assertIn("lintel.yaml:2:3", self.lintel("version", code=USAGE).err)

    def test_LC_080_the_table_of_the_documentation(self):
        names = re.search("NAME is one of (.*)", self.lintel("version", "--limit", "x=1", code=USAGE).err).group(1).split(", ")
        with open(SOURCE + "/docs/operations.md", encoding="utf-8") as stream:
            table = stream.read().split("## Limits")[1].split("\n## ")[0]
        self.assertEqual(names, re.findall(r"^\| `([a-z-]+)` \|", table, re.MULTILINE))


class Data(CliCase):
    AWKWARD = "%s%n%d%1000000000d{0}$(id)`id`\n\x1b[31m\u202e"

    def test_F81_F102_formats_and_line_ends_are_characters(self):
        """Nothing of a template is a format, and a log has a line per record."""
        self.write("blueprint.yaml", json.dumps({
            "version": "2025-11-02",
            "variables": {"v": {"type": "string", "description": self.AWKWARD, "default": self.AWKWARD}},
            "resources": {"note": {"type": "local/file", "description": self.AWKWARD,
                                   "metadata": {"displayName": self.AWKWARD},
                                   "spec": {"path": "note.txt", "contents": "${variables.v}"}}},
            "exports": {"out": {"type": "string", "field": "resources.note.spec.contents"}}}))
        result = self.deploy("--log", "run.log")
        for text in (result.out, result.err):
            self.assertNotIn("\x1b", text)
            self.assertNotIn("\u202e", text)
            self.assertNotIn("uid=", text)
        self.assertEqual(self.AWKWARD.encode(), self.read("note.txt"))
        self.assertEqual(self.AWKWARD, self.lintel("output", "out", "--json", code=OK).json()["exports"]["out"]["value"])
        for line in self.read("run.log").splitlines():
            json.loads(line)
        self.write("blueprint.yaml", SMALL.replace("random/id", "random/%s%n%n%n%n"))
        self.assertIn("random/%s%n%n%n%n", self.lintel("validate", code=INVALID).err)
        self.lintel("plan", "--var", self.AWKWARD, code=USAGE)
        self.lintel(self.AWKWARD, code=USAGE)

    def test_F83_F84_surroundings_change_no_plan(self):
        self.write("blueprint.yaml", SMALL)
        plans = []
        for env in ({"LC_ALL": "C", "TZ": "UTC"}, {"LC_ALL": "tr_TR.UTF-8", "LANG": "de_DE.UTF-8", "TZ": "Asia/Tokyo", "HOME": "/"}):
            plan = self.lintel("plan", "--json", env=env, code=OK).json()["plan"]
            for own in ("id", "runTime", "instance"):
                plan.pop(own)
            plans.append(json.dumps(plan))
        self.assertEqual(plans[0], plans[1])


if __name__ == "__main__":
    unittest.main()
