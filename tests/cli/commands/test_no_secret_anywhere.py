"""No byte of a secret in any file, output, log or database, whatever is deployed and however it fails (BP-280 to BP-282,
LC-011, LC-053, F104, F105). Blueprints, secrets and commands are drawn from a seed; the long form does fifty of them.

The objects that a blueprint makes stand in `out`, and may hold their secrets; nothing else may. (Secrets in the names of
objects: test_secrets.py.)"""

import base64
import html
import json
import os
import random
import sqlite3
import string
import unittest
import urllib.parse

from cli_case import CliCase
from test_postgres import CAN_START, Server

IS_LONG = os.environ.get("LINTEL_LONG") == "1"
ROUNDS = 50 if IS_LONG else 2
SEED = 20251102


def make_secret(rng):
    """A core that no escaping changes, with much around it that is escaped everywhere."""
    core = "Zq" + "".join(rng.choice(string.ascii_letters + string.digits) for _ in range(16))
    return core, rng.choice(['', '"', "\\", "'", "ü/", "<&>"]) + core + rng.choice(["", ' "q"', "\\n", "%2F+=", "${x", "é"]).replace("${", "$ {")


def base64_forms(data):
    """What base64 makes of the bytes wherever they begin within others: the letters that depend on them alone."""
    forms = []
    for shift in range(3):
        text = base64.b64encode(b"\0" * shift + data).decode()
        forms.append(text[4 if shift else 0:len(text.rstrip("=")) - 2])
    return forms + [form.replace("+", "-").replace("/", "_") for form in forms]


def forms_of(core, secret):
    texts = [core, core.upper(), secret, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1], urllib.parse.quote(secret, safe=""),
             urllib.parse.quote_plus(secret), html.escape(secret), core.encode().hex(), core.encode().hex().upper(), core[::-1]]
    return {form.encode() for form in texts + base64_forms(core.encode()) if len(form) >= 12}


class Round:
    """One instance: its blueprint, its secrets, its commands."""

    def __init__(self, case, rng, number, options):
        self.case, self.rng, self.options = case, rng, options
        self.name = "i%d" % number
        self.core, self.secret = make_secret(rng)
        self.needles = forms_of(self.core, self.secret)
        self.dir = "d%d" % number
        self.out = case.path(self.dir, "out")
        os.makedirs(self.out)
        self.fails = rng.random() < 0.3
        self.given = self.give()

    def give(self):
        """Secrets come by option, by file or by the environment."""
        way = self.rng.randrange(3)
        self.env = {"LINTEL_VAR_pass": self.secret} if way == 0 else {}
        if way == 1:
            with open(os.path.join(self.out, "vars.json"), "w", encoding="utf-8") as stream:
                json.dump({"pass": self.secret}, stream)
            return ["--vars", "out/vars.json"]
        return [] if way == 0 else ["--var", "pass=" + self.secret]

    def write(self, name, text):
        self.case.write(self.dir + "/" + name, text)

    def blueprint(self):
        rng = self.rng
        path = "/dev/null/x${variables.pass}" if self.fails else "out/note.txt"
        parts = ["""
version: 2025-11-02
variables:
  pass: {type: string, secret: true}
values:
  both: {type: string, value: "${variables.pass}-and-more"}
resources:
  token: {type: random/password, spec: {length: %d}}
  note:
    type: local/file
    metadata:
      displayName: A note
      annotations: {owner: "${variables.pass}"}
      custom: {hint: "${values.both}"}
    spec: {path: "%s", contents: "${variables.pass} ${resources.token.spec.result}", createDirectories: true}
""" % (rng.randrange(20, 40), path)]
        if rng.random() < 0.6:
            parts.append("""
  when:
    type: local/file
    condition: ${not(eq(variables.pass, "nothing"))}
    spec: {path: out/when.txt, contents: "${to_upper(values.both)} ${len(variables.pass)}"}
""")
        if rng.random() < 0.5:
            parts.append("""
  book:
    type: sqlite/database
    metadata: {labels: {app: x}}
    spec:
      path: out/book.db
      migrations: [CREATE TABLE t (x), "CREATE TABLE u (x) /* ${variables.pass} */"]
""")
        if rng.random() < 0.5:
            self.write("child.yaml", """
version: 2025-11-02
variables: {inner: {type: string, secret: true}}
resources:
  deep: {type: local/file, spec: {path: out/deep.txt, contents: "${variables.inner}"}}
exports:
  seen: {type: string, field: resources.deep.spec.contents}
""")
            parts.append("""
include:
  core: {path: child.yaml, variables: {inner: "${values.both}"}}
""")
        parts.append("""
exports:
  token: {type: string, field: resources.token.spec.result}
  pass: {type: string, field: variables.pass}
  both: {type: string, field: values.both}
""")
        self.write("b.yaml", "".join(parts))

    def run(self, *args, given=True):
        """Whatever comes of it: what it says is looked at. A file that a command writes goes aside."""
        which = [] if args[0] in ("validate", "render", "list", "plan diff") or "rekey" in args else ["-i", self.name]
        result = self.case.lintel(*args, *which, *(self.given if given else []), *self.options, env=self.env,
                                  cwd=self.case.path(self.dir))
        self.case.look(self, args, (result.out + result.err).encode("utf-8", "surrogateescape"))
        return result

    def learn(self):
        """What was made up while deploying is as secret."""
        result = self.case.lintel("output", "token", "--raw", "-i", self.name, "--show-sensitive", "--yes-i-mean-it", *self.options,
                                  cwd=self.case.path(self.dir))
        token = result.out.strip()
        if result.code == 0 and len(token) >= 20 and token != "(sensitive)":
            self.needles |= forms_of(token, token)

    def deploy_it(self):
        self.blueprint()
        extra = self.rng.choice([[], ["--json"], ["--timings"], ["--trace", "trace.json"], ["--json-into", "events.ndjson"]])
        self.run("validate", "b.yaml", *self.rng.choice([[], ["--json"], ["--format", "sarif"]]))
        self.run("plan", "b.yaml", "--out", "p.json", *self.rng.choice([[], ["--json"], ["--md"], ["--summary"]]))
        self.run("show", "./p.json", given=False)
        self.run("deploy", "b.yaml", "-y", "--log", "log.ndjson", *extra)
        self.learn()

    def look_at_it(self):
        looks = [["show", "--json"], ["show"], ["output"], ["output", "--json"], ["history", "--json"], ["list", "--json"], ["state", "list"],
                 ["state", "show", "resources.note"], ["state", "show", "resources.token", "--json"], ["drift", "--json"]]
        for args in self.rng.sample(looks, 4):
            self.run(*args, given=False)
        with_file = [["explain", "resources.note.spec.contents", "b.yaml"], ["explain", "exports.both", "b.yaml", "--json"], ["graph", "b.yaml"],
                     ["graph", "b.yaml", "--format", "json"], ["render", "b.yaml"], ["render", "b.yaml", "--format", "json"]]
        for args in self.rng.sample(with_file, 2):
            self.run(*args)

    def change_it(self):
        """Drift, reconciliation, other secrets, edits of the state, another data key."""
        if os.path.exists(os.path.join(self.out, "note.txt")):
            with open(os.path.join(self.out, "note.txt"), "a", encoding="utf-8") as stream:
                stream.write("by hand")
            self.run("drift", given=False)
            self.run("reconcile", "--apply", "--accept-external", "--auto-approve", *self.rng.choice([[], ["--json"]]), given=False)
        self.fails = self.rng.random() < 0.4
        core, secret = make_secret(self.rng)
        self.needles |= forms_of(core, secret)
        self.secret, self.given, self.env = secret, ["--var", "pass=" + secret], {}
        self.blueprint()
        self.run("plan", "b.yaml", *self.rng.choice([["--json"], []]))
        self.run("deploy", "b.yaml", "-y", "--accept-drift", *self.rng.choice([[], ["--json"], ["--verbose"]]))
        self.learn()
        for args in self.rng.sample([["state", "mv", "resources.note", "resources.letter"], ["state", "rm", "resources.note"],
                                     ["state", "undo"], ["state", "rekey", "--rotate"], ["state", "export"]], 2):
            self.run(*args, given=False)
        if self.rng.random() < 0.5:
            self.run("destroy", "-y", "--accept-drift", *self.rng.choice([[], ["--json"]]), given=False)

    def break_it(self):
        """A literal secret in a document that cannot be read: the file has it, the messages do not."""
        name = os.path.join("out", "broken.yaml")
        fault = self.rng.choice(["'%s", "%s: x", '"%s" y', "[%s", "{a: %s"])
        self.write(name, "version: 2025-11-02\nvariables:\n  t:\n    type: string\n    secret: true\n    default: %s\nresources: {}\n"
                   % (fault % self.core))
        for extra in ([], ["--json"], ["--format", "sarif"]):
            self.run("validate", name, *extra, given=False)
        self.run("fmt", "--diff", name, given=False)


