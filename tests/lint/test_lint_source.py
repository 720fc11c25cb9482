"""The checks that read source files find the faults planted for them, and nothing in clean files."""

import os
import subprocess

from linttree import LintCase, needs


class Layers(LintCase):
    def setUp(self):
        super().setUp()
        self.write("src/base/sv.h", "/* Views. */\n#include <stddef.h>\n")
        self.write("src/engine/plan.h", '/* Plans. */\n#include "base/sv.h"\n')

    def test_allowed_includes_are_clean(self):
        self.write("src/text/diag.h", '/* Diagnostics. */\n#include "base/sv.h"\n#include <sys/types.h>\n')
        self.write("src/text/diag.c", '#include "text/diag.h"\n#include "base/sv.h"\n#include <stdio.h>\n')
        self.write("src/adapters/sqlite/db.c", '#include "adapters/sqlite/db.h"\n#include "base/sv.h"\n#include <sqlite3.h>\n')
        self.write("src/stores/sqlite/store.c", '#include "adapters/sqlite/db.h"\n')
        self.write("src/adapters/sqlite/db.h", "/* The database. */\n")
        self.assert_clean("layers")

    def test_lower_room_includes_upper(self):
        self.write("src/base/bad.c", '#include "engine/plan.h"\n')
        self.assert_found("layers", "src/base/bad.c:1: base may not include engine (engine/plan.h)")

    def test_dialect_includes_another_dialect_or_the_engine(self):
        self.write("src/dialects/cfn/cfn.h", "/* cfn. */\n")
        self.write("src/dialects/blueprint/bad.c", '#include "dialects/cfn/cfn.h"\n#include "engine/plan.h"\n')
        self.assert_found("layers", "bad.c:1: dialects/blueprint may not include dialects/cfn",
                          "bad.c:2: dialects/blueprint may not include engine")

    def test_provider_includes_another_provider(self):
        self.write("src/providers/local/file.h", "/* Files. */\n")
        self.write("src/providers/process/bad.c", '#include "providers/local/file.h"\n')
        self.assert_found("layers", "bad.c:1: providers/process may not include providers/local")

    def test_library_header_outside_its_home(self):
        self.write("src/engine/bad.c", "#include <sqlite3.h>\n")
        self.assert_found("layers", "bad.c:1: <sqlite3.h> may be included in src/adapters/sqlite only")

    def test_library_header_without_a_home(self):
        self.write("src/base/bad.c", "#include <zlib.h>\n#include <libxml/tree.h>\n")
        self.assert_found("layers", "bad.c:1: <zlib.h> is no header of the C library",
                          "bad.c:2: <libxml/tree.h> is in no row")

    def test_own_header_comes_first(self):
        self.write("src/base/sv.c", '#include <stddef.h>\n#include "base/sv.h"\n')
        self.assert_found("layers", 'src/base/sv.c:1: the own header "base/sv.h" comes first')

    def test_include_relative_to_the_file(self):
        self.write("src/base/bad.c", '#include "sv.h"\n')
        self.assert_found("layers", 'bad.c:1: "sv.h" is no file below src/')

    def test_room_without_a_row(self):
        self.write("src/cellar/wine.c", "#include <stddef.h>\n")
        self.assert_found("layers", "src/cellar is in no row")

    def test_only_api_and_apps_see_the_public_headers(self):
        self.write("src/api/good.c", '#include "lintel/lintel.h"\n')
        self.write("src/engine/bad.c", '#include "lintel/lintel.h"\n')
        self.assert_found("layers", "src/engine/bad.c:1: engine may not include the public header")

    def test_public_header_includes_a_private_one(self):
        self.write("include/lintel/bad.h", '/* Bad. */\n#include "base/sv.h"\n')
        self.assert_found("layers", "include/lintel/bad.h:2: a public header may include")


class Tables(LintCase):
    def test_sorted_tables_are_clean(self):
        self.write("src/fn/good.c", '/* sorted */\nstatic const struct row rows[] = {\n    {"abs", 1},\n'
                   '    {"add", {2, 3}}, /* "aaa" */\n    {SV("len"), 4},\n};\n'
                   "static const struct fn_def *const defs[] = { /* sorted */\n    &fn_a,\n    &fn_b,\n};\n")
        self.write("src/text/codes.def", "/* Codes, sorted. */\nCODE(a, ERROR)\nCODE(b, ERROR)\n")
        self.write("src/text/order.def", "/* In their own order. */\nSTATUS(b, 1)\nSTATUS(a, 2)\n")
        self.assert_clean("tables")

    def test_strings_out_of_order(self):
        self.write("src/fn/bad.c", '/* sorted */\nstatic const struct row rows[] = {\n    {.n = 1, .name = "b"},\n    {"a"},\n};\n')
        self.assert_found("tables", 'src/fn/bad.c:4: "a" stands after "b"')

    def test_names_out_of_order_and_equal_ones(self):
        self.write("src/fn/bad.c", "static const int *const rows[] = { /* sorted */\n    &b,\n    &a,\n    &a,\n};\n")
        self.assert_found("tables", 'bad.c:3: "a" stands after "b"', 'bad.c:4: "a" stands after "a"')

    def test_def_out_of_order(self):
        self.write("src/text/codes.def", "/* Codes, sorted. */\nCODE(b, ERROR)\nCODE(a, ERROR)\n")
        self.assert_found("tables", 'codes.def:3: "a" stands after "b"')

    def test_mark_without_a_table(self):
        self.write("src/fn/bad.c", "/* sorted */\nint x;\n")
        self.assert_found("tables", "bad.c:1: no table follows")


