"""State in PostgreSQL behind a pooler that gives each transaction another session (LC-044, F31)."""

import os
import shutil
import subprocess
import threading
import time
import unittest

from cli_case import LINTEL, OK, SMALL, USAGE, CliCase
from test_postgres import CAN_START, Server

POOLER = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
CONFIGURATION = """
[databases]
postgres = host={dir} dbname=postgres
[pgbouncer]
listen_addr =
unix_socket_dir = {dir}
listen_port = 6432
auth_type = trust
auth_file = {dir}/users
pool_mode = transaction
default_pool_size = 2
server_reset_query =
logfile = {dir}/pooler.log
pidfile = {dir}/pooler.pid
"""


@unittest.skipUnless(CAN_START, "there are no programs of PostgreSQL")
@unittest.skipUnless(POOLER, "there is no pgbouncer")
class Pooler(CliCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        for name, text in (("pooler.ini", CONFIGURATION.format(dir=cls.server.dir)), ("users", '"owner" ""\n')):
            with open(os.path.join(cls.server.dir, name), "w", encoding="ascii") as stream:
                stream.write(text)
        cls.pooler = subprocess.Popen([POOLER, os.path.join(cls.server.dir, "pooler.ini")], user=cls.server.user,
                                      stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 30
        while not os.path.exists(os.path.join(cls.server.dir, ".s.PGSQL.6432")) and time.monotonic() < end:
            time.sleep(0.05)

    @classmethod
    def tearDownClass(cls):
        cls.pooler.terminate()
        cls.pooler.wait()
        cls.server.stop()

    def setUp(self):
        super().setUp()
        self.schema = "p_" + self._testMethodName[-40:].lower()
        self.url = self.server.url(schema=self.schema) + "&port=6432&pooled=true"
        self.state = ("--state", self.url, "--key", "file:" + self.path("team.key"))

    def start(self, *args):
        return subprocess.Popen([LINTEL, *args, *self.state], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.dir,
                                env=self.environment(None))

    def test_F31_deploys_and_destroys(self):
        self.write("blueprint.yaml", SMALL)
        self.lintel("deploy", "-y", *self.state, code=OK)
        self.assertIn("nothing would change", self.lintel("plan", *self.state, code=OK).out)
        self.assertIn("shop", self.lintel("list", *self.state, code=OK).out)
        self.lintel("history", *self.state, code=OK)
        self.lintel("destroy", "-y", *self.state, code=OK)
        self.assertFalse(os.path.exists(self.path("note.txt")))

    def test_F31_many_share_few_sessions(self):
        """Six deployments and two workers at once on two sessions: nothing of one gets into another."""
        self.write("blueprint.yaml", SMALL.replace("path: note.txt", "path: \"${variables.name}.txt\"").replace(
            "variables:", "variables:\n  name: {type: string}"))
        names = ["n%d" % i for i in range(6)]
        results = []

        def deploy(name):
            how = ["--queue"] if name in names[::2] else []
            results.append(self.lintel("deploy", "-y", "-i", name, "--var", "name=" + name, *how, *self.state))
        self.lintel("deploy", "-y", "-i", "first", "--var", "name=first", *self.state, code=OK)
        threads = [threading.Thread(target=deploy, args=(name,)) for name in names]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([OK] * 6, [result.code for result in results], results)
        for worker in [self.start("work", "--until-empty") for _ in range(2)]:
            _, err = worker.communicate(timeout=120)
            self.assertEqual(OK, worker.returncode, err)
        for name in names:
            self.assertTrue(self.read(name + ".txt").startswith(b"hello "))
        self.assertEqual("7", self.server.query("SELECT count(*) FROM %s.instances WHERE status = 'deployed'" % self.schema))
        self.assertEqual("", self.server.query(
            "SELECT string_agg(application_name, ' ') FROM pg_stat_activity WHERE application_name LIKE 'lintel ____%'"))

    def test_a_parameter_that_is_neither(self):
        self.write("blueprint.yaml", SMALL)
        result = self.lintel("plan", "--no-seal", "--state", self.server.url(schema="x") + "&pooled=maybe", code=USAGE)
        self.assertIn("pooled=true behind a pooler", result.err)


if __name__ == "__main__":
    unittest.main()
