"""What the tests of `lintel dynaml` share."""

import json
import os
import subprocess

from cli_case import LIMIT_S, LINTEL, SCHEMAS, CliCase, Result


class DynamlCase(CliCase):
    def dynaml(self, *args, code=None, **options):
        return self.lintel("dynaml", *args, code=code, **options)

    def merge(self, *args, code=0, **options):
        return self.dynaml("merge", *args, code=code, **options)

    def gives(self, expected, *args, **options):
        """A document, and nothing else."""
        result = self.dynaml(*args, code=0, **options)
        self.assertEqual((expected, ""), (result.out, result.err))

    def fails(self, expected, *args, code=1, **options):
        """Lines on standard error, byte for byte, and no result."""
        result = self.dynaml(*args, code=code, **options)
        self.assertEqual(("", expected), (result.out, result.err))

    def failure(self, *args, code=1, **options):
        """The JSON object of a failure (DY-334)."""
        result = self.dynaml(*args, "--json", code=code, **options)
        value = json.loads(result.out)
        SCHEMAS.check("dynaml-failure", value)
        self.assertEqual((code, 1), (value["error"]["exitCode"], result.out.count("\n")))
        return value["error"]

    def spiff(self, *args, stdin=b"", code=None):
        """lintel called by the name of the other program, through a link."""
        link = os.path.join(self.home, "spiff")
        if not os.path.lexists(link):
            os.symlink(LINTEL, link)
        done = subprocess.run([link] + list(args), input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env=self.environment(None), cwd=self.dir, timeout=LIMIT_S, check=False)
        result = Result(done.returncode, done.stdout.decode(), done.stderr.decode())
        self.assertNotIn("Sanitizer", result.err)
        if code is not None:
            self.assertEqual(code, result.code, result)
        return result
