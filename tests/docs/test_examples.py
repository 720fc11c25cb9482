"""The example projects that need no program of their own are deployed, changed and destroyed as their README says. The
list of sites is read by a function of the world (FN-206), resources come from `each` (BP-152) and from blueprints as
resources (BP-292), and drafts from a condition (BP-142)."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest

LINTEL = os.environ["LINTEL_BIN"]
SOURCE = os.environ["LINTEL_SOURCE"]
KEPT = ("HOME", "PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LD_LIBRARY_PATH")


class Examples(unittest.TestCase):
    def setUp(self):
        self.home = tempfile.mkdtemp(prefix="lintel-examples-")
        self.addCleanup(shutil.rmtree, self.home, ignore_errors=True)

    def lintel(self, *args, code=0):
        env = {name: os.environ[name] for name in KEPT if name in os.environ}
        done = subprocess.run([LINTEL, *args], cwd=self.dir, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=120, check=False)
        self.assertEqual(code, done.returncode, done.stderr.decode() + done.stdout.decode())
        self.assertNotIn("Sanitizer", done.stderr.decode())
        return done.stdout.decode()

    def take(self, name):
        self.dir = os.path.join(self.home, name)
        shutil.copytree(os.path.join(SOURCE, "examples", name), self.dir)

    def read(self, name):
        with open(os.path.join(self.dir, name), encoding="utf-8") as stream:
            return stream.read()

    def test_sites(self):
        self.take("sites")
        self.assertEqual([], json.loads(self.lintel("validate", "--json"))["diagnostics"])
        self.lintel("fmt", "--check", "blueprint.yaml", "parts/site.yaml", "parts/style.yaml")
        self.lintel("deploy", "--auto-approve")
        self.assertIn("<h1>Shop in the south</h1>\n<p>Site 1</p>", self.read("public/south/index.html"))
        self.assertIn("Sites of shop team: north, south\n", self.read("public/index.txt"))
        self.lintel("plan", "--detailed-exitcode")
        self.lintel("deploy", "--auto-approve", "--var", "draft=true", "--var", "colour=teal")
        self.assertIn("NORTH", self.read("public/north/notes.txt"))
        self.assertIn("teal", self.read("public/style.css"))
        self.lintel("plan", "--detailed-exitcode", code=2)
        self.lintel("deploy", "--auto-approve")
        self.assertFalse(os.path.exists(os.path.join(self.dir, "public/north/notes.txt")))
        self.lintel("destroy", "--auto-approve")
        self.assertFalse(os.path.exists(os.path.join(self.dir, "public")))

    def test_one_more_site_is_one_more_site(self):
        self.take("sites")
        self.lintel("deploy", "--auto-approve")
        text = self.read("sites.json").replace('south"}\n', 'south"},\n    {"name": "east", "title": "Shop in the east"}\n')
        with open(os.path.join(self.dir, "sites.json"), "w", encoding="utf-8") as stream:
            stream.write(text)
        created = [line.split()[1] for line in self.lintel("plan").splitlines() if line.endswith("will be created")]
        self.assertEqual(["resources.site_2/resources.home", "resources.site_2/resources.page"], created)
        self.lintel("deploy", "--auto-approve")
        self.assertIn("Shop in the east", self.read("public/east/index.html"))

    def test_orders_api_is_valid(self):
        self.take("orders-api")
        self.assertTrue(json.loads(self.lintel("validate", "--json"))["valid"])


if __name__ == "__main__":
    unittest.main()
