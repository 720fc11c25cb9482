"""lintel validate: forms of the result, and warnings that comments allow."""

import xml.etree.ElementTree as ET
import unittest

from cli_case import INVALID, OK, SMALL, USAGE, CliCase

WARNED = """
version: 2025-11-02
variables:
  # lintel-allow unused_element: kept for the next release
  first: {type: string}
  second: {type: string} # lintel-allow unused_element: so is this
resources:
  id: {type: random/id, spec: {byteLength: 4}}
"""


class Forms(CliCase):
    def junit(self, *args, code):
        result = self.lintel("validate", "--format", "junit", *args, code=code)
        return ET.fromstring(result.out), result

    def test_junit_has_a_testsuite_for_each_file(self):
        self.write("good.yaml", SMALL)
        self.write("bad.yaml", SMALL.replace("random/id", "random/idd").replace("hello", "<&\"'\x01 ]]>"))
        self.write("worse.yaml", b"a: \x01 <&>\n")
        root, _ = self.junit("good.yaml", "bad.yaml", "worse.yaml", "missing.yaml", code=INVALID)
        self.assertEqual("testsuites", root.tag)
        suites = {s.get("name"): s for s in root}
        self.assertEqual(["good.yaml", "bad.yaml", "worse.yaml", "missing.yaml"], [s.get("name") for s in root])
        self.assertEqual(("1", "0"), (suites["good.yaml"].get("tests"), suites["good.yaml"].get("failures")))
        for name in ("bad.yaml", "worse.yaml", "missing.yaml"):
            failures = suites[name].findall("testcase/failure")
            self.assertEqual(str(len(failures)), suites[name].get("failures"), name)
            self.assertGreater(len(failures), 0, name)
            self.assertTrue(all(f.get("type") and f.get("message") for f in failures))
        self.assertEqual(str(sum(int(s.get("tests")) for s in root)), root.get("tests"))
        self.assertIn("missing.yaml", suites["missing.yaml"].find("testcase/failure").get("message"))

    def test_junit_shows_warnings_as_passed(self):
        self.write("blueprint.yaml", WARNED.replace("# lintel", "# no lintel"))
        root, _ = self.junit(code=OK)
        self.assertEqual(("2", "0"), (root.get("tests"), root.get("failures")))
        self.assertEqual(2, len(root.findall("testsuite/testcase/system-out")))

    def test_json_is_the_same_as_the_option(self):
        self.write("blueprint.yaml", SMALL)
        self.assertEqual(self.lintel("validate", "--json").out, self.lintel("validate", "--format", "json").out)
        self.assertIn("text|json|sarif|junit", self.lintel("validate", "--format", "xml", code=USAGE).err)

    def test_BP_304_strict_raises_unknown_keys_and_nothing_else(self):
        self.write("blueprint.yaml", WARNED.replace("# lintel", "# no lintel"))
        self.assertEqual(self.lintel("validate", code=OK).err, self.lintel("validate", "--strict", code=OK).err)
        self.write("blueprint.yaml", WARNED + "extra: 1\n")
        for option, severity, code in (("--color=never", "warning", OK), ("--strict", "error", INVALID)):
            value = self.check_json("validate", "validate", option, code=code)
            self.assertEqual([("unknown_key", severity)],
                             [(d["code"], d["severity"]) for d in value["diagnostics"]])

    def test_BP_311_providers_can_be_left_out(self):
        self.write("blueprint.yaml", SMALL.replace("random/id", "acme/thing"))
        self.lintel("validate", code=INVALID)
        self.lintel("validate", "--no-providers", code=OK)

    def test_BP_062_transforms_can_be_left_out(self):
        self.write("blueprint.yaml", SMALL + "transform: acme-2025\n")
        self.lintel("validate", code=INVALID)
        value = self.check_json("validate", "validate", "--no-transforms", code=OK)
        self.assertFalse([d for d in value["diagnostics"] if d["severity"] == "error"])


