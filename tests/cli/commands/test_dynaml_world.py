"""What expressions of lintel dynaml may touch, and how far (§18)."""

import os
import signal
import subprocess
import threading
import time

from cli_case import LINTEL
from dynaml_case import DynamlCase

REPORT = "error generating manifest: unresolved nodes:\n"


def is_running(pid):
    try:
        with open("/proc/%d/stat" % pid, encoding="ascii") as stream:
            return stream.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


class Switches(DynamlCase):
    def test_DY_360_functions_that_are_switched_off(self):
        self.write("f.txt", "hi")
        self.write("t.yml", 'a: (( exec("echo", "x") ))\nb: (( env("HOME") ))\nc: (( read("f.txt") ))\n')
        self.assertIn("c: hi\n", self.merge("t.yml", env={"HOME": "/h"}).out)
        rows = ['\t(( exec("echo", "x") ))\tin t.yml\ta\t()\t\'exec\' is switched off\n',
                '\t(( env("HOME") ))\tin t.yml\tb\t()\t\'env\' is switched off\n',
                '\t(( read("f.txt") ))\tin t.yml\tc\t()\t\'read\' is switched off\n']
        for option, expected in (("--no-exec", rows[:1]), ("--no-env", rows[1:2]), ("--no-read", rows[2:]),
                                 ("--pure", rows)):
            self.fails(REPORT + "".join(expected), "merge", "t.yml", option)
        self.assertIn("switched off", self.dynaml("eval", 'env("HOME")', "--pure", code=1).err)


class Root(DynamlCase):
    def setUp(self):
        super().setUp()
        self.write("tree/in.txt", "inside")
        self.write("tree/sub/in.txt", "below")
        self.write("secret.txt", "outside")
        os.symlink("../secret.txt", self.path("tree", "out"))
        os.symlink("sub/in.txt", self.path("tree", "link"))
        os.symlink("loop", self.path("tree", "loop"))
        os.mkfifo(self.path("tree", "fifo"))

    def ask(self, path, *options, code=0):
        return self.dynaml("eval", 'read("%s", "text")' % path, *options, code=code)

    def test_DY_361_relative_paths_are_meant_from_the_root(self):
        for path, text in (("in.txt", "inside"), ("sub/../in.txt", "inside"), ("link", "below")):
            self.assertEqual(text + "\n", self.ask(path, "--root", "tree").out)

    def test_DY_361_nothing_outside_is_read(self):
        outside = (self.path("secret.txt"), "../secret.txt", "sub/../../secret.txt", "out", "fifo", "sub", "loop",
                   "/dev/null", "/proc/self/environ", "/proc/self/fd/0")
        for path in outside:
            expected = "\terror reading [%s]: outside of the root directory\n" % path
            self.assertTrue(self.ask(path, "--root", "tree", code=1).err.endswith(expected), path)
        self.assertIn("open none: no such file or directory", self.ask("none", "--root", "tree", code=1).err)

    def test_DY_361_without_a_root_paths_are_as_the_process_sees_them(self):
        self.assertEqual("outside\n", self.ask("tree/out").out)
        self.assertIn("open none: no such file or directory", self.ask("none", code=1).err)
        writer = threading.Thread(target=lambda: self.write("tree/fifo", "piped"))
        writer.start()
        self.assertEqual("piped\n", self.ask("tree/fifo").out)
        writer.join()

    def test_DY_361_a_link_that_changes_all_the_time_lets_nothing_out(self):
        stop = threading.Event()

        def swap():
            while not stop.is_set():
                for target in ("in.txt", "../secret.txt"):
                    os.symlink(target, self.path("tree", "new"))
                    os.rename(self.path("tree", "new"), self.path("tree", "swap"))
        thread = threading.Thread(target=swap)
        thread.start()
        try:
            for _ in range(30):
                result = self.ask("swap", "--root", "tree", code=None)
                self.assertNotIn("outside\n", result.out)
        finally:
            stop.set()
            thread.join()


