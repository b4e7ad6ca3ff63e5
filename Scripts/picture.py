#!/usr/bin/env python3
"""Makes Documentation/Pictures/two-peers.svg, the moving picture of README.md: what two worldpeers in a room print.

Both run on this machine (build them first: swift build --product worldpeer). Every line is one that they printed, in
order; lines that wait for the other one, or say a thing twice, are left out, and pauses are shortened or stretched.

usage: Scripts/picture.py [FOLDER-OF-PROGRAMS]
"""

import html
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUT = ROOT / "Documentation/Pictures/two-peers.svg"
SCRIPTS = {
    "Ada": """
        wait peers 1
        sleep 1
        place lamp 0.5 1.2 -2
        wait anchor door
        sleep 3
        anchors
        sleep 3
        quit
        """,
    "Bob": """
        wait anchor lamp
        sleep 1
        place door -1 0 -3
        sleep 1
        move lamp 0.5 1.6 -2
        sleep 2
        anchors
        sleep 4
        quit
        """,
}
#: Lines that are left out: the waiting, what follows the last command, and what the line of an anchor says already.
HIDDEN = re.compile(r"› (wait|sleep|quit)|is gone|left|looking for|placed at|found|wants to join")
#: The shortest and the longest pause between two lines, and how long the whole is shown (seconds).
SHORTEST, LONGEST, HOLD = 0.5, 1.2, 6
#: Measures (pixels), and columns of a window.
CHARACTER, LINE, MARGIN, COLUMNS = 8.4, 20, 16, 84
COLORS = {"32": "#7ee787", "33": "#e3b341", "31": "#ff7b72", "36": "#79c0ff", "2": "#8b949e"}
TEXT, BACK, BAR = "#e6edf3", "#0d1117", "#21262d"


class Peer:
    """A worldpeer whose lines are kept with the time of each."""

    def __init__(self, programs, folder, name, *words):
        script = folder / f"{name}.txt"
        script.write_text(textwrap.dedent(SCRIPTS[name]), encoding="utf-8")
        self.lines = []
        self.process = subprocess.Popen(
            [programs / "worldpeer", *words, "--name", name, "--discovery", "embedded", "--identity", folder / name,
             "--script", script],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env={"CLICOLOR_FORCE": "1", "HOME": str(folder), "LANG": "C.UTF-8"})
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        with self.process.stdout:
            for line in self.process.stdout:
                self.lines.append((time.monotonic(), line.rstrip("\n")))

    def code(self):
        """The code of the room that it hosts."""
        end = time.monotonic() + 20
        while time.monotonic() < end:
            for _, line in self.lines:
                if found := re.search(r"--code (\S+)", line):
                    return found[1]
            time.sleep(0.05)
        raise SystemExit("error: worldpeer printed no code")

    def finish(self):
        status = self.process.wait(timeout=90)
        self.reader.join()
        if status:
            sys.exit(f"error: worldpeer ended with status {status}:\n" + "\n".join(line for _, line in self.lines))


def record(programs):
    """The lines of both windows as (time, window, text with colors), in order."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        begin = time.monotonic()
        ada = Peer(programs, folder, "Ada", "host", "kitchen")
        code = ada.code()
        time.sleep(1)
        entered = time.monotonic()
        bob = Peer(programs, folder, "Bob", "join", "kitchen", "--code", code)
        ada.finish()
        bob.finish()
    shown = [(begin, 0, "\x1b[2mada@tablet$\x1b[0m worldpeer host kitchen --name Ada"),
             (entered, 1, f"\x1b[2mbob@laptop$\x1b[0m worldpeer join kitchen --name Bob --code {code}")]
    for window, peer in enumerate((ada, bob)):
        shown += [(at, window, line) for at, line in peer.lines if not HIDDEN.search(plain(line))]
    return sorted(shown)


def plain(line):
    return re.sub(r"\x1b\[[0-9;]*m", "", line)


def spans(line):
    """A line with its colors as SVG, cut to the width of a window."""
    color, is_bold, left, parts = TEXT, False, COLUMNS, []
    for piece in re.split(r"(\x1b\[[0-9;]*m)", line):
        if piece.startswith("\x1b"):
            number = piece[2:-1]
            color = COLORS.get(number, TEXT if number in ("", "0") else color)
            is_bold = number == "1" or is_bold and number not in ("", "0")
        elif piece[:left]:
            weight = ' font-weight="bold"' if is_bold else ""
            parts.append(f'<tspan fill="{color}"{weight}>{html.escape(piece[:left])}</tspan>')
            left -= len(piece[:left])
    return "".join(parts)


def times(lines):
    """When each line appears (seconds), with even pauses, and the length of the whole."""
    at, previous, found = 0.5, lines[0][0], []
    for moment, _, line in lines:
        if found:
            # Lines that belong to the one before come with it.
            pause = 0 if plain(line).startswith("  ") else max(moment - previous, SHORTEST)
            at += min(pause, LONGEST)
        found.append(at)
        previous = moment
    return found, at + HOLD


def window(title, top, lines):
    """One window with (name of its animation, line) from top down."""
    width, height = COLUMNS * CHARACTER + 2 * MARGIN, (len(lines) + 0.5) * LINE + MARGIN
    drawn = [f'<rect x="0" y="{top}" width="{width:.0f}" height="{height + 28:.0f}" rx="8" fill="{BACK}"/>',
             f'<path d="M0 {top + 8}a8 8 0 0 1 8-8h{width - 16:.0f}a8 8 0 0 1 8 8v20h-{width:.0f}z" fill="{BAR}"/>',
             f'<text x="{MARGIN}" y="{top + 19}" fill="#8b949e">{title}</text>']
    for number, (name, line) in enumerate(lines):
        y = top + 28 + MARGIN + number * LINE + 6
        drawn.append(f'<text class="{name}" x="{MARGIN}" y="{y:.0f}" xml:space="preserve">{spans(line)}</text>')
    return drawn, top + height + 28


def picture(lines):
    moments, length = times(lines)
    style = ["text{font:14px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace}",
             "@media(prefers-reduced-motion:no-preference){"]
    windows = ([], [])
    for number, (moment, (_, side, line)) in enumerate(zip(moments, lines)):
        part = 100 * moment / length
        style.append(f".l{number}{{animation:k{number} {length:.1f}s step-end infinite}}"
                     f"@keyframes k{number}{{0%{{opacity:0}}{part:.2f}%{{opacity:1}}}}")
        windows[side].append((f"l{number}", line))
    first, top = window("Ada, with a tablet in the kitchen", 0, windows[0])
    second, height = window("Bob, with a laptop in the same room", top + 12, windows[1])
    width = COLUMNS * CHARACTER + 2 * MARGIN
    size = f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">'
    return "\n".join([head, "<title>Two terminals: Ada and Bob place and move anchors in one room</title>",
                      "<style>" + "".join(style) + "}</style>", *first, *second, "</svg>", ""])


def main():
    programs = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / ".build/debug")
    OUT.write_text(picture(record(programs)), encoding="utf-8")
    print(f"made {OUT.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
