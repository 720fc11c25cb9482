"""Links that do something, from plan to destruction (BP-490 to BP-492, BP-530, BP-552)."""

import os
import sqlite3

from cli_case import DRIFT, INVALID, OK, PART_WAY, CliCase

SITE = """
version: 2025-11-02
resources:
  page:
    type: local/file
    linkSelector: {byLabel: {app: site}}
    spec: {path: page.html, contents: hello}
  site:
    type: local/directory
    metadata: {labels: {app: site}}
    spec: {path: site}
"""
SHOP = """
version: 2025-11-02
resources:
  db:
    type: sqlite/database
    metadata: {labels: {app: db}}
    spec: {path: shop.db, migrations: ["CREATE TABLE %s(name TEXT PRIMARY KEY, url TEXT NOT NULL)"]}
  api:
    type: process/service
    metadata: {annotations: {process.sqlite.db.registerIn: services}}
    linkSelector: {byLabel: {app: db}}
    spec: {command: [sleep, "1000"], port: %d}
"""


class Links(CliCase):
    def entries(self):
        with sqlite3.connect(self.path("shop.db")) as db:
            found = db.execute("select name, url from services").fetchall()
        db.close()
        return found

    def show(self, address):
        return self.check_json("show", "show", address, code=OK)["elements"][0]

    def test_BP_492_what_a_link_puts_between_its_sides_comes_and_goes_with_it(self):
        self.write("blueprint.yaml", SITE)
        self.deploy()
        self.assertEqual(os.path.join(self.dir, "page.html"), os.readlink(self.path("site", "page.html")))
        link = self.show("links.page::site")
        self.assertEqual(("created", "created", False), (link["status"], link["preciseStatus"], link["drifted"]))
        self.assertEqual([{"resourceID": self.path("site", "page.html"),
                           "resourceSpecData": {"target": self.path("page.html")}}], link["intermediaryResourceStates"])
        self.lintel("plan", "--detailed-exitcode", code=OK)
        self.write("blueprint.yaml", SITE.replace("linkSelector: {byLabel: {app: site}}", "description: alone"))
        self.deploy()
        self.assertEqual([], os.listdir(self.path("site")))
        self.assertTrue(os.path.exists(self.path("page.html")))

    def test_BP_530_what_is_gone_is_drift_and_made_again(self):
        self.write("blueprint.yaml", SITE)
        self.deploy()
        os.unlink(self.path("site", "page.html"))
        drift = self.check_json("drift", "drift", code=DRIFT)
        self.assertEqual([("links.page::site", "missing")], [(d["address"], d["kind"]) for d in drift["drift"]])
        self.assertTrue(self.show("links.page::site")["drifted"])
        self.lintel("deploy", "--auto-approve", code=DRIFT)
        self.lintel("plan", "--out", "saved.json", code=OK)  # whoever saves a plan has seen the drift
        self.lintel("deploy", "--plan", "saved.json", code=OK)
        self.assertTrue(os.path.islink(self.path("site", "page.html")))
        self.assertFalse(self.show("links.page::site")["drifted"])
        self.check_json("drift", "drift", code=OK)

    def test_BP_532_what_is_gone_can_be_taken_into_the_state(self):
        self.write("blueprint.yaml", SITE)
        self.deploy()
        os.unlink(self.path("site", "page.html"))
        events = self.check_events("reconcile", code=DRIFT)
        result = [r for e in events if e["type"] == "reconciliation" for r in e["results"]][0]
        self.assertEqual(("links.page::site", "drift", "accept_external", "created", "unknown"),
                         (result["address"], result["type"], result["recommendedAction"], result["oldStatus"], result["newStatus"]))
        self.lintel("reconcile", "--apply", "--auto-approve", code=OK)
        self.assertEqual([], self.show("links.page::site")["intermediaryResourceStates"])
        self.deploy()
        self.assertTrue(os.path.islink(self.path("site", "page.html")))

    def test_BP_431_a_link_moves_to_the_object_that_replaces_a_side(self):
        self.write("blueprint.yaml", SITE)
        self.deploy()
        self.write("blueprint.yaml", SITE.replace("page.html", "other.html"))
        change = self.check_json("plan", "plan", code=OK)["plan"]["linkChanges"][0]
        self.assertEqual(("replace", "destroyBeforeCreate"), (change["operation"], change["replaceOrder"]))
        self.deploy()
        self.assertEqual(["other.html"], os.listdir(self.path("site")))
        self.assertEqual(self.path("other.html"), os.readlink(self.path("site", "other.html")))

    def test_BP_490_a_service_is_entered_in_the_database(self):
        self.write("blueprint.yaml", SHOP % ("services", 4711))
        self.deploy()
        self.assertEqual([("api", "http://127.0.0.1:4711")], self.entries())
        self.write("blueprint.yaml", SHOP % ("services", 4712))
        self.deploy()
        self.assertEqual([("api", "http://127.0.0.1:4712")], self.entries())
        self.lintel("plan", "--detailed-exitcode", code=OK)
        self.lintel("state", "mv", "resources.api", "resources.web", code=OK)
        self.write("blueprint.yaml", (SHOP % ("services", 4712)).replace("  api:", "  web:"))
        self.deploy()
        self.assertEqual([("web", "http://127.0.0.1:4712")], self.entries())
        self.write("blueprint.yaml", (SHOP % ("services", 4712)).replace("  api:", "  web:")
                   .replace("    linkSelector: {byLabel: {app: db}}\n", ""))
        self.deploy()
        self.assertEqual([], self.entries())
        self.lintel("destroy", "--auto-approve", code=OK)

    def test_BP_430_a_link_in_the_place_of_its_file_is_told_when_planning(self):
        site = SITE.replace("path: page.html", "path: site/page.html")
        self.write("blueprint.yaml", site)
        result = self.check_json("plan", "plan", code=INVALID)
        self.assertEqual("link_annotation_invalid", result["diagnostics"][0]["code"])
        self.assertIn("would stand in 'site' where the file itself is", result["diagnostics"][0]["message"])

    def test_BP_502_a_link_that_fails_says_why_and_is_gone_on_with(self):
        self.write("blueprint.yaml", SHOP % ("others", 4711))
        done = self.lintel("deploy", "--auto-approve", code=PART_WAY)
        self.assertIn("link_deploy_failed", done.err)
        self.assertIn("the database has no table 'services'", done.err)
        link = self.show("links.api::db")
        self.assertEqual(("create_failed", "resource_b_update_failed"), (link["status"], link["preciseStatus"]))
        self.assertIn("has no table 'services'", link["failureReasons"][0])
        self.write("blueprint.yaml", (SHOP % ("others", 4711)).replace(
            'NOT NULL)"]', 'NOT NULL)", "CREATE TABLE services(name TEXT, url TEXT)"]'))
        self.deploy()
        self.assertEqual([("api", "http://127.0.0.1:4711")], self.entries())
        self.assertEqual(("created", []), (self.show("links.api::db")["status"],
                                           self.show("links.api::db")["failureReasons"]))
        self.lintel("destroy", "--auto-approve", code=OK)
