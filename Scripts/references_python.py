"""Reads the Python package as a reference shows it: its public names, under their docstrings.

The package is read and not imported, so that nothing has to be built for it.
"""

import ast
import importlib.util
import pathlib
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field

import references_c
from references_c import Refused

TOP = pathlib.Path(__file__).resolve().parent.parent
PACKAGE = TOP / "Bindings" / "python" / "sharedworld"
WIDTH = 96
#: A class with more members begins with a list of them.
MOST = 12
#: Modules of which each class is public, under their name.
NAMESPACES = ("events", "kinds")
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass
class Package:
    """The package by its modules."""

    modules: dict[str, ast.Module] = field(default_factory=dict)
    #: The lines of each module, of which the syntax tree has no comments.
    lines: dict[str, list[str]] = field(default_factory=dict)
    #: The module of each class and function, and its definition.
    definitions: dict[str, tuple[str, ast.AST]] = field(default_factory=dict)
    #: The public names that a program imports, with events.Ended of a namespace, in the order of their pages.
    public: dict[str, str] = field(default_factory=dict)


def read(folder: pathlib.Path = PACKAGE) -> Package:
    package = Package()
    for path in sorted(folder.glob("*.py")):
        text = path.read_text(encoding="utf-8")
        package.modules[path.stem], package.lines[path.stem] = ast.parse(text), text.splitlines()
        for node in package.modules[path.stem].body:
            if isinstance(node, ast.ClassDef | Function) and path.stem not in ("_abi", "_abi_functions"):
                # kinds.Object is another one than Object.
                name = f"kinds.{node.name}" if path.stem == "kinds" else node.name
                package.definitions[name] = path.stem, node
            elif isinstance(node, ast.AnnAssign | ast.Assign) and isinstance(target := assigned(node), ast.Name):
                package.definitions.setdefault(target.id, (path.stem, node))
    exported = next(node.value for node in package.modules["__init__"].body if isinstance(node, ast.Assign))
    for name in ast.literal_eval(exported):
        if name not in NAMESPACES:
            package.public[name] = package.definitions[name][0]
    for namespace in NAMESPACES:
        for name in members_of_namespace(package.modules[namespace]):
            key = f"{namespace}.{name}"
            if key not in package.definitions:
                package.definitions[key] = package.definitions[name]
            package.public[key] = namespace
    return package


def assigned(node: ast.AnnAssign | ast.Assign) -> ast.expr:
    return node.target if isinstance(node, ast.AnnAssign) else node.targets[0]


def members_of_namespace(module: ast.Module) -> Iterator[str]:
    """The public classes of a module, and those that it takes from another one to hand on: import X as X."""
    for node in module.body:
        if isinstance(node, ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.ImportFrom):
            yield from (name.name for name in node.names if name.asname == name.name)


# Signatures.

def signature(node: Function, owner: str = "") -> str:
    """How it is called, in lines that fit."""
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    is_method = bool(owner) and not is_decorated(node, "staticmethod")
    defaults = [None] * (len(positional) - len(arguments.defaults)) + arguments.defaults
    shown = [parameter(*pair) for pair in list(zip(positional, defaults))[is_method:]]
    if arguments.kwonlyargs:
        shown += ["*", *map(parameter, arguments.kwonlyargs, arguments.kw_defaults)]
    if arguments.vararg:
        shown.append(f"*{arguments.vararg.arg}")
    if arguments.kwarg:
        shown.append(f"**{arguments.kwarg.arg}")
    begin = "await " if isinstance(node, ast.AsyncFunctionDef) else ""
    begin += f"{owner}.{node.name}(" if owner else f"{node.name}("
    result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    single = f"{begin}{', '.join(shown)}){result}"
    return single if len(single) <= WIDTH else begin + "\n    " + ",\n    ".join(shown) + f"\n){result}"


def parameter(argument: ast.arg, default: ast.expr | None) -> str:
    kind = f": {ast.unparse(argument.annotation)}" if argument.annotation else ""
    if default is None:
        return argument.arg + kind
    return f"{argument.arg}{kind}{' = ' if kind else '='}{ast.unparse(default)}"


def is_decorated(node: ast.AST, name: str) -> bool:
    return any(ast.unparse(decorator).split("(")[0] == name for decorator in getattr(node, "decorator_list", []))


def is_internal(text: str) -> bool:
    """What is for the package itself has types of ctypes."""
    return "c_void_p" in text or "_abi." in text


