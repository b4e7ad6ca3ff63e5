"""The lab itself: hosts see each other by ping and by mDNS, and are apart in everything else."""

import subprocess
import unittest

from lab import Lab, wait_until


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

    def test_daemons_find_each_other_by_multicast(self):
        one, two = self.lab.host("one"), self.lab.host("two")
        one.start_avahi()
        two.start_avahi()
        self.assertEqual(two.run("hostname").strip(), "two")
        one.start("avahi-publish", "--service", "lamp", "_lab._tcp", "4711", stderr=subprocess.DEVNULL)
        wait_until(lambda: "lamp" in two.run("avahi-browse", "--terminate", "--parsable", "_lab._tcp"), 10, "lamp")


if __name__ == "__main__":
    unittest.main()
