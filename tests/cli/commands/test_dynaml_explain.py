"""lintel dynaml explain: where values come from (dynaml.md section 17)."""

import json
import unittest

from cli_case import FAILED, OK, SCHEMAS, USAGE, CliCase

TEMPLATE = """
meta:
  size: 3
jobs:
- name: api
  instances: (( merge || meta.size ))
  user: (( "u-" name ))
- <<: (( merge ))
broken: (( missing ))
user: (( broken ))
one: (( two ))
two: (( one ))
"""
STUB = """
jobs:
- name: worker
  instances: 4
"""
OTHER = """
jobs:
- name: api
  instances: 9
"""


class ExplainCase(CliCase):
    def setUp(self):
        super().setUp()
        self.write("t.yml", TEMPLATE)
        self.write("s.yml", STUB)
        self.write("o.yml", OTHER)

    def explain(self, path, *others, code=OK, **options):
        return self.lintel("dynaml", "explain", path, *(others or ("t.yml", "s.yml")), code=code, **options)

    def tree(self, path, *others, **options):
        result = self.explain(path, *(others or ("t.yml", "s.yml")), "--json", **options)
        value = json.loads(result.out)
        SCHEMAS.check("dynaml-explain", value)
        self.assertEqual(1, result.out.count("\n"), "one line")
        return value


class Values(ExplainCase):
    def test_DY_351_computed_from_another_node(self):
        self.assertEqual("jobs.api.instances: 3\n"
                         "  computed at t.yml:5:14: (( merge || meta.size ))\n"
                         "  stub path jobs.name:api.instances: s.yml has not\n"
                         "  needed\n"
                         "    meta.size: 3\n"
                         "      written at t.yml:2:9\n", self.explain("jobs.api.instances").out)

    def test_DY_351_merged_from_a_stub(self):
        found = self.tree("jobs.api.instances", "t.yml", "s.yml", "o.yml")
        self.assertEqual(("merged from stub", 9, {"file": "o.yml", "line": 3, "column": 14}),
                         (found["how"], found["value"], found["at"]))
        self.assertEqual([{"file": "s.yml", "has": False}, {"file": "o.yml", "has": True}],
                         found["stubPath"]["stubs"])

    def test_DY_351_spliced_and_overridden(self):
        self.assertEqual("spliced by <<", self.tree("jobs.worker")["how"])
        self.write("s.yml", "meta: {size: 8}\n")
        found = self.tree("meta.size", "t.yml", "s.yml")
        self.assertEqual(("overridden by stub", 8), (found["how"], found["value"]))

    def test_DY_351_how_far_needed_nodes_are_told(self):
        self.write("c.yml", "a: (( b ))\nb: (( c ))\nc: (( d ))\nd: (( e ))\ne: (( f ))\nf: 1\n")
        for depth, count in ((None, 3), ("1", 1), ("2", 2), ("1000", 5)):
            with self.subTest(depth=depth):
                node, found = self.tree("a", "c.yml", *(["--depth", depth] if depth else [])), 0
                while node["needs"]:
                    node, found = node["needs"][0], found + 1
                self.assertEqual(count, found)
        self.explain("a", "c.yml", "--depth", "1001", code=USAGE)

    def test_DY_351_the_whole_document(self):
        self.write("c.yml", "a: 1\n")
        self.assertEqual("(root):\n  | a: 1\n  written at c.yml:1:1\n", self.explain("", "c.yml").out)

    def test_DY_351_observing_changes_nothing(self):
        self.write("c.yml", 'a: (( exec("sh", "-c", "echo x >> runs; echo 1") ))\nb: (( a ))\n')
        self.assertEqual(1, self.tree("b", "c.yml")["value"])
        self.assertEqual(b"x\n", self.read("runs"))

    def test_DY_360_switched_off(self):
        self.write("c.yml", 'a: (( env("HOME") ))\n')
        self.assertIn("'env' is switched off", self.explain("a", "c.yml", "--pure").out)


