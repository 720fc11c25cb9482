"""Where the time of a run went (LC-060): --timings and --trace."""

import json
import os
import re

from cli_case import FAILED, OK, USAGE, CliCase

CHAIN = """
    version: 2025-11-02
    resources:
      one: {type: random/id, spec: {byteLength: 4}}
      two:
        type: local/file
        spec: {path: two.txt, contents: "${resources.one.spec.hex}"}
      three:
        type: local/file
        spec: {path: three.txt, contents: "${resources.two.spec.sha256}"}
      alone: {type: random/id, spec: {byteLength: 4}}
    """


class Timings(CliCase):
    def setUp(self):
        super().setUp()
        self.write("blueprint.yaml", CHAIN)

    def test_LC_060_the_critical_path_is_the_chain_that_was_waited_for(self):
        text = self.lintel("deploy", "-y", "--timings", code=OK).out
        self.assertRegex(text, r"\nCritical path \([^)]*, 3 of 4 operations\):\n"
                               r" +\S+  create resources\.one\n +\S+  create resources\.two\n +\S+  create resources\.three\n"
                               r"\nSlowest:\n( +\S+  create resources\.\w+\n){4}")
        self.assertNotIn("Critical path", self.deploy().out)

    def test_LC_060_machines_get_it_with_the_summary(self):
        summary = self.check_events("deploy", "-y", "--timings", code=OK)[-1]
        path = summary["timings"]["criticalPath"]
        self.assertEqual(["resources.one", "resources.two", "resources.three"], [one["address"] for one in path])
        for before, after in zip(path, path[1:]):
            self.assertLessEqual(before["startedMs"] + before["elapsedMs"], after["startedMs"])
        self.assertEqual(4, len(summary["timings"]["slowest"]))
        times = [one["elapsedMs"] for one in summary["timings"]["slowest"]]
        self.assertEqual(sorted(times, reverse=True), times)
        summary = self.check_events("destroy", "-y", "--timings", code=OK)[-1]
        self.assertEqual({"destroy"}, {one["action"] for one in summary["timings"]["slowest"]})
        self.assertNotIn("timings", self.check_events("deploy", "-y", code=OK)[-1])

    def test_nothing_to_do(self):
        self.deploy()
        self.assertNotIn("Critical", self.lintel("deploy", "-y", "--timings", code=OK).out)
        summary = self.check_events("deploy", "-y", "--timings", code=OK)[-1]
        self.assertEqual([], summary.get("timings", {"criticalPath": []})["criticalPath"])

    def test_traces_have_a_lane_per_slot(self):
        self.write("blueprint.yaml", "version: 2025-11-02\nresources:\n" + "".join(
            "  r%d: {type: random/id, spec: {byteLength: 4}}\n" % i for i in range(60)))
        self.lintel("deploy", "-y", "--trace", "t.json", "--parallel", "3", code=OK)
        trace = json.loads(self.read("t.json"))
        spans = [e for e in trace["traceEvents"] if e["ph"] == "X"]
        names = [e for e in trace["traceEvents"] if e["ph"] == "M"]
        self.assertEqual(60, len(spans))
        self.assertLessEqual(len(names), 3)
        self.assertEqual({e["tid"] for e in names}, {e["tid"] for e in spans})
        self.assertEqual({"resources.r%d" % i for i in range(60)}, {e["name"] for e in spans})
        for tid in {e["tid"] for e in spans}:
            lane = sorted((e["ts"], e["dur"]) for e in spans if e["tid"] == tid)
            for (ts, dur), (following, _) in zip(lane, lane[1:]):
                self.assertLessEqual(ts + dur, following)
        self.assertEqual(0, min(e["ts"] for e in spans))

    def test_a_trace_that_cannot_be_written_stops_before_anything_is_done(self):
        result = self.lintel("deploy", "-y", "--trace", "no/such/t.json", code=FAILED)
        self.assertIn("file_not_writable", result.err)
        self.assertFalse(os.path.exists(self.path("two.txt")))
        self.lintel("deploy", "-y", "--trace", code=USAGE)

    def test_a_trace_replaces_an_older_one(self):
        self.write("t.json", "x" * 100000)
        self.lintel("deploy", "-y", "--trace", "t.json", code=OK)
        self.assertEqual({"displayTimeUnit", "traceEvents"}, set(json.loads(self.read("t.json"))))

    def test_LC_053_no_secret_in_a_trace(self):
        self.write("blueprint.yaml", """
            version: 2025-11-02
            variables:
              pass: {type: string, secret: true}
            resources:
              note:
                type: local/file
                spec: {path: note.txt, contents: "${variables.pass}"}
            """)
        text = self.lintel("deploy", "-y", "--trace", "t.json", "--timings", "--var", "pass=open-sesame", code=OK)
        self.assertNotIn(b"open-sesame", self.read("t.json"))
        self.assertNotIn("open-sesame", text.out + text.err)

    def test_long_chains(self):
        self.write("blueprint.yaml", "version: 2025-11-02\nresources:\n  r0: {type: random/id, spec: {byteLength: 4}}\n" + "".join(
            "  r%d: {type: random/id, spec: {byteLength: 4, keepers: {k: \"${resources.r%d.spec.hex}\"}}}\n" % (i, i - 1)
            for i in range(1, 150)))
        text = self.lintel("deploy", "-y", "--timings", code=OK).out
        self.assertIn("150 of 150 operations", text[text.index("Critical"):])
        self.assertTrue(re.search(r"and 50 more\n", text))
