"""The change set of `plan --json`: what it is made from and what it tells of each element (BP-420, BP-423, BP-552)."""

import json
import os
import unittest

from cli_case import INVALID, OK, SMALL, USAGE, CliCase

BEFORE = """
version: 2025-11-02
variables:
  text: {type: string, default: one}
resources:
  id: {type: random/id, spec: {byteLength: 4}}
  stays: {type: local/file, spec: {path: stays.txt, contents: "${variables.text}"}}
  moves: {type: local/file, spec: {path: moves.txt, contents: "${resources.id.spec.hex}", mode: "0600"}}
  goes: {type: local/file, spec: {path: goes.txt, contents: x}}
"""
AFTER = BEFORE.replace("byteLength: 4", "byteLength: 8").replace("path: moves.txt", "path: moved.txt").split("  goes:")[0] + """
  new:
    type: local/file
    spec: {path: new.txt, contents: "${resources.id.spec.hex}"}
"""
FIELDS = {"fieldPath", "prevValue", "newValue", "mustRecreate", "sensitive"}
LINKED = """
version: 2025-11-02
resources:
  db: {type: sqlite/database, metadata: {labels: {app: shop}}, spec: {path: shop.db}}
  app:
    type: process/service
    linkSelector: {byLabel: {app: shop}}
    spec: {command: /bin/sleep, args: ["300"]}
"""


class ChangeSet(CliCase):
    def plan(self, *args, code=OK):
        return self.check_json("plan", "plan", *args, code=code)["plan"]

    def test_BP_420_instance_blueprint_and_values_or_instance_and_destruction(self):
        self.write("blueprint.yaml", BEFORE)
        plan = self.plan("-i", "here", "--var", "text=two")
        self.assertEqual(("here", 0, False), (plan["instance"]["name"], plan["instance"]["version"], plan["destroy"]))
        self.assertEqual(["text"], [i["name"] for i in plan["inputs"]])
        self.assertEqual(4, len(plan["newResources"]))
        self.deploy()
        plan = self.plan("--destroy")
        self.assertTrue(plan["destroy"])
        self.assertEqual(["resources.goes", "resources.id", "resources.moves", "resources.stays"],
                         sorted(r["address"] for r in plan["removedResources"]))
        self.assertEqual(0, plan["summary"]["create"])
        os.unlink(self.path("blueprint.yaml"))
        self.assertEqual(4, self.plan("--destroy", "-i", "shop")["summary"]["destroy"], "it needs no blueprint")
        self.check_json("plan", "plan", code=USAGE)

    def test_BP_423_what_is_told_of_a_change(self):
        self.write("blueprint.yaml", BEFORE)
        self.deploy()
        self.write("blueprint.yaml", AFTER)
        plan = self.plan("--var", "text=two")
        new = {r["address"]: r for r in plan["newResources"]}
        changed = {r["address"]: r for r in plan["resourceChanges"]}
        self.assertEqual(["resources.new"], list(new))
        self.assertEqual(["resources.id", "resources.stays", "resources.moves"], list(changed))
        self.assertEqual(["resources.goes"], [r["address"] for r in plan["removedResources"]])

        stays = changed["resources.stays"]
        self.assertEqual("update", stays["operation"])
        self.assertFalse(stays.get("mustRecreate", False))
        field = stays["modifiedFields"][0]
        self.assertEqual(("spec.contents", "one", "two"), (field["fieldPath"], field["prevValue"], field["newValue"]))
        self.assertIn("spec.path", stays["unchangedFields"])

        moves = changed["resources.moves"]
        self.assertEqual(("replace", True), (moves["operation"], moves["mustRecreate"]))
        self.assertIn(moves["replaceOrder"], ("createBeforeDestroy", "destroyBeforeCreate"))
        self.assertEqual(["spec.path"], [r["path"] if isinstance(r, dict) else r for r in moves["replaceReasons"]])
        self.assertLessEqual({"spec.path", "spec.contents"}, {f["fieldPath"] for f in moves["modifiedFields"]})
        path = [f for f in moves["modifiedFields"] if f["fieldPath"] == "spec.path"][0]
        self.assertTrue(path["mustRecreate"])
        self.assertEqual(["spec.contents"], moves["fieldChangesKnownOnDeploy"])
        self.assertIn("spec.sha256", moves["computedFields"])

        self.assertEqual("create", new["resources.new"]["operation"])
        self.assertIn("spec.path", [f["fieldPath"] for f in new["resources.new"]["newFields"]])
        for change in list(changed.values()) + list(new.values()):
            for kind in ("modifiedFields", "newFields", "removedFields"):
                for one in change.get(kind, []):
                    self.assertLessEqual(set(one), FIELDS, one)

    def test_BP_423_the_stored_resource_stands_beside_its_changes(self):
        self.write("blueprint.yaml", BEFORE)
        self.deploy()
        self.write("blueprint.yaml", AFTER)
        stays = [r for r in self.plan("--var", "text=two")["resourceChanges"] if r["address"] == "resources.stays"][0]
        self.assertEqual(self.path("stays.txt"), stays["appliedResourceInfo"]["physicalId"])

    def test_BP_423_a_field_that_leaves(self):
        self.write("blueprint.yaml", BEFORE)
        self.deploy()
        self.write("blueprint.yaml", BEFORE.replace(', mode: "0600"', ""))
        changed = self.plan()["resourceChanges"]
        self.assertEqual(["resources.moves"], [r["address"] for r in changed])
        fields = changed[0]["modifiedFields"] + changed[0].get("removedFields", [])
        self.assertEqual([("spec.mode", "0600")], [(f["fieldPath"], f["prevValue"]) for f in fields])

    def test_BP_423_links_are_elements_of_their_own(self):
        self.write("blueprint.yaml", LINKED)
        plan = self.plan()
        self.assertEqual(["links.app::db"], [link["address"] for link in plan["newLinks"]])


class Links(CliCase):
    def test_BP_552_what_is_stored_of_a_link(self):
        self.write("blueprint.yaml", LINKED)
        self.deploy()
        self.addCleanup(self.lintel, "destroy", "--auto-approve")
        link = self.check_json("show", "show", "links.app::db", code=OK)["elements"][0]
        self.assertEqual("links.app::db", link["address"])
        self.assertEqual(("created", self.path("shop.db")), (link["status"], link["data"]["database"]))
        mapped = link["resourceDataMappings"]
        self.assertEqual(["app::spec.environment.DB_PATH"], list(mapped), "BP-491: the fields that the link has set")


if __name__ == "__main__":
    unittest.main()
