"""What `make install` puts in place can be used: the program, the library through pkg-config, manual page, completions."""

import json
import os
import shutil
import subprocess
import unittest

from cli_case import SOURCE, CliCase

BUILD = os.environ.get("LINTEL_BUILD", "")
PROGRAM = """
#include <lintel/lintel.h>
#include <stdio.h>

int main(int argc, char **argv) {
    struct lintel *handle = lintel_open();
    enum lintel_result result = lintel_validate(handle, argc > 1 ? argv[1] : "", 0);
    printf("%s %d\\n%s", lintel_get_version(), (int)result, lintel_render_diagnostics(handle));
    lintel_close(handle);
    return 0;
}
"""


@unittest.skipUnless(shutil.which("meson") and os.path.exists(BUILD), "needs meson and its build directory")
class Install(CliCase):
    def run_tool(self, *args, **options):
        done = subprocess.run(list(args), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=120, **options)
        self.assertEqual(0, done.returncode, done.stdout.decode())
        return done.stdout.decode()

    def install(self):
        root = os.path.join(self.home, "root")
        self.run_tool("meson", "install", "-C", BUILD, "--no-rebuild", env=dict(os.environ, DESTDIR=root))
        options = json.loads(self.run_tool("meson", "introspect", BUILD, "--buildoptions"))
        self.options = {option["name"]: option["value"] for option in options}
        self.prefix = root + self.options["prefix"]
        return root

    def test_a_program_uses_the_library(self):
        root = self.install()
        found = [os.path.join(d, "lintel.pc") for d, _, names in os.walk(root) if "lintel.pc" in names]
        self.assertEqual(1, len(found))
        env = dict(os.environ, PKG_CONFIG_PATH=os.path.dirname(found[0]), PKG_CONFIG_SYSROOT_DIR=root)
        flags = self.run_tool("pkg-config", "--cflags", "--libs", "lintel", env=env).split()
        sanitize = self.options.get("b_sanitize", "none")
        extra = [] if sanitize == "none" else ["-fsanitize=" + sanitize]
        self.write("use.c", PROGRAM)
        self.run_tool("cc", "-Wall", "-Werror", *extra, "use.c", "-o", "use", *flags, cwd=self.dir)
        libraries = os.path.dirname(os.path.dirname(found[0]))
        self.write("bad.yaml", "version: nosuch\nresources: {a: {type: random/id, spec: {byteLength: 4}}}\n")
        text = self.run_tool("./use", "bad.yaml", cwd=self.dir, env=dict(os.environ, LD_LIBRARY_PATH=libraries))
        with open(os.path.join(SOURCE, "meson.build"), encoding="utf-8") as stream:
            version = stream.read().split("version: '")[1].split("'")[0]
        self.assertTrue(text.startswith(version + " 2\nerror[invalid_version]"), text)

    def test_the_program_and_its_documents(self):
        root = self.install()
        program = os.path.join(self.prefix, "bin", "lintel")
        libraries = [d for d, _, names in os.walk(root) if any(n.startswith("liblintel.so") for n in names)]
        text = self.run_tool(program, "version", env=dict(os.environ, LD_LIBRARY_PATH=":".join(libraries)))
        self.assertTrue(text.startswith("lintel "))
        names = {name for _, _, files in os.walk(root) for name in files}
        self.assertLessEqual({"lintel", "lintel.h", "export.h", "lintel.1", "_lintel", "lintel.fish"}, names)
