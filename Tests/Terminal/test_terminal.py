"""worldpeer on a terminal: the line editor, the row of status, and the terminal that it hands back."""

import os
import pathlib
import re
import select
import signal
import stat
import sys

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / "Lan"), str(TESTS / "Terminal")]

from loopback import LoopbackTest, thorough  # noqa: E402
from pane import Pane  # noqa: E402
from peer import BIN  # noqa: E402

PROMPT = "porch›"


class TerminalTest(LoopbackTest):
    """A worldpeer called porch in a terminal of tmux."""

    def open(self, *options, columns=100, rows=30, prefix=""):
        """Starts porch in a new terminal."""
        pane = Pane(self, self.folder, columns, rows)
        self.start(pane, *options, prefix=prefix)
        return pane

    def start(self, pane, *options, prefix=""):
        """Starts porch in a terminal."""
        words = [BIN.resolve() / "worldpeer", "--name", "porch", "--discovery", "none", "--listen", "127.0.0.1:0"]
        pane.type(" ".join(map(str, [prefix, *words, "--accept", "all", *options])), "Enter")
        lines = pane.until("is ready on port")
        self.port = next(re.search("ready on port (\\d+)", line)[1] for line in lines if "ready on port" in line)
        if "--plain" not in options and "dumb" not in prefix:
            pane.until("│ host porch │")
        self.pid = pane.program()
        self.addCleanup(self.stop, os.pidfd_open(self.pid))

    def bob(self):
        """A peer that has joined porch."""
        peer = self.worldpeer("bob", "--connect", f"127.0.0.1:{self.port}")
        peer.ask("wait peers 1")
        return peer

    def stop(self, program):
        """Ends a program that a failed test left running, and waits until it has."""
        try:
            signal.pidfd_send_signal(program, signal.SIGKILL)
        except ProcessLookupError:
            pass
        select.select([program], [], [])
        os.close(program)

    def footer(self, lines):
        """The typed row and the status at the end of the screen, which must stand there once."""
        self.assertEqual(sum(line.startswith(PROMPT) for line in lines), 1, "\n".join(lines))
        self.assertEqual(sum(line.startswith("porch │") for line in lines), 1, "\n".join(lines))
        self.assertTrue(lines[-1].startswith("porch │"), "\n".join(lines))
        return lines[-2].removeprefix(PROMPT).strip()

    def typed(self, lines):
        """What stands behind the prompt."""
        return next(line.removeprefix(PROMPT).strip() for line in lines if line.startswith(PROMPT))

    def fits(self, lines, columns, rows):
        """Whether the footer stands once, as wide as it may be, and without its status on a low screen."""
        typed = [line for line in lines if line.startswith(PROMPT)]
        status = [line for line in lines if line.startswith("porch │")]
        # Behind the cursor there is room for a wide character, and the last column stays free.
        width = min(columns - 3, len(PROMPT) + 1 + len(self.text))
        return (len(typed), len(status)) == (1, int(rows > 3)) and len(typed[0]) == width and lines[-1] == (
            status or typed)[0]

    def leave(self, pane):
        """Leaves by Ctrl-C twice."""
        before = "\n".join(pane.everything()).count("Ctrl-C again")
        pane.keys("C-c")
        pane.until(lambda _: "\n".join(pane.everything()).count("Ctrl-C again") > before)
        pane.keys("C-c")
        self.left(pane, 130)

    def left(self, pane, status):
        """Waits until the shell is back, and says that porch ended with a status."""
        pane.until("^\\$ $")
        pane.type("echo status $?", "Enter")
        pane.until(f"^status {status}$")


