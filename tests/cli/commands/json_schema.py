"""A validator for the part of JSON Schema (2020-12) that docs/schemas uses; standard library only.

A keyword it does not know is an error, so that no schema seems to be checked that is not.
"""

import json
import os
import re

ANNOTATIONS = {"$schema", "$id", "$defs", "title", "description"}
TYPES = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
    "boolean": lambda v: isinstance(v, bool),
    "null": lambda v: v is None,
}


class Invalid(Exception):
    pass


def same(a, b):
    return type(a) is type(b) and a == b


class Schemas:
    """The schemas of one directory, read when first asked for."""

    def __init__(self, directory):
        self.directory = directory
        self.files = {}

    def load(self, name):
        if name not in self.files:
            with open(os.path.join(self.directory, name), encoding="utf-8") as stream:
                self.files[name] = json.load(stream)
        return self.files[name]

    def check(self, name, value):
        """Raises Invalid when the value does not fit the schema NAME.schema.json."""
        self.visit(name + ".schema.json", self.load(name + ".schema.json"), value, "$")

    def resolve(self, here, reference):
        name, _, pointer = reference.partition("#")
        name = name or here
        schema = self.load(name)
        for part in pointer.split("/")[1:]:
            schema = schema[part]
        return name, schema

    def visit(self, here, schema, value, place):
        if schema is True:
            return
        for keyword, wanted in schema.items():
            if keyword in ANNOTATIONS or keyword == "additionalProperties":
                continue
            rule = getattr(self, "rule_" + keyword.lstrip("$"), None)
            if rule is None:
                raise Invalid("%s: the validator does not know '%s'" % (here, keyword))
            rule(here, wanted, value, place)
        if isinstance(value, dict) and "additionalProperties" in schema:
            self.visit_others(here, schema, value, place)

    def visit_others(self, here, schema, value, place):
        others = schema["additionalProperties"]
        for key in value:
            if key in schema.get("properties", {}):
                continue
            if others is False:
                raise Invalid("%s: unknown key '%s'" % (place, key))
            self.visit(here, others, value[key], place + "." + key)

    def matches(self, here, schema, value, place):
        try:
            self.visit(here, schema, value, place)
            return None
        except Invalid as problem:
            return str(problem)

    def rule_ref(self, here, wanted, value, place):
        name, schema = self.resolve(here, wanted)
        self.visit(name, schema, value, place)

    def rule_type(self, _here, wanted, value, place):
        names = wanted if isinstance(wanted, list) else [wanted]
        if not any(TYPES[name](value) for name in names):
            raise Invalid("%s: is no %s: %r" % (place, " or ".join(names), value))

    def rule_required(self, _here, wanted, value, place):
        for key in wanted:
            if isinstance(value, dict) and key not in value:
                raise Invalid("%s: '%s' is missing" % (place, key))

    def rule_properties(self, here, wanted, value, place):
        for key, schema in wanted.items():
            if isinstance(value, dict) and key in value:
                self.visit(here, schema, value[key], place + "." + key)

    def rule_items(self, here, wanted, value, place):
        for index, item in enumerate(value if isinstance(value, list) else []):
            self.visit(here, wanted, item, "%s[%d]" % (place, index))

    def rule_enum(self, _here, wanted, value, place):
        if not any(same(value, item) for item in wanted):
            raise Invalid("%s: %r is none of %r" % (place, value, wanted))

    def rule_const(self, _here, wanted, value, place):
        if not same(value, wanted):
            raise Invalid("%s: %r is not %r" % (place, value, wanted))

    def rule_pattern(self, _here, wanted, value, place):
        if isinstance(value, str) and not re.search(wanted, value):
            raise Invalid("%s: %r does not match %s" % (place, value, wanted))

    def rule_minimum(self, _here, wanted, value, place):
        if TYPES["number"](value) and value < wanted:
            raise Invalid("%s: %r is less than %r" % (place, value, wanted))

    def rule_anyOf(self, here, wanted, value, place):
        problems = [self.matches(here, schema, value, place) for schema in wanted]
        if None not in problems:
            raise Invalid("; or ".join(problems))

    def rule_oneOf(self, here, wanted, value, place):
        problems = [self.matches(here, schema, value, place) for schema in wanted]
        if problems.count(None) != 1:
            raise Invalid("%s: %d of %d alternatives fit: %s" % (place, problems.count(None), len(wanted), problems))
