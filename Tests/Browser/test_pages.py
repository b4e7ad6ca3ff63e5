"""Two worldviews and their pages: what one user does, the other sees."""

import json
import math
import subprocess
import time
import unittest

from lab import BIN, Program, Terminal, TwoPagesTest

CONTROL, SHIFT = 2, 8


def projection(bounds, width, height, place):
    """Where the first view of a map shows a place (CSS pixels), from the definition of PinholeCamera and its framing.

    The camera looks at the middle of the bounds, from the front, right and above, as near as shows all of them with a
    margin of 5 % on each side; its focal length is one picture height.
    """
    low, high = bounds
    yaw, pitch = 0.55, 0.6
    middle = [(a + b) / 2 for a, b in zip(low, high)]
    back = [math.cos(pitch) * math.sin(yaw), math.sin(pitch), math.cos(pitch) * math.cos(yaw)]
    right = [math.cos(yaw), 0, -math.sin(yaw)]
    up = [-math.sin(pitch) * math.sin(yaw), math.cos(pitch), -math.sin(pitch) * math.cos(yaw)]

    def local(point):
        offset = [a - b for a, b in zip(point, middle)]
        return [sum(a * b for a, b in zip(offset, axis)) for axis in (right, up, back)]

    distance = 0.5
    for corner in range(8):
        x, y, z = local([high[axis] if corner >> axis & 1 else low[axis] for axis in range(3)])
        distance = max(distance, max(abs(y), abs(x) * height / width) / 0.45 + z)
    x, y, z = local(place)
    return [width / 2 + height * x / (distance - z), height / 2 - height * y / (distance - z)]


