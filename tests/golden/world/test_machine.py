"""What `validate --json` says of a blueprint with mistakes: every field of a diagnostic (BP-300), their order (BP-303), the
groups and the code of the result (BP-305), and what a provider's own check says (BP-313)."""

import json
import os
import subprocess
import tempfile
import unittest

LINTEL = os.environ["LINTEL_BIN"]
KEPT = ("HOME", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LD_LIBRARY_PATH")

MANY = """version: 2025-11-02
variables:
  regoin: {type: string, default: x, allowedValues: []}
values:
  héllo: {type: string, value: "é${variables.region}"}
resources:
  p:
    type: random/password
    spec: {length: 3, special: true}
  q:
    type: random/id
    spec: {byteLength: 4, byteLength: 5}
exports:
  e: {type: string, field: "trim(x)"}
"""
ONE = """version: 2025-11-02
resources:
  r: {type: random/idd, spec: {}}
"""


class Machine(unittest.TestCase):
    maxDiff = None

    def validate(self, text, name="b.yaml"):
        with tempfile.TemporaryDirectory(prefix="lintel-machine-") as home:
            with open(os.path.join(home, name), "w", encoding="utf-8") as stream:
                stream.write(text)
            env = {key: os.environ[key] for key in KEPT if key in os.environ}
            done = subprocess.run([LINTEL, "validate", "--json", name], cwd=home, env=env, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, check=False)
        return json.loads(done.stdout)

    def test_fields_of_a_diagnostic(self):
        """BP-300, BP-301"""
        result = self.validate(MANY)
        found = {one["code"]: one for one in result["diagnostics"]}
        missing = found["missing_variable"]
        self.assertEqual({"code", "severity", "message", "hint", "file", "range", "path"}, set(missing))
        self.assertEqual("error", missing["severity"])
        self.assertEqual("b.yaml", missing["file"])
        self.assertIn("'regoin'", missing["hint"])
        self.assertEqual(["values[\"héllo\"].value", 5], [missing["path"], missing["range"]["start"]["line"]])
        # Columns count code points, from 1; the end is exclusive.
        line = MANY.splitlines()[4]
        start = line.index("variables.region") + 1
        self.assertEqual([start, start + len("variables.region")],
                         [missing["range"]["start"]["column"], missing["range"]["end"]["column"]])
        self.assertEqual(4, found["duplicate_key"]["range"]["start"]["line"] - 8)

    def test_order_groups_and_result(self):
        """BP-303, BP-305"""
        result = self.validate(MANY)
        places = [(one["range"]["start"]["line"], one["range"]["start"]["column"]) for one in result["diagnostics"]]
        self.assertEqual(sorted(places), places)
        self.assertEqual("multiple_validation_errors", result["code"])
        groups = {one["code"]: one.get("group") for one in result["diagnostics"]}
        self.assertEqual("variable_validation_errors", groups["variable_invalid_allowed_values"])
        self.assertEqual("export_validation_errors", groups["invalid_reference_pattern"])
        self.assertIsNone(groups["missing_variable"])

    def test_one_error_is_the_code_of_the_result(self):
        """BP-305"""
        result = self.validate(ONE)
        self.assertEqual(["resource_type_not_found"], [one["code"] for one in result["diagnostics"]])
        self.assertEqual("resource_type_not_found", result["code"])
        self.assertEqual("resource_validation_errors", result["diagnostics"][0]["group"])

    def test_a_providers_own_check(self):
        """BP-313"""
        result = self.validate("version: 2025-11-02\nresources:\n  p: {type: random/password, spec: {length: 3, special: true}}\n")
        found = {one["code"]: one for one in result["diagnostics"]}
        self.assertIn("random_password_impossible", found)
        self.assertEqual("resources.p.spec", found["random_password_impossible"]["path"])
        self.assertEqual("resource_validation_errors", found["random_password_impossible"]["group"])


if __name__ == "__main__":
    unittest.main()
