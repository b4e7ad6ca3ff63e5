"""Who comes in: nobody unasked, everybody in true words, and names that cannot lie."""

import time
import unittest

from lab import Terminal, WorldviewsTest

IN_SIGHT = ("--announce", "--probe", "127.0.0.1")


class PeopleTest(WorldviewsTest):
    """Worldviews and terminals that meet."""

    def terminal(self, name, program, *options):
        made = Terminal(name, program, *options)
        self.addCleanup(made.stop)
        return made

    def choose(self, page, name):
        """Chooses a peer in the list."""
        def click():
            button = next((one for one in page.all("#peers button.name") if one.text == name), None)
            if button:
                button.click()
            return button is not None
        page.until(click, f"the peer {name}")
        page.until(lambda: page.find("#peer-tools").is_displayed(), "its tools")

    def host_and_guest(self):
        """The page of the host and the other one, once both are shown the same host: until then each may be its own."""
        pages = (self.one, self.other)
        def hosts():
            states = [page.state() for page in pages]
            named = {state["host"] and state["host"]["id"] for state in states}
            rule = [page for page, state in zip(pages, states) if state["me"]["id"] in named]
            return rule if len(named) == 1 and [page for page in pages if "Turn" in page.text("#rules")] == rule else None
        host, = self.one.until(hosts, "one host on both pages")
        return host, pages[1 - pages.index(host)]

    # ---- Nobody comes in unasked

    def test_nobody_in_sight_is_invited_or_accepted_unasked(self):
        self.start(self.one, "anna", *IN_SIGHT, accept="ask")
        self.start(self.other, "bert", *IN_SIGHT, accept="ask")
        for page, name in ((self.one, "bert"), (self.other, "anna")):
            page.until(lambda: name in page.text("#candidates"), f"{name} is in sight")
        time.sleep(3)
        for page in (self.one, self.other):
            self.assertEqual(page.text("#peer-count"), "1")
            self.assertEqual(page.text("#invitations") + page.text("#inviting"), "")

    def test_those_in_sight_are_invited_where_that_was_asked_for(self):
        self.start(self.one, "anna", *IN_SIGHT)
        self.start(self.other, "bert", *IN_SIGHT, "--invite", "all")
        for page in (self.one, self.other):
            self.wait_for_peers(page, 2)

    def test_a_peer_that_has_joined_is_no_candidate_on_either_side(self):
        # An announcement names its key; a service of multicast DNS does not.
        for way in (IN_SIGHT, ("--discovery", "embedded", "--listen", "0.0.0.0:0", "--service", "swbrowser")):
            with self.subTest(way=way):
                self.join_in_sight(way)

    def join_in_sight(self, way):
        anna = self.start(self.one, "anna", *way)
        bert = self.start(self.other, "bert", *way)
        for page, name in ((self.one, "bert"), (self.other, "anna")):
            page.until(lambda: name in page.text("#candidates"), f"{name} is in sight")
        self.dial(self.other, f"127.0.0.1:{anna.port}")
        for page in (self.one, self.other):
            self.wait_for_peers(page, 2)
            page.until(lambda: page.text("#candidates") == "", "a member is no candidate")
        for program in (anna, bert):
            program.stop()

    def test_a_peer_that_waits_is_seen_on_both_sides_until_it_is_answered(self):
        anna = self.start(self.one, "anna", accept="ask")
        self.start(self.other, "bert", accept="ask")
        self.dial(self.other, f"127.0.0.1:{anna.port}")
        waits = lambda: "anna at 127.0.0.1" in self.other.text("#inviting") and "was invited" in self.other.text("#inviting")
        self.other.until(waits, "who was invited, once it is there")
        self.one.until(lambda: "bert invites you and waits" in self.one.text("#invitations"), "who waits")
        # Another look at the page shows it, too.
        self.other.driver.refresh()
        self.other.until(waits, "the same after a reload")
        self.other.shoot("waiting")
        self.press(self.other, "Withdraw")
        self.one.until(lambda: "bert has invited you and waits no longer" in self.one.text("#missed"), "the truth")
        self.assertEqual(self.one.text("#invitations"), "")
        self.dial(self.other, f"127.0.0.1:{anna.port}")
        self.press(self.one, "Accept")
        for page in (self.one, self.other):
            self.wait_for_peers(page, 2)
            page.until(lambda: page.text("#missed") + page.text("#inviting") == "", "nothing waits")

    def test_a_call_to_nobody_does_not_say_that_somebody_was_invited(self):
        self.start(self.one, "anna")
        page = self.one
        # A host that does not exist (RFC 5737) answers nothing.
        self.dial(page, "192.0.2.1:4711")
        page.until(lambda: "Calling 192.0.2.1:4711" in page.text("#inviting"), "it is called")
        self.assertNotIn("invited", page.text("#inviting"))
        page.until(lambda: page.text("#inviting") == "" and "192.0.2.1" in page.text("#problem"), "nobody is there")

    # ---- What the host may do

    def test_the_host_removes_a_peer_and_turns_newcomers_away(self):
        anna = self.start(self.one, "anna")
        self.start(self.other, "bert", "--connect", f"127.0.0.1:{anna.port}")
        for page in (self.one, self.other):
            self.wait_for_peers(page, 2)
        host, guest = self.host_and_guest()
        self.press(host, "Turn newcomers away")
        host.until(lambda: "in again" in host.text("#rules"), "the session is locked")
        dora = self.terminal("dora", anna)
        time.sleep(2)
        self.assertEqual(host.text("#peer-count"), "2")
        self.press(host, "Let newcomers in again")
        self.choose(guest, host.state()["me"]["name"])
        self.assertFalse(guest.find("#kick").is_enabled())
        self.assertIn("host", guest.text("#peer-note"))
        dora.stop()
        name = guest.state()["me"]["name"]
        self.choose(host, name)
        host.shoot("peer")
        host.find("#kick").click()
        self.press(host, "Remove the peer")
        host.until(lambda: name not in host.text("#peers"), "it is gone")
        guest.until(lambda: "kicked" in guest.text("#problem") or "does not answer" in guest.text("#banner"), "it is told")

    def test_roles_are_given_in_an_owned_session(self):
        anna = self.start(self.one, "anna", "--owned", "--map", self.room)
        self.start(self.other, "bert", "--connect", f"127.0.0.1:{anna.port}")
        for page in (self.one, self.other):
            page.wait_for_map()
            self.wait_for_peers(page, 2)
        self.assertIn("creator", self.one.text("#peers"))
        self.choose(self.one, "bert")
        self.one.script("const role = document.querySelector('#role'); role.value = 'guest'; role.onchange()")
        self.other.until(lambda: "guest" in self.other.text("#peers"), "bert is a guest")
        self.other.click(300, 400)
        time.sleep(1)
        self.assertEqual(self.one.anchors(), {})

    # ---- Names and colours

    def test_a_name_cannot_say_who_is_this_peer(self):
        anna = self.start(self.one, "anna")
        self.start(self.other, "anna (this peer)", "--connect", f"127.0.0.1:{anna.port}")
        for page, own in ((self.one, "anna"), (self.other, "anna (this peer)")):
            self.wait_for_peers(page, 2)
            marked = page.script("""
                return [...document.querySelectorAll("#peers li")]
                  .filter((row) => [...row.querySelectorAll(".tag")].some((tag) => tag.textContent === "this peer"))
                  .map((row) => row.querySelector(".name").textContent);""")
            self.assertEqual(marked, [own])

    def test_long_turned_and_invisible_names_stay_in_their_place(self):
        long, turned, hidden = "W" * 63, "שלום עולם 12", "an\u3164n\u200ba "
        anna = self.start(self.one, "anna", "--map", self.room)
        for name in (long, turned, hidden):
            self.terminal(name, anna)
        page = self.one
        self.wait_for_peers(page, 4)
        names = page.script("return [...document.querySelectorAll('#peers .name.peer')].map((one) => one.textContent)")
        self.assertIn("an[U+3164]n[U+200B]a␣", names)
        cut = page.script("""
            const one = [...document.querySelectorAll("#peers .name.peer")].find((one) => one.textContent.startsWith("WW"));
            return [one.scrollWidth > one.clientWidth, getComputedStyle(one).textOverflow, one.title.includes(arguments[0])];""", long)
        self.assertEqual(cut, [True, "ellipsis", True])
        isolated = page.script("""
            return [...document.querySelectorAll("#peers .name.peer")].every((one) => getComputedStyle(one).unicodeBidi === "isolate");""")
        self.assertTrue(isolated)
        self.assertLessEqual(page.script("return document.querySelector('aside').scrollWidth - document.querySelector('aside').clientWidth"), 0)
        page.shoot("names")

    def test_a_family_is_one_picture_and_an_umlaut_is_no_secret(self):
        self.start(self.one, "anna")
        shown = lambda name: self.one.driver.execute_async_script(
            "const [name, done] = arguments; import('/dom.js').then(({ nameOf }) => done(nameOf(name).textContent))", name)
        for name in ("Jürgen", "u\u0308ber", "👨\u200d👩\u200d👧", "❤\ufe0f", "👍🏽", "தமிழ்", "한국어", "a b"):
            self.assertEqual(shown(name), name)
        for name, seen in (("a\u200db", "a[U+200D]b"), ("a  b", "a␣␣b"), ("\u2800", "[U+2800]"), ("a\u00a0b", "a[U+00A0]b")):
            self.assertEqual(shown(name), seen)

    def test_no_two_peers_have_one_color(self):
        anna = self.start(self.one, "anna")
        for number in range(8):
            self.terminal(f"guest-{number}", anna)
        page = self.one
        self.wait_for_peers(page, 9)
        hues = page.driver.execute_async_script("""
            const done = arguments[0];
            Promise.all([import("/dom.js"), import("/stage.js")]).then(([{ hue }, { now }]) =>
              done([now.state.me, ...now.state.peers].map(({ id }) => hue(id))));""")
        gaps = [min(abs(a - b), 360 - abs(a - b)) for i, a in enumerate(hues) for b in hues[:i]]
        self.assertGreater(min(gaps), 15)


if __name__ == "__main__":
    unittest.main()
