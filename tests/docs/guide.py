"""Runs the examples of a guide.

Each `## ` section has a directory of its own, in which its blocks do their work in order:

  ```yaml             a whole blueprint, saved as blueprint.yaml and validated; `# expect: CODE …` in a line says what is
                      reported, `# input: NAME=VALUE` gives a variable
  ```yaml NAME        the same under another name; what has no `version:` is only saved
  ```LANGUAGE NAME    any other file
  ```console          `$ command` lines are run by sh, in the order given; the lines below each are its output. `…` stands
                      for any text within a line, a line of nothing else for any lines. The exit status is told by
                      the next command: `echo $?`

Blocks without language show and do nothing."""

import json
import os
import re
import subprocess

FENCE = re.compile(r"^```(\w*) *(\S*)$")
EXPECTED = re.compile(r"# expect: (\w+)")
INPUT = re.compile(r"# input: (.*)$", re.MULTILINE)
LIMIT_S = 60


class Block:
    def __init__(self, line, language, name, text):
        self.line = line
        self.language = language
        self.name = name
        self.text = text


def read_sections(text):
    """The guide as (heading, blocks) pairs."""
    sections, block = [("Start", [])], None
    for number, line in enumerate(text.splitlines(), 1):
        fence = FENCE.match(line)
        if block is not None and line == "```":
            sections[-1][1].append(block)
            block = None
        elif block is not None:
            block.text += line + "\n"
        elif fence:
            block = Block(number, fence.group(1), fence.group(2), "")
        elif line.startswith("## "):
            sections.append((line[3:].strip(), []))
    return sections


def is_output(wanted, given):
    """Whether the output is the wanted one, `…` standing for anything."""
    parts = []
    for line in wanted.splitlines():
        if line.strip() == "…":
            parts.append(r"(?:.*\n)*?")
        else:
            parts.append(".*?".join(re.escape(part) for part in line.rstrip().split("…")) + r"[ ]*\n")
    if given and not given.endswith("\n"):
        given += "\n"
    return re.fullmatch("".join(parts), given) is not None


def get_line(diagnostic):
    """Where a diagnostic is; 1 when it has no place in the file."""
    return diagnostic.get("range", {"start": {"line": 1}})["start"]["line"]


def read_expected(text):
    """What a blueprint says will be reported, as (line, code) pairs."""
    return [(number, code) for number, line in enumerate(text.splitlines(), 1) for code in EXPECTED.findall(line)]


def read_commands(text):
    """The commands of a console block with the output wanted of each."""
    commands = []
    for line in text.splitlines():
        if line.startswith("$ "):
            commands.append([line[2:], ""])
        elif commands and commands[-1][0].endswith("\\"):
            commands[-1][0] += "\n" + line
        elif commands:
            commands[-1][1] += line + "\n"
        else:
            raise AssertionError("output before the first command: " + line)
    return commands


class Section:
    """Runs the blocks of one section in a directory; every mismatch is an AssertionError that names its line."""

    def __init__(self, directory, lintel, extra_environment=None):
        self.directory = directory
        self.status = 0
        kept = ("HOME", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LD_LIBRARY_PATH")
        self.environment = {name: os.environ[name] for name in kept if name in os.environ}
        self.environment.update(LC_ALL="C.UTF-8", TERM="dumb",
                                PATH=os.path.dirname(os.path.abspath(lintel)) + os.pathsep + os.environ["PATH"])
        self.environment.update(extra_environment or {})

    def sh(self, command):
        done = subprocess.run(["sh", "-c", command], cwd=self.directory, env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LIMIT_S, check=False)
        return done.returncode, done.stdout.decode("utf-8", "replace")

    def run(self, block):
        if block.language == "console":
            self.run_console(block)
        elif block.language == "yaml":
            self.run_blueprint(block)
        elif block.name:
            self.write(block.name, block.text)

    def write(self, name, text):
        path = os.path.join(self.directory, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)
        if text.startswith("#!"):
            os.chmod(path, 0o755)

    def run_blueprint(self, block):
        name = block.name or "blueprint.yaml"
        self.write(name, block.text)
        if not re.search(r"^version:", block.text, re.MULTILINE):
            assert block.name, "line %d: a block of YAML is a whole blueprint or a named file" % block.line
            return
        variables = "".join(" --var '%s'" % given.replace("'", "'\\''") for given in INPUT.findall(block.text))
        status, text = self.sh("lintel validate --json '%s'%s 2>/dev/null" % (name, variables))
        try:
            reported = [(get_line(one), one["code"]) for one in json.loads(text)["diagnostics"]]
        except ValueError as problem:
            raise AssertionError("line %d: validate says %s" % (block.line, text)) from problem
        assert sorted(reported) == sorted(read_expected(block.text)), \
            "line %d: validate reports %s\n%s" % (block.line, reported, text)
        assert status in (0, 4), "line %d: validate ends with %d" % (block.line, status)

    def run_console(self, block):
        for command, wanted in read_commands(block.text):
            if command == "echo $?":
                given = "%d\n" % self.status
            else:
                self.status, given = self.sh(command)
            assert "Sanitizer" not in given and "runtime error" not in given, given
            assert is_output(wanted, given), \
                "line %d: $ %s\n--- wanted\n%s--- given (status %d)\n%s" % (block.line, command, wanted, self.status, given)
