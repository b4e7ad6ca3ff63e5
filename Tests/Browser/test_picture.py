"""The picture: which way is up, places far from the origin, points that fill it, colours, and what a file holds."""

import unittest

import clouds
from lab import WorldviewsTest
from test_kept import MAPS


class PictureTest(WorldviewsTest):
    """One worldview with maps of other programs."""

    def load_survey(self):
        path = self.folder / "survey.ply"
        clouds.write(path, clouds.utm(clouds.room(30_000, 1)))
        self.load(self.one, path, "30,000")
        self.one.wait_for_map()

    def axis(self):
        return self.one.view("view.upright.axis")

    # ---- Which way is up, and far places

    def test_a_survey_with_z_up_stands_upright_and_is_turned_by_two_buttons(self):
        program = self.start(self.one, "anna")
        self.load_survey()
        page = self.one
        self.assertEqual(self.axis(), "z")
        page.shoot("survey")
        seen = []
        for button in ("#tip", "#tip", "#roll"):
            before = self.axis()
            page.find(button).click()
            page.until(lambda: self.axis() != before, "the map is turned")
            seen.append(self.axis())
        self.assertEqual(seen[1], "-z")
        self.load(page, self.room, "60,000")
        page.until(lambda: self.axis() == "y", "a map of this package has y up")
        self.load_survey()
        page.until(lambda: self.axis() == seen[2], "what was chosen for a map is remembered")
        self.assertEqual(program.process.poll(), None)

    def test_the_command_line_says_which_way_is_up(self):
        self.start(self.one, "anna", "--up", "-y", "--map", self.room)
        self.one.wait_for_map()
        self.assertEqual(self.axis(), "-y")

    def test_places_of_a_survey_are_kept_to_the_millimeter(self):
        self.start(self.one, "anna")
        self.load_survey()
        page = self.one
        page.click(330, 420)
        page.until(lambda: page.label("anna 1"), "an anchor on the floor")
        x, y = page.spot("anna 1")
        # With coordinates of millions of metres as floats it would stand some decimetres beside the pointer.
        self.assertLess(max(abs(x - 330), abs(y - 420)), 4)
        place = page.anchors()["anna 1"]["transform"][12:15]
        self.assertLess(max(map(abs, place)), 2000)
        self.assertAlmostEqual(place[2], 519.5, 2)
        place = page.until(lambda: page.all("#anchors .place"), "its row")[0].text
        shown = [float(number) for number in place.split()]
        self.assertTrue(691_607 < shown[0] < 691_614 and 5_334_755 < shown[1] < 5_334_761, shown)

    # ---- Points

    def test_a_sparse_map_of_a_phone_fills_the_picture(self):
        self.start(self.one, "anna")
        path = self.folder / "phone.ply"
        clouds.write(path, clouds.room(1300, 2, lack=0.02), kind="float")
        page = self.one
        self.load(page, path, "1,300")
        page.until(lambda: page.view("view.isComplete"), "all points are drawn")
        page.shoot("phone")
        # The middle of the picture shows the room: most of its pixels are those of points.
        self.assertGreater(self.covered(page), 0.6)

    def covered(self, page):
        """The share of pixels of strong colour in the middle of the picture."""
        width, height = page.script("const { width, height } = document.querySelector('#view'); return [width, height]")
        return page.view(f"""(() => {{
            const {{ gl }} = view;
            const [w, h] = [{width} >> 2, {height} >> 2];
            const bytes = new Uint8Array(4 * w * h);
            gl.readPixels({width} * 3 >> 3, {height} * 3 >> 3, w, h, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
            let strong = 0;
            for (let i = 0; i < bytes.length; i += 4) {{
              const pixel = bytes.subarray(i, i + 3);
              if (Math.max(...pixel) - Math.min(...pixel) > 60) strong += 1;
            }}
            return strong / (w * h);
            }})()""")

    def test_edges_are_shaded(self):
        self.start(self.one, "anna", "--map", self.room)
        page = self.one
        page.wait_for_map()
        page.until(lambda: page.view("view.isComplete"), "all points are drawn")
        shaded = self.brightness(page)
        page.script("document.querySelector('#relief').click()")
        page.until(lambda: page.view("view.isComplete"), "all points are drawn again")
        self.assertLess(shaded, 0.97 * self.brightness(page))

    def brightness(self, page):
        pixels = page.canvas_pixels(step=3)
        return sum(map(sum, pixels)) / len(pixels)

    def test_points_are_colored_by_a_channel_with_a_legend(self):
        self.start(self.one, "anna")
        path = self.folder / "sure.ply"
        places = list(clouds.room(20_000, 3))
        # What is nearer to the left wall is surer.
        clouds.write(path, places, [("confidence", [0.25 + 0.5 * (1 - x / 6.2) for x, _, _ in places])])
        page = self.one
        self.load(page, path, "20,000")
        page.wait_for_map()
        choose = "const list = document.querySelector('#tints'); list.value = arguments[0]; list.onchange()"
        page.script(choose, "number:confidence")
        page.until(lambda: page.text("#legend-name") == "confidence", "the legend")
        low, high = (float(page.text(f"#legend-{end}")) for end in ("low", "high"))
        self.assertTrue(0.2 < low < 0.3 and 0.7 < high <= 0.76, (low, high))
        page.until(lambda: page.view("view.isComplete"), "all points are drawn")
        page.shoot("confidence")
        red, blue = self.tone(page)
        self.assertGreater(red, 2 * blue)
        page.script(choose, "height")
        page.until(lambda: "height" in page.text("#legend-name"), "the legend of heights")
        page.until(lambda: page.view("view.isComplete"), "all points are drawn")
        red, blue = self.tone(page)
        self.assertGreater(blue, red)

    def tone(self, page):
        """How red and how blue the foot of the left wall is."""
        pixels = page.pixels(95, 380, 125, 400)
        return sum(pixel[0] for pixel in pixels), sum(pixel[2] for pixel in pixels)

    # ---- What a file holds

    def test_anchors_of_a_file_are_in_view_before_it_is_sent(self):
        page = self.one
        self.start(page, "anna")
        self.load(page, MAPS / "full.worldmap", "150")
        filed = "return [...document.querySelectorAll('#labels .filed')].map((one) => one.textContent)"
        page.until(lambda: page.script(filed), "the anchors of the file")
        self.assertEqual(page.text("#anchor-count"), "0")


if __name__ == "__main__":
    unittest.main()