class NoSecretAnywhere(CliCase):
    def look(self, one, what, data):
        for needle in one.needles:
            if needle in data:
                at = data.index(needle)
                self.fail("%r shows a secret of %s as %r: %r" % (what, one.name, needle, data[max(0, at - 200):at + len(needle) + 20]))

    def look_at_files(self, rounds, *more):
        for root, _, names in [entry for top in (self.dir,) + more for entry in os.walk(top)]:
            for name in names if "out" not in root.split(os.sep) else []:
                path = os.path.join(root, name)
                if os.path.isfile(path):
                    with open(path, "rb") as stream:
                        data = stream.read() + name.encode()
                    for one in rounds:
                        self.look(one, path, data)

    def deploy_all(self, seed, count, options):
        rng = random.Random(seed)
        rounds = []
        for number in range(count):
            one = Round(self, rng, number, options)
            rounds.append(one)
            for step in (one.deploy_it, one.look_at_it, one.change_it, one.break_it):
                step()
        return rounds

    def test_LC_011_beside_a_state_file(self):
        rounds = self.deploy_all(SEED, ROUNDS, ["--state", self.path("kept", "state.db"), "--key", "file:" + self.path("k", "a.key")])
        self.look_at_files(rounds)
        connection = sqlite3.connect(self.path("kept", "state.db"))
        count = connection.execute("SELECT count(*) FROM elements").fetchone()[0]
        connection.close()
        self.assertGreater(count, 0)

    @unittest.skipUnless(CAN_START, "there are no programs of PostgreSQL")
    def test_LC_011_in_a_database(self):
        server = Server()
        self.addCleanup(server.stop)
        server.query("ALTER SYSTEM SET log_statement = 'all'")
        server.query("SELECT pg_reload_conf()")
        rounds = self.deploy_all(SEED + 1, ROUNDS if IS_LONG else 1, ["--state", server.url(), "--key", "file:" + self.path("k", "a.key")])
        server.query("CHECKPOINT")
        self.look_at_files(rounds, server.dir)


if __name__ == "__main__":
    unittest.main()
