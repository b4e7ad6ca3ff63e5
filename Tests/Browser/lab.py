"""Two worldviews on loopback and a headless Chromium for the page of each."""

import json
import os
import pathlib
import queue
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import unittest

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

BIN = pathlib.Path(os.environ.get("SHAREDWORLD_BIN", ".build/release"))
#: Screenshots of every test, to be looked at.
OUT = pathlib.Path(os.environ.get("SHAREDWORLD_SHOTS", "browser-out"))
#: The longest wait for anything (seconds): software rendering on a busy machine is slow; ends what hangs.
PATIENCE = 180


class Program:
    """A worldview in a process of its own; `home` keeps its identity and ends with it."""

    def __init__(self, name, *options, accept="all"):
        self.home = tempfile.mkdtemp(prefix="worldview-")
        words = [BIN / "worldview", "--json", "--name", name, "--identity", self.home, "--accept", accept, *options]
        for option, value in (("--discovery", "none"), ("--listen", "127.0.0.1:0")):
            words += [] if option in options else [option, value]
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        self.lines = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()
        self.ready = self.event("ready")
        self.address, self.port = self.ready["address"], self.ready["port"]

    def _read(self):
        with self.process.stdout:
            for line in self.process.stdout:
                self.lines.put(line)
        self.lines.put(None)

    def event(self, kind):
        """The next event of a kind on standard output."""
        while line := self.lines.get(timeout=PATIENCE):
            event = json.loads(line)
            if event.get("event") == kind:
                return event
        raise AssertionError(f"worldview ended with status {self.process.wait()} before '{kind}'")

    def next_address(self):
        """The address for another browser, which follows the opening of the one before."""
        self.address = self.event("address")["address"]

    def stop(self):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.home, ignore_errors=True)


class Terminal:
    """A worldpeer that is told what to do, linked to a program."""

    def __init__(self, name, program, *options):
        self.home = tempfile.mkdtemp(prefix="worldpeer-")
        words = [BIN / "worldpeer", "--json", "--name", name, "--discovery", "none", "--listen", "127.0.0.1:0",
                 "--identity", self.home, "--accept", "all", "--connect", f"127.0.0.1:{program.port}", *options]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)

    def say(self, *lines):
        """Commands, which it carries out in order."""
        self.process.stdin.write("".join(f"{line}\n" for line in lines))
        self.process.stdin.flush()

    def stop(self):
        self.process.kill()
        self.process.stdin.close()
        self.process.wait()
        shutil.rmtree(self.home, ignore_errors=True)


class SlowRelay:
    """Passes connections on to a port of this machine; what comes back is slow after so many bytes, until `let_go`.

    Slow, not held: a link on which nothing comes would end after some seconds.
    """

    SLOW_PIECE, PAUSE = 16384, 0.1

    def __init__(self, port, after):
        self.target, self.left = port, after
        self.free = threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
                far = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                return
            threading.Thread(target=self._copy, args=(near, far, False), daemon=True).start()
            threading.Thread(target=self._copy, args=(far, near, True), daemon=True).start()

    def _copy(self, source, sink, is_slow):
        try:
            while data := source.recv(self.SLOW_PIECE if is_slow else 65536):
                if is_slow and self.left <= 0:
                    self.free.wait(self.PAUSE)
                self.left -= len(data) if is_slow else 0
                sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            end.close()

    def let_go(self):
        self.free.set()

    def stop(self):
        self.let_go()
        self.listener.close()


def worldmap(*words):
    """Runs the tool for map files."""
    subprocess.run([BIN / "worldmap", *words], check=True, stdout=subprocess.DEVNULL)


