"""What the lint checks share. A check is an executable file in tools/lint that takes --root and --build, prints one
`path:line: message` per finding and ends with status 1 when there was one."""

import argparse
import json
import os
import subprocess
import sys

SKIPPED_DIRECTORIES = {".git", "build", "__pycache__", ".lintel"}


class Check:
    """Collects the findings of one check."""

    def __init__(self, description):
        parser = argparse.ArgumentParser(description=description)
        parser.add_argument("--root", default=".")
        parser.add_argument("--build", default="")
        parser.add_argument("--jobs", type=int, default=2)
        options = parser.parse_args()
        self.root = os.path.abspath(options.root)
        self.build = os.path.abspath(options.build) if options.build else ""
        self.jobs = max(1, options.jobs)
        self.findings = 0

    def find(self, path, line, message):
        self.findings += 1
        print("%s:%d: %s" % (path, line, message))

    def say(self, text):
        """Findings in another program's own words."""
        self.findings += 1
        print(text.rstrip())

    def finish(self):
        sys.exit(1 if self.findings else 0)

    def path(self, name):
        return os.path.join(self.root, name)

    def read_lines(self, name):
        with open(self.path(name), encoding="utf-8", errors="replace") as stream:
            return stream.read().splitlines()

    def files(self, suffixes, below=""):
        """Paths of files relative to the root, sorted."""
        found = []
        for directory, names, files in os.walk(self.path(below)):
            names[:] = sorted(name for name in names if name not in SKIPPED_DIRECTORIES)
            found += [os.path.relpath(os.path.join(directory, name), self.root)
                      for name in files if name.endswith(suffixes)]
        return sorted(found)

    def compile_commands(self):
        """The compiler calls of the build as {source path relative to root: argument list}."""
        with open(os.path.join(self.build, "compile_commands.json"), encoding="utf-8") as stream:
            entries = json.load(stream)
        commands = {}
        for entry in entries:
            source = os.path.realpath(os.path.join(entry["directory"], entry["file"]))
            commands[os.path.relpath(source, os.path.realpath(self.root))] = entry
        return commands


def run(command, **options):
    """Runs a program; returns its status and what it printed."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False, **options)
    return done.returncode, done.stdout.decode("utf-8", "replace")
