"""lintel killed while it changes keys (LC-052, F107) or the format of the state (F4): what is found is the old one or the
new one, never half of each."""

import os
import shutil
import sqlite3
import sys
import unittest

from faulted import KILLED, OK, FaultCase, choose_points

sys.path.append(os.path.join(os.environ["LINTEL_SOURCE"], "tests", "cli", "commands"))
import old_state  # noqa: E402

BLUEPRINT = """
version: 2025-11-02
variables:
  pass: {type: string, secret: true}
resources:
  token: {type: random/password, spec: {length: 24}}
  note:
    type: local/file
    spec: {path: note.txt, contents: "${variables.pass}"}
exports:
  token: {type: string, field: resources.token.spec.result}
"""
IN_SHORT = 8


class KilledRekey(FaultCase):
    def setUp(self):
        super().setUp()
        with open(self.path("blueprint.yaml"), "w", encoding="utf-8") as stream:
            stream.write(BLUEPRINT)
        self.lintel("deploy", "-y", "-i", "shop", "--var", "pass=open-sesame", code=OK)
        self.lintel("state", "mv", "-i", "shop", "resources.note", "resources.letter", code=OK)
        self.token = self.read_token()
        shutil.copytree(self.dir, os.path.join(self.home, "before"))

    def read_token(self, *key):
        return self.lintel("output", "token", "--raw", "-i", "shop", "--show-sensitive", "--yes-i-mean-it", *key)

    def check(self, point):
        """Exactly one of both keys opens the secrets, and everything is sealed by what it opens."""
        answers = [self.read_token(*key) for key in ([], ["--key", "file:new.key"])]
        good = [n for n, answer in enumerate(answers) if answer.code == OK and answer.out == self.token.out]
        if not os.path.exists(self.path("new.key")):
            good = [n for n in good if n == 0]  # looking without a key shows no secret
        self.assertEqual(1, len(good), (point, answers))
        key = ["--key", "file:new.key"] if good[0] else []
        self.lintel("plan", "-i", "shop", "--var", "pass=open-sesame", *key, code=OK)
        self.lintel("state", "undo", "-i", "shop", *key, code=OK)
        self.lintel("destroy", "-y", "-i", "shop", *key, code=OK)

    def restore(self):
        shutil.rmtree(self.dir)
        shutil.copytree(os.path.join(self.home, "before"), self.dir)

    def test_killed_rekey(self):
        command = ["state", "rekey", "--rotate", "--new-key", "file:new.key"]
        self.lintel(*command, fault="any=none@1", code=OK)
        total = self.count_calls()
        self.check("whole")
        for point in choose_points(total, IN_SHORT):
            self.restore()
            self.lintel(*command, fault="any=kill@%d" % point, code=KILLED)
            self.check(point)


class KilledMigration(FaultCase):
    def setUp(self):
        super().setUp()
        old_state.make_sqlite(self.dir)
        shutil.copytree(self.dir, os.path.join(self.home, "before"))

    def change(self, fault=None, code=OK):
        return self.lintel("unlock", "shop", "--reason", "it writes", fault=fault, code=code)

    def read_state(self):
        connection = sqlite3.connect(self.path(".lintel", "state.db"))
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
        noted = connection.execute("SELECT max(version) FROM migrations").fetchone()[0]
        connection.close()
        self.assertEqual(version, noted)
        self.assertEqual(version > 1, "data_keys" in tables)
        return version

    def read_token(self):
        return self.lintel("output", "token", "--raw", "-i", "shop", "--show-sensitive", "--yes-i-mean-it", code=OK).out

    def test_killed_migration(self):
        self.assertEqual(1, self.read_state())
        self.change(fault="any=none@1")
        total, newest, token = self.count_calls(), self.read_state(), self.read_token()
        for point in choose_points(total, IN_SHORT):
            shutil.rmtree(self.dir)
            shutil.copytree(os.path.join(self.home, "before"), self.dir)
            self.change(fault="any=kill@%d" % point, code=KILLED)
            self.assertIn(self.read_state(), (1, newest), point)
            self.change()
            self.assertEqual(newest, self.read_state())
            self.assertEqual(token, self.read_token())


if __name__ == "__main__":
    unittest.main()
