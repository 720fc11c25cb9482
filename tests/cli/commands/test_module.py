"""The commands of `lintel module` (docs/spec/module.md, MD-323)."""

import json
import os
import subprocess

from cli_case import FAILED, INVALID, LIMIT_S, LINTEL, OK, SCHEMAS, USAGE, CliCase

APP = """
name: app
import: [./lib.yaml]
parameter:
  type: object
  required: [tag]
  properties:
    tag: { type: string }
    key: { type: string, format: password, default: hidden }
    zones: { type: array, default: [a, b] }
modules:
- name: image
  module: resource/docker-local-image
  argument: { image: shop, tag: "${{ parameter.tag }}" }
- name: web
  module: service
  for: ${{ parameter.zones }}
  depends_on: [image]
  argument:
    zone: ${{ for.element }}
    key: ${{ parameter.key }}
    id: ${{ module.image.id }}
---
name: spare
modules:
- { name: x, module: resource/dummy, argument: { a: "${{ nobody }}" } }
"""

LIB = """
name: service
modules:
- name: run
  module: resource/docker-container
  argument:
    name: web-${{ parameter.zone }}
    env: [{ name: KEY, value: "${{ parameter.key }}" }]
"""


class ModuleCase(CliCase):
    def module(self, *args, code=None, **options):
        return self.lintel("module", *args, code=code, **options)

    def machine(self, command, *args, code=OK, **options):
        result = self.module(command, *args, "--json", code=code, **options)
        value = json.loads(result.out)
        SCHEMAS.check("module-" + command, value)
        return value

    def project(self):
        self.write("dacrane.yaml", APP)
        self.write("lib.yaml", LIB)


class Render(ModuleCase):
    def test_MD_323_render_prints_calls_in_order(self):
        self.project()
        result = self.module("render", "app", "-a", "tag=v1", "-a", "zones: [a]", code=OK)
        self.assertEqual("", result.err)
        expected = self.dedent("""
            - name: image
              module: resource/docker-local-image
              argument:
                image: shop
                tag: v1
            - name: web[0]
              module: service
              argument:
                zone: a
                key: (sensitive)
                id:
                  $lintel: unknown
            - name: web[0].run
              module: resource/docker-container
              argument:
                name: web-a
                env:
                  - name: KEY
                    value: (sensitive)
            """)
        self.assertEqual(expected, result.out)

    def dedent(self, text):
        lines = text.strip("\n").split("\n")[:-1]
        return "".join(line[12:] + "\n" for line in lines)

    def test_MD_262_secrets_are_shown_when_asked_for(self):
        self.project()
        shown = self.module("render", "app", "-a", "{tag: v1, zones: [a]}", "--show-sensitive", code=OK)
        self.assertIn("value: hidden", shown.out)
        hidden = self.machine("render", "app", "-a", "tag=v1")
        self.assertNotIn("hidden", json.dumps(hidden))
        self.assertEqual(["image", "web[0]", "web[0].run", "web[1]", "web[1].run"], [c["name"] for c in hidden["calls"]])

    def test_MD_270_arguments_merge_and_come_from_files(self):
        self.project()
        self.write("prod.yaml", "tag: v1\nzones: []\n")
        value = self.machine("render", "app", "-a", "@prod.yaml", "-a", "tag=v2")
        self.assertEqual([{"image": "shop", "tag": "v2"}], [c["argument"] for c in value["calls"]])

    def test_MD_271_environment_in_arguments_is_secret(self):
        self.project()
        value = self.machine("render", "app", "-a", "{tag: '${{ $env.TAG }}', zones: []}", env={"TAG": "from-outside"})
        self.assertEqual("(sensitive)", value["calls"][0]["argument"]["tag"])

    def test_MD_018_documents_that_are_not_used_do_not_matter(self):
        self.project()
        self.module("render", "app", "-a", "tag=v1", code=OK)
        result = self.module("render", "spare", code=INVALID)
        self.assertIn("unknown variable 'nobody'", result.err)

    def test_MD_055_violations_have_the_place_of_the_value(self):
        self.project()
        result = self.module("render", "app", "-a", "zones: 5", code=INVALID)
        self.assertIn("-a:1:8: error: argument/zones: must be an array, not an integer"
                      " (schema /properties/zones/type) [module_argument]\n", result.err)
        self.assertIn("argument: 'tag' is missing (schema /required)", result.err)
        self.assertEqual("", result.out)

    def test_MD_273_unknown_modules(self):
        self.project()
        result = self.module("render", "ap", code=INVALID)
        self.assertIn("lintel: error: unknown module 'ap'", result.err)
        self.assertIn("did you mean 'app'?", result.err)