class Limits(LintCase):
    @needs("ctags")
    def test_lengths(self):
        def function(name, lines):
            return "int %s(void)\n{\n%s    return 0;\n}\n" % (name, "    step();\n" * (lines - 4))
        self.write("src/base/good.c", function("good", 70))
        self.assert_clean("limits")
        self.write("src/base/bad.c", function("fine", 10) + function("bad", 71))
        self.write("src/base/long.c", "int x;\n" * 1001)
        self.assert_found("limits", "src/base/bad.c:11: bad has 71 lines", "src/base/long.c:1000: the file has 1001 lines")


class Shell(LintCase):
    @needs("shellcheck")
    def test_scripts(self):
        self.write("tools/good", '#!/bin/sh\necho "$1"\n')
        self.write("tools/good.py", "print('x')\n")
        self.assert_clean("shell")
        self.write("tools/bad", "#!/bin/sh\nrm -rf $1/x\n")
        self.assert_found("shell", "SC2086")

    def test_python_that_does_not_compile(self):
        self.write("tools/bad.py", "def x(:\n")
        self.assert_found("shell", "tools/bad.py:1:")


class Format(LintCase):
    @needs("clang-format")
    def test_format(self):
        self.copy(".clang-format")
        self.write("src/base/good.c", "int x;\n")
        self.assert_clean("format")
        self.write("src/base/bad.c", "int  x ;\n")
        self.assert_found("format", "src/base/bad.c:1:4: error: code should be clang-formatted")

    @needs("clang-format")
    def test_line_ends(self):
        self.copy(".clang-format")
        self.write("docs/bad.md", "words \nwords")
        self.assert_found("format", "docs/bad.md:1: blanks", "docs/bad.md:2: no newline")


class Headers(LintCase):
    def test_headers(self):
        self.write("src/base/good.h", "/* Good. */\n#ifndef GOOD_H\n#define GOOD_H\n#include <stddef.h>\nsize_t good(void);\n#endif\n")
        self.assert_clean("headers")
        self.write("src/base/bad.h", "/* Bad. */\nsize_t bad(void);\n")
        self.write("src/base/twice.h", "/* No guard. */\nstruct twice {\n    int x;\n};\n")
        self.write("src/base/mute.h", "#ifndef MUTE_H\n#define MUTE_H\n#endif\n")
        self.assert_found("headers", "src/base/bad.h:1: does not compile alone",
                          "src/base/twice.h:1: does not compile alone", "src/base/mute.h:1: opens with no comment")


class Docs(LintCase):
    def test_links(self):
        self.write("tools/gen-docs", "#!/bin/sh\nexit 0\n")
        self.chmod("tools/gen-docs")
        self.write("README.md", "[a](docs/a.md#part) [b](https://example.org) `[c](nowhere)`\n```\n[d](nowhere)\n```\n")
        self.write("docs/a.md", "[back](../README.md)\n")
        self.assert_clean("docs")
        self.write("docs/b.md", "[lost](lost.md)\n")
        self.assert_found("docs", "docs/b.md:1: link to lost.md")

    def test_stale_documents(self):
        self.write("tools/gen-docs", "#!/bin/sh\necho 'docs/errors.md:1: is stale'\nexit 1\n")
        self.chmod("tools/gen-docs")
        self.assert_found("docs", "docs/errors.md:1: is stale")

    def test_rules(self):
        self.write("tools/gen-docs", "#!/bin/sh\nexit 0\n")
        self.chmod("tools/gen-docs")
        self.write("docs/spec/a.md", "- **BP-001** One.\n- **LC-002** Two, see BP-001.\n")
        self.write("src/base/good.c", "/* BP-001, LC-002 */\n")
        self.assert_clean("docs")
        self.write("docs/spec/b.md", "- **BP-001** Again.\n")
        self.write("src/base/bad.c", "/* BP-999 */\n")
        self.assert_found("docs", "docs/spec/b.md:1: BP-001 is introduced at docs/spec/a.md:1 already",
                          "src/base/bad.c:1: BP-999 is no rule")

    def chmod(self, path):
        os.chmod(os.path.join(self.root, path), 0o755)


class GenDocs(LintCase):
    """tools/gen-docs writes what lintel prints and notices when a document is old."""

    def gen_docs(self, *options):
        command = [os.path.join(self.root, "tools/gen-docs"), *options, os.path.join(self.root, "build")]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False)
        return done.returncode, done.stdout.decode()

    def set_lintel(self, script):
        os.chmod(self.write("build/src/apps/cli/lintel", "#!/bin/sh\n" + script), 0o755)

    def test_documents(self):
        self.copy("tools/gen-docs")
        os.chmod(os.path.join(self.root, "tools/gen-docs"), 0o755)
        self.assertEqual(self.gen_docs("--check")[0], 1)
        self.set_lintel('echo "# $1"\n')
        self.assertEqual(self.gen_docs("--check")[0], 1)
        self.assertEqual(self.gen_docs()[0], 0)
        self.assertEqual(self.gen_docs("--check"), (0, ""))
        self.set_lintel('echo "# new $1"\n')
        status, text = self.gen_docs("--check")
        self.assertEqual(status, 1)
        self.assertIn("docs/errors.md:1: is not what `lintel errors --markdown` prints", text)
        self.set_lintel("exit 3\n")
        self.assertIn("ended with status 3", self.gen_docs("--check")[1])
