"""Data sources on real objects from validate to deploy (BP-108, BP-109, BP-110), and declared types (BP-324)."""

import json
import os
import sqlite3
import unittest

from cli_case import CHANGES, INVALID, OK, CliCase

FILES = """
version: 2025-11-02
variables:
  stage: {type: string}
datasources:
  settings:
    type: local/file
    filter:
      - {field: directory, operator: "=", search: config}
      - {field: data.stage, operator: "=", search: "${variables.stage}"}
    exports:
      path: {type: string}
      port: {type: integer, aliasFor: data.port}
      hosts: {type: array, aliasFor: data.hosts}
resources:
  note:
    type: local/file
    spec:
      path: note.txt
      contents: "${datasources.settings.path} ${datasources.settings.port} ${datasources.settings.hosts[1]}"
"""

LATE = """
version: 2025-11-02
datasources:
  made:
    type: local/file
    filter: {field: path, operator: "=", search: "${first.state.path}"}
    exports: {content: {type: string}, mode: {type: string}}
resources:
  id: {type: random/id, spec: {byteLength: 2}}
  first: {type: local/file, spec: {path: first.txt, contents: "made ${id.spec.hex}"}}
  second:
    type: local/file
    spec: {path: second.txt, contents: "${datasources.made.content} ${datasources.made.mode}"}
    dependsOn: first
"""

QUERY = """
version: 2025-11-02
datasources:
  customer:
    type: sqlite/query
    filter:
      - {field: database, operator: "=", search: shop.db}
      - {field: table, operator: "=", search: customers}
      - {field: row.city, operator: "=", search: Bern}
    exports:
      id: {type: integer, aliasFor: row.id}
      cities: {type: array, aliasFor: column.city}
      note: {type: string, aliasFor: row.note}
  home:
    type: process/environment
    filter: {field: name, operator: "=", search: TEST_TOKEN}
    exports: {value: {type: string}}
resources:
  note:
    type: local/file
    spec:
      path: note.txt
      contents: "${datasources.customer.id} ${join(datasources.customer.cities, \\",\\")} [${datasources.customer.note}] ${datasources.home.value}"
"""

TYPES = """
resources:
  sky/function:
    description: A function
    idField: arn
    schema:
      type: object
      required: [name]
      attributes: {name: {type: string}, arn: {type: string, computed: true}}
datasources:
  sky/network:
    schema: {type: object, attributes: {id: {type: string}}}
    filterFields: {name: ["=", in]}
variableTypes:
  sky/region: {options: {north: n-1}}
functions:
  shorten: {parameters: [{name: text, type: string}], result: string}
"""

DECLARED = """
version: 2025-11-02
variables:
  region: {type: sky/region, default: north}
datasources:
  net:
    type: sky/network
    filter: {field: name, operator: in, search: [a, b]}
    exports: {id: {type: string}}
resources:
  f:
    type: sky/function
    spec: {name: "${shorten(datasources.net.id)}-${variables.region}"}
  note: {type: local/file, spec: {path: x, contents: "${f}"}}
"""


class Coded(CliCase):
    def codes(self, command, *args):
        value = self.check_json(command, command, *args, code=INVALID)
        return [d["code"] for d in value["diagnostics"] if d["severity"] == "error"]


