"""State in PostgreSQL from the command line (LC-032, LC-040, LC-044, LC-050, F22, F27, F30): a server of our own, reached
over a unix socket."""

import glob
import os
import pwd
import shutil
import subprocess
import tempfile
import threading
import time
import unittest

from cli_case import FAILED, LINTEL, LOCKED, OK, SMALL, STALE, USAGE, CliCase

PROGRAMS = (sorted(glob.glob("/usr/lib/postgresql/*/bin")) or [""])[-1]
CAN_START = bool(PROGRAMS) and (os.geteuid() != 0 or any(user.pw_name == "postgres" for user in pwd.getpwall()))

# Enough to be in the middle of for a while.
MANY = """
version: 2025-11-02
resources:
  note:
    type: local/file
    each: ${values.names}
    spec:
      path: notes/${elem}.txt
      contents: ${elem}
      createDirectories: true
values:
  names:
    type: array
    value: [%s]
"""


class Server:
    """A cluster in a directory of its own."""

    def __init__(self):
        self.dir = tempfile.mkdtemp(prefix="lintel-pg-")
        self.user = None
        if os.geteuid() == 0:
            self.user = "postgres"
            shutil.chown(self.dir, self.user)
            os.chmod(self.dir, 0o755)
        self.data = os.path.join(self.dir, "data")
        self.run("initdb", "-D", self.data, "-A", "trust", "-U", "owner", "--no-sync", "-E", "UTF8", "--locale=C")
        self.start()

    def run(self, program, *args, check=True, out=subprocess.PIPE):
        return subprocess.run([os.path.join(PROGRAMS, program)] + list(args), cwd=self.dir, check=check, user=self.user,
                              stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.DEVNULL, timeout=120)

    def start(self):
        options = "-k %s -c listen_addresses=" % self.dir
        for _ in range(40):  # after a kill the processes that are left over have to notice first
            if self.run("pg_ctl", "-D", self.data, "-w", "-o", options, "-l", os.path.join(self.dir, "log"), "start",
                        check=False, out=subprocess.DEVNULL).returncode == 0:
                return
            time.sleep(0.1)
        raise AssertionError("PostgreSQL does not start")

    def kill(self):
        with open(os.path.join(self.data, "postmaster.pid"), encoding="ascii") as stream:
            os.kill(int(stream.readline()), 9)

    def stop(self):
        self.run("pg_ctl", "-D", self.data, "-m", "immediate", "-w", "stop", check=False)
        shutil.rmtree(self.dir, ignore_errors=True)

    def query(self, sql):
        return self.run("psql", "-XqAt", "-h", self.dir, "-U", "owner", "-d", "postgres", "-c", sql).stdout.decode().strip()

    def url(self, user="owner", database="postgres", schema="lintel"):
        return "postgres://%s@/%s?host=%s&schema=%s" % (user, database, self.dir, schema)


