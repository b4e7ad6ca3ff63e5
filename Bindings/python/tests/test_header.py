"""What Scripts/python-abi.py has made of the header is what a C compiler makes of it, and all of it is used."""

import ctypes
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import sharedworld
from sharedworld import _abi, _abi_enums
from sharedworld._abi_functions import SIGNATURES, Status
from sharedworld._event import EVENTS
from sharedworld._reading import READERS

from unbound import UNBOUND

INCLUDE = pathlib.Path(__file__).resolve().parents[3] / "Sources" / "CSharedWorldHeaders" / "include"
TEXT = "\n".join(path.read_text(encoding="utf-8") for path in sorted(INCLUDE.rglob("*.h")))
CODE = re.sub(r"/\*.*?\*/", " ", TEXT, flags=re.S)
#: The names of the functions that the header declares, each with the number of its parameters.
FUNCTIONS = {
    name: 0 if parameters.strip() == "void" else parameters.count(",") + 1
    for name, parameters in re.findall(r"\b(sw_\w+)\s*\(([^()]*)\)\s*;", CODE)}
COMPILER = shutil.which("cc") or shutil.which("clang")
#: The package as people write it.
WRITTEN = "\n".join(
    path.read_text(encoding="utf-8") for path in sorted(pathlib.Path(sharedworld.__file__).parent.glob("*.py"))
    if not path.name.startswith("_abi"))
#: In the order of the header.
ENUMS = [kind for kind in vars(_abi_enums).values() if getattr(kind, "__module__", "") == _abi_enums.__name__]


def is_called(name):
    """Whether the package names a function, or the kind of list of which it is a part."""
    part = re.sub(r"_(get|count|destroy)$", "", name)
    kind = re.sub(r"^sw_snapshot_", "", part)
    return bool(re.search(rf'\b{name}\b|"{part}"|_list\("{kind}"', WRITTEN))


def printed(lines):
    """The output of a C program that prints some lines, each a format and its arguments."""
    program = "#include <stdio.h>\n#include <sharedworld.h>\nint main(void) {\n" + "\n".join(
        f'printf("{form}\\n", {arguments});' for form, arguments in lines) + "}"
    with tempfile.TemporaryDirectory() as folder:
        words = [COMPILER, "-x", "c", "-", "-I", INCLUDE, "-o", f"{folder}/program"]
        subprocess.run(words, input=program, text=True, check=True)
        return subprocess.run([f"{folder}/program"], check=True, capture_output=True, text=True).stdout.splitlines()


class HeaderTest(unittest.TestCase):
    def test_every_function_has_its_signature(self):
        self.assertGreater(len(FUNCTIONS), 50)
        self.assertEqual({name: len(kinds) - 1 for name, kinds in SIGNATURES.items()}, FUNCTIONS)

    def test_every_function_is_called_or_on_the_list_of_unbound_ones(self):
        uncalled = {name for name in SIGNATURES if not is_called(name)}
        self.assertEqual(uncalled - set(UNBOUND), set(), "call these in the package, or give a reason in unbound.py")
        self.assertEqual(set(UNBOUND) - set(SIGNATURES), set(), "the header has these no more")
        self.assertEqual(set(UNBOUND) - uncalled, set(), "these are called")

    def test_a_failure_is_checked(self):
        fallible = set(re.findall(r"\bsw_status\s+(sw_\w+)\s*\(", CODE))
        self.assertEqual({name for name, (result, *_) in SIGNATURES.items() if result is Status}, fallible)

    def test_every_event_has_a_class_and_every_field_a_reader(self):
        self.assertEqual(set(EVENTS), set(_abi_enums.EventType))
        for kind in EVENTS.values():
            self.assertLessEqual(set(kind.__dataclass_fields__), set(READERS), kind.__name__)

    @unittest.skipUnless(COMPILER, "there is no C compiler to compare with")
    def test_the_constants_are_those_of_the_header(self):
        words = [COMPILER, "-E", "-P", INCLUDE / "sharedworld.h"]
        code = subprocess.run(words, check=True, capture_output=True, text=True).stdout
        names = re.findall(r"\b(SW_\w+)\s*=", code)
        self.assertGreater(len(names), 200)
        success, *values = [line.split() for line in printed([(f"{name} %d", name) for name in names])]
        self.assertEqual(success, ["SW_OK", "0"])
        members = [member for kind in ENUMS for member in kind]
        self.assertEqual(len(members), len(values))
        for member, (name, value) in zip(members, values):
            self.assertTrue(name.endswith(f"_{member.name}"), name)
            self.assertEqual(member.value, int(value), name)

    @unittest.skipUnless(COMPILER, "there is no C compiler to compare with")
    def test_the_structures_lie_in_memory_as_in_c(self):
        self.assertEqual(set(_abi.STRUCTURES), set(re.findall(r"typedef struct (\w+) \{", CODE)))
        lines, expected = [("version %d", "SW_ABI_VERSION")], [f"version {_abi.ABI_VERSION}"]
        for name, structure in _abi.STRUCTURES.items():
            lines.append((f"{name} %zu", f"sizeof({name})"))
            expected.append(f"{name} {ctypes.sizeof(structure)}")
            for member, _ in structure._fields_:
                place = f"offsetof({name}, {member}), sizeof((({name} *)0)->{member})"
                lines.append((f"{name}.{member} %zu %zu", place))
                described = getattr(structure, member)
                expected.append(f"{name}.{member} {described.offset} {described.size}")
        self.assertEqual(printed(lines), expected)


if __name__ == "__main__":
    unittest.main()
