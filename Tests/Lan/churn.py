"""A LAN on which nothing stays as it is: peers come, go, crash and stand still, links are cut, anchors are edited.

What happens follows from the seed; when it happens, and so how far a run comes, depends on how fast the peers answer.
"""

import random
import signal
import time

from peer import PeerError

#: What may go wrong with an edit because another peer was faster.
LOST_RACES = ("unknown-anchor", "edit-superseded")
#: The longest pause between two actions (seconds): the rhythm of the churn, nothing is waited for by it.
PAUSE = 0.2
#: For how long in the end nothing is mended (seconds): longer than a dead link goes unnoticed.
BREAKING = 6
#: For how many actions a process stands still at most, about 5 s.
STANDSTILL = 40


class Seat:
    """A host, and the peer on it, if one runs there."""

    def __init__(self, host):
        self.host = host
        self.peer = None
        self.is_plugged = True
        #: After how many more actions the peer goes on; 0 when it does not stand still.
        self.standstill = 0

    @property
    def answers(self):
        return self.peer is not None and self.standstill == 0


class Churn:
    """Breaks and mends the peers of a test."""

    #: How often each action comes, compared with the others.
    WEIGHTS = {
        "edit": 60, "join": 12, "leave": 2, "kill": 3, "restart": 3, "unplug": 4, "plug": 5, "split": 2, "heal": 2,
        "stop": 3}

    def __init__(self, test, seed, seats):
        self.test = test
        self.random = random.Random(seed)
        self.seats = [Seat(test.lab.host(f"peer{number}")) for number in range(1, seats + 1)]
        #: Anchors by id: the process that placed it.
        self.placed = {}
        #: Anchors that somebody wanted to remove: the processes that did.
        self.removed = {}
        self.counts = dict.fromkeys(self.WEIGHTS, 0)
        self.is_split = False

    @property
    def peers(self):
        """The peers that run."""
        return [seat.peer for seat in self.seats if seat.peer]

    def run(self, seconds):
        """Goes on for so long; in the end nothing is mended any more, so that there is something to agree on."""
        for seat in self.seats:
            self.start(seat)
        start = time.monotonic()
        self.act_until(start + seconds - BREAKING, self.WEIGHTS)
        self.split()
        self.act_until(start + seconds, {**self.WEIGHTS, "plug": 0, "heal": 0})

    def act_until(self, end, weights):
        """Does one thing after the other, each as often as its weight says."""
        while time.monotonic() < end:
            action = self.random.choices(list(weights), list(weights.values()))[0]
            self.wake(1)
            if getattr(self, action)():
                self.counts[action] += 1
            time.sleep(self.random.uniform(0, PAUSE))

    def settle(self):
        """Mends everything; running peers keep running."""
        self.wake(STANDSTILL)
        for seat in self.seats:
            seat.host.plug()
        self.test.lab.heal()

    def start(self, seat):
        """Starts a peer; it invites the peers on the other hosts, now or later."""
        seat.peer = self.test.start_on(seat.host, [other.host for other in self.seats if other is not seat])

    def pick(self, fits):
        """One of the seats that fit, or None."""
        seats = [seat for seat in self.seats if fits(seat)]
        return self.random.choice(seats) if seats else None

    def pick_running(self):
        """A seat whose peer can go: at least two stay, to keep what the others did."""
        return self.pick(lambda seat: seat.answers) if sum(seat.answers for seat in self.seats) > 2 else None

    def wake(self, actions):
        """Lets those go on that have stood still for long enough, now that so many more actions have passed."""
        for seat in self.seats:
            if 0 < seat.standstill <= actions:
                seat.peer.signal(signal.SIGCONT)
            seat.standstill = max(0, seat.standstill - actions)

    def join(self):
        seat = self.pick(lambda seat: seat.peer is None)
        if seat:
            self.start(seat)
        return seat

    def leave(self):
        seat = self.pick_running()
        if seat:
            self.test.assertEqual(seat.peer.quit(), 0)
            seat.peer = None
        return seat

    def kill(self):
        seat = self.pick_running()
        if seat:
            seat.peer.kill()
            seat.peer = None
        return seat

    def restart(self):
        seat = self.pick_running()
        if seat:
            seat.peer.kill()
            self.start(seat)
        return seat

    def unplug(self):
        seat = self.pick(lambda seat: seat.is_plugged)
        if seat:
            seat.host.unplug()
            seat.is_plugged = False
        return seat

    def plug(self):
        seat = self.pick(lambda seat: not seat.is_plugged)
        if seat:
            seat.host.plug()
            seat.is_plugged = True
        return seat

    def split(self):
        apart = self.random.sample([seat.host for seat in self.seats], self.random.randint(1, len(self.seats) // 2))
        self.test.lab.split(apart)
        self.is_split = True
        return True

    def heal(self):
        was_split, self.is_split = self.is_split, False
        self.test.lab.heal()
        return was_split

    def stop(self):
        seat = self.pick_running()
        if seat:
            seat.peer.signal(signal.SIGSTOP)
            seat.standstill = self.random.randint(1, STANDSTILL)
        return seat

    def edit(self):
        seat = self.pick(lambda seat: seat.answers)
        kind = self.random.choices(["place", "move", "rename", "remove"], [5, 3, 2, 2])[0]
        anchor = self.random.choice(list(self.placed)) if self.placed and kind != "place" else None
        if anchor is None:
            answer = seat.peer.ask(f"place anchor{len(self.placed)} 0 0 0")
            self.placed[answer["id"]] = seat.peer
            return True
        if kind == "remove":
            self.removed.setdefault(anchor, []).append(seat.peer)
        words = {"move": "1 2 3", "rename": f"by{seat.peer.name}", "remove": ""}[kind]
        try:
            seat.peer.ask(f"{kind} {anchor} {words}")
        except PeerError as error:
            if error.code not in LOST_RACES:
                raise
            if kind == "remove":
                self.removed[anchor].remove(seat.peer)
            return False
        return True

    def check_anchors(self, ids):
        """Nothing that a surviving process did is missing, and nothing that one removed is there."""
        peers = self.peers
        for anchor, author in self.placed.items():
            removers = self.removed.get(anchor, [])
            if author in peers and not removers:
                self.test.assertIn(anchor, ids, f"{author.name}, which lives, placed it")
            if any(peer in peers for peer in removers):
                self.test.assertNotIn(anchor, ids, "one that lives removed it")
