#!/usr/bin/env python3
"""Writes Documentation/languages.md: what a session can do in Swift, C and Python, side by side.

usage: Scripts/languages.py [--check]

With --check it writes nothing and fails when the page is not as the sources give it. The public API of Swift, the C
header and the Python package are read. A function has one name in all three, in the letters of each language;
languages_names.py lists the exceptions, and the reasons of what a language does not have. Something new that is in one
language alone is refused until it is in the others too, or has a reason there.
"""

import ast
import pathlib
import re
import sys
import textwrap
from dataclasses import dataclass, field

from languages_names import ELSEWHERE, EVENTS, GAPS, NAMES, PLUMBING, SETTINGS, Gap, Names

TOP = pathlib.Path(__file__).resolve().parent.parent
PAGE = TOP / "Documentation" / "languages.md"
HEADERS = TOP / "Sources" / "CSharedWorldHeaders" / "include" / "sharedworld"
#: The types of Swift and of Python by the beginnings of C names; None is the module.
CLASSES: dict[str, tuple[str, str | None]] = {
    "sw_session_": ("Session", "Session"), "sw_stream_": ("PeerStream", "Stream"), "sw_drag_": ("Drag", "Drag"),
    "sw_undo_history_": ("UndoHistory", "UndoHistory"), "sw_map_": ("WorldMap", "Map"), "sw_": ("Session", None)}
#: The handles of a session in Swift.
HANDLES = ("World", "Peers", "Messages", "Files", "Streams", "Maps", "Frames")
#: Those of which the table has every member.
WHOLE = {"Session", "PeerStream", "Drag", "UndoHistory"} | {f"Session.{handle}" for handle in HANDLES}
SETTING = r"\n    public (?:internal\(set\) )?var (\w+)"
WIDTH = 120
PYTHON = {python for _, python in CLASSES.values() if python}
MEMBER = re.compile(
    r"  public (?:(?:mutating|nonisolated(?:\(nonsending\))?|static|internal\(set\)|private\(set\)) )*"
    r"(?:(?:func|var|let) (\w+)(?:\((group): )?|(init)\b)")
OWNER = re.compile(r"(?:@\w+ )*(?:public )?(?:final )?(?:actor|struct|class|enum|extension) ([\w.]+)")

HEAD = """# Languages

For a reader who chooses a language, or moves from one to another. A feature has one name in all three languages, in
the letters of each: `world.confirmEdits` is `sw_session_confirm_edits` and `confirm_edits`. `Scripts/languages.py`
makes this page out of the public API of Swift, the C header and the Python package; `make test` fails when it is
another one.

A name with a dot is of that type, or of that handle of the session; a handle drops the word that it says, so that
`frames.begin` is `begin_frame`. Another name is of the session or of its configuration. Overloads, such as `place` for
one anchor and for several, are one name. A dash is a gap, with its reason below the tables.
"""


class Refused(Exception):
    """Something that the table cannot say."""


@dataclass(frozen=True)
class Row:
    """A feature, and its names in the languages; none where it is not there."""

    key: str
    swift: tuple[str, ...] = ()
    c: tuple[str, ...] = ()
    python: tuple[str, ...] = ()

    def cells(self) -> tuple[tuple[str, ...], ...]:
        return self.swift, self.c, self.python


@dataclass
class Sources:
    """What the three languages have."""

    #: The members of types: Session.place; of the types that the table has whole, and of all.
    swift: set[str] = field(default_factory=set)
    all_swift: set[str] = field(default_factory=set)
    #: The functions by the part of the header, in its order.
    c: dict[str, list[str]] = field(default_factory=dict)
    #: Session.place, and diagnose of the module.
    python: set[str] = field(default_factory=set)
    #: Events and settings of each.
    events: tuple[set[str], set[str], set[str]] = (set(), set(), set())
    settings: tuple[set[str], set[str], set[str]] = (set(), set(), set())


# Reading.

def snake(name: str) -> str:
    """begin_frame for beginFrame."""
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda match: "_" + match[1].lower(), name).lower()


def camel(name: str) -> str:
    """beginFrame for begin_frame."""
    return re.sub(r"_(\w)", lambda match: match[1].upper(), name)


