"""Keys that change: passphrases, `state rekey`, states of earlier formats (LC-050, LC-052, F4, F36, F107)."""

import hashlib
import json
import os
import re
import sqlite3
import unittest

import old_state
from cli_case import FAILED, INVALID, LOCKED, OK, USAGE, CliCase, Terminal
from test_postgres import CAN_START, Server
from test_state_edits import SlowRun

SECRET = "open-sesame-4711"
BLUEPRINT = """
version: 2025-11-02
variables:
  pass: {type: string, secret: true}
resources:
  token: {type: random/password, spec: {length: 24}}
  note:
    type: local/file
    spec: {path: note.txt, contents: "${variables.pass} ${resources.token.spec.result}"}
exports:
  token: {type: string, field: resources.token.spec.result}
"""
PHRASE = {"LINTEL_PASSPHRASE": "correct horse"}
REVEALED = ["--show-sensitive", "--yes-i-mean-it"]


class RekeyCase(CliCase):
    def digest_of_state(self):
        digest = hashlib.sha256()
        for name in sorted(self.files_below(".lintel")):
            if name.endswith((".db", ".db-wal", ".bak")):
                with open(name, "rb") as stream:
                    digest.update(name.encode() + stream.read())
        return digest.hexdigest()

    def token(self, *args, instance="shop", env=None):
        found = self.lintel("output", "token", "--raw", "-i", instance, *REVEALED, *args, env=env, code=OK).out.strip()
        self.assertEqual(24, len(found))
        return found

    def key_ids(self):
        """Of the data keys that anything in the state is sealed by: twelve letters at the start of each box."""
        connection = sqlite3.connect(self.path(".lintel", "state.db"))
        texts = [row[0] for table in ("instances", "elements", "journal", "history")
                 for row in connection.execute("SELECT body FROM %s" % table)]
        connection.close()
        return {box for text in texts for box in re.findall(r'\\*"box\\*":\\*"(.{12})', text)}

    def data_key(self):
        connection = sqlite3.connect(self.path(".lintel", "state.db"))
        rows = connection.execute("SELECT context, wrapped FROM data_keys").fetchall()
        connection.close()
        return {context: json.loads(wrapped) for context, wrapped in rows}


