"""The checks that ask for a test per rule and for a golden case per code."""

import os
import subprocess

from linttree import SOURCE, LintCase

SPEC = """# The dialect
- **BP-001** Words.
# Part 1 — Language
- **BP-010** One document.
- **BP-011** Formats.
| **BP-012** | a row |
# Part 3 — Lifecycle
- **BP-400** Providers.
# Part 4 — Notes
- **BP-600** Slips.
"""


class Rules(LintCase):
    def setUp(self):
        super().setUp()
        self.write("docs/spec/blueprint.md", SPEC)
        self.write("docs/spec/blueprint-functions.md", "- **FN-003** No arithmetic.\n")
        self.write("docs/spec/lifecycle.md", "- **LC-001** Runs.\n")

    def cite_all(self):
        self.write("tests/lang/BP-010-root.yaml", "# in its name\n")
        self.write("tests/unit/a_test.c", "/* BP-011 in a comment */ static void test_FN_003(void); /* FN-003 */\n")
        self.write("tests/cli/test_x.py", '"""BP-012, BP-600."""\n')

    def test_cited_in_names_comments_and_text(self):
        self.cite_all()
        self.assert_clean("rules")

    def test_uncited_rule(self):
        self.cite_all()
        self.write("tests/cli/test_x.py", '"""BP-600."""\n')
        self.assert_found("rules", "docs/spec/blueprint.md:6: BP-012 is cited by no test")

    def test_function_rules_count_and_other_parts_do_not(self):
        self.cite_all()
        self.write("tests/unit/a_test.c", "/* BP-011 */\n")
        status, text = self.lint("rules")
        self.assertEqual((status, text), (1, "docs/spec/blueprint-functions.md:1: FN-003 is cited by no test\n"))

    def test_ranges_cite_nothing(self):
        self.cite_all()
        for text in ("BP-010 to BP-012", "BP-010–BP-012", "BP-010…BP-012", "BP-010-012", "BP-010 … 012"):
            self.write("tests/lang/BP-010-root.yaml", "# " + text + "\n")
            self.write("tests/cli/test_x.py", '"""BP-600, %s."""\n' % text)
            self.assert_found("rules", "BP-012 is cited by no test")

    def test_other_words_and_the_tests_of_this_check_cite_nothing(self):
        self.cite_all()
        self.write("tests/cli/test_x.py", '"""BP-600, XBP-012, BP-0123."""\n')
        self.write("tests/lint/test_y.py", '"""BP-012"""\n')
        self.write("tests/fuzz/x/corpus/seed", "BP-012\n")
        self.assert_found("rules", "BP-012 is cited by no test")

    def test_report_of_all_documents(self):
        self.cite_all()
        done = subprocess.run([os.path.join(SOURCE, "tools/lint/rules"), "--all", "--root", self.root],
                              stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, check=False)
        text = done.stdout.decode()
        self.assertEqual(done.returncode, 0)
        self.assertRegex(text, r"blueprint\.md +Part 1 +3 of +3 rules cited\n")
        self.assertRegex(text, r"blueprint\.md +Part 3 +0 of +1 rules cited")
        self.assertRegex(text, r"lifecycle\.md +- +0 of +1 rules cited")


class Codes(LintCase):
    def setUp(self):
        super().setUp()
        self.write("docs/spec/blueprint.md", "## 2.4 Catalogue\n| code | sev. | when |\n|---|---|---|\n| `a_code` `b_code` | E | `x` |\n"
                   "## 3.15 Runs\n| `c_code` | E | never |\n")

    def test_every_code_has_a_case(self):
        self.write("tests/golden/blueprint/a_code.yaml.txt", "error[a_code]: one\n  --> f:1:1\n")
        self.write("tests/golden/blueprint/both.yaml.txt", "warning[b_code]: two\n")
        self.assert_clean("codes")

    def test_code_without_a_case(self):
        self.write("tests/golden/blueprint/a_code.yaml.txt", "error[a_code]: one\n  = note: error[b_code]: no heading\n")
        self.assert_found("codes", "docs/spec/blueprint.md:4: b_code has no golden case")
        self.assertNotIn("c_code", self.lint("codes")[1])

    def test_chapter_without_a_table(self):
        self.write("docs/spec/blueprint.md", "## 2.4 Catalogue\n")
        self.assert_found("codes", "the chapter 2.4 has no table of codes")