def swift_members(text: str) -> set[str]:
    """The public members of the types of a file, which swift-format has indented."""
    found, owner = set(), ""
    for line in text.splitlines():
        if match := OWNER.match(line):
            owner = match[1]
        elif match := MEMBER.match(line):
            found.add(f"{owner}.{match[1] or match[3]}" + (f"({match[2]}:)" if match[2] else ""))
    return found


def swift_cases(text: str, kind: str) -> set[str]:
    """The cases of an enum that stands in an extension."""
    body = re.search(rf"\n  public enum {kind}\b.*?\n  }}\n", text, flags=re.S)
    if body is None:
        raise Refused(f"no enum {kind} is found")
    return set(re.findall(r"\n    (?:indirect )?case `?(\w+)", body[0]))


def swift_groups(text: str) -> set[str]:
    """The settings in groups: storage.folder."""
    groups = re.findall(r"\n  public struct (\w+): .*?\{\n(.*?)\n  \}\n", text, flags=re.S)
    return {f"{group.lower()}.{name}" for group, body in groups for name in re.findall(SETTING, "\n" + body)}


def python_members(texts: list[str]) -> set[str]:
    """The public methods and properties of classes, those of the base classes of Session too, and public functions."""
    classes: dict[str, tuple[list[str], list[str]]] = {}
    found = set()
    for text in texts:
        for node in ast.parse(text).body:
            if isinstance(node, ast.ClassDef):
                bases = [base.id for base in node.bases if isinstance(base, ast.Name)]
                methods = [item.name for item in node.body if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef)]
                methods += fields(node)
                classes[node.name] = bases, [name for name in methods if not name.startswith("_")]
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_"):
                found.add(node.name)

    def members(name: str) -> list[str]:
        bases, methods = classes.get(name, ([], []))
        return methods + [member for base in bases if base != "Handle" for member in members(base)]

    for kind in classes:
        found |= {f"{kind}.{member}" for member in members(kind)}
    return found | set(classes)


def fields(kind: ast.ClassDef) -> set[str]:
    """The fields of a dataclass."""
    targets = [item.target for item in kind.body if isinstance(item, ast.AnnAssign)]
    return {target.id for target in targets if isinstance(target, ast.Name)}


def header() -> dict[str, list[str]]:
    """The functions of each part of the header, in the order in which it includes them."""
    main = (HEADERS.parent / "sharedworld.h").read_text(encoding="utf-8")
    order = re.findall(r'#include "sharedworld/(\w+\.h)"', main)
    found = {}
    for part in order:
        code = re.sub(r"/\*.*?\*/", " ", (HEADERS / part).read_text(encoding="utf-8"), flags=re.S)
        found[part] = re.findall(r"\b(sw_\w+)\s*\([^()]*\)\s*;", code)
    return found


