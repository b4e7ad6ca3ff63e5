"""Nothing is lost: what was loaded is saved, what was done is taken back in order, and no map takes the place of an unsent one."""

import pathlib
import subprocess
import time
import unittest

from lab import BIN, Terminal, WorldviewsTest

CONTROL = 2
MAPS = pathlib.Path(__file__).parents[2] / "Fixtures/Maps"


class KeptTest(WorldviewsTest):
    """One or two worldviews over maps that these programs did not make up."""

    def names(self, page):
        return sorted(anchor["name"] for anchor in page.state()["anchors"])

    def choose(self, page, name):
        """Chooses an anchor in the list."""
        def click():
            rows = page.all("#anchors li")
            row = next((one for one in rows if one.find_element("css selector", ".name").text == name), None)
            if row:
                row.click()
            return row is not None
        page.until(click, f"the row of {name}")
        page.until(lambda: page.find("#remove").is_enabled(), "its tools")

    def save(self, page):
        """The file that the page saves."""
        saved = self.folder / "sharedworld.worldmap"
        saved.unlink(missing_ok=True)
        page.command("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(self.folder))
        page.find("#save").click()
        page.until(saved.exists, "the file")
        return saved

    def differences(self, one, other):
        """How two maps differ; nothing where they are the same to the last section."""
        words = [BIN / "worldmap", "diff", one, other]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        return done.stdout if done.returncode else ""

    def start_pair(self):
        anna = self.start(self.one, "anna")
        self.start(self.other, "bert", "--connect", f"127.0.0.1:{anna.port}")
        for page in (self.one, self.other):
            self.wait_for_peers(page, 2)

    # ---- What was loaded is saved

    def test_a_map_that_was_loaded_is_saved_whole(self):
        self.start(self.one, "anna")
        for name, points in (("full", "150"), ("survey", "12")):
            self.load(self.one, MAPS / f"{name}.worldmap", points)
            self.assertEqual(self.differences(MAPS / f"{name}.worldmap", self.save(self.one)), "")

    def test_points_of_a_file_that_are_left_out_are_said(self):
        self.start(self.one, "anna")
        cloud = self.folder / "holes.xyz"
        cloud.write_text("".join(f"{i} {i * 5 % 7} {'nan' if i % 10 == 3 else 0.5}\n" for i in range(40)))
        self.load(self.one, cloud, "36")
        self.one.until(lambda: "4 points left out" in self.one.text("#toast"), "how many are left out")

    def test_a_map_of_another_is_saved_with_its_cameras(self):
        anna = self.start(self.one, "anna", "--map", MAPS / "survey.worldmap")
        self.start(self.other, "bert", "--connect", f"127.0.0.1:{anna.port}")
        self.other.until(lambda: "12 points" in self.other.text("#map"), "the map")
        self.assertIn("sameKeyframes\":true", subprocess.run(
            [BIN / "worldmap", "diff", "--json", MAPS / "survey.worldmap", self.save(self.other)],
            capture_output=True, text=True, check=False).stdout)

    def test_an_anchor_that_was_removed_does_not_come_back_with_the_file_it_came_from(self):
        self.start(self.one, "anna", "--map", MAPS / "full.worldmap")
        page = self.one
        # One is a device, which is no anchor of a session.
        page.until(lambda: page.state()["anchorCount"] == 5, "its anchors")
        self.assertNotRegex(self.differences(MAPS / "full.worldmap", self.save(page)), "removed  anchor")
        self.load(page, self.save(page), "150")
        page.until(lambda: "not sent yet" in page.text("#map"), "the same file, loaded")
        page.script("const box = document.querySelector('#planes'); if (!box.checked) box.click()")
        self.choose(page, "anchor 3")
        page.find("#remove").click()
        page.until(lambda: page.state()["anchorCount"] == 4, "it is removed")
        self.assertIn("removed  anchor 3", self.differences(MAPS / "full.worldmap", self.save(page)))

    # ---- What was done is taken back

    def test_undo_takes_back_every_edit_in_order(self):
        self.start(self.one, "anna", "--map", self.room)
        page = self.one
        page.wait_for_map()
        for name, x in (("lamp", 300), ("shelf", 250)):
            page.find("#name").send_keys(name)
            self.place(page, x, 400, name)
        self.choose(page, "lamp")
        page.find("#rename").click()
        page.until(lambda: page.find("#anchors input"), "the field")
        page.write("sun")
        page.enter()
        page.until(lambda: "sun" in self.names(page), "the new name")
        before = self.names(page)
        for gone, new in (("sun", "lamp"), ("shelf", None), ("lamp", None)):
            page.key("z", "KeyZ", 90, modifiers=CONTROL)
            before.remove(gone)
            before.extend([new] if new else [])
            page.until(lambda: self.names(page) == sorted(before), f"{gone} is taken back")
        self.assertFalse(page.find("#undo").is_enabled())

    def test_a_removal_is_taken_back_from_the_toast_alone(self):
        self.start(self.one, "anna", "--map", self.room)
        page = self.one
        page.wait_for_map()
        self.place(page, 300, 400, "anna 1")
        self.choose(page, "anna 1")
        page.find("#remove").click()
        page.until(lambda: "anna 1 is removed" in page.text("#toast"), "it is said")
        page.shoot("removed")
        self.place(page, 250, 450, "anna 2")
        page.find("#toast-button").click()
        page.until(lambda: page.label("anna 1") and page.label("anna 2"), "the removal alone is taken back")

    # ---- No control moves under the pointer

    def middle(self, page, selector):
        page.script("document.querySelector(arguments[0]).scrollIntoView({ block: 'center' })", selector)
        box = page.box(selector)
        return (box["left"] + box["right"]) / 2, (box["top"] + box["bottom"]) / 2

    def test_a_double_click_on_measure_removes_nothing(self):
        self.start(self.one, "anna", "--map", self.room)
        page = self.one
        page.wait_for_map()
        self.place(page, 300, 400, "anna 1")
        self.choose(page, "anna 1")
        # The panel may scroll.
        boxes = lambda: [[page.box(f"#{one}")[side] - page.box("#anchor-tools")[side] for side in ("left", "top")]
                         for one in ("move", "fly", "rename", "measure-button", "remove")]
        before = boxes()
        for one in ("measure-button", "move"):
            page.double_click(*self.middle(page, f"#{one}"))
            page.find(f"#{one}").click()
            page.until(lambda: page.find(f"#{one}").get_attribute("aria-pressed") == "true", "it is on")
            self.assertEqual(boxes(), before)
        self.assertEqual(set(page.anchors()), {"anna 1"})

    def test_rows_stay_under_the_pointer_when_others_are_removed(self):
        anna = self.start(self.one, "anna", "--map", self.room)
        dora = Terminal("dora", anna)
        self.addCleanup(dora.stop)
        page = self.one
        dora.say("wait host", *(f"place lamp-{i} {i} 0 0" for i in range(6)))
        page.until(lambda: len(page.anchors()) == 6, "six anchors")
        page.until(lambda: len(page.all("#anchors li")) == 6, "six rows")
        row = page.all("#anchors li")[3]
        name = row.find_element("css selector", ".name").text
        page.script("arguments[0].scrollIntoView({ block: 'center' })", row)
        box = page.script("return arguments[0].getBoundingClientRect().toJSON()", row)
        at = (box["left"] + 40, (box["top"] + box["bottom"]) / 2)
        page.press(*at, "mouseMoved", buttons=0)
        others = [one.find_element("css selector", ".name").text for one in page.all("#anchors li")[:3]]
        dora.say(*(f"remove {one}" for one in others), "place late 0 1 0")
        page.until(lambda: "late" in page.anchors() and len(page.anchors()) == 4, "three are gone and one is new")
        page.until(lambda: "late" in page.text("#anchors"), "the list shows it")
        page.click(*at)
        page.until(lambda: page.view("now.selected"), "a click chooses")
        chosen = next(one["name"] for one in page.anchors().values() if one["id"] == page.view("now.selected"))
        self.assertEqual(chosen, name)

    def test_a_press_on_what_has_just_come_under_the_pointer_counts_for_nothing(self):
        anna = self.start(self.one, "anna", accept="ask")
        page = self.one
        guests = [Terminal(name, anna) for name in ("dora", "emil")]
        for guest in guests:
            self.addCleanup(guest.stop)
        page.until(lambda: len(page.all("#invitations li")) == 2, "two invitations")
        at = self.middle(page, "#invitations li button")
        page.double_click(*at)
        self.wait_for_peers(page, 2)
        time.sleep(1)
        self.assertEqual((page.text("#peer-count"), len(page.all("#invitations li"))), ("2", 1))

    def test_a_passcode_costs_neither_the_map_nor_the_anchors(self):
        anna = self.start_passcode_room()
        page = self.other
        self.load(page, self.room, "60,000")
        page.wait_for_map()
        self.place(page, 300, 400, "bert 1")
        self.dial(page, f"127.0.0.1:{anna.port}")
        for passcode in ("a wrong one", "correct horse"):
            page.until(lambda: page.find("#passcode").is_displayed(), "the room asks for a passcode")
            page.find("#passcode").clear()
            page.find("#passcode").send_keys(passcode + "\n")
            page.until(lambda: passcode == "correct horse" or "differ" in page.text("#room"), "it is refused")
        self.wait_for_peers(page, 2)
        self.assertIn("60,000 points", page.text("#map"))
        self.assertIn("not sent yet", page.text("#map"))
        self.one.until(lambda: "bert 1" in self.names(self.one), "the anchor has come along")
        page.find("#undo").click()
        self.one.until(lambda: "bert 1" not in self.names(self.one), "and is taken back")

    # ---- Maps that were not sent

    def test_the_map_of_another_replaces_an_unsent_one_only_when_the_user_says_so(self):
        self.start_pair()
        self.load(self.one, MAPS / "full.worldmap", "150")
        self.load(self.other, self.room, "60,000")
        self.press(self.other, "Send World Map")
        page = self.one
        page.until(lambda: "bert shares a map of 60,000 points" in page.text("#offer"), "the question")
        page.shoot("offer")
        self.assertIn("150 points", page.text("#map"))
        # Another file is no answer.
        self.load(page, MAPS / "survey.worldmap", "12")
        self.load(page, MAPS / "full.worldmap", "150")
        self.assertTrue(page.find("#offer").is_displayed())
        self.press(page, "Keep mine in view")
        page.until(lambda: not page.find("#offer").is_displayed(), "the question is answered")
        self.assertIn("150 points", page.text("#map"))
        differences = self.differences(MAPS / "full.worldmap", self.save(page))
        self.assertIn("added  east wall", differences)
        self.assertNotIn("removed  ", differences)

    def test_the_users_word_shows_the_map_of_another(self):
        self.start_pair()
        self.load(self.one, MAPS / "survey.worldmap", "12")
        self.load(self.other, self.room, "60,000")
        self.press(self.other, "Send World Map")
        self.press(self.one, "Show it")
        self.one.until(lambda: "60,000 points" in self.one.text("#map"), "it is shown")
        self.assertNotIn("not sent", self.one.text("#map"))

    def test_a_tap_on_an_unsent_map_asks_whether_to_send_it(self):
        self.start_pair()
        page = self.one
        self.load(page, self.room, "60,000")
        page.wait_for_map()
        page.click(300, 400)
        page.until(lambda: "was not sent" in page.text("#question"), "the question")
        page.shoot("unsent")
        self.press(page, "Cancel")
        self.assertEqual(page.anchors(), {})
        page.click(250, 450)
        self.press(page, "Send the map and place")
        self.other.wait_for_map()
        self.other.until(lambda: self.other.label("anna 1"), "the map and the anchor")
        self.assertIn("60,000 points", self.other.text("#map"))

    def test_a_tap_may_leave_the_map_unsent_and_asks_once(self):
        self.start_pair()
        page = self.one
        self.load(page, MAPS / "full.worldmap", "150")
        page.until(lambda: page.view("view.isComplete"), "the points")
        page.press(10, 10, "mouseMoved", buttons=0)
        where = page.view("(() => { const p = view.camera.project(view.upright.shown([3.2, 1.4, 1.7])); return [p.x, p.y]; })()")
        box = page.box("#view")
        at = [box["width"] * where[0], box["height"] * where[1]]
        page.click(*at)
        page.until(lambda: "not mapped well enough" in page.text("#question"), "why it cannot be sent")
        self.press(page, "Place without it")
        page.until(lambda: self.names(page) or not page.find("#toast").get_attribute("hidden"), "the tap is sent")
        page.click(at[0] + 15, at[1] + 15)
        time.sleep(0.5)
        self.assertFalse(page.find("#question").is_displayed())


if __name__ == "__main__":
    unittest.main()
