"""The first minute, a phone, and people who do not see or point as others do."""

import contextlib
import os
import pathlib
import subprocess
import sysconfig
import tempfile
import unittest

from lab import BIN, Terminal, WorldviewsTest

#: The rules of Deque's axe, which Scripts/browser.sh fetches.
AXE = pathlib.Path(sysconfig.get_paths()["purelib"]) / "axe_playwright_python/axe.min.js"
PHONE = (390, 844)


class FirstTest(WorldviewsTest):
    """Pages as somebody sees them who has never seen one."""

    def test_the_first_look_shows_a_room_and_one_next_step(self):
        self.start(self.one, "anna", "--discovery", "embedded", "--listen", "0.0.0.0:0", "--service", "swnobody")
        page = self.one
        page.until(lambda: page.view("view.isComplete && view.drawn") > 1000, "an example of a room")
        colors = set(page.canvas_pixels(step=5))
        self.assertGreater(len(colors), 50)
        self.assertIn("example", page.text("#first"))
        self.assertEqual(page.text("#first-step"), "Load a map of your place")
        self.assertFalse(page.find("#digest-line").is_displayed())
        page.shoot("first")
        page.click(300, 300)
        page.until(lambda: "example" in page.text("#toast"), "a tap on it is answered")
        # Nobody is found, which is no failure.
        page.until(lambda: page.text("#hint-network"), "what may help is said")
        self.assertEqual(page.text("#problem"), "")
        self.load(page, self.room, "60,000")
        self.assertFalse(page.find("#first").is_displayed())
        page.wait_for_map()

    def test_the_next_step_is_to_invite_somebody_in_sight(self):
        in_sight = ("--announce", "--probe", "127.0.0.1")
        self.start(self.other, "bert", *in_sight)
        self.start(self.one, "anna", *in_sight)
        page = self.one
        page.until(lambda: "Invite" in page.text("#first-step"), "somebody is in sight")
        page.find("#first-step").click()
        self.wait_for_peers(page, 2)
        page.until(lambda: "bert is here" in page.text("#first"), "the next step is another one")

    def test_another_device_opens_the_page_once_by_a_code_on_it(self):
        self.start(self.one, "anna", "--http", "0.0.0.0:0")
        page = self.one
        page.find("#device summary").click()
        page.until(lambda: page.text("#page-address").startswith("http://"), "an address")
        self.assertFalse(page.script("return document.querySelector('#page-qr').hidden"))
        address = page.text("#page-address")
        self.other.driver.get("about:blank")
        self.other.driver.get(address)
        # Another device is a member of its own, beside the program.
        self.other.until(lambda: "browser-" in self.other.text("#me"), "the other device joins")
        self.other.until(lambda: "anna" in self.other.text("#peers"), "and shows the program's peer")
        for _ in range(2):
            page.find("#device summary").click()
        page.until(lambda: page.text("#page-address") not in ("", address), "the next address is another one")

    def test_a_terminal_shows_the_address_to_a_camera_where_others_reach_it(self):
        for host, is_pictured in (("0.0.0.0", True), ("127.0.0.1", False)):
            with tempfile.TemporaryDirectory() as home:
                near, far = os.openpty()
                words = [BIN / "worldview", "--name", "anna", "--discovery", "none", "--listen", "127.0.0.1:0",
                         "--identity", home, "--http", f"{host}:0"]
                with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=far) as process:
                    os.close(far)
                    written = b""
                    # The system says by an error that the program, the last to write there, has ended.
                    with contextlib.suppress(OSError):
                        while part := os.read(near, 1 << 16):
                            written += part
                            if b"http://" in written:
                                process.terminate()
                os.close(near)
                said = written.decode()
                self.assertIn("http://", said)
                self.assertEqual("█▀" in said or "▀█" in said, is_pictured, said)

    def test_a_page_for_this_machine_alone_says_how_another_device_opens_it(self):
        self.start(self.one, "anna")
        self.one.find("#device summary").click()
        self.one.until(lambda: "--https 0.0.0.0" in self.one.text("#page-address"), "how")

    # ---- A phone

    def test_a_phone_has_a_full_picture_and_a_sheet_with_large_targets(self):
        self.start(self.one, "anna", "--map", self.room, size=PHONE, mobile=True)
        page = self.one
        page.wait_for_map()
        self.assertEqual(page.box("#view")["height"], PHONE[1])
        self.assertGreater(page.box("#handle")["top"], 0.9 * PHONE[1])
        page.shoot("phone")
        page.touch("touchStart", (200, 400))
        page.touch("touchEnd")
        page.until(lambda: page.label("anna 1"), "a tap places")
        page.find("#handle").click()
        page.until(lambda: page.box("#handle")["top"] < 0.3 * PHONE[1], "the sheet is open")
        page.until(lambda: page.script("return document.querySelector('aside').getAnimations().length") == 0, "it stands")
        page.shoot("phone-sheet")
        small = page.script("""
            return [...document.querySelectorAll("button, select, summary, label, #anchors li")]
              .filter((one) => one.checkVisibility())
              .map((one) => [one.textContent.trim(), one.getBoundingClientRect()])
              .filter(([, box]) => box.height < 44 || box.width < 44).map(([name, box]) => `${name} ${box.width}x${box.height}`);""")
        self.assertEqual(small, [])
        self.assertLessEqual(page.script("return document.documentElement.scrollWidth"), PHONE[0])
        page.touch("touchStart", (200, 150))
        page.touch("touchEnd")
        page.until(lambda: page.box("#handle")["top"] > 0.9 * PHONE[1], "a touch of the picture closes it")

    # ---- Everybody

    @unittest.skipUnless(AXE.exists(), "axe is not here")
    def test_axe_finds_nothing(self):
        for scheme in ("dark", "light"):
            anna = self.start(self.one, "anna", "--map", self.room, accept="ask")
            page = self.one
            page.wait_for_map()
            self.place(page, 300, 400, "anna 1")
            page.press_row(0)
            guest = Terminal("dora", anna)
            self.addCleanup(guest.stop)
            page.until(lambda: "dora" in page.text("#invitations"), "an invitation")
            page.find("#invite summary").click()
            page.find("#device summary").click()
            page.find("footer summary").click()
            for size, mobile in (((1440, 900), False), (PHONE, True)):
                page.size(*size, mobile=mobile, scheme=scheme)
                if mobile:
                    page.find("#handle").click()
                with self.subTest(scheme=scheme, size=size):
                    self.assertEqual(self.findings(page), [])
            anna.stop()

    def findings(self, page):
        page.script(AXE.read_text(encoding="utf-8"))
        return page.driver.execute_async_script("""
            const done = arguments[0];
            axe.run().then(({ violations }) => done(violations.map(({ id, nodes }) =>
              [id, ...nodes.slice(0, 4).map(({ html, failureSummary }) => `${html.slice(0, 120)} ${failureSummary.slice(0, 200)}`)])));""")

    def test_what_is_under_the_pointer_can_be_read(self):
        self.start(self.one, "anna", "--map", self.room)
        page = self.one
        page.wait_for_map()
        self.place(page, 300, 400, "anna 1")
        page.press_row(0)
        page.find("#move").click()
        for scheme in ("dark", "light"):
            page.size(1440, 900, scheme=scheme)
            for button in page.all("button"):
                if not (button.is_displayed() and button.is_enabled()):
                    continue
                page.script("arguments[0].scrollIntoView({ block: 'center' })", button)
                box = page.script("return arguments[0].getBoundingClientRect().toJSON()", button)
                page.press((box["left"] + box["right"]) / 2, (box["top"] + box["bottom"]) / 2, "mouseMoved", buttons=0)
                contrast = page.script("""
                    const light = (text) => {
                      const [r, g, b] = text.match(/[\\d.]+/g).slice(0, 3).map((v) => v / 255)
                        .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
                      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
                    };
                    const behind = (one) => {
                      const { backgroundColor } = getComputedStyle(one);
                      return /, 0\\)$/.test(backgroundColor) && one.parentElement ? behind(one.parentElement) : backgroundColor;
                    };
                    const [a, b] = [light(getComputedStyle(arguments[0]).color), light(behind(arguments[0]))];
                    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);""", button)
                self.assertGreaterEqual(contrast, 4.5, f"{button.text} in {scheme}")


if __name__ == "__main__":
    unittest.main()
