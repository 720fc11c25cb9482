"""lintel fmt: the canonical layout (cli.md section 3, docs/formatting.md)."""

import os
import stat
import subprocess
import unittest

from cli_case import CHANGES, FAILED, INVALID, LINTEL, OK, SMALL, USAGE, CliCase

UGLY = """\
# head

version:   2025-11-02   # the version
variables:
    region:   {type: string,default:   'eu'}



# about the list
list:
- a
-   b: |
      text
        more
"""
NEAT = """\
# head

version: 2025-11-02   # the version
variables:
  region: {type: string, default: 'eu'}


# about the list
list:
  - a
  - b: |
      text
        more
"""


class Writing(CliCase):
    def test_CLI_003_the_default_blueprint_is_formatted_in_place(self):
        self.write("blueprint.yaml", UGLY)
        self.assertEqual("blueprint.yaml\n", self.lintel("fmt", code=OK).out)
        self.assertEqual(NEAT.encode(), self.read("blueprint.yaml"))
        result = self.lintel("fmt", code=OK)
        self.assertEqual(("", ""), (result.out, result.err))

    def test_nothing_is_written_when_nothing_changes(self):
        self.write("a.yaml", NEAT)
        before = os.stat(self.path("a.yaml"))
        self.lintel("fmt", "a.yaml", code=OK)
        after = os.stat(self.path("a.yaml"))
        self.assertEqual((before.st_ino, before.st_mtime_ns), (after.st_ino, after.st_mtime_ns))

    def test_the_mode_stays_and_nothing_else_is_left(self):
        self.write("a.yaml", UGLY)
        os.chmod(self.path("a.yaml"), 0o640)
        self.lintel("fmt", "a.yaml", code=OK)
        self.assertEqual(0o640, stat.S_IMODE(os.stat(self.path("a.yaml")).st_mode))
        self.assertEqual(["a.yaml"], os.listdir(self.dir))

    def test_symbolic_links_are_followed_not_replaced(self):
        self.write("real/a.yaml", UGLY)
        os.symlink("real/a.yaml", self.path("link.yaml"))
        self.lintel("fmt", "link.yaml", code=OK)
        self.assertTrue(os.path.islink(self.path("link.yaml")))
        self.assertEqual(NEAT.encode(), self.read("real/a.yaml"))

    def test_several_files_of_all_formats(self):
        self.write("a.yaml", UGLY)
        self.write("b.json", '{"a":[1,\n2]}')
        self.write("c.jsonc", '// head\n{"a":1,}')
        value = self.check_json("fmt", "fmt", "a.yaml", "b.json", "c.jsonc", code=OK)
        self.assertEqual(["a.yaml", "b.json", "c.jsonc"], [f["file"] for f in value["files"]])
        self.assertTrue(all(f["changed"] and f["written"] for f in value["files"]))
        self.assertEqual(b'{\n  "a": [\n    1,\n    2\n  ]\n}\n', self.read("b.json"))
        self.assertEqual(b'// head\n{"a": 1}\n', self.read("c.jsonc"))
        value = self.check_json("fmt", "fmt", "a.yaml", "b.json", "c.jsonc", code=OK)
        self.assertFalse(any(f["changed"] or f["written"] for f in value["files"]))

    def test_a_formatted_blueprint_deploys_like_before(self):
        self.write("blueprint.yaml", SMALL.replace("\n  ", "\n      ").replace("      resources", "resources"))
        before = self.lintel("plan", "--json").out
        self.lintel("fmt", code=OK)
        self.assertIn('"create":2', self.lintel("plan", "--json").out)
        self.assertIn('"create":2', before)


class Looking(CliCase):
    def test_check_tells_by_its_exit_code(self):
        self.write("a.yaml", UGLY)
        self.assertEqual("a.yaml\n", self.lintel("fmt", "--check", "a.yaml", code=CHANGES).out)
        self.assertEqual(UGLY.encode(), self.read("a.yaml"))
        self.lintel("fmt", "a.yaml", code=OK)
        self.assertEqual("", self.lintel("fmt", "--check", "a.yaml", code=OK).out)

    def test_diff_is_one_that_patch_understands(self):
        self.write("a.yaml", UGLY)
        diff = self.lintel("fmt", "--diff", "a.yaml", code=OK).out
        self.assertTrue(diff.startswith("--- a.yaml\n+++ a.yaml\n@@ -1,"), diff)
        self.assertIn("\n-version:   2025-11-02   # the version\n", diff)
        self.assertIn("\n+version: 2025-11-02   # the version\n", diff)
        self.assertEqual(UGLY.encode(), self.read("a.yaml"))
        value = self.check_json("fmt", "fmt", "--diff", "--check", "a.yaml", code=CHANGES)
        self.assertEqual([(True, False, diff)], [(f["changed"], f["written"], f["diff"]) for f in value["files"]])

    def test_standard_input_to_standard_output(self):
        self.assertEqual(NEAT, self.lintel("fmt", "-", stdin=UGLY.encode(), code=OK).out)
        self.assertEqual('{"a": 1}\n', self.lintel("fmt", "-", "--input-format", "json", stdin=b'{"a":1}', code=OK).out)
        value = self.check_json("fmt", "fmt", "-", stdin=UGLY.encode(), code=OK)
        self.assertEqual([NEAT], [f["text"] for f in value["files"]])
        self.assertEqual("<stdin>\n", self.lintel("fmt", "-", "--check", stdin=UGLY.encode(), code=CHANGES).out)