def read() -> Sources:
    """What the sources of this folder have."""
    library, package = TOP / "Sources" / "SharedWorld", TOP / "Bindings" / "python" / "sharedworld"
    folders = (library, TOP / "Sources" / "WorldModel", TOP / "Sources" / "Authentication")
    files = {path: path.read_text(encoding="utf-8") for folder in folders for path in sorted(folder.rglob("*.swift"))}
    all_swift = {name for text in files.values() for name in swift_members(text)}
    swift = {name for name in all_swift if name.rpartition(".")[0] in WHOLE and not name.endswith(".init")}
    # The handles themselves, and what a session has without its handle too.
    swift -= {f"Session.{handle.lower()}" for handle in HANDLES}
    swift -= {name for name in swift if name.count(".") == 2 and f"Session.{name.rpartition('.')[2]}" in swift}
    texts = {path.name: path.read_text(encoding="utf-8") for path in sorted(package.glob("*.py"))}
    written = [text for name, text in texts.items() if not name.startswith("_abi")]
    session, settings = library / "Session" / "SessionEvent.swift", library / "Session" / "SessionConfiguration.swift"
    exported = next(node.value for node in ast.parse(texts["__init__.py"]).body if isinstance(node, ast.Assign))
    names = {name for name in ast.literal_eval(exported) if not name[0].isupper()}
    python = {name for name in python_members(written) if "." in name or name[0].isupper() or name in names}
    events = {snake(name) for name in swift_cases(files[session], "Event")}
    constants = set(re.findall(r"\bSW_EVENT_(\w+) = ", (HEADERS / "events.h").read_text(encoding="utf-8")))
    classes = set(re.findall(r"@event_class\(EventType\.(\w+)\)", "\n".join(written)))
    configuration = files[settings].split("public struct Advertising")[0]
    groups = swift_groups(files[library / "Session" / "SessionSettings.swift"])
    variables = set(re.findall(SETTING, configuration)) - {group.partition(".")[0] for group in groups} | groups
    all_swift |= {f"Session.Configuration.{name}" for name in variables}
    structure = (HEADERS / "session.h").read_text(encoding="utf-8").split("typedef struct sw_session_config {")[1]
    members = re.findall(r"(\w+)(?:\[\d+\])?;", re.sub(r"/\*.*?\*/", " ", structure.split("}")[0], flags=re.S))
    members = [name for name in members if not re.search("^size|^reserved|_count$", name)]
    return Sources(
        swift, all_swift, header(), python,
        (events, {name.lower() for name in constants}, {name.lower() for name in classes}),
        ({snake(name) for name in variables}, set(members),
         {name.removeprefix("Config.") for name in python if name.startswith("Config.")} - {"c_structure"}))


# The table.

def row_of(function: str, sources: Sources) -> Row:
    """The row of a function of C, with the names that the others have by rule or by the list of exceptions."""
    prefix = next(prefix for prefix in CLASSES if function.startswith(prefix))
    name, (swift, python) = function.removeprefix(prefix), CLASSES[prefix]
    other = NAMES.get(function, Names())
    by_rule = f"{python}.{name}" if python else name
    return Row(
        function, other.swift or swift_names(swift, name, sources.swift), (function,),
        other.python or present(by_rule, sources.python))


def swift_names(kind: str, name: str, names: set[str]) -> tuple[str, ...]:
    """The Swift name by the rule: of the type, else of a handle of the session, which drops the word that it says."""
    found = present(f"{kind}.{camel(name)}", names)
    if found or kind != "Session":
        return found
    for handle in HANDLES:
        said = {handle.lower(), handle.lower().removesuffix("s")}
        shorter = "_".join(word for word in name.split("_") if word not in said)
        for candidate in (name, shorter):
            if found := present(f"Session.{handle}.{camel(candidate)}", names):
                return found
    return ()


def present(name: str, names: set[str]) -> tuple[str, ...]:
    return (name,) if name in names else ()


def table(sources: Sources) -> dict[str, list[Row]]:
    """The rows under the parts of the header; a feature that C does not have is under its type."""
    rows: dict[str, list[Row]] = {}
    for part, functions in sources.c.items():
        rows[part] = [row_of(function, sources) for function in functions if not PLUMBING.search(function)]
    named = [row for part in rows.values() for row in part]
    swift = {name for row in named for name in row.swift}
    python = {name for row in named for name in row.python}
    if wrong := sorted(swift - sources.all_swift | python - sources.python):
        raise Refused(f"nothing is called {', '.join(wrong)} any more: mend languages_names.py")
    rest = [Row(name, (name,), (), present(f"{name.split('.')[0]}.{snake(name.rpartition('.')[2])}", sources.python))
            for name in sorted(sources.swift - swift - ELSEWHERE)]
    python |= {name for row in rest for name in row.python}
    ours = {name for name in sources.python if name.rpartition(".")[0] in PYTHON or name[0].islower()}
    rest += [Row(name, (), (), (name,)) for name in sorted(ours - python - ELSEWHERE)]
    if stale := sorted(ELSEWHERE - sources.swift - sources.python):
        raise Refused(f"nothing is called {', '.join(stale)} any more: mend languages_names.py")
    rows["Beside the C header"] = rest
    return rows


