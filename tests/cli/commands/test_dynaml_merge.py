"""lintel dynaml merge and eval: options, messages, exit codes (§15, §17)."""

import json
import os
import subprocess

from cli_case import LINTEL, Terminal
from dynaml_case import DynamlCase

REPORT = "error generating manifest: unresolved nodes:\n"


class Files(DynamlCase):
    def setUp(self):
        super().setUp()
        self.write("t.yml", "a: (( b ))\nb: 1\n")
        self.write("s.yml", "b: 2\n")

    def test_DY_330_template_and_stubs(self):
        self.gives("a: 1\nb: 1\n", "merge", "t.yml")
        self.gives("a: 2\nb: 2\n", "merge", "t.yml", "s.yml")
        self.write("s2.yml", "b: 3\n")
        self.gives("a: 3\nb: 3\n", "m", "t.yml", "s.yml", "s2.yml")

    def test_DY_330_a_file_may_be_standard_input_once(self):
        self.gives("x: 3\n", "merge", "-", stdin=b"x: (( 1 + 2 ))\n")
        self.gives("a: 9\nb: 9\n", "merge", "t.yml", "-", stdin=b"b: 9\n")
        result = self.merge("-", "-", code=5)
        self.assertEqual("", result.out)
        self.assertIn("can be read once only", result.err)

    def test_DY_330_pipes_and_devices_can_be_files(self):
        self.gives("null\n", "merge", "/dev/fd/0", stdin=b"---\n")
        line = '"$0" dynaml merge <(echo "a: (( b ))") <(echo "a: 5")'
        done = subprocess.run(["bash", "-c", line, LINTEL], stdout=subprocess.PIPE, check=True, cwd=self.dir, timeout=60)
        self.assertEqual(b"a: 5\n", done.stdout)

    def test_DY_330_options_may_follow_files(self):
        self.gives("2\n", "merge", "t.yml", "--path", "a", "s.yml")

    def test_DY_332_files_that_cannot_be_read(self):
        os.mkdir(self.path("dir"))
        self.fails("error reading template [none.yml]: open none.yml: no such file or directory\n", "merge", "none.yml")
        self.fails("error reading template [none.yml]: open ./none.yml: no such file or directory\n",
                   "merge", "./none.yml", "t.yml")
        self.fails("error reading stub [none.yml]: open none.yml: no such file or directory\n",
                   "merge", "t.yml", "s.yml", "none.yml")
        self.fails("error reading template [dir]: read dir: is a directory\n", "merge", "dir")

    def test_DY_332_files_that_cannot_be_parsed(self):
        self.write("bad.yml", "a: [\n")
        first = self.merge("bad.yml", code=1).err
        self.assertRegex(first, r"^error parsing template \[bad\.yml\]: yaml: .+ at line \d+, column \d+\n$")
        self.assertRegex(self.merge("t.yml", "./bad.yml", code=1).err, r"^error parsing stub \[bad\.yml\]: yaml: .+\n$")
        self.write("key.yml", "a:\n  5: 1\n")
        self.fails("error parsing template [key.yml]: yaml: map key must be a string: 5 at line 2, column 3\n",
                   "merge", "key.yml")

    def test_DY_332_all_files_are_read_before_anything_is_evaluated(self):
        self.write("bad.yml", "a: [\n")
        self.write("exec.yml", 'a: (( exec("touch", "ran") ))\n')
        self.merge("exec.yml", "bad.yml", "none.yml", code=1)
        self.assertFalse(os.path.exists(self.path("ran")))
        self.assertIn("bad.yml", self.merge("t.yml", "bad.yml", "none.yml", code=1).err, "the left one is told of")

    def test_DY_331_exit_codes(self):
        self.merge("t.yml", code=0)
        self.write("u.yml", "a: (( x ))\n")
        self.fails(REPORT + "\t(( x ))\tin u.yml\ta\t()\t'x' not found\n", "merge", "u.yml")
        self.merge(code=5)
        self.merge("t.yml", "--nosuch", code=5)
        self.merge("t.yml", "--limit", "nosuch=1", code=5)
        self.merge("t.yml", "--errors", "some", code=5)

    def test_DY_362_limits_met_while_reading(self):
        self.write("deep.yml", "a: [[[1]]]\n")
        message = "error generating manifest: limit 'depth' (2) exceeded in ./deep.yml at line 1, column 5\n"
        self.fails(message, "merge", "t.yml", "./deep.yml", "--limit", "depth=2")
        failure = self.failure("merge", "deep.yml", "--limit", "depth=2")
        self.assertEqual("raise it with --limit depth=N", failure["hint"])
        self.assertIn("limit 'depth' (2)", failure["message"])

    def test_DY_331_a_document_that_cannot_be_written_is_a_failure(self):
        line = '"$0" dynaml merge t.yml %s'
        for where in ("> /dev/full", ">&-", "| true; exit ${PIPESTATUS[0]}"):
            big = "a: %s\n" % ("x" * 300000)
            self.write("t.yml", big)
            done = subprocess.run(["bash", "-c", line % where, LINTEL], stderr=subprocess.PIPE, check=False, cwd=self.dir,
                                  timeout=60)
            self.assertEqual(1, done.returncode, where)
            self.assertIn(b"cannot be written to standard output", done.stderr)


