"""What is really there, read without lintel: files, directories, links, databases, processes; and what the state says,
read from its tables. And whether the two are the same."""

import hashlib
import json
import os
import re
import sqlite3
import stat


def read_text(path):
    with open(path, "rb") as stream:
        return stream.read()


def read_database(path):
    """Tables and rows of an SQLite database that somebody deployed; the provider's own records by their number."""
    with sqlite3.connect("file:%s?mode=ro" % path, uri=True) as db:
        names = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
        rows = {name: sorted(db.execute('SELECT * FROM "%s"' % name).fetchall()) for name in names
                if name not in ("lintel_book", "lintel_migrations")}
        applied = db.execute("SELECT count(*) FROM lintel_migrations").fetchone()[0]
    db.close()
    return rows, applied


def read_entry(path):
    found = os.lstat(path)
    mode = stat.S_IMODE(found.st_mode)
    if stat.S_ISDIR(found.st_mode):
        return ("directory", mode)
    if stat.S_ISLNK(found.st_mode):
        return ("link", os.readlink(path))
    data = read_text(path)
    if data.startswith(b"SQLite format 3\0"):
        return ("database", mode) + read_database(path)
    return ("file", mode, data)


def read_files(root):
    """Everything below a directory, hidden things too: {path: (kind, …)}."""
    found = {}
    for directory, names, files in os.walk(root):
        for name in names + files:
            path = os.path.join(directory, name)
            if not name.endswith(("-wal", "-shm")):  # of databases, whose contents count
                found[path] = read_entry(path)
    return found


class Process:
    def __init__(self, pid, marks, arguments, environment):
        self.pid = pid
        self.marks = marks
        self.arguments = arguments
        self.environment = environment


def read_process(pid, binary):
    try:
        if os.readlink("/proc/%s/exe" % pid) != binary:
            return None
        arguments = read_text("/proc/%s/cmdline" % pid).decode().split("\0")[:-1]
        lines = [line.partition("=") for line in read_text("/proc/%s/environ" % pid).decode().split("\0") if line]
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return None  # gone meanwhile, or a zombie
    values = {name: text for name, _, text in lines}
    marks = {name: values.pop(name) for name in list(values) if name.startswith("LINTEL_")}
    return Process(int(pid), marks, arguments, values)


def read_processes(binary):
    found = [read_process(pid, binary) for pid in os.listdir("/proc") if pid.isdigit()]
    return [process for process in found if process is not None]


# --- the state ---


class Element:
    def __init__(self, row):
        self.address, self.type, self.status, self.precise_status, self.physical_id, body = row
        self.body = json.loads(body)

    def get_field(self, name):
        """Of the spec or what the provider filled in."""
        for part in ("computedFields", "specData"):
            if name in self.body.get(part, {}):
                return self.body[part][name]
        return None


class State:
    """Rows of the one instance; `tables` gives the rows of a query."""

    def __init__(self, query):
        instances = query("SELECT id, status FROM instances")
        self.instances = {row[0]: row[1] for row in instances}
        self.elements = [Element(row) for row in query(
            "SELECT address, type, status, precise_status, physical_id, body FROM elements ORDER BY address")]
        self.journal = query("SELECT kind, operation FROM journal ORDER BY sequence")
        self.history = query("SELECT kind, outcome FROM history ORDER BY number")

    def of_type(self, *types):
        return [element for element in self.elements if element.type in types]


def read_sqlite_state(path):
    if not os.path.exists(path):
        return State(lambda sql: [])
    # Not `immutable`: what stands in the write-ahead log counts.
    db = sqlite3.connect("file:%s?mode=ro" % path, uri=True)
    try:
        tables = {row[0] for row in db.execute("SELECT name FROM sqlite_master")}
        return State(lambda sql: db.execute(sql).fetchall() if "instances" in tables else [])
    finally:
        db.close()


# --- both ---


def check_file(element, entry):
    if entry[0] != "file":
        return "'%s' is a %s" % (element.physical_id, entry[0])
    if hashlib.sha256(entry[2]).hexdigest() != element.get_field("sha256"):
        # Of a secret, the digest is sealed.
        if not isinstance(element.get_field("sha256"), dict):
            return "contents of '%s' are other than in the state" % element.physical_id
    return None


def check_database(element, entry):
    if entry[0] != "database":
        return "'%s' is a %s" % (element.physical_id, entry[0])
    if sorted(entry[2]) != sorted(element.get_field("tables")) or entry[3] != element.get_field("migrationsApplied"):
        return "tables of '%s' are other than in the state" % element.physical_id
    return None


def check_directory(element, entry):
    return None if entry[0] == "directory" else "'%s' is a %s" % (element.physical_id, entry[0])


CHECKS = {"local/file": check_file, "sqlite/database": check_database, "local/directory": check_directory}


def list_symlinks(state):
    """What links have made: {path: where it leads}."""
    made = [one for element in state.elements for one in element.body.get("intermediaryResourceStates", [])]
    return {one["resourceID"]: one["resourceSpecData"]["target"] for one in made if one["resourceType"] == "local/symlink"}


def compare_files(state, files, owned_elsewhere):
    """Objects of the state that are missing or different, and objects that nobody owns."""
    wrong, owned = [], set(owned_elsewhere)
    for path, target in list_symlinks(state).items():
        owned.add(path)
        wrong += [] if files.get(path) == ("link", target) else ["'%s' leads to %r" % (path, files.get(path))]
    for element in state.of_type(*CHECKS):
        path = element.physical_id
        if path in owned:
            wrong.append("two elements claim '%s'" % path)
        owned.add(path)
        problem = "'%s' is not there" % path if path not in files else CHECKS[element.type](element, files[path])
        wrong += [problem] if problem else []
    return wrong + ["nobody owns '%s' %r" % (path, files[path]) for path in sorted(set(files) - owned)]


def compare_processes(state, processes):
    wrong = []
    owners = {element.address: element for element in state.of_type("process/service")}
    for element in owners.values():
        mine = [p for p in processes if p.marks.get("LINTEL_ELEMENT") == element.address]
        if [str(p.pid) for p in mine] != [element.physical_id]:
            wrong.append("%s is process %s; there are %s" % (element.address, element.physical_id, [p.pid for p in mine]))
    for process in processes:
        if process.marks.get("LINTEL_ELEMENT") not in owners or process.marks.get("LINTEL_INSTANCE") not in state.instances:
            wrong.append("nobody owns process %d %r" % (process.pid, process.marks))
    return wrong


def compare(state, files, processes, owned_elsewhere=()):
    """Everything in which the world differs from a state in which nothing is under way."""
    wrong = ["%s is %s" % (e.address, e.precise_status) for e in state.elements
             if not e.status.endswith(("created", "updated", "config_complete", "rollback_complete"))]
    wrong += compare_files(state, files, owned_elsewhere) + compare_processes(state, processes)
    return wrong + ["a journal row is left: %r" % (row,) for row in state.journal]


def describe(files, processes, root):
    """The world without what is random, to compare two of them."""

    def blur(data):
        return re.sub(rb"id [0-9a-f]{16} \S{20}", b"id ID SECRET", data)

    def tell(entry):
        return (entry[0], entry[1], blur(entry[2])) if entry[0] == "file" else entry

    return ({os.path.relpath(path, root): tell(entry) for path, entry in files.items()},
            sorted((p.arguments[1:], sorted(p.environment.items())) for p in processes))
