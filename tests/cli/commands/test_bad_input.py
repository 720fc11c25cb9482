"""Bad input: one clear, located error with its code and exit status, and nothing is lost."""

import os
import unittest

from cli_case import INVALID, OK, SMALL, USAGE, CliCase

HEAD = "version: 2025-11-02\n"
IS_ROOT = os.geteuid() == 0


def resource(spec):
    return HEAD + "resources:\n  a:\n    type: local/file\n    spec:\n" + spec


class Documents(CliCase):
    def check(self, text, *wanted, name="blueprint.yaml"):
        """Exactly these errors: (code, line, column)."""
        self.write(name, text)
        self.assertEqual(sorted(wanted), sorted(self.codes_of(name)))
        plain = self.lintel("validate", name, code=INVALID)
        self.assertEqual("", plain.out)
        for code, line, column in wanted:
            self.assertIn("error[%s]" % code, plain.err)
            self.assertIn("%s:%d:%d" % (name, line, column), plain.err)

    def test_wrong_type_of_a_field(self):
        self.check(resource("      path: 5\n      contents: x\n      mode: [1]\n"),
                   ("resource_def_invalid_type", 6, 13), ("resource_def_invalid_type", 8, 13))

    def test_wrong_type_of_a_definition(self):
        self.check(HEAD + "resources:\n  a: 5\n", ("invalid_map", 3, 6))

    def test_unknown_names_with_hints(self):
        self.write("blueprint.yaml", """
            version: 2025-11-02
            variables:
              region:
                type: string
                default: eu
            resources:
              a:
                type: local/file
                spec:
                  path: "${variables.regon}"
                  contents: "${variables.region}"
              b:
                type: local/fil
                spec: {}
            """)
        value = self.check_json("validate", "validate", code=INVALID)
        found = {d["code"]: d for d in value["diagnostics"]}
        self.assertIn("region", found["missing_variable"]["hint"])
        self.assertEqual(10, found["missing_variable"]["range"]["start"]["line"])
        self.assertIn("local/file", found["resource_type_not_found"]["hint"])
        self.assertEqual(2, len(found))

    def test_unknown_function(self):
        self.check(resource('      path: a\n      contents: "${subtr("abc", 1)}"\n'.replace('"${', "'${").replace('}"', "}'")),
                   ("function_not_found", 7, 20))

    def test_a_cycle_is_named_as_a_path(self):
        self.write("blueprint.yaml", """
            version: 2025-11-02
            values:
              a:
                type: string
                value: "${values.b}"
              b:
                type: string
                value: "${values.c}"
              c:
                type: string
                value: "${values.a}"
            resources:
              id:
                type: random/id
                spec: {byteLength: 4}
            """)
        value = self.check_json("validate", "validate", code=INVALID)
        (found,) = [d for d in value["diagnostics"] if d["severity"] == "error"]
        self.assertEqual("reference_cycle", found["code"])
        told = found["message"] + " ".join(r["message"] for r in found.get("related", []))
        for name in ("values.a", "values.b", "values.c"):
            self.assertIn(name, told)

    def test_invalid_utf8(self):
        self.check(b"version: 2025-11-02\nresources: \xc3(\n", ("invalid_encoding", 2, 12))

    def test_nul(self):
        self.check(b"version: 2025-11-02\nresources: a\0b\n", ("invalid_encoding", 2, 13))

    def test_utf16_is_named(self):
        self.write("blueprint.yaml", "version: 2025-11-02\n".encode("utf-16"))
        self.assertIn("UTF-16", self.lintel("validate", code=INVALID).err)

    def test_duplicate_keys(self):
        self.check(HEAD + "resources:\n  a:\n    type: random/id\n    spec: {byteLength: 4}\n    type: random/id\n",
                   ("duplicate_key", 6, 5))
        self.check('{"version": "2025-11-02", "version": "2025-11-02", "resources": {"a": {"type": "random/id", "spec": {"byteLength": 2}}}}',
                   ("duplicate_key", 1, 27), name="blueprint.json")

    def test_anchors_and_aliases(self):
        self.write("blueprint.yaml", HEAD + "resources:\n  a: &x\n    type: random/id\n    spec: {byteLength: 4}\n  b: *x\n")
        codes = self.codes_of("blueprint.yaml")
        self.assertEqual({"yaml_unsupported_feature"}, {c for c, _, _ in codes})
        self.assertIn(("yaml_unsupported_feature", 3, 6), codes)

    def test_nesting_of_100_000(self):
        for name, text in (("deep.yaml", HEAD + "metadata: " + "[" * 100000 + "]" * 100000 + "\n"),
                           ("block.yaml", HEAD + "metadata:\n" + " " + "- " * 100000 + "x\n"),
                           ("deep.json", '{"version": "2025-11-02", "metadata": ' + "[" * 100000 + "]" * 100000 + "}")):
            self.write(name, text)
            self.assertEqual(["limit_exceeded"], [c for c, _, _ in self.codes_of(name)], name)

    def test_a_scalar_of_10_megabytes_is_data(self):
        text = "x" * (10 << 20)
        self.write("blueprint.yaml", resource("      path: a\n      contents: " + text + "\n"))
        self.lintel("validate", code=OK)
        self.write("blueprint.yaml", resource("      path: a\n      content: " + text + "\n"))
        result = self.lintel("validate", code=INVALID)
        self.assertLess(len(result.err), 4000)

    def test_a_key_of_10_megabytes(self):
        self.write("blueprint.yaml", HEAD + "resources:\n  " + "k" * (10 << 20) + ":\n    type: nosuch/thing\n    spec: {}\n")
        self.assertLess(len(self.lintel("validate", code=INVALID).err), 1 << 16)

    def test_billion_laughs(self):
        lines = ["a0: &a0 [lol, lol]"]
        lines += ["a%d: &a%d [%s]" % (i, i, ", ".join(["*a%d" % (i - 1)] * 10)) for i in range(1, 30)]
        self.write("blueprint.yaml", HEAD + "metadata:\n" + "".join("  %s\n" % line for line in lines))
        codes = {c for c, _, _ in self.codes_of("blueprint.yaml")}
        self.assertLessEqual(codes, {"yaml_unsupported_feature", "missing_resources"})

    def test_several_independent_mistakes_in_one_run(self):
        self.check(HEAD + "resources:\n  a:\n    type: random/id\n    spec: {byteLength: x}\n  b:\n    type: random/di\n"
                   "    spec: {}\n  c:\n    type: random/id\n    spec: {byteLength: 4, byteLenght: 4}\n",
                   ("resource_def_invalid_type", 5, 24), ("resource_type_not_found", 7, 11), ("resource_def_unknown_field", 11, 27))

    def test_syntax_errors_go_on_at_the_next_entry(self):
        self.write("blueprint.yaml", HEAD + "resources:\n  a:\n    type: 'random/id\n  b:\n   - x: [1, 2\nexports: {\n")
        self.assertTrue({c for c, _, _ in self.codes_of("blueprint.yaml")} <= {"invalid_syntax"})

    def test_strict(self):
        self.write("blueprint.yaml", SMALL.lstrip() + "colour: red\n")
        self.assertIn("warning[unknown_key]", self.lintel("validate", code=OK).err)
        self.assertEqual([("unknown_key", 23, 1)], self.codes_of("--strict"))


