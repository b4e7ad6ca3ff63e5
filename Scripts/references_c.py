"""Reads the C header as a reference shows it: what is declared, under the comment that explains it."""

import pathlib
import re
from collections.abc import Callable
from dataclasses import dataclass, field

TOP = pathlib.Path(__file__).resolve().parent.parent
HEADER = TOP / "Sources" / "CSharedWorldHeaders" / "include" / "sharedworld.h"
NAME = re.compile(r"\b(?:sw|SW)_\w+(?:\.\.\.|\(\))?")


class Refused(Exception):
    """Something that a reference cannot show."""


@dataclass
class Section:
    """Declarations in adjacent lines, with the comment before them."""

    line: int
    comment: str
    code: str

    @property
    def functions(self) -> list[str]:
        return re.findall(r"\b(sw_\w+)\s*\((?=[^;]*\);)", without_comments(self.code))

    @property
    def constants(self) -> list[str]:
        return re.findall(r"\b(SW_\w+) (?:= )?\d+", without_comments(self.code))

    @property
    def names(self) -> list[str]:
        """What is declared, in its order: types and functions, else the words that all constants begin with."""
        types = r"^typedef [^{;]*?(sw_\w+);|^typedef struct (sw_\w+) \{|\b(sw_\w+)\s*\([^;]*\);"
        found = [next(filter(None, names)) for names in re.findall(types, without_comments(self.code), flags=re.M)]
        return found or [common_prefix(self.constants)]


@dataclass
class Page:
    """A header, with a section for each thing that it explains."""

    header: str
    summary: str
    sections: list[Section] = field(default_factory=list)

    @property
    def file(self) -> str:
        """The name of its page: CAnchors for anchors.h."""
        return f"C{pathlib.Path(self.header).stem.capitalize()}"


def without_comments(code: str) -> str:
    return re.sub(r"/\*.*?\*/", "", code, flags=re.S)


def common_prefix(names: list[str]) -> str:
    """SW_ROLE_ of several constants; the whole name of one."""
    first, last = min(names), max(names)
    if first == last:
        return first
    length = next((at for at, pair in enumerate(zip(first, last)) if pair[0] != pair[1]), len(first))
    return first[:first.rindex("_", 0, length) + 1]


def prose(comment: str) -> str:
    """A comment without its marks: paragraphs of one line, and items of a list."""
    text = re.sub(r"^\s*\*? ?", "", comment.strip().removeprefix("/*").removesuffix("*/").strip(), flags=re.M)
    paragraphs = re.split(r"\n\s*\n|\n(?=- )", text)
    joined = [" ".join(paragraph.split()) for paragraph in paragraphs]
    return "\n\n".join(paragraph for paragraph in joined if paragraph)


def sections(name: str, text: str) -> list[Section]:
    """The declarations of a header, which a blank line or a comment of their own divides."""
    found: list[Section] = []
    comment, code, start, depth = "", "", 0, 0
    lines = text.splitlines()
    at = 0

    def finish() -> None:
        nonlocal comment, code
        if code:
            if not comment:
                raise Refused(f"{name}:{start}: not documented: {code.splitlines()[0]}")
            found.append(Section(start, prose(comment), code.rstrip("\n")))
        comment, code = "", ""

    while at < len(lines):
        line = lines[at]
        if depth == 0 and line.startswith("/*"):
            finish()
            end = next(number for number in range(at, len(lines)) if "*/" in lines[number])
            comment, at = "\n".join(lines[at:end + 1]), end
        elif depth == 0 and not line:
            finish()
        else:
            start = start if code else at + 1
            code += line + "\n"
            depth = without_comments(code).count("{") - without_comments(code).count("}")
        at += 1
    finish()
    return found


def page(name: str, text: str) -> Page:
    """The header of a subject, which its first sentence names; the lines for C++ and the guards are left out."""
    head = re.match(r"/\* SharedWorld for C: (.*?) Include sharedworld\.h", text, flags=re.S)
    if head is None:
        raise Refused(f"{name}:1: no sentence says what it is about")
    body = text[text.index("*/") + 2:]
    guards = r"^#ifdef __cplusplus\n.*?^#endif$|^#(ifndef|include|endif|define SHAREDWORLD_(\w+_)?H$)[^\n]*"
    body = re.sub(guards, lambda match: "\n" * match[0].count("\n"), body, flags=re.M | re.S)
    # As many lines as there were, so that a place is that of the file.
    body = "\n" * text[:text.index("*/")].count("\n") + body
    summary = " ".join(head[1].split())
    return Page(name, summary[0].upper() + summary[1:], sections(name, body))


