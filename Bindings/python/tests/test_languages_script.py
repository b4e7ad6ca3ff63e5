"""Scripts/languages.py sees what one of the languages has not."""

import importlib.util
import pathlib
import sys
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parents[3] / "Scripts"


def script():
    sys.path.insert(0, str(SCRIPTS))
    specification = importlib.util.spec_from_file_location("languages", SCRIPTS / "languages.py")
    module = importlib.util.module_from_spec(specification)
    # A dataclass looks its module up.
    sys.modules[specification.name] = module
    specification.loader.exec_module(module)
    return module


languages = script()


class LanguagesTest(unittest.TestCase):
    def refused(self, sources, gaps=languages.GAPS):
        with self.assertRaises(languages.Refused) as caught:
            languages.page(sources, gaps)
        return str(caught.exception)

    def test_the_page_has_the_names_of_all_three(self):
        page = languages.page(languages.read(), languages.GAPS)
        self.assertIn("| `frames.begin` | `sw_session_begin_frame` | `begin_frame` |", page)
        self.assertIn("| `messages.join(group:)` | `sw_session_join_group` | `join_group` |", page)
        self.assertIn("| `world.changes` | - | - |", page)

    def test_a_function_of_one_language_alone_is_refused(self):
        advice = "add it there, or give a reason"
        sources = languages.read()
        sources.swift.add("Session.dance")
        self.assertIn(f"Session.dance is not in C and Python: {advice}", self.refused(sources))
        sources = languages.read()
        sources.c["anchors.h"].append("sw_session_dance")
        self.assertIn(f"sw_session_dance is not in Swift and Python: {advice}", self.refused(sources))
        sources = languages.read()
        sources.python.add("Session.dance")
        self.assertIn(f"Session.dance is not in Swift and C: {advice}", self.refused(sources))
        sources.swift.add("Session.dance")
        sources.all_swift.add("Session.dance")
        sources.c["anchors.h"].append("sw_session_dance")
        self.assertIn("| `dance` | `sw_session_dance` | `dance` |", languages.page(sources, languages.GAPS))

    def test_a_handle_drops_the_word_that_it_says_and_nothing_is_named_twice(self):
        names = {"Session.Streams.open", "Session.World.rename", "Session.place"}
        functions = ("open_stream", "rename", "place", "open_map")
        found = [languages.swift_names("Session", name, names) for name in functions]
        self.assertEqual(found, [("Session.Streams.open",), ("Session.World.rename",), ("Session.place",), ()])
        swift = languages.read().swift
        self.assertTrue("Session.place" in swift and "Session.World.rename" in swift)
        self.assertFalse({"Session.world", "Session.World.place", "Session.World.events"} & swift)
        sources = languages.read()
        sources.swift.add("Session.Frames.dance")
        self.assertIn("Session.Frames.dance is not in C and Python", self.refused(sources))

    def test_settings_have_the_names_of_their_groups(self):
        self.assertIn("storage.folder", languages.read().settings[0])
        self.assertNotIn("limits", languages.read().settings[0])

    def test_a_name_that_goes_is_missed(self):
        sources = languages.read()
        sources.python.remove("Session.begin_frame")
        self.assertIn("sw_session_begin_frame is not in Python", self.refused(sources))
        sources = languages.read()
        sources.all_swift.remove("HitTest.results")
        self.assertIn("nothing is called HitTest.results any more", self.refused(sources))

    def test_events_and_settings_are_compared(self):
        for kind, position in (("event", 0), ("setting", 2)):
            sources = languages.read()
            getattr(sources, f"{kind}s")[position].add("dance")
            self.assertIn(f"{kind} dance is not in ", self.refused(sources))

    def test_a_reason_without_a_gap_is_refused(self):
        gaps = {**languages.GAPS, "sw_session_place": languages.Gap(("Python",), "none.")}
        self.assertIn("no gap any more: sw_session_place", self.refused(languages.read(), gaps))


if __name__ == "__main__":
    unittest.main()
