"""States as files (LC-041, LC-047), and children that are moved (cli.md section 3)."""

import copy
import json
import os
import subprocess
import time
import unittest

from cli_case import INVALID, LINTEL, LOCKED, OK, SCHEMAS, USAGE, CliCase
from test_postgres import CAN_START, Server

SECRET = "opensesame-4711"
SHOP = """
version: 2025-11-02
variables:
  pass: {type: string, secret: true, default: opensesame-4711}
resources:
  id:
    type: random/id
    spec: {byteLength: 4}
  pw:
    type: random/password
    spec: {length: 12}
  note:
    type: local/file
    spec: {path: note.txt, contents: "${variables.pass} ${resources.pw.spec.result} ${children.core.p}"}
include:
  core:
    path: core.yaml
    variables: {x: "${resources.id.spec.hex}"}
exports:
  path: {type: string, field: resources.note.spec.path}
"""
CORE = """
version: 2025-11-02
variables:
  x: {type: string}
resources:
  a:
    type: local/file
    spec: {path: a.txt, contents: "${variables.x}"}
  b:
    type: local/file
    spec: {path: b.txt, contents: "${resources.a.spec.sha256}"}
exports:
  p: {type: string, field: resources.a.spec.path}
"""


class StateCase(CliCase):
    def setUp(self):
        super().setUp()
        self.write("blueprint.yaml", SHOP)
        self.write("core.yaml", CORE)

    def addresses(self, **options):
        return sorted(e["address"] for e in self.check_json("state", "state", "list", code=OK, **options)["elements"])

    def expect_no_change(self, *args, **options):
        self.assertIn("nothing would change", self.lintel("plan", *args, code=OK, **options).out)

    def export(self, *args, **options):
        text = self.lintel("state", "export", *args, code=OK, **options).out
        value = json.loads(text)
        SCHEMAS.check("state-file", value)
        self.write("export.json", text.encode())
        return value


class Children(StateCase):
    def rename(self):
        self.write("blueprint.yaml", SHOP.replace("core:\n", "kern:\n", 1).replace("children.core", "children.kern"))

    def test_a_child_moves_with_all_that_is_in_it(self):
        self.deploy()
        value = self.check_json("state", "state", "mv", "children.core", "children.kern", code=OK)
        self.assertEqual([("children.core/resources.a", "children.kern/resources.a"),
                          ("children.core/resources.b", "children.kern/resources.b")],
                         [(c["address"], c["to"]) for c in value["changes"]])
        b = self.check_json("state", "state", "show", "children.kern/resources.b", code=OK)["element"]
        self.assertIn("children.kern/resources.a", b["dependsOnResources"])
        note = self.check_json("state", "state", "show", "resources.note", code=OK)["element"]
        self.assertFalse([a for a in note["dependsOnResources"] if "children.core" in a], note)
        self.rename()
        self.expect_no_change()
        self.lintel("destroy", "--auto-approve", code=OK)
        self.assertEqual([], [n for n in os.listdir(self.dir) if n.endswith(".txt")], "nothing is left behind")

    def test_undo_and_dry_run(self):
        self.deploy()
        before = self.addresses()
        self.lintel("state", "mv", "children.core", "children.kern", "--dry-run", code=OK)
        self.assertEqual(before, self.addresses())
        self.lintel("state", "mv", "children.core", "children.kern", code=OK)
        self.lintel("state", "undo", code=OK)
        self.assertEqual(before, self.addresses())
        self.lintel("destroy", "--auto-approve", code=OK)
        self.assertEqual([], [n for n in os.listdir(self.dir) if n.endswith(".txt")], "nothing is left behind")

    def test_deep_children_and_names_that_begin_alike(self):
        self.write("blueprint.yaml", """
            version: 2025-11-02
            include:
              a: {path: middle.yaml, variables: {n: one}}
              ab: {path: middle.yaml, variables: {n: two}}
            """)
        self.write("middle.yaml", """
            version: 2025-11-02
            variables:
              n: {type: string}
            include:
              core: {path: leaf.yaml, variables: {n: "${variables.n}"}}
            """)
        self.write("leaf.yaml", """
            version: 2025-11-02
            variables:
              n: {type: string}
            resources:
              f:
                type: local/file
                spec: {path: "${variables.n}.txt"}
            """)
        self.deploy()
        self.lintel("state", "mv", "children.a", "children.c", code=OK)
        self.assertEqual(["children.ab/children.core/resources.f", "children.c/children.core/resources.f"],
                         self.addresses())
        self.lintel("state", "mv", "children.c/children.core", "children.ab/children.other", code=OK)
        self.lintel("state", "mv", "children.ab/children.other/resources.f", "children.x/resources.f", code=OK)
        self.assertEqual(["children.ab/children.core/resources.f", "children.x/resources.f"], self.addresses())

    def test_where_it_cannot_go(self):
        self.deploy()
        before = self.addresses()
        for source, target, why in (("children.core", "children.core", "into itself"),
                                    ("children.core", "children.core/children.x", "into itself"),
                                    ("children.nope", "children.x", "has no 'children.nope'"),
                                    ("children.core", "exports.x", "has no 'children.core'"),
                                    ("children.core", "resources.note", "is taken"),
                                    ("children.core", "x y", "no address")):
            result = self.lintel("state", "mv", source, target, code=INVALID)
            self.assertIn(why, result.err, (source, target))
        self.assertEqual(before, self.addresses())

    def test_a_moved_resource_is_still_destroyed(self):
        self.deploy()
        self.lintel("state", "mv", "resources.note", "resources.paper", code=OK)
        self.lintel("destroy", "--auto-approve", code=OK)
        self.assertFalse(os.path.exists(self.path("note.txt")))