class RoomTest(unittest.TestCase):
    """Tests with a made-up room in a folder that ends with them."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.room = cls.folder / "room.worldmap"
        worldmap("generate", "--points", "60000", "--seed", "7", cls.room)


class Page:
    """One Chromium with one tab."""

    def __init__(self, *flags):
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium")
        # Without a graphics card each letter that changes would have the whole page put together by a made-up one.
        for flag in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--use-angle=swiftshader",
                     "--enable-unsafe-swiftshader", "--disable-gpu-compositing", "--disable-background-networking",
                     "--no-first-run", *flags):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))

    def close(self):
        self.driver.quit()

    def command(self, name, **parameters):
        """A command of the Chrome DevTools Protocol."""
        return self.driver.execute_cdp_cmd(name, parameters)

    def size(self, width, height, mobile=False, scheme="dark"):
        """The size of the window's content in CSS pixels, whether it is a phone, and its colours."""
        self.command(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile)
        self.command("Emulation.setTouchEmulationEnabled", enabled=mobile)
        self.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def open(self, program):
        """Opens the address of a worldview, which works once, and waits for its first state."""
        # Another path first: an address that differs in its token alone would not load the page again.
        self.driver.get("about:blank")
        self.driver.get(program.address)
        program.next_address()
        self.until(lambda: self.text("#me"), "the page shows its peer")

    def until(self, condition, what):
        """Waits until a condition holds, and gives its value."""
        wait = WebDriverWait(self.driver, PATIENCE, 0.05, ignored_exceptions=[StaleElementReferenceException])
        return wait.until(lambda _: condition(), f"{what}\n{self.driver.get_log('browser')}")

    def press_row(self, number):
        """Presses a row of the list of anchors, once it is there."""
        def click():
            rows = self.all("#anchors li")
            if len(rows) > number:
                rows[number].click()
            return len(rows) > number
        # Found and clicked in one go: a list that is drawn anew in between makes it try again.
        self.until(click, f"row {number} of the anchors")

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector):
        """What people can read there, without the marks around names that keep their direction inside."""
        text = self.script("return document.querySelector(arguments[0]).innerText", selector)
        return text.replace("\u2068", "").replace("\u2069", "")

    def script(self, code, *arguments):
        return self.driver.execute_script(code, *arguments)

    def state(self):
        """The session as the server tells it to this page."""
        return self.driver.execute_async_script(
            "const done = arguments[0]; import('/server.js').then((server) => server.json('/state')).then(done)")

    def anchors(self):
        """The placed anchors but for those of planes, by name."""
        return {anchor["name"]: anchor for anchor in self.state()["anchors"] if not anchor["isPlane"]}

    def wait_for_map(self):
        """Waits until the points of the session's map are drawn, and not those of the example before it."""
        def is_here():
            known = self.state()["map"]
            return known is not None and known["id"] == self.view("now.shown")
        self.until(lambda: is_here() and self.script("return document.querySelector('#loading').hidden") and self.is_drawn(),
                   "a map is drawn")

    def is_drawn(self):
        """Whether the picture shows more than its grid: many pixels of strong colour."""
        return sum(1 for pixel in self.canvas_pixels(step=7) if max(pixel) - min(pixel) > 60) > 100

    def canvas_pixels(self, step=1):
        """Every so many pixels of the picture as (red, green, blue)."""
        box = self.box("#view")
        return self.pixels(*(int(box[side]) for side in ("left", "top", "right", "bottom")), step)

    def pixels(self, left, top, right, bottom, step=1):
        """Every so many pixels of a part of the window as (red, green, blue); the browser is fast at unpacking its shots."""
        flat = self.driver.execute_async_script("""
            const [shot, left, top, right, bottom, step, done] = arguments;
            const bytes = Uint8Array.from(atob(shot), (letter) => letter.charCodeAt(0));
            createImageBitmap(new Blob([bytes])).then((image) => {
              const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
              context.drawImage(image, 0, 0);
              const { data } = context.getImageData(0, 0, image.width, image.height);
              const found = [];
              for (let y = top; y < Math.min(bottom, image.height); y += step)
                for (let x = left; x < Math.min(right, image.width); x += step)
                  found.push(...data.subarray(4 * (y * image.width + x), 4 * (y * image.width + x) + 3));
              done(found);
            });""", self.driver.get_screenshot_as_base64(), left, top, right, bottom, step)
        return list(zip(*[iter(flat)] * 3))

    def box(self, selector):
        return self.script("return document.querySelector(arguments[0]).getBoundingClientRect().toJSON()", selector)

    def press(self, x, y, kind="mousePressed", count=1, buttons=1, **when):
        """A mouse event at a place of the window (CSS pixels), now or at a `timestamp` (seconds since 1970)."""
        self.command("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=buttons,
                     clickCount=count, **when)

    def release(self, x, y, count=1, **when):
        self.press(x, y, "mouseReleased", count, buttons=0, **when)

    def click(self, x, y, count=1, **when):
        self.press(x, y, count=count, **when)
        self.release(x, y, count, **when)

    def double_click(self, x, y):
        """Two clicks a tenth of a second apart, however busy the machine is."""
        start = time.time()
        self.click(x, y, timestamp=start)
        self.click(x + 1, y, count=2, timestamp=start + 0.1)

    def drag(self, start, end, steps=8):
        self.press(*start)
        for step in range(1, steps + 1):
            self.press(*(a + (b - a) * step / steps for a, b in zip(start, end)), "mouseMoved")
        self.release(*end)

    def touch(self, kind, *fingers):
        """Touches: `touchStart`, `touchMove` or `touchEnd` with the fingers that are down."""
        points = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(fingers)]
        self.command("Input.dispatchTouchEvent", type=kind, touchPoints=points)

    def key(self, key, code=None, number=0, modifiers=0, text=None):
        """A key pressed and released."""
        event = {"key": key, "code": code or key, "windowsVirtualKeyCode": number, "modifiers": modifiers}
        self.command("Input.dispatchKeyEvent", type="keyDown", **event, **({"text": text} if text else {}))
        self.command("Input.dispatchKeyEvent", type="keyUp", **event)

    def tab(self):
        self.key("Tab", number=9)

    def enter(self):
        self.key("Enter", number=13, text="\r")

    def write(self, text):
        self.command("Input.insertText", text=text)

    def label_box(self, name):
        """The middle of the label of an anchor (CSS pixels of the window), once it stands still."""
        self.spot(name)
        return self.script("""
            const label = [...document.querySelectorAll("#labels > *")].find((one) => one.textContent === arguments[0]);
            const box = label.getBoundingClientRect();
            return [box.left + box.width / 2, box.top + box.height / 2];""", name)

    def view(self, code):
        """The value of an expression about the view of the page, which is called `view`, and its `now`."""
        return self.driver.execute_async_script(
            "const done = arguments[0];"
            f"import('/stage.js').then(({{ view, now }}) => done({code}))")

    def label(self, name):
        """The point that the label of an anchor stands over (CSS pixels of the picture); None if it is hidden."""
        return self.script("""
            const labels = [...document.querySelectorAll("#labels > *")];
            const label = labels.find((one) => one.textContent === arguments[0]);
            if (!label || label.hidden || !label.style.transform) return null;
            const [x, y] = label.style.transform.match(/-?[\\d.e-]+(?=px)/g).map(Number);
            return [x, y];""", name)

    def spot(self, name):
        """The point that the label of an anchor stands over, once it does: between two pictures it may be away."""
        return self.until(lambda: self.label(name), f"the label of {name}")

    def shoot(self, name):
        """Keeps a picture of the page."""
        OUT.mkdir(parents=True, exist_ok=True)
        self.driver.save_screenshot(str(OUT / f"{name}.png"))


