"""The examples of the embedding guide: each shares a session with a worldpeer."""

import asyncio
import os
import pathlib
import subprocess
import sys
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[1]
sys.path.append(str(TOP / "Tests" / "Lan"))

from display import Display  # noqa: E402
from loopback import LoopbackTest  # noqa: E402
from peer import BIN  # noqa: E402

#: Where what the windows looked like is kept.
PICTURES = TOP / "examples-out"
#: How long anything may take (seconds).
LIMIT = 40


def flags(package):
    """The words with which pkg-config has a program compiled and linked."""
    words = ["pkg-config", "--cflags", "--libs", package]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()


class ExampleTest(LoopbackTest):
    """Example programs, which print their port, beside worldpeers."""

    def compiled(self, name, package=None):
        """The words that run an example in C."""
        program = self.folder / name
        # The headers of other libraries are theirs.
        others = [word.replace("-I", "-isystem", 1) for word in flags(package)] if package else []
        subprocess.run(
            ["gcc", "-std=c11", "-D_POSIX_C_SOURCE=200809L", "-Wall", "-Wextra", "-Werror",
             f"-I{TOP}/Sources/CSharedWorldHeaders/include", HERE / f"{name}.c", BIN.absolute() / "libCSharedWorld.so",
             *others, "-lm", f"-Wl,-rpath,{BIN.absolute()}", "-o", program], check=True)
        return [program]

    def start(self, *words, **options):
        """Starts an example; its port is in `port` of the result."""
        program = subprocess.Popen(
            [*words, self.folder / "example"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **options)
        self.addCleanup(self.end, program)
        program.port = int(program.stdout.readline())
        return program

    def end(self, program):
        if program.poll() is None:
            program.kill()
        program.wait()
        program.stdin.close()
        program.stdout.close()

    def display(self):
        (self.folder / "screen").mkdir()
        display = Display(self.folder / "screen")
        self.addCleanup(display.end)
        return display

    def peer_of(self, program, *options):
        """A worldpeer in the session of an example."""
        peer = self.worldpeer("swift", "--connect", f"127.0.0.1:{program.port}", *options)
        peer.event("peer-joined", seconds=LIMIT)
        return peer

    async def until(self, condition, words):
        """Waits for what a program draws, of which nobody tells."""
        end = time.monotonic() + LIMIT
        while not (found := condition()):
            self.assertLess(time.monotonic(), end, words)
            await asyncio.sleep(0.05)
        return found


class ExamplesTest(ExampleTest):
    def test_each_example_fits_a_page(self):
        for path in [*HERE.glob("*.c"), HERE / "robot.py"]:
            lines = len(path.read_text(encoding="utf-8").splitlines())
            self.assertLessEqual(lines, 100, path.name)

    def test_a_program_that_sleeps_in_poll(self):
        terminal = self.start(*self.compiled("terminal"))
        peer = self.peer_of(terminal)
        self.assertEqual(terminal.stdout.readline(), "swift is here\n")
        peer.ask("place cup 1 2 3 all")
        self.assertEqual(terminal.stdout.readline(), "cup at 1.0 2.0 3.0\n")
        terminal.stdin.write("place lamp 0 1 -2\nsay hello\n")
        terminal.stdin.flush()
        self.assertEqual(peer.event("anchor-added", name="lamp")["position"], [0, 1, -2])
        self.assertEqual(peer.event("message")["text"], "hello")
        terminal.stdin.close()
        self.assertEqual(terminal.wait(timeout=LIMIT), 0)

    async def test_a_window_of_gtk(self):
        display = self.display()
        window = self.start(*self.compiled("window", "gtk4"), env=display.environment)
        peer = await asyncio.to_thread(self.peer_of, window)
        # The dots have a colour of their own; a window's frame moves them all alike.
        await self.ask(peer, "place cup 0 0 0 all")
        dots = await self.until(lambda: display.find(255, 184, 51), "the window shows no anchor")
        x, y = (sum(place[axis] for place in dots) / len(dots) for axis in (0, 1))
        # 2 m to the right and 1 m towards the reader of the cup.
        await asyncio.to_thread(display.click, round(x) + 100, round(y) + 50)
        tap = await self.heard(peer, "anchor-added", name="tap")
        for found, expected in zip(tap["position"], (2, 0, 1)):
            self.assertAlmostEqual(found, expected, delta=0.03)
        shown = await self.until(
            lambda: [place for place in display.find(255, 184, 51) if place[0] > x + 90], "the tap is not shown")
        self.assertAlmostEqual(shown[0][1], y + 50, delta=8)
        await self.ask(peer, "pose -2 0 -1")
        await self.until(lambda: display.find(102, 153, 255), "the device is not shown")
        display.save(PICTURES / "window.png")

    async def test_a_loop_that_draws_in_3d(self):
        display = self.display()
        scene = self.start(*self.compiled("scene", "sdl2"), env=display.environment)
        peer = await asyncio.to_thread(self.peer_of, scene)
        # In front of the camera, wherever it looks.
        for line in ("place cup 0 1.5 -2 all", "place bowl -0.5 0.8 -3 all", "place lamp 1 2.2 -4 all"):
            await self.ask(peer, line)
        red = await self.until(lambda: display.find(255, 60, 60), "the scene shows no cross")
        self.assertTrue(all(x < 480 and y < 360 for x, y in red))
        await asyncio.to_thread(display.click, 240, 180)
        shot = (await self.heard(peer, "anchor-added", name="shot"))["position"]
        # 2 m from the camera, whose device others see.
        self.assertAlmostEqual(sum((found - at) ** 2 for found, at in zip(shot, (0, 1.5, 0))), 4, places=3)
        display.save(PICTURES / "scene.png")
        await self.heard(peer, "participant-moved", name="scene")

    async def test_a_robot_in_python(self):
        environment = {
            **os.environ, "PYTHONPATH": str(TOP / "Bindings" / "python"), "SHAREDWORLD_LIBRARY": str(
                BIN.absolute() / "libCSharedWorld.so")}
        robot = await asyncio.to_thread(self.start, sys.executable, HERE / "robot.py", env=environment)
        peer = await asyncio.to_thread(self.peer_of, robot)
        self.assertEqual(robot.stdout.readline(), "swift is here\n")
        await self.heard(peer, "anchor-added", name="met swift")
        await self.ask(peer, "place cup 0 0 3 all")
        self.assertEqual(await asyncio.to_thread(robot.stdout.readline), "cup is 3.0 m from met swift\n")
        await self.heard(peer, "participant-moved", name="robot")
        await self.ask(peer, "send stop")
        self.assertEqual((await self.heard(peer, "message"))["text"], "stopped")
        self.assertEqual(await asyncio.to_thread(robot.wait, LIMIT), 0)


if __name__ == "__main__":
    unittest.main()
