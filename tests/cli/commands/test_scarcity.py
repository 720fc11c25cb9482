"""When the machine has too little of something, nothing goes wrong silently (F14)."""

import json
import os
import resource
import subprocess
import unittest

from cli_case import FAILED, LIMIT_S, LINTEL, OK, PART_WAY, CliCase

# Nothing that is tried again for a while when it fails, as files are.
IDS = "version: 2025-11-02\nresources:\n  a: {type: random/id, spec: {byteLength: 4}}\n  b: {type: random/id, spec: {byteLength: 4}}\n"


class Descriptors(CliCase):
    def run_with(self, limit, *args):
        """Runs lintel with so many file descriptors at most."""
        done = subprocess.run([LINTEL, *args, "--json"], cwd=self.dir, env=self.environment(None), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=LIMIT_S, check=False,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit)))
        err = done.stderr.decode()
        self.assertNotIn("runtime error", err)
        self.assertNotIn("AddressSanitizer", err)
        return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]

    def test_F14_too_few_file_descriptors(self):
        """An error that says so, or it works; the next run goes on from there."""
        self.write("blueprint.yaml", IDS)
        codes = {}  # with 3 the loader of programs finds no library
        for limit in list(range(4, 13)) + [14, 16, 20, 24, 32, 64]:
            code, events = self.run_with(limit, "deploy", "--auto-approve")
            codes[limit] = code
            self.assertIn(code, (OK, FAILED, PART_WAY), (limit, events))
            self.assertEqual("summary", events[-1]["type"])
            errors = [d["message"] for d in events[-1]["diagnostics"] if d["severity"] == "error"]
            self.assertEqual(code != OK, bool(errors), (limit, errors))
        self.assertEqual(OK, codes[64])
        self.assertNotEqual(OK, codes[4], "else nothing was tried")
        self.deploy()
        self.assertEqual(2, len(self.check_json("state", "state", "list", code=OK)["elements"]))
        self.assertEqual(["blueprint.yaml"], sorted(f for f in os.listdir(self.dir) if not f.startswith(".")))
        self.lintel("destroy", "--auto-approve", code=OK)


if __name__ == "__main__":
    unittest.main()
