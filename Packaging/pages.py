#!/usr/bin/env python3
"""Makes the man page and the completions for bash and zsh of each program.

usage: pages.py FOLDER-OF-PROGRAMS TARGET VERSION

They go to share/man/man1, share/bash-completion/completions and share/zsh/vendor-completions below TARGET. The date in a
man page is SOURCE_DATE_EPOCH.
"""

import gzip
import os
import pathlib
import sys
import time

import help_text
from help_text import Help, Row, Section

PROGRAMS = ("worldpeer", "worldview", "worldmap")


# Man pages


def roff(text: str) -> str:
    """Text as roff reads it: a hyphen is a minus that can be copied, and no line is a request."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text.startswith((".", "'")) else text


def roff_section(section: Section, macro: str) -> list[str]:
    lines = [f".{macro} {roff(section.title)}"]
    for paragraph in section.paragraphs:
        lines += [".PP", roff(paragraph)]
    for row in section.rows:
        lines += [".TP", f"\\fB{roff(row.form)}\\fR", roff(row.text)]
    return lines


def man_page(page: Help, version: str, date: str) -> str:
    first = page.summary.partition(". ")[0].rstrip(".")
    lines = [
        f'.TH {page.name.upper()} 1 "{date}" "SharedWorld {version}" "User Commands"', ".SH NAME",
        f"{page.name} \\- {roff(first[0].lower() + first[1:])}", ".SH SYNOPSIS", f"\\fB{page.name}\\fR {roff(page.usage)}",
    ]
    lines += [f".br\n\\fB{roff(command.name)}\\fR {roff(command.usage)}" for command in page.commands]
    lines += [".SH DESCRIPTION", roff(page.summary)]
    for section in page.sections:
        lines += roff_section(section, "SH")
    for command in page.commands:
        lines += [f".SH {roff(command.name.upper())}", roff(command.summary)]
        for section in command.sections:
            lines += roff_section(section, "SS")
    others = ", ".join(f"\\fB{name}\\fR(1)" for name in PROGRAMS if name != page.name)
    return "\n".join([*lines, ".SH SEE ALSO", others]) + "\n"


# bash


def bash_values(option: Row) -> str:
    """What completes the value of an option."""
    if option.choices:
        return f'_sharedworld_words "{" ".join(option.choices)}"'
    return {"FILE": "_sharedworld_files -f", "DIR": "_sharedworld_files -d"}.get(option.value, ":")


def bash_level(page: Help, words: list[str], indent: str) -> list[str]:
    """The lines for one help: values of options, options, and operands."""
    lines = [f'{indent}case "$previous" in']
    lines += [f"{indent}  {option.name}) {bash_values(option)}; return ;;" for option in page.options if option.value]
    lines += [f"{indent}esac"]
    options = " ".join(option.name for option in page.options)
    operands = f'_sharedworld_words "{" ".join(words)}"' if words else f'_sharedworld_words "{options}"'
    if page.takes_files and not words:
        operands = "_sharedworld_files -f"
    lines += [
        f'{indent}if [[ $current == -* ]]; then', f'{indent}  _sharedworld_words "{options}"',
        f"{indent}else", f"{indent}  {operands}", f"{indent}fi",
    ]
    return lines


def bash_completion(page: Help) -> str:
    name = page.name
    lines = [
        f"# Completion of {name} for bash, made of its --help.",
        '_sharedworld_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current"); }',
        "_sharedworld_files() {",
        "  compopt -o filenames 2>/dev/null || true",
        '  mapfile -t COMPREPLY < <(compgen "$1" -- "$current")', "}",
        f"_{name}() {{",
        "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}",
        "  COMPREPLY=()",
    ]
    first = [command.name.split()[-1] for command in page.commands]
    if first:
        lines += ['  case "$((COMP_CWORD > 1)) ${COMP_WORDS[1]}" in']
        for command in page.commands:
            lines += [f'    "1 {command.name.split()[-1]}")']
            lines += bash_level(command, command.verbs, "      ")
            lines += ["      return", "      ;;"]
        lines += ["  esac"]
    # The tools of worldpeer stand beside its options, the commands of worldmap before everything.
    words = first + (["help"] if page.usage.startswith("COMMAND") else [])
    if words and not page.usage.startswith("COMMAND"):
        lines += ["  if ((COMP_CWORD > 1)); then"] + bash_level(page, [], "    ") + ["    return", "  fi"]
    lines += bash_level(page, words, "  ") + ["}", f"complete -F _{name} {name}"]
    return "\n".join(lines) + "\n"


# zsh


def zsh_quoted(text: str) -> str:
    for letter in "\\[]:":
        text = text.replace(letter, "\\" + letter)
    return text.replace("'", "'\\''")


def zsh_specs(page: Help, operands: str) -> list[str]:
    specs = []
    for option in page.options:
        repeats = "*" if "can be repeated" in option.text else ""
        spec = f"{repeats}{option.name}[{zsh_quoted(option.text)}]"
        if option.choices:
            spec += f":value:({' '.join(option.choices)})"
        elif option.value:
            action = {"FILE": "_files", "DIR": "_files -/"}.get(option.value, "")
            spec += f":{zsh_quoted(option.value)}:{action}"
        specs.append(f"'{spec}'")
    if page.verbs:
        specs.append(f"'1:command:({' '.join(page.verbs)})'")
    return specs + [operands] * bool(operands)


def zsh_arguments(page: Help, operands: str, indent: str) -> list[str]:
    return [f"{indent}_arguments \\"] + [f"{indent}  {spec} \\" for spec in zsh_specs(page, operands)] + [f"{indent}  && return"]


def zsh_completion(page: Help) -> str:
    lines = [f"#compdef {page.name}", f"# Completion of {page.name} for zsh, made of its --help."]
    first = [command.name.split()[-1] for command in page.commands]
    if first:
        lines += ["if ((CURRENT > 2)); then", "  case ${words[2]} in"]
        for command in page.commands:
            lines += [f"    {command.name.split()[-1]})", "      shift words", "      ((CURRENT--))"]
            lines += zsh_arguments(command, "'*:file:_files'" if command.takes_files else "", "      ")
            lines += ["      return", "      ;;"]
        lines += ["  esac", "fi"]
    return "\n".join(lines + zsh_arguments(page, f"'1:command:({' '.join(first)})'" if first else "", "")) + "\n"


def main(programs: str, target: str, version: str) -> None:
    date = time.strftime("%Y-%m-%d", time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))))
    for name in PROGRAMS:
        page = help_text.read(f"{programs}/{name}", name)
        man = gzip.compress(man_page(page, version, date).encode(), 9, mtime=0)
        for path, content in (
            (f"man/man1/{name}.1.gz", man),
            (f"bash-completion/completions/{name}", bash_completion(page).encode()),
            (f"zsh/vendor-completions/_{name}", zsh_completion(page).encode()),
        ):
            file = pathlib.Path(target, "share", path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)


if __name__ == "__main__":
    main(*sys.argv[1:])
