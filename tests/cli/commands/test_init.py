"""lintel init: projects that deploy as they are (cli.md section 3)."""

import os
import stat
import unittest

from cli_case import FAILED, OK, USAGE, CliCase


class Init(CliCase):
    def examples(self):
        commands = self.lintel("help", "init", "--json", code=OK).json()["help"]["commands"]
        option = [o for o in commands[0]["options"] if o["name"] == "example"][0]
        return option["value"].split("|")

    def test_every_example_deploys_as_it_is(self):
        self.assertGreaterEqual(len(self.examples()), 2)
        for name in self.examples():
            value = self.check_json("init", "init", name, "--example", name, code=OK)
            self.assertEqual(name, value["example"])
            home = self.path(name)
            self.assertEqual({"blueprint.yaml", "lintel.yaml", ".gitignore"}, set(os.listdir(home)))
            self.assertEqual("", self.lintel("fmt", "--check", cwd=home, code=OK).out)
            self.assertEqual("", self.lintel("validate", "--strict", cwd=home, code=OK).err)
            self.lintel("plan", "--detailed-exitcode", cwd=home, code=2)
            self.lintel("deploy", "--auto-approve", cwd=home, code=OK)
            self.lintel("plan", "--detailed-exitcode", cwd=home, code=OK)
            self.lintel("destroy", "--auto-approve", cwd=home, code=OK)
            self.assertEqual({"blueprint.yaml", "lintel.yaml", ".gitignore", ".lintel"}, set(os.listdir(home)) - {"run"})

    def test_the_output_says_what_comes_next(self):
        out = self.lintel("init", "my shop/deep", code=OK).out
        self.assertIn("created my shop/deep/blueprint.yaml\n", out)
        self.assertIn("  cd my shop/deep\n", out)
        self.assertIn("  lintel deploy ", out)
        self.assertNotIn("  cd ", self.lintel("init", code=OK).out)

    def test_the_state_is_ignored_by_git(self):
        self.lintel("init", code=OK)
        self.assertIn(b"\n.lintel/\n", self.read(".gitignore"))

    def test_nothing_is_overwritten(self):
        for name in ("blueprint.yaml", "lintel.yaml", "blueprint.json", "blueprint.jsonc"):
            self.write(name, b"color: auto")
            result = self.lintel("init", code=FAILED)
            self.assertRegex(result.err, "'(./)?%s' exists already" % name)
            self.assertEqual(b"color: auto", self.read(name))
            self.assertEqual([name], os.listdir(self.dir))
            os.unlink(self.path(name))

    def test_links_count_as_existing(self):
        os.symlink("nowhere", self.path("blueprint.yaml"))
        self.lintel("init", code=FAILED)
        self.assertEqual(["blueprint.yaml"], os.listdir(self.dir))
        self.assertFalse(os.path.exists(self.path("nowhere")))

    def test_an_own_gitignore_stays(self):
        self.write(".gitignore", b"mine\n")
        self.assertIn("add the line .lintel/", self.lintel("init", code=OK).out)
        self.assertEqual(b"mine\n", self.read(".gitignore"))

    def test_unknown_examples_and_bad_directories(self):
        self.assertIn("takes one of", self.lintel("init", "--example", "huge", code=USAGE).err)
        self.write("file", b"")
        self.check_json("init", "init", "file/below", code=FAILED)
        self.check_json("init", "init", "", code=USAGE)
        self.check_json("init", "init", "a", "b", code=USAGE)

    @unittest.skipIf(os.getuid() == 0, "root may write everywhere")
    def test_a_directory_that_may_not_be_written(self):
        os.chmod(self.dir, stat.S_IRUSR | stat.S_IXUSR)
        self.assertIn("cannot be", self.lintel("init", code=FAILED).err)
        self.assertIn("cannot be", self.lintel("init", "sub", code=FAILED).err)
        os.chmod(self.dir, 0o755)
        self.assertEqual([], os.listdir(self.dir))


if __name__ == "__main__":
    unittest.main()
