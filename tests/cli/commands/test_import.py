"""Taking existing objects into the state (cli.md section 3, BP-246, F38)."""

import json
import os
import subprocess

from cli_case import INVALID, LINTEL, OK, USAGE, CliCase

SECRET = "opensesame-4711"
# Every type that has objects outside, and what hangs together.
SHOP = """
version: 2025-11-02
variables:
  pass:
    type: string
    secret: true
    default: opensesame-4711
resources:
  id:
    type: random/id
    spec: {byteLength: 4}
  dir:
    type: local/directory
    spec: {path: data}
  note:
    type: local/file
    spec:
      path: data/note.txt
      contents: "${variables.pass} ${resources.id.spec.hex}"
    dependsOn: [dir]
  db:
    type: sqlite/database
    spec:
      path: data/shop.db
      migrations: ["CREATE TABLE orders (id INTEGER)"]
    dependsOn: [dir]
  pw:
    type: random/password
    spec: {length: 12}
include:
  core:
    path: core.yaml
"""
CORE = """
version: 2025-11-02
resources:
  sign:
    type: local/file
    spec: {path: sign.txt, contents: welcome}
"""
FOREIGN = """
version: 2025-11-02
resources:
  config:
    type: local/file
    spec: {path: app.conf, contents: "port = 80\\n", mode: "0600"}
"""


