"""What a run writes does not grow with the instance (LC-042)."""

import os
import sqlite3

from cli_case import OK, CliCase

COUNT = 2000


class Written(CliCase):
    def template(self, changed=None):
        lines = ["version: 2025-11-02", "resources:"]
        for i in range(COUNT):
            lines.append("  r%d: {type: random/id, spec: {keepers: {name: 'n%d%s'}}}"
                         % (i, i, "x" if i == changed else ""))
        return "\n".join(lines) + "\n"

    def test_LC_042_one_changed_resource_writes_kilobytes(self):
        self.write("blueprint.yaml", self.template())
        self.deploy("--quiet")
        state = self.path(".lintel", "state.db")
        self.assertGreater(os.path.getsize(state), 1 << 20, "the whole is far more than what a change may write")
        # Somebody who reads keeps the log as it is: all that is written stays in it.
        reader = sqlite3.connect("file:%s?mode=ro" % state, uri=True, isolation_level=None)
        self.addCleanup(reader.close)
        reader.execute("BEGIN")
        self.assertEqual(COUNT, reader.execute("SELECT count(*) FROM elements").fetchone()[0])
        before = os.path.getsize(state + "-wal")
        self.write("blueprint.yaml", self.template(changed=COUNT // 2))
        out = self.deploy().out
        self.assertIn("1 to replace", out)
        written = os.path.getsize(state + "-wal") - before
        self.assertGreater(written, 4096)
        self.assertLess(written, 128 * 1024)  # rows and their indexes, journal, history, events
        reader.execute("COMMIT")
        self.lintel("plan", "--detailed-exitcode", code=OK)