class Fetched(Coded):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("config"))
        self.write("config/a.json", json.dumps({"stage": "test", "port": 8080, "hosts": ["t1", "t2"]}))
        self.write("config/b.json", json.dumps({"stage": "live", "port": 80, "hosts": ["l1", "l2"]}))

    def test_BP_108_the_first_object_that_passes_is_taken(self):
        self.write("blueprint.yaml", FILES)
        self.deploy("--var", "stage=live")
        self.assertEqual("config/b.json 80 l2", self.read("note.txt").decode())
        self.deploy("--var", "stage=test")
        self.assertEqual("config/a.json 8080 t2", self.read("note.txt").decode())

    def test_BP_108_no_match_is_an_error(self):
        self.write("blueprint.yaml", FILES)
        self.assertEqual(["empty_data_source_data"], self.codes("plan", "--var", "stage=none"))

    def test_BP_110_what_the_template_gives_is_searched_for_at_once(self):
        self.write("blueprint.yaml", LATE.replace("first.state.path", "first.spec.path"))
        error = self.check_json("plan", "plan", code=INVALID)["diagnostics"][0]
        self.assertEqual("empty_data_source_data", error["code"])
        self.assertIn("'resources.first' is still to be made: search by a field that its provider fills in",
                      error["hint"])
        # CLI-031
        self.assertEqual("datasources.made", error["path"])
        self.assertEqual("data_source_validation_errors", error["group"])

    def test_BP_109_fields_are_checked_against_what_is_found(self):
        self.write("blueprint.yaml", FILES)
        self.write("config/b.json", json.dumps({"stage": "live", "port": "80", "hosts": [["l1"]]}))
        codes = self.codes("plan", "--var", "stage=live")
        self.assertEqual({"invalid_data_source_field_type"}, set(codes))
        self.write("config/b.json", json.dumps({"stage": "live", "hosts": None}))
        self.assertEqual(["missing_data_source_prop"], self.codes("plan", "--var", "stage=live"))
        self.write("config/b.json", json.dumps({"stage": "live", "port": None, "hosts": ["a", "b"]}))
        self.deploy("--var", "stage=live")
        self.assertEqual("config/b.json  b", self.read("note.txt").decode())  # null is none, which is empty in text

    def test_BP_120_operands_that_do_not_fit_are_no_mismatch(self):
        self.write("blueprint.yaml", FILES.replace('operator: "=", search: "${v', 'operator: ">", search: "${v'))
        self.write("config/a.json", json.dumps({"stage": 5}))
        self.assertEqual(["invalid_filter_operand"], self.codes("plan", "--var", "stage=live"))

    def test_BP_110_what_needs_a_resource_waits_for_it(self):
        self.write("blueprint.yaml", LATE)
        self.lintel("plan", "--detailed-exitcode", code=CHANGES)
        self.deploy()
        self.assertRegex(self.read("second.txt").decode(), "^made [0-9a-f]{4} 0644$")
        self.lintel("plan", "--detailed-exitcode", code=OK)

    def test_BP_280_rows_and_variables(self):
        db = sqlite3.connect(self.path("shop.db"))
        db.executescript(
            "CREATE TABLE customers (id INTEGER PRIMARY KEY, city TEXT, note TEXT);"
            "INSERT INTO customers VALUES (1, 'Ulm', 'x'), (7, 'Bern', NULL)"
        )
        db.close()
        self.write("blueprint.yaml", QUERY)
        env = {"TEST_TOKEN": "hunter2hunter2"}
        plan = self.lintel("plan", env=env, code=OK)
        self.assertNotIn("hunter2", plan.out + plan.err)
        self.deploy(env=env)
        self.assertEqual("7 Ulm,Bern [] hunter2hunter2", self.read("note.txt").decode())
        for name in self.files_below(".lintel"):
            with open(name, "rb") as f:
                self.assertNotIn(b"hunter2", f.read())

    def test_validate_fetches_nothing(self):
        """BP-312."""
        self.write("blueprint.yaml", FILES)
        os.rename(self.path("config"), self.path("gone"))
        self.lintel("validate", code=OK)


class Declared(Coded):
    def test_BP_324_declared_types_are_checked(self):
        self.write("types.yaml", TYPES)
        self.write("blueprint.yaml", DECLARED)
        self.assertIn("provider_not_found", self.codes("validate"))
        self.lintel("validate", "--schemas", "types.yaml", code=OK)
        self.write("blueprint.yaml", DECLARED.replace("{name: \"", "{nmae: \"").replace("search: [a, b]", "search: a"))
        wrong = self.codes("validate", "--schemas", "types.yaml")
        self.assertIn("resource_def_unknown_field", wrong)
        self.assertIn("invalid_filter_operand", wrong)

    def test_BP_324_what_is_printed_reads_back(self):
        printed = self.lintel("providers", "--json", code=OK).out
        self.write("all.json", printed)
        self.write("inner.json", json.dumps(json.loads(printed)["declarations"]))
        self.write("types.yaml", TYPES)
        self.write("blueprint.yaml", DECLARED)
        self.lintel("validate", "--schemas", "all.json", "--schemas", "types.yaml", code=OK)
        self.lintel("validate", "--schemas", "types.yaml", "--schemas", "inner.json", code=OK)

    def test_BP_324_the_last_declaration_counts(self):
        self.write("types.yaml", TYPES)
        self.write("more.yaml", "resources: {sky/function: {idField: id, schema: {type: object, attributes: {id: {type: string}}}}}\n")
        self.write("blueprint.yaml", DECLARED)
        self.lintel("validate", "--schemas", "more.yaml", "--schemas", "types.yaml", code=OK)
        wrong = self.codes("validate", "--schemas", "types.yaml", "--schemas", "more.yaml")
        self.assertIn("resource_def_unknown_field", wrong)

    def test_BP_324_mistakes_have_their_place(self):
        self.write("blueprint.yaml", DECLARED)
        self.write("types.yaml", TYPES.replace("idField", "idFeild"))
        result = self.lintel("validate", "--schemas", "types.yaml", code=INVALID)
        self.assertIn("types.yaml:4:5", result.err + result.out)
        self.assertIn("did you mean 'idField'?", result.err + result.out)
        self.lintel("validate", "--schemas", "nowhere.yaml", code=INVALID)

    def test_providers_tell_of_data_sources(self):
        text = self.lintel("providers", "sqlite/query", code=OK).out
        self.assertIn("## sqlite/query (data source)", text)
        self.assertIn("not together with `query`", text)
        value = self.check_json("providers", "providers", "http/document", code=OK)
        self.assertEqual(["="], value["declarations"]["datasources"]["http/document"]["filterFields"]["url"])
        self.assertIn("all operators", text)


if __name__ == "__main__":
    unittest.main()