class Imports(CliCase):
    def setUp(self):
        super().setUp()
        self.write("blueprint.yaml", SHOP)
        self.write("core.yaml", CORE)

    def elements(self, *args):
        elements = self.check_json("state", "state", "list", *args, code=OK)["elements"]
        return {e["address"]: e for e in elements}

    def forget_and_map(self):
        """Forgets everything that can be imported and returns the mapping that finds it again."""
        self.deploy()
        ids = {a: e["physicalId"] for a, e in self.elements().items() if a != "resources.pw"}
        self.lintel("state", "rm", *ids, code=OK)
        self.write("objects.yaml", json.dumps(ids))
        return ids

    def refused(self, *args, code=INVALID):
        value = self.check_json("import", "import", *args, "--auto-approve", code=code)
        return value["diagnostics"][0]

    def test_what_was_forgotten_comes_back_and_nothing_would_change(self):
        ids = self.forget_and_map()
        before = self.lintel("plan", code=OK).out
        self.assertIn("5 to create", before)
        value = self.check_json("import", "import", "--from", "objects.yaml", "--auto-approve", code=OK)
        self.assertEqual(sorted(ids), sorted(o["address"] for o in value["objects"]))
        self.assertFalse(value["isNewInstance"])
        self.assertNotIn(SECRET, json.dumps(value))
        self.assertIn("nothing would change", self.lintel("plan", code=OK).out)
        note = self.check_json("state", "state", "show", "resources.note", code=OK)["element"]
        self.assertEqual(["created", "created"], [note["status"], note["preciseStatus"]])
        self.assertEqual({"resources.dir", "resources.id"}, set(note["dependsOnResources"]))
        self.assertEqual("(sensitive)", note["specData"]["contents"])
        for name in self.files_below(".lintel"):
            with open(name, "rb") as stream:
                self.assertNotIn(SECRET.encode(), stream.read(), name)
        runs = self.check_json("history", "history", code=OK)["runs"]
        self.assertEqual("import", runs[-1]["kind"])
        self.assertEqual({"imported"}, {c["change"] for c in runs[-1]["changes"]})
        self.lintel("destroy", "--auto-approve", code=OK)
        self.assertFalse(os.path.exists(self.path("data")))
        self.assertFalse(os.path.exists(self.path("sign.txt")))

    def test_undo_forgets_again(self):
        ids = self.forget_and_map()
        self.lintel("import", "--from", "objects.yaml", "--auto-approve", code=OK)
        self.lintel("state", "undo", code=OK)
        self.assertEqual(["resources.pw"], list(self.elements()))
        self.assertTrue(os.path.exists(self.path("sign.txt")))
        self.lintel("import", "children.core/resources.sign", ids["children.core/resources.sign"], "--auto-approve",
                    code=OK)
        self.assertIn("children.core/resources.sign", self.elements())

    def test_a_dry_run_and_a_refusal_write_nothing(self):
        self.forget_and_map()
        before = self.check_json("list", "list", code=OK)["instances"]
        result = self.lintel("import", "--from", "objects.yaml", "--dry-run", code=OK)
        self.assertIn("resources.note (local/file) %s" % self.path("data", "note.txt"), result.out)
        self.assertIn("nothing would change", result.out)
        self.assertIn("dry run", result.out)
        self.assertIn("--auto-approve", self.lintel("import", "--from", "objects.yaml", code=USAGE).err)
        self.assertEqual(before, self.check_json("list", "list", code=OK)["instances"])

    def test_an_object_that_lintel_never_made(self):
        self.write("blueprint.yaml", FOREIGN)
        self.write("app.conf", "port = 8080\n")
        os.chmod(self.path("app.conf"), 0o640)
        value = self.check_json("import", "import", "resources.config", "app.conf", "--auto-approve", code=OK)
        self.assertTrue(value["isNewInstance"])
        self.assertEqual("port = 8080\n", value["objects"][0]["specData"]["contents"])
        self.assertEqual("0640", value["objects"][0]["specData"]["mode"])
        instance = self.check_json("list", "list", code=OK)["instances"][0]
        self.assertEqual("not_deployed", instance["status"])
        self.assertIn("1 to update", self.lintel("plan", code=OK).out)
        self.deploy()
        self.assertEqual(b"port = 80\n", self.read("app.conf"))
        self.lintel("destroy", "--auto-approve", code=OK)
        self.assertFalse(os.path.exists(self.path("app.conf")))

    def test_mistakes_are_named(self):
        self.write("blueprint.yaml", FOREIGN)
        self.write("app.conf", "x")
        self.assertIn("no resource 'resources.confi'", self.refused("resources.confi", "app.conf")["message"])
        self.assertIn("'resources.config'", self.refused("resources.confi", "app.conf")["hint"])
        self.assertIn("no address", self.refused("exports.x", "app.conf")["message"])
        self.assertIn("no address", self.refused("resources.config.spec.path", "app.conf")["message"])
        self.assertIn("is empty", self.refused("resources.config", " ")["message"])
        self.assertIn("not 'other.conf'", self.refused("resources.config", "other.conf")["message"])
        os.unlink(self.path("app.conf"))
        wrong = self.refused("resources.config", "app.conf")
        self.assertIn("there is no object 'app.conf'", wrong["message"])
        self.assertIn("the path of the file", wrong["hint"])
        os.mkdir(self.path("app.conf"))
        self.assertIn("not a regular file", self.refused("resources.config", "app.conf")["message"])
        self.assertFalse(os.path.exists(self.path(".lintel", "state.db"))
                         and self.check_json("list", "list", code=OK)["instances"])
        self.lintel("import", code=USAGE)
        self.lintel("import", "resources.config", code=USAGE)
        self.lintel("import", "a", "b", "c", "d", code=USAGE)

    def test_ids_that_providers_make(self):
        self.write("blueprint.yaml", SHOP)
        self.assertIn("URL-safe base64", self.refused("resources.id", "not!base64")["message"])
        self.assertIn("URL-safe base64", self.refused("resources.id", "AB")["message"], "not the way that it is spelt")
        password = self.refused("resources.pw", "hunter2")
        self.assertIn("'random/password' cannot be taken into the state", password["message"])
        self.lintel("import", "resources.id", "BRcBOw", "--auto-approve", code=OK)
        self.assertEqual("0517013b", self.check_json("state", "state", "show", "resources.id",
                                                     code=OK)["element"]["computedFields"]["hex"])

    def test_one_mistake_and_nothing_is_taken(self):
        self.forget_and_map()
        self.write("objects.yaml", "resources.dir: data\nresources.nope: x\nresources.db: nowhere.db\n")
        result = self.lintel("import", "--from", "objects.yaml", "--auto-approve", code=INVALID)
        self.assertIn("objects.yaml:2:1", result.err)
        self.assertEqual(["resources.pw"], list(self.elements()))

    def test_hostile_mappings(self):
        self.write("blueprint.yaml", FOREIGN)
        for text in ("", "[1, 2]", "resources.config: {a: 1}", "resources.config:", "? [a]\n: b", "a: b: c", "\x00"):
            self.write("objects.yaml", text)
            result = self.lintel("import", "--from", "objects.yaml", "--auto-approve")
            self.assertEqual(INVALID, result.code, (text, result))
            self.assertIn("error[", result.err)
        self.write("objects.yaml", "resources.config: app.conf\n'resources.config': app.conf\n")
        self.assertIn("duplicate_key", self.lintel("import", "--from", "objects.yaml", "--auto-approve",
                                                   code=INVALID).err)

    def test_F38_another_instance_has_the_object(self):
        self.write("blueprint.yaml", FOREIGN)
        self.deploy("-i", "one")
        claimed = self.refused("resources.config", "app.conf", "-i", "two")
        self.assertIn("'resources.config' of instance 'one' in name space 'default'", claimed["message"])
        self.assertIn("state rm", claimed["hint"])
        self.lintel("import", "resources.config", "app.conf", "-i", "two", "--auto-approve", "--force", code=OK)
        for name, other in (("one", "two"), ("two", "one")):
            plan = self.check_json("plan", "plan", "-i", name, code=OK)
            self.assertEqual(["object_claimed_twice"], [d["code"] for d in plan["diagnostics"]])
            self.assertIn("instance '%s'" % other, plan["diagnostics"][0]["message"])
        self.lintel("state", "rm", "resources.config", "-i", "one", code=OK)
        self.assertEqual([], self.check_json("plan", "plan", "-i", "two", code=OK)["diagnostics"])
        self.lintel("destroy", "-i", "two", "--auto-approve", code=OK)
        self.assertFalse(os.path.exists(self.path("app.conf")), "it bears the mark of who took it last")

    def test_within_one_instance_an_object_has_one_address(self):
        self.write("blueprint.yaml", FOREIGN + FOREIGN.split("resources:\n")[1].replace("config", "again"))
        self.write("app.conf", "port = 80\n")
        self.write("objects.yaml", "resources.config: app.conf\nresources.again: app.conf\n")
        self.assertIn("is the object of", self.refused("--from", "objects.yaml")["message"])

    def test_what_has_an_object_is_not_taken_again(self):
        self.write("blueprint.yaml", FOREIGN)
        self.deploy()
        self.assertIn("in the state already", self.refused("resources.config", "app.conf")["message"])

    def test_a_running_service_by_its_process_number(self):
        self.write("blueprint.yaml", """
            version: 2025-11-02
            resources:
              api:
                type: process/service
                spec: {command: sleep, args: ["300"]}
            """)
        self.deploy()
        self.addCleanup(self.lintel, "destroy", "--auto-approve")
        pid = self.elements()["resources.api"]["physicalId"]
        self.lintel("state", "rm", "resources.api", code=OK)
        with subprocess.Popen(["sleep", "300"]) as other:
            self.assertIn("was not started by lintel",
                          self.refused("resources.api", str(other.pid))["message"])
            other.kill()
        self.assertIn("no process number", self.refused("resources.api", "x")["message"])
        self.lintel("import", "resources.api", pid, "--auto-approve", code=OK)
        self.assertIn("nothing would change", self.lintel("plan", code=OK).out)


