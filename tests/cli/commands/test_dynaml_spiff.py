"""lintel called as spiff (DY-335, CLI-002)."""

import json
import os
import shutil
import subprocess

from cli_case import LINTEL, SCHEMAS
from dynaml_case import DynamlCase


class Spiff(DynamlCase):
    def setUp(self):
        super().setUp()
        self.write("t.yml", "a: (( b ))\nb: 1\n")
        self.version = json.loads(self.lintel("version", "--json").out)["version"]

    def test_DY_335_merge_and_its_short_name(self):
        for name in ("merge", "m"):
            result = self.spiff(name, "t.yml", code=0)
            self.assertEqual(("a: 1\nb: 1\n\n", ""), (result.out, result.err))
        self.assertEqual("a: 1\nb: 1\n", self.spiff("merge", "--no-compat", "t.yml", code=0).out)
        self.assertEqual('{"a":1,"b":1}\n', self.spiff("merge", "t.yml", "--json", code=0).out)
        self.assertEqual("3\n", self.spiff("eval", "1 + 2", code=0).out)

    def test_CLI_002_a_copy_does_as_well_as_a_link(self):
        copy = os.path.join(self.home, "copy", "spiff")
        os.mkdir(os.path.dirname(copy))
        shutil.copy(LINTEL, copy)
        done = subprocess.run([copy, "--version"], stdout=subprocess.PIPE, check=True, env=self.environment(None))
        self.assertEqual("spiff version 1.0.8 (lintel %s)\n" % self.version, done.stdout.decode())

    def test_DY_335_version(self):
        for option in ("--version", "-v"):
            result = self.spiff(option, code=0)
            self.assertEqual(("spiff version 1.0.8 (lintel %s)\n" % self.version, ""), (result.out, result.err))

    def test_DY_335_help_and_no_arguments(self):
        usage = self.spiff("help", code=0)
        self.assertIn("usage: spiff COMMAND", usage.out)
        self.assertIn("  merge, m ", usage.out)
        for args in ([], ["h"], ["--help"], ["-h"]):
            result = self.spiff(*args, code=0)
            self.assertEqual((usage.out, ""), (result.out, result.err))
        for args in (["help", "merge"], ["merge", "--help"], ["m", "-h"]):
            result = self.spiff(*args, code=0)
            self.assertIn("usage: spiff merge [OPTIONS] TEMPLATE", result.out)
            self.assertNotIn("lintel dynaml", result.out)

    def test_DY_335_too_few_arguments_show_usage_and_fail(self):
        result = self.spiff("merge", code=1)
        self.assertIn("usage: spiff merge ", result.out)
        self.assertEqual("", result.err)

    def test_DY_335_unknown_commands_and_options(self):
        result = self.spiff("nosuch", code=1)
        self.assertEqual(("", "No help topic for 'nosuch'\n"), (result.out, result.err))
        result = self.spiff("merge", "--nosuch", "t.yml", code=1)
        self.assertEqual("", result.out)
        self.assertTrue(result.err.startswith("Incorrect Usage.\n"), result)
        self.assertIn("usage: spiff merge ", result.err)

    def test_DY_335_every_error_exits_with_1(self):
        result = self.spiff("merge", "none.yml", code=1)
        self.assertEqual("error reading template [none.yml]: open none.yml: no such file or directory\n", result.err)
        self.spiff("merge", "t.yml", "--limit", "x", code=1)
        self.spiff("merge", "-", "-", code=1)
        for args in (["merge", "none.yml"], ["merge", "--nosuch"], ["nosuch"], ["merge"]):
            result = self.spiff(*args, "--json", code=1)
            SCHEMAS.check("dynaml-failure", json.loads(result.out))
            self.assertEqual(1, json.loads(result.out)["error"]["exitCode"])
