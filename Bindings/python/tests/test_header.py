"""The table of functions, the structures and the constants are those of the header."""

import ctypes
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
from enum import IntEnum, IntFlag

from sharedworld import (
    AlignmentState, Code, Discovery, Field, Hold, Invitations, InvitePolicy, LogLevel, MappingLacks, MappingStatus,
    MapProviders, MapStage, Mode, PeerRole, PeerState, Recognition, Role, Trust, _abi)
from sharedworld._event import EVENTS
from sharedworld._reading import READERS

INCLUDE = pathlib.Path(__file__).resolve().parents[3] / "Sources" / "CSharedWorldHeaders" / "include"
TEXT = "\n".join(path.read_text(encoding="utf-8") for path in sorted(INCLUDE.rglob("*.h")))
CODE = re.sub(r"/\*.*?\*/", " ", TEXT, flags=re.S)
#: The names of the functions that the header declares, each with the number of its parameters.
FUNCTIONS = {
    name: 0 if parameters.strip() == "void" else parameters.count(",") + 1
    for name, parameters in re.findall(r"\b(sw_\w+)\s*\(([^()]*)\)\s*;", CODE)}


def constants(code):
    return {name: int(value) for name, value in re.findall(r"\b(SW_\w+)\s*=\s*(\d+)", code)}


STATUSES = constants(re.search(r"enum\s*\{\s*SW_OK = 0,(.*?)\};", CODE, flags=re.S)[1])
CONSTANTS = {name: value for name, value in constants(CODE).items() if name not in STATUSES}
ENUMS: dict[str, type[IntEnum | IntFlag]] = {
    "SW_ALIGNMENT_": AlignmentState, "SW_DISCOVERY_": Discovery, "SW_FIELD_": Field, "SW_HOLD_": Hold,
    "SW_INVITATIONS_": Invitations, "SW_INVITE_": InvitePolicy, "SW_LOG_": LogLevel, "SW_MAP_": MapStage,
    "SW_MAP_PROVIDERS_": MapProviders, "SW_MAPPING_": MappingStatus, "SW_MAPPING_LACKS_": MappingLacks,
    "SW_MODE_": Mode, "SW_PEER_": PeerState, "SW_PEER_ROLE_": PeerRole,
    "SW_RECOGNITION_": Recognition, "SW_ROLE_": Role, "SW_TRUST_": Trust}


def members(prefix):
    """The constants of the header with that prefix, and with no longer one."""
    longer = tuple(other for other in [*ENUMS, "SW_EVENT_"] if other != prefix and other.startswith(prefix))
    return {name.removeprefix(prefix): value for name, value in CONSTANTS.items()
            if name.startswith(prefix) and not (longer and name.startswith(longer))}


class HeaderTest(unittest.TestCase):
    def test_the_header_was_read(self):
        self.assertGreater(len(FUNCTIONS), 50)
        self.assertGreater(len(CONSTANTS), 60)

    def test_every_function_is_in_the_table_or_on_the_list_of_unbound_ones(self):
        self.assertEqual(set(FUNCTIONS) - set(_abi.SIGNATURES) - set(_abi.UNBOUND), set(),
                         "give these a line in SIGNATURES of _abi.py, or a reason in UNBOUND")
        self.assertEqual({*_abi.SIGNATURES, *_abi.UNBOUND} - set(FUNCTIONS), set(), "the header has these no more")
        self.assertEqual(set(_abi.SIGNATURES) & set(_abi.UNBOUND), set())

    def test_every_function_has_as_many_arguments(self):
        for name, (_, *arguments) in _abi.SIGNATURES.items():
            self.assertEqual(len(arguments), FUNCTIONS[name], name)

    def test_what_can_fail_is_checked(self):
        fallible = set(re.findall(r"\bsw_status\s+(sw_\w+)\s*\(", CODE))
        bound = {name for name, (result, *_) in _abi.SIGNATURES.items() if result is _abi.Status}
        self.assertEqual(bound, fallible & set(_abi.SIGNATURES))

    def test_the_version_is_that_of_the_header(self):
        self.assertEqual(_abi.ABI_VERSION, int(re.search(r"#define SW_ABI_VERSION (\d+)", TEXT)[1]))

    def test_the_codes_are_the_statuses(self):
        self.assertEqual({f"SW_{code.name}": code.value for code in Code}, STATUSES)

    def test_the_constants_are_those_of_the_header(self):
        for prefix, kind in ENUMS.items():
            self.assertEqual({member.name: member.value for member in kind}, members(prefix), prefix)

    def test_every_event_has_a_class_and_every_field_a_reader(self):
        self.assertEqual(set(EVENTS) | set(_abi.UNBOUND_EVENTS), set(members("SW_EVENT_").values()))
        self.assertEqual(set(EVENTS) & set(_abi.UNBOUND_EVENTS), set())
        for kind in EVENTS.values():
            self.assertLessEqual(set(kind.__dataclass_fields__), set(READERS), kind.__name__)

    def test_the_structures_lie_in_memory_as_in_c(self):
        compiler = shutil.which("cc") or shutil.which("clang")
        if not compiler:
            self.skipTest("there is no C compiler to compare with")
        lines, expected = [], {}
        for name, structure in _abi.STRUCTURES.items():
            for field, _ in structure._fields_:
                place = f"offsetof({name}, {field}), sizeof((({name} *)0)->{field})"
                lines.append(f'printf("{name}.{field} %zu %zu\\n", {place});')
                described = getattr(structure, field)
                expected[f"{name}.{field}"] = (described.offset, described.size)
            # A later header may have more at the end of a structure, but not of those that are parts of others.
            lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
        program = "#include <stdio.h>\n#include <sharedworld.h>\nint main(void) {" + "\n".join(lines) + "}"
        with tempfile.TemporaryDirectory() as folder:
            words = [compiler, "-x", "c", "-", "-I", INCLUDE, "-o", f"{folder}/layout"]
            subprocess.run(words, input=program, text=True, check=True)
            printed = subprocess.run([f"{folder}/layout"], check=True, capture_output=True, text=True).stdout
        found = {name: tuple(map(int, numbers)) for name, *numbers in (line.split() for line in printed.splitlines())}
        self.assertEqual({name: found[name] for name in expected}, expected)
        for name in ("sw_peer_id", "sw_anchor_id", "sw_map_id", "sw_digest", "sw_anchor"):
            self.assertEqual(found[name], (ctypes.sizeof(_abi.STRUCTURES[name]),), name)


if __name__ == "__main__":
    unittest.main()
