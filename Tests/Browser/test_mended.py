"""What a user of the page met and must not meet again. Each test failed before its defect was mended."""

import socket
import unittest

from lab import Page, Program, RoomTest, worldmap

SIZE = (1000, 700)


class MendedTest(RoomTest):
    """A page over a made-up room."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.page = Page("--host-resolver-rules=MAP *.local 127.0.0.1")
        cls.addClassCleanup(cls.page.close)

    def start(self, *options, before=None, size=SIZE, mobile=False):
        """A worldview and its page, which runs the script `before` first."""
        program = Program("anna", *options)
        self.addCleanup(program.stop)
        if before:
            added = self.page.command("Page.addScriptToEvaluateOnNewDocument", source=before)
            self.addCleanup(self.page.command, "Page.removeScriptToEvaluateOnNewDocument", **added)
        self.page.size(*size, mobile=mobile)
        self.page.open(program)
        self.addCleanup(self.page.shoot, self.id().split(".")[-1])
        return program

    def start_with_room(self, **options):
        program = self.start("--map", self.room, **options)
        self.page.wait_for_map()
        return program

    def test_what_was_pressed_elsewhere_places_nothing(self):
        self.start_with_room()
        page = self.page
        page.press(SIZE[0] - 100, 300)  # on the panel
        page.press(400, 300, "mouseMoved")
        page.release(300, 400)
        page.click(300, 400)
        page.until(lambda: page.label("anna 1"), "the one anchor of the click")
        label = page.box("#labels > *")
        page.press(label["left"] + 5, label["top"] + 5)
        page.release(400, 450)
        # Its effect would come before that of a later tap.
        page.click(250, 450)
        page.until(lambda: page.label("anna 2"), "the anchor of the second click")
        self.assertEqual(set(page.anchors()), {"anna 1", "anna 2"})

    def test_a_double_click_places_one_anchor(self):
        self.start_with_room()
        page = self.page
        page.double_click(300, 400)
        page.click(250, 450)
        page.until(lambda: len(page.anchors()) > 1, "the anchor of the other click")
        page.until(lambda: page.label("anna 2"), "its label")
        self.assertEqual(len(page.anchors()), 2)

    def test_the_end_of_the_server_is_said_and_a_click_is_answered(self):
        program = self.start_with_room()
        page = self.page
        program.process.kill()
        page.until(lambda: "does not answer" in page.text("main"), "the picture says that the server is gone")
        page.click(300, 400)
        page.until(lambda: "nothing was done" in page.text("#toast"), "the click is answered")

    def test_points_count_once_they_are_drawn_and_no_tap_hits_before(self):
        self.start("--map", self.room, before="""
            {
              const { fetch } = window;
              const held = new Promise((resume) => { window.resume = resume; });
              window.fetch = async (path, ...rest) => {
                if (path === "/points") await held;
                return fetch(path, ...rest);
              };
            }""")
        page = self.page
        page.until(lambda: "loading 60,000 points" in page.text("#loading"), "the page says that it loads")
        self.assertNotIn("60,000", page.text("#map"))
        page.click(300, 400)
        page.until(lambda: "still loading" in page.text("#toast"), "the tap is refused")
        page.script("resume()")
        page.wait_for_map()
        self.assertIn("60,000 points", page.text("#map"))
        self.assertEqual(page.anchors(), {})

    def test_colors_are_drawn(self):
        cloud = self.folder / "magenta.ply"
        header = "ply\nformat ascii 1.0\nelement vertex 10000\n"
        header += "".join(f"property float {axis}\n" for axis in "xyz")
        header += "".join(f"property uchar {color}\n" for color in ("red", "green", "blue"))
        points = "".join(f"{i % 100 / 25} {i // 100 / 25} 0 250 0 250\n" for i in range(10000))
        cloud.write_text(header + "end_header\n" + points)
        self.start("--map", cloud)
        page = self.page
        page.wait_for_map()
        magenta = lambda: sum(1 for red, green, blue in page.canvas_pixels(5) if min(red, blue) > green + 80)
        page.until(lambda: magenta() > 500, "the points have their own colour")
        page.script("const list = document.querySelector('#tints'); list.value = 'height'; list.onchange()")
        page.until(lambda: magenta() < 50, "the points are coloured by height")

    def test_without_webgl_all_but_the_picture_works(self):
        self.start("--map", self.room, before="""
            {
              const get = HTMLCanvasElement.prototype.getContext;
              HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
                return kind.startsWith("webgl") ? null : get.call(this, kind, ...rest);
              };
            }""")
        page = self.page
        self.assertIn("WebGL 2", page.text("main"))
        page.until(lambda: "60,000 points" in page.text("#map"), "the panel tells of the map")
        page.click(300, 400)
        page.until(lambda: "no picture" in page.text("#toast"), "a click on nothing is answered")

    def test_the_points_shown_are_counted(self):
        large = self.folder / "large.worldmap"
        worldmap("generate", "--points", "3000000", large)
        self.start("--map", large)
        self.page.wait_for_map()
        # Those of one cell of the picture's grid are drawn once.
        self.assertRegex(self.page.text("#map"), r"^3,000,000 points, 2,99\d,\d{3} of them drawn ·")
        large.unlink()

    def test_an_address_for_all_networks_can_be_opened(self):
        program = self.start("--http", "0.0.0.0:0")
        self.assertNotIn("0.0.0.0", program.address)

    def test_the_name_of_this_machine_opens_the_page(self):
        program = Program("anna")
        self.addCleanup(program.stop)
        program.address = program.address.replace("127.0.0.1", socket.gethostname() + ".local")
        self.page.open(program)
        self.page.until(lambda: "anna" in self.page.text("#peers"), "the program's peer")

    def test_the_peers_counted_are_the_peers_listed(self):
        self.start()
        self.assertEqual(self.page.text("#peer-count"), str(len(self.page.all("#peers li"))))

    def test_a_phone_is_told_of_fingers_and_a_desk_of_the_mouse(self):
        self.start(size=(360, 740), mobile=True)
        hint = self.page.text("#hint")
        self.assertIn("two fingers", hint)
        for word in ("click", "wheel", "shift"):
            self.assertNotIn(word, hint)
        self.start()
        self.assertIn("wheel", self.page.text("#hint"))

    def test_no_tap_of_the_first_view_hits_the_ceiling(self):
        self.start_with_room()
        page = self.page
        for number, (x, y) in enumerate([(300, 400), (340, 300), (250, 500), (200, 350)], 1):
            page.click(x, y)
            page.until(lambda: page.label(f"anna {number}"), f"the anchor at {x} {y}")
        ceiling = page.state()["map"]["maximum"][1]
        for anchor in page.anchors().values():
            self.assertLess(anchor["transform"][13], ceiling - 0.15)


if __name__ == "__main__":
    unittest.main()
