"""Renderings of one plan (CLI-020) and the comparison of two (CLI-012, `plan diff`)."""

import json
import re

from cli_case import CHANGES, INVALID, OK, SMALL, USAGE, CliCase

MIXED = """
    version: 2025-11-02
    variables:
      text: {type: string, default: one}
      pass: {type: string, secret: true, default: hush-hush}
    resources:
      kept:
        type: local/file
        spec: {path: kept.txt, contents: "${variables.text}"}
      moved:
        type: local/file
        spec: {path: "moved-${variables.text}.txt", contents: same}
      secret:
        type: local/file
        spec: {path: secret.txt, contents: "${variables.pass}"}
      %s:
        type: local/file
        spec: {path: other.txt, contents: x}
    exports:
      text: {type: string, field: resources.kept.spec.contents}
    """


class Views(CliCase):
    def setUp(self):
        super().setUp()
        self.write("blueprint.yaml", MIXED % "old")
        self.deploy()
        self.write("blueprint.yaml", MIXED % "new")

    def plan(self, *args, code=OK):
        return self.lintel("plan", "--var", "text=two", *args, code=code).out

    def test_CLI_020_summary_is_a_line_per_element(self):
        text = self.plan("--summary")
        self.assertEqual("""\
Instance shop
+ create   ~ update   - destroy   -/+ destroy, then create

  ~ resources.kept (local/file): 3 fields
-/+ resources.moved (local/file): 1 field, because of spec.path
  + resources.new (local/file)
  - resources.old (local/file)
  ~ exports.text

Plan: 1 to create, 1 to update, 1 to replace, 1 to destroy.
""", re.sub(r"(?m)\+/- create, then destroy|-/\+ destroy, then create", "-/+ destroy, then create", text.replace("+/- res", "-/+ res")))

    def test_CLI_020_only_shows_what_is_wanted_and_says_what_is_hidden(self):
        text = self.plan("--only", "replace,destroy")
        self.assertIn("resources.moved", text)
        self.assertIn("resources.old", text)
        self.assertNotIn("resources.kept", text)
        self.assertNotIn("resources.new", text)
        self.assertNotIn("Exports:", text)
        self.assertNotIn("+ create ", text.splitlines()[1].replace("+/- create", ""))
        self.assertIn("\nNot shown: 1 create, 2 update.\nPlan: 1 to create, 1 to update, 1 to replace, 1 to destroy.\n", text)
        self.assertEqual(text, self.plan("--only", "replace", "--only=destroy"))
        self.assertIn("  + resources.new (local/file)\n", self.plan("--summary", "--only", "create"))
        self.assertNotIn("Not shown", self.plan("--only", "create,update,replace,destroy,read,retain"))

    def test_CLI_030_the_plan_is_the_same_in_every_view(self):
        def get(*args):
            value = self.check_json("plan", "plan", "--var", "text=two", *args, code=OK)["plan"]
            return re.sub(r'"(id|runTime)": ("[^"]*"|\d+)', "", json.dumps(value))

        whole = get()
        for args in (["--summary"], ["--only", "read"], ["--md"]):
            self.assertEqual(whole, get(*args), args)

    def test_kinds_that_do_not_exist(self):
        result = self.lintel("plan", "--only", "destory", code=USAGE)
        self.assertIn("did you mean 'destroy'?", result.err)
        for bad in ("", ",", "create,", "create;update", "CREATE", "x" * 5000):
            self.lintel("plan", "--only", bad, code=OK if bad == "create," else USAGE)

    def test_CLI_020_markdown(self):
        text = self.plan("--md")
        self.assertTrue(text.startswith("### Instance <code>shop</code>\n\n**Plan: 1 to create, 1 to update, "
                                        "1 to replace, 1 to destroy.**\n\n| | change | element | type |\n|---|---|---|---|\n"))
        self.assertIn("| <code>&#43;</code> | create | <code>resources.new</code> | local/file |\n", text)
        self.assertIn("<details><summary>Details</summary>\n\n```text\n", text)
        self.assertTrue(text.endswith("\n```\n\n</details>\n"))
        self.assertNotIn("<details>", self.plan("--md", "--summary"))
        self.assertNotIn("\x1b", self.plan("--md", "--color", "always"))
        self.assertIn("Not shown: ", self.plan("--md", "--only", "create"))

    def test_LC_062_nothing_of_the_template_becomes_markdown(self):
        self.write("blueprint.yaml", SMALL.replace("default: hello", 'default: "a\\n```\\n<b>@team</b> ````` | **x**"'))
        self.deploy()
        self.write("blueprint.yaml", SMALL.replace("default: hello", 'default: "```` </details> @team"'))
        text = self.plan("--md")
        fence = re.search(r"(?m)^(`{3,})text$", text).group(1)
        inside = text.split(fence + "text\n")[1].split("\n" + fence + "\n")[0]
        self.assertIn("@team", inside)
        self.assertNotIn("@team", text.replace(inside, ""))
        self.assertNotIn(fence, inside)
        name = self.lintel("plan", "--md", "-i", "<img>|`@x`*_", code=OK).out.splitlines()[0]
        self.assertRegex(name, r"^### Instance <code>[A-Za-z0-9&#;]*</code> is new$")

    def test_LC_053_no_view_shows_secrets(self):
        for args in (["--summary"], ["--md"], ["--only", "update"], ["--json"]):
            text = self.plan("--var", "pass=open-sesame", *args)
            self.assertNotIn("open-sesame", text)
            if args != ["--json"]:  # which holds the text of the blueprint
                self.assertNotIn("hush-hush", text)

    def test_views_of_nothing(self):
        self.deploy()
        for args in (["--summary"], ["--only", "create"]):
            self.assertEqual("Instance shop: nothing would change.\nPlan: 0 to create, 0 to update, 0 to replace, 0 to destroy.\n",
                             self.lintel("plan", *args, code=OK).out)
        self.assertEqual("### Instance <code>shop</code>: nothing would change\n\n**Plan: 0 to create, 0 to update, 0 to replace, "
                         "0 to destroy.**\n\n", self.lintel("plan", "--md", code=OK).out)