class Files(StateCase):
    """LC-047: export and import."""

    def other(self, *args, **options):
        """Another store, with the key of the first."""
        key = "file:" + self.path(".lintel", "vault", "default.key")
        return self.lintel(*args, "--state", self.path("other", "state.db"), "--key", key, **options)

    def test_LC_047_a_round_trip_into_an_empty_store(self):
        self.deploy()
        exported = self.export()
        self.assertNotIn(SECRET, json.dumps(exported))
        self.assertIn('"$lintel": "sealed"', json.dumps(exported))
        out = self.other("state", "import", "export.json", "--json", code=OK).json()
        SCHEMAS.check("state", out)
        self.assertEqual([True], [i["isNew"] for i in out["imports"]])
        self.assertIn("nothing would change", self.other("plan", code=OK).out)
        self.assertIn("deploy", self.other("history", code=OK).out)
        self.write("second.json", self.other("state", "export", code=OK).out.encode())
        self.assertIn("is as in the file", self.lintel("state", "import", "second.json", "--dry-run").out)
        self.write("blueprint.yaml", SHOP.replace("opensesame-4711", "another"))
        self.assertIn("1 to update", self.other("plan", code=OK).out)

    def test_LC_047_the_history_is_sealed_anew(self):
        self.write("blueprint.yaml", SHOP.replace("opensesame-4711", "the first"))
        self.deploy()
        first = self.read("note.txt")
        self.write("blueprint.yaml", SHOP)
        self.deploy()
        self.export()
        self.other("state", "import", "export.json", code=OK)
        self.other("rollback", "--auto-approve", code=OK)
        self.assertEqual(first, self.read("note.txt"))

    def test_LC_047_overwriting_shows_what_differs_and_needs_consent(self):
        self.deploy()
        self.export()
        self.lintel("state", "mv", "resources.id", "resources.key", code=OK)
        before = self.check_json("list", "list", code=OK)["instances"]
        result = self.lintel("state", "import", "export.json", code=USAGE)
        for line in ("  + resources.id", "  - resources.key", "--auto-approve"):
            self.assertIn(line, result.out + result.err)
        dry = self.check_json("state", "state", "import", "export.json", "--dry-run", code=OK)
        self.assertIn({"change": "removed", "address": "resources.key", "to": ""}, dry["imports"][0]["changes"])
        self.assertEqual(before, self.check_json("list", "list", code=OK)["instances"])
        self.lintel("state", "import", "export.json", "--auto-approve", code=OK)
        self.expect_no_change()
        self.assertIn("state import", self.lintel("history", code=OK).out)
        self.assertIn("taken back", self.lintel("state", "undo", code=INVALID).err)
        again = self.lintel("state", "import", "export.json", code=OK)
        self.assertIn("is as in the file", again.out)

    def test_LC_050_another_key_is_an_error_before_anything_is_written(self):
        self.deploy()
        self.export()
        store = self.path("other", "state.db")
        for args in (("--key", "file:" + self.path("other.key")), ("--no-seal",)):
            result = self.lintel("state", "import", "export.json", "--state", store, *args)
            self.assertNotEqual(OK, result.code)
            self.assertIn("key_not_usable", result.err)
            self.assertIn("--key", result.err)
        self.assertEqual([], self.check_json("list", "list", "--state", store, code=OK)["instances"])

    def test_several_instances_and_name_spaces(self):
        self.write("blueprint.yaml", "version: 2025-11-02\nresources: {id: {type: random/id, spec: {}}}\n")
        for name in ("one", "two"):
            self.deploy("-i", name)
        self.assertEqual(["one", "two"], [i["name"] for i in self.export("--all")])
        self.lintel("state", "export", "--all", "-i", "one", code=USAGE)
        store = self.path("other.db")
        refused = self.lintel("state", "import", "export.json", "--state", store, env={"LINTEL_CONTEXT": "prod"},
                              code=INVALID)
        self.assertIn("--context default", refused.err)
        self.lintel("state", "import", "export.json", "--state", store, "--context", "prod",
                    "--key", "file:" + self.path(".lintel", "vault", "default.key"), code=OK)
        listed = self.check_json("list", "list", "--state", store, "--context", "prod", code=OK)["instances"]
        self.assertEqual(["one", "two"], [i["name"] for i in listed])
        taken = self.lintel("state", "import", "export.json", "--state", store, code=INVALID)
        self.assertIn("is stored as 'one' in name space 'prod'", taken.err)
        self.deploy("-i", "one", "--state", self.path("third.db"))
        named = self.lintel("state", "import", "export.json", "--state", self.path("third.db"), code=INVALID)
        self.assertIn("belongs to another instance", named.err)

    def test_what_is_under_way_is_not_exported(self):
        self.write("blueprint.yaml", """
            version: 2025-11-02
            resources:
              api:
                type: process/service
                spec:
                  command: sleep
                  args: ["300"]
                  healthCheck: {tcp: "127.0.0.1:1", timeoutMs: 20000}
            """)
        run = subprocess.Popen([LINTEL, "deploy", "--auto-approve"], cwd=self.dir, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, env=self.environment(None))
        self.addCleanup(self.lintel, "destroy", "--auto-approve")
        for _ in range(200):
            result = self.lintel("state", "export")
            if result.code == LOCKED:
                break
            time.sleep(0.05)
        self.assertEqual(LOCKED, result.code, result)
        self.assertIn("instance_in_progress", result.err)
        run.kill()
        run.wait()
        result = self.lintel("state", "export", code=INVALID)
        self.assertIn("was cut off", result.err)
        self.assertEqual("", result.out)

    def test_LC_041_hostile_files_are_located_errors_and_nothing_is_written(self):
        self.deploy()
        good = self.export()
        before = self.check_json("list", "list", code=OK)["instances"]

        def change(edit):
            value = copy.deepcopy(good)
            edit(value[0])
            return json.dumps(value)

        def cycle(i):
            i["elements"][0]["body"]["dependsOnResources"] = [i["elements"][1]["address"]]
            i["elements"][1]["body"]["dependsOnResources"] = [i["elements"][0]["address"]]

        text = json.dumps(good)
        hostile = [
            text[:len(text) // 2], "", "{}", "[1]", "[[]]", "\xff", text + "x", "[" * 100000, "null",
            change(lambda i: i.update(formatVersion=2)),
            change(lambda i: i.update(formatVersion="1")),
            change(lambda i: i.pop("elements")),
            change(lambda i: i.update(elements={})),
            change(lambda i: i.update(id="../../../etc/passwd")),
            change(lambda i: i.update(name="a\x1b[31mb")),
            change(lambda i: i.update(name="")),
            change(lambda i: i.update(status="fine")),
            change(lambda i: i.update(version=0)),
            change(lambda i: i.update(version=1.5)),
            change(lambda i: i.update(version=9223372036854775807)),
            change(lambda i: i.update(createdMs=-1)),
            change(lambda i: i.update(body=[])),
            change(lambda i: i["elements"].append(copy.deepcopy(i["elements"][0]))),
            change(lambda i: i["elements"][0].update(address="resources.x.spec.y")),
            change(lambda i: i["elements"][0].update(address="banana")),
            change(lambda i: i["elements"][0].update(address="resources.\x00")),
            change(lambda i: i["elements"][0].update(type="link")),
            change(lambda i: i["elements"][0].update(status="")),
            change(lambda i: i["elements"][0].update(physicalId=7)),
            change(lambda i: i["elements"][0].update(body="{}")),
            change(lambda i: i["elements"][0]["body"].update(dependsOnResources="resources.id")),
            change(lambda i: i["elements"][0]["body"].update(dependsOnResources=[i["elements"][0]["address"]])),
            change(cycle),
            change(lambda i: i["history"].append(copy.deepcopy(i["history"][0]))),
            json.dumps(good + good),
            text.replace('"name": ', '"name": "x", "name": ', 1),
        ]
        for number, bad in enumerate(hostile):
            self.write("bad.json", bad.encode("latin-1") if bad == "\xff" else bad.encode())
            result = self.lintel("state", "import", "bad.json", "--auto-approve")
            self.assertEqual(INVALID, result.code, (number, bad[:200], result))
            self.assertIn("--> bad.json", result.err, (number, bad[:200]))
            self.assertNotIn("\x1b[31m", result.err)
        self.assertEqual(before, self.check_json("list", "list", code=OK)["instances"])
        self.assertIn("cannot be read", self.lintel("state", "import", "nowhere.json").err)

    def test_a_file_of_100_000_elements(self):
        """LC-080: large, and a chain at that."""
        self.write("blueprint.yaml", "version: 2025-11-02\nresources: {id: {type: random/id, spec: {}}}\n")
        self.deploy()
        value = self.export()
        first = value[0]["elements"][0]
        count = 100000

        def element(number):
            e = copy.copy(first)
            e["address"] = "resources.r%d" % number
            e["body"] = {"dependsOnResources": ["resources.r%d" % (number + 1)]}
            return e

        value[0]["elements"] = [element(n) for n in range(count)]
        value[0]["elements"][-1]["body"]["dependsOnResources"] = ["resources.r0"]
        self.write("big.json", json.dumps(value).encode())
        result = self.lintel("state", "import", "big.json", "--auto-approve", code=INVALID)
        self.assertIn("depends on itself in a circle", result.err)


@unittest.skipUnless(CAN_START, "no PostgreSQL server on this machine")
class Stores(StateCase):
    """LC-041, LC-047: from one kind of store to the other and back."""

    def test_from_sqlite_to_postgres_and_back(self):
        server = Server()
        self.addCleanup(server.stop)
        self.deploy()
        key = "file:" + self.path(".lintel", "vault", "default.key")
        there = {"LINTEL_STATE": server.url(), "LINTEL_KEY": key}
        first = self.export()
        self.lintel("state", "import", "export.json", env=there, code=OK)
        self.expect_no_change(env=there)
        second = self.export(env=there)
        self.assertEqual([e["address"] for e in first[0]["elements"]], [e["address"] for e in second[0]["elements"]])
        back = {"LINTEL_STATE": self.path("back.db"), "LINTEL_KEY": key}
        self.lintel("state", "import", "export.json", env=back, code=OK)
        self.expect_no_change(env=back)
        self.lintel("destroy", "--auto-approve", env=back, code=OK)
        self.assertFalse(os.path.exists(self.path("note.txt")))
