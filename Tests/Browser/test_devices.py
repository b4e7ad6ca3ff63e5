"""Browsers on other devices: the page over HTTPS, and each browser as a member of its own."""

import hashlib
import re
import socket
import ssl
import time
import unittest

from devices import DevicesTest
from lab import Program


class DeviceTest(DevicesTest):
    """A phone as a member of its own."""

    def test_the_page_over_https_is_a_secure_context_and_a_member(self):
        phone = self.open(self.scan())
        self.assertTrue(phone.script("return isSecureContext"))
        self.assertFalse(phone.script("return /^(localhost|127[.])/.test(location.hostname)"))
        phone.wait_for_map()
        name = self.name()
        self.assertRegex(name, "^(Android|browser)-[0-9a-f]{4}$")
        self.desk.until(lambda: name in self.desk.text("#peers"), "the desk lists the phone")
        self.assertEqual([peer["name"] for peer in phone.state()["peers"]], ["anna"])
        # A tap there is an anchor of its own here.
        phone.touch("touchStart", (200, 400))
        phone.touch("touchEnd")
        self.desk.until(lambda: f"{name} 1" in self.desk.anchors(), "the desk has the anchor")
        self.assertEqual(self.desk.anchors()[f"{name} 1"]["creator"]["name"], name)
        phone.until(lambda: phone.state()["canUndo"], "the phone may take it back")
        self.assertFalse(self.desk.state()["canUndo"])

    def test_the_fingerprint_shown_is_that_of_the_certificate(self):
        address = self.scan()
        host, port = re.match(r"https://([\d.]+):(\d+)/", address).groups()
        certificate = ssl.get_server_certificate((host, int(port)))
        digest = hashlib.sha256(ssl.PEM_cert_to_DER_cert(certificate)).hexdigest().upper()
        shown = self.desk.text("#fingerprint")
        self.assertEqual(shown.replace(":", ""), digest)
        self.assertEqual(self.anna.ready["fingerprint"], shown)
        self.assertIn("not private", self.desk.text("#page-warning"))
        context = ssl.create_default_context(cadata=certificate)
        with socket.create_connection((host, int(port))) as raw, context.wrap_socket(raw, server_hostname=host) as made:
            self.assertIn(made.version(), ("TLSv1.2", "TLSv1.3"))

    def test_the_desk_sees_where_a_phone_looks_from(self):
        phone = self.open(self.scan())
        phone.wait_for_map()
        self.desk.until(lambda: self.desk.state()["devices"], "the phone's camera")
        eye = phone.view("view.camera.eye")
        self.desk.until(lambda: max(abs(a - b) for a, b in zip(
            self.desk.state()["devices"][0]["transform"][12:15], eye)) < 1e-3, "where it is")
        ahead = phone.view("view.camera.axes.ahead")
        back = self.desk.state()["devices"][0]["transform"][8:11]
        self.assertLess(max(abs(a + b) for a, b in zip(back, ahead)), 1e-3)
        phone.view("view.camera.turn(200, 0)")
        moved = phone.view("view.camera.eye")
        self.desk.until(lambda: max(abs(a - b) for a, b in zip(
            self.desk.state()["devices"][0]["transform"][12:15], moved)) < 1e-3, "that it has moved")

    def test_tabs_of_a_phone_are_one_member_that_comes_back_under_its_key(self):
        phone = self.open(self.scan())
        me = phone.state()["me"]
        first = phone.driver.current_window_handle
        phone.driver.switch_to.new_window("tab")
        self.addCleanup(phone.driver.switch_to.window, first)
        phone.driver.get(self.scan())
        phone.until(lambda: phone.text("#me"), "the second tab shows it")
        self.assertEqual(phone.state()["me"], me)
        self.assertEqual([peer["id"] for peer in self.desk.state()["peers"]], [me["id"]])
        phone.driver.close()
        phone.driver.switch_to.window(first)
        phone.driver.refresh()
        phone.until(lambda: phone.text("#me"), "it is there again")
        self.assertEqual(phone.state()["me"], me)

    def test_a_page_for_looking_changes_nothing(self):
        phone = self.open(self.scan(is_for_looking=True))
        phone.wait_for_map()
        self.assertTrue(phone.state()["isLooking"])
        phone.touch("touchStart", (200, 400))
        phone.touch("touchEnd")
        phone.until(lambda: "for looking" in phone.text("#toast"), "it says so")
        self.assertEqual(self.desk.anchors(), {})
        self.assertFalse(phone.find("#anchor-tools").is_displayed())

    def test_a_device_that_leaves_ends_nothing_for_the_others(self):
        phone = self.open(self.scan())
        phone.script("document.querySelector('#leave').click()")
        phone.script("document.querySelector('#leave').click()")
        self.desk.until(lambda: self.desk.state()["peers"] == [], "the phone has left")
        phone.until(lambda: "Reload the page" in phone.text("#banner"), "it says how to come back")
        phone.driver.refresh()
        self.desk.until(lambda: len(self.desk.state()["peers"]) == 1, "the phone is back")

    def test_from_the_scanned_address_to_an_anchor_that_others_see(self):
        address = self.scan()
        start = time.monotonic()
        phone = self.open(address)
        phone.until(lambda: phone.view("now.shown !== null && now.shown === now.state?.map?.id"), "the map is here")
        phone.touch("touchStart", (200, 400))
        phone.touch("touchEnd")
        self.desk.spot(f"{self.name()} 1")
        print(f"from the scanned address to an anchor on the desk: {time.monotonic() - start:.1f} s, where 10 s are wanted")

    def test_a_browser_follows_into_the_session_that_a_passcode_begins(self):
        secret = self.folder / "passcode"
        secret.write_text("correct horse\n")
        secret.chmod(0o600)
        bert = Program("bert", "--passcode-file", secret)
        self.addCleanup(bert.stop)
        phone, desk = self.open(self.scan()), self.desk
        me = phone.state()["me"]
        desk.find("#dial-text").send_keys(f"127.0.0.1:{bert.port}\n")
        desk.until(lambda: desk.find("#passcode").is_displayed(), "the room asks for a passcode")
        desk.find("#passcode").send_keys("correct horse\n")
        for page in (desk, phone):
            page.until(lambda: "bert" in page.text("#peers"), "bert is there")
        phone.until(lambda: not phone.find("#banner").is_displayed(), "nothing is to be done")
        self.assertEqual(phone.state()["me"], me)
        desk.until(lambda: me["name"] in desk.text("#peers"), "the desk lists the phone")

    def test_a_removed_device_stays_out(self):
        phone = self.open(self.scan())
        peer, = self.desk.until(lambda: self.desk.state()["peers"], "the desk lists the phone")
        self.desk.driver.execute_async_script(
            "const [peer, done] = arguments; import('/server.js').then((server) => server.post('/kick', { peer })).then(done)",
            peer["id"])
        phone.until(lambda: "no member" in phone.text("#banner"), "it is told")
        phone.driver.refresh()
        phone.until(lambda: "was removed" in phone.text("#banner"), "it stays out")

    def test_another_browser_on_the_desk_is_a_member_of_its_own(self):
        desk, other = self.desk, self.phone
        other.size(1000, 700)
        other.open(self.anna)
        self.assertTrue(other.state()["isDevice"])
        self.assertEqual([peer["name"] for peer in other.state()["peers"]], ["anna"])
        # Another tab of the program's own window, and the same one again, are that.
        for again in (lambda: desk.open(self.anna), desk.driver.refresh):
            again()
            desk.until(lambda: desk.text("#me"), "the page shows its peer")
            self.assertFalse(desk.state()["isDevice"])

    def test_the_page_of_the_desk_is_the_programs_until_its_user_wants_otherwise(self):
        desk = self.desk
        self.assertFalse(desk.state()["isDevice"])
        desk.find("#browser summary").click()
        desk.find("#browser-switch").click()
        desk.until(lambda: "This browser is browser-" in desk.text("#browser-summary"), "it is a member of its own")
        self.assertEqual([peer["name"] for peer in desk.state()["peers"]], ["anna"])
        desk.find("#browser summary").click()
        field = desk.find("#browser-name")
        field.clear()
        field.send_keys("Anna's desk\n")
        desk.until(lambda: "This browser is Anna's desk" in desk.text("#browser-summary"), "it has another name")


if __name__ == "__main__":
    unittest.main()
