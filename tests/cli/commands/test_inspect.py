"""Looking at a blueprint: graph, explain, console (cli.md section 3)."""

import os
import shutil
import unittest

from cli_case import INVALID, OK, SMALL, USAGE, CliCase, Terminal

CHAIN = """
version: 2025-11-02
variables:
  env: {type: string, default: dev}
  password: {type: string, secret: true, default: correct-horse}
values:
  port:
    type: integer
    value: ${if(eq(variables.env, "prod"), 80, 8080)}
  login: {type: string, value: "admin:${variables.password}"}
resources:
  id: {type: random/id, spec: {byteLength: 4}}
  note:
    type: local/file
    dependsOn: id
    spec:
      path: out-${values.port}.txt
      contents: ${values.login} ${id.spec.hex}
exports:
  path: {type: string, field: resources.note.spec.path}
"""


class Graph(CliCase):
    def edges(self, value):
        return {(e["from"], e["to"], e["kind"]) for e in value["edges"]}

    def test_edges_lead_from_user_to_used(self):
        self.write("blueprint.yaml", CHAIN)
        value = self.check_json("graph", "graph", code=OK)
        edges = self.edges(value)
        self.assertIn(("values.port", "variables.env", "reference"), edges)
        self.assertIn(("resources.note", "resources.id", "reference"), edges)
        self.assertIn(("resources.note", "resources.id", "dependsOn"), edges)
        self.assertIn(("exports.path", "resources.note", "reference"), edges)
        self.assertEqual(["variables.env", "variables.password", "values.port", "values.login", "resources.id",
                          "resources.note", "exports.path"], [n["address"] for n in value["nodes"]])

    def test_focus_and_depth(self):
        self.write("blueprint.yaml", CHAIN)
        near = self.check_json("graph", "graph", "--focus", "values.port", code=OK)
        self.assertEqual({"variables.env", "values.port", "resources.note"}, {n["address"] for n in near["nodes"]})
        far = self.check_json("graph", "graph", "--focus", "values.port", "--depth", "9", code=OK)
        self.assertEqual(7, len(far["nodes"]))
        result = self.lintel("graph", "--focus", "values.prt", code=USAGE)
        self.assertIn("did you mean 'values.port'?", result.err)
        self.lintel("graph", "--depth", "2", code=USAGE)

    def test_formats(self):
        self.write("blueprint.yaml", CHAIN)
        dot = self.lintel("graph", code=OK).out
        self.assertTrue(dot.startswith("digraph blueprint {\n"))
        self.assertIn('[shape=box, label="resources.note\\nlocal/file"];', dot)
        mermaid = self.lintel("graph", "--format", "mermaid", code=OK).out
        self.assertTrue(mermaid.startswith("flowchart LR\n"))
        self.assertIn('["resources.note<br/>local/file"]', mermaid)
        self.assertEqual(7, len(self.lintel("graph", "--format", "json", code=OK).json()["nodes"]))

    @unittest.skipUnless(shutil.which("dot"), "graphviz is not there")
    def test_svg_is_drawn_by_graphviz(self):
        self.write("blueprint.yaml", CHAIN)
        svg = self.lintel("graph", "--format", "svg", code=OK).out
        self.assertIn("<svg ", svg)
        self.assertIn("resources.note", svg)

    def test_svg_without_graphviz(self):
        self.write("blueprint.yaml", CHAIN)
        result = self.lintel("graph", "--format", "svg", env={"PATH": self.dir}, code=1)
        self.assertEqual("", result.out)
        self.assertIn("install graphviz", result.err)

    def test_plan_marks_what_would_be_done(self):
        self.write("blueprint.yaml", SMALL)
        value = self.check_json("graph", "graph", "--plan", code=OK)
        self.assertEqual({"resources.id": "create", "resources.note": "create"},
                         {n["address"]: n["action"] for n in value["nodes"] if n["kind"] == "resources"})
        self.deploy()
        value = self.check_json("graph", "graph", "--plan", code=OK)
        self.assertEqual([], [n for n in value["nodes"] if "action" in n])

    def test_odd_names_stay_text(self):  # F103
        self.write("blueprint.yaml", 'version: 2025-11-02\nresources:\n  \'a"]; <b>\': {type: random/id, spec: {}}\n')
        dot = self.lintel("graph", code=OK).out
        self.assertIn('label="resources[\\"a\\\\\\"]; <b>\\"]\\nrandom/id"', dot)
        self.assertIn("resources[#34;a\\#34;]; #60;b#62;#34;]", self.lintel("graph", "--format", "mermaid", code=OK).out)