class TwoPagesTest(RoomTest):
    """Tests with two browsers, of one tab each."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.one, cls.other = Page(), Page()
        cls.addClassCleanup(cls.one.close)
        cls.addClassCleanup(cls.other.close)


class WorldviewsTest(TwoPagesTest):
    """Tests with one or two worldviews, each with a page."""

    def start(self, page, name, *options, accept="all", size=(1000, 700), mobile=False):
        """A worldview that is shown on a page."""
        program = Program(name, *options, accept=accept)
        self.addCleanup(program.stop)
        page.size(*size, mobile=mobile)
        page.open(program)
        self.addCleanup(page.shoot, f"{self.id().split('.')[-1]}-{name}")
        return program

    def start_passcode_room(self):
        """Anna's room, which asks for the passcode "correct horse", beside bert; returns anna's program."""
        secret = self.folder / "passcode"
        secret.write_text("correct horse\n")
        secret.chmod(0o600)
        anna = self.start(self.one, "anna", "--passcode-file", secret)
        self.start(self.other, "bert")
        return anna

    def start_both(self, **options):
        """Anna shares the room, bert has joined her."""
        self.anna = self.start(self.one, "anna", "--map", self.room)
        self.bert = self.start(self.other, "bert", "--connect", f"127.0.0.1:{self.anna.port}", **options)
        for page in (self.one, self.other):
            page.wait_for_map()
            self.wait_for_peers(page, 2)

    def wait_for_peers(self, page, count):
        page.until(lambda: page.text("#peer-count") == str(count), f"{count} peers")

    def dial(self, page, text):
        field = page.find("#dial-text")
        field.clear()
        field.send_keys(text)
        page.find("#dial-button").click()

    def press(self, page, words, within="main, aside"):
        """Presses the button with these words."""
        def click():
            button = next((one for one in page.all(f":is({within}) button") if one.text == words), None)
            if button:
                button.click()
            return button is not None
        # Found and clicked in one go: a panel that is drawn anew in between makes it try again.
        page.until(click, f"a button '{words}'")

    def place(self, page, x, y, name):
        page.click(x, y)
        page.until(lambda: page.label(name), f"the label of {name}")

    def load(self, page, path, points):
        """Loads a file and waits until the page shows so many points, written as people write them."""
        page.find("#file").send_keys(str(path))
        page.until(lambda: f"{points} points" in page.text("#map"), f"{path} is shown")
