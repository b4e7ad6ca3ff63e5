"""The lab itself: hosts see each other by ping and by mDNS, and are apart in everything else."""

import subprocess
import time
import unittest

from lab import Lab, wait_until

#: Programs that take and send a million bytes.
RECEIVE = """
import socket
with socket.create_server(("", 4711)) as server:
    print("listening", flush=True)
    with server.accept()[0] as link:
        while link.recv(65536):
            pass
"""
SEND = """
import socket, sys
with socket.create_connection((sys.argv[1], 4711)) as link:
    link.sendall(bytes(1_000_000))
"""


class LabTest(unittest.TestCase):
    def setUp(self):
        self.lab = Lab()
        self.addCleanup(self.lab.close)

    def test_hosts_are_joined_by_the_bridge_and_can_be_unplugged(self):
        one, two = self.lab.host("one"), self.lab.host("two")
        one.run("ping", "-c1", "-W2", two.address)
        two.unplug()
        with self.assertRaises(RuntimeError):
            one.run("ping", "-c1", "-W1", two.address)
        two.plug()
        one.run("ping", "-c1", "-W2", two.address)

    def test_a_split_parts_hosts_into_two_lans_until_it_heals(self):
        one, two, three, four = [self.lab.host(name) for name in ("one", "two", "three", "four")]
        self.lab.split([one, two])
        one.run("ping", "-c1", "-W2", two.address)
        three.run("ping", "-c1", "-W2", four.address)
        with self.assertRaises(RuntimeError):
            one.run("ping", "-c1", "-W1", three.address)
        self.lab.heal()
        one.run("ping", "-c1", "-W2", three.address)

    def test_a_limited_link_is_as_slow_as_it_says_and_counts_what_it_carries(self):
        one, two = self.lab.host("one"), self.lab.host("two")
        two.limit(megabits=10)
        receiver = two.start("python3", "-c", RECEIVE, stdout=subprocess.PIPE, text=True)
        self.assertEqual(receiver.stdout.readline(), "listening\n")
        before, start = two.received(), time.monotonic()
        one.run("python3", "-c", SEND, two.address)
        receiver.wait()
        self.assertGreater(time.monotonic() - start, 0.7)
        carried = two.received() - before
        self.assertGreater(carried, 1_000_000)
        self.assertLess(carried, 1_200_000)

    def test_daemons_find_each_other_by_multicast(self):
        one, two = self.lab.host("one"), self.lab.host("two")
        one.start_avahi()
        two.start_avahi()
        self.assertEqual(two.run("hostname").strip(), "two")
        one.start("avahi-publish", "--service", "lamp", "_lab._tcp", "4711", stderr=subprocess.DEVNULL)
        wait_until(lambda: "lamp" in two.run("avahi-browse", "--terminate", "--parsable", "_lab._tcp"), 10, "lamp")


if __name__ == "__main__":
    unittest.main()
