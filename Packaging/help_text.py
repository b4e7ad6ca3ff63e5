"""Reads the `--help` of the programs: the man pages and the completions are made of it, so that none of them can drift."""

import re
import subprocess
from dataclasses import dataclass, field

#: The section of a program's help that lists first words with a help of their own.
COMMAND_SECTIONS = {"worldpeer": "TOOLS", "worldview": "TOOLS", "worldmap": "COMMANDS"}


@dataclass(frozen=True)
class Row:
    """A row of a table: a form such as `--name NAME`, and what it means."""

    form: str
    text: str

    @property
    def name(self) -> str:
        return self.form.split()[0]

    @property
    def value(self) -> str:
        """The placeholder of an option's value; empty for one without."""
        return self.form.partition(" ")[2]

    @property
    def choices(self) -> list[str]:
        """The words of which a value is one; none where it is free."""
        words = self.value.split("|")
        return words if self.value and all(re.fullmatch(r"[a-z][a-z0-9-]*", word) for word in words) else []


@dataclass
class Section:
    """A section: paragraphs, and the rows of a table."""

    title: str
    paragraphs: list[str] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)


@dataclass
class Help:
    """The help of a program, or of one of its commands."""

    name: str
    usage: str
    summary: str
    sections: list[Section]
    commands: list["Help"] = field(default_factory=list)

    def section(self, title: str) -> Section | None:
        return next((section for section in self.sections if section.title == title), None)

    @property
    def options(self) -> list[Row]:
        section = self.section("OPTIONS")
        return section.rows if section else []

    @property
    def verbs(self) -> list[str]:
        """The words of which the first operand is one, as in `list|add ID NAME|remove PEER`."""
        if "|" not in self.usage:
            return []
        parts = self.usage.partition("[OPTION]")[0].split("|")
        return [part.split()[0] for part in parts if re.fullmatch(r"[a-z]+", part.split()[0])]

    @property
    def takes_files(self) -> bool:
        """Whether operands are files: all of those in capitals are but rooms, where no word stands before them."""
        operands = self.usage.partition("[OPTION]")[0].split()
        return bool(operands) and not self.verbs and "ROOM" not in operands and all(re.fullmatch(r"[A-Z]+", word) for word in operands)


def parse(text: str) -> Help:
    """Reads the text of a help page, whose form `HelpPage.swift` makes."""
    head, *rest = text.rstrip("\n").split("\n")
    match = re.fullmatch(r"usage: (.*?) ((?:--|\[|[A-Z]|[a-z]+\|).*)", head)
    if not match:
        raise ValueError(f"not a usage: {head}")
    sections: list[Section] = []
    summary: list[str] = []
    for block in re.split(r"\n\s*\n", "\n".join(rest).strip("\n")):
        lines = block.split("\n")
        if re.fullmatch(r"[A-Z][A-Z ]+", lines[0]):
            sections.append(Section(lines.pop(0)))
        if not sections:
            summary += lines
        elif is_table(lines):
            sections[-1].rows += rows(lines)
        elif lines:
            sections[-1].paragraphs.append(" ".join(line.strip() for line in lines))
    return Help(match[1], match[2], " ".join(summary), sections)


def is_table(lines: list[str]) -> bool:
    return any(re.match(r"   ", line) or re.search(r"\S  +\S", line) for line in lines)


def rows(lines: list[str]) -> list[Row]:
    found: list[list[str]] = []
    for line in lines:
        if line.startswith("   "):
            found[-1][1] += " " + line.strip()
        else:
            form, _, text = line.strip().partition("  ")
            found.append([form, text.strip()])
    return [Row(form, text.strip()) for form, text in found]


def run(words: list[str]) -> str:
    return subprocess.run([*words, "--help"], check=True, capture_output=True, text=True).stdout


def read(program: str, name: str) -> Help:
    """Asks a program, whose file is `program`, and each of its commands."""
    page = parse(run([program]))
    table = page.section(COMMAND_SECTIONS.get(name, ""))
    for row in table.rows if table else []:
        if row.name != "help":
            page.commands.append(parse(run([program, row.name])))
    return page
