"""A desk and a phone: the page on loopback, and over HTTPS as another device opens it."""

import socket
import unittest

from lab import Page, Program, RoomTest

PHONE = (390, 844)


def own_address():
    """An address of this machine that is not loopback; None where it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            # Nothing is sent: the system only looks for the way.
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return None
        return probe.getsockname()[0]


@unittest.skipUnless(own_address(), "this machine has no address but loopback")
class DevicesTest(RoomTest):
    """Tests with a desk on loopback and devices over HTTPS under another address of this machine."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.desk, cls.phone = Page(), Page("--ignore-certificate-errors")
        cls.addClassCleanup(cls.desk.close)
        cls.addClassCleanup(cls.phone.close)

    def setUp(self):
        self.scanned = ""
        self.anna = Program("anna", "--map", self.room, "--https", "0.0.0.0:0")
        self.addCleanup(self.anna.stop)
        self.desk.size(1000, 700)
        self.desk.open(self.anna)
        self.addCleanup(self.desk.shoot, f"{self.id().split('.')[-1]}-desk")

    def scan(self, is_for_looking=False):
        """The address that the desk shows for another device."""
        desk = self.desk
        if not desk.script("return document.querySelector('#device').open"):
            desk.find("#device summary").click()
        if is_for_looking:
            desk.until(lambda: desk.text("#page-address"), "an address")
            self.scanned = desk.text("#page-address")
            desk.find("#for-looking").click()
        # One that was used is replaced by another.
        desk.until(lambda: desk.text("#page-address") not in ("", self.scanned), "another address")
        self.scanned = desk.text("#page-address")
        self.assertTrue(self.scanned.startswith("https://"))
        return self.scanned

    def open(self, address):
        """Opens an address on the phone."""
        phone = self.phone
        phone.size(*PHONE, mobile=True)
        phone.driver.get("about:blank")
        phone.driver.get(address)
        phone.until(lambda: phone.text("#me"), "the page shows its peer")
        self.addCleanup(phone.shoot, f"{self.id().split('.')[-1]}-phone")
        return phone

    def name(self):
        return self.phone.state()["me"]["name"]
