"""The table of resource types of the cfn dialect: its checker finds the mistakes planted for it (CF-224)."""

import os
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.environ.get("LINTEL_SOURCE") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GOOD = ["AWS::A::B", "Ref", "1", "-", "Name", "{name}", "-", "text", "aws-resource-a-b"]


class Types(unittest.TestCase):
    def check(self, *rows, output=False):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "types.tsv")
            made = os.path.join(directory, "types.c")
            with open(path, "w", encoding="utf-8") as stream:
                stream.write("# a comment\n" + "".join("\t".join(row) + "\n" for row in rows))
            command = [sys.executable, os.path.join(SOURCE, "tools", "gen-cfn-types"), path] + ([made] if output else [])
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, check=False)
            text = ""
            if os.path.exists(made):
                with open(made, encoding="utf-8") as stream:
                    text = stream.read()
            return done.returncode, done.stdout.decode(), text

    def row(self, **columns):
        names = ("type", "attribute", "rank", "when", "name", "form", "standin", "kind", "source")
        return [columns.get(name, value) for name, value in zip(names, GOOD)]

    def assert_refused(self, message, *rows):
        status, text, _ = self.check(*rows)
        self.assertEqual(status, 1, text)
        self.assertIn(message, text)
        self.assertNotIn("Traceback", text)

    def test_CF_224_the_table_of_the_tree(self):
        with open(os.path.join(SOURCE, "src/dialects/cfn/types.tsv"), encoding="utf-8") as stream:
            rows = [line.rstrip("\n").split("\t") for line in stream if not line.startswith("#")]
        status, text, made = self.check(*rows, output=True)
        self.assertEqual((status, text), (0, ""))
        self.assertEqual(made.count("\n    {"), len(rows))

    def test_CF_224_grammar_of_columns(self):
        for column, value in (("type", "Bucket"), ("attribute", "a..b"), ("rank", "0"), ("when", "like:P"), ("when", "is:P"),
                              ("name", "a b"), ("form", "{what}"), ("form", "{alnum7}"), ("form", "a}"), ("standin", "?"),
                              ("standin", "{hex}"), ("kind", "bool"), ("source", "somewhere"), ("form", "{ref}")):
            status, text, _ = self.check(self.row(**{column: value}))
            self.assertEqual(status, 1, "%s %s" % (column, value))
            self.assertIn("types.tsv:2: ", text)

    def test_CF_224_columns(self):
        self.assert_refused("9 columns", GOOD[:8])
        self.assert_refused("9 columns", self.row(kind=""))

    def test_CF_224_order_and_ranks(self):
        self.assert_refused("belongs before", GOOD, self.row(attribute="Arn"))
        self.assert_refused("belongs before", GOOD, GOOD)
        self.assert_refused("ranks start with 1", self.row(rank="2"))
        self.assert_refused("rank 3 follows rank 1", self.row(when="has:P"), self.row(rank="3"))
        self.assert_refused("always applies", GOOD, self.row(rank="2"))

    def test_CF_224_types(self):
        self.assert_refused("has no row for Ref", self.row(attribute="Arn"))
        self.assert_refused("one name property", self.row(attribute="Arn"), self.row(name="Other"))
        self.assert_refused("no name property", self.row(name="-"))


if __name__ == "__main__":
    unittest.main()
