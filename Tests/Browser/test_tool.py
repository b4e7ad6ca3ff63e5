"""The page as a tool: invitations, drags, flights, alignment, and clouds of millions of points."""

import math
import unittest

from lab import SlowRelay, Terminal, WorldviewsTest, worldmap

MIDDLE = (340, 350)


class ToolTest(WorldviewsTest):
    """One or two worldviews, each with a page."""

    # ---- Invitations

    def test_an_address_is_dialled_and_the_other_page_asks(self):
        anna = self.start(self.one, "anna", accept="ask")
        self.start(self.other, "bert")
        self.dial(self.other, "nowhere")
        self.other.until(lambda: "HOST:PORT" in self.other.text("#toast"), "what to write is said")
        self.dial(self.other, f"127.0.0.1:{anna.port}")
        self.one.until(lambda: "bert invites you" in self.one.text("#invitations"), "the invitation")
        self.other.until(lambda: str(anna.port) in self.other.text("#inviting"), "the page says whose answer it waits for")
        self.one.shoot("invitation")
        self.press(self.one, "Decline")
        self.other.until(lambda: "declined" in self.other.text("#toast"), "the refusal is said")
        self.dial(self.other, f"127.0.0.1:{anna.port}")
        self.press(self.one, "Accept")
        for page in (self.one, self.other):
            self.wait_for_peers(page, 2)

    def test_a_link_is_dialled(self):
        self.start(self.one, "anna")
        self.start(self.other, "bert")
        self.one.find("#invite summary").click()
        self.one.until(lambda: self.one.text("#invite-link").startswith("sharedworld://"), "the link")
        self.assertEqual(self.one.script("return document.querySelector('#qr').hidden"), False)
        self.dial(self.other, self.one.text("#invite-link"))
        self.wait_for_peers(self.other, 2)

    def test_one_of_those_in_sight_is_chosen(self):
        announcing = ("--announce", "--probe", "127.0.0.1", "--invite", "none")
        self.start(self.one, "anna", *announcing)
        self.start(self.other, "bert", *announcing)
        page = self.other
        page.until(lambda: "anna" in page.text("#candidates"), "who is in sight")
        self.assertEqual(page.text("#peer-count"), "1")
        page.shoot("candidates")
        self.press(page, "Invite", "#candidates")
        self.wait_for_peers(page, 2)
        page.until(lambda: "anna" not in page.text("#candidates"), "a member is no candidate")

    def test_codes_that_are_the_same_let_in(self):
        self.compare("The same")
        for page in (self.one, self.other):
            self.wait_for_peers(page, 2)

    def test_codes_that_differ_keep_out(self):
        self.compare("Another")
        self.other.until(lambda: "code" in self.other.text("#problem"), "the refusal is said")
        self.assertEqual(self.other.text("#peer-count"), "1")

    def compare(self, answer):
        """Two pages show a code, large, until both users have answered."""
        anna = self.start(self.one, "anna", "--trust", "code")
        self.start(self.other, "bert", "--trust", "code")
        code = lambda page: page.script("return document.querySelector('#codes .code')?.innerText ?? ''")
        self.dial(self.other, f"127.0.0.1:{anna.port}")
        for page in (self.one, self.other):
            page.until(lambda: code(page), "a code")
        self.assertEqual(code(self.one), code(self.other))
        size = self.one.script("return parseFloat(getComputedStyle(document.querySelector('#codes .code')).fontSize)")
        self.assertGreaterEqual(size, 24)
        self.one.shoot("code")
        self.press(self.one, answer, "#codes")
        if answer == "The same":
            self.press(self.other, answer, "#codes")
        for page in (self.one, self.other):
            page.until(lambda: not code(page), "the question is answered")

    def test_the_passcode_of_a_room_is_asked_for(self):
        anna = self.start_passcode_room()
        page = self.other
        self.assertFalse(page.find("#passcode").is_displayed())
        self.dial(page, f"127.0.0.1:{anna.port}")
        page.until(lambda: page.find("#passcode").is_displayed(), "the room asks for a passcode")
        page.shoot("passcode")
        page.find("#passcode").send_keys("a wrong one\n")
        page.until(lambda: "differ" in page.text("#room"), "it is refused")
        page.until(lambda: page.find("#passcode").is_displayed(), "and asked for again")
        page.find("#passcode").clear()
        page.find("#passcode").send_keys("correct horse\n")
        self.wait_for_peers(page, 2)
        self.wait_for_peers(self.one, 2)
        page.until(lambda: not page.find("#passcode").is_displayed(), "nothing more is asked")

    # ---- Labels, drags and flights

    def test_a_pointer_that_begins_on_a_label_turns_and_zooms(self):
        self.start_both()
        page = self.one
        self.place(page, 300, 400, "anna 1")
        self.place(page, 360, 330, "anna 2")
        span = lambda: math.dist(page.spot("anna 1"), page.spot("anna 2"))
        yaw = page.view("view.camera.yaw")
        x, y = page.label_box("anna 1")
        page.drag((x, y), (x + 60, y))
        self.assertNotAlmostEqual(page.view("view.camera.yaw"), yaw, 2)
        self.assertIsNone(page.view("now.selected"))
        before = span()
        x, y = page.label_box("anna 1")
        page.command("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=-400)
        page.until(lambda: span() > 1.2 * before, "the wheel zooms")
        page.click(*page.label_box("anna 1"))
        page.until(lambda: page.view("now.selected") is not None, "a click selects")
        self.assertEqual(len(page.anchors()), 2)

    def test_fingers_that_begin_on_a_label_turn_and_pinch(self):
        self.start_both(size=(360, 740), mobile=True)
        self.place(self.one, 300, 400, "anna 1")
        self.place(self.one, 250, 500, "anna 2")
        phone = self.other
        span = lambda: math.dist(phone.spot("anna 1"), phone.spot("anna 2"))
        yaw = phone.view("view.camera.yaw")
        x, y = phone.label_box("anna 1")
        phone.touch("touchStart", (x, y))
        for step in range(1, 7):
            phone.touch("touchMove", (x + 10 * step, y))
        phone.touch("touchEnd")
        self.assertNotAlmostEqual(phone.view("view.camera.yaw"), yaw, 2)
        before = span()
        x, y = phone.label_box("anna 1")
        phone.touch("touchStart", (x, y), (x + 40, y + 60))
        for step in range(1, 7):
            phone.touch("touchMove", (x, y), (x + 40 + 10 * step, y + 60 + 10 * step))
        phone.touch("touchEnd")
        phone.until(lambda: span() > 1.3 * before, "a pinch zooms")
        self.assertEqual(len(phone.anchors()), 2)

    def test_a_drag_is_seen_before_it_ends_and_lasts_after(self):
        self.start_both()
        self.place(self.one, 300, 400, "anna 1")
        self.other.until(lambda: self.other.label("anna 1"), "the anchor on the other page")
        page, other = self.one, self.other
        page.click(*page.label_box("anna 1"))
        page.until(lambda: page.view("now.selected") is not None, "a click selects")
        shown = lambda: other.script("""
            return [...document.querySelectorAll("#labels > *")].find((one) => one.textContent === "anna 1").place;""")
        kept = page.anchors()["anna 1"]["transform"][12:15]
        before = page.spot("anna 1")
        x, y = page.label_box("anna 1")
        page.press(x, y)
        for step in range(1, 31):
            page.press(x + 4 * step, y - 2 * step, "mouseMoved")
            if step % 10:
                continue
            page.until(lambda: math.dist(page.label("anna 1"), (before[0] + 4 * step, before[1] - 2 * step)) < 2,
                       "it follows the pointer")
            held = page.view("now.hand.place")
            other.until(lambda: math.dist(shown(), held) < 1e-4, "the other page shows where it is held")
        self.assertEqual(page.view("view.camera.yaw"), 0.55)
        page.shoot("drag")
        page.release(x + 120, y - 60)
        page.until(lambda: page.view("now.hand") is None, "it is let go")
        for one in (page, other):
            one.until(lambda: math.dist(one.anchors()["anna 1"]["transform"][12:15], held) < 1e-4, "the place lasts")
        page.find("#undo").click()
        page.until(lambda: math.dist(page.anchors()["anna 1"]["transform"][12:15], kept) < 1e-4, "it is taken back")

    def test_drags_of_other_programs_are_shown(self):
        self.start_both()
        dora = Terminal("dora", self.anna)
        self.addCleanup(dora.stop)
        dora.say("wait host", "place lamp 0 0 0")
        page = self.one
        page.until(lambda: "lamp" in page.anchors(), "the lamp")
        dora.say("drag lamp 1 0 0 60")
        page.until(lambda: page.state()["drags"], "the drag")
        # A second of it is durable; between those the page shows more.
        page.until(lambda: page.script("""
            const label = [...document.querySelectorAll("#labels > *")].find((one) => one.textContent === "lamp");
            return label && label.place[0] > arguments[0] + 1e-6;
            """, page.anchors()["lamp"]["transform"][12]), "it is ahead of the anchor that is kept")

    def test_the_camera_flies_to_an_anchor_and_places_none(self):
        self.start_both()
        page = self.one
        self.place(page, 300, 400, "anna 1")
        self.place(page, 360, 330, "anna 2")
        is_middle = lambda name: page.label(name) and math.dist(page.label(name), MIDDLE) < 1
        distance = page.view("view.camera.distance")
        page.driver.execute_script("document.querySelectorAll('#anchors li')[0].scrollIntoView()")
        rows = {row.find_element("css selector", ".name").text: row for row in page.all("#anchors li")}
        row = rows["anna 1"].rect
        top = page.script("return arguments[0].getBoundingClientRect().toJSON()", rows["anna 1"])
        x, y = top["left"] + row["width"] / 2, top["top"] + 10
        page.double_click(x, y)
        page.until(lambda: is_middle("anna 1"), "the camera has flown to the first")
        self.assertLess(page.view("view.camera.distance"), distance)
        page.script("[...document.querySelectorAll('#anchors li')].find((row) => row.innerText.includes('anna 2')).focus()")
        page.enter()
        page.until(lambda: is_middle("anna 2"), "Enter flies to the other")
        self.assertEqual(len(page.anchors()), 2)

    # ---- What is shown

    def test_the_alignment_of_a_device_with_an_own_frame_is_shown(self):
        self.start_both()
        dora = Terminal("dora", self.anna, "--frame", "1,0,2,90")
        self.addCleanup(dora.stop)
        page = self.one
        self.wait_for_peers(page, 3)
        page.until(lambda: "not aligned" in page.text("#peers"), "dora has a frame of her own")
        page.shoot("unaligned")
        dora.say("wait map", f"relocalize {self.room}")
        page.until(lambda: "aligned ±" in page.text("#peers"), "she has found her place")
        self.assertIn("residual", page.script(
            "return [...document.querySelectorAll('#peers .tag')].find((tag) => tag.textContent.startsWith('aligned')).title"))

    def test_a_plane_has_a_rim_that_grows_with_it(self):
        self.anna = self.start(self.one, "anna", "--map", self.room)
        page = self.one
        page.wait_for_map()
        page.script("const box = document.querySelector('#planes'); if (!box.checked) box.click()")
        dora = Terminal("dora", self.anna)
        self.addCleanup(dora.stop)
        dora.say("wait host", "place mat 1 0.5 1")
        for width, depth in ((2, 1), (3, 1.5)):
            dora.say(f"plane mat {width} {depth}")
            corners = {(x, 0.5, z) for x in (1 - width / 2, 1 + width / 2) for z in (1 - depth / 2, 1 + depth / 2)}
            page.until(lambda: corners <= {tuple(vertex[:3]) for vertex in self.vertices(page)},
                       f"a rim of {width} by {depth} metres")
        page.shoot("plane")

    def vertices(self, page):
        """The places at which lines of the picture begin or end (metres), each with its colour."""
        return page.view("""(() => {
            const { gl, marks } = view;
            const floats = new Float32Array(marks.count * marks.width);
            gl.bindBuffer(gl.ARRAY_BUFFER, marks.buffer);
            gl.getBufferSubData(gl.ARRAY_BUFFER, 0, floats);
            return Array.from({ length: marks.count }, (_, i) => [...floats.slice(7 * i, 7 * i + 7)]);
            })()""")

    def test_anchors_are_colored_by_their_author(self):
        self.start_both()
        page = self.one
        self.place(page, 300, 400, "anna 1")
        self.other.click(250, 500)
        page.until(lambda: page.label("bert 1"), "an anchor of the other")
        colors = lambda: {tuple(vertex[3:6]) for vertex in self.vertices(page)}
        page.until(lambda: len(colors()) == 4, "axes of three colours, and the line to the floor")
        page.script("const list = document.querySelector('#tints'); list.value = 'author'; list.onchange()")
        page.until(lambda: len(colors()) == 2, "a colour for each author")

    def test_a_transfer_is_shown_where_the_map_comes_from(self):
        large = self.folder / "large.worldmap"
        worldmap("generate", "--points", "1500000", large)
        self.start(self.one, "anna", "--map", large)
        # On a fast machine the map would be there before the page had drawn its bar.
        relay = SlowRelay(self.anna_port(), after=4 << 20)
        self.addCleanup(relay.stop)
        self.start(self.other, "bert", "--connect", f"127.0.0.1:{relay.port}")
        bar = "const bar = document.querySelector('#peers progress'); return bar && bar.value"
        # It begins at 0, which is none.
        share = self.one.until(lambda: self.one.script(bar), "a bar for the part that came fast")
        self.assertLess(share, 100)
        relay.let_go()
        self.one.until(lambda: "has the map" in self.one.text("#peers"), "bert has the map")
        self.assertIsNone(self.one.script(bar))
        large.unlink()

    def anna_port(self):
        return self.one.state()["port"]

    # ---- Level of detail

    def test_a_moving_picture_of_millions_has_fewer_points_than_one_that_stays(self):
        large = self.folder / "large.worldmap"
        worldmap("generate", "--points", "3000000", large)
        self.start(self.one, "anna", "--map", large)
        page = self.one
        page.wait_for_map()
        still = page.until(lambda: page.view("view.isComplete && view.drawn"), "the picture is done")
        page.shoot("millions")
        frames = page.driver.execute_async_script("""
            const done = arguments[0];
            import("/stage.js").then(({ view }) => {
              const drawn = [];
              const times = [];
              const turn = (time) => {
                times.push(time);
                if (times.length > 1) drawn.push(view.drawn);
                if (times.length > 90) return done({ drawn, time: times.at(-1) - times[30], count: times.length - 31 });
                view.camera.turn(4, 0);
                view.redraw();
                requestAnimationFrame(turn);
              };
              requestAnimationFrame(turn);
            });""")
        print(f"  {1000 * frames['count'] / frames['time']:.0f} frames a second "
              f"with {sorted(frames['drawn'])[45]:,} of 3,000,000 points", flush=True)
        self.assertLess(max(frames["drawn"]), 3000000)
        self.assertGreaterEqual(min(frames["drawn"]), 10000)
        # A processor that draws alone stops after two seconds, with more points than a picture that moves.
        again = page.until(lambda: page.view("view.isComplete && view.drawn"), "the picture is done again")
        self.assertGreater(min(still, again), sorted(frames["drawn"])[45])
        page.click(300, 400)
        page.until(lambda: page.label("anna 1"), "a tap hits one of them")
        large.unlink()


if __name__ == "__main__":
    unittest.main()