class Diff(CliCase):
    def setUp(self):
        super().setUp()
        self.write("blueprint.yaml", MIXED % "old")
        self.deploy()

    def save(self, name, blueprint, *args):
        self.write("blueprint.yaml", blueprint)
        self.lintel("plan", "--out", name, *args, code=OK)

    def test_plans_that_do_the_same(self):
        self.save("a.json", MIXED % "new", "--var", "text=two")
        self.save("b.json", MIXED % "new", "--var", "text=two")
        text = self.lintel("plan", "diff", "a.json", "b.json", "--detailed-exitcode", code=OK).out
        version = json.loads(self.read("a.json"))["instance"]["version"]
        self.assertEqual("First : a.json, instance shop, version %d\nSecond: b.json, instance shop, version %d\n\n"
                         "0 only in the first, 0 only in the second, 0 different, 5 the same.\n" % (version, version), text)

    def test_what_differs(self):
        self.save("a.json", MIXED % "new", "--var", "text=two")
        self.save("b.json", MIXED % "newer", "--var", "text=three", "--var", "pass=open-sesame")
        text = self.lintel("plan", "diff", "a.json", "b.json", code=OK).out
        self.assertIn("  resources.new: + create | (no change)\n", text)
        self.assertIn("  resources.newer: (no change) | + create\n", text)
        self.assertIn("  resources.kept: ~ update | ~ update\n      spec.contents: \"two\" | \"three\"\n", text)
        self.assertIn("moved-two.txt\" # forces replacement | ", text)
        self.assertIn('  exports.text: ~ update | ~ update\n      "two" | "three"\n', text)
        self.assertIn("  resources.secret: (no change) | ~ update\n", text)
        self.assertIn("1 only in the first, 2 only in the second, 3 different, 1 the same.\n", text)
        self.assertNotIn("open-sesame", text)
        value = self.check_json("plan", "plan", "diff", "a.json", "b.json", "--detailed-exitcode", code=CHANGES)["diff"]
        self.assertEqual({"onlyFirst": 1, "onlySecond": 2, "different": 3, "same": 1}, value["counts"])
        self.assertFalse(value["sameTemplate"])
        fields = {one["address"]: one.get("fields") for one in value["changes"]}
        self.assertEqual("three", fields["resources.kept"][0]["second"]["value"])
        self.assertNotIn("open-sesame", json.dumps(value))

    def test_secrets_differ_without_being_shown(self):
        self.save("a.json", MIXED % "old", "--var", "pass=open-sesame")
        self.save("b.json", MIXED % "old", "--var", "pass=close-sesame")
        self.save("c.json", MIXED % "old", "--var", "pass=open-sesame")
        text = self.lintel("plan", "diff", "a.json", "b.json", code=OK).out
        self.assertIn("      spec.contents: (sensitive) | (sensitive)\n", text)
        self.assertIn("1 the same", self.lintel("plan", "diff", "a.json", "c.json", code=OK).out)

    def test_mistakes(self):
        self.save("a.json", MIXED % "new")
        self.write("x.json", "{}")
        self.write("deep.json", "[" * 100000)
        self.lintel("plan", "diff", "a.json", "x.json", code=INVALID)
        self.lintel("plan", "diff", "deep.json", "a.json", code=INVALID)
        self.lintel("plan", "diff", "a.json", "nosuch.json", code=INVALID)
        self.assertIn("needs two plan files", self.lintel("plan", "diff", "a.json", code=USAGE).err)
        self.assertIn("does not go with", self.lintel("plan", "diff", "a.json", "a.json", "--md", code=USAGE).err)
        self.assertIn("takes one FILE", self.lintel("plan", "blueprint.yaml", "a.json", code=USAGE).err)