class Files(CliCase):
    def test_a_file_that_is_not_there(self):
        value = self.check_json("validate", "validate", "nosuch.yaml", code=INVALID)
        (found,) = value["diagnostics"]
        self.assertEqual("file_not_readable", found["code"])
        self.assertIn("nosuch.yaml", found["message"])

    @unittest.skipIf(IS_ROOT, "root reads every file")
    def test_a_file_that_may_not_be_read(self):
        self.write("blueprint.yaml", SMALL)
        os.chmod(self.path("blueprint.yaml"), 0)
        self.assertEqual(["file_not_readable"], self.lintel("validate", "--json", code=INVALID).codes())

    def test_an_empty_name(self):
        for words in (["validate"], ["plan"], ["graph"], ["graph", "--plan"], ["render"], ["console"], ["explain", "values.x"]):
            self.assertEqual(["invalid_spec_ext"], self.lintel(*words, "", "--json", code=INVALID).codes(), words)

    def test_a_directory(self):
        os.mkdir(self.path("blueprint.yaml"))
        self.assertEqual(["file_not_readable"], self.lintel("validate", "--json", code=INVALID).codes())

    def test_a_dangling_link(self):
        os.symlink("nosuch", self.path("gone.yaml"))
        self.assertEqual(["file_not_readable"], self.lintel("validate", "gone.yaml", "--json", code=INVALID).codes())

    def test_an_empty_file(self):
        self.write("blueprint.yaml", "")
        self.lintel("validate", code=INVALID)

    def test_an_unknown_extension(self):
        self.write("blueprint.toml", SMALL)
        self.assertEqual(["invalid_spec_ext"], self.lintel("validate", "blueprint.toml", "--json", code=INVALID).codes())

    def test_standard_input(self):
        self.lintel("validate", "-", "--input-format", "yaml", stdin=SMALL.encode(), code=OK)
        self.assertEqual(["invalid_spec_ext"], self.lintel("validate", "-", "--json", stdin=b"{}", code=INVALID).codes())
        result = self.lintel("validate", "-", "--input-format", "json", stdin=b"{", code=INVALID)
        self.assertIn("<stdin>:1:", result.err)

    def test_files_of_variables(self):
        self.write("blueprint.yaml", SMALL)
        for name, text, code in (("a.yaml", "[1]\n", "invalid_map"), ("b.yaml", "greeting: [1\n", "invalid_syntax"),
                                 ("c.yaml", "greeting: 5\n", "variable_invalid_or_missing"),
                                 ("d.json", '{"greeting": "x",}', "invalid_syntax"),
                                 ("e.yaml", b"greeting: \xff\n", "invalid_encoding")):
            self.write(name, text)
            self.assertIn(code, self.lintel("validate", "--vars", name, "--json", code=INVALID).codes(), name)
        self.assertIn("file_not_readable", self.lintel("validate", "--vars", "nosuch", "--json", code=INVALID).codes())

    def test_variables_on_the_command_line(self):
        self.write("blueprint.yaml", SMALL.replace("type: string\n    default: hello", "type: integer"))
        value = self.lintel("plan", "--json", code=INVALID)
        self.assertEqual(["required_variable_missing"], value.codes())
        self.assertIn("variable_invalid_or_missing", self.lintel("plan", "--var", "greeting=x", "--json", code=INVALID).codes())
        self.assertIn("file_not_readable", self.lintel("plan", "--var", "greeting=@nosuch", "--json", code=INVALID).codes())
        self.assertIn("usage_error", self.lintel("plan", "--var", "greeting", "--json", code=USAGE).codes())
        result = self.lintel("plan", "--var", "greeting=1", "--var", "nosuch=1", "--json", code=OK)
        self.assertEqual(["unknown_variable_supplied"], result.codes())

    def test_a_value_that_is_no_text(self):
        self.write("blueprint.yaml", SMALL)
        self.write("binary", b"\xff\xfe\0")
        self.assertEqual(["invalid_encoding"], self.lintel("plan", "--var", "greeting=@binary", "--json", code=INVALID).codes())