def read(header: pathlib.Path = HEADER) -> tuple[str, list[Page]]:
    """The conventions, which the main header explains, and a page for each header that it includes."""
    text = header.read_text(encoding="utf-8")
    conventions = prose(text[:text.index("*/") + 2])
    names = re.findall(r'^#include "(.*)"$', text, flags=re.M)
    texts = [(header.parent / name).read_text(encoding="utf-8") for name in names]
    return conventions, [page(name.rpartition("/")[2], text) for name, text in zip(names, texts)]


def member_comments(pages: list[Page]) -> dict[str, str]:
    """What stands behind constants, and behind members as sw_session_config.room."""
    found = {}
    for section in (section for page in pages for section in page.sections):
        structure = re.search(r"^typedef struct (sw_\w+) \{", section.code, flags=re.M)
        pattern = r"(\w+)(?:\[\d+\])?; *" if structure else r"\b(SW_\w+) = \d+,? *"
        for name, comment in re.findall(pattern + r"(/\*.*?\*/)", section.code, flags=re.S):
            found[f"{structure[1]}.{name}" if structure else name] = prose(comment)
    return found


def linker(pages: list[Page]) -> Callable[[str], str]:
    """Gives a function that makes Markdown of a text: names of the header become links, others like them fail."""
    places = {}
    for page in pages:
        for section in page.sections:
            for name in (*section.names, *section.constants):
                places[name] = f"doc:{page.file}#{heading(section)}"

    def link(match: re.Match[str]) -> str:
        # SW_TRUST_... are all of an enum.
        name = match[0].removesuffix("...").removesuffix("()")
        if name not in places:
            raise Refused(f"the C header has no {match[0]}")
        return f"[`{match[0].replace('...', '…')}`]({places[name]})"

    def markdown(text: str) -> str:
        parts = re.split(r"(`[^`]*`)", text)
        for at in range(0, len(parts), 2):
            pieces = NAME.split(parts[at])
            plain = [re.sub(r"([*_<\[\]])", r"\\\1", piece) for piece in pieces]
            links = [link(match) for match in NAME.finditer(parts[at])]
            parts[at] = "".join(piece + name for piece, name in zip(plain, [*links, ""]))
        return "".join(parts)

    return markdown


def heading(section: Section) -> str:
    return section.names[0].removesuffix("_")


def articles(header: pathlib.Path = HEADER) -> dict[str, str]:
    """The pages of the reference by their file names."""
    conventions, pages = read(header)
    markdown = linker(pages)
    found = {}
    for page in pages:
        text = f"# {page.header}\n\n{markdown(page.summary)}\n\n## Overview\n\n`sharedworld.h` includes this header.\n"
        for section in page.sections:
            text += f"\n### {heading(section)}\n\n{markdown(section.comment)}\n\n```c\n{section.code}\n```\n"
        found[f"{page.file}.md"] = text
    return {"CReference.md": front(conventions, pages, markdown), **found}


def front(conventions: str, pages: list[Page], markdown: Callable[[str], str]) -> str:
    """The page that leads to the others, with the conventions and every function by its name."""
    _, _, rules = conventions.partition("\n\n")
    # Each rule begins with its subject.
    rules = re.sub(r"^- (.*?\.)", r"- **\1**", markdown(rules), flags=re.M)
    functions = sorted(name for page in pages for section in page.sections for name in section.functions)
    index = "\n".join(f"- {markdown(name)}" for name in functions)
    topics = "\n".join(f"- <doc:{page.file}>" for page in pages)
    return (
        "# C reference\n\nEvery function, structure and constant of `sharedworld.h`.\n\n## Overview\n\n"
        f"<doc:CInterface> is the guide.\n\n{rules}\n\n"
        f"### Functions by name\n\n{index}\n\n## Topics\n\n### Headers\n\n{topics}\n")
