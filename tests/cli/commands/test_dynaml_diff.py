"""lintel dynaml diff: two documents compared as data (dynaml.md section 16)."""

import json
import os
import subprocess
import time
import unittest

from cli_case import CHANGES, FAILED, LINTEL, OK, SCHEMAS, USAGE, CliCase, Terminal

A = "meta: {size: 1}\njobs:\n- {name: api, v: (( merge ))}\n- {name: db}\n"
B = "meta: {size: 2}\njobs:\n- {name: db}\n- {name: api, v: (( merge ))}\n"


class DiffCase(CliCase):
    def diff(self, a, b, *options, **others):
        self.write("a.yml", a)
        self.write("b.yml", b)
        return self.lintel("dynaml", "diff", "a.yml", "b.yml", *options, **others)

    def differences(self, a, b, *options, code=OK):
        result = self.diff(a, b, "--json", *options, code=code)
        value = json.loads(result.out)
        SCHEMAS.check("dynaml-diff", value)
        self.assertEqual(1, result.out.count("\n"), "one line")
        return value


class Output(DiffCase):
    def test_DY_340_no_differences(self):
        self.assertEqual("no differences!\n", self.diff(A, A, "--exit-code", code=OK).out)
        self.assertEqual([], self.differences(A, A))

    def test_DY_340_DY_331_the_exit_code_tells_when_it_is_asked(self):
        self.diff(A, B, code=OK)
        self.diff(A, B, "--exit-code", code=CHANGES)
        self.assertEqual(3, len(self.differences(A, B, "--exit-code", code=CHANGES)))

    def test_DY_341_each_difference_has_its_path_and_both_sides(self):
        result = self.diff("a: 1\nb: [x]\n", "a: 2\n", code=OK)
        self.assertEqual("Difference in a\n  a.yml has:\n    1\n    \n  b.yml has:\n    2\n    \n"
                         "Difference in b\n  a.yml has:\n    - x\n    \n", result.out)
        self.assertEqual("", result.err)

    def test_DY_341_the_separator_has_no_line_break_of_its_own(self):
        result = self.diff("a: 1\n", "a: 2\n", "--separator", "--x--", code=OK)
        self.assertTrue(result.out.endswith("    2\n    \n--x--"), result)

    def test_DY_345_the_order_of_jobs_matters(self):
        self.assertEqual([["jobs", "api", "index"], ["jobs", "db", "index"], ["meta", "size"]],
                         [d["path"] for d in self.differences(A, B)])

    def test_DY_346_one_list_of_paths_and_sides(self):
        self.assertEqual([{"path": ["a"], "a": 1}, {"path": ["b"], "b": [None]}],
                         self.differences("a: 1\n", "b: [~]\n"))

    def test_DY_346_infinities_are_no_json(self):
        result = self.diff("a: .inf\n", "a: 1\n", "--json", code=FAILED)
        self.assertIn("infinity", json.loads(result.out)["error"]["message"])

    def test_documents_may_come_from_standard_input_once(self):
        self.write("a.yml", "a: 1\n")
        result = self.lintel("dynaml", "diff", "-", "a.yml", stdin=b"a: 2\n", code=OK)
        self.assertIn("  - has:\n    2\n", result.out)
        self.lintel("dynaml", "diff", "-", "-", stdin=b"a: 2\n", code=USAGE)