class Parts(DynamlCase):
    def setUp(self):
        super().setUp()
        self.write("t.yml", "jobs:\n- name: web\n  port: (( 80 + 1 ))\n- name: db\nmeta:\n  id: x\n  name: y\n")

    def test_DY_330_path(self):
        self.gives("81\n", "merge", "t.yml", "--path", "jobs.web.port")
        self.gives("name: db\n", "merge", "t.yml", "--path", "jobs.[1]")
        self.assertIn("path 'jobs.mail' not found\n", self.merge("t.yml", "--path", "jobs.mail", code=1).err)
        self.assertIn("path 'nosuch' not found", self.failure("merge", "t.yml", "--path", "nosuch")["message"])

    def test_DY_330_select(self):
        self.gives("id: x\nport: 81\n", "merge", "t.yml", "--select", "jobs.web.port", "--select", "meta.id")
        self.assertIn("path 'meta.x' not found", self.merge("t.yml", "--select", "meta.x", code=1).err)
        self.merge("t.yml", "--select", "meta.name", "--select", "jobs.web.name", code=5)
        self.merge("t.yml", "--select", "meta.name", "--path", "meta", code=5)

    def test_DY_330_json(self):
        self.write("j.yml", 'b: !!binary aGk=\na: (( |x|-> x + 1 ))\nc: [1, 1.5, null, "ü"]\n')
        result = self.merge("j.yml", "--json")
        self.assertEqual('{"a":"lambda|x|->x + 1","b":"aGk=","c":[1,1.5,null,"ü"]}\n', result.out)
        self.assertEqual("81\n", self.merge("t.yml", "--path", "jobs.web.port", "--json").out)
        self.write("n.yml", "a: .nan\n")
        self.assertIn("error marshalling manifest: ", self.merge("n.yml", "--json", code=1).err)
        self.gives("a: .nan\n", "merge", "n.yml")

    def test_DY_320_compat_adds_an_empty_line(self):
        self.gives("x\n\n", "merge", "t.yml", "--path", "meta.id", "--compat")
        self.gives("x\n", "merge", "t.yml", "--path", "meta.id", "--compat", "--no-compat")