class Suppression(CliCase):
    def found(self, text, *args, name="blueprint.yaml", code=OK):
        self.write(name, text)
        value = self.check_json("validate", "validate", name, *args, code=code)
        return [(d["code"], d["range"]["start"]["line"]) for d in value["diagnostics"]]

    def test_a_comment_allows_a_warning_on_its_line_or_the_one_above(self):
        self.assertEqual([], self.found(WARNED))
        self.assertEqual("", self.lintel("validate", code=OK).err)

    def test_in_json_with_comments(self):
        self.assertEqual([], self.found("""
{
  "version": "2025-11-02",
  "variables": {
    // lintel-allow unused_element: later
    "a": {"type": "string"},
    /* lintel-allow unused_element: later, too */
    "b": {"type": "string"}
  },
  "resources": {"id": {"type": "random/id", "spec": {"byteLength": 4}}}
}
""", name="blueprint.jsonc"))

    def test_comments_may_stand_between(self):
        text = WARNED.replace("next release\n", "next release\n  # another comment\n  # and one more\n")
        self.assertEqual([], self.found(text))

    def test_a_blank_line_ends_it(self):
        text = WARNED.replace("next release\n", "next release\n\n")
        self.assertEqual([("suppression_unused", 3), ("unused_element", 5)], self.found(text))

    def test_without_a_reason_it_is_a_warning_itself(self):
        text = WARNED.replace(": kept for the next release", "").replace(": so is this", " :  ")
        self.assertEqual([("suppression_without_reason", 3), ("suppression_without_reason", 5)], self.found(text))

    def test_what_allows_nothing_is_a_warning(self):
        text = WARNED.replace("allow unused_element: kept", "allow unused_elemnt: kept").replace("second", "id")
        self.assertEqual([("suppression_unused", 3), ("unused_element", 4)], self.found(text))
        self.assertIn("did you mean 'unused_element'?", self.lintel("validate").err)

    def test_errors_cannot_be_allowed(self):
        text = WARNED.replace("random/id", "random/idd # lintel-allow resource_type_not_found: no")
        text = text.replace("{type: random/idd", "\n    type: random/idd").replace(", spec: {byteLength: 4}}", "\n    spec: {}")
        found = self.found(text, code=INVALID)
        self.assertIn("resource_type_not_found", [c for c, _ in found])
        self.write("b.yaml", SMALL + "# lintel-allow missing_variable: no\nmetadata: {}\n")
        self.assertIn("is an error, which cannot be allowed", self.lintel("validate", "b.yaml", code=OK).err)

    def test_BP_304_strict_errors_are_reported_all_the_same(self):
        text = SMALL + "extra: 1 # lintel-allow unknown_key: ours\n"
        self.assertEqual([], self.found(text))
        self.assertEqual(["unknown_key"], [c for c, _ in self.found(text, "--strict", code=INVALID)])

    def test_texts_are_no_comments(self):
        text = WARNED + 'metadata: {note: "# lintel-allow unused_element: no"}\n'
        self.assertEqual([], self.found(text))

    def test_what_was_not_checked_is_not_called_unused(self):
        text = SMALL + "# lintel-allow link_expected: providers tell\nmetadata: {}\n"
        self.assertEqual(["suppression_unused"], [c for c, _ in self.found(text)])
        self.assertEqual([], self.found(text, "--no-providers"))

    def test_sarif_keeps_them_as_suppressions(self):
        self.write("blueprint.yaml", WARNED)
        results = self.lintel("validate", "--format", "sarif", code=OK).json()["runs"][0]["results"]
        self.assertEqual([("unused_element", [{"kind": "inSource", "justification": "kept for the next release"}]),
                          ("unused_element", [{"kind": "inSource", "justification": "so is this"}])],
                         [(r["ruleId"], r["suppressions"]) for r in results])

    def test_thousands_are_quick(self):
        lines = "".join("  v%d: {type: string} # lintel-allow unused_element: r\n" % i for i in range(20000))
        self.write("blueprint.yaml", WARNED.replace("resources:", lines.rstrip() + "\nresources:"))
        self.lintel("validate", code=OK)


if __name__ == "__main__":
    unittest.main()