class Explain(CliCase):
    def test_the_chain_of_a_field(self):
        self.write("blueprint.yaml", CHAIN)
        self.assertEqual("""\
resources.note.spec.path = "out-8080.txt"  # blueprint.yaml:16:13: out-${values.port}.txt
  values.port = 8080  # blueprint.yaml:8:14: if(eq(variables.env, "prod"), 80, 8080)
    if(…) = 8080
      eq(…) = false
        variables.env = "dev"  # blueprint.yaml:3:3
          its default  # blueprint.yaml:3:32
""", self.lintel("explain", "resources.note.spec.path", code=OK).out)

    def test_values_that_are_given(self):
        self.write("blueprint.yaml", CHAIN)
        text = self.lintel("explain", "exports.path", "--var", "env=prod", code=OK).out
        self.assertIn('exports.path = "%s"' % self.path("out-80.txt"), text)
        self.assertTrue(text.endswith('variables.env = "prod"  # blueprint.yaml:3:3\n            given by --var env\n'), text)
        self.write("vars.yaml", "env: prod\n")
        text = self.lintel("explain", "exports.path", "--vars", "vars.yaml", code=OK).out
        self.assertTrue(text.endswith("given by vars.yaml  # vars.yaml:1:6\n"), text)

    def test_secrets_are_hidden(self):
        self.write("blueprint.yaml", CHAIN)
        for args in (("resources.note.spec.contents",), ("values.login", "--json"), ("variables.password",)):
            result = self.lintel("explain", *args, code=OK)
            self.assertNotIn("correct-horse", result.out + result.err)
            self.assertIn("(sensitive)", result.out)

    def test_defaults_and_computed_fields(self):
        self.write("blueprint.yaml", CHAIN)
        self.assertIn("the default of local/file", self.lintel("explain", "resources.note.spec.mode", code=OK).out)
        self.assertIn("filled in by random/id", self.lintel("explain", "resources.id.spec.hex", code=OK).out)

    def test_state_is_used(self):
        self.write("blueprint.yaml", SMALL)
        self.assertIn("(known on deploy)", self.lintel("explain", "exports.hex", code=OK).out)
        self.deploy()
        hex_text = self.lintel("output", "hex", "--raw", code=OK).out.strip()
        self.assertIn('"%s"' % hex_text, self.lintel("explain", "exports.hex", code=OK).out)

    def test_machine_form(self):
        self.write("blueprint.yaml", CHAIN)
        value = self.check_json("explain", "explain", "values.port", code=OK)["explanation"]
        self.assertEqual(("element", "values.port", 8080), (value["kind"], value["name"], value["value"]))
        call = value["from"][0]
        self.assertEqual(("call", "if", 8080), (call["kind"], call["name"], call["value"]))
        self.assertEqual("eq", call["from"][0]["name"])

    def test_unknown_addresses(self):
        self.write("blueprint.yaml", CHAIN)
        self.check_json("explain", "explain", "values.prt", code=USAGE)
        self.check_json("explain", "explain", "values.port.x", code=INVALID)
        self.check_json("explain", "explain", code=USAGE)
        self.check_json("explain", "explain", "]", code=USAGE)


