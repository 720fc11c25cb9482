"""What is deployed, and what is done to it, while faults come: a scenario is a row.

Together the blueprints have every built-in resource type, link type and data source. `SLEEPER` and `URL` are put in."""

CHANGED_AWAY = "changed by hand\n"

# Everything once. The file has something random and something secret in it; the service is linked to both that it uses.
FIRST = """
version: 2025-11-02
datasources:
  greeting:
    type: http/document
    filter: [{field: url, operator: '=', search: 'URL/greeting'}, {field: status, operator: '=', search: 200}]
    exports: {text: {type: string, aliasFor: body}}
  home:
    type: process/environment
    filter: {field: name, operator: '=', search: PATH}
    exports: {path: {type: string, aliasFor: value}}
  thing:
    type: sqlite/query
    filter: [{field: database, operator: '=', search: '${things.spec.path}'},
             {field: query, operator: '=', search: 'SELECT name FROM things LIMIT ${things.spec.migrationsApplied}'}]
    exports: {name: {type: string, aliasFor: row.name}}
resources:
  id: {type: random/id, spec: {byteLength: 8}}
  secret: {type: random/password, spec: {length: 20}}
  dir: {type: local/directory, spec: {path: out/data, createDirectories: true}}
  note:
    type: local/file
    dependsOn: dir
    metadata: {labels: {app: x}}
    spec: {path: out/data/note.txt, contents: 'id ${id.spec.hex} ${secret.spec.result}'}
  things:
    type: sqlite/database
    dependsOn: dir
    metadata: {labels: {app: x}}
    spec:
      path: out/data/things.db
      migrations: ['CREATE TABLE things (name TEXT NOT NULL)', "INSERT INTO things VALUES ('one')"]
  told: {type: local/file, dependsOn: dir, spec: {path: out/told.txt, contents: '${datasources.greeting.text} ${datasources.thing.name} ${datasources.home.path}'}}
  api:
    type: process/service
    linkSelector: {byLabel: {app: x}}
    spec: {command: SLEEPER, args: ['100000']}
exports:
  hex: {type: string, field: resources.id.spec.hex}
"""

# Every field that can be updated in place is: the file's contents (which restarts the service, through the link), the
# directory's mode, the database's migrations, the service's environment.
UPDATED = (FIRST.replace("contents: 'id ${id", "mode: '0600', contents: 'new id ${id")
           .replace("createDirectories: true}", "createDirectories: true, mode: '0700'}")
           .replace("VALUES ('one')\"]", "VALUES ('one')\", \"INSERT INTO things VALUES ('two')\"]")
           .replace("args: ['100000']}", "args: ['100000'], environment: {STAGE: two}}"))

# Other paths, another length: new objects beside the old ones, then the old ones go. The service follows.
REPLACED = (FIRST.replace("note.txt", "note-2.txt").replace("things.db", "things-2.db").replace("byteLength: 8", "byteLength: 8, keepers: {k: v}")
            .replace("out/told.txt", "out/told-2.txt"))

# What a rollback can take back: paths, contents and arguments, but neither migrations nor what was drawn at random.
MOVED = (FIRST.replace("note.txt, contents: 'id", "note-3.txt, contents: 'new id").replace("out/told.txt", "out/told-3.txt")
         .replace("100000", "200000"))

# Two files that exchange their places, and a service that becomes a file: the old object goes first.
SWAP_FIRST = """
version: 2025-11-02
resources:
  left: {type: local/file, spec: {path: out/a.txt, contents: left, createDirectories: true}}
  right: {type: local/file, spec: {path: out/b.txt, contents: right, createDirectories: true}}
  last: {type: process/service, dependsOn: [left, right], spec: {command: SLEEPER, args: ['100000']}}
"""
SWAPPED = (SWAP_FIRST.replace("a.txt, contents: left", "b.txt, contents: left").replace("b.txt, contents: right", "a.txt, contents: right"))

