"""Help, manual page, completions and the reference of errors, functions and providers come from tables (CLI-003)."""

import json
import os
import re
import shutil
import subprocess
import unittest

from cli_case import OK, SCHEMAS, SOURCE, USAGE, CliCase

# Named in the specification, and not built yet.
COMING = ()


class Help(CliCase):
    def commands(self):
        return self.check_json("help", "help", code=OK)["help"]["commands"]

    def test_CLI_003_every_command_is_in_every_place(self):
        overview = self.lintel("help", code=OK).out
        page = self.lintel("help", "--man", code=OK).out
        markdown = self.lintel("help", "--markdown", code=OK).out
        shells = [self.lintel("completion", shell, code=OK).out for shell in ("bash", "zsh", "fish")]
        commands = self.commands()
        self.assertEqual(sorted(c["name"] for c in commands), [c["name"] for c in commands])
        for command in commands:
            name = command["name"]
            self.assertRegex(overview, r"(?m)^  %s +\S" % name)
            self.assertRegex(page, r'(?m)^\.SS "%s' % name)
            self.assertIn("\n## %s\n" % name, markdown)
            text = self.lintel("help", name, code=OK).out
            self.assertEqual(text, self.lintel(name, "--help", code=OK).out)
            self.assertEqual(text, self.lintel(name, "-h", code=OK).out)
            for option in command["options"]:
                if "aliasOf" in option:
                    continue
                self.assertIn("--" + option["name"], text)
                self.assertIn("\\-\\-" + option["name"].replace("-", "\\-"), page)
                for shell in shells:
                    self.assertIn(option["name"], shell)

    def test_CLI_003_every_command_has_examples_and_exit_codes(self):
        for command in self.commands():
            self.assertTrue(command["examples"], command["name"])
            self.assertTrue(all(re.search(r"(^|\| )lintel " + command["name"], e) for e in command["examples"]))
            codes = [e["code"] for e in command["exitCodes"]]
            self.assertEqual(sorted(codes), codes)
            self.assertIn(0, codes)
            self.assertIn(5, codes)

    def test_every_command_has_a_schema_of_its_output(self):
        for command in self.commands():
            name = "events" if command["output"] == "events" else command["name"]
            self.assertTrue(SCHEMAS.load(name + ".schema.json"))

    def test_CLI_003_every_option_tells_its_type_default_and_variable(self):
        listed = json.loads(self.lintel("help", "--json", code=OK).out)["help"]
        options = {o["name"]: o for o in listed["globalOptions"]}
        for command in listed["commands"]:
            options.update({o["name"]: o for o in command["options"]})
        self.assertEqual(("duration", "60s", "LINTEL_LEASE_TIME", False),
                         tuple(options["lease-time"][k] for k in ("type", "default", "environment", "repeatable")))
        self.assertEqual(("LINTEL_VAR_NAME", True), (options["var"]["environment"], options["var"]["repeatable"]))
        for name, option in options.items():
            self.assertEqual(name == "C" or "aliasOf" in option, "environment" not in option, name)
        env = {options["color"]["environment"]: "always"}
        self.assertIn("\x1b[", self.lintel("nonsense", env=env).err, "and it is the one that counts")

    def test_CLI_003_every_command_and_option_of_the_specification_is_there(self):
        with open(os.path.join(SOURCE, "docs", "spec", "cli.md"), encoding="utf-8") as stream:
            text = stream.read()
        listed = json.loads(self.lintel("help", "--json", code=OK).out)["help"]
        options = {o["name"] for o in listed["globalOptions"]}
        commands = {c["name"]: options | {o["name"] for o in c["options"]} for c in listed["commands"]}
        missing = []
        for name, rest in re.findall(r"^\| `([a-z]+)(.*) \|$", text.split("## 3.")[1].split("- **CLI-010")[0], re.MULTILINE):
            wanted = re.findall(r"--([a-z][a-z-]+)", rest)
            missing += [name] if name not in commands else ["%s --%s" % (name, o) for o in wanted if o not in commands[name]]
        self.assertEqual([], [m for m in missing if m not in COMING])
        named = set(re.findall(r"`--([a-z][a-z-]+)", text.split("## 2.")[1].split("## 3.")[0]))
        self.assertEqual(set(), named - options - {"show-sensitive", "yes-i-mean-it"})

    def test_help_as_json_for_every_command(self):
        for command in self.commands():
            for line in (["help", command["name"]], [command["name"], "--help"]):
                value = self.lintel(*line, "--json", code=OK).json()
                self.assertEqual([command["name"]], [c["name"] for c in value["help"]["commands"]])

    def test_help_goes_to_standard_output_and_ends_with_0(self):
        for line in (["--help"], ["-h"], ["help"]):
            result = self.lintel(*line, code=OK)
            self.assertIn("usage: lintel", result.out)
            self.assertEqual("", result.err)

    def test_help_on_an_alias_and_on_nothing_known(self):
        self.assertIn("usage: lintel plan", self.lintel("help", "stage", code=OK).out)
        self.assertIn("did you mean 'plan'?", self.lintel("help", "plam", code=USAGE).err)

    def test_unknown_names_lead_to_the_list_of_known_ones(self):
        for command in ("errors", "functions", "help", "providers"):
            self.assertIn("\n  = hint: see: lintel %s\n" % command, self.lintel(command, "xyzzyxyzzy", code=USAGE).err)


