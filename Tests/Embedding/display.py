"""A screen in memory (Xvfb), for programs with a window: what it shows, and clicks on it."""

import os
import pathlib
import struct
import subprocess
import zlib


class Display:
    """An X server of its own, whose picture lies in a file."""

    def __init__(self, folder):
        self._picture = pathlib.Path(folder) / "Xvfb_screen0"
        read, write = os.pipe()
        words = ["Xvfb", "-displayfd", str(write), "-screen", "0", "640x480x24", "-nolisten", "tcp", "-fbdir", folder]
        self._server = subprocess.Popen(words, pass_fds=[write], stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read, encoding="ascii") as line:
            number = line.readline().strip()
        if not number:
            raise AssertionError("Xvfb does not start")
        #: For programs that draw on it, by the processor alone.
        self.environment = {
            **os.environ, "DISPLAY": f":{number}", "GDK_BACKEND": "x11", "GSK_RENDERER": "cairo",
            "SDL_VIDEODRIVER": "x11", "GSETTINGS_BACKEND": "memory", "GTK_A11Y": "none", "NO_AT_BRIDGE": "1"}

    def end(self):
        self._server.terminate()
        self._server.wait()

    def click(self, x, y):
        """Presses and releases the button of a mouse at a place of the screen (pixels)."""
        words = ["xdotool", "mousemove", str(x), str(y), "click", "1"]
        subprocess.run(words, env=self.environment, check=True, timeout=20)

    def picture(self):
        """The pixels now: width, height, and for each row red, green, blue."""
        # XWD: a header in big-endian words, the first of which is its length, then the table of colours, then the rows.
        raw = self._picture.read_bytes()
        header = struct.unpack(">25I", raw[:100])
        width, height, line, colors = header[4], header[5], header[12], header[19]
        begin = header[0] + 12 * colors
        rows = []
        for row in range(height):
            pixels = raw[begin + row * line:begin + row * line + 4 * width]
            rgb = bytearray(3 * width)
            rgb[0::3], rgb[1::3], rgb[2::3] = pixels[2::4], pixels[1::4], pixels[0::4]
            rows.append(bytes(rgb))
        return width, height, rows

    def save(self, path):
        """Writes what the screen shows as a PNG."""
        width, height, rows = self.picture()

        def chunk(kind, data):
            return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

        path.parent.mkdir(exist_ok=True)
        path.write_bytes(
            b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(b"".join(b"\0" + row for row in rows))) + chunk(b"IEND", b""))

    def find(self, *color):
        """The places (x, y) that show a colour: red, green and blue."""
        _, _, rows = self.picture()
        places = []
        for y, row in enumerate(rows):
            x = row.find(bytes(color))
            while x >= 0:
                if x % 3 == 0:
                    places.append((x // 3, y))
                x = row.find(bytes(color), x + 1)
        return places
