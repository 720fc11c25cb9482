"""The power goes: what was written to the state and not synced since is lost, or came in another order, or stands there in
part, in blocks of 512 bytes (F6, LC-021, LC-043). What had been confirmed is there: the one who goes on finds every intent
whose operation has begun, and every outcome, so nothing is missing, nobody's, or there twice.

lintel is killed in front of a call; then its state becomes what a disk may hold at that moment, made of all that it wrote
and synced. (Objects in the world keep what was written to them.)"""

import os
import random
import shutil
import struct

import test_crash_matrix
from faulted import KILLED, SEED, choose_points
from scenarios import SCENARIOS
from world_case import WorldCase

BLOCK = 512
RECORD = struct.Struct("<4Q")
NAMES = ("update", "replace_create_first", "destroy")


class Disk:
    """A file as it is on the disk for sure, and the writes since then, of which nobody knows."""

    def __init__(self, data):
        self.data, self.pending = data, []

    def sync(self):
        for write in self.pending:
            self.apply(*write)
        self.pending = []

    def apply(self, what, at, data):
        if what == "t":
            self.data = self.data[:at].ljust(at, b"\0")
            return
        self.data = self.data.ljust(at, b"\0")
        self.data = self.data[:at] + data + self.data[at + len(data):]

    def lose(self, rng, how):
        """What is left: of the pending writes none, or some, in any order, the last one in part."""
        chosen = [write for write in self.pending if rng.random() < 0.6] if how == "some" else []
        rng.shuffle(chosen)
        for number, (what, at, data) in enumerate(chosen):
            if what == "w" and number == len(chosen) - 1:
                self.apply_torn(rng, at, data)
            else:
                self.apply(what, at, data)
        return self.data

    def apply_torn(self, rng, at, data):
        """Block by block of the disk, each or not."""
        begin = 0
        while begin < len(data):
            end = min(len(data), (at + begin) // BLOCK * BLOCK + BLOCK - at)
            if rng.random() < 0.5:
                self.apply("w", at + begin, data[begin:end])
            begin = end


def read_log(path):
    with open(path, "rb") as stream:
        text = stream.read()
    at = 0
    while at < len(text):
        what, path_len, offset, size = RECORD.unpack_from(text, at)
        at += RECORD.size
        name, data = text[at:at + path_len].decode(), text[at + path_len:at + path_len + size]
        at += path_len + size
        yield chr(what), name, offset, data


class PowerCut(WorldCase):
    measure = test_crash_matrix.CrashMatrix.measure

    def read_disks(self, before, log):
        """Each file of the state, {path: Disk}."""
        disks = {}
        for root, _, names in os.walk(before):
            for name in names:
                with open(os.path.join(root, name), "rb") as stream:
                    path = os.path.join(self.path(".lintel"), os.path.relpath(os.path.join(root, name), before))
                    disks[path] = Disk(stream.read())
        for what, path, at, data in read_log(log) if os.path.exists(log) else ():
            if what == "u":
                disks.pop(path, None)
                continue
            disk = disks.setdefault(path, Disk(b""))
            if what == "s":
                disk.sync()
            else:
                disk.pending.append((what, at, data))
        return disks

    def survive(self, scenario, point, how):
        when = "%s: the power goes at call %d, of what was not synced is left: %s" % (scenario.name, point, how)
        before, log = os.path.join(self.home, "before"), os.path.join(self.home, "log")
        self.start_anew()
        self.take_steps(scenario.before)
        shutil.rmtree(before, ignore_errors=True)
        shutil.copytree(self.path(".lintel"), before)
        if os.path.exists(log):
            os.unlink(log)
        result = self.lintel(*scenario.action, fault="any=kill@%d" % point, env={"LINTEL_FAULT_LOG": log})
        self.assertIn(result.code, scenario.codes + (KILLED,), (when, result))
        lost = self.cut(before, log, random.Random("%d %d %s" % (SEED, point, how)), how)
        self.go_on(scenario, when)
        self.check_settled(scenario, when)
        return lost

    def cut(self, before, log, rng, how):
        """The state's files become what the disk has; how many had something to lose."""
        disks = self.read_disks(before, log)
        shutil.rmtree(self.path(".lintel"))
        shutil.copytree(before, self.path(".lintel"))
        lost = 0
        for path, disk in disks.items():
            lost += len(disk.pending) > 0
            if path.endswith("-shm"):
                os.unlink(path)  # it was in memory
                continue
            with open(path, "wb") as stream:
                stream.write(disk.lose(rng, how))
        return lost

    def sweep(self, scenario):
        total = self.measure(scenario)
        points = choose_points(total, 6, 80)
        lost = sum(self.survive(scenario, point, how) > 0 for point in points for how in ("nothing", "some"))
        print("%s: %d of %d points, something was lost %d times, seed %d" % (scenario.name, len(points), total, lost, SEED))
        self.assertGreater(lost, 3)


def add_cases():
    for scenario in SCENARIOS:
        if scenario.name in NAMES:
            setattr(PowerCut, "test_power_" + scenario.name, lambda self, s=scenario: self.sweep(s))


add_cases()