class Passphrases(RekeyCase):
    def setUp(self):
        super().setUp()
        self.write("blueprint.yaml", BLUEPRINT)

    def test_LC_050_it_comes_from_a_variable(self):
        self.deploy("-i", "shop", "--key", "passphrase", "--var", "pass=" + SECRET, env=PHRASE)
        self.assertFalse(os.path.exists(self.path(".lintel", "vault")))
        self.assertIn(self.token("--key", "passphrase", env=PHRASE), self.read("note.txt").decode())
        self.token("--key", "passphrase:env:MINE", env={"MINE": PHRASE["LINTEL_PASSPHRASE"]})
        kept = self.data_key()["default"]
        self.assertEqual(("passphrase", 3, 64 << 20), (kept["wrap"], kept["operations"], kept["memory"]))
        for name in self.files_below(".lintel"):
            with open(name, "rb") as stream:
                self.assertNotIn(b"correct horse", stream.read(), name)

    def test_LC_050_it_is_asked_for_twice_when_it_is_new_and_never_shown(self):
        terminal = Terminal(self, ["deploy", "-y", "-i", "shop", "--key", "passphrase", "--var", "pass=" + SECRET])
        for prompt in (b"Passphrase: ", b"The same again: "):
            terminal.read_until(prompt)
            terminal.answer(b"correct horse\n")
        self.assertEqual(OK, terminal.wait(), terminal.text)
        self.assertNotIn(b"correct", terminal.text)
        terminal = Terminal(self, ["output", "token", "-i", "shop", "--key", "passphrase", "--show-sensitive"])
        terminal.read_until(b"Passphrase: ")
        terminal.answer(b"correct horse\n")
        self.assertEqual(OK, terminal.wait(), terminal.text)
        self.assertNotIn(b"again", terminal.text)
        self.assertIn(self.token("--key", "passphrase", env=PHRASE).encode(), terminal.text)

    def test_LC_052_what_cannot_be_a_passphrase(self):
        def refused(part, env=None, spec="passphrase"):
            result = self.lintel("deploy", "-y", "-i", "shop", "--key", spec, "--var", "pass=x", env=env, code=FAILED)
            self.assertIn(part, result.err)
            self.assertFalse(os.path.exists(self.path("note.txt")))

        refused("too short", {"LINTEL_PASSPHRASE": "seven77"})
        refused("set the variable LINTEL_PASSPHRASE")
        refused("set the variable NO_SUCH", spec="passphrase:env:NO_SUCH", env=PHRASE)
        self.assertIn("passphrase:env:NAME", self.lintel("show", "--key", "passphrase:x", code=USAGE).err)
        terminal = Terminal(self, ["deploy", "-y", "-i", "shop", "--key", "passphrase", "--var", "pass=x"])
        for prompt, text in ((b"Passphrase: ", b"correct horse\n"), (b"The same again: ", b"correct hors\n")):
            terminal.read_until(prompt)
            terminal.answer(text)
        self.assertEqual(FAILED, terminal.wait())
        self.assertIn(b"typed differently", terminal.text)

    def test_LC_052_the_key_before_is_not_in_the_way_of_lists(self):
        self.deploy("-i", "shop", "--var", "pass=" + SECRET)
        self.lintel("state", "rekey", "--new-key", "passphrase",
                    env={"LINTEL_NEW_PASSPHRASE": PHRASE["LINTEL_PASSPHRASE"]}, code=OK)
        self.assertTrue(os.path.exists(self.path(".lintel", "vault", "default.key")))
        self.assertIn("shop", self.lintel("list", code=OK).out)
        self.assertIn("deploy", self.lintel("history", "-i", "shop", code=OK).out)
        self.lintel("queue", code=OK)
        self.assertIn("key_not_usable", self.lintel("show", "-i", "shop", code=FAILED).err)

    def test_LC_051_looking_needs_no_passphrase(self):
        self.deploy("-i", "shop", "--key", "passphrase", "--var", "pass=" + SECRET, env=PHRASE)
        self.write("lintel.yaml", "key: passphrase\n")
        self.lintel("list", code=OK)
        self.assertNotIn(SECRET, self.lintel("show", "-i", "shop", *REVEALED, code=OK).out)

    def test_F107_a_wrong_key_is_said_and_nothing_is_written(self):
        self.deploy("-i", "shop", "--key", "passphrase", "--var", "pass=" + SECRET, env=PHRASE)
        before = self.digest_of_state()
        wrong = {"LINTEL_PASSPHRASE": "correct hors"}
        for command in (["deploy", "-y", "--var", "pass=x"], ["destroy", "-y"], ["state", "rekey", "--rotate"], ["show"],
                        ["state", "rm", "resources.note"], ["drift"], ["unlock", "shop", "--reason", "x"]):
            which = [] if command[0] == "unlock" or "rekey" in command else ["-i", "shop"]
            result = self.lintel(*command, *which, "--key", "passphrase", env=wrong, code=FAILED)
            self.assertIn("the passphrase does not open the secrets of context 'default'", result.err, command)
            self.assertEqual(1, result.err.count("error["), result.err)
            result = self.lintel(*command, *which, "--key", "file:other.key", code=None)
            if command[0] != "show":  # the file is not there, and looking makes none
                self.assertEqual(FAILED, result.code)
                self.assertIn("is not there, but the secrets of context 'default' are sealed", result.err)
        self.assertFalse(os.path.exists(self.path("other.key")))
        self.assertEqual(before, self.digest_of_state())


