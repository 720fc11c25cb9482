"""Containers with a network, a volume and a database, in a real engine (docker/…)."""

import http.client
import io
import json
import os
import shutil
import socket
import subprocess
import tarfile
import tempfile
import time
import unittest
import urllib.request

from cli_case import DRIFT, INVALID, OK, SOURCE, CliCase

IMAGE = "localhost/lintel-shop:1"
ENGINE = os.path.join(SOURCE, "tools", "container-engine")
PROGRAM = os.environ.get("LINTEL_CONTAINER_PROGRAM", "")

SHOP = """
version: 2025-11-02
variables:
  token:
    type: string
    secret: true
  greeting:
    type: string
    default: hello
resources:
  backend:
    type: docker/network
    metadata: {labels: {app: shop}}
    spec: {name: lt-shop-backend, internal: false}
  data:
    type: docker/volume
    metadata: {labels: {app: shop}}
    spec: {name: lt-shop-data}
  ordersDb:
    type: sqlite/database
    metadata: {labels: {app: shop}}
    spec:
      path: db/orders.db
      migrations: ["CREATE TABLE orders(x)"]
  web:
    type: docker/container
    metadata:
      annotations:
        docker.volume.data.target: /data
    linkSelector: {byLabel: {app: shop}}
    spec:
      name: lt-shop-web
      image: %s
      environment: {GREETING: "${variables.greeting}", TOKEN: "${variables.token}"}
      ports: [{containerPort: 8080}]
exports:
  port:
    type: integer
    field: resources.web.spec.hostPorts["8080-tcp"]
""" % IMAGE


class Engine:
    """The engine's API, behind the back of lintel."""

    def __init__(self, path):
        self.path = path

    def ask(self, method, path, body=None, kind="application/json"):
        connection = http.client.HTTPConnection("engine", timeout=60)
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.connect(self.path)
        connection.request(method, "/v1.41" + path, body, {"Content-Type": kind})
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        return answer.status, text

    def get(self, path):
        status, text = self.ask("GET", path)
        return json.loads(text) if status == 200 else None

    def build(self, tag, program):
        archive = io.BytesIO()
        with tarfile.open(fileobj=archive, mode="w") as tar:
            tar.add(program, "server")
            text = b'FROM scratch\nCOPY server /server\nENTRYPOINT ["/server"]\n'
            info = tarfile.TarInfo("Dockerfile")
            info.size = len(text)
            tar.addfile(info, io.BytesIO(text))
        return self.ask("POST", "/build?t=" + tag, archive.getvalue(), "application/x-tar")


