"""The checks that read what was built find the faults planted for them."""

import json
import os
import subprocess

from linttree import LintCase, needs

HEADER = """/* The API. */
#define LINTEL_API __attribute__((visibility("default")))
LINTEL_API int lintel_open(const char *name,
                           int flags);
"""


class Symbols(LintCase):
    def build_library(self, text):
        source = self.write("api.c", text)
        os.makedirs(os.path.join(self.root, "build", "src"), exist_ok=True)
        subprocess.run(["gcc", "-shared", "-fPIC", source, "-o", os.path.join(self.root, "build", "src", "liblintel.so")], check=True)

    def test_library_shows_what_headers_declare(self):
        self.write("include/lintel/api.h", HEADER)
        self.build_library("int lintel_open(const char *name, int flags) { return name[flags]; }\n")
        self.assert_clean("symbols")

    def test_foreign_and_undeclared_and_missing_names(self):
        self.write("include/lintel/api.h", HEADER)
        self.build_library("int arena_open(void) { return 0; }\nint lintel_secret(void) { return 0; }\n")
        self.assert_found("symbols", "liblintel exports arena_open", "liblintel exports lintel_secret, which no public header",
                          "include/lintel/api.h:3: lintel_open is declared, but")

    def test_library_that_is_not_built(self):
        self.assert_found("symbols", "is not built")


class Globals(LintCase):
    def setUp(self):
        super().setUp()
        self.copy("tools/lint/banned.txt")

    def test_constants_are_clean(self):
        self.compile("src/base/good.c", "static const char *const names[] = {\"a\", \"b\"};\n"
                     "const char *good(int i) { return names[i]; }\nstruct x { int (*f)(const char *); };\n"
                     "int puts_not(const char *);\nconst struct x table = {puts_not};\n", "-fPIC")
        self.assert_clean("globals")

    def test_mutable_objects(self):
        self.compile("src/base/bad.c", "static int counter; static int next = 7; _Thread_local int mine;\nint shared[4];\n"
                     "int bad(void) { static int calls; return ++calls + ++counter + ++next + ++mine; }\n")
        self.assert_found("globals", "src/base/bad.c:1: counter is mutable", "next is mutable", "mine is mutable",
                          "shared is mutable", "calls")

    def test_exception_with_a_reason(self):
        self.write("tools/lint/allowed-globals.txt", "src/apps/cli/signals.c pending  # set by a signal handler\n")
        self.compile("src/apps/cli/signals.c", "volatile int pending;\n")
        self.assert_clean("globals")

    def test_banned_calls(self):
        self.compile("src/engine/bad.c", "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
                     "void bad(char *to, const char *from)\n{\n    printf(\"%s %d\", from, 1);\n    strcpy(to, from);\n"
                     "    exit(getenv(to) != 0);\n}\n", "-fno-builtin")
        self.assert_found("globals", "printf may be used in src/apps/* only", "strcpy may be used in no place only",
                          "exit may be", "getenv may be")
        self.compile("src/apps/cli/good.c", "#include <stdio.h>\nvoid good(int n) { printf(\"%d\", n); }\n")
        os.remove(os.path.join(self.root, "build/src/engine/lib.a.p/bad.c.o"))
        self.assert_clean("globals")

    def test_nothing_built(self):
        self.assert_found("globals", "no object files")


class Analysers(LintCase):
    @needs("cppcheck")
    def test_cppcheck(self):
        self.write("src/base/good.c", "int good(void)\n{\n    return 1;\n}\n")
        self.assert_clean("cppcheck")
        self.write("src/base/bad.c", "int bad(void)\n{\n    int rows[4] = {0};\n    return rows[4];\n}\n")
        self.assert_found("cppcheck", "src/base/bad.c:4:error:arrayIndexOutOfBounds")

    @needs("clang-tidy")
    def test_tidy(self):
        self.copy(".clang-tidy")
        self.copy("tools/lint/tidy")
        self.commands("src/base/good.c", "int good(int x);\nint good(int x)\n{\n    return x;\n}\n")
        self.assert_clean("tidy")
        self.commands("src/base/bad.c", "int bad(int a, int b, int c, int d, int e, int f, int g);\n"
                      "int bad(int a, int b, int c, int d, int e, int f, int g)\n"
                      "{\n    if (a == a)\n        return b / 0;\n    return c + d + e + f + g;\n}\n")
        self.assert_found("tidy", "readability-function-size", "misc-redundant-expression", "clang-analyzer-core.DivideZero")

    def commands(self, path, text):
        self.write(path, text)
        entry = {"directory": self.root, "file": path, "command": "gcc -std=c17 -Wlogical-op -c " + path}
        self.write("build/compile_commands.json", json.dumps([entry]))
