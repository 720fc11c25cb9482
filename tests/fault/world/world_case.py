"""A world to deploy into: a directory with the blueprints, a program that services run, a web server; and what must hold in
the end, whatever happened on the way."""

import http.server
import os
import shutil
import threading

from faulted import KILLED, OK, FaultCase
from scenarios import BLUEPRINTS
from world import compare, describe, read_files, read_processes, read_sqlite_state


class Greeter(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = b"good day"
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


class WorldCase(FaultCase):
    """A directory with the blueprints, a program that services run, and a web server."""

    @classmethod
    def setUpClass(cls):
        cls.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Greeter)
        cls.url = "http://127.0.0.1:%d" % cls.server.server_address[1]
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()

    @classmethod
    def tearDownClass(cls):
        cls.server.shutdown()
        cls.server.server_close()

    def setUp(self):
        super().setUp()
        self.binary = os.path.join(self.home, "sleeper")
        shutil.copy(shutil.which("sleep"), self.binary)
        self.addCleanup(self.end_processes)
        self.start_anew()

    def start_anew(self):
        self.end_processes()
        shutil.rmtree(self.dir)
        os.mkdir(self.dir)
        self.write_blueprints()

    def write_blueprints(self):
        for name, text in BLUEPRINTS.items():
            with open(self.path(name + ".yaml"), "w", encoding="utf-8") as stream:
                stream.write(text.replace("SLEEPER", self.binary).replace("URL", self.url).lstrip("\n"))

    def end_processes(self):
        for process in read_processes(self.binary):
            os.kill(process.pid, 9)

    def remove(self, *names):
        os.unlink(self.path(*names))

    def take_steps(self, steps):
        for step in steps:
            if callable(step):
                step(self)
            else:
                self.lintel(*step, code=OK)

    def read_state(self):
        return read_sqlite_state(self.path(".lintel", "state.db"))

    def read_world(self):
        return read_files(self.path("out")), read_processes(self.binary)

    # --- what must hold at the end ---

    def check_settled(self, scenario, when):
        state = self.read_state()
        files, processes = self.read_world()
        owned = [path for path in (self.path("out"),) if scenario.goal is not None]
        wrong = compare(state, files, processes, [path for path in owned if path in files])
        self.assertEqual([], wrong, when)
        self.check_expected(scenario, state, files, processes, when)
        if scenario.goal is not None:
            plan = self.lintel("plan", "-i", "x", "--allow-private", "--detailed-exitcode", scenario.goal + ".yaml")
            self.assertEqual(OK, plan.code, (when, plan))

    def check_expected(self, scenario, state, files, processes, when):
        """The world is the one of a run that nothing disturbed."""
        self.assertEqual(1 if scenario.goal else 0, len(state.instances), when)
        if scenario.goal is None:
            self.assertEqual(([], []), ([p for p in files if files[p][0] != "directory"], processes), when)
            return
        for status in state.instances.values():
            self.assertIn(status, ("deployed", "updated", "deploy_rollback_complete", "update_rollback_complete"), when)
        found = describe(files, processes, self.dir)
        self.assertEqual(self.expected, found, when)
        ids = [element.get_field("hex") for element in state.elements if element.type == "random/id"]
        for entry in files.values():
            if entry[0] == "file" and entry[2].startswith((b"id ", b"new id ")):
                self.assertEqual(ids, [entry[2].decode().partition("id ")[2][:16]], when)

    def go_on(self, scenario, when, fault=None):
        """Whoever comes next. An instance may be gone, or not be there yet."""
        for command in scenario.resume:
            result = self.lintel(*command, fault=fault)
            if fault is not None and result.code == KILLED:
                return False
            is_fine = result.code in scenario.codes + (OK,) or "instance_not_found" in result.err
            self.assertTrue(is_fine, (when, command, result))
        return True