class Docker(CliCase):
    @classmethod
    def setUpClass(cls):
        cls.engine_dir = tempfile.mkdtemp(prefix="lintel-engine-")
        done = subprocess.run([ENGINE, "start", cls.engine_dir], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        if done.returncode != 0:
            shutil.rmtree(cls.engine_dir, ignore_errors=True)
            raise unittest.SkipTest(done.stderr.decode().strip())
        cls.engine = Engine(os.path.join(cls.engine_dir, "engine.sock"))
        cls.engine.build(IMAGE, PROGRAM)

    @classmethod
    def tearDownClass(cls):
        subprocess.run([ENGINE, "stop", cls.engine_dir], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)

    def environment(self, env):
        return super().environment({"DOCKER_HOST": "unix://" + self.engine.path, **(env or {})})

    def setUp(self):
        super().setUp()
        self.write("blueprint.yaml", SHOP)
        os.mkdir(self.path("db"))
        self.addCleanup(self.lintel, "destroy", "--auto-approve", "--force")

    def deploy_shop(self, *args, **options):
        return self.deploy("--var", "token=hunter2secret", *args, **options)

    def web(self):
        return self.engine.get("/containers/lt-shop-web/json")

    def fetch(self, path):
        port = self.web()["NetworkSettings"]["Ports"]["8080/tcp"][0]["HostPort"]
        with urllib.request.urlopen("http://127.0.0.1:%s%s" % (port, path), timeout=10) as answer:
            return answer.read()

    def test_BP_530_a_shop_is_deployed_drifts_is_replaced_and_destroyed(self):
        result = self.deploy_shop()
        self.assertNotIn("hunter2secret", result.out + result.err)
        self.assertEqual(b"hello\n", self.fetch("/"))
        self.assertEqual(b"hunter2secret", self.fetch("/env/TOKEN"))
        self.assertEqual(b"/mnt/ordersDb/orders.db", self.fetch("/env/ORDERS_DB_PATH"))
        self.assertTrue(self.fetch("/file/mnt/ordersDb/orders.db").startswith(b"SQLite format 3"))
        first = self.web()
        self.assertEqual(["lt-shop-backend"], list(first["NetworkSettings"]["Networks"]))
        self.assertIn(("volume", "lt-shop-data", "/data"),
                      [(m["Type"], m.get("Name"), m["Destination"]) for m in first["Mounts"]])
        self.assertIn("nothing would change", self.lintel("plan", "--var", "token=hunter2secret", code=OK).out)
        self.lintel("drift", code=OK)

        self.engine.ask("POST", "/containers/lt-shop-web/stop?t=5")
        drift = self.check_json("drift", "drift", code=DRIFT)
        self.assertEqual([("resources.web", ["spec.running"])],
                         [(d["address"], [f["path"] for f in d["differences"]]) for d in drift["drift"]])
        self.deploy_shop("--accept-drift")
        self.assertEqual(first["Id"], self.web()["Id"], "started again, not made anew")
        self.assertEqual(b"hello\n", self.fetch("/"))

        self.deploy_shop("--var", "greeting=bye")
        self.assertNotEqual(first["Id"], self.web()["Id"], "every other change makes a new one")
        self.assertEqual(b"bye", self.fetch("/env/GREETING"))
        for name in self.files_below(".lintel"):
            with open(name, "rb") as stream:
                self.assertNotIn(b"hunter2secret", stream.read(), name)

        self.lintel("destroy", "--auto-approve", code=OK)
        self.assertIsNone(self.web())
        self.assertIsNone(self.engine.get("/networks/lt-shop-backend"))
        self.assertIsNone(self.engine.get("/volumes/lt-shop-data"))

    def test_BP_531_a_container_that_was_removed_is_made_again(self):
        self.deploy_shop()
        first = self.web()["Id"]
        self.engine.ask("DELETE", "/containers/lt-shop-web?force=1")
        self.assertIn("resources.web (docker/container) is gone", self.lintel("drift", code=DRIFT).out)
        self.deploy_shop("--accept-drift")
        self.assertNotEqual(first, self.web()["Id"])

    def test_LC_023_a_killed_run_finds_its_container_again(self):
        for delay in (0.4, 0.8, 1.4):
            run = subprocess.Popen([os.environ["LINTEL_BIN"], "deploy", "--auto-approve", "--var", "token=x"], cwd=self.dir,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.environment(None))
            time.sleep(delay)
            run.kill()
            run.wait()
        self.deploy("--var", "token=x")
        self.assertEqual(b"hello\n", self.fetch("/"))
        names = [c["Names"] for c in self.engine.get("/containers/json?all=1")]
        self.assertEqual(1, len(names), names)
        self.lintel("destroy", "--auto-approve", code=OK)
        self.assertEqual([], self.engine.get("/containers/json?all=1"))

    def test_BP_311_mistakes_are_found_before_anything_runs(self):
        bad = SHOP.replace("ports: [", "mounts: {x: {target: /x}}\n      labels: {io.lintel.element: y}\n      ports: [")
        self.write("blueprint.yaml", bad.replace("target: /data", "target: data"))
        value = self.check_json("validate", "validate", code=INVALID)
        codes = sorted(d["code"] for d in value["diagnostics"] if d["severity"] == "error")
        self.assertEqual(["docker_label_invalid", "docker_mount_invalid"], [c for c in codes if c.startswith("docker_")])
        self.write("blueprint.yaml", SHOP)

    def test_BP_403_without_an_engine(self):
        result = self.lintel("deploy", "--auto-approve", "--var", "token=x",
                             env={"DOCKER_HOST": "ssh://elsewhere"})
        self.assertNotEqual(OK, result.code)
        self.assertIn("only unix://PATH and tcp://HOST:PORT can be used", result.err + result.out)