class Colours(DiffCase):
    RED = "\x1b[31m1\n    \x1b[0m\n"

    def test_DY_343_by_option_and_as_the_established_tool(self):
        for options in (["--color=always"], ["--compat"], ["--compat", "--color=auto"]):
            with self.subTest(options=options):
                self.assertIn(self.RED, self.diff("1\n", "2\n", *options, code=OK).out)
        for options in ([], ["--color=never", "--compat"], ["--compat", "--no-compat"]):
            with self.subTest(options=options):
                self.assertNotIn("\x1b", self.diff("1\n", "2\n", *options, code=OK).out)

    def test_DY_335_DY_343_called_as_spiff(self):
        os.symlink(LINTEL, self.path("spiff"))
        self.write("a.yml", "1\n")
        self.write("b.yml", "2\n")
        done = subprocess.run([self.path("spiff"), "diff", "a.yml", "b.yml", "surplus"], cwd=self.dir,
                              stdout=subprocess.PIPE, check=False, timeout=60)
        self.assertEqual((0, "Difference in \n  a.yml has:\n    " + self.RED + "  b.yml has:\n    \x1b[32m2\n    "
                          "\x1b[0m\n"), (done.returncode, done.stdout.decode()))

    def test_DY_343_DY_365_on_a_terminal(self):
        self.write("a.yml", '"k\\e[2J": 1\n')
        self.write("b.yml", "{}\n")
        shown = Terminal(self, ["dynaml", "diff", "a.yml", "b.yml"]).read_until(None)
        self.assertIn(b"\x1b[31m1", shown)
        self.assertIn(b"Difference in k\\x1b[2J", shown)


class Mistakes(DiffCase):
    def test_DY_332_files_that_cannot_be_read(self):
        self.write("a.yml", "a: 1\n")
        for files, message in ((("none", "a.yml"), "error reading a [none]: open none: no such file or directory\n"),
                               (("a.yml", "./none"), "error reading b [none]: open ./none: no such file or directory\n"),
                               ((".", "a.yml"), "error reading a [.]: read .: is a directory\n")):
            with self.subTest(files=files):
                result = self.lintel("dynaml", "diff", *files, code=FAILED)
                self.assertEqual(("", message), (result.out, result.err))

    def test_DY_332_files_that_are_no_yaml(self):
        result = self.diff("a: 1\n", "{a: \n", code=FAILED)
        self.assertTrue(result.err.startswith("error parsing b [b.yml]: yaml: "), result)
        result = self.diff("", "a: 1\n", code=FAILED)
        self.assertEqual("error parsing a [a.yml]: Expected document start at line 0, column 0\n", result.err)
        error = json.loads(self.diff("a: 1\n", "5: 1\n", "--json", code=FAILED).out)["error"]
        self.assertIn("map key must be a string: 5", error["message"])
        self.assertEqual(FAILED, error["exitCode"])

    def test_wrong_usage(self):
        self.lintel("dynaml", "diff", "a.yml", code=USAGE)
        self.lintel("dynaml", "diff", "a.yml", "b.yml", "c.yml", code=USAGE)
        self.lintel("dynaml", "diff", "--no-exec", "a.yml", "b.yml", code=USAGE)

    def test_DY_014_strict(self):
        result = self.diff("a: 1\na: 2\n", "a: 2\n", code=OK)
        self.assertEqual("warning: a.yml:2: duplicate key 'a'\n", result.err)
        self.diff("a: 1\na: 2\n", "a: 2\n", "--strict", code=FAILED)

    def test_DY_362_deep_nesting_is_refused(self):
        self.diff("[" * 100000 + "]" * 100000 + "\n", "a: 1\n", code=FAILED)
        self.diff("a: 1\n", "- " * 100000 + "1\n", code=FAILED)

    def test_DY_362_the_deepest_documents(self):
        deep = "[" * 990 + "%d" + "]" * 990 + "\n"
        found = self.differences(deep % 1, deep % 2)
        self.assertEqual([990], [len(d["path"]) for d in found])


class Sizes(DiffCase):
    def test_DY_371_named_items_in_another_order(self):
        items = ["- {name: item%d, v: %d}\n" % (i, i) for i in range(100000)]
        start = time.monotonic()
        result = self.diff("list:\n" + "".join(items), "list:\n" + "".join(reversed(items)), code=OK)
        self.assertEqual("no differences!\n", result.out)
        self.assertLess(time.monotonic() - start, 30)


if __name__ == "__main__":
    unittest.main()
