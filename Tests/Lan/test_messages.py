"""Messages of apps where networks and processes lose what is on its way: all arrive, once and in order."""

import signal
import threading
import time

from lab import wait_until
from lan_test import LanTest

#: How long messages may take to arrive once nothing is lost any more (seconds); a busy machine needs longer than an idle one.
ARRIVAL = 60
#: How often a flood sends a megabyte of messages and then an anchor: 12 of them a second fill the link, for a minute.
FLOODS = 720


class MessageTest(LanTest):
    def send(self, sender, numbers, size=0, to=""):
        """Has a peer send messages of at least so many bytes, which begin with these numbers, without waiting."""
        for number in numbers:
            sender.send(f"send {to} '{number} {'x' * size}'")

    def expect(self, receiver, sender, count):
        """Waits until a peer has all messages of another one, numbered from 0: each once, and in order."""
        def arrived():
            return [int(event["text"].split()[0]) for event in receiver.events
                    if event["event"] == "message" and event["peerID"] == sender.id]
        wait_until(lambda: len(arrived()) >= count, ARRIVAL, f"{count} messages at {receiver.name}")
        self.assertEqual(arrived(), list(range(count)))
        self.assertEqual([event for event in sender.events if event["event"] == "messages-failed"], [])

    def test_250_messages_of_60_kb_arrive_over_50_megabits(self):
        one = self.start("one")
        two = self.start("two", one, megabits=50)
        self.agree([one, two])
        self.send(one, range(250), size=60_000)
        self.expect(two, one, 250)

    def test_messages_that_fill_a_link_delay_no_anchor(self):
        one, three = self.start_session(2)
        two = self.start("two", one, megabits=100)
        self.agree([one, two, three])
        holders = [one.host, three.host]
        # Before and after, because what else the machine does changes meanwhile.
        raw = self.time_raw_tcp(holders, two.host)
        # One's anchors share their link with its messages, three's only the way to the receiver.
        lines = ([f"send two '{'x' * 50_000}'"] * 20 + ["burst 1 1000"]) * FLOODS + ["burst 1 1000 end"]
        flood = threading.Thread(target=lambda: [one.send(line) for line in lines])
        since = len(one.events)
        flood.start()
        placed = three.ask("burst 2400 50", seconds=2 * ARRIVAL)["placed"]
        flood.join()
        two.event("anchor-added", seconds=2 * ARRIVAL, where=lambda event: event["name"].startswith("end"))
        for event in one.events[since:]:
            if event["event"] == "answer" and event["command"] == "burst":
                placed += event["placed"]
        told = {event["id"]: event["clock"] for event in two.events if event["event"] == "anchor-added"}
        times = [1000 * (told[each["id"]] - each["clock"]) for each in placed if each["id"] in told]
        self.assertGreater(len(times), 2400 + FLOODS)
        raw += self.time_raw_tcp(holders, two.host)
        self.check_latency("messages that fill a link", times, raw)

    def test_4_seconds_of_dropped_packets_lose_no_message(self):
        one, two = self.start_session(2)
        for part in range(4):
            self.send(one, range(50 * part, 50 * part + 50), size=1000)
            if part == 1:
                self.lab.split([two.host])
                dropped = time.monotonic()
        time.sleep(max(0, dropped + 4 - time.monotonic()))
        self.lab.heal()
        self.expect(two, one, 200)

    def test_a_receiver_that_stands_still_for_6_seconds_loses_no_message(self):
        one, two = self.start_session(2)
        self.send(one, range(100), size=1000)
        two.signal(signal.SIGSTOP)
        self.send(one, range(100, 200), size=1000)
        time.sleep(6)
        two.signal(signal.SIGCONT)
        self.expect(two, one, 200)

    def test_a_member_without_a_route_gets_its_messages_through_another_one(self):
        one = self.start("one")
        three = self.lab.host("three")
        one.host.run("ip", "route", "add", "unreachable", three.address)
        three.run("ip", "route", "add", "unreachable", one.host.address)
        two = self.start("two", one)
        three = self.start_on(three, [two.host])
        self.agree([one, two, three])
        self.send(one, range(200), size=1000, to="three")
        self.expect(three, one, 200)
        self.assertEqual([event for event in two.events if event["event"] == "message"], [])