# The same elements under fewer resources: removals.
FEWER = """
version: 2025-11-02
resources:
  id: {type: random/id, spec: {byteLength: 8}}
  dir: {type: local/directory, spec: {path: out/data, createDirectories: true}}
"""

# The service uses the file by another name, and the database no more: one link is updated, the other goes.
LINKED = (FIRST.replace("{labels: {app: x}}\n    spec:\n", "{labels: {app: y}}\n    spec:\n")
          .replace("linkSelector:", "metadata: {annotations: {process.file.note.envVarName: NOTE}}\n    linkSelector:"))

# A symbolic link to the file stands in a directory; then it has another name; then it goes.
JOINED = """
version: 2025-11-02
resources:
  page: {type: local/file, spec: {path: out/page.txt, contents: text, createDirectories: true}, linkSelector: {byLabel: {app: s}}}
  site: {type: local/directory, metadata: {labels: {app: s}}, spec: {path: out/site, createDirectories: true}}
"""
RENAMED = JOINED.replace("type: local/file,", "type: local/file, metadata: {annotations: {local.directory.site.linkName: index}},")
PARTED = JOINED.replace("{labels: {app: s}}", "{labels: {app: t}}")

BLUEPRINTS = {"joined": JOINED, "renamed": RENAMED, "parted": PARTED, "first": FIRST, "updated": UPDATED, "replaced": REPLACED, "moved": MOVED, "swap_first": SWAP_FIRST, "swapped": SWAPPED,
              "fewer": FEWER, "linked": LINKED}

DEPLOY = ("deploy", "-i", "x", "--auto-approve", "--allow-private", "--accept-drift", "--parallel", "4")
DESTROY = ("destroy", "-i", "x", "--auto-approve", "--accept-drift")


def deploy(name):
    return DEPLOY + (name + ".yaml",)


class Scenario:
    """`before` makes the world in which `action` is cut off, each a command or a function of the case. Then `resume`
    (the same again, without) goes on, and the world is that of `goal`, a blueprint (None: nothing is left)."""

    def __init__(self, name, before, action, goal, resume=None, points=5, codes=(0,)):
        self.name = name
        self.before = before
        self.action = action
        self.goal = goal
        self.resume = resume or [action]
        self.points = points  # of the short form
        self.codes = codes  # of an action that nothing cuts off


def change_by_hand(case):
    """Drift: a file has other contents, another is gone."""
    with open(case.path("out", "data", "note.txt"), "w", encoding="utf-8") as stream:
        stream.write(CHANGED_AWAY)
    case.remove("out", "told.txt")


def cut_off(command, point):
    """As one of `before`: a run that was killed there."""
    return lambda case: case.lintel(*command, fault="any=kill@%d" % point)


SCENARIOS = [
    Scenario("create", [], deploy("first"), "first", points=6),
    Scenario("update", [deploy("first")], deploy("updated"), "updated", points=6),
    Scenario("replace_create_first", [deploy("first")], deploy("replaced"), "replaced", points=6),
    Scenario("replace_destroy_first", [deploy("swap_first")], deploy("swapped"), "swapped"),
    Scenario("remove", [deploy("first")], deploy("fewer"), "fewer"),
    Scenario("link_update", [deploy("first")], deploy("linked"), "linked"),
    Scenario("link_object", [deploy("joined")], deploy("renamed"), "renamed"),
    Scenario("link_removal", [deploy("joined")], deploy("parted"), "parted", points=3),
    Scenario("destroy", [deploy("first")], DESTROY, None),
    Scenario("rollback", [deploy("first"), deploy("moved")], ("rollback", "-i", "x", "--auto-approve"), "first"),
    Scenario("drift", [deploy("first"), change_by_hand], ("drift", "-i", "x"), "first",
             resume=[("drift", "-i", "x"), deploy("first")], codes=(3,)),
    Scenario("reconcile", [deploy("first"), cut_off(deploy("updated"), 150)], ("reconcile", "-i", "x", "--apply", "--auto-approve"), "updated",
             resume=[("reconcile", "-i", "x", "--apply", "--auto-approve"), deploy("updated")], codes=(0, 3)),
]