class Groups(CliCase):
    """Commands of dialects: each group has options, help and pages of its own."""

    def groups(self):
        return self.check_json("help", "help", code=OK)["help"]["groups"]

    def test_CLI_003_every_command_of_a_group_is_in_every_place(self):
        page = self.lintel("help", "--man", code=OK).out
        markdown = self.lintel("help", "--markdown", code=OK).out
        shells = [self.lintel("completion", shell, code=OK).out for shell in ("bash", "zsh", "fish")]
        for group in self.groups():
            self.assertRegex(self.lintel("help", code=OK).out, r"(?m)^  %s +\S" % group["name"])
            names = [command["name"] for command in group["commands"]]
            self.assertEqual(sorted(names), names)
            own_page = self.lintel("help", "--man", group["name"], code=OK).out
            for command in group["commands"]:
                name = "%s %s" % (group["name"], command["name"])
                text = self.lintel("help", *name.split(), code=OK).out
                self.assertEqual(text, self.lintel(*name.split(), "--help", code=OK).out)
                self.assertIn("usage: lintel %s " % name, text)
                self.assertIn("\n## %s\n" % name, markdown)
                self.assertRegex(page, r'(?m)^\.SS "%s' % name)
                self.assertRegex(own_page, r'(?m)^\.SS "%s' % name)
                self.assertIn(".TH LINTEL\\-", self.lintel("help", "--man", *name.split(), code=OK).out)
                for option in command["options"]:
                    self.assertIn("--" + option["name"], text)
                    self.assertIn("\\-\\-" + option["name"].replace("-", "\\-"), page)
                    for shell in shells:
                        self.assertIn(option["name"], shell)

    def test_CLI_003_every_command_of_a_group_has_examples_and_exit_codes(self):
        for group in self.groups():
            for command in group["commands"]:
                names = "|".join("%s %s" % (n, command["name"]) for n in ("lintel " + group["name"], group.get("program")))
                self.assertTrue(command["examples"], command["name"])
                for example in command["examples"]:
                    self.assertRegex(example, r"(^|\| )(%s)" % names)
                codes = [e["code"] for e in command["exitCodes"]]
                self.assertEqual(sorted(codes), codes)
                self.assertTrue({0, 5} <= set(codes))

    def test_CLI_005_a_group_without_command_shows_its_help(self):
        for group in self.groups():
            result = self.lintel(group["name"], code=USAGE)
            self.assertEqual("", result.out)
            self.assertIn("usage: lintel %s COMMAND" % group["name"], result.err)
            help_text = self.lintel(group["name"], "--help", code=OK)
            self.assertEqual(("", self.lintel("help", group["name"], code=OK).out), (help_text.err, help_text.out))

    def test_help_as_json_for_a_group_and_its_commands(self):
        for line in (["help", "dynaml", "merge"], ["dynaml", "merge", "--help"]):
            value = self.check_json("help", *line, code=OK) if line[0] == "help" else self.lintel(*line, "--json").json()
            self.assertEqual([], value["help"]["commands"])
            self.assertEqual([("dynaml", ["merge"])],
                             [(g["name"], [c["name"] for c in g["commands"]]) for g in value["help"]["groups"]])

    def test_CLI_005_mistakes_below_a_group(self):
        self.assertIn("did you mean 'dynaml merge'?", self.lintel("dynaml", "mrge", code=USAGE).err)
        self.assertIn("unknown command 'dynaml mrge'", self.lintel("dynaml", "mrge", code=USAGE).err)
        self.assertIn("did you mean 'merge'?", self.lintel("help", "dynaml", "merg", code=USAGE).err)
        self.assertIn("'plan' is no group", self.lintel("help", "plan", "merge", code=USAGE).err)
        self.assertIn("did you mean 'dynaml'?", self.lintel("dynam", code=USAGE).err)
        self.assertIn("did you mean '--no-read'?", self.lintel("dynaml", "merge", "--no-raed", "x", code=USAGE).err)
        self.assertIn("see: lintel help dynaml merge", self.lintel("dynaml", "merge", code=USAGE).err)

    def test_a_group_takes_only_some_global_options(self):
        self.assertIn("unknown option '--state'", self.lintel("dynaml", "merge", "--state", "x", "t", code=USAGE).err)
        self.assertIn("'lintel dynaml' takes no option '--state'",
                      self.lintel("--state", "x", "dynaml", "merge", "t", code=USAGE).err)
        self.write("t.yml", "a: (( 1 + 1 ))\n")
        self.assertEqual("a: 2\n", self.lintel("--color", "never", "dynaml", "-C", self.dir, "merge", "t.yml", code=OK).out)

    def test_CLI_004_the_project_file_may_hold_options_of_others(self):
        self.write("lintel.yaml", "state: other.db\nno-env: true\n")
        self.write("t.yml", "a: (( env(\"HOME\") || 1 ))\n")
        self.assertEqual("a: 1\n", self.lintel("dynaml", "merge", "t.yml", code=OK).out)
        self.assertIn("no-env             true   (project file", self.lintel("config", code=OK).out)


