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
        self.write("docs/spec/lifecycle.md", "- **LC-001** Runs.\n- **LC-082** Local servers.\n")
        self.write("docs/spec/module.md", "- **MD-001** Not there yet.\n")

    def cite_all(self):
        self.write("tests/lang/BP-010-root.yaml", "# in its name\n")
        self.write("tests/unit/a_test.c", "/* BP-011 in a comment */ static void test_FN_003(void); /* FN-003 */\n")
        self.write("tests/cli/test_x.py", '"""BP-012, BP-600."""\ndef test_BP_001_LC_001_in_its_name(): """BP-400"""\n')

    def test_cited_in_names_comments_and_text(self):
        self.cite_all()
        self.assert_clean("rules")

    def test_uncited_rule(self):
        self.cite_all()
        self.write("tests/cli/test_x.py", '"""BP-001, BP-400, BP-600, LC-001."""\n')
        self.assert_found("rules", "docs/spec/blueprint.md:6: BP-012 is cited by no test")

    def test_documents_of_what_is_there_count_and_others_do_not(self):
        self.cite_all()
        self.write("tests/unit/a_test.c", "/* BP-011 */\n")
        self.write("tests/cli/test_x.py", '"""BP-001, BP-012, BP-600."""\n')
        status, text = self.lint("rules")
        self.assertEqual((status, text), (1, "docs/spec/blueprint-functions.md:1: FN-003 is cited by no test\n"
                                             "docs/spec/blueprint.md:8: BP-400 is cited by no test\n"
                                             "docs/spec/lifecycle.md:1: LC-001 is cited by no test\n"))

    def test_what_is_excused_until_a_test_cites_it(self):
        self.cite_all()
        self.assert_clean("rules")  # LC-082 waits
        self.write("tests/cli/test_y.py", "# LC-082\n")
        self.assert_found("rules", "docs/spec/lifecycle.md:2: LC-082 is cited by a test: take it out of EXCUSED")

    def test_ranges_cite_nothing(self):
        self.cite_all()
        for text in ("BP-010 to BP-012", "BP-010–BP-012", "BP-010…BP-012", "BP-010-012", "BP-010 … 012"):
            self.write("tests/lang/BP-010-root.yaml", "# " + text + "\n")
            self.write("tests/cli/test_x.py", '"""BP-001, BP-400, BP-600, LC-001, %s."""\n' % text)
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
        self.assertRegex(text, r"blueprint\.md +Part 3 +1 of +1 rules cited")
        self.assertRegex(text, r"lifecycle\.md +- +1 of +2 rules cited; not: LC-082")
        self.assertRegex(text, r"module\.md +- +0 of +1 rules cited")


FAULTS = """# Faults
| # | Fault | Promise | Test |
|---|---|---|---|
| F1 | a kill | resumed | sweep |
| F12 | no memory | an error | sweep |
| F45 | a plugin dies | unknown | none |
## 3 Not met yet
| # | Why |
|---|---|
| F45 | there are no plugins |
"""


class Faults(LintCase):
    def setUp(self):
        super().setUp()
        self.write("docs/spec/faults.md", FAULTS)
        self.write("tests/fault/a_test.c", "static void test_F1_a_kill(void); /* F12 */\n")

    def test_each_is_cited_or_listed(self):
        self.assert_clean("faults")

    def test_neither(self):
        self.write("tests/fault/a_test.c", "/* F1, LF12, F123, 0xF12, F12x */\n")
        self.assert_found("faults", "docs/spec/faults.md:5: F12 is neither cited by a test nor listed as not met yet")

    def test_bytes_cite_nothing(self):
        self.write("tests/fault/a_test.c", "/* F1 */ /* the bytes E0 F12 and F12 9F */\n")
        self.assert_found("faults", "F12 is neither")

    def test_both(self):
        self.write("tests/fault/b_test.c", "/* F45 */\n")
        self.assert_found("faults", "docs/spec/faults.md:10: F45 is cited by a test: it is met")

    def test_several_in_a_row_and_one_that_does_not_exist(self):
        self.write("docs/spec/faults.md", FAULTS.replace("| F45 | there", "| F12, F45, F99 | there"))
        self.write("tests/fault/a_test.c", "/* F1 */\n")
        self.assert_found("faults", "docs/spec/faults.md:10: there is no fault F99")
        self.assertNotIn("F12", self.lint("faults")[1])

    def test_a_row_without_a_reason_lists_nothing(self):
        self.write("docs/spec/faults.md", FAULTS.replace("| F45 | there are no plugins |", "| F45 | |"))
        self.assert_found("faults", "docs/spec/faults.md:6: F45 is neither")

    def test_tests_of_this_check_and_corpora_cite_nothing(self):
        self.write("tests/fault/a_test.c", "/* F1 */\n")
        self.write("tests/lint/test_y.py", "# F12\n")
        self.write("tests/fuzz/x/corpus/seed.yaml", "F12\n")
        self.assert_found("faults", "F12 is neither")

    def test_no_table(self):
        self.write("docs/spec/faults.md", "# Faults\n")
        self.assert_found("faults", "there is no table of faults")


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