class KeysTest(TerminalTest):
    """What is typed."""

    async def test_arrows_edit_the_line_and_the_history_outlives_the_process(self):
        pane = self.open()
        pane.type("place lamp 1 2 3")
        pane.keys("Home", "Right", "Right", "Right", "Right", "Right", "Right")
        pane.type("my", "End", "BSpace")
        pane.type("4", "Enter")
        pane.until("placed at \\(1.000, 2.000, 4.000\\)")
        pane.type("digest", "Enter", "Up", "Up")
        pane.until(f"^{PROMPT} place mylamp 1 2 4$")
        pane.keys("Down", "C-u")
        pane.type("  quit", "Enter")
        self.left(pane, 0)
        file = self.folder / "state" / "sharedworld" / "history"
        self.assertEqual(file.read_text(encoding="utf-8"), "place mylamp 1 2 4\ndigest\n")
        self.assertEqual(stat.S_IMODE(os.stat(file).st_mode), 0o600)
        pane.type("clear", "Enter")
        self.start(pane)
        pane.keys("C-r")
        pane.type("dig")
        pane.until("bck:dig")
        pane.keys("Enter")
        pane.until("^› digest$")
        pane.keys("Up", "Up")
        pane.until(f"^{PROMPT} place mylamp 1 2 4$")

    @thorough
    async def test_tab_completes_commands_anchors_and_peers(self):
        pane = self.open()
        self.bob()
        pane.until("bob joined")
        pane.type("dige", "Tab")
        pane.until(f"^{PROMPT} digest$")
        pane.keys("C-u")
        for name in ("'big lamp'", "'big sofa'"):
            pane.type(f"place {name} 1 2 3", "Enter")
        pane.until("2 anchors")
        pane.type("move b", "Tab")
        pane.until(f"^{PROMPT} move 'big$")
        pane.keys("Tab")
        pane.until("^  big sofa$")
        pane.type("s", "Tab")
        # A tab with more behind it at once would be pasted.
        pane.until(f"^{PROMPT} move 'big sofa'$")
        pane.type("4 5 6", "Enter")
        pane.until("^› move 'big sofa' 4 5 6$")
        pane.until("~ big sofa \\(4.000, 5.000, 6.000\\)")
        pane.type("kick b", "Tab")
        lines = pane.until(f"^{PROMPT} kick bob$")
        self.assertEqual(self.footer(lines), "kick bob")

    @thorough
    async def test_wide_characters_are_edited_whole(self):
        pane = self.open()
        bob = self.bob()
        pane.type("place 'Lämpchen 日本👋' 1 2 3")
        pane.until("日本👋' 1 2 3")
        pane.keys("C-a", *["Right"] * 18, "BSpace", "BSpace")
        pane.until(f"^{PROMPT} place 'Lämpchen 👋' 1 2 3$")
        self.assertEqual(pane.cursor()[0], len(f"{PROMPT} place 'Lämpchen "))
        pane.keys("Right", "Right", "Left")
        pane.type("日")
        pane.until(f"^{PROMPT} place 'Lämpchen 👋日' 1 2 3$")
        self.assertEqual(pane.cursor()[0], len(f"{PROMPT} place 'Lämpchen ") + 4)
        pane.keys("Enter")
        self.assertEqual(bob.event("anchor-added")["name"], "Lämpchen 👋日")
        pane.until("^› place 'Lämpchen 👋日' 1 2 3$")

    @thorough
    async def test_a_paste_of_1000_lines_is_carried_out_once_and_in_order(self):
        text = "".join(f"place n{number}\t{number} 0 0\n" for number in range(1, 1001))
        for options in ((), ("-p",)):
            with self.subTest(options=options):
                pane = self.open()
                pane.paste(text + "digest", *options)
                lines = pane.until(lambda lines: any("1,000 anchors" in line for line in lines)
                                   and not any("waiting" in line for line in lines))
                self.assertEqual(self.footer(lines), "digest")
                echoed = [line.split()[2] for line in pane.everything() if line.startswith("› place")]
                self.assertEqual(echoed, [f"n{number}" for number in range(1, 1001)])
                self.leave(pane)


class ScreenTest(TerminalTest):
    """Events beside the line that is typed."""

    @staticmethod
    def added(lines):
        """How many anchors each line tells of: those that arrive together are one line, which begins with their number."""
        words = [line.split()[1] for line in lines if line.startswith("+ ")]
        return [int(word) if word.isdigit() else 1 for word in words]

    @thorough
    async def test_events_do_not_touch_what_is_typed(self):
        pane = self.open()
        bob = self.bob()
        bob.send("burst 300 300 event")
        text = "place 'half typed' 1 2 3"
        for letter in text:
            pane.type(letter)
        pane.until("300 anchors")
        pane.until(lambda _: sum(self.added(pane.everything())) == 300)
        self.assertGreater(len(self.added(pane.everything())), 1)
        self.assertEqual(self.footer(pane.screen()), text)
        column, row = pane.cursor()
        self.assertEqual((column, row), (len(PROMPT) + 1 + len(text), len(pane.screen()) - 2))
        pane.keys("Enter")
        self.assertEqual(bob.event("anchor-added", name="half typed")["position"], [1, 2, 3])

    @thorough
    async def test_a_resize_keeps_the_line_and_one_row_of_status(self):
        pane = self.open()
        bob = self.bob()
        pane.until("in step with everybody")
        self.text = text = "place 'a name that is longer than the narrow terminal' 1 2 3"
        pane.type(text)
        pane.until("narrow terminal' 1 2 3$")
        for number, (columns, rows) in enumerate([(40, 20), (20, 10), (120, 40), (60, 3), (100, 30)]):
            pane.resize(columns, rows)
            # The terminal wraps at once, and tells the program a moment later.
            pane.until(lambda lines: self.fits(lines, columns, rows))
            bob.ask(f"place turn{number} 0 0 {number}")
            lines = pane.until(
                lambda lines: f"turn{number}" in "".join(lines) and self.fits(lines, columns, rows))
            typed = self.typed(lines)
            self.assertTrue(typed and typed in text, typed)
        pane.keys("Enter")
        bob.event("anchor-added", name="a name that is longer than the narrow terminal")

    @thorough
    async def test_the_map_from_above_fits_the_terminal(self):
        pane = self.open(columns=70, rows=40)
        pane.type(f"load {self.room(5_000)}", "Enter")
        pane.until("5000 points")
        pane.type("place sofa 1 0 1", "Enter")
        pane.until("1 anchor ")
        pane.type("show", "Enter")
        lines = pane.until("  a  sofa \\(1.000, 0.000, 1.000\\)")
        plan = [line for line in lines if re.search("[⠁-⣿]", line)]
        self.assertGreater(len(plan), 10)
        self.assertTrue(all(len(line) < 70 for line in plan))
        self.assertTrue(any("a" in line for line in plan))
        pane.until("├─+┤ .* m ")


