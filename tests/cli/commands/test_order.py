"""Elements are given out in document order, in whatever order their operations ended (BP-021)."""

import os
import unittest

from cli_case import OK, CliCase

COUNT = 24


def write_blueprint(case, name, count, extra=()):
    """Some large, some small, and some that wait for what stands behind them."""
    lines = ["version: 2025-11-02", "resources:"]
    for i in range(count):
        if i in extra:
            lines.append("  added%d: {type: random/id, spec: {byteLength: 4}}" % i)
        size = 200000 if i % 5 == 0 else 10
        wants = "dependsOn: f%d, " % (count - 1 - i) if i < count // 3 else ""
        lines.append("  f%d: {type: local/file, %sspec: {path: f%d.txt, contents: %s}}" % (i, wants, i, "x" * size))
    case.write(name, "\n".join(lines) + "\n")


class Order(CliCase):
    def test_BP_021_four_deployments_show_the_same(self):
        wanted = ["resources.f%d" % i for i in range(COUNT)]
        for i in range(4):
            os.mkdir(self.path("run%d" % i))
            write_blueprint(self, "run%d/blueprint.yaml" % i, COUNT)
            inside = {"cwd": self.path("run%d" % i), "code": OK}
            self.lintel("deploy", "-y", "--parallel", "8", **inside)
            for command in (["state", "list"], ["show"]):
                value = self.lintel(*command, "--json", **inside).json()
                self.assertEqual(wanted, [e["address"] for e in value["elements"]], command)

    def test_BP_021_what_is_new_stands_in_its_place(self):
        write_blueprint(self, "blueprint.yaml", 6)
        self.deploy("--parallel", "8")
        write_blueprint(self, "blueprint.yaml", 6, (0, 3))
        self.deploy("--parallel", "8")
        wanted = ["resources." + n for n in ("added0", "f0", "f1", "f2", "added3", "f3", "f4", "f5")]
        listed = self.check_json("state", "state", "list", code=OK)["elements"]
        self.assertEqual(wanted, [e["address"] for e in listed])
        self.lintel("state", "mv", "resources.f2", "resources.moved", code=OK)
        wanted[3] = "resources.moved"
        listed = self.check_json("state", "state", "list", code=OK)["elements"]
        self.assertEqual(wanted, [e["address"] for e in listed])
        before = self.lintel("show", "--at", "1", "--json", code=OK).json()["elements"]
        self.assertEqual(["resources.f%d" % i for i in range(6)], [e["address"] for e in before])


if __name__ == "__main__":
    unittest.main()