class Rekey(RekeyCase):
    def setUp(self):
        super().setUp()
        self.write("blueprint.yaml", BLUEPRINT)
        self.deploy("-i", "shop", "--var", "pass=" + SECRET)
        self.before = self.token()
        self.first_ids = self.key_ids()
        self.assertEqual(1, len(self.first_ids))

    def rekey(self, *args, env=None, code=OK):
        return self.check_json("state", "state", "rekey", *args, env=env, code=code)

    def test_LC_052_the_data_key_gets_another_wrapping(self):
        result = self.rekey("--new-key", "passphrase", env={"LINTEL_NEW_PASSPHRASE": "correct horse"})
        self.assertEqual({"context": "default", "generation": 1, "wrappedBy": "passphrase", "rotated": False, "instances": 1,
                          "resealed": 0, "unopened": 0}, {k: v for k, v in result["rekey"].items() if k != "dataKey"})
        self.assertEqual(self.first_ids, self.key_ids())
        self.assertEqual(self.before, self.token("--key", "passphrase", env=PHRASE))
        self.assertIn("sealed with a passphrase", self.lintel("show", "-i", "shop", code=FAILED).err)
        self.lintel("state", "rekey", "--key", "passphrase", "--new-key", "file:team.key", env=PHRASE, code=OK)
        self.assertEqual(0o600, os.stat(self.path("team.key")).st_mode & 0o777)
        self.assertEqual(self.before, self.token("--key", "file:team.key"))
        self.assertIn("sealed with another key", self.lintel("show", "-i", "shop", code=FAILED).err)
        self.assertIn("with a key, not with a passphrase", self.lintel("show", "-i", "shop", "--key", "passphrase", env=PHRASE, code=FAILED).err)
        self.lintel("plan", "-i", "shop", "--key", "file:team.key", "--var", "pass=" + SECRET, "--detailed-exitcode", code=OK)

    def test_LC_052_rotation_seals_everything_anew(self):
        self.lintel("state", "mv", "-i", "shop", "resources.note", "resources.letter", code=OK)
        self.write("bad.yaml", BLUEPRINT.replace("path: note.txt", "path: /dev/null/x"))
        self.lintel("deploy", "bad.yaml", "-y", "-i", "broken", "--var", "pass=" + SECRET)
        shown = self.lintel("show", "-i", "broken", "resources.token", *REVEALED, code=OK).out
        self.assertEqual(self.first_ids, self.key_ids())
        told = self.rekey("--rotate", "--dry-run")["rekey"]
        self.assertEqual(self.first_ids, self.key_ids())
        result = self.rekey("--rotate")["rekey"]
        self.assertEqual((2, True, 2, 0), tuple(result[k] for k in ("generation", "rotated", "instances", "unopened")))
        self.assertGreater(result["resealed"], 10)
        self.assertEqual(told["resealed"], result["resealed"])
        ids = self.key_ids()
        self.assertEqual(1, len(ids))
        self.assertNotEqual(self.first_ids, ids)
        self.assertEqual(self.before, self.token())
        self.assertEqual(shown, self.lintel("show", "-i", "broken", "resources.token", *REVEALED, code=OK).out)
        self.lintel("state", "undo", "-i", "shop", code=OK)  # rows in the history are sealed by it, too
        self.lintel("plan", "-i", "shop", "--var", "pass=" + SECRET, "--detailed-exitcode", code=OK)
        self.assertIn("deploy", self.lintel("history", "-i", "broken", code=OK).out)
        self.lintel("destroy", "-y", "-i", "broken", code=OK)  # the chain of the journal fits
        self.lintel("destroy", "-y", "-i", "shop", code=OK)

    def test_LC_052_history_of_what_is_gone_and_other_contexts(self):
        self.write("other.yaml", BLUEPRINT.replace("note.txt", "other.txt"))
        self.deploy("other.yaml", "-i", "other", "--context", "staging", "--var", "pass=" + SECRET)
        self.write("later.yaml", BLUEPRINT.replace("note.txt", "later.txt"))
        self.deploy("later.yaml", "-i", "later", "--var", "pass=" + SECRET)
        self.lintel("destroy", "-y", "-i", "later", code=OK)
        staging = self.data_key()["staging"]
        self.lintel("state", "rekey", "--rotate", code=OK)
        self.assertEqual(staging, self.data_key()["staging"])
        self.assertEqual(24, len(self.token("--context", "staging", instance="other")))
        self.assertEqual(2, len(self.key_ids()))
        self.assertFalse(self.first_ids & self.key_ids())

    def test_LC_052_a_plan_made_before_is_not_carried_out(self):
        self.lintel("plan", "-i", "shop", "--var", "pass=another", "--out", "p.json", code=OK)
        self.lintel("state", "rekey", "--rotate", code=OK)
        before = self.read("note.txt")
        self.assertIn("secret_value_unavailable", self.lintel("deploy", "--plan", "p.json", code=INVALID).err)
        self.assertEqual(before, self.read("note.txt"))

    def test_LC_052_options_that_do_not_go_together(self):
        for args in (["rekey", "--no-seal"], ["rekey", "--rotate", "--key-is-lost"], ["rekey", "more"], ["list", "--rotate"],
                     ["rekey", "--new-key", "first.key"]):
            self.lintel("state", *args, code=USAGE)

    def test_LC_051_a_key_that_is_lost(self):
        key = self.path(".lintel", "vault", "default.key")
        self.assertIn("not lost", self.lintel("state", "rekey", "--key-is-lost", code=FAILED).err)
        self.assertEqual(self.before, self.token())
        os.unlink(key)
        result = self.lintel("deploy", "-y", "-i", "shop", "--var", "pass=" + SECRET, code=FAILED)
        self.assertIn("is not there, but the secrets of context 'default' are sealed", result.err)
        self.assertIn("--key-is-lost", result.err)
        self.assertFalse(os.path.exists(key))
        self.lintel("state", "rekey", "--key-is-lost", code=OK)
        self.assertTrue(os.path.exists(key))
        self.assertNotIn(self.before, self.lintel("show", "-i", "shop", *REVEALED, code=OK).out)
        self.lintel("plan", "-i", "shop", "--var", "pass=" + SECRET, code=None)
        self.assertEqual(2, self.data_key()["default"]["generation"] + 1)