class Scripts(CliCase):
    def setUp(self):
        super().setUp()
        self.write("blueprint.yaml", FOREIGN)
        self.deploy()

    def addresses(self):
        return [e["address"] for e in self.check_json("state", "state", "list", code=OK)["elements"]]

    def test_import_lines_follow_the_others(self):
        self.write("script", "# renamed, and taken anew\nrm resources.config\nimport resources.config app.conf\n")
        value = self.check_json("state", "state", "apply", "script", code=OK)
        self.assertEqual(["removed", "imported"], [c["change"] for c in value["changes"]])
        self.assertEqual(["resources.config"], self.addresses())
        self.assertIn("nothing would change", self.lintel("plan", code=OK).out)
        self.lintel("state", "undo", code=OK)
        self.assertEqual(["resources.config"], self.addresses())

    def test_all_or_nothing_with_places(self):
        for text, at, what in (("import resources.config app.conf\nrm resources.config\n", ":2:", "come last"),
                               ("rm resources.config\nimport resources.config nowhere\n", ":2:", "not 'nowhere'"),
                               ("import resources.config app.conf\n", ":1:", "in the state already"),
                               ("import resources.config\n", ":1:", "is empty"),
                               ("rm resources.config\nbanana\n", ":2:", "is no edit")):
            self.write("script", text)
            result = self.lintel("state", "apply", "script", code=INVALID)
            self.assertIn("script" + at, result.err)
            self.assertIn(what, result.err)
            self.assertEqual(["resources.config"], self.addresses())

    def test_without_imports_no_blueprint_is_needed(self):
        os.unlink(self.path("blueprint.yaml"))
        self.write("script", "mv resources.config resources.conf\n")
        self.lintel("state", "apply", "script", code=OK)
        self.assertEqual(["resources.conf"], self.addresses())

    def test_killed_at_any_moment_it_is_taken_or_not(self):
        self.lintel("state", "rm", "resources.config", code=OK)
        for delay in (0.01, 0.03, 0.06):
            with subprocess.Popen([LINTEL, "import", "resources.config", "app.conf", "--auto-approve"],
                                  cwd=self.dir, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                  env=self.environment(None)) as run:
                try:
                    run.wait(delay)
                except subprocess.TimeoutExpired:
                    run.kill()
            self.assertIn(self.addresses(), ([], ["resources.config"]))
        if not self.addresses():
            self.lintel("import", "resources.config", "app.conf", "--auto-approve", code=OK)
        self.assertIn("nothing would change", self.lintel("plan", code=OK).out)
