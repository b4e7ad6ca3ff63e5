"""What users say and show to each other, and the files of what is in view."""

import json
import math
import struct
import time
import unittest

import clouds
from lab import Terminal, WorldviewsTest


class TalkTest(WorldviewsTest):
    """One or two worldviews, each with a page."""

    def test_a_line_is_read_by_all_and_nothing_in_it_is_markup(self):
        self.start_both()
        self.one.find("#say-text").send_keys("under the <b>lamp</b>\n")
        for page in (self.one, self.other):
            page.until(lambda: "under the <b>lamp</b>" in page.text("#chat"), "the line")
            self.assertIn("anna", page.text("#chat"))
        self.other.until(lambda: "under the" in self.other.text("#toast"), "the other is told")
        self.one.until(lambda: self.one.script("return document.querySelector('#say-text').value") == "", "room for more")
        self.other.find("#say-text").send_keys("I see it\n")
        self.one.until(lambda: "bert" in self.one.text("#chat li:last-child"), "an answer")
        self.one.shoot("chat")

    def test_all_are_brought_to_a_view_if_they_want(self):
        self.start_both()
        self.one.drag((300, 300), (380, 340))
        camera = "[...view.camera.eye, ...view.camera.target]"
        view = self.one.view(camera)
        before = self.other.view(camera)
        self.one.find("#bring").click()
        self.other.until(lambda: "wants you to look" in self.other.text("#toast"), "the other is asked")
        self.assertEqual(self.other.view(camera), before)
        self.press(self.other, "Look", "#toast")
        self.other.until(lambda: math.dist(self.other.view(camera), view) < 0.01, "it looks there")

    def test_the_view_of_a_device_is_followed_until_the_picture_is_moved(self):
        self.anna = self.start(self.one, "anna", "--map", self.room)
        page = self.one
        page.wait_for_map()
        dora = Terminal("dora", self.anna)
        self.addCleanup(dora.stop)
        dora.say("wait host", "pose 1 1.5 2")
        page.until(lambda: page.state()["devices"], "her device")
        self.press(page, "dora", "#peers")
        page.find("#follow").click()
        eye = lambda: page.view("view.camera.eye")
        page.until(lambda: math.dist(eye(), (1, 1.5, 2)) < 0.01, "what she sees")
        dora.say("pose 1.5 1.5 1")
        page.until(lambda: math.dist(eye(), (1.5, 1.5, 1)) < 0.01, "and as she goes")
        page.drag((300, 300), (340, 300))
        page.until(lambda: page.view("now.followed") is None, "the user looks about")

    def test_where_a_pointer_is_others_see_until_it_leaves(self):
        self.start_both()
        one, other = self.one, self.other
        names = "return [...document.querySelectorAll('#labels .pointer')].map((label) => label.textContent)"
        shown = "now.state.pointers[0]?.transform.slice(12, 15) ?? null"
        for x, y in ((330, 420), (300, 400)):
            one.press(x, y, "mouseMoved", buttons=0)
            one.until(lambda: one.view("now.ghost"), "the place under the pointer")
            other.until(lambda: other.view(shown) and math.dist(other.view(shown), one.view("now.ghost")) < 1e-3, "its mark")
        other.until(lambda: other.script(names) == ["anna"], "its name")
        other.shoot("pointer")
        # A pointer that stands still says nothing.
        one.script("window.asked = []; const ask = window.fetch;"
                   "window.fetch = (path, ...rest) => { window.asked.push(path); return ask(path, ...rest); };")
        time.sleep(1)
        self.assertNotIn("/point", one.script("return window.asked"))
        self.assertEqual(one.script(names), [])
        one.press(900, 300, "mouseMoved", buttons=0)
        other.until(lambda: other.script(names) == [], "it has left")

    # ---- Files

    def download(self, button, name):
        path = self.folder / name
        path.unlink(missing_ok=True)
        self.one.command("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(self.folder))
        self.one.until(lambda: self.one.find(button).is_enabled(), button)
        self.one.find(button).click()
        self.one.until(path.exists, name)
        return path.read_bytes()

    def test_ply_glb_and_the_picture_are_saved(self):
        self.start(self.one, "anna")
        path = self.folder / "survey.ply"
        clouds.write(path, clouds.utm(clouds.room(20_000, 5)))
        self.load(self.one, path, "20,000")
        self.one.wait_for_map()
        self.place(self.one, 330, 420, "anna 1")
        ply = self.download("#save-ply", "sharedworld.ply")
        self.assertIn(b"element vertex 20000\n", ply)
        self.assertIn(b"comment origin 692000.0 5335000.0 0.0\n", ply)
        glb = self.download("#save-glb", "sharedworld.glb")
        self.assertEqual(struct.unpack("<4sII", glb[:12]), (b"glTF", 2, len(glb)))
        length, = struct.unpack("<I", glb[12:16])
        scene = json.loads(glb[20:20 + length])
        self.assertEqual([node["name"] for node in scene["nodes"]], ["points", "anna 1"])
        self.assertEqual(scene["accessors"][0]["count"], 20_000)
        picture = self.download("#shoot", "sharedworld.png")
        self.assertEqual(picture[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(struct.unpack(">II", picture[16:24]), (680, 700))


if __name__ == "__main__":
    unittest.main()