class Console(CliCase):
    def run_lines(self, text, *args, code=OK):
        return self.lintel("console", *args, stdin=text.encode(), code=code)

    def test_a_pipe(self):
        self.write("blueprint.yaml", CHAIN)
        result = self.run_lines('values.port\nlen("né")\n${values.port}\nport ${values.port}\nobject(a=list(1, 2.0))\n\nnone\n')
        self.assertEqual('8080\n2\n8080\n"port 8080"\n{\n  "a": [\n    1,\n    2.0\n  ]\n}\nnone\n', result.out)

    def test_without_a_blueprint_there_are_functions(self):
        self.assertEqual('5\n"a-b"\n', self.run_lines('len("héllo")\njoin(list("a", "b"), "-")\n').out)
        self.run_lines("values.x\n", code=INVALID)

    def test_failures_do_not_end_it(self):
        self.write("blueprint.yaml", CHAIN)
        result = self.run_lines('1 +\nlen("abc")\nvalues.nope\n', code=INVALID)
        self.assertEqual("3\n", result.out)
        self.assertIn("<console>:1:3", result.err)

    def test_what_blueprints_are_checked_for(self):
        # FN-141, FN-023, FN-031: what validation refuses is no value here either
        for line, code in (("object(a=1, a=2)", "invalid_substitution"),
                           ('list(getattr("a"))', "higher_order_function_not_supported"),
                           ('object(a=getattr("a"))', "higher_order_function_not_supported"),
                           ('eq(getattr("a"), getattr("a"))', "higher_order_function_not_supported"),
                           ('sort(list("b"), trim)', "invalid_substitution"),
                           ("and(false, 1)", "invalid_substitution")):
            result = self.run_lines(line + "\n", code=INVALID)
            self.assertEqual("", result.out)
            self.assertIn("error[%s]" % code, result.err)

    def test_secrets_and_unknowns(self):
        self.write("blueprint.yaml", CHAIN)
        result = self.run_lines("values.login\nid.spec.hex\nid.state.hex\n")
        self.assertEqual("(sensitive)\n(known on deploy)\n(known on deploy)\n", result.out)

    def test_stored_state(self):
        self.write("blueprint.yaml", SMALL)
        self.deploy()
        hex_text = self.lintel("output", "hex", "--raw", code=OK).out.strip()
        self.assertEqual('"%s"\n"%s"\n' % (hex_text, hex_text),
                         self.run_lines("id.spec.hex\nresources.id.state.hex\n").out)

    def test_machine_form(self):
        self.write("blueprint.yaml", CHAIN)
        value = self.check_json("console", "console", stdin=b"values.port\nvalues.nope\n:quit\n1\n", code=INVALID)
        self.assertEqual(["integer", None], [r.get("kind") for r in value["results"]])
        self.assertEqual([0, 1], [len(r["diagnostics"]) for r in value["results"]])

    def test_endless_line(self):
        self.write("blueprint.yaml", CHAIN)
        self.lintel("console", stdin=b"x" * (2 << 20), code=USAGE)

    def test_terminal_with_history_and_completion(self):
        self.write("blueprint.yaml", CHAIN)
        os.makedirs(self.path("state"))
        env = {"XDG_STATE_HOME": self.path("state")}
        terminal = Terminal(self, ["console"], env=env)
        terminal.read_until(b"lintel> ")
        terminal.await_editing()
        terminal.answer(b"values.po\t\n")
        terminal.read_until(b"8080\r\nlintel> ")
        terminal.await_editing()
        terminal.answer(b"\x04")
        self.assertEqual(OK, terminal.wait())
        self.assertIn(b"values.port", self.read("state/lintel/console_history"))
        self.assertEqual(0o600, os.stat(self.path("state/lintel/console_history")).st_mode & 0o777)


MANY = """
version: 2025-11-02
variables:
  env: {type: string, default: dev}
  names: {type: string, default: '["a", "b", "c"]'}
  password: {type: string, secret: true, default: correct-horse}
values:
  list: {type: array, value: "${jsondecode(variables.names)}"}
resources:
  id: {type: random/id, spec: {byteLength: 4}}
  file:
    type: local/file
    each: ${values.list}
    condition: ${not(eq(elem, "b"))}
    spec:
      path: out-${elem}-${i}.txt
      contents: ${join(list(elem, id.spec.hex), "-")} of ${elem} for ${variables.password}
  last:
    type: local/file
    dependsOn: [file, gone]
    condition:
      and: ["${eq(variables.env, 'dev')}", {not: "${eq(id.spec.hex, 'x')}"}]
    spec: {path: last.txt, contents: '${file[2].spec.sha256} and ${"${"}HOME}'}
  gone:
    type: local/file
    condition: ${eq(variables.env, "prod")}
    spec: {path: gone.txt, contents: x}
exports:
  path: {type: string, field: "file[0].spec.path"}
  none: {type: string, field: gone.spec.path}
"""


