#!/usr/bin/env python3
"""Writes the references of C and Python as articles of DocC.

usage: Scripts/references.py FOLDER
       Scripts/references.py --check SITE

The first form writes them into a folder, out of the comments of the C header and the docstrings of the Python package.
The second one fails unless each function of the C interface and each public name of the package stands in a site that
docc has made.
"""

import json
import pathlib
import re
import sys

import references_c
import references_python
from references_c import Refused

TOP = pathlib.Path(__file__).resolve().parent.parent
INTERFACE = TOP / "Fixtures" / "CInterface" / "interface.txt"


def write(folder: pathlib.Path) -> None:
    articles = {**references_c.articles(), **references_python.Writer(references_python.read()).articles()}
    for name, text in articles.items():
        (folder / name).write_text(text, encoding="utf-8")


def check(site: pathlib.Path) -> None:
    """Looks for the names of the tested list of the interface, and of __all__: neither comes from the articles."""
    pages = site / "data" / "documentation" / "sharedworld"
    declared = "\n".join(path.read_text(encoding="utf-8") for path in pages.glob("c*.json"))
    headings = {name for path in pages.glob("python*.json") for name in headings_of(path)}
    functions = re.findall(r"^function (\w+)", INTERFACE.read_text(encoding="utf-8"), flags=re.M)
    missing = [name for name in functions if not re.search(rf"\b{name}\(", declared)]
    missing += [name for name in references_python.read().public if name not in headings]
    if not functions or missing:
        raise Refused(f"the site lacks {', '.join(missing) or 'all functions'}")


def headings_of(page: pathlib.Path) -> list[str]:
    sections = json.loads(page.read_text(encoding="utf-8")).get("primaryContentSections", [])
    return [item["text"] for section in sections for item in section.get("content", []) if item["type"] == "heading"]


def main(words: list[str]) -> int:
    try:
        match words:
            case ["--check", site]:
                check(pathlib.Path(site))
            case [folder]:
                write(pathlib.Path(folder))
            case _:
                print(__doc__, file=sys.stderr)
                return 2
    except Refused as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