class Completion(CliCase):
    def script(self, shell):
        value = self.check_json("completion", "completion", shell, code=OK)
        text = self.lintel("completion", shell, code=OK).out
        self.assertEqual(text, value["script"])
        self.write("completion", text)
        return self.path("completion")

    def complete(self, *words):
        script = self.script("bash")
        code = 'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _lintel; echo "${COMPREPLY[*]}"'
        done = subprocess.run(["bash", "-c", code, script] + list(words), stdout=subprocess.PIPE, check=True, cwd=self.dir)
        return done.stdout.decode().split()

    def test_bash_reads_it(self):
        subprocess.run(["bash", "-n", self.script("bash")], check=True)

    def test_bash_completes_commands_options_and_values(self):
        self.assertEqual(["plan"], self.complete("lintel", "pl"))
        self.assertEqual(["plan"], self.complete("lintel", "--state", "x", "pl"))
        self.assertEqual(["--auto-approve"], self.complete("lintel", "deploy", "--auto"))
        self.assertEqual(["auto", "always", "never"], self.complete("lintel", "--color", ""))
        self.assertEqual(["text", "json", "sarif", "junit"], self.complete("lintel", "validate", "--format", ""))
        self.assertEqual(["bash", "fish", "zsh"], self.complete("lintel", "completion", ""))
        self.assertIn("deploy", self.complete("lintel", "help", ""))
        self.write("blueprint.yaml", "")
        self.assertEqual(["blueprint.yaml"], self.complete("lintel", "validate", "blue"))

    def test_bash_completes_commands_of_groups(self):
        self.assertEqual(["dynaml"], self.complete("lintel", "dyna"))
        self.assertEqual(["merge"], self.complete("lintel", "dynaml", "mer"))
        self.assertEqual(["merge"], self.complete("lintel", "--color", "never", "dynaml", "--json", "mer"))
        self.assertEqual(["--no-exec", "--no-read", "--no-env", "--no-compat"], self.complete("lintel", "dynaml", "merge", "--no-"))
        self.assertEqual([], self.complete("lintel", "dynaml", "merge", "--stat"))
        self.write("template.yml", "")
        self.assertEqual(["template.yml"], self.complete("lintel", "dynaml", "merge", "--limit", "depth=1", "templ"))

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh_reads_it(self):
        subprocess.run(["zsh", "-n", self.script("zsh")], check=True)

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_fish_reads_it_and_completes(self):
        script = self.script("fish")
        subprocess.run(["fish", "-n", script], check=True)
        code = "source %s; complete -C 'lintel validate --format '" % script
        done = subprocess.run(["fish", "-c", code], stdout=subprocess.PIPE, check=True, env=dict(os.environ, HOME=self.home))
        self.assertEqual({"text", "json", "sarif", "junit"}, {line.split("\t")[0] for line in done.stdout.decode().splitlines()})