class Failures(ExplainCase):
    def test_DY_351_down_to_the_first_cause(self):
        self.assertEqual("user: (pending)\n"
                         "  expression at t.yml:9:7: (( broken ))\n"
                         "  stub path user: s.yml has not\n"
                         "  needed\n"
                         "    broken: (failed) 'missing' not found\n"
                         "      expression at t.yml:8:9: (( missing ))\n"
                         "      stub path broken: s.yml has not\n"
                         "first cause\n"
                         "  user at t.yml:9:7: (( broken ))\n"
                         "  broken at t.yml:8:9: (( missing )) 'missing' not found\n", self.explain("user").out)

    def test_DY_351_a_cycle_is_a_closed_path(self):
        found = self.tree("one")
        self.assertEqual(("cycle", True), (found["state"], found["cycle"]))
        self.assertEqual(["one", "two", "one"], [cause["path"] for cause in found["causes"]])

    def test_DY_351_a_long_chain(self):
        count = 5000
        self.write("c.yml", "".join("k%d: (( k%d ))\n" % (i, i + 1) for i in range(count)) + "k%d: (( none ))\n" % count)
        found = self.tree("k0", "c.yml")
        self.assertEqual("k%d" % count, found["causes"][-1]["path"])
        self.assertEqual(count + 1, len(found["causes"]) + found["causesOmitted"])

    def test_DY_351_a_long_cycle(self):
        count = 5000
        self.write("c.yml", "".join("k%d: (( k%d ))\n" % (i, (i + 1) % count) for i in range(count)))
        found = self.tree("k7", "c.yml")
        self.assertTrue(found["cycle"])
        self.assertEqual(["k7", "k7"], [found["causes"][0]["path"], found["causes"][-1]["path"]])

    def test_DY_351_a_stub_that_fails(self):
        self.write("s.yml", "user: (( nothing ))\n")
        found = self.tree("user")
        self.assertEqual(("s.yml", "failed"), (found["failedStub"], found["state"]))
        result = self.explain("jobs", code=FAILED)
        self.assertEqual("error generating manifest: unresolved nodes:\n"
                         "\t(( nothing ))\tin s.yml\tuser\t()\t'nothing' not found\n", result.err)

    def test_paths_that_lead_nowhere(self):
        for path, hint in (("metta.size", "meta.size"), ("jobs.ap.user", "jobs.api.user"), ("meta.size.x", None),
                           ("jobs.[9]", None), ("zzz", None), (".", None), ("jobs.[x]", None)):
            with self.subTest(path=path):
                result = self.explain(path, code=FAILED)
                wanted = "error: path '%s' not found\n" % path
                wanted += "hint: did you mean '%s'?\n" % hint if hint else ""
                self.assertEqual(("", wanted), (result.out, result.err))
        error = json.loads(self.explain("metta", "t.yml", "--json", code=FAILED).out)["error"]
        self.assertEqual(("error: path 'metta' not found", "did you mean 'meta'?"), (error["message"], error["hint"]))

    def test_DY_362_limits_end_the_run(self):
        self.write("c.yml", "a: (( [1..1000] ))\n")
        result = self.explain("a", "c.yml", "--limit", "items=10", code=FAILED)
        self.assertEqual("error generating manifest: limit 'items' (10) exceeded in c.yml at a\n", result.err)

    def test_wrong_usage(self):
        self.lintel("dynaml", "explain", "a", code=USAGE)
        self.explain("a", "t.yml", "--depth", "-1", code=USAGE)
        self.explain("a", "t.yml", "--exit-code", code=USAGE)


class Sizes(ExplainCase):
    def test_DY_351_many_needed_nodes_are_cut(self):
        self.write("c.yml", "all: (( [%s] ))\n" % ", ".join("k%d" % i for i in range(200)) +
                   "".join("k%d: %d\n" % (i, i) for i in range(200)))
        found = self.tree("all", "c.yml")
        self.assertEqual((50, 150), (len(found["needs"]), found["needsOmitted"]))
        self.assertIn("    … 150 more\n", self.explain("all", "c.yml").out)

    def test_DY_351_a_large_list_that_fails(self):
        self.write("c.yml", "list:\n" + "- {name: n, v: (( none ))}\n" * 20000)
        found = self.tree("list", "c.yml")
        self.assertEqual((50, 19950), (len(found["needs"]), found["needsOmitted"]))


if __name__ == "__main__":
    unittest.main()
