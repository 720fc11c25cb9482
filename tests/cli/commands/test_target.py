"""Plans of a part: --target, --exclude, --replace (CLI-012, CLI-013, BP-448, BP-449, BP-485)."""

import json

from cli_case import CHANGES, INVALID, OK, SCHEMAS, USAGE, CliCase

CHAIN = """
version: 2025-11-02
variables:
  a: {type: string, default: one}
values:
  joined: {type: string, value: "v-${resources.base.spec.id}"}
resources:
  base: {type: random/id, spec: {keepers: {a: "${variables.a}"}}}
  mid: {type: random/id, spec: {keepers: {b: "${values.joined}"}}}
  top: {type: random/id, spec: {keepers: {m: "${resources.mid.spec.id}"}}}
  other: {type: random/id, spec: {keepers: {a: "${variables.a}"}}}
exports:
  base: {type: string, field: resources.base.spec.id}
  top: {type: string, field: resources.top.spec.id}
  other: {type: string, field: resources.other.spec.id}
"""

PARENT = """
version: 2025-11-02
include:
  core: {path: core.yaml, variables: {seed: "${resources.seed.spec.id}"}}
resources:
  seed: {type: random/id, spec: {}}
  user: {type: random/id, spec: {keepers: {k: "${children.core.key}"}}}
  far: {type: random/id, spec: {}}
exports:
  key: {type: string, field: children.core.key}
"""

CHILD_AS_RESOURCE = """
version: 2025-11-02
resources:
  core: {type: lintel/blueprint, spec: {path: core.yaml, variables: {seed: x}}}
  waits: {type: random/id, dependsOn: core, spec: {}}
"""

CORE = """
version: 2025-11-02
variables:
  seed: {type: string}
resources:
  one: {type: random/id, spec: {keepers: {s: "${variables.seed}"}}}
  two: {type: random/id, spec: {}}
exports:
  key: {type: string, field: resources.one.spec.id}
"""

EACH = """
version: 2025-11-02
variables:
  names: {type: string, default: "a,b,c"}
resources:
  fn: {type: random/id, each: "${split(variables.names, \\",\\")}", spec: {keepers: {n: "${elem}"}}}
  all: {type: random/id, dependsOn: fn, spec: {}}
  lone: {type: random/id, spec: {}}
"""


class Case(CliCase):
    def plan(self, *args):
        """What would be done: operation → addresses."""
        plan = self.check_json("plan", "plan", *args, code=OK)["plan"]
        made = {c["address"] for c in plan.get("newResources", [])}
        changed = {c["address"] for c in plan.get("resourceChanges", [])}
        removed = {c["address"] for c in plan.get("removedResources", [])}
        self.scope = plan.get("scope")
        self.exports = {c["address"] for k in ("newExports", "exportChanges", "removedExports")
                        for c in plan.get(k, [])}
        return short(made), short(changed), short(removed)

    def stored(self):
        return short(e["address"] for e in self.lintel("show", "--json", code=OK).json()["elements"]
                     if ".exports." not in e["address"] and not e["address"].startswith("exports."))

    def outputs(self):
        return {name: value["value"] for name, value in self.lintel("output", "--json", code=OK).json()["exports"].items()}


def short(addresses):
    return " ".join(sorted(a.replace("resources.", "") for a in addresses))


