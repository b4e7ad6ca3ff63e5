"""The room in its place: a device with a made-up WebXR, over HTTPS, beside a desk."""

import math
import pathlib
import statistics
import time
import unittest

from devices import DevicesTest

FAKE = pathlib.Path(__file__).with_name("fake_xr.js").read_text(encoding="utf-8")


def world(yaw, translation):
    """The map as a device sees it whose world is turned and elsewhere: 16 numbers, column by column."""
    c, s = math.cos(yaw), math.sin(yaw)
    return [c, 0, -s, 0, 0, 1, 0, 0, s, 0, c, 0, *translation, 1]


def act(matrix, point):
    return [sum(matrix[4 * k + row] * (*point, 1)[k] for k in range(4)) for row in range(3)]


def looking_down(place):
    """A camera 1.6 m above a place, which looks straight down."""
    return [1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0, place[0], place[1] + 1.6, place[2], 1]


class XRTest(DevicesTest):
    """A device that a test moves."""

    #: The floor of the device is its y = 0; the map's floor lies there too.
    WORLD = world(0.6, [2, 0, -1])

    def setUp(self):
        super().setUp()
        self.made = self.phone.command("Page.addScriptToEvaluateOnNewDocument", source=FAKE)
        self.addCleanup(self.phone.command, "Page.removeScriptToEvaluateOnNewDocument", **self.made)
        self.open(self.scan())
        self.phone.wait_for_map()

    def begin(self):
        """Shows the room in its place."""
        self.phone.find("#ar-begin").click()
        self.phone.until(lambda: self.phone.text("#ar-text"), "the session says how it stands")

    def put(self, pose):
        self.phone.script("fakeXR.pose = arguments[0]", pose)

    def touch_at(self, place):
        """Looks down at a place of the device's floor, and touches it."""
        self.put(looking_down(place))
        frames = self.phone.script("return fakeXR.frames")
        self.phone.until(lambda: self.phone.script("return fakeXR.frames") > frames + 2, "the device has looked")
        self.phone.script("fakeXR.select()")

    def corners(self):
        """Lines the device up by two corners, which the desk knows in the map."""
        for name, corner in (("corner 1", [0, 0, 0]), ("corner 2", [1.5, 0, 1])):
            self.desk.driver.execute_async_script("""
                const [name, position, done] = arguments;
                import('/server.js').then((server) => server.post('/touch', { name, position })).then(done);""",
                name, corner)
            press = next(one for one in self.phone.all("#ar-buttons button") if one.text == f"Touch {name}")
            press.click()
            self.touch_at(act(self.WORLD, corner))
        self.phone.until(lambda: "Lined up" in self.phone.text("#ar-text"), "the corners line it up")

    def device(self):
        """Where the desk sees the device."""
        devices = self.desk.state()["devices"]
        return devices[0]["transform"] if devices else None

    def test_a_pose_is_on_the_desk_within_one_millimeter(self):
        self.begin()
        self.assertEqual(self.phone.script("return fakeXR.features.requiredFeatures"), ["local-floor", "hit-test"])
        self.assertIn("Not lined up", self.phone.text("#ar-text"))
        self.assertIsNone(self.device())
        self.corners()
        for place in ([0.5, 0.2, 0.5], [1, 0.4, -0.7]):
            self.put(looking_down(act(self.WORLD, place)))
            wanted = [place[0], place[1] + 1.6, place[2]]
            self.desk.until(lambda: self.device() and max(
                abs(a - b) for a, b in zip(self.device()[12:15], wanted)) < 1e-3, f"the pose at {place}")
        self.phone.shoot("xr-phone")
        self.desk.shoot("xr-desk")

    def test_what_is_placed_is_at_its_place_for_all_and_follows_corrections(self):
        self.begin()
        self.corners()
        name = f"{self.name()} 1"
        self.touch_at(act(self.WORLD, [1, 0, 0.5]))
        self.desk.until(lambda: name in self.desk.anchors(), "the desk has it")
        for wanted, correction in (([1, 0, 0.5], 0), ([1, 0.02, 0.5], 0.02), ([1, 0.02, 0.5], 0.005)):
            # A correction below a centimetre is told to nobody.
            self.phone.script("for (const one of fakeXR.anchors) one.matrix[13] += arguments[0]", correction)
            time.sleep(0.5 if correction == 0.005 else 0)
            self.desk.until(lambda: max(abs(a - b) for a, b in zip(
                self.desk.anchors()[name]["transform"][12:15], wanted)) < 2e-3, f"it is at {wanted}")

    def test_what_others_placed_has_no_place_until_the_worlds_are_lined_up(self):
        self.desk.driver.execute_async_script("""
            const done = arguments[0];
            import('/server.js').then((server) => server.post('/place', {
              anchor: crypto.randomUUID(), name: 'lamp',
              transform: [1,0,0,0, 0,1,0,0, 0,0,1,0, 0.5,0,0.5,1] })).then(done);""")
        self.begin()
        # Beside those of the room's planes.
        count = len(self.desk.state()["anchors"])
        self.phone.until(lambda: f"{count} of the anchors have no place" in self.phone.text("#ar-text"), "it is counted")
        self.assertNotIn("lamp", self.phone.text("#ar-labels"))
        self.corners()
        self.put(looking_down(act(self.WORLD, [0.5, 0, 0.5])))
        self.phone.until(lambda: "lamp" in self.phone.text("#ar-labels"), "it is shown with its name")
        lamp = self.phone.anchors()["lamp"]["transform"][12:15]
        self.assertLess(math.dist(lamp, act(self.WORLD, [0.5, 0, 0.5])), 1e-3)

    def test_a_reset_begins_another_world_and_the_end_returns_to_the_map(self):
        self.begin()
        self.corners()
        self.phone.script("fakeXR.reset()")
        self.phone.until(lambda: "Not lined up" in self.phone.text("#ar-text"), "the corners count no more")
        self.desk.until(lambda: self.device() is None, "its pose has no place")
        self.corners()
        self.phone.script("fakeXR.end()")
        self.phone.until(lambda: not self.phone.find("#ar").is_displayed(), "the picture of the map is back")
        self.phone.until(lambda: self.phone.state()["frame"]["map"] == world(0, [0, 0, 0]), "the map's own world")

    def test_the_ghost_of_the_map_lies_on_the_floor_of_the_device(self):
        self.begin()
        self.corners()
        self.put(looking_down(act(self.WORLD, [0.5, 0, 0.5])))
        count = """
            const { gl } = (await import('/stage.js')).view;
            const pixels = new Uint8Array(4 * 200 * 200);
            gl.readPixels(0, 0, 200, 200, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
            let count = 0;
            for (let i = 0; i < pixels.length; i += 4) if (pixels[i + 1] > 100 && pixels[i] < 100) count += 1;
            return count;"""
        self.phone.until(lambda: self.phone.script(f"return (async () => {{ {count} }})()") > 2000,
                         "the floor below the camera is full of the map's points")

    def test_a_refusal_is_said(self):
        self.phone.script("fakeXR.refusal = 'the user said no'")
        self.phone.find("#ar-begin").click()
        self.phone.until(lambda: "the user said no" in self.phone.text("#toast"), "it is said")
        self.assertFalse(self.phone.find("#ar").is_displayed())

    def test_edits_made_while_the_network_is_away_arrive_once(self):
        self.begin()
        self.corners()
        self.phone.script("window.kept = window.fetch; window.fetch = () => Promise.reject(new TypeError('away'))")
        for x in (0.5, 1):
            self.touch_at(act(self.WORLD, [x, 0, 0.5]))
        self.phone.until(lambda: "2 of your edits wait" in self.phone.text("#ar-text"), "they wait")
        self.assertEqual([name for name in self.desk.anchors() if not name.startswith("touch/")], [])
        # An answer that is lost makes it ask once more.
        self.phone.script("""
            let lost = 0;
            window.fetch = async (path, ...rest) => {
              const answer = await window.kept(path, ...rest);
              if (path === '/place' && lost++ < 1) throw new TypeError('lost');
              return answer;
            }""")
        self.phone.until(lambda: "wait" not in self.phone.text("#ar-text"), "they have arrived")
        placed = lambda: [name for name in self.desk.anchors() if not name.startswith("touch/")]
        self.desk.until(lambda: len(placed()) >= 2, "the desk has them")
        self.assertEqual(sorted(placed()), [f"{self.name()} 1", f"{self.name()} 2"])

    def test_thirty_poses_leave_in_a_second_of_any_device(self):
        self.begin()
        # Each has its answer at once, so that the frames alone decide.
        self.phone.script("""
            window.posted = 0;
            const ask = window.fetch;
            window.fetch = (path, ...rest) => {
              if (path !== "/pose") return ask(path, ...rest);
              window.posted += 1;
              return Promise.resolve(new Response("{}"));
            };""")
        count = "return [window.posted, fakeXR.frames]"
        for rate in (60, 72, 90):
            posted, frames = self.phone.script(f"fakeXR.rate = {rate}; {count}")
            self.phone.until(lambda: self.phone.script(count)[1] > frames + 2 * rate, "two seconds of the device")
            later, last = self.phone.script(count)
            self.assertAlmostEqual(later - posted, (last - frames) * 30 / rate, delta=1.5)

    def test_poses_come_thirty_times_a_second(self):
        self.begin()
        self.corners()
        for page in (self.phone, self.desk):
            # Devices do not draw by their processors.
            page.script(
                "WebGL2RenderingContext.prototype.drawArrays = WebGL2RenderingContext.prototype.clear = () => {}")
        # Each pose tells when it was taken: by its height, which grows with time.
        self.phone.script("""
            window.start = Date.now();
            window.posted = 0;
            const ask = window.fetch;
            window.fetch = (path, ...rest) => { window.posted += path === "/pose"; return ask(path, ...rest); };
            window.mover = setInterval(() => { fakeXR.pose[13] = 1 + (Date.now() - window.start) / 1e5; }, 4);""")
        start = self.phone.script("return window.start")
        self.desk.script("""
            window.seen = [];
            import('/server.js').then((server) => server.follow((news) => {
              const device = news.live?.devices[0];
              if (device) window.seen.push([Date.now(), device.transform[13]]);
            }, () => {}));""")
        posted, frames, begun = self.phone.script("return [window.posted, fakeXR.frames, Date.now()]")
        self.desk.script("window.seen = []")
        time.sleep(8)
        seen = self.desk.script("return window.seen")
        later, last, ended = self.phone.script(
            "clearInterval(window.mover); return [window.posted, fakeXR.frames, Date.now()]")
        posted, frames, seconds = later - posted, last - frames, (ended - begun) / 1000
        late = sorted(now - start - (height - 1) * 1e5 for now, height in seen)
        rates = " ".join(f"{count / seconds:.1f}" for count in (len(seen), posted, frames))
        print(f"poses seen, poses sent and frames a second: {rates}; late by {statistics.median(late):.1f} ms, "
              f"p99 {late[int(len(late) * 0.99)]:.1f} ms")
        # As many as the machine gives frames to both browsers, and no more than thirty.
        self.assertLess(posted, 33 * seconds)
        self.assertGreater(posted, 0)
        self.assertGreater(len(seen), 0)

if __name__ == "__main__":
    unittest.main()