class Reports(DynamlCase):
    def test_DY_333_lines_have_no_hints_and_the_others_have(self):
        self.write("t.yml", "count: 1\na: (( conut ))\nl: [1]\nb: (( l[0] ))\nc: (( nilpot ))\nd: (( 5 +3*2 ))\n")
        lines = self.merge("t.yml", code=1).err
        self.assertEqual(REPORT + "\t(( conut ))\tin t.yml\ta\t()\t'conut' not found\n"
                         "\t(( l[0] ))\tin t.yml\tb\t()\tunparseable expression\n"
                         "\t(( nilpot ))\tin t.yml\tc\t()\tunparseable expression\n"
                         "\t(( 5 +3*2 ))\tin t.yml\td\t()\tunparseable expression\n", lines)
        hints = {u["path"]: u["hint"] for u in self.failure("merge", "t.yml")["unresolved"]}
        self.assertEqual("did you mean 'count'?", hints["a"])
        self.assertEqual("an index is a step of its own: l.[0]", hints["b"])
        self.assertEqual("'nilpot' begins with the keyword 'nil': write .nilpot", hints["c"])
        self.assertIn("operators need blanks on both sides", hints["d"])
        full = self.merge("t.yml", "--errors", "full", code=1)
        self.assertEqual("", full.out)
        self.assertIn("error[dynaml_unresolved]: (( conut )): 'conut' not found\n --> t.yml:2:4\n",
                      full.err.replace("\n  -->", "\n -->"))
        for hint in hints.values():
            self.assertIn("= hint: " + hint, full.err)
        self.assertIn("^^^", full.err)

    def test_DY_333_keys_that_have_to_be_quoted(self):
        self.write("t.yml", "on: 1\n")
        error = self.failure("merge", "t.yml")
        self.assertEqual('quote this key: "on"', error["hint"])
        self.assertNotIn("quote", self.merge("t.yml", code=1).err)
        full = self.merge("t.yml", "--errors", "full", code=1).err
        self.assertIn('= hint: quote this key: "on"', full)
        self.assertIn("t.yml:1:1", full)

    def test_DY_330_full_reports_causes_first(self):
        self.write("t.yml", "a: (( b ))\nb: (( missing ))\n")
        full = self.merge("t.yml", "--errors", "full", code=1).err
        self.assertLess(full.index("'missing' not found"), full.index("(( b ))"))

    def test_DY_334_failures_as_json(self):
        self.write("t.yml", "a: (( b ))\nb: (( missing ))\nc: (( d ))\nd: (( c ))\ne: (( 1 +2 ))\nf: (( merge ))\n")
        result = self.merge("t.yml", "--json", code=1)
        self.assertIn(REPORT, result.err)
        error = self.failure("merge", "t.yml")
        self.assertEqual("error generating manifest: unresolved nodes:", error["message"])
        found = {u["path"]: (u["state"], u["line"], u["column"]) for u in error["unresolved"]}
        self.assertEqual({"a": ("pending", 1, 4), "b": ("failed", 2, 4), "c": ("cycle", 3, 4), "d": ("cycle", 4, 4),
                          "e": ("unparseable", 5, 4), "f": ("failed", 6, 4)}, found)
        self.assertEqual("f", error["unresolved"][5]["lookup"])

    def test_DY_334_nested_reports(self):
        self.write("t.yml", "t:\n  <<: (( &template ))\n  a: (( missing ))\nx: (( *t ))\n")
        error = self.failure("merge", "t.yml")
        outer = [u for u in error["unresolved"] if u["path"] == "x"][0]
        self.assertEqual(("template resolution failed", ["a"]), (outer["issue"], [n["path"] for n in outer["nested"]]))
        self.assertIn("\t\t(( missing ))\tin t.yml\ta\t()\t'missing' not found\n", self.merge("t.yml", code=1).err)

    def test_DY_334_other_failures_and_wrong_usage_are_json_too(self):
        self.assertEqual("error reading template [none]: open none: no such file or directory",
                         self.failure("merge", "none")["message"])
        self.assertIn("unknown option '--nosuch'", self.failure("merge", "--nosuch", code=5)["message"])
        self.assertIn("needs TEMPLATE", self.failure("merge", code=5)["message"])
        self.assertIn("unknown command", self.failure("nosuch", code=5)["message"])

    def test_DY_330_strict_makes_warnings_errors(self):
        self.write("t.yml", "a: 1\na: 2\n")
        self.assertEqual(("a: 2\n", "warning: t.yml:2: duplicate key 'a'\n"),
                         (self.merge("t.yml").out, self.merge("t.yml").err))
        self.fails("warning: t.yml:2: duplicate key 'a'\nerror generating manifest: warnings are errors (--strict)\n",
                   "merge", "t.yml", "--strict")
        self.assertEqual(["warning: t.yml:2: duplicate key 'a'"], self.failure("merge", "t.yml", "--strict")["warnings"])
        self.assertEqual("warning: -: only the first document is used\n", self.merge("-", stdin=b"a: 1\n---\nb: 1\n").err)

    def test_DY_330_debug_tells_what_expressions_give(self):
        self.write("t.yml", "a: (( b + 1 ))\nb: (( 2 ))\nc: (( x || 5 ))\n")
        result = self.merge("t.yml", "--debug")
        self.assertEqual("a: 3\nb: 2\nc: 5\n", result.out)
        self.assertIn("t.yml b: (( 2 )) gives 2\n", result.err)
        self.assertIn("t.yml a: (( b + 1 )) gives 3\n", result.err)
        self.assertIn("t.yml c: (( x || 5 )) gives 5\n", result.err)

    def test_DY_365_control_characters_are_shown_escaped_on_terminals(self):
        self.write("t\x1b[31m.yml", '"a\\e[32m": (( error("x\\e[33m") ))\n')
        self.assertIn("t\x1b[31m.yml", self.merge("t\x1b[31m.yml", code=1).err)
        terminal = Terminal(self, ["dynaml", "merge", "t\x1b[31m.yml"])
        self.assertEqual(1, terminal.wait())
        self.assertNotIn(b"\x1b", terminal.text)
        self.assertIn(b"unresolved nodes:", terminal.text)


class Eval(DynamlCase):
    def test_DY_350_expressions_by_themselves(self):
        self.gives("3\n", "eval", "1 + 2")
        self.gives("3\n", "eval", "(( 1 + 2 ))")
        self.gives("- 1\n- 2\n", "eval", "[1,2]")
        self.assertEqual("[1,2]\n", self.dynaml("eval", "[1,2]", "--json", code=0).out)
        self.fails(REPORT + "\t(( x ))\tin eval\t\t()\t'x' not found\n", "eval", "x")

    def test_DY_350_on_a_template_and_its_stubs(self):
        self.write("t.yml", "meta:\n  port: 80\n  name: n\nlist: [1, 2]\n")
        self.write("s.yml", "meta:\n  port: 81\n")
        self.gives("80\n", "eval", "meta.port", "--on", "t.yml")
        self.gives("81\n", "eval", "--on", "t.yml", "meta.port", "s.yml")
        self.gives("82\n", "eval", "port + 1", "s.yml", "--on", "t.yml", "--at", "meta")
        self.gives("2\n", "eval", "length(list)", "--on", "t.yml")
        self.assertIn("give --on FILE", self.dynaml("eval", "1", "s.yml", code=5).err)

    def test_DY_350_path_and_failures(self):
        self.write("t.yml", "a:\n  b: 1\n")
        self.gives("1\n", "eval", "a", "--on", "t.yml", "--path", "b")
        self.assertEqual("eval", self.failure("eval", "nosuch")["unresolved"][0]["file"])
        self.assertIn("error parsing template", self.dynaml("eval", "1", "--on", "-", stdin=b"a: [", code=1).err)
