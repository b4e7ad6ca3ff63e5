"""A terminal of tmux with a shell in it: keys go in, and what stands on its screen comes out."""

import itertools
import os
import pathlib
import re
import select
import subprocess
import time

NUMBERS = itertools.count()
#: Nothing on a screen takes longer, also on a busy machine (seconds).
PATIENCE = 60


class PaneError(Exception):
    """What a test waits for did not come; the text holds the screen."""


class Pane:
    """A shell in a terminal of its own, which ends with the test."""

    def __init__(self, test, folder, columns=100, rows=30):
        self.folder = folder
        self._socket = f"sharedworld-{os.getpid()}-{next(NUMBERS)}"
        home = {"HOME": str(folder), "XDG_STATE_HOME": str(folder / "state"), "LC_ALL": "C.UTF-8"}
        (folder / "tmux.conf").write_text("set -g history-limit 5000\n", encoding="ascii")
        # A server of its own knows nothing of the one that the user of this machine may run.
        self._environment = {"PATH": os.environ["PATH"], "TERM": "screen", "TMUX_TMPDIR": str(folder), **home}
        self.tmux(
            "-f", str(folder / "tmux.conf"), "new-session", "-d", "-x", str(columns), "-y", str(rows),
            "exec env --default-signal 'PS1=$ ' HISTFILE=/dev/null bash --norc --noprofile --noediting")
        test.addCleanup(self.tmux, "kill-server")
        # Whatever the terminal shows goes there too: to wait at it is to wait for a change of the screen.
        path = folder / f"{self._socket}.fifo"
        os.mkfifo(path)
        self._output = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        test.addCleanup(os.close, self._output)
        self.raw = b""
        self.tmux("pipe-pane", f"exec cat >'{path}'")
        self.until("^\\$ $")

    def tmux(self, *words, text=None):
        """Runs a command of tmux and gives what it prints."""
        words = ("tmux", "-u", "-L", self._socket, *words)
        return subprocess.run(
            words, env=self._environment, input=text, check=True, capture_output=True, encoding="utf-8").stdout

    def keys(self, *keys):
        """Presses keys by the names that tmux has for them, such as Enter, Up or C-c."""
        self.tmux("send-keys", *keys)

    def type(self, text, *keys):
        """Types text, then presses keys."""
        self.tmux("send-keys", "-l", "--", text)
        if keys:
            self.keys(*keys)

    def paste(self, text, *options):
        """Pastes text, as a terminal does: with -p in the marks of a paste if the program asked for them."""
        self.tmux("load-buffer", "-", text=text)
        self.tmux("paste-buffer", *options)

    def resize(self, columns, rows):
        """Gives the terminal another size."""
        self.tmux("resize-window", "-x", str(columns), "-y", str(rows))

    def screen(self):
        """The lines of the screen without blanks at their ends, and none below the last one."""
        return self.tmux("capture-pane", "-p").rstrip("\n").split("\n")

    def everything(self):
        """The lines that scrolled off, and those of the screen; what was wrapped is joined."""
        return self.tmux("capture-pane", "-p", "-J", "-S", "-").rstrip("\n").split("\n")

    def until(self, wanted, seconds=PATIENCE):
        """Waits until a line of the screen matches a pattern, or a function of the lines is true; gives the lines."""
        def matches(lines):
            return any(re.search(wanted, line) for line in lines)
        holds = matches if isinstance(wanted, str) else wanted
        deadline = time.monotonic() + seconds
        while True:
            lines = [line or "" for line in self.screen()]
            if lines and lines[-1] == "$":
                lines[-1] = "$ "
            if holds(lines):
                return lines
            if time.monotonic() > deadline:
                raise PaneError(f"not on the screen within {seconds} s: {wanted}\n" + "\n".join(lines))
            # tmux may still be about to show what it has sent on, so it is asked again soon.
            if select.select([self._output], [], [], 0.2)[0]:
                self.raw += os.read(self._output, 1 << 16)

    def program(self):
        """The process that the shell runs."""
        shell = self.tmux("display-message", "-p", "#{pane_pid}").strip()
        return int(pathlib.Path(f"/proc/{shell}/task/{shell}/children").read_text(encoding="ascii").split()[0])

    def cursor(self):
        """The column and row of the cursor, from 0."""
        column, row = self.tmux("display-message", "-p", "#{cursor_x} #{cursor_y}").split()
        return int(column), int(row)

    def modes(self):
        """The settings of the terminal, as stty prints them to the shell."""
        path = self.folder / f"modes-{next(NUMBERS)}"
        self.type(f"stty -a >{path}; echo set aside", "Enter")
        self.until(lambda lines: "set aside" in lines)
        self.type("clear", "Enter")
        self.until(lambda lines: "set aside" not in lines)
        return pathlib.Path(path).read_text(encoding="utf-8")