class Targets(Case):
    def test_CLI_013_takes_what_it_uses(self):
        self.write("blueprint.yaml", CHAIN)
        self.assertEqual(("base mid", "", ""), self.plan("--target", "resources.mid"))
        self.assertEqual({"exports.base"}, self.exports)
        self.assertEqual(["resources.mid"], self.scope["targets"])
        self.assertEqual(["resources.top", "resources.other", "exports.top", "exports.other"], self.scope["leftOut"])
        self.assertEqual(("base other", "", ""), self.plan("--target", "resources.other", "--target=resources.base"))
        self.assertEqual(("base", "", ""), self.plan("--target", "values.joined"))
        self.assertEqual(("base mid top", "", ""), self.plan("--target", "exports.top"))

    def test_CLI_013_leaves_out_what_uses_it(self):
        self.write("blueprint.yaml", CHAIN)
        self.assertEqual(("base other", "", ""), self.plan("--exclude", "resources.mid"))
        self.assertEqual(("base mid", "", ""), self.plan("--target", "resources.top", "--exclude", "resources.top"
                                                         , "--target", "resources.mid"))
        self.assertEqual(("base mid other top", "", ""), self.plan("--exclude", "exports.top"))
        self.assertEqual({"exports.base", "exports.other"}, self.exports)

    def test_CLI_013_the_rest_comes_with_the_next_plan(self):
        self.write("blueprint.yaml", CHAIN)
        self.deploy("--target", "resources.mid")
        self.assertEqual("base mid", self.stored())
        self.assertEqual(["base"], list(self.outputs()))
        self.assertEqual(("other top", "", ""), self.plan())
        self.deploy()
        before = self.outputs()
        self.lintel("plan", "--detailed-exitcode", code=OK)
        changed = CHAIN.replace("default: one", "default: two")
        self.write("blueprint.yaml", changed)
        self.deploy("--exclude", "resources.mid")
        now = self.outputs()
        self.assertNotEqual(before["base"], now["base"])
        self.assertEqual(before["top"], now["top"], "its sources were left out")
        self.assertNotEqual(before["other"], now["other"])
        self.assertEqual(("", "mid top", ""), self.plan())
        self.deploy()
        self.assertNotEqual(before["top"], self.outputs()["top"])
        self.lintel("plan", "--detailed-exitcode", code=OK)

    def test_CLI_013_plans_say_so(self):
        self.write("blueprint.yaml", CHAIN)
        head = "Limited by --target resources.mid: 4 elements are left out.\n"
        self.assertIn(head, self.lintel("plan", "--target", "resources.mid", code=OK).out)
        self.assertIn(head, self.lintel("plan", "--summary", "--target", "resources.mid", code=OK).out)
        self.assertIn("resources.mid", self.lintel("plan", "--md", "--target", "resources.mid", code=OK).out)
        self.assertIn("Limited by", self.lintel("plan", "--md", "--target", "resources.mid", code=OK).out)
        self.assertNotIn("Limited", self.lintel("plan", code=OK).out)
        self.deploy("--target", "resources.base")
        again = self.lintel("plan", "--target", "resources.base", code=OK).out
        self.assertIn("nothing in what was chosen would change", again)
        self.assertIn("nothing to do in what was chosen", self.deploy("--target", "resources.base").out)

    def test_CLI_013_a_saved_plan_keeps_to_it(self):
        self.write("blueprint.yaml", CHAIN)
        self.deploy()
        before = self.outputs()
        self.write("blueprint.yaml", CHAIN.replace("default: one", "default: two"))
        self.lintel("plan", "--exclude", "resources.mid", "--out", "p.json", code=OK)
        saved = json.loads(self.read("p.json"))
        SCHEMAS.check("plan-file", saved)
        self.assertEqual(["resources.mid"], saved["scope"]["excludes"])
        self.lintel("deploy", "--plan", "p.json", "--target", "resources.base", code=USAGE)
        self.lintel("deploy", "--plan", "p.json", code=OK)
        now = self.outputs()
        self.assertNotEqual(before["base"], now["base"])
        self.assertEqual(before["top"], now["top"])
        self.assertEqual(("", "mid top", ""), self.plan())

    def test_CLI_012_addresses(self):
        self.write("blueprint.yaml", CHAIN)
        result = self.lintel("plan", "--target", "resources.mdi", code=INVALID)
        self.assertIn("resource_missing", result.err)
        self.assertIn("--> --target:1:1", result.err)
        self.assertIn("did you mean 'resources.mid'?", result.err)
        self.assertIn("name the whole: resources.mid",
                      self.lintel("plan", "--exclude", "resources.mid.spec.id", code=INVALID).err)
        for bad in ("", "mid", "resources.", "resources.mid/", "../..", "links.a"):
            self.lintel("plan", "--target", bad, code=INVALID)
            self.lintel("deploy", "--auto-approve", "--exclude", bad, code=INVALID)
        self.lintel("destroy", "--auto-approve", "--replace", "resources.mid", code=USAGE)