class BadInput(CliCase):
    def test_syntax_errors_leave_the_file_alone_and_the_others_not(self):
        self.write("bad.yaml", "a: [1, 2\nb:  3\n")
        self.write("good.yaml", UGLY)
        result = self.lintel("fmt", "bad.yaml", "good.yaml", code=INVALID)
        self.assertIn("bad.yaml:1:4", result.err)
        self.assertEqual("good.yaml\n", result.out)
        self.assertEqual(b"a: [1, 2\nb:  3\n", self.read("bad.yaml"))
        self.assertEqual(NEAT.encode(), self.read("good.yaml"))
        value = self.check_json("fmt", "fmt", "bad.yaml", code=INVALID)
        self.assertEqual([], value["files"])
        self.assertEqual({"invalid_syntax"}, {d["code"] for d in value["diagnostics"]})

    def test_garbage_directories_and_missing_files(self):
        self.write("noise.yaml", bytes(range(256)) * 40)
        self.write("nul.yaml", b"a: \0\n")
        os.mkdir(self.path("dir.yaml"))
        for name in ("noise.yaml", "nul.yaml", "dir.yaml", "missing.yaml"):
            value = self.check_json("fmt", "fmt", name, code=INVALID)
            self.assertEqual(1, len(value["diagnostics"]), name)
        self.assertEqual(bytes(range(256)) * 40, self.read("noise.yaml"))

    def test_usage_errors_are_JSON_as_well(self):
        self.check_json("fmt", "fmt", code=USAGE)
        self.check_json("fmt", "fmt", "--chekc", code=USAGE)

    def test_10_MB_are_quick(self):
        line = "  key%07d:   [1,2,   {a:    b}]   # comment\n"
        text = "a:\n" + "".join(line % i for i in range(220000))
        self.write("big.yaml", text.encode())
        self.assertEqual("big.yaml\n", self.lintel("fmt", "big.yaml", code=OK).out)
        self.assertEqual("", self.lintel("fmt", "big.yaml", code=OK).out)
        self.assertIn(b"\n  key0219999: [1, 2, {a: b}]   # comment\n", self.read("big.yaml"))

    @unittest.skipIf(os.getuid() == 0, "root may write everywhere")
    def test_what_may_not_be_written_is_not(self):
        self.write("a.yaml", UGLY)
        os.chmod(self.path("a.yaml"), 0o444)
        self.assertIn("'a.yaml' cannot be written", self.lintel("fmt", "a.yaml", code=FAILED).err)
        os.chmod(self.path("a.yaml"), 0o644)
        os.chmod(self.dir, 0o555)
        self.assertIn("'a.yaml' cannot be written", self.lintel("fmt", "a.yaml", code=FAILED).err)
        os.chmod(self.dir, 0o755)
        self.assertEqual(UGLY.encode(), self.read("a.yaml"))

    @unittest.skipUnless(os.getuid() == 0, "needs a file system of its own")
    def test_a_full_disk_leaves_the_old_text(self):
        os.mkdir(self.path("full"))
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", self.path("full")],
                                 stderr=subprocess.DEVNULL, check=False)
        if mounted.returncode != 0:
            self.skipTest("no file system can be mounted here")
        self.addCleanup(subprocess.run, ["umount", self.path("full")], check=False)
        text = "a:\n" + "".join("    b%04d:   1\n" % i for i in range(2000))
        self.write("full/a.yaml", text.encode())
        with open(self.path("full", "fill"), "wb") as stream:
            try:
                stream.write(b"x" * 65536)
                stream.flush()
            except OSError:
                pass
        self.assertIn("cannot be written", self.lintel("fmt", "full/a.yaml", code=FAILED).err)
        self.assertEqual(text.encode(), self.read("full/a.yaml"))
        self.assertEqual(["a.yaml", "fill"], sorted(os.listdir(self.path("full"))))

    def test_CLI_030_a_result_that_cannot_be_written_is_a_failure(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([LINTEL, "fmt", "-"], input=UGLY.encode(), stdout=full, stderr=subprocess.PIPE,
                                  cwd=self.dir, env=self.environment(None), check=False)
        self.assertEqual(FAILED, done.returncode)
        self.assertIn(b"cannot be written to standard output", done.stderr)

    def test_a_pipe_is_not_replaced(self):
        os.mkfifo(self.path("pipe.yaml"))
        writer = subprocess.Popen(["sh", "-c", "printf 'a:   1\\n' > pipe.yaml"], cwd=self.dir)
        self.assertIn("no regular file", self.lintel("fmt", "pipe.yaml", code=FAILED).err)
        writer.wait()
        self.assertTrue(stat.S_ISFIFO(os.stat(self.path("pipe.yaml")).st_mode))


if __name__ == "__main__":
    unittest.main()
