"""Scripts/references.py shows all that is public, and refuses what nobody has explained."""

import json
import pathlib
import re
import sys
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parents[3] / "Scripts"
sys.path.insert(0, str(SCRIPTS))

import references  # noqa: E402
import references_c  # noqa: E402
import references_python  # noqa: E402

PART = """/* SharedWorld for C: boxes. Include sharedworld.h, which explains the conventions. */
#ifndef SHAREDWORLD_BOX_H
#define SHAREDWORLD_BOX_H
#include "base.h"
#ifdef __cplusplus
extern "C" {
#endif

/* Colors, for sw_box_open(). */
enum {
  SW_COLOR_RED = 0,  /* like { or ; */
  SW_COLOR_GREEN = 1
};

/*
 * Opens a box *now*: SW_COLOR_...
 *
 * Later it closes.
 */
sw_box *sw_box_open(
    uint32_t color);
void sw_box_close(sw_box *box);
typedef struct sw_box sw_box;
%s
#ifdef __cplusplus
}
#endif
#endif
"""


class CTest(unittest.TestCase):
    def page(self, addition=""):
        return references_c.page("box.h", PART % addition)

    def test_declarations_stand_under_their_comment(self):
        page = self.page()
        self.assertEqual((page.file, page.summary), ("CBox", "Boxes."))
        colors, box = page.sections
        self.assertEqual((colors.names, colors.constants), (["SW_COLOR_"], ["SW_COLOR_RED", "SW_COLOR_GREEN"]))
        self.assertEqual(box.comment, "Opens a box *now*: SW_COLOR_...\n\nLater it closes.")
        self.assertEqual(box.functions, ["sw_box_open", "sw_box_close"])
        self.assertEqual(box.names, ["sw_box_open", "sw_box_close", "sw_box"])
        self.assertEqual(references_c.member_comments([page]), {"SW_COLOR_RED": "like { or ;"})

    def test_names_are_links_and_one_that_is_not_declared_is_refused(self):
        link = references_c.linker([self.page()])
        self.assertEqual(link("*a* sw_box_close()"), r"\*a\* [`sw_box_close()`](doc:CBox#sw_box_open)")
        self.assertEqual(link("`sw_x` SW_COLOR_..."), "`sw_x` [`SW_COLOR_…`](doc:CBox#SW_COLOR)")
        for name in ("sw_box_lose", "SW_COLLAR_...", "SW_COLOR_BLUE"):
            with self.subTest(name), self.assertRaisesRegex(references_c.Refused, f"has no {name}"):
                link(f"See {name}.")

    def test_a_function_without_a_comment_is_refused_with_its_place(self):
        first = PART.count("\n", 0, PART.index("%s")) + 1
        for addition, line in (("\nvoid sw_shake(void);\n", first + 1), ("\n/* A. */\n\nvoid sw_shake(void);\n", first + 3)):
            with self.subTest(addition), self.assertRaises(references_c.Refused) as caught:
                self.page(addition)
            self.assertEqual(str(caught.exception), f"box.h:{line}: not documented: void sw_shake(void);")


class PythonTest(unittest.TestCase):
    def writer(self, module="", change=lambda text: text):
        with tempfile.TemporaryDirectory() as folder:
            for path in references_python.PACKAGE.glob("*.py"):
                text = path.read_text(encoding="utf-8")
                (pathlib.Path(folder) / path.name).write_text(change(text) if path.stem == module else text)
            return references_python.Writer(references_python.read(pathlib.Path(folder)))

    def refused(self, module, old, new):
        with self.assertRaises(references_c.Refused) as caught:
            self.writer(module, lambda text: text.replace(old, new)).articles()
        return str(caught.exception)

    def test_what_is_inherited_what_waits_and_what_c_explains_is_shown(self):
        pages = self.writer().articles()
        session = pages["PythonSession.md"]
        self.assertIn("### Session.place\n\n```python\nsession.place(\n    name: str,", session)
        self.assertIn("await session.confirm_edits(", session)
        self.assertIn("### Session.next_event\n", session)
        # What is for the package alone has types of ctypes.
        self.assertNotIn("c_void_p", "".join(pages.values()))
        self.assertIn("- `NO_MAP = 21`: the session has no complete map yet\n", pages["PythonConstants.md"])
        self.assertIn("- `room: str | None = None`: name of a room, as [`sw_join`]", pages["PythonConfig.md"])
        self.assertIn("## events.ResourceFailed\n", pages["PythonEvents.md"])
        self.assertIn("## kinds.Object\n\nA known scanned object", pages["PythonKinds.md"])

    def test_what_nobody_has_explained_is_refused(self):
        gone = self.refused("world", '"""Gives an anchor another name."""', "")
        self.assertEqual(gone, "Session.rename of the Python package is not documented")
        self.assertIn("events.Ended of", self.refused("events", '"""The session is over; nothing follows."""', "pass"))
        self.assertIn("generate_passcode of", self.refused("trust", '"""A new passcode of 40 random bits', 'pass  # """'))

    def test_a_name_that_does_not_exist_is_refused(self):
        gone = self.refused("events", "`Session.answer` answers", "`Session.reply` answers")
        self.assertEqual(gone, "the Python package has no Session.reply")


class SiteTest(unittest.TestCase):
    """A folder in the place of what docc makes: a page with the names, of which one can be left out."""

    def check(self, omitted):
        functions = re.findall(r"^function (\w+)", references.INTERFACE.read_text(encoding="utf-8"), flags=re.M)
        code = "\n".join(f"void {name}(void);" for name in functions if name != omitted)
        names = [name for name in references_python.read().public if name != omitted]
        content = [{"type": "heading", "text": name} for name in names]
        with tempfile.TemporaryDirectory() as site:
            pages = pathlib.Path(site) / "data" / "documentation" / "sharedworld"
            pages.mkdir(parents=True)
            (pages / "canchors.json").write_text(json.dumps({"code": code}))
            (pages / "pythonvalues.json").write_text(json.dumps({"primaryContentSections": [{"content": content}]}))
            references.check(pathlib.Path(site))

    def test_each_function_and_each_public_name_must_stand_there(self):
        self.check(None)
        for name in ("sw_session_place", "Session", "events.Ended", "kinds.Plane"):
            with self.subTest(name), self.assertRaisesRegex(references_c.Refused, f"lacks {name}$"):
                self.check(name)


if __name__ == "__main__":
    unittest.main()