# Markdown.

class Writer:
    """Writes the articles of a package; a name that leads nowhere and one that nobody has explained are refused."""

    def __init__(self, package: Package, header: pathlib.Path = references_c.HEADER) -> None:
        self.package = package
        pages = references_c.read(header)[1]
        self.c_link, self.c_comments = references_c.linker(pages), references_c.member_comments(pages)
        self.c_constants = constants_by_class(header)
        self.headings: dict[str, str] = {}
        for name, module in package.public.items():
            self.headings[name] = page_name(module)
            for member in self.members(package.definitions[name][1]):
                self.headings[f"{name}.{member.name}"] = page_name(module)

    def articles(self) -> dict[str, str]:
        found = {"PythonReference.md": self.front()}
        for module in sorted(set(self.package.public.values())):
            found[f"{page_name(module)}.md"] = self.page(module)
        return found

    def front(self) -> str:
        guide = (PACKAGE.parent / "README.md").read_text(encoding="utf-8")
        program = re.search(r"## First program\n\n(.*?```python\n.*?```)", guide, flags=re.S)
        if program is None:
            raise Refused("README.md of the Python package has no first program")
        modules = sorted(set(self.package.public.values()), key=page_title)
        topics = "\n".join(f"- <doc:{page_name(module)}>" for module in modules)
        names = "\n".join(f"- {self.link(name)}" for name in sorted(self.package.public, key=str.lower))
        return (
            f"# Python reference\n\nEvery public name of the package `sharedworld`.\n\n## Overview\n\n{program[1]}\n\n"
            "`Bindings/python` in the repository has the guide, and how the package is installed. A method that is "
            f"shown with `await` waits for others; everything else returns at once.\n\n### Names\n\n{names}\n\n"
            f"## Topics\n\n### Subjects\n\n{topics}\n")

    def page(self, module: str) -> str:
        # What follows the first sentence is for those that change the module.
        summary = docstring(self.package.modules[module], module).partition("\n\n")[0]
        names = [name for name, home in self.package.public.items() if home == module]
        imported = f"sharedworld.{module}" if module in NAMESPACES else "sharedworld"
        text = f"# Python: {page_title(module)}\n\n{self.prose(summary)}\n\n"
        text += f"## Overview\n\nImport from `{imported}`.\n"
        return text + "".join(self.definition(name) for name in names)

    def definition(self, name: str) -> str:
        module, node = self.package.definitions[name]
        if isinstance(node, Function):
            return f"\n## {name}\n\n```python\n{signature(node)}\n```\n\n{self.prose(docstring(node, name))}\n"
        if not isinstance(node, ast.ClassDef):
            about = comment_before(self.package.lines[module], node.lineno, name)
            return f"\n## {name}\n\n```python\n{ast.unparse(node)}\n```\n\n{self.prose(about)}\n"
        text = f"\n## {name}\n\n{self.prose(docstring(node, name))}\n"
        text += self.construction(node) + self.fields(name, module, node)
        members = self.members(node)
        if len(members) > MOST:
            text += f"\n{', '.join(self.link(f'{name}.{member.name}', member.name) for member in members)}.\n"
        return text + "".join(self.member(name, member) for member in members)

    def construction(self, node: ast.ClassDef) -> str:
        """How an object is made, where a program may."""
        made = [item for kind in self.ancestry(node) for item in kind.body
                if isinstance(item, Function) and item.name == "__init__"]
        if not made or is_internal(ast.unparse(made[0].args)) or is_decorated(node, "dataclass"):
            return ""
        call = signature(made[0], "x").replace("x.__init__", node.name, 1).removesuffix(" -> None")
        # What the package makes by itself is no call for programs.
        return "" if "session: Core" in call else f"\n```python\n{call}\n```\n"

    def fields(self, name: str, module: str, node: ast.ClassDef) -> str:
        """The constants of an enum, or the fields of a dataclass or an event, with their comments."""
        rows = []
        for kind in reversed(self.ancestry(node)):
            home = self.package.definitions[kind.name][0] if kind is not node else module
            for item in kind.body:
                if isinstance(item, ast.AnnAssign) or isinstance(item, ast.Assign) and home == "_abi_enums":
                    rows.append(self.row(name, home, item))
        return "\n" + "\n".join(rows) + "\n" if rows else ""

    def row(self, owner: str, module: str, item: ast.AnnAssign | ast.Assign) -> str:
        name, shown = ast.unparse(assigned(item)), ast.unparse(item)
        about = comment_before(self.package.lines[module], item.lineno)
        if owner == "Config":
            about = self.c_link(self.c_comments[f"sw_session_config.{name}"].replace("NULL", "None"))
        elif module == "_abi_enums":
            about = self.c_link(self.c_comments.get(self.c_constants[owner].get(name, ""), ""))
        else:
            about = self.prose(about)
        return f"- `{shown}`" + (f": {about}" if about else "")

    def member(self, owner: str, node: Function) -> str:
        name = f"{owner}.{node.name}"
        about = self.prose(docstring(node, name))
        if is_property(node):
            call = f"{node.name}: {ast.unparse(node.returns)}" if node.returns else node.name
        else:
            call = signature(node, owner if is_decorated(node, "classmethod") else owner.rpartition(".")[2].lower())
        return f"\n### {name}\n\n```python\n{call}\n```\n\n{about}\n"

    def ancestry(self, node: ast.ClassDef) -> list[ast.ClassDef]:
        """A class and those of the package that it is made of."""
        found = [node]
        for base in node.bases:
            _, definition = self.package.definitions.get(ast.unparse(base), ("", None))
            if isinstance(definition, ast.ClassDef):
                found += [kind for kind in self.ancestry(definition) if kind not in found]
        return found

    def members(self, node: ast.AST) -> list[Function]:
        """The public methods and properties of a class, its own first."""
        found: dict[str, Function] = {}
        for kind in self.ancestry(node) if isinstance(node, ast.ClassDef) else []:
            for item in kind.body:
                if isinstance(item, Function) and not item.name.startswith("_") and not is_internal(
                        f"{ast.unparse(item.args)} {ast.unparse(item.returns) if item.returns else ''}"):
                    found.setdefault(item.name, item)
        return list(found.values())

    def link(self, name: str, text: str | None = None) -> str:
        return f"[`{text or name}`](doc:{self.headings[name]}#{name})"

    def prose(self, text: str) -> str:
        """A docstring as Markdown, in which public names are links; one with a dot that does not exist is refused."""
        paragraphs = [" ".join(paragraph.split()) for paragraph in text.split("\n\n")]
        parts = re.split(r"(`[^`]*`)", "\n\n".join(paragraphs))
        for at, part in enumerate(parts):
            if at % 2 == 0:
                parts[at] = self.c_link(part)
                continue
            name = part.strip("`")
            if name in self.headings:
                parts[at] = self.link(name)
            elif re.fullmatch(r"[A-Z]\w*\.\w+", name):
                raise Refused(f"the Python package has no {name}")
        return "".join(parts)