class Programs(DynamlCase):
    def test_DY_362_a_program_that_hangs_is_ended_with_its_children(self):
        self.write("t.yml", 'a: (( exec("sh", "-c", "sleep 300 & echo $! > pid; wait") || "never" ))\n')
        start = time.monotonic()
        self.fails("error generating manifest: limit 'exec' (1) exceeded in t.yml at a\n", "merge", "t.yml",
                   "--exec-timeout", "1")
        self.assertLess(time.monotonic() - start, 30)
        pid = int(self.read("pid"))
        end = time.monotonic() + 10
        while is_running(pid) and time.monotonic() < end:
            time.sleep(0.05)
        self.assertFalse(is_running(pid))
        self.fails("error generating manifest: limit 'exec' (1) exceeded in t.yml at a\n", "merge", "t.yml",
                   "--limit", "exec=1")

    def test_DY_362_a_program_that_prints_without_end_is_ended(self):
        self.write("t.yml", 'a: (( exec("cat", "/dev/zero") || "never" ))\n')
        self.fails("error generating manifest: limit 'file' (67108864) exceeded in t.yml at a\n", "merge", "t.yml")

    def test_DY_158_errors_are_dropped_and_there_is_no_input(self):
        self.write("t.yml", 'a: (( exec("sh", "-c", "yes | head -c 5000000 >&2; cat; echo done") ))\n')
        self.gives("a: done\n", "merge", "t.yml", stdin=b"input")

    def test_DY_158_arguments_go_as_they_are(self):
        self.write("t.yml", 'a: (( exec("printf", "%s|", "a b", "$HOME", 1, "*") ))\nb: (( exec("nosuchprogram") || 1 ))\n'
                            'c: (( exec("false") || 2 ))\n')
        self.gives("a: a b|$HOME|1|*|\nb: 1\nc: 2\n", "merge", "t.yml")

    def test_a_signal_ends_the_program_and_the_run(self):
        self.write("t.yml", 'a: (( exec("sh", "-c", "echo $$ > pid; sleep 300") ))\n')
        run = subprocess.Popen([LINTEL, "dynaml", "merge", "t.yml"], cwd=self.dir, env=self.environment(None),
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        end = time.monotonic() + 60
        while not (os.path.exists(self.path("pid")) and self.read("pid").strip()) and time.monotonic() < end:
            time.sleep(0.02)
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=60)
        self.assertIn(run.returncode, (130, -signal.SIGINT))
        self.assertFalse(is_running(int(self.read("pid"))))


class Limits(DynamlCase):
    def exceeds(self, text, limit, *args, at="t.yml at a"):
        self.write("t.yml", text)
        name = limit.split("=")[0]
        number = limit.split("=")[1]
        self.fails("error generating manifest: limit '%s' (%s) exceeded in %s\n" % (name, number, at), "merge", "t.yml",
                   "--limit", limit, *args)

    def test_DY_362_limits_end_the_run(self):
        self.exceeds('a: (( [1..1000] || "x" ))\n', "items=100")
        self.exceeds("f: (( |x|-> _(x + 1) ))\na: (( .f(1) ))\n", "calls=50")
        self.exceeds("a: (( map[[1..500]|x|-> x + 1] ))\n", "steps=100")
        self.exceeds("a: 1\n", "file=3", at="t.yml at ")
        self.write("big.txt", "x" * 100)
        self.exceeds('a: (( read("big.txt") || "x" ))\n', "file=60")

    def test_DY_362_limits_of_the_project_file(self):
        self.write("lintel.yaml", "limit: [eval-steps=1000, items=10]\n")
        self.exceeds("a: (( [1..11] ))\n", "items=10")
        self.write("t.yml", "a: (( [1..11] ))\n")
        self.assertIn("limit 'items' (10)", self.merge("t.yml", code=1).err)
