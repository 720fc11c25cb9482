"""The examples of the guides do what the guides say; one case per section. Sections about PostgreSQL in operations.md have
a server of their own."""

import os
import re
import shutil
import sys
import tempfile
import unittest

import guide

LINTEL = os.environ["LINTEL_BIN"]
SOURCE = os.environ["LINTEL_SOURCE"]
sys.path.append(os.path.join(SOURCE, "tests", "cli", "commands"))

from test_postgres import CAN_START, Server  # noqa: E402

GUIDES = ("docs/blueprint.md", "docs/cfn.md", "docs/coming-from-spiff.md", "docs/dynaml.md", "docs/formatting.md", "docs/module.md", "docs/operations.md",
          "docs/transforms.md")


class Guide(unittest.TestCase):
    maxDiff = None

    def start_server(self):
        """What the environment says of a server for this case."""
        if not CAN_START:
            self.skipTest("there are no programs of PostgreSQL")
        server = Server()
        self.addCleanup(server.stop)
        return {"PGHOST": server.dir, "PGUSER": "owner", "PGDATABASE": "postgres"}

    def run_blocks(self, blocks, needs_server=False):
        home = tempfile.mkdtemp(prefix="lintel-guide-")
        self.addCleanup(shutil.rmtree, home, ignore_errors=True)
        directory = os.path.join(home, "shop")
        os.mkdir(directory)
        section = guide.Section(directory, LINTEL, self.start_server() if needs_server else None)
        for block in blocks:
            section.run(block)


def add_guide(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as stream:
        sections = guide.read_sections(stream.read())
    for number, (heading, blocks) in enumerate(sections):
        if not any(block.language for block in blocks):
            continue
        name = "test_%s_%02d_%s" % (re.sub(r"\W+", "_", os.path.basename(path)), number, re.sub(r"\W+", "_", heading).lower())
        needs = path == "docs/operations.md" and "PostgreSQL" in heading
        setattr(Guide, name, lambda self, blocks=blocks, needs=needs: self.run_blocks(blocks, needs))


for each_guide in GUIDES:
    add_guide(each_guide)


class TheRunner(Guide):
    """Examples that do not do what they say are found."""

    def run_text(self, text):
        self.run_blocks([block for _, blocks in guide.read_sections(text) for block in blocks])

    def assert_found(self, text, part):
        with self.assertRaisesRegex(AssertionError, re.escape(part)):
            self.run_text(text)

    def test_output(self):
        self.run_text("```console\n$ printf 'a 12 b\\nx\\ny\\nend\\n'\na … b\n…\nend\n$ false\n$ echo $?\n1\n```\n")
        self.assert_found("```console\n$ echo a\nb\n```\n", "line 1: $ echo a")
        self.assert_found("```console\n$ echo a\n```\n", "line 1: $ echo a")
        self.assert_found("```console\n$ false\n$ echo $?\n0\n```\n", "$ echo $?")

    def test_blueprints(self):
        good = "version: 2025-11-02\nresources:\n  a: {type: random/id, spec: {byteLength: 4}}\n"
        self.run_text("```yaml\n%s```\n" % good)
        self.assert_found("```yaml\n%s  b: {type: random/idd, spec: {}}\n```\n" % good, "resource_type_not_found")
        self.assert_found("```yaml\n%s  b: {type: random/id, spec: {}} # expect: unknown_key\n```\n" % good, "line 1")
        self.run_text("```yaml\n%s  b: {type: random/idd, spec: {}} # expect: resource_type_not_found\n```\n" % good)
        self.assert_found("```yaml\nresources: {}\n```\n", "whole blueprint")
        self.run_text("```yaml vars.yaml\na: b\n```\n```console\n$ cat vars.yaml\na: b\n```\n")


# The cases of the guides are not run again for the class above.
for inherited in [name for name in dir(TheRunner) if name.startswith("test_") and name in Guide.__dict__]:
    setattr(TheRunner, inherited, None)

if __name__ == "__main__":
    unittest.main()
