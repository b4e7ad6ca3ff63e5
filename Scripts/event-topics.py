#!/usr/bin/env python3
"""Writes the page that groups the events of a session: a group for each mark in the enum, in the order of its cases."""

import pathlib
import re
import sys

MARK = re.compile(r"    // MARK: (.+)")
CASE = re.compile(r"    (?:indirect )?case (\w+)(?:\((.*)\))?$")


def link(name, parameters):
    """The name by which docc knows a case: with the labels of its values, `_` for one without."""
    labels = (re.match(r"(?:(\w+): )?", value).group(1) or "_" for value in parameters.split(", "))
    return f"- ``{name}({''.join(label + ':' for label in labels)})``" if parameters else f"- ``{name}``"


def topics(source):
    """The lines of the groups."""
    body = source.split("public enum Event: Sendable {\n")[1].split("\n  }\n")[0]
    for line in body.splitlines():
        if mark := MARK.fullmatch(line):
            yield from ("", f"### {mark.group(1)}", "")
        elif case := CASE.fullmatch(line):
            yield link(case.group(1), case.group(2) or "")


def main(path):
    print("# ``SharedWorld/Session/Event``\n\n## Topics")
    print("\n".join(topics(pathlib.Path(path).read_text(encoding="utf-8"))))
    print("\n### Words for people\n\n- ``description``")


if __name__ == "__main__":
    main(sys.argv[1])
