#!/usr/bin/env python3
"""Names the symbols of the documentation that no page groups: those of a module, and those of a type with many members."""

import json
import pathlib
import sys

#: A type with more members than a reader takes in at once has a page that groups them.
MOST = 20


def ungrouped(page):
    """The symbols that docc itself has put under headings such as "Instance Methods".

    Its own lists of what a type has for a protocol cannot be linked to.
    """
    sections = json.loads(page.read_text(encoding="utf-8")).get("topicSections", [])
    names = [name for section in sections if section.get("generated") for name in section["identifiers"]]
    return [name for name in names if not name.endswith("-Implementations")]


def main(site):
    root = pathlib.Path(site, "data", "documentation")
    pages = sorted(root.rglob("*.json"))
    modules = {root / "sharedworld.json"}
    if not modules.issubset(pages):
        sys.exit(f"error: {site} has no page of SharedWorld")
    failures = 0
    for page in pages:
        names = ungrouped(page)
        if len(names) > (0 if page in modules else MOST) or (names and has_own_groups(page)):
            failures += 1
            for name in names:
                print(f"error: {name.split('/documentation/')[-1]} is in no group: add it to the topics of its page in "
                      "SharedWorld.docc", file=sys.stderr)
    sys.exit(1 if failures else 0)


def has_own_groups(page):
    """Whether a page has groups that people made, so that what is outside them was forgotten."""
    sections = json.loads(page.read_text(encoding="utf-8")).get("topicSections", [])
    return any(not section.get("generated") for section in sections)


if __name__ == "__main__":
    main(sys.argv[1])
