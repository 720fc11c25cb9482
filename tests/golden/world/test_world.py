"""Exact renderings of diagnostics that need the world: files, programs, servers. Each case writes its files, runs lintel
and compares what it prints on standard error with the text beside this file, which is named after the code; with
GOLDEN_UPDATE=1 in the environment the texts are written instead. PORT stands for the port of the server in both.
BP-171, BP-173, BP-174, BP-175, BP-176, BP-057, BP-059"""

import http.server
import os
import shutil
import subprocess
import tempfile
import textwrap
import threading
import unittest

LINTEL = os.environ["LINTEL_BIN"]
HERE = os.path.join(os.environ["LINTEL_SOURCE"], "tests", "golden", "world")
LIMIT_S = 60
KEPT = ("HOME", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LD_LIBRARY_PATH")

CHILD = """
version: 2025-11-02
resources:
  id: {type: random/id, spec: {byteLength: 4}}
"""
PARENT = """
version: 2025-11-02
include:
  core:
    path: %s
"""
ROOT = """
version: 2025-11-02
transform: %s
resources:
  id: {type: random/id, spec: {byteLength: 4}}
"""


class Answers(http.server.BaseHTTPRequestHandler):
    """Nothing but refusals: /forbidden… 403, /broken… 500, all else 404."""

    def do_GET(self):  # pylint: disable=invalid-name
        status = {"forbidden": 403, "broken": 500}.get(self.path.split("/")[1], 404)
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):  # pylint: disable=arguments-differ
        pass


class World(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers)
        cls.port = cls.server.server_address[1]
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()

    @classmethod
    def tearDownClass(cls):
        cls.server.shutdown()
        cls.server.server_close()

    def setUp(self):
        self.home = tempfile.mkdtemp(prefix="lintel-world-")
        self.addCleanup(shutil.rmtree, self.home, ignore_errors=True)
        self.dir = os.path.join(self.home, "shop")
        os.mkdir(self.dir)

    def write(self, name, text):
        path = os.path.join(self.dir, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(textwrap.dedent(text).lstrip("\n").replace("PORT", str(self.port)))
        if text.startswith("#!"):
            os.chmod(path, 0o755)

    def check(self, code, files, *args):
        for name, text in files.items():
            self.write(name, text)
        env = {name: os.environ[name] for name in KEPT if name in os.environ}
        env.update(LC_ALL="C.UTF-8", TERM="dumb", PATH=os.environ["PATH"], LINTEL_PLUGIN_PATH=os.path.join(self.dir, "plugins"))
        done = subprocess.run([LINTEL, "validate", *args], cwd=self.dir, env=env, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=LIMIT_S, check=False)
        given = done.stderr.decode().replace(str(self.port), "PORT").replace(self.home, "HOME")
        self.assertIn("[%s]: " % code, given)
        path = os.path.join(HERE, code + ".txt")
        if os.environ.get("GOLDEN_UPDATE"):
            with open(path, "w", encoding="utf-8") as stream:
                stream.write(given)
            return
        with open(path, encoding="utf-8") as stream:
            self.assertEqual(stream.read(), given)

    def test_include_path_not_found(self):
        self.check("include_path_not_found", {"blueprint.yaml": PARENT % "nowhere.yaml"})

    def test_include_path_outside_root(self):
        with open(os.path.join(self.home, "core.yaml"), "w", encoding="utf-8") as stream:
            stream.write(CHILD)
        self.check("include_path_outside_root", {"blueprint.yaml": PARENT % "../core.yaml"})

    def test_include_digest_mismatch(self):
        parent = PARENT % "core.yaml" + "    metadata: {digest: 'sha256:%s'}\n" % ("0" * 64)
        self.check("include_digest_mismatch", {"blueprint.yaml": parent, "core.yaml": CHILD})

    def test_invalid_metadata(self):
        self.check("invalid_metadata", {"blueprint.yaml": PARENT % "core.yaml" + "    metadata: {sourceType: ftp}\n"})

    def remote(self, path):
        return PARENT % path + "    metadata:\n      sourceType: https\n      host: 127.0.0.1:PORT\n"

    def test_include_not_checked(self):
        self.check("include_not_checked", {"blueprint.yaml": self.remote("core.yaml")}, "--offline")

    def test_blueprint_not_found(self):
        self.check("blueprint_not_found", {"blueprint.yaml": self.remote("core.yaml")}, "--allow-private")

    def test_permission_error(self):
        self.check("permission_error", {"blueprint.yaml": self.remote("forbidden/core.yaml")}, "--allow-private")

    def test_resolve_failure(self):
        self.check("resolve_failure", {"blueprint.yaml": self.remote("broken/core.yaml")}, "--allow-private")

    def test_missing_transformers(self):
        self.check("missing_transformers", {"blueprint.yaml": ROOT % "shop-2025"})

    def test_transform_failed(self):
        program = "#!/bin/sh\ncat >/dev/null\necho no >&2\nexit 3\n"
        self.check("transform_failed", {"blueprint.yaml": ROOT % "shop-2025", "plugins/lintel-transform-shop-2025": program})


if __name__ == "__main__":
    unittest.main()