class Held(SlowRun):
    def test_LC_052_a_run_under_way_is_in_the_way(self):
        process = self.start()
        for extra in ([], ["--rotate"]):
            result = self.lintel("state", "rekey", *extra, code=LOCKED)
            self.assertIn("is held by", result.err)
        self.check_json("state", "state", "rekey", "--rotate", code=LOCKED)
        self.lintel("state", "rekey", "--rotate", "--dry-run", code=OK)
        self.stop(process)
        self.lintel("state", "rekey", "--rotate", code=OK)  # its holder is gone
        self.lintel("destroy", "--auto-approve", "--force", "--accept-drift", code=OK)


class OldStates(RekeyCase):
    def setUp(self):
        super().setUp()
        self.write("blueprint.yaml", BLUEPRINT)

    def test_F36_a_state_of_format_1_opens_and_keeps_its_secrets(self):
        old_state.make_sqlite(self.dir)
        self.lintel("unlock", "shop", "--reason", "it writes", code=OK)
        found = self.token()
        self.assertTrue(os.path.exists(self.path(".lintel", "state.db.bak")))
        self.assertEqual(("key", 1), (self.data_key()["default"]["wrap"], self.data_key()["default"]["generation"]))
        self.lintel("state", "rekey", "--rotate", "--new-key", "file:new.key", code=OK)
        self.assertEqual(found, self.token("--key", "file:new.key"))
        self.assertEqual(1, len(self.key_ids()))
        self.lintel("state", "undo", "-i", "shop", "--key", "file:new.key", code=OK)

    def test_LC_052_with_another_key_an_old_state_is_refused(self):
        old_state.make_sqlite(self.dir, key="old.key")
        before = self.digest_of_state()
        for extra in ([], ["--key", "file:other.key"], ["--key", "passphrase"]):
            result = self.lintel("destroy", "-y", "-i", "shop", *extra, env=PHRASE, code=FAILED)
            self.assertIn("does not open the secrets of context 'default'", result.err)
            self.assertEqual(before, self.digest_of_state(), "F107: the format is as it was")
            self.assertFalse(os.path.exists(self.path(".lintel", "vault", "default.key")))
        self.lintel("unlock", "shop", "--reason", "x", "--key", "file:old.key", code=OK)
        self.token("--key", "file:old.key")

    @unittest.skipUnless(CAN_START, "there are no programs of PostgreSQL")
    def test_F36_a_database_of_format_1_opens_and_keeps_its_secrets(self):
        server = Server()
        self.addCleanup(server.stop)
        server.query(old_state.read("postgres-format-1.sql"))
        old_state.make_key(self.path("old.key"))
        state = ["--state", server.url()]
        refused = self.lintel("unlock", "shop", "--reason", "x", *state, "--key", "file:other.key", code=FAILED)
        self.assertIn("does not open the secrets of context 'default'", refused.err)
        self.lintel("unlock", "shop", "--reason", "it writes", *state, "--key", "file:old.key", code=OK)
        found = self.token(*state, "--key", "file:old.key")
        self.lintel("state", "rekey", "--rotate", "--new-key", "file:new.key", *state, "--key", "file:old.key", code=OK)
        self.assertEqual(found, self.token(*state, "--key", "file:new.key"))
        self.assertIn("another key", self.lintel("show", "-i", "shop", *state, "--key", "file:old.key", code=FAILED).err)
        self.lintel("state", "undo", "-i", "shop", *state, "--key", "file:new.key", code=OK)


if __name__ == "__main__":
    unittest.main()