class Groups(Case):
    def test_CLI_013_children(self):
        self.write("blueprint.yaml", PARENT)
        self.write("core.yaml", CORE)
        core = "children.core/one children.core/two"
        self.assertEqual((core + " seed", "", ""), self.plan("--target", "children.core"))
        self.assertEqual((core + " seed user", "", ""), self.plan("--target", "resources.user"), "it waits for all")
        self.assertEqual(("children.core/one seed", "", ""), self.plan("--target", "children.core/resources.one"))
        self.assertEqual(("children.core/two seed", "", ""), self.plan("--target", "children.core/resources.two"))
        self.assertEqual(("far seed", "", ""), self.plan("--exclude", "children.core"))
        self.assertEqual(("far", "", ""), self.plan("--exclude", "resources.seed"))
        self.assertEqual(("children.core/one far seed", "", ""),
                         self.plan("--exclude", "children.core/resources.two"))
        self.deploy("--target", "children.core")
        self.assertEqual(("far user", "", ""), self.plan())
        self.deploy()
        self.lintel("plan", "--detailed-exitcode", code=OK)

    def test_CLI_013_templates(self):
        self.write("blueprint.yaml", EACH)
        self.assertEqual(("fn_0 fn_1 fn_2", "", ""), self.plan("--target", "resources.fn"))
        self.assertEqual(("fn_1", "", ""), self.plan("--target", "resources.fn[1]"))
        self.assertEqual(("all fn_0 fn_1 fn_2", "", ""), self.plan("--target", "resources.all"))
        self.assertEqual(("fn_0 fn_2 lone", "", ""), self.plan("--exclude", "resources.fn_1"))
        self.deploy()
        self.write("blueprint.yaml", EACH.replace("a,b,c", "a"))
        self.assertEqual(("", "", "fn_1 fn_2"), self.plan())
        self.assertEqual(("", "", ""), self.plan("--target", "resources.lone"))
        self.assertIn("removed_resource_has_dependents",
                      self.lintel("plan", "--target", "resources.fn_2", code=INVALID).err)
        self.assertEqual(("", "", "fn_2"), self.plan("--target", "resources.fn_2", "--target", "resources.all"))
        self.assertEqual(("", "", "fn_1 fn_2"), self.plan("--target", "resources.fn", "--target", "resources.all"))
        self.assertEqual(("", "", "fn_1"), self.plan("--exclude", "resources.fn_2"))


class Removed(Case):
    def setUp(self):
        super().setUp()
        self.write("blueprint.yaml", CHAIN)
        self.deploy()
        without = CHAIN.replace("resources.mid.spec.id", "variables.a")
        self.write("blueprint.yaml", "\n".join(line for line in without.split("\n") if not line.startswith("  mid:")))

    def test_CLI_013_removed_elements_are_left_alone(self):
        self.assertEqual(("", "", ""), self.plan("--target", "resources.other"))
        self.assertEqual(("", "top", "mid"), self.plan("--target", "resources.top", "--target", "resources.mid"))
        self.assertEqual(("", "top", "mid"), self.plan("--exclude", "resources.other"))
        self.assertEqual(("", "top", ""), self.plan("--exclude", "resources.mid"))

    def test_BP_485_a_removed_resource_that_is_still_used(self):
        result = self.lintel("plan", "--target", "resources.mid", code=INVALID)
        self.assertIn("removed_resource_has_dependents", result.err)
        self.assertIn("target 'resources.top', too", result.err)
        # Who leaves out its user leaves it where it is.
        self.assertEqual(("", "", ""), self.plan("--exclude", "resources.top"))
        self.deploy("--exclude", "resources.top")
        self.assertEqual("base mid other top", self.stored())
        self.deploy()
        self.assertEqual("base other top", self.stored())

    def test_BP_485_a_removed_child_that_is_still_used(self):
        self.write("blueprint.yaml", CHILD_AS_RESOURCE)
        self.write("core.yaml", CORE)
        self.deploy("-i", "family")
        alone = "version: 2025-11-02\nresources:\n  waits: {type: random/id, spec: {}}\n"
        self.write("blueprint.yaml", alone)
        self.assertEqual(("", "", "core/one core/two"), self.plan("-i", "family"))
        result = self.lintel("plan", "-i", "family", "--target", "resources.core", code=INVALID)
        self.assertIn("removed_child_has_dependents", result.err)


