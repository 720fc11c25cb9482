"""lintel killed while elements get other names: the state is as it was or as it was to be, and the objects are those of
their elements whatever their marks say, for the next deployment as for a destruction (LC-023, LC-072, F1)."""

import os
import shutil
import unittest

from faulted import KILLED, OK, FaultCase, choose_points

# Each type that marks its objects.
BLUEPRINT = """
version: 2025-11-02
resources:
  dir: {type: local/directory, spec: {path: out, createDirectories: true}}
  note: {type: local/file, dependsOn: dir, spec: {path: out/note.txt, contents: STAGE}}
  db: {type: sqlite/database, dependsOn: dir, spec: {path: out/things.db, migrations: ['CREATE TABLE one (x)'MORE]}}
"""
NAMES = (("dir", "folder"), ("note", "letter"), ("db", "base"))
IN_SHORT = 8


def make_blueprint(is_moved, is_later):
    text = BLUEPRINT.replace("STAGE", "later" if is_later else "first")
    text = text.replace("MORE", ", 'CREATE TABLE two (x)'" if is_later else "")
    for old, new in NAMES if is_moved else ():
        text = text.replace("  %s: {" % old, "  %s: {" % new).replace("dependsOn: %s," % old, "dependsOn: %s," % new)
    return text


class KilledMove(FaultCase):
    def setUp(self):
        super().setUp()
        self.write(False, False)
        self.lintel("deploy", "-y", "-i", "shop", code=OK)
        with open(self.path("moves"), "w", encoding="utf-8") as stream:
            stream.writelines("mv resources.%s resources.%s\n" % names for names in NAMES)
        shutil.copytree(self.dir, os.path.join(self.home, "before"))

    def write(self, is_moved, is_later):
        with open(self.path("blueprint.yaml"), "w", encoding="utf-8") as stream:
            stream.write(make_blueprint(is_moved, is_later))

    def restore(self):
        shutil.rmtree(self.dir)
        shutil.copytree(os.path.join(self.home, "before"), self.dir)

    def find_names(self, when):
        """Whether the elements have their new names: all or none."""
        listed = self.lintel("state", "list", "-i", "shop", code=OK).out
        found = {name for names in NAMES for name in names if "resources.%s " % name in listed}
        self.assertIn(found, ({old for old, _ in NAMES}, {new for _, new in NAMES}), (when, listed))
        return found == {new for _, new in NAMES}

    def move_and_go_on(self, command, fault, when):
        """However far the move came: the next deployment gets through, or nothing is left of the objects."""
        is_moved = False
        for is_update in (True, False):
            self.restore()
            self.lintel(*command, fault=fault, code=OK if fault is None else KILLED)
            is_moved = self.find_names(when)
            if is_update:
                self.write(is_moved, True)
                self.lintel("deploy", "-y", "-i", "shop", code=OK)
                self.assertIn("nothing would change", self.lintel("plan", "-i", "shop", code=OK).out, when)
            result = self.lintel("destroy", "-y", "-i", "shop", code=OK)
            self.assertFalse(os.path.exists(self.path("out")), (when, is_update, result))
        return is_moved

    def test_killed_move(self):
        command = ["state", "apply", "moves", "-i", "shop"]
        self.lintel(*command, fault="any=none@1", code=OK)
        total = self.count_calls()
        self.move_and_go_on(command, None, "whole")
        points = choose_points(total, IN_SHORT)
        moved = sum(self.move_and_go_on(command, "any=kill@%d" % point, "killed at %d" % point) for point in points)
        print("%d points, killed at %d, %d behind the commit" % (total, len(points), moved))
        self.assertGreater(moved, 1)
        self.assertLess(moved, len(points))

    def test_killed_undo(self):
        self.lintel("state", "apply", "moves", "-i", "shop", code=OK)
        shutil.rmtree(os.path.join(self.home, "before"))
        shutil.copytree(self.dir, os.path.join(self.home, "before"))
        command = ["state", "undo", "-i", "shop"]
        self.lintel(*command, fault="any=none@1", code=OK)
        total = self.count_calls()
        for point in choose_points(total, 2):
            self.move_and_go_on(command, "any=kill@%d" % point, "undo killed at %d" % point)


if __name__ == "__main__":
    unittest.main()