@unittest.skipUnless(CAN_START, "there are no programs of PostgreSQL")
class PostgresCase(CliCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def setUp(self):
        super().setUp()
        self.schema = "s_" + self._testMethodName[-50:]
        self.state = ("--state", self.server.url(schema=self.schema), "--key", "file:" + self.path("team.key"))

    def deploy(self, *more, **keywords):
        return self.lintel("deploy", "-y", *self.state, *more, **keywords)


class UseTest(PostgresCase):
    def test_deploys_and_destroys(self):
        """LC-040: the same commands as with a file, and nothing beside the project but the key."""
        self.write("blueprint.yaml", SMALL)
        self.lintel("plan", *self.state, code=OK)
        self.assertEqual(self.server.query("SELECT count(*) FROM pg_namespace WHERE nspname = '%s'" % self.schema), "0")
        self.deploy(code=OK)
        self.assertFalse(os.path.exists(self.path(".lintel", "state.db")))
        plan = self.lintel("plan", "--detailed-exitcode", *self.state, code=OK)
        self.assertIn("nothing would change", plan.out)
        self.assertIn("shop", self.lintel("list", *self.state, code=OK).out)
        self.lintel("destroy", "-y", *self.state, code=OK)
        self.assertFalse(os.path.exists(self.path("note.txt")))

    def test_another_machine_goes_on(self):
        """LC-050: with the same key another directory sees the same state."""
        self.write("blueprint.yaml", SMALL)
        self.deploy(code=OK)
        other = os.path.join(self.home, "elsewhere", "shop")
        os.makedirs(other)
        shutil.copy(self.path("blueprint.yaml"), other)
        shown = self.lintel("show", *self.state, cwd=other, code=OK)
        self.assertIn("resources.note", shown.out)

    def test_a_key_has_to_be_named(self):
        """LC-050: no key is made for one machine alone."""
        self.write("blueprint.yaml", SMALL)
        result = self.lintel("deploy", "-y", *self.state[:2])
        self.assertNotEqual(result.code, OK)
        self.assertIn("--key file:PATH", result.err)
        self.assertFalse(os.path.exists(self.path(".lintel", "vault")))
        self.lintel("deploy", "-y", "--no-seal", *self.state[:2], code=OK)

    def test_name_spaces(self):
        """LC-040: names are unique per name space."""
        self.write("blueprint.yaml", "version: 2025-11-02\nresources:\n  a: {type: random/id, spec: {}}\n")
        self.deploy(code=OK)
        self.deploy("--context", "staging", code=OK)
        self.assertEqual(self.server.query("SELECT string_agg(context, ' ' ORDER BY context) FROM %s.instances" %
                                           self.schema), "default staging")

    def test_secrets_stay_sealed(self):
        """LC-011 (5): no byte of a secret in the database or its log."""
        self.write("blueprint.yaml", "version: 2025-11-02\nresources:\n"
                   "  pw: {type: random/password, spec: {length: 24}}\n"
                   "  note: {type: local/file, spec: {path: n, contents: '${resources.pw.spec.result}'}}\n")
        self.deploy(code=OK)
        secret = self.read("n")
        dump = self.server.run("pg_dump", "-h", self.server.dir, "-U", "owner", "postgres").stdout
        self.assertIn(b"resources.pw", dump)
        self.assertNotIn(secret, dump)


class FaultTest(PostgresCase):
    def start_many(self, count):
        self.write("blueprint.yaml", MANY % ", ".join("n%d" % i for i in range(count)))
        with open(self.path("output"), "wb") as output:
            return subprocess.Popen([LINTEL, "deploy", "-y", *self.state], stdout=output, stderr=output,
                                    env=self.environment(None), cwd=self.dir)

    def end(self, run):
        """Its status and what it said."""
        return run.wait(timeout=120), self.read("output").decode()

    def count(self):
        return len(os.listdir(self.path("notes"))) if os.path.isdir(self.path("notes")) else 0

    def test_server_killed_in_the_middle(self):
        """F27: kill -9 of the server, twice, while a run is under way: it goes on to its end."""
        total = 400
        run = self.start_many(total)
        for share in (total // 8, total // 3):
            while self.count() < share and run.poll() is None:
                time.sleep(0.002)
            if run.poll() is not None:
                self.fail("the run ended too early to be disturbed: %d %s" % self.end(run))
            self.server.kill()
            self.server.start()
        code, text = self.end(run)
        self.assertEqual(code, OK, text)
        self.assertEqual(self.count(), total)
        self.assertIn("nothing would change", self.lintel("plan", *self.state, code=OK).out)
        self.assertEqual(self.server.query("SELECT count(*) FROM %s.elements" % self.schema), str(total))
        self.lintel("destroy", "-y", *self.state, code=OK)
        self.assertEqual(self.count(), 0)

    def test_lintel_killed_in_the_middle(self):
        """LC-023, LC-033: the next run takes over at once and ends what was begun."""
        run = self.start_many(300)
        while self.count() < 40 and run.poll() is None:
            time.sleep(0.002)
        run.kill()
        self.end(run)
        self.deploy(code=OK)
        self.assertEqual(self.count(), 300)
        self.assertIn("nothing would change", self.lintel("plan", *self.state, code=OK).out)

    def test_two_at_once(self):
        """F22, LC-032: in each round one wins; the other is told that the instance is held, or comes too late."""
        locked = 0
        self.write("blueprint.yaml", "version: 2025-11-02\nresources:\n  a: {type: random/id, spec: {}}\n")
        self.deploy(code=OK)
        for number in range(20):
            self.write("blueprint.yaml", "version: 2025-11-02\nresources:\n" + "".join(
                "  a%d: {type: random/id, spec: {keepers: {round: 'r%d'}}}\n" % (i, number) for i in range(200)))
            results = []
            threads = [threading.Thread(target=lambda: results.append(self.deploy())) for _ in range(2)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            codes = sorted(result.code for result in results)
            self.assertIn(OK, codes, results)
            self.assertTrue(set(codes) <= {OK, LOCKED, STALE}, results)
            locked += LOCKED in codes
            self.assertIn("nothing would change", self.lintel("plan", *self.state, code=OK).out)
        self.assertGreater(locked, 0)


class HostileTest(PostgresCase):
    def setUp(self):
        super().setUp()
        self.write("blueprint.yaml", "version: 2025-11-02\nresources:\n  a: {type: random/id, spec: {}}\n")

    def refuse(self, url, *words, code=FAILED, env=None):
        result = self.lintel("deploy", "-y", "--key", "file:" + self.path("team.key"), "--state", url, env=env)
        self.assertEqual(result.code, code, result)
        for word in words:
            self.assertIn(word, result.err)
        return result

    def test_not_there(self):
        self.refuse("postgres://owner@127.0.0.1:1/x?connect_timeout=2", "state_not_available", "owner@127.0.0.1:1/x")
        self.refuse(self.server.url(database="nodb"), "database \"nodb\" does not exist")
        self.refuse(self.server.url(user="nobody"), "role \"nobody\" does not exist")

    def test_no_address(self):
        for url in ("postgres://owner@h:port/x", "postgres://h/x?colour=blue", "postgres://h/%00", "postgres://h:1:2/x"):
            self.refuse(url, "no address of a PostgreSQL database", code=USAGE)
        for schema in ("Bobby'; DROP", "pg_x", "", "x" * 64):
            self.refuse(self.server.url(schema=schema), "the schema of the state", code=USAGE)

    def test_password_is_never_shown(self):
        self.server.query("CREATE ROLE guarded LOGIN PASSWORD 'right-one'")
        with open(os.path.join(self.server.data, "pg_hba.conf"), "r+", encoding="ascii") as stream:
            text = stream.read()
            stream.seek(0)
            stream.write("local all guarded scram-sha-256\n" + text)
        self.server.query("SELECT pg_reload_conf()")
        url = self.server.url().replace("owner@", "guarded:wr0ng-one@")
        for result in (self.refuse(url, "holds a password", code=USAGE),
                       self.lintel("deploy", "-y", "--no-seal", env={"LINTEL_STATE": url}, code=FAILED),
                       self.lintel("config", env={"LINTEL_STATE": url}, code=OK),
                       self.lintel("config", "--json", env={"LINTEL_STATE": url}, code=OK)):
            self.assertNotIn("wr0ng-one", result.out + result.err)
        self.refuse(self.server.url(user="guarded"), "password authentication failed",
                    env={"PGPASSWORD": "wr0ng-one"})
        for bad in ("guarded:wr0ng-one@h/y%zz", "u:a@wr0ng-one@h/db", "u:a/wr0ng-one@h/db", "u:1/wr0ng-one@h/db",
                    "u:wr0ng-one/a@h/db", "u:a:wr0ng-one@h:x/db"):
            result = self.refuse("postgres://" + bad, code=USAGE)
            self.assertNotIn("wr0ng-one", result.out + result.err)

    def test_no_rights(self):
        self.server.query("CREATE ROLE weak LOGIN")
        result = self.refuse(self.server.url(user="weak", schema="weak"), "permission denied")
        self.assertIn("grant", result.err)

    def test_read_only_server(self):
        """F30: refused before anything is called."""
        self.server.query("CREATE ROLE reader LOGIN SUPERUSER; ALTER ROLE reader SET default_transaction_read_only = on")
        self.refuse(self.server.url(user="reader", schema="readers"), "can only be read")

    def test_statement_timeout_of_the_role(self):
        self.server.query("CREATE ROLE hasty LOGIN SUPERUSER; ALTER ROLE hasty SET statement_timeout = '100ms';"
                          "ALTER ROLE hasty SET search_path = nowhere; ALTER ROLE hasty SET synchronous_commit = off")
        self.lintel("deploy", "-y", "--no-seal", "--state", self.server.url(user="hasty", schema="hasty"), code=OK)
        self.assertEqual(self.server.query("SELECT count(*) FROM hasty.elements"), "1")

    def test_foreign_tables(self):
        self.server.query("CREATE SCHEMA other; CREATE TABLE other.meta (name text)")
        result = self.refuse(self.server.url(schema="other"), "state_foreign", "schema=NAME")
        self.assertEqual(self.server.query("SELECT count(*) FROM pg_tables WHERE schemaname = 'other'"), "1")
        self.server.query("CREATE TABLE other.migrations (x int); CREATE TABLE other.instances (x int);"
                          "CREATE TABLE other.leases (x int)")
        result = self.refuse(self.server.url(schema="other"), "state_foreign")
        self.assertNotIn("state_corrupt", result.err)

    def test_newer_format(self):
        self.deploy(code=OK)
        self.server.query("INSERT INTO %s.migrations VALUES (99, 0, 'later')" % self.schema)
        self.refuse(self.state[1], "state_newer", "has format 99")

    def test_another_encoding(self):
        self.server.query("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0 LOCALE 'C'")
        self.refuse(self.server.url(database="latin"), "not in UTF-8")

    def test_tables_that_were_dropped(self):
        self.deploy(code=OK)
        self.server.query("DROP TABLE %s.journal" % self.schema)
        self.refuse(self.state[1], "state_corrupt", "backup")


if __name__ == "__main__":
    unittest.main()
