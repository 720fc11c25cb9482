"""A small project tree in a temporary directory, for tests of the lint checks."""

import os
import shutil
import subprocess
import tempfile
import unittest

SOURCE = os.environ.get("LINTEL_SOURCE") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def needs(program):
    """Skips a test without the program; `make lint` installs them all."""
    return unittest.skipUnless(shutil.which(program), "%s is not installed" % program)


class LintCase(unittest.TestCase):
    def setUp(self):
        self.root = tempfile.mkdtemp(prefix="lint-")
        self.addCleanup(shutil.rmtree, self.root)
        self.copy("tools/layers.txt")

    def copy(self, path):
        os.makedirs(os.path.dirname(os.path.join(self.root, path)), exist_ok=True)
        shutil.copy(os.path.join(SOURCE, path), os.path.join(self.root, path))

    def write(self, path, text):
        target = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "w", encoding="utf-8") as stream:
            stream.write(text)
        return target

    def compile(self, path, text, *flags):
        """Compiles a file of the tree to the object meson would make of it."""
        source = self.write(path, text)
        directory = os.path.join(self.root, "build", os.path.dirname(path), "lib.a.p")
        os.makedirs(directory, exist_ok=True)
        target = os.path.join(directory, os.path.basename(path) + ".o")
        subprocess.run(["gcc", "-c", "-O1", source, "-o", target, *flags], check=True)

    def lint(self, name):
        done = subprocess.run(
            [os.path.join(SOURCE, "tools", "lint", name), "--root", self.root, "--build", os.path.join(self.root, "build")],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        return done.returncode, done.stdout.decode()

    def assert_clean(self, name):
        status, text = self.lint(name)
        self.assertEqual((status, text), (0, ""))

    def assert_found(self, name, *findings):
        """The check fails and says each of the texts."""
        status, text = self.lint(name)
        self.assertEqual(status, 1, text)
        self.assertNotIn("Traceback", text)
        for finding in findings:
            self.assertIn(finding, text)