class Reference(CliCase):
    def test_errors(self):
        value = self.check_json("errors", "errors", code=OK)
        names = [c["code"] for c in value["codes"]]
        self.assertEqual(sorted(names), names)
        text = self.lintel("errors", code=OK).out
        for name in names:
            self.assertRegex(text, r"(?m)^%s " % re.escape(name))
        one = self.check_json("errors", "errors", "usage_error", code=OK)
        self.assertEqual(["usage_error"], [c["code"] for c in one["codes"]])
        self.assertIn("did you mean 'usage_error'?", self.lintel("errors", "usage_eror", code=USAGE).err)

    def test_functions(self):
        value = self.check_json("functions", "functions", code=OK)
        names = [f["name"] for f in value["functions"]]
        self.assertEqual(sorted(names), names)
        for name in ("substr", "join", "jsondecode", "if", "coalesce"):
            self.assertIn(name, names)
        text = self.lintel("functions", code=OK).out
        for name in names:
            self.assertRegex(text, r"(?m)^%s " % re.escape(name))
        one = self.check_json("functions", "functions", "substr", code=OK)
        self.assertEqual(["substr"], [f["name"] for f in one["functions"]])
        shown = self.lintel("functions", "substr", code=OK).out
        self.assertIn(one["functions"][0]["signature"], shown)
        self.assertIn(one["functions"][0]["example"], shown)
        self.assertIn("did you mean 'substr'?", self.lintel("functions", "subtr", code=USAGE).err)
        self.check_json("functions", "functions", "subtr", code=USAGE)

    def test_providers(self):
        value = self.check_json("providers", "providers", code=OK)
        types = set(value["declarations"]["resources"])
        wanted = {"local/directory", "local/file", "process/service", "random/id", "random/password", "sqlite/database"}
        self.assertLessEqual(wanted, types)
        self.assertIn("process/service::sqlite/database", value["declarations"]["links"])
        text = self.lintel("providers", code=OK).out
        for name in types:
            self.assertIn("  %s " % name, text)
        one = self.check_json("providers", "providers", "local/file", code=OK)
        self.assertEqual({"local/file"}, set(one["declarations"]["resources"]))
        self.assertIn("`path` (string", self.lintel("providers", "local/file", code=OK).out)
        several = self.check_json("providers", "providers", "random", code=OK)
        self.assertEqual({"random/id", "random/password"}, set(several["declarations"]["resources"]))
        self.assertIn("did you mean 'local/file'?", self.lintel("providers", "local/fil", code=USAGE).err)

    def test_version(self):
        value = self.check_json("version", "version", code=OK)
        self.assertEqual("lintel %s\n" % value["version"], self.lintel("version", code=OK).out)

    def test_every_code_that_people_meet_is_in_the_reference(self):
        value = self.check_json("errors", "errors", "consent_required", code=OK)
        self.assertEqual("error", value["codes"][0]["severity"])