def is_property(node: Function) -> bool:
    return is_decorated(node, "property") or is_decorated(node, "cached_property")


def docstring(node: ast.AST, name: str) -> str:
    text = ast.get_docstring(node)
    if not text:
        raise Refused(f"{name} of the Python package is not documented")
    return text


def comment_before(lines: list[str], number: int, name: str = "") -> str:
    """The comment above a field, which begins with #: in each line; a name must have one."""
    found: list[str] = []
    for line in reversed(lines[:number - 1]):
        if not line.strip().startswith("#: "):
            break
        found.insert(0, line.strip().removeprefix("#: "))
    if name and not found:
        raise Refused(f"{name} of the Python package is not documented")
    return " ".join(found)


def page_name(module: str) -> str:
    """PythonAnchors for anchors.py."""
    return "Python" + page_title(module).capitalize().replace(" ", "")


def page_title(module: str) -> str:
    return "constants" if module == "_abi_enums" else module.strip("_").replace("_", " ")


def constants_by_class(header: pathlib.Path) -> dict[str, dict[str, str]]:
    """The names in C of the members of each enum."""
    script = pathlib.Path(__file__).with_name("python-abi.py")
    specification = importlib.util.spec_from_file_location("python_abi", script)
    assert specification is not None and specification.loader is not None
    abi = importlib.util.module_from_spec(specification)
    # A dataclass looks its module up.
    sys.modules[specification.name] = abi
    specification.loader.exec_module(abi)
    found = {}
    for _, constants in abi.read(header).enums:
        prefix = abi.common_prefix(list(constants))
        kind = abi.CLASSES[prefix].name if prefix in abi.CLASSES else abi.python_name(prefix)
        found[kind] = {name.removeprefix(prefix): name for name in constants}
    return found