class LeavingTest(TerminalTest):
    """The terminal that comes back."""

    @thorough
    async def test_ctrl_c_gives_up_the_line_then_the_command_then_the_session(self):
        pane = self.open()
        pane.type("place lamp 1 2")
        pane.until("place lamp 1 2$")
        pane.keys("C-c")
        pane.until("Ctrl-C again to leave")
        # The empty line is drawn after the hint.
        lines = pane.until(lambda lines: any(line.strip() == PROMPT.strip() for line in lines))
        self.assertEqual(self.footer(lines), "")
        pane.type("wait peers 5 600", "Enter")
        pane.until("^› wait peers 5 600")
        pane.keys("C-c")
        pane.until("✗ cancelled: given up")
        pane.type("place lamp 1 2 3", "Enter")
        pane.until("placed at")
        self.leave(pane)

    @thorough
    async def test_every_way_out_restores_the_terminal(self):
        pane = Pane(self, self.folder)
        modes = pane.modes()
        for way, status in (
                (lambda: pane.keys("C-d"), 0), (lambda: pane.type("quit", "Enter"), 0),
                (lambda: os.kill(self.pid, 15), 143), (lambda: os.kill(self.pid, 2), 130),
                (lambda: os.kill(self.pid, 6), 134), (lambda: os.kill(self.pid, 11), 139)):
            with self.subTest(status=status):
                # Swift would ask what to do with a crash.
                self.start(pane, prefix="SWIFT_BACKTRACE=enable=no")
                way()
                self.left(pane, status)
                self.assertFalse(any(line.startswith(PROMPT) or line.startswith("porch │") for line in pane.screen()))
                self.assertEqual(pane.modes(), modes)
                # The marks of a paste are sent only to a program that asked for them.
                pane.type("echo ready; cat -v", "Enter")
                pane.until("ready$")
                pane.paste("pasted\n", "-p")
                self.assertIn("pasted", pane.until("pasted"))
                pane.keys("C-d")
                pane.until("^\\$ $")
                pane.type("clear", "Enter")
                pane.until(lambda lines: lines == ["$ "])

    @thorough
    async def test_a_job_that_stops_hands_the_terminal_to_the_shell_and_takes_it_again(self):
        pane = Pane(self, self.folder)
        modes = pane.modes()
        self.start(pane)
        pane.type("place lamp")
        pane.until("place lamp$")
        pane.keys("C-z")
        pane.until("Stopped")
        pane.until("^\\$ $")
        self.assertEqual(pane.modes(), modes)
        pane.type("fg", "Enter")
        pane.until(f"^{PROMPT} place lamp$")
        pane.type(" 1 2 3", "Enter")
        pane.until("placed at")
        pane.keys("C-d")
        self.left(pane, 0)
        self.assertEqual(pane.modes(), modes)

    @thorough
    async def test_a_terminal_without_cursor_keys_gets_plain_lines(self):
        for options, prefix in (((), "TERM=dumb"), (("--plain",), "NO_COLOR=1")):
            with self.subTest(prefix=prefix):
                pane = self.open(*options, prefix=prefix)
                begin = len(pane.raw)
                pane.type("place lamp 1 2 3", "Enter")
                pane.until("placed at")
                pane.keys("C-d")
                self.left(pane, 0)
                printed = pane.raw[begin:].split(b"placed at")[0]
                self.assertNotIn(b"\x1b", printed)
                self.assertNotIn("│".encode(), pane.raw)
