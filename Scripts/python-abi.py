#!/usr/bin/env python3
"""Writes the ctypes side of the Python package out of the C header, which is the description of the interface.

usage: Scripts/python-abi.py [--check]

It makes three files in Bindings/python/sharedworld: _abi.py (structures), _abi_functions.py (signatures) and
_abi_enums.py (constants). With --check it writes nothing and fails when a file is not as the header gives it.

The header is C of our own in one style, so a few patterns read it, and a declaration that fits none of them is refused
with its place. How a C type is seen in Python follows from its form alone, so a new function or structure needs nothing
here.
"""

import pathlib
import re
import sys
import textwrap
from dataclasses import dataclass, field

TOP = pathlib.Path(__file__).resolve().parent.parent
HEADER = TOP / "Sources" / "CSharedWorldHeaders" / "include" / "sharedworld.h"
PACKAGE = TOP / "Bindings" / "python" / "sharedworld"
WIDTH = 120

NUMBERS = {
    "int": "c_int", "size_t": "c_size_t", "float": "c_float", "double": "c_double",
    **{f"{sign}int{bits}_t": f"c_{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}}


@dataclass(frozen=True)
class Class:
    """How an enum of the header is called in Python, where that does not follow from the prefix of its constants."""

    name: str
    #: A sentence for programs in Python, where that of the header has words of C.
    text: str | None = None
    #: A constant that is no member.
    omitted: str | None = None
    #: The member that stands for the numbers of a later library.
    other: str | None = None


#: By the prefix of the constants.
CLASSES = {
    "SW_": Class("Code", "The kind of a failure: the statuses of the C header.", omitted="OK", other="OTHER_ERROR"),
    "SW_ALIGNMENT_": Class("AlignmentState"),
    "SW_ATTACHMENT_": Class("AttachmentState", "How far this peer has come with what is attached to the session."),
    "SW_EVENT_": Class("EventType", "The numbers of events, whose classes are in `events.py`."),
    "SW_FINDING_": Class("FindingWeight"),
    "SW_HIT_": Class("HitKind"),
    "SW_INVITATIONS_": Class("Invitations", "How invitations are answered; with ASK the event Invited asks."),
    "SW_INVITE_": Class("InvitePolicy"),
    "SW_LOG_": Class("LogLevel", "How much of what the library would print comes as LogLine."),
    "SW_MAP_": Class("MapStage"),
    "SW_MAPPING_": Class("MappingStatus", "How well a place is mapped; it is enough to share from EXTENDING on."),
    "SW_MAPPING_LACKS_": Class("MappingLacks", "The evidence that a LIMITED map lacks."),
    "SW_AUTHORITY_": Class(
        "Authority",
        "The peers that decide about a session: its host; the one that begins it; that one, with publishers of maps."),
    "SW_PEER_": Class("PeerState"),
    "SW_PLANE_": Class("PlaneAlignment"),
    "SW_PEER_ROLE_": Class("PeerRole", "The part of a peer in a creator's session; in an open one all have NONE."),
}
#: Enums of which several constants are set at once.
FLAGS = {"SW_MAPPING_LACKS_", "SW_WAY_"}


class Refused(Exception):
    """Something in the header that this script does not know."""


@dataclass
class Interface:
    """All that the header declares, in its order, with the types of Python."""

    version: int | None = None
    #: The comment before each enum, and its constants.
    enums: list[tuple[str, dict[str, int]]] = field(default_factory=list)
    #: Names of numbers, such as sw_status.
    aliases: dict[str, str] = field(default_factory=dict)
    #: The names and types of the members; none of an opaque structure.
    structures: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    #: The types of the result and of each parameter.
    functions: dict[str, list[str]] = field(default_factory=dict)


# Reading.

CONSTANT = re.compile(r"(SW_\w+) = (\d+)")
NAMED = re.compile(r"((?:const )?\w+ (?:\*(?:const )?)*)(\w+)(?:\[(\d+)\])?")
FUNCTION = re.compile(r"((?:const )?\w+ \**)(sw_\w+)\( ?(.*)\)")
STATEMENT = re.compile(r"\s*(?:/\*(?P<comment>.*?)\*/|(?P<code>#[^\n]*|[^;{}#/]*(?:\{[^}]*\}[^;{}#/]*)?;))", flags=re.S)


def parts(header: pathlib.Path, found: dict[pathlib.Path, str]) -> dict[pathlib.Path, str]:
    """The text of a file and of all that it includes, which comes first."""
    if header not in found:
        text = header.read_text(encoding="utf-8")
        for name in re.findall(r'^#include "(.*)"$', text, flags=re.M):
            parts(header.parent / name, found)
        found[header] = text
    return found


def statements(name: str, text: str) -> list[tuple[int, str, str]]:
    """Splits a part of the header: the line, the comment before it, and the code in single spaces."""
    # Comments that do not begin a line are about members. Some lines are for a preprocessor alone, or for C++.
    text = re.sub(r"(?<=[^\n])/\*.*?\*/|#ifdef __cplusplus\n.*?#endif", blank, text, flags=re.S)
    text = re.sub(r"^#(ifndef|include|endif|define SHAREDWORLD_(\w+_)?H$).*", "", text, flags=re.M)
    found: list[tuple[int, str, str]] = []
    at, comment = 0, ""
    while text[at:].strip():
        match = STATEMENT.match(text, at)
        if not match:
            raise Refused(f"{name}:{line(text, at)}: no end of this is found: {text[at:].strip()[:60]}")
        if match["code"] is None:
            comment = " ".join(re.sub(r"^\s*\*", "", match["comment"], flags=re.M).split())
        else:
            found.append((line(text, match.start("code")), comment, " ".join(match["code"].split())))
            comment = ""
        at = match.end()
    return found


def blank(gone: re.Match[str]) -> str:
    """As many lines as there were."""
    return "\n" * gone[0].count("\n")


def line(text: str, at: int) -> int:
    """The number of a line, from 1."""
    return text.count("\n", 0, at) + 1


def declare(interface: Interface, comment: str, code: str) -> None:
    """Adds one declaration."""
    if define := re.fullmatch(r"#define SW_ABI_VERSION (\d+)", code):
        interface.version = int(define[1])
    elif enum := re.fullmatch(r"enum \{ (.*) \};", code):
        interface.enums.append((comment, dict(map(constant, enum[1].removesuffix(",").split(", ")))))
    elif (alias := re.fullmatch(r"typedef (\w+) (sw_\w+);", code)) and alias[1] in NUMBERS:
        interface.aliases[alias[2]] = NUMBERS[alias[1]]
    elif opaque := re.fullmatch(r"typedef struct (sw_\w+) \1;", code):
        interface.structures[opaque[1]] = []
    elif structure := re.fullmatch(r"typedef struct (sw_\w+) \{ (.*); \} \1;", code):
        interface.structures[structure[1]] = [member(interface, text) for text in structure[2].split("; ")]
    elif function := FUNCTION.fullmatch(code.removesuffix(";")):
        parameters = [] if function[3] == "void" else [parameter(interface, text) for text in function[3].split(", ")]
        interface.functions[function[2]] = [result_type(interface, function[1].strip()), *parameters]
    else:
        raise Refused(f"not the form of a constant, a structure or a function: {code[:60]}")


def constant(text: str) -> tuple[str, int]:
    match = CONSTANT.fullmatch(text.strip())
    if not match:
        raise Refused(f"not the form NAME = NUMBER of a constant: {text}")
    return match[1], int(match[2])


def named(text: str) -> tuple[str, str, str]:
    """The C type, the name and, of an array, the length of a member or a parameter."""
    match = NAMED.fullmatch(text)
    if not match:
        raise Refused(f"not the form TYPE NAME: {text}")
    return match[1].strip(), match[2], match[3] or ""


def member(interface: Interface, text: str) -> tuple[str, str]:
    kind, name, length = named(text)
    # A number under a name of its own would be read as an object.
    single = pointer(interface, kind) or interface.aliases.get(kind) or value(interface, kind)
    return name, f"{single} * {length}" if length else single


def parameter(interface: Interface, text: str) -> str:
    kind, _, length = named(text)
    if length:
        kind += " *"
    # Bytes of Python are passed as they are.
    return "c_char_p" if kind == "const uint8_t *" else pointer(interface, kind) or value(interface, kind)


def result_type(interface: Interface, kind: str) -> str:
    return "None" if kind == "void" else pointer(interface, kind) or value(interface, kind)


def read(header: pathlib.Path) -> Interface:
    interface = Interface()
    for path, text in parts(header, {}).items():
        for number, comment, code in statements(path.name, text):
            try:
                declare(interface, comment, code)
            except Refused as error:
                raise Refused(f"{path.name}:{number}: {error}") from None
    if interface.version is None:
        raise Refused(f"{header.name}: SW_ABI_VERSION is missing")
    return interface


# Types.

def python_name(name: str) -> str:
    """SessionConfig for sw_session_config, and PeerID for sw_peer_id."""
    words = name.lower().removeprefix("sw_").strip("_").split("_")
    return "".join("ID" if word == "id" else word.capitalize() for word in words)


def value(interface: Interface, kind: str) -> str:
    """A type that is no pointer, by its name alone."""
    if kind in NUMBERS:
        return NUMBERS[kind]
    if kind in interface.aliases:
        return python_name(kind)
    if interface.structures.get(kind):
        return python_name(kind)
    raise Refused(f"a type that is not declared: {kind}")


def pointer(interface: Interface, kind: str) -> str | None:
    """A pointer as a member, a parameter and a result have it; None for what is no pointer."""
    if kind == "const char *":
        return "c_char_p"
    if kind == "const char *const *":
        return "POINTER(c_char_p)"
    # A text that the library gives away is given back by its address.
    if kind in ("char *", "char **"):
        return "c_void_p" if kind == "char *" else "POINTER(c_void_p)"
    stars = len(kind) - len(kind.rstrip("*"))
    name = kind.removeprefix("const ").rstrip("* ")
    if stars == 0:
        return None
    if name in interface.structures and not interface.structures[name]:
        inner, stars = "c_void_p", stars - 1
    else:
        inner = value(interface, name)
    return "POINTER(" * stars + inner + ")" * stars


# Writing.

def heading(text: str) -> str:
    return f'"""{text}\n\nMade by Scripts/python-abi.py out of the C header: change that, and run it again.\n"""\n'


def imports(body: str) -> str:
    """The import of what is used of ctypes."""
    names = sorted(set(re.findall(r"\b(?:c_\w+|POINTER|Structure)\b", body)))
    return wrapped("from ctypes import ", names)


def wrapped(begin: str, items: list[str]) -> str:
    """A list in one line, or in parentheses over several."""
    if len(single := begin + ", ".join(items)) <= WIDTH:
        return single + "\n"
    text = textwrap.fill(", ".join(items), WIDTH - 1, initial_indent="    ", subsequent_indent="    ")
    return f"{begin}(\n{text})\n"


def structures(interface: Interface) -> str:
    visible = {name: members for name, members in interface.structures.items() if members}
    classes = ""
    for name, members in visible.items():
        fields = "".join(f'        ("{member}", {kind}),\n' for member, kind in members)
        classes += f'\n\nclass {python_name(name)}(Structure):\n    """{name}"""\n\n    _fields_ = [\n{fields}    ]\n'
    table = "".join(f'    "{name}": {python_name(name)},\n' for name in visible)
    return (
        f"{heading('The structures of the C interface as ctypes sees them.')}\n{imports(classes)}\n"
        f"#: The version of the interface.\nABI_VERSION = {interface.version}\n{classes}\n\n"
        f"#: The structures by their names in the header.\nSTRUCTURES: dict[str, type[Structure]] = {{\n{table}}}\n")


def functions(interface: Interface) -> str:
    classes = "".join(
        f'\n\nclass {python_name(name)}({kind}):\n    """{name}"""\n' for name, kind in interface.aliases.items())
    table = ""
    for name, kinds in interface.functions.items():
        # A tuple of one needs its comma.
        row = f'"{name}": ({", ".join(kinds)}{"," if len(kinds) == 1 else ""}),'
        table += textwrap.fill(row, WIDTH, initial_indent="    ", subsequent_indent="        ") + "\n"
    used = set(re.findall(r"\w+", table))
    ours = sorted(used & {python_name(name) for name in interface.structures})
    return (
        f"{heading('The functions of the C interface as ctypes sees them.')}\n{imports(classes + table)}"
        f"from typing import Any\n\n{wrapped('from ._abi import ', ours)}{classes}\n\n"
        "#: Each function of the library: its result, and its parameters.\n"
        f"SIGNATURES: dict[str, tuple[Any, ...]] = {{\n{table}}}\n")


def common_prefix(names: list[str]) -> str:
    """The words that all constants of an enum begin with."""
    first, last = min(names), max(names)
    length = next((at for at, pair in enumerate(zip(first, last)) if pair[0] != pair[1]), len(first))
    return first[:first.rindex("_", 0, length) + 1]


def enum_class(comment: str, constants: dict[str, int]) -> str:
    prefix = common_prefix(list(constants))
    known = CLASSES.get(prefix) or Class(python_name(prefix))
    base = "IntFlag" if prefix in FLAGS else "IntEnum"
    text = known.text or re.split(r"(?<=\.) ", comment, maxsplit=1)[0]
    if not text:
        raise Refused(f"an enum without a comment: {prefix}")
    lines = "".join(
        f"    {name.removeprefix(prefix)} = {number}\n" for name, number in constants.items()
        if name.removeprefix(prefix) != known.omitted)
    other = "" if known.other is None else (
        f'\n    @classmethod\n    def _missing_(cls, value: object) -> "{known.name}":\n'
        f'        """A later library may know more."""\n        return cls.{known.other}\n')
    return f'\n\nclass {known.name}({base}):\n    """{text}"""\n\n{lines}{other}'


def enums(interface: Interface) -> str:
    unknown = set(CLASSES) | FLAGS
    unknown -= {common_prefix(list(constants)) for _, constants in interface.enums}
    if unknown:
        raise Refused(f"the header has no such constants any more: {', '.join(sorted(unknown))}")
    return (
        heading("The constants of the C interface.") + "\nfrom enum import IntEnum, IntFlag\n"
        + "".join(enum_class(comment, constants) for comment, constants in interface.enums))


def main(words: list[str]) -> int:
    if words not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        interface = read(HEADER)
        files = {
            "_abi.py": structures(interface), "_abi_functions.py": functions(interface),
            "_abi_enums.py": enums(interface)}
    except Refused as error:
        print(error, file=sys.stderr)
        return 1
    old = [name for name, text in files.items()
           if not (PACKAGE / name).exists() or (PACKAGE / name).read_text(encoding="utf-8") != text]
    if not words:
        for name in old:
            (PACKAGE / name).write_text(files[name], encoding="utf-8")
    elif old:
        print(f"not as the C header gives it: {', '.join(old)}; run Scripts/python-abi.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
