"""Saved plans: what was staged is what is deployed (BP-174, BP-283, BP-424); children in plans and shows (BP-193)."""

import json

from cli_case import INVALID, OK, CliCase

BLUEPRINT = """
version: 2025-11-02
variables:
  pass: {type: string, secret: true}
include:
  core: {path: core.yaml, variables: {name: "${uuid()}"}}
resources:
  note:
    type: local/file
    spec: {path: note.txt, contents: "${variables.pass} ${children.core.id} ${datetime('rfc3339')}"}
  maybe:
    type: local/file
    condition: "${eq(resources.note.spec.size, 1)}"
    spec: {path: maybe.txt, contents: x}
exports:
  id: {type: string, field: children.core.id}
"""
CORE = """
version: 2025-11-02
variables:
  name: {type: string}
resources:
  inner: {type: random/id, spec: {byteLength: 4, keepers: {name: "${variables.name}"}}}
exports:
  id: {type: string, field: resources.inner.spec.hex}
  other: {type: string, field: variables.name}
"""
GIVEN = ["--var", "pass=opensesame-4711"]


class Staged(CliCase):
    def setUp(self):
        super().setUp()
        self.write("blueprint.yaml", BLUEPRINT)
        self.write("core.yaml", CORE)
        self.lintel("plan", "--out", "p.json", *GIVEN, code=OK)

    def deploy_saved(self, *args, code):
        return self.lintel("deploy", "--auto-approve", "--plan", "p.json", *args, code=code)

    def test_brings_its_results(self):  # BP-424, FN-230, FN-231
        plan = self.check_json("plan", "plan", *GIVEN)["plan"]
        self.assertNotIn("results", plan)
        self.assertIn("resources.maybe.condition", plan["resolveOnDeploy"])
        self.assertEqual(["core.yaml"], [d["location"].split("/")[-1] for d in plan["includeDigests"]])
        self.deploy_saved(code=OK)
        self.assertTrue(self.read("note.txt").startswith(b"opensesame-4711 "))
        shown = self.lintel("plan", *GIVEN, code=OK)
        self.assertNotIn("children.core", shown.out)  # the uuid is the one that was staged

    def test_tells_which_exports_are_open(self):  # BP-143, BP-457, BP-307
        self.write("blueprint.yaml", """
            version: 2025-11-02
            values:
              both: {type: object, value: {hex: "${id.spec.hex}", one: 1}}
            resources:
              id: {type: random/id, spec: {}}
              maybe: {type: local/file, condition: '${eq(id.spec.hex, "")}', spec: {path: gone.txt}}
            exports:
              path: {type: string, field: maybe.spec.path}
              both: {type: object, field: values.both}
              hex: {type: string, field: id.spec.hex}
            """)
        result = self.lintel("plan", "--out", "q.json", code=OK)
        shown = self.lintel("show", "q.json", code=OK)
        for text in (result.out, shown.out):
            self.assertIn('exports.path: "%s" (checked on deploy)' % self.path("gone.txt"), text)
            self.assertIn("exports.hex: (known on deploy)\n", text)
        opened = [p for p in json.loads(self.read("q.json"))["resolveOnDeploy"] if p.startswith("exports")]
        self.assertEqual(["exports.path", "exports.both.hex", "exports.hex"], opened)

    def test_wants_the_same_include(self):  # BP-174
        self.write("core.yaml", CORE + "# changed\n")
        run = self.deploy_saved(code=INVALID)
        self.assertIn("include_changed_since_staging", run.err)

    def test_wants_the_same_secret(self):  # BP-283
        run = self.deploy_saved("--var", "pass=another-one-815", code=INVALID)
        self.assertIn("secret_changed_since_staging", run.err)
        self.assertNotIn("another-one-815", run.err + run.out)
        self.deploy_saved(*GIVEN, code=OK)

    def test_shows_children(self):  # BP-193
        self.deploy_saved(code=OK)
        shown = self.lintel("show", "children.core", code=OK).out
        self.assertIn("children.core/resources.inner", shown)
        self.assertIn("children.core/exports.other", shown)
        self.assertNotIn("resources.note", shown)
        self.assertEqual(["id"], list(self.check_json("output", "output")["exports"]))
        self.check_json("show", "show")

    def test_leaves_out_what_its_condition_excludes(self):  # BP-468
        self.deploy_saved(code=OK)
        self.assertNotIn(self.path("maybe.txt"), self.files_below())


class Annotations(CliCase):
    """What a link type asks of annotations holds for computed ones, too."""

    TEXT = """
        version: 2025-11-02
        variables: {flag: {type: string, default: 'false'}}
        resources:
          app:
            type: process/service
            metadata: {annotations: {process.file.populateEnvVars: "${jsondecode(variables.flag)}"}}
            linkSelector: {byLabel: {for: app}}
            spec: {command: [/bin/sleep, "60"]}
          conf:
            type: local/file
            metadata: {labels: {for: app}}
            spec: {path: app.conf, contents: x}
        """

    def test_computed_annotations_are_checked_when_they_are_known(self):  # BP-165
        self.write("blueprint.yaml", self.TEXT)
        self.lintel("validate", code=OK)
        self.lintel("plan", code=OK)
        value = self.check_json("plan", "plan", "--var", "flag=5", code=INVALID)
        self.assertEqual(["link_annotation_invalid"], [d["code"] for d in value["diagnostics"]])
        self.assertIn("'process.file.populateEnvVars' must be of type 'boolean'", value["diagnostics"][0]["message"])