def lists(sources: Sources) -> list[Row]:
    """The events and settings that not all have, under the names of C."""
    found = []
    for title, sets, renamed in (("event", sources.events, EVENTS), ("setting", sources.settings, SETTINGS)):
        if stale := sorted(set(renamed) - sets[0]):
            raise Refused(f"Swift has no {title} {', '.join(stale)} any more: mend languages_names.py")
        swift = {name for old in sets[0] for name in renamed.get(old, (old.rpartition(".")[2],))}
        all_of = (swift, *sets[1:])
        found += [
            Row(f"{title} {name}", *((name,) if name in names else () for names in all_of))
            for name in sorted(set().union(*all_of)) if not all(name in names for names in all_of)]
    return found


def reasons(rows: list[Row], gaps: dict[str, Gap]) -> list[tuple[Row, str, Gap]]:
    """Each gap with its reason; one without is refused, and so is a reason without a gap."""
    found = []
    for row in rows:
        missing = [name for name, cell in zip(("Swift", "C", "Python"), row.cells()) if not cell]
        if not missing:
            continue
        if row.key not in gaps or set(gaps[row.key].languages) != set(missing):
            raise Refused(
                f"{row.key} is not in {' and '.join(missing)}: add it there, or give a reason in languages_names.py")
        found.append((row, " and ".join(missing), gaps[row.key]))
    if stale := set(gaps) - {row.key for row, _, _ in found}:
        raise Refused(f"no gap any more: {', '.join(sorted(stale))}")
    return found


# Writing.

#: What the parts of the header are about; neighbours with one title are one table.
TITLES = {
    **dict.fromkeys(("base.h", "identity.h", "session.h"), "Session"),
    **dict.fromkeys(("trust.h", "roles.h"), "Trust and roles"),
    **dict.fromkeys(("invitations.h", "discovery.h"), "Discovery and invitations"),
    **dict.fromkeys(("messages.h", "objects.h"), "Messages"),
    "resources.h": "Files", "streams.h": "Streams",
    **dict.fromkeys(("peers.h", "anchors.h", "contents.h", "history.h", "live.h"), "World"),
    "maps.h": "Maps", "frames.h": "Frames",
    **dict.fromkeys(("snapshot.h", "statistics.h", "events.h"), "Looking at a session")}


def cell(names: tuple[str, ...]) -> str:
    def short(name: str) -> str:
        name = name.removeprefix("Session.").removeprefix("Configuration.")
        owner, dot, member = name.partition(".")
        return f"{owner.lower()}.{member}" if dot and owner in HANDLES else name

    return ", ".join(f"`{short(name)}`" for name in names) or "-"


def page(sources: Sources, gaps: dict[str, Gap]) -> str:
    """The page, whose gaps all have reasons."""
    text = HEAD
    parts = {part: rows for part, rows in table(sources).items() if rows}
    others = lists(sources)
    found = reasons([row for rows in parts.values() for row in rows] + others, gaps)
    tables: dict[str, list[Row]] = {}
    for part, rows in parts.items():
        tables.setdefault(TITLES.get(part, part), []).extend(rows)
    for title, rows in tables.items():
        text += f"\n## {title}\n\n| Swift | C | Python |\n|---|---|---|\n"
        text += "".join("| " + " | ".join(map(cell, row.cells())) + " |\n" for row in rows)
    text += "\n## Gaps\n\nEvents and settings are in all three but for those that are named here.\n\n"
    by_reason: dict[tuple[str, str], list[str]] = {}
    for row, missing, gap in found:
        kind = row.key.split()[0] + " " if " " in row.key else ""
        by_reason.setdefault((missing, gap.reason), []).append(kind + cell((row.swift or row.c or row.python)[:1]))
    for (missing, reason), names in by_reason.items():
        line = f"- {', '.join(names)} (not in {missing}): {reason}"
        text += textwrap.fill(line, WIDTH, subsequent_indent="  ", break_on_hyphens=False) + "\n"
    return text


def main(words: list[str]) -> int:
    if words not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        made = page(read(), GAPS)
    except Refused as error:
        print(error, file=sys.stderr)
        return 1
    if not words:
        PAGE.write_text(made, encoding="utf-8")
    elif not PAGE.exists() or PAGE.read_text(encoding="utf-8") != made:
        print(f"{PAGE.relative_to(TOP)} is not as the sources give it; run Scripts/languages.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