class Validate(ModuleCase):
    def test_MD_360_form_of_diagnostics(self):
        self.project()
        result = self.module("validate", code=INVALID)
        first = result.err.split("\n")[0]
        self.assertEqual("dacrane.yaml:25:58: error: unknown variable 'nobody' [module_unknown_name]", first)
        self.assertIn("\n  in spare/modules/x/argument/a\n", result.err)
        value = self.machine("validate", code=INVALID)
        self.assertEqual((False, 4), (value["valid"], value["exitCode"]))
        self.assertEqual("spare/modules/x/argument/a", value["diagnostics"][0]["path"])

    def test_MD_031_imports_see_their_own_file(self):
        self.write("module.yaml", "name: a\nimport: [sub/b.yaml]\nmodules: [{ name: x, module: b }]\n")
        self.write("sub/b.yaml", "name: b\nimport: [c.yaml, ../module.yaml]\nmodules: [{ name: x, module: c }]\n")
        self.write("sub/c.yaml", "name: c\nmodules: [{ name: x, module: resource/dummy }]\n")
        self.assertEqual("module.yaml is valid\n", self.module("validate", code=OK).out)
        self.write("module.yaml", "name: a\nimport: [sub/b.yaml]\nmodules: [{ name: x, module: c }]\n")
        self.assertIn("module.yaml:3:30: error: unknown module 'c'", self.module("validate", code=INVALID).err)

    def test_MD_030_two_modules_of_one_name(self):
        self.write("module.yaml", "name: a\nimport: [b.yaml]\n")
        self.write("b.yaml", "name: a\n")
        result = self.module("validate", code=INVALID)
        self.assertIn("module.yaml:2:10: error: there are two modules 'a' here", result.err)
        self.assertIn("b.yaml:1:7: the other", result.err)

    def test_MD_032_imports_that_cannot_be_read(self):
        self.write("module.yaml", "name: a\nimport: [gone.yaml]\n")
        self.assertIn("'gone.yaml' cannot be imported: No such file", self.module("validate", code=INVALID).err)

    def test_MD_010_root_file(self):
        result = self.module("validate", code=FAILED)
        self.assertIn("lintel: error: there is neither dacrane.yaml nor module.yaml here", result.err)
        self.write("module.yaml", "name: a\n")
        self.write("dacrane.yaml", "name: b\n")
        self.assertIn("module.yaml is not read", self.module("validate", code=OK).err)
        self.module("validate", "--strict", code=INVALID)
        self.assertEqual("", self.module("validate", "--file", "module.yaml", code=OK).err)

    def test_MD_240_project_directory(self):
        self.write(".lintel/context.yaml", "current: default\n")
        self.write("dacrane.yaml", "name: a\n")
        os.makedirs(self.path("deep/down"))
        self.module("validate", cwd=self.path("deep/down"), code=OK)

    def test_MD_014_strict_makes_warnings_errors(self):
        self.write("module.yaml", "name: a\nmoduls: []\n")
        self.assertIn("module.yaml:2:1: warning: ", self.module("validate", code=OK).err)
        self.assertIn("module.yaml:2:1: error: ", self.module("validate", "--strict", code=INVALID).err)

    def test_MD_323_validate_with_an_argument(self):
        self.write("module.yaml", "name: a\nparameter: { required: [x] }\n")
        self.module("validate", code=OK)
        self.module("validate", "a", code=INVALID)
        self.module("validate", "a", "-a", "x=1", code=OK)
        self.module("validate", "-a", "x=1", code=USAGE)


class Eval(ModuleCase):
    def test_MD_323_eval(self):
        for expected, args in (("3\n", ("1 + parameter.n", "-a", "n=2")), ("a b\n", ("a ${{ \"b\" }}",)),
                               ("- 1\n- x: null\n", ('[1, {"x": null}]',)), ("(sensitive)\n", ('sensitive("x")',))):
            self.assertEqual(expected, self.module("eval", *args, code=OK).out)
        self.assertEqual({"a": 1.5}, self.machine("eval", '{"a": 3 / 2}')["value"])

    def test_MD_365_mistakes(self):
        result = self.module("eval", "1 + nobody", code=INVALID)
        self.assertIn("EXPR:1:5: error: unknown variable 'nobody'", result.err)
        self.assertEqual(4, self.machine("eval", "1 +", code=INVALID)["exitCode"])
        self.assertEqual(5, json.loads(self.module("eval", "--json", code=USAGE).out)["exitCode"])


class Graph(ModuleCase):
    def test_MD_323_graph(self):
        self.project()
        value = self.machine("graph", "app")
        self.assertEqual([{"from": "web", "to": "image"}], value["edges"])
        dot = self.module("graph", "app", code=OK).out
        self.assertIn('  c1 [label="web (service)"];\n  c1 -> c0;\n}\n', dot)
        self.assertIn("  c1 --> c0\n", self.module("graph", "app", "--format", "mermaid", code=OK).out)


class Dacrane(ModuleCase):
    def test_MD_004_the_other_name(self):
        self.project()
        link = os.path.join(self.home, "dacrane")
        os.symlink(LINTEL, link)
        done = subprocess.run([link, "render", "app"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.dir,
                              env=self.environment(None), timeout=LIMIT_S, check=False)
        self.assertEqual(INVALID, done.returncode)
        self.assertIn(b"error: argument: 'tag' is missing", done.stderr)
        done = subprocess.run([link, "render", "nothing"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.dir,
                              env=self.environment(None), timeout=LIMIT_S, check=False)
        self.assertIn(b"dacrane: error: unknown module 'nothing'", done.stderr)
        done = subprocess.run([link, "apply", "app", "x"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.dir,
                              env=self.environment(None), timeout=LIMIT_S, check=False)
        self.assertEqual(USAGE, done.returncode)
