"""Scripts/python-abi.py reads what the header has, and refuses the rest with its place."""

import importlib.util
import pathlib
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[3] / "Scripts" / "python-abi.py"


def script():
    specification = importlib.util.spec_from_file_location("python_abi", SCRIPT)
    module = importlib.util.module_from_spec(specification)
    # A dataclass looks its module up.
    sys.modules[specification.name] = module
    specification.loader.exec_module(module)
    return module


abi = script()
PART = """/* About. */
#ifndef SHAREDWORLD_PART_H
#define SHAREDWORLD_PART_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#define SW_ABI_VERSION 7
typedef int32_t sw_status;
/* Colors. They are three; } is no end. */
enum {
  SW_COLOR_RED = 0, /* like { or ; */
  SW_COLOR_GREEN = 1
};
/* A thing. */
typedef struct sw_thing {
  uint32_t size;      /* bytes;
                         of all */
  const char *name;
  const uint8_t *data; float place[16];
  sw_status status;
} sw_thing;
typedef struct sw_box sw_box;
%s
sw_status sw_box_open(
    const char *name, const uint8_t *data, sw_box **box);
const sw_thing *sw_box_thing(const sw_box *box, const float place[16], char **text, sw_thing **things);

#ifdef __cplusplus
}
#endif
#endif
"""


class ScriptTest(unittest.TestCase):
    def read(self, addition=""):
        with tempfile.TemporaryDirectory() as folder:
            header = pathlib.Path(folder) / "main.h"
            header.write_text('#include "part.h"\nvoid sw_box_close(sw_box *box);\n', encoding="utf-8")
            (header.parent / "part.h").write_text(PART % addition, encoding="utf-8")
            return abi.read(header)

    def test_what_the_header_has_is_read(self):
        interface = self.read()
        self.assertEqual(interface.version, 7)
        self.assertEqual(interface.enums, [
            ("Colors. They are three; } is no end.", {"SW_COLOR_RED": 0, "SW_COLOR_GREEN": 1})])
        self.assertEqual(interface.structures, {
            "sw_thing": [
                ("size", "c_uint32"), ("name", "c_char_p"), ("data", "POINTER(c_uint8)"), ("place", "c_float * 16"),
                ("status", "c_int32")],
            "sw_box": []})
        self.assertEqual(interface.functions, {
            "sw_box_open": ["Status", "c_char_p", "c_char_p", "POINTER(c_void_p)"],
            "sw_box_thing": [
                "POINTER(Thing)", "c_void_p", "POINTER(c_float)", "POINTER(c_void_p)", "POINTER(POINTER(Thing))"],
            "sw_box_close": ["None", "c_void_p"]})
        made = abi.enum_class(*interface.enums[0])
        self.assertIn('class Color(IntEnum):\n    """Colors."""\n\n    RED = 0\n', made)

    def test_the_rest_is_refused_with_its_place(self):
        for addition, advice in {
            "union sw_either { int a; float b; };": "not the form of a constant, a structure or a function",
            "typedef struct sw_bits { int a : 3; } sw_bits;": "not the form TYPE NAME: int a : 3",
            "void sw_call(void (*back)(int));": "not the form TYPE NAME: void (*back)(int)",
            "void sw_call(long number);": "a type that is not declared: long",
            "typedef struct sw_holder { sw_box box; } sw_holder;": "a type that is not declared: sw_box",
            "enum { SW_NEGATIVE = -1 };": "not the form NAME = NUMBER of a constant: SW_NEGATIVE = -1",
            "#define SW_OTHER 3": "not the form of",
        }.items():
            with self.subTest(addition), self.assertRaises(abi.Refused) as caught:
                self.read(addition)
            self.assertTrue(str(caught.exception).startswith("part.h:26: "), caught.exception)
            self.assertIn(advice, str(caught.exception))


if __name__ == "__main__":
    unittest.main()
