"""Blueprints in blueprints on the command line: includes (1.11) and resources of type lintel/blueprint (1.20)."""

import os

from cli_case import INVALID, OK, CliCase

ROOT = """
version: 2025-11-02
include:
  core:
    path: parts/core.yaml
    variables: {name: shop}
resources:
  page:
    type: local/file
    spec: {path: page.txt, contents: "${children.core.title}"}
exports:
  title: {type: string, field: children.core.title}
"""

CORE = """
version: 2025-11-02
variables:
  name: {type: string}
values:
  title: {type: string, value: "welcome to ${variables.name}"}
resources:
  sign:
    type: local/file
    spec: {path: sign.txt, contents: "${values.title}"}
exports:
  title: {type: string, field: sign.spec.contents}
"""


class Includes(CliCase):
    def setUp(self):
        super().setUp()
        self.write("blueprint.yaml", ROOT)
        self.write("parts/core.yaml", CORE)

    def test_a_child_is_deployed_changed_and_destroyed_with_its_parent(self):
        self.deploy()
        self.assertEqual(b"welcome to shop", self.read("page.txt"))
        self.assertEqual(b"welcome to shop", self.read("sign.txt"))
        self.assertEqual("welcome to shop\n", self.lintel("output", "title", "--raw", code=OK).out)
        self.write("parts/core.yaml", CORE.replace("welcome", "back"))
        self.deploy()
        self.assertEqual(b"back to shop", self.read("page.txt"))
        self.lintel("destroy", "--auto-approve", code=OK)
        self.assertFalse(os.path.exists(self.path("sign.txt")))

    def test_BP_174_a_saved_plan_deploys_what_was_planned(self):
        self.lintel("plan", "--out", "p.json", code=OK)
        self.write("parts/core.yaml", CORE.replace("welcome", "back"))
        result = self.lintel("deploy", "--plan", "p.json")
        self.assertNotEqual(OK, result.code)
        self.assertIn("include_changed_since_staging", result.err)
        self.assertFalse(os.path.exists(self.path("page.txt")))
        self.write("parts/core.yaml", CORE)
        self.lintel("deploy", "--plan", "p.json", code=OK)
        self.assertEqual(b"welcome to shop", self.read("page.txt"))

    def test_BP_181_BP_307_mistakes_of_a_child_are_where_they_are(self):
        self.write("parts/core.yaml", CORE.replace("${variables.name}", "${variables.nam}"))
        value = self.check_json("validate", "validate", code=INVALID)
        found = [d for d in value["diagnostics"] if d["code"] == "missing_variable"][0]
        self.assertEqual(("parts/core.yaml", 5, "children.core/values.title.value"),
                         (os.path.relpath(os.path.join(self.dir, found["file"]), self.dir),
                          found["range"]["start"]["line"], found["path"]))
        self.assertEqual(["blueprint.yaml"], [os.path.basename(r["file"]) for r in found["related"]])

    def test_BP_176_outside_is_left_alone_unless_allowed(self):
        os.rename(self.path("parts"), os.path.join(self.home, "parts"))
        os.symlink(os.path.join(self.home, "parts"), self.path("parts"))
        self.assertEqual([("include_path_outside_root", 4, 11)], self.codes_of())
        self.lintel("validate", "--allow-outside", code=OK)

    def test_BP_085_a_secret_stays_one_on_its_way(self):
        self.write("blueprint.yaml", ROOT.replace("name: shop", 'name: "${variables.s}"') +
                   "variables: {s: {type: string, secret: true}}\n")
        result = self.lintel("plan", "--var", "s=hunter22", code=OK)
        self.assertNotIn("hunter22", result.out + result.err)
        self.assertIn("(sensitive)", result.out)
        self.deploy("--var", "s=hunter22")
        self.assertEqual(b"welcome to hunter22", self.read("page.txt"))
        for name in self.files_below(".lintel"):
            with open(name, "rb") as stream:
                self.assertNotIn(b"hunter22", stream.read(), name)


class Resources(CliCase):
    def test_BP_294_a_saved_plan_of_instances(self):
        self.write("parts/core.yaml", CORE.replace("path: sign.txt", 'path: "sign-${variables.name}.txt"'))
        self.write("blueprint.yaml", """
            version: 2025-11-02
            resources:
              sub:
                type: lintel/blueprint
                each: ${list("a", "b")}
                spec: {path: parts/core.yaml, variables: {name: "${elem}"}}
            exports:
              title: {type: string, field: "sub[1].state.title"}
            """)
        self.lintel("plan", "--out", "p.json", code=OK)
        self.assertIn("resources.sub_1/resources.sign", self.lintel("show", "p.json", code=OK).out)
        self.lintel("deploy", "--plan", "p.json", code=OK)
        self.assertEqual(b"welcome to b", self.read("sign-b.txt"))
        self.assertIn("sign-a.txt", self.lintel("show", "resources.sub_0/resources.sign", code=OK).out)
        self.lintel("plan", "--detailed-exitcode", code=OK)

    def test_BP_291_a_module_from_its_root(self):
        self.write("modules/shop/sign/1.0/blueprint.yaml", CORE)
        self.write("blueprint.yaml", """
            version: 2025-11-02
            resources:
              sign: {type: lintel/blueprint, spec: {module: {name: shop/sign, version: 1.0}, variables: {name: me}}}
            exports:
              title: {type: string, field: sign.state.title}
              name: {type: string, field: sign.spec.variables.name}
            """)
        self.assertEqual([("include_path_not_found", 3, 56)], self.codes_of())
        self.deploy("--module-root", "modules")
        self.assertEqual("welcome to me\n", self.lintel("output", "title", "--raw", code=OK).out)
        self.assertEqual("me\n", self.lintel("output", "name", "--raw", code=OK).out)
        os.rename(self.path("modules"), os.path.join(self.home, "modules"))
        self.lintel("validate", "--module-root", "../modules", code=OK)
        self.assertEqual([("include_path_outside_root", 3, 56)], self.codes_of("--module-root", "../modules", "--pure"))

    def test_BP_292_BP_294_each_condition_and_removal(self):
        self.write("core.yaml", CORE.replace("sign.txt", "\"${variables.name}.txt\""))
        text = """
            version: 2025-11-02
            variables: {names: {type: string, default: "a,b"}, extra: {type: boolean, default: true}}
            resources:
              signs:
                type: lintel/blueprint
                each: ${split(variables.names, ",")}
                spec: {path: core.yaml, variables: {name: "${elem}"}}
              extra:
                type: lintel/blueprint
                condition: ${variables.extra}
                removalPolicy: retain
                spec: {path: core.yaml, variables: {name: extra}}
            """
        self.write("blueprint.yaml", text)
        self.deploy()
        self.assertEqual(b"welcome to a", self.read("a.txt"))
        self.assertEqual(b"welcome to b", self.read("b.txt"))
        self.assertEqual(b"welcome to extra", self.read("extra.txt"))
        self.deploy("--var", "names=a", "--var", "extra=false")
        self.assertFalse(os.path.exists(self.path("b.txt")))
        self.assertTrue(os.path.exists(self.path("extra.txt")), "retained")
        self.assertNotIn("extra", self.lintel("show", code=OK).out)