class Destruction(Case):
    def setUp(self):
        super().setUp()
        self.write("blueprint.yaml", CHAIN)
        self.deploy()

    def test_CLI_013_takes_along_what_uses_it(self):
        self.assertEqual(("", "", "mid top"), self.plan("--destroy", "--target", "resources.mid"))
        self.assertEqual({"exports.top"}, self.exports)
        out = self.lintel("destroy", "--auto-approve", "--target", "resources.mid", code=OK).out
        self.assertIn("what was chosen will be destroyed", out)
        self.assertEqual("base other", self.stored())
        self.assertEqual(["base", "other"], sorted(self.outputs()))
        self.assertEqual("updated", self.lintel("show", "--json", code=OK).json()["instance"]["status"])
        self.assertEqual(("mid top", "", ""), self.plan())
        self.deploy()
        self.lintel("plan", "--detailed-exitcode", code=OK)

    def test_CLI_013_what_stays_keeps_what_it_uses(self):
        self.assertEqual(("", "", "other top"), self.plan("--destroy", "--exclude", "resources.mid"))
        self.lintel("destroy", "--auto-approve", "--exclude", "resources.mid", code=OK)
        self.assertEqual("base mid", self.stored())

    def test_CLI_013_is_rolled_back_by_itself(self):  # BP-521
        before = self.outputs()
        self.lintel("destroy", "--auto-approve", "--target", "resources.top", code=OK)
        self.assertEqual("base mid other", self.stored())
        self.lintel("rollback", "--auto-approve", code=OK)
        self.assertEqual("base mid other top", self.stored())
        self.assertEqual(before["base"], self.outputs()["base"])
        self.assertEqual("destroy_rollback_complete",
                         self.lintel("show", "--json", code=OK).json()["instance"]["status"])

    def test_CLI_013_when_nothing_stays_the_instance_goes(self):
        self.lintel("destroy", "--auto-approve", "--target", "resources.base", "--target", "resources.other", code=OK)
        self.lintel("show", code=INVALID)

    def test_CLI_012_addresses_of_the_instance(self):
        result = self.lintel("destroy", "--auto-approve", "--target", "resources.bas", code=INVALID)
        self.assertIn("there is no element 'resources.bas' in the instance", result.err)
        self.assertIn("did you mean 'resources.base'?", result.err)


class Replacement(Case):
    def test_BP_448_replacement_is_propagated(self):
        self.write("blueprint.yaml", CHAIN)
        self.deploy()
        before = self.outputs()
        self.assertEqual(("", "mid top", ""), self.plan("--replace", "resources.mid"))
        self.assertEqual({"replaces": ["resources.mid"]}, self.scope)
        text = self.lintel("plan", "--replace", "resources.mid", code=OK).out
        self.assertIn("Made anew by --replace resources.mid.", text)
        self.assertIn("because of --replace", text)
        self.lintel("plan", "--replace", "resources.mid", "--detailed-exitcode", code=CHANGES)
        self.deploy("--replace", "resources.mid")
        self.assertNotEqual(before["top"], self.outputs()["top"])
        self.assertEqual(before["base"], self.outputs()["base"])
        self.lintel("plan", "--detailed-exitcode", code=OK)

    def test_CLI_012_only_what_is_there(self):
        self.write("blueprint.yaml", CHAIN)
        self.assertIn("there is no object of it", self.lintel("plan", "--replace", "resources.mid", code=INVALID).err)
        self.deploy()
        self.assertIn("it is left out", self.lintel("plan", "--replace", "resources.mid", "--target", "resources.base",
                                                    code=INVALID).err)
        self.assertIn("did you mean 'resources.top'?", self.lintel("plan", "--replace", "resources.tpo", code=INVALID).err)

    def test_BP_449_what_is_to_be_retained_is_not_destroyed_first(self):
        text = """
version: 2025-11-02
resources:
  note: {type: local/file, removalPolicy: retain, spec: {path: note.txt, contents: hello}}
  id: {type: random/id, removalPolicy: retain, spec: {}}
"""
        self.write("blueprint.yaml", text)
        self.deploy()
        error = self.check_json("plan", "plan", "--replace", "resources.note", code=INVALID)["diagnostics"][0]
        self.assertEqual(("replacement_blocked_by_retain", "resources.note"), (error["code"], error["path"]))
        self.assertEqual(("", "id", ""), self.plan("--replace", "resources.id"))
        self.write("blueprint.yaml", text.replace("retain", "delete"))
        self.deploy()
        self.assertIn("-/+ resources.note", self.lintel("plan", "--summary", "--replace", "resources.note", code=OK).out)
        self.deploy("--replace", "resources.note")
        self.assertEqual(b"hello", self.read("note.txt"))
