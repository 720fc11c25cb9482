"""Transforms on the command line (BP-055 to BP-062): where they are found, and that they run when they may."""

import os

from cli_case import INVALID, OK, CliCase

BLUEPRINT = """
version: 2025-11-02
transform: named
resources:
  a: {type: local/file, spec: {path: a.txt, contents: hello}}
"""

# Gives every file another name and counts its runs.
NAMED = """
#!/usr/bin/env python3
import json, os, sys
with open(os.path.join(os.path.dirname(__file__), "runs"), "a") as runs:
    runs.write("run\\n")
blueprint = json.load(sys.stdin)
for name, resource in blueprint["resources"].items():
    resource["spec"]["path"] = "made-" + resource["spec"]["path"]
json.dump(blueprint, sys.stdout)
"""


class Transforms(CliCase):
    def setUp(self):
        super().setUp()
        self.write("blueprint.yaml", BLUEPRINT)
        self.add("named", NAMED)

    def add(self, name, text):
        self.write("plugins/lintel-transform-" + name, text)
        os.chmod(self.path("plugins/lintel-transform-" + name), 0o755)

    def count_runs(self):
        return self.read("plugins/runs").count(b"\n") if os.path.exists(self.path("plugins/runs")) else 0

    def test_BP_057_the_plugin_path_comes_from_everywhere_settings_do(self):
        self.assertEqual([("missing_transformers", 2, 12)], self.codes_of())
        self.lintel("validate", "--plugin-path", "plugins", code=OK)
        self.lintel("validate", env={"LINTEL_PLUGIN_PATH": "none:plugins"}, code=OK)
        self.write("lintel.yaml", "plugin-path: plugins\n")
        self.lintel("validate", code=OK)

    def test_BP_056_what_it_makes_is_deployed(self):
        self.deploy("--plugin-path", "plugins")
        self.assertEqual(b"hello", self.read("made-a.txt"))
        self.assertFalse(os.path.exists(self.path("a.txt")))

    def test_BP_060_one_run_per_document_and_command(self):
        self.lintel("plan", "--plugin-path", "plugins", "--out", "p.json", code=OK)
        self.assertEqual(1, self.count_runs())
        self.lintel("validate", "blueprint.yaml", "./blueprint.yaml", "--plugin-path", "plugins", code=OK)
        self.assertEqual(2, self.count_runs())

    def test_BP_060_it_gets_no_secret(self):
        self.write("blueprint.yaml", BLUEPRINT + 'variables: {p: {type: string, secret: true, default: hunter2}}\n'
                   'values: {v: {type: string, value: "${variables.p}"}}\nexports: {v: {type: string, field: values.v}}\n')
        self.add("named", "#!/bin/sh\nenv >&2\ntee /dev/stderr\n")
        result = self.lintel("plan", "--plugin-path", "plugins", "--var", "p=tiger33",
                             env={"LINTEL_VAR_other": "tiger33"}, code=OK)
        self.assertNotIn("hunter2", result.out + result.err)
        self.assertNotIn("tiger33", result.out + result.err)
        self.assertIn("(sensitive:1)", result.err)

    def test_BP_062_they_can_be_left_out(self):
        self.write("blueprint.yaml", BLUEPRINT.replace("local/file", "shop/file"))
        value = self.check_json("validate", "validate", "--no-transforms", "--plugin-path", "plugins", code=OK)
        self.assertEqual([("provider_not_found", "warning")], [(d["code"], d["severity"]) for d in value["diagnostics"]])
        self.assertEqual(0, self.count_runs())

    def test_pure_runs_none(self):  # F110
        self.assertEqual([("transform_failed", 2, 12)], self.codes_of("--pure", "--plugin-path", "plugins"))
        self.assertEqual(0, self.count_runs())

    def test_BP_058_findings_come_out_as_every_other(self):
        self.add("named", "#!/bin/sh\n"
                 "echo '{\"code\": \"named/odd\", \"severity\": \"error\", \"message\": \"odd \\u001b[31m\", "
                 "\"path\": \"/resources/a/spec/path\"}' >&2\ncat\n")
        value = self.check_json("validate", "validate", "--plugin-path", "plugins", code=INVALID)
        found = value["diagnostics"][0]
        self.assertEqual(("named/odd", "error", "transform_validation_errors", 4),
                         (found["code"], found["severity"], found["group"], found["range"]["start"]["line"]))
        self.assertNotIn("\x1b", self.lintel("validate", "--plugin-path", "plugins", code=INVALID).err)

    def test_BP_061_the_path_of_what_it_made_is_told(self):
        self.add("named", "#!/bin/sh\nsed 's/\"contents\":\"hello\"/\"contents\":[1]/'\n")
        value = self.check_json("validate", "validate", "--plugin-path", "plugins", code=INVALID)
        found = value["diagnostics"][0]
        self.assertEqual(("resource_def_invalid_type", "resources.a.spec.contents", 2),
                         (found["code"], found["path"], found["range"]["start"]["line"]))
        self.assertIn("at 'resources.a.spec.contents' of what the transform made", found["message"])