class PagesTest(TwoPagesTest):
    """Anna shares a room and bert has joined; each has a page."""

    def start(self, *options, sizes=((1000, 700), (1000, 700)), mobile=False, scheme="dark"):
        """Two peers, the first with these options; the second page may be a phone."""
        self.anna = Program("anna", *options)
        self.addCleanup(self.anna.stop)
        self.bert = Program("bert", "--connect", f"127.0.0.1:{self.anna.port}")
        self.addCleanup(self.bert.stop)
        self.one.size(*sizes[0], scheme=scheme)
        self.other.size(*sizes[1], mobile=mobile, scheme=scheme)
        for page, program in ((self.one, self.anna), (self.other, self.bert)):
            page.open(program)
            page.until(lambda: page.text("#peer-count") == "2", "both peers are there")
            if "--map" in options:
                page.wait_for_map()
        name = self.id().split(".")[-1]
        self.addCleanup(self.one.shoot, name + "-one")
        self.addCleanup(self.other.shoot, name + "-other")

    def start_with_room(self, **options):
        self.start("--map", self.room, **options)

    def place(self, x, y, name):
        """Places an anchor by a click in the first page and waits for its label in both."""
        self.one.click(x, y)
        for page in (self.one, self.other):
            page.until(lambda: page.label(name), f"{name} in both pages")

    def expect_near(self, page, name, expected):
        """Waits until a label stands within a pixel of a point: a picture follows what it shows."""
        def is_near():
            point = page.label(name)
            return point and max(abs(a - b) for a, b in zip(point, expected)) <= 1
        page.until(is_near, f"{name} at {expected}")

    def press(self, page, selector):
        """Clicks on an element of the panel."""
        page.until(lambda: page.find(selector).is_enabled(), f"{selector} can be pressed")
        page.find(selector).click()

    def test_a_tap_in_one_page_appears_at_its_projection_in_the_other(self):
        self.start_with_room(sizes=((1000, 700), (1920, 1080)))
        box = self.other.box("#view")
        for number, (x, y) in enumerate([(300, 400), (250, 500), (360, 330)], 1):
            name = f"anna {number}"
            self.place(x, y, name)
            state = self.other.state()
            where = self.other.anchors()[name]["transform"][12:15]
            bounds = (state["map"]["minimum"], state["map"]["maximum"])
            self.expect_near(self.one, name, (x, y))
            self.expect_near(self.one, name, projection(bounds, 680, 700, where))
            self.expect_near(self.other, name, projection(bounds, box["width"], box["height"], where))

    def test_two_fingers_zoom_and_move_and_one_taps_and_turns(self):
        self.start_with_room(sizes=((1000, 700), (360, 740)), mobile=True)
        self.place(300, 400, "anna 1")
        self.place(250, 500, "anna 2")
        phone = self.other

        def span():
            return math.dist(phone.spot("anna 1"), phone.spot("anna 2"))

        before = span()
        phone.touch("touchStart", (150, 300), (210, 300))
        for step in range(1, 7):
            phone.touch("touchMove", (150 - 10 * step, 300), (210 + 10 * step, 300))
        phone.touch("touchEnd")
        phone.until(lambda: span() > 1.5 * before, "a pinch zooms")
        before = phone.spot("anna 1")
        phone.touch("touchStart", (60, 340), (300, 340))
        for step in range(1, 7):
            phone.touch("touchMove", (60, 340 + 5 * step), (300, 340 + 5 * step))
        phone.touch("touchEnd")
        phone.until(lambda: phone.spot("anna 1")[1] > before[1] + 8, "two fingers move the map")
        self.assertEqual(len(phone.anchors()), 2)
        phone.find("#fit").click()
        phone.touch("touchStart", (150, 290))
        phone.touch("touchEnd")
        phone.until(lambda: phone.label("bert 1"), "a tap places")
        self.one.until(lambda: self.one.label("bert 1"), "and the desk sees it")
        before = phone.spot("anna 1")
        phone.touch("touchStart", (60, 340))
        for step in range(1, 7):
            phone.touch("touchMove", (60 + 15 * step, 340))
        phone.touch("touchEnd")
        phone.until(lambda: math.dist(phone.spot("anna 1"), before) > 5, "one finger turns")
        self.assertEqual(len(phone.anchors()), 3)

    def test_every_width_and_both_colors_show_everything(self):
        self.start_with_room()
        self.place(300, 400, "anna 1")
        page = self.other
        for scheme in ("dark", "light"):
            for width, height in ((360, 740), (1920, 1080)):
                page.size(width, height, mobile=width < 500, scheme=scheme)
                page.until(lambda: page.is_drawn(), "the map")
                if width < 500:
                    page.find("#handle").click()
                    page.until(lambda: page.box("#handle")["top"] < height / 2 and page.script(
                        "return document.querySelector('aside').getAnimations().length") == 0, "the sheet is open")
                self.assertLessEqual(page.script("return document.documentElement.scrollWidth"), width)
                for button in ("#fit", "#top", "#leave", "#send", "#save", "#load", "#undo", "#redo"):
                    box = page.script("""
                        const one = document.querySelector(arguments[0]);
                        one.scrollIntoView();
                        return one.getBoundingClientRect().toJSON();""", button)
                    self.assertGreaterEqual(box["left"], 0, button)
                    self.assertLessEqual(box["right"], width, button)
                    self.assertTrue(0 <= box["top"] and box["bottom"] <= height, button)
                page.script("document.querySelector('aside').scrollTop = 0")
                if width < 500:
                    page.find("#handle").click()
                corner = page.canvas_pixels(step=1000)[0]
                self.assertEqual(min(corner) > 128, scheme == "light", corner)
                page.shoot(f"{scheme}-{width}")

    def test_the_keyboard_alone_is_enough(self):
        self.start_with_room()
        page = self.one
        page.tab()
        self.assertEqual(page.script("return document.activeElement.id"), "view")
        self.assertIn("Enter", page.text("#hint"))
        page.shoot("keyboard")
        page.enter()
        page.until(lambda: page.label("anna 1"), "Enter places")
        self.expect_near(page, "anna 1", (340, 350))
        before = page.label("anna 1")
        page.key("ArrowUp", number=38, modifiers=SHIFT)
        page.until(lambda: page.label("anna 1")[1] > before[1] + 20, "shift and an arrow move")
        page.key("f", "KeyF", 70)
        page.until(lambda: math.dist(page.label("anna 1"), before) < 1, "F shows the whole map")
        while not page.script("return document.activeElement.matches('#anchors li')"):
            page.tab()
        page.key("F2", number=113)
        page.write("lamp")
        page.enter()
        self.other.until(lambda: self.other.label("lamp"), "the other page sees the new name")
        self.assertTrue(page.script("return document.activeElement.matches('#anchors li')"))
        page.key("Delete", number=46)
        page.until(lambda: not page.anchors(), "Delete removes")
        page.key("z", "KeyZ", 90, modifiers=CONTROL)
        page.until(lambda: "lamp" in page.anchors(), "Control and Z bring it back")

    def test_undo_and_redo(self):
        self.start_with_room()
        self.assertFalse(self.one.find("#undo").is_enabled())
        self.place(300, 400, "anna 1")
        self.press(self.one, "#undo")
        self.other.until(lambda: not self.other.anchors(), "it is taken back everywhere")
        self.press(self.one, "#redo")
        self.other.until(lambda: "anna 1" in self.other.anchors(), "and made again")

    def test_authors_are_shown_and_sought_and_distances_measured(self):
        self.start_with_room()
        self.place(300, 400, "anna 1")
        self.other.click(250, 500)
        page = self.one
        page.until(lambda: page.label("bert 1"), "the anchor of the other")
        rows = lambda: [row.text for row in page.all("#anchors li")]
        page.until(lambda: len(rows()) == 2 and any("by bert" in row for row in rows()), "both in the list")
        page.find("#search").send_keys("BERT")
        page.until(lambda: len(rows()) == 1, "the other's is found")
        page.find("#search").clear()
        page.find("#search").send_keys(" ")
        page.until(lambda: len(rows()) == 2, "all again")
        page.press_row(0)
        self.press(page, "#measure-button")
        page.press_row(1)
        page.until(lambda: " m" in page.text("#measure"), "the distance")
        one, other = (anchor["transform"][12:15] for anchor in page.anchors().values())
        self.assertIn(f"{math.dist(one, other):.2f} m", page.text("#measure"))
        page.find("#top").click()
        page.find("footer summary").click()
        self.assertIn("bert joined", page.text("#log"))

    def test_a_map_is_loaded_and_sent_when_it_is_good_enough(self):
        self.start()
        poor = self.folder / "poor.xyz"
        poor.write_text("".join(f"{i} {i * 7 % 5} 0.5\n" for i in range(40)))
        page = self.one
        self.assertFalse(page.find("#send").is_enabled())
        page.find("#file").send_keys(str(poor))
        page.until(lambda: "40 points" in page.text("#map"), "the file is shown")
        page.until(lambda: "not mapped well enough" in page.text("#gate"), "the gate says why it is shut")
        self.assertFalse(page.find("#send").is_enabled())
        page.find("#file").send_keys(str(self.room))
        page.until(lambda: "60,000 points" in page.text("#map"), "the other file is shown")
        self.assertIn("not sent yet", page.text("#map"))
        self.assertEqual(self.other.text("#map"), "none yet")
        self.press(page, "#send")
        self.other.wait_for_map()
        self.assertIn("60,000 points", self.other.text("#map"))
        self.other.until(lambda: "has the map" in self.other.text("#peers"), "who has the map is shown")
        page.until(lambda: "not sent yet" not in page.text("#map"), "it is sent")

    def test_a_dropped_file_is_loaded(self):
        self.start()
        self.one.script("""
            const files = new DataTransfer();
            files.items.add(new File([arguments[0]], "wall.xyz"));
            const drop = { dataTransfer: files, bubbles: true, cancelable: true };
            document.body.dispatchEvent(new DragEvent("drop", drop));""",
            "".join(f"{i} {i * 7 % 5} 0.5\n" for i in range(40)))
        self.one.until(lambda: "40 points" in self.one.text("#map"), "the file is shown")
        self.one.find("#file").send_keys(__file__)
        self.one.until(lambda: "the file:" in self.one.text("#toast"), "what is no map is refused")

    def test_a_saved_map_has_the_anchors(self):
        self.start_with_room()
        self.place(300, 400, "anna 1")
        self.other.command("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(self.folder))
        self.press(self.other, "#save")
        saved = self.folder / "sharedworld.worldmap"
        self.other.until(saved.exists, "the file")
        words = [BIN / "worldmap", "info", "--json", saved]
        said = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
        self.assertEqual((said["points"], said["anchors"]), (60000, 13))

    def test_who_leaves_is_gone_and_its_program_ends(self):
        self.start_with_room()
        # A double click does not leave.
        box = self.other.box("#leave")
        self.other.double_click((box["left"] + box["right"]) / 2, (box["top"] + box["bottom"]) / 2)
        time.sleep(1)
        self.assertEqual(self.one.text("#peer-count"), "2")
        self.press(self.other, "#leave")
        self.other.until(lambda: "You have left" in self.other.text("#banner"), "the page says so")
        self.one.until(lambda: self.one.text("#peer-count") == "1", "the other sees it")
        self.assertEqual(self.bert.process.wait(30), 0)

    def test_devices_are_shown_where_they_are(self):
        self.start_with_room()
        dora = Terminal("dora", self.anna)
        self.addCleanup(dora.stop)
        dora.say("wait host", "pose 0.5 0 0.5 90")
        for page in (self.one, self.other):
            page.until(lambda: page.label("dora"), "her device")
        self.one.shoot("devices")
        state = self.one.state()
        self.expect_near(self.one, "dora", projection(
            (state["map"]["minimum"], state["map"]["maximum"]), 680, 700, (0.5, 0, 0.5)))


if __name__ == "__main__":
    unittest.main()