class Render(CliCase):
    def render(self, *args):
        return self.check_json("render", "render", *args, code=OK)["blueprint"]

    def test_instances_conditions_and_literals(self):
        self.write("blueprint.yaml", MANY)
        value = self.render()
        resources = value["resources"]
        self.assertEqual(["id", "file_0", "file_2", "last"], list(resources))
        self.assertEqual("out-c-2.txt", resources["file_2"]["spec"]["path"])
        self.assertEqual('${join(list("a", id.spec.hex), "-")} of a for ${variables.password}',
                         resources["file_0"]["spec"]["contents"])
        self.assertEqual(["file_0", "file_2"], resources["last"]["dependsOn"])
        self.assertEqual({"not": '${eq(id.spec.hex, "x")}'}, resources["last"]["condition"])
        self.assertEqual('${resources.file_2.spec.sha256} and ${"${"}HOME}', resources["last"]["spec"]["contents"])
        self.assertEqual({"path"}, set(value["exports"]))
        self.assertEqual("resources.file_0.spec.path", value["exports"]["path"]["field"])
        self.assertEqual(["a", "b", "c"], value["values"]["list"]["value"])
        self.assertEqual(["password"], list(value["variables"]))

    def test_what_is_rendered_is_a_blueprint_of_the_same_meaning(self):
        self.write("blueprint.yaml", MANY)
        for extension, form in (("yaml", "yaml"), ("json", "json")):
            text = self.lintel("render", "--format", form, code=OK).out
            self.write("rendered." + extension, text.encode())
            self.lintel("validate", "rendered." + extension, code=OK)
            again = self.lintel("render", "rendered." + extension, "--format", form, code=OK).out
            self.assertEqual(text, again)

    def test_data_sources_children_and_nested_blueprints(self):
        self.write("child.yaml", """
            version: 2025-11-02
            variables: {name: {type: string}}
            resources:
              note: {type: local/file, spec: {path: "${variables.name}.txt", contents: x}}
            exports:
              path: {type: string, field: resources.note.spec.path}
            """)
        self.write("blueprint.yaml", """
            version: 2025-11-02
            variables: {env: {type: string, default: dev}}
            datasources:
              one:
                type: local/file
                filter: {field: path, operator: "=", search: "${variables.env}.txt"}
                exports: {size: {type: integer}}
              two:
                type: local/file
                filter:
                  - {field: directory, operator: "=", search: .}
                  - {field: extension, operator: in, search: [txt, "${variables.env}"]}
                exports: {size: {type: integer}}
            include:
              core: {path: child.yaml, variables: {name: "core-${variables.env}"}}
            resources:
              web:
                type: lintel/blueprint
                each: ${list("x", "y")}
                spec: {path: child.yaml, variables: {name: "${elem}-${i}"}}
            exports:
              path: {type: string, field: "resources.web[1].state.path"}
              core: {type: string, field: children.core.path}
              size: {type: integer, field: datasources.one.size}
              other: {type: integer, field: datasources.two.size}
            """)
        value = self.render()
        self.assertEqual("dev.txt", value["datasources"]["one"]["filter"]["search"])
        self.assertEqual(["txt", "dev"], value["datasources"]["two"]["filter"][1]["search"])
        self.assertEqual("core-dev", value["include"]["core"]["variables"]["name"])
        self.assertEqual({"path": "child.yaml", "variables": {"name": "y-1"}}, value["resources"]["web_1"]["spec"])
        self.assertEqual("resources.web_1.state.path", value["exports"]["path"]["field"])
        self.write("rendered.yaml", self.lintel("render", code=OK).out.encode())
        self.lintel("validate", "rendered.yaml", code=OK)

    def test_secrets(self):
        self.write("blueprint.yaml", MANY + "  secret: {type: string, field: variables.password}\n")
        result = self.lintel("render", code=OK)
        self.assertNotIn("correct-horse", result.out + result.err)
        self.assertIn("default: (sensitive)", result.out)
        shown = self.lintel("render", "--show-sensitive", "--yes-i-mean-it", code=OK)
        self.assertIn("default: correct-horse", shown.out)
        self.lintel("render", "--show-sensitive", code=USAGE)

    def test_awkward_literals(self):
        self.write("blueprint.yaml", r"""
            version: 2025-11-02
            values:
              odd: {type: object, value: {text: "a\\\"'b", big: 1e300, list: [1, {x: "é"}], nothing: null}}
            resources:
              id: {type: random/id, spec: {byteLength: 4}}
              note:
                type: local/file
                spec:
                  path: note.txt
                  contents: ${join(list(values.odd.text, id.spec.hex, len(values.odd.list), values.odd.big), "|")}
            """)
        contents = self.render()["resources"]["note"]["spec"]["contents"]
        self.write("other.yaml", """
            version: 2025-11-02
            resources:
              id: {type: random/id, spec: {byteLength: 4}}
            """)
        inner = contents[2:-1].replace("id.spec.hex", '"h"')
        printed = self.lintel("console", "other.yaml", stdin=inner.encode() + b"\n", code=OK).out
        self.assertEqual('"%s|h|2|1e300"' % r"""a\\\"'b""", printed.strip())

    def test_state_is_put_in(self):
        self.write("blueprint.yaml", SMALL)
        self.deploy()
        hex_text = self.lintel("output", "hex", "--raw", code=OK).out.strip()
        self.assertEqual("hello " + hex_text, self.render()["resources"]["note"]["spec"]["contents"])

    def test_looking_twice_shows_the_same(self):
        self.write("blueprint.yaml", """
            version: 2025-11-02
            resources:
              note: {type: local/file, spec: {path: note.txt, contents: "${uuid()} ${sha256(file('data'))}"}}
              other: {type: local/file, spec: {path: other.txt, contents: "${datetime('rfc3339')}"}}
            """)
        self.write("data", b"x")
        digest = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"
        value = self.render()
        self.assertEqual("${uuid()} " + digest, value["resources"]["note"]["spec"]["contents"])
        self.assertEqual('${datetime("rfc3339")}', value["resources"]["other"]["spec"]["contents"])
        self.deploy()
        kept = self.render()["resources"]["note"]["spec"]["contents"]
        self.assertEqual(self.read("note.txt").decode(), kept)

    def test_mistakes(self):
        self.write("blueprint.yaml", "version: 1\n")
        self.check_json("render", "render", code=INVALID)
        self.check_json("render", "render", "nowhere.yaml", code=INVALID)


if __name__ == "__main__":
    unittest.main()
