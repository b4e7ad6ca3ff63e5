"""The small peer alone: beside worldpeer over TLS, its size, and the frames that it refuses."""

import ast
import asyncio
import hashlib
import io
import pathlib
import sys
import tokenize
import unittest
from unittest import mock

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / "Interop"), str(TESTS / "Lan")]

from loopback import LoopbackTest, thorough  # noqa: E402
from relayed import RelayedConversation  # noqa: E402
from small import maps  # noqa: E402
from small.frames import Frame  # noqa: E402
from small.member import Member  # noqa: E402
from small.messages import FIRST_WINDOW, MOST, OVERHEAD, Conversation  # noqa: E402
from small.session import dial  # noqa: E402
from small.wire import Node, Refused, text, u8, u16, u32, u64  # noqa: E402

SMALL = TESTS / "Interop" / "small"
#: Lines of code that the small peer may have: beyond that it is no model for a first peer any more.
MOST_LINES = 440


def code_lines(source):
    """How many lines hold code: comments, documentation and blank lines are none."""
    layout = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    lines = {line for token in tokens if token.type not in layout for line in range(token.start[0], token.end[0] + 1)}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            lines -= set(range(node.lineno, node.end_lineno + 1))
    return len(lines)


def imported(source):
    """The modules that a file imports from outside of its own package, each by its first name."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (name.name.split(".")[0] for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level != 1:
            yield (node.module or "..").split(".")[0]


class SizeTest(unittest.TestCase):
    """The small peer is a model for others as long as it is small."""

    def test_its_files_have_few_lines_of_code(self):
        lines = {path.name: code_lines(path.read_text(encoding="utf-8")) for path in SMALL.glob("*.py")}
        self.assertLessEqual(sum(lines.values()), MOST_LINES, lines)

    def test_it_imports_its_own_files_the_standard_library_and_cryptography(self):
        for path in SMALL.glob("*.py"):
            foreign = {*imported(path.read_text(encoding="utf-8"))} - sys.stdlib_module_names - {"cryptography"}
            self.assertEqual(foreign, set(), path.name)

    def test_comments_documentation_and_blank_lines_are_no_code(self):
        lines = ['"""About."""', "", "# Why.", "def f(", "        a):  # How.", '    """Two', '    lines."""',
                 '    return """', "", '"""']
        self.assertEqual(code_lines("\n".join(lines)), 5)


class SmallPeerTest(LoopbackTest):
    """The small peer beside worldpeers."""

    @thorough
    async def test_it_receives_the_map(self):
        swift = self.worldpeer("swift", "--map", str(self.room(60_000)))
        sent = await self.ask(swift, "send-map")
        async with dial("127.0.0.1", swift.port, "snake") as session:
            await session.until(lambda peer: peer.map.data, "the map")
            self.assertEqual(session.peer.map.id.hex(), sent["mapID"])
            self.assertEqual(len(session.peer.map.data), session.peer.map.size)

    async def test_others_see_the_anchors_that_it_places(self):
        swift = self.worldpeer()
        third = self.worldpeer("third", "--connect", f"127.0.0.1:{swift.port}")
        await self.heard(swift, "peer-joined", name="third")
        await self.ask(swift, "place lamp 1 2 3")
        async with dial("127.0.0.1", swift.port, "snake") as session:
            await self.heard(third, "peer-joined", name="snake")
            for name in ("cup", "vase"):
                session.peer.place(name, (4, 5, 6))
                for peer in (swift, third):
                    added = await self.heard(peer, "anchor-added", name=name)
                    self.assertEqual(added["author"], session.peer.me.id.hex())
                    self.assertEqual(added["position"], [4, 5, 6])
        await self.heard(third, "peer-left", name="snake", reason="left")
        self.assertEqual(len((await self.ask(third, "anchors"))["anchors"]), 3)

    @thorough
    async def test_messages_arrive_both_ways_and_are_reported(self):
        swift = self.worldpeer()
        async with dial("127.0.0.1", swift.port, "snake") as session:
            for number in range(100):  # Three times what may be on its way before a report.
                session.peer.send(f"{number} {'x' * 8_000}".encode())
            await self.heard(swift, "peer-joined", name="snake")
            await asyncio.to_thread(swift.send, "send snake 'and back'")
            await session.until(lambda peer: not peer.conversation.waiting, "reports of all messages")
            await session.until(lambda peer: peer.messages, "a message")
            self.assertEqual(session.peer.messages, [(session.peer.other, b"and back")])
            await self.heard(swift, "message", text=f"99 {'x' * 8_000}")
            texts = [event["text"] for event in swift.events if event["event"] == "message"]
            self.assertEqual([int(text.split()[0]) for text in texts], list(range(100)))

    @thorough
    async def test_it_stays_a_member_for_longer_than_silence_lasts_and_is_sent_no_operations(self):
        swift = self.worldpeer()
        async with dial("127.0.0.1", swift.port, "snake") as session:
            joined = await self.heard(swift, "peer-joined", name="snake")
            self.assertEqual(joined["peerID"], session.peer.me.id.hex())
            operations = session.peer._handlers[Frame.OPERATIONS] = mock.Mock()
            await self.ask(swift, "place lamp 1 2 3")
            await session.until(lambda peer: peer.session_time > 6_000, "longer than silence, and exchanged vectors")
            operations.assert_not_called()  # It has sent no vector.
            self.assertEqual([peer["state"] for peer in (await self.ask(swift, "peers"))["peers"]], ["connected"])
            self.assertEqual([event for event in swift.events if event["event"] == "peer-reconnecting"], [])


class JoiningTest(unittest.TestCase):
    """The frames with which the small peer answers on its way to a member, without a connection."""

    OTHER = Node(bytes([1]) * 32, 5)

    def setUp(self):
        self.peer = Member(Node(bytes(32), 1), self.OTHER.id, "snake", "sharedworld")

    def answers(self, kind, body=b""):
        """The types of the frames that it sends when one arrives."""
        self.peer.output.clear()
        self.peer.receive(u32(len(body)) + u8(kind) + body, 1)
        output, types = bytes(self.peer.output), []
        while output:
            types.append(output[4])
            output = output[5 + int.from_bytes(output[:4], "little"):]
        return types

    def hello(self, node=OTHER, versions=(1, 2), capabilities=3, service="sharedworld"):
        numbers = u16(versions[0]) + u16(versions[1]) + u64(capabilities)
        return b"SWLD" + numbers + bytes(node) + text(service) + text("swift") + text("") + u8(0)

    def test_it_invites_is_admitted_and_answers_as_a_member(self):
        self.assertEqual(self.answers(Frame.HELLO, self.hello()), [Frame.INVITE])
        self.assertEqual(self.answers(Frame.ADMIT), [Frame.ADMIT, Frame.ROSTER, Frame.LINK_ANNOUNCEMENT])
        self.assertEqual(self.answers(Frame.PING, bytes(8)), [Frame.PONG])
        self.assertEqual(self.answers(Frame.MESSAGE, u32(1) + u64(0) + u64(1) + u8(0) + b"hi"), [Frame.MESSAGE_REPORT])
        self.assertEqual(self.peer.messages, [(self.OTHER, b"hi")])

    def test_a_message_of_a_stranger_ends_the_link(self):
        self.answers(Frame.HELLO, self.hello())
        self.assertEqual(self.answers(Frame.MESSAGE, u32(1) + u64(0) + u64(1) + u8(0) + b"hi"), [Frame.GOODBYE])
        self.assertEqual((self.peer.reason[0], self.peer.messages), (8, []))

    def test_a_declined_invitation_ends_the_link(self):
        self.answers(Frame.HELLO, self.hello())
        number = bytes(self.peer.output[5:13])
        self.assertEqual(self.answers(Frame.INVITE_ANSWER, u64(0) + u8(0) + text("whom?")), [])
        self.assertEqual(self.answers(Frame.INVITE_ANSWER, number + u8(0) + text("no")), [Frame.GOODBYE])
        self.assertEqual(self.peer.reason, (1, "declined: no"))

    def test_it_refuses_a_hello_for_the_reason_that_the_page_names(self):
        for reason, hello in {
            3: self.hello(versions=(2, 3)), 4: self.hello(Node(bytes([2]) * 32, 5)), 11: self.hello(service="other"),
            15: self.hello(capabilities=8), 21: self.hello(capabilities=64), 18: self.hello(capabilities=32),
        }.items():
            self.setUp()
            self.assertEqual(self.answers(Frame.HELLO, hello), [Frame.GOODBYE])
            self.assertEqual(self.peer.reason[0], reason)


class MapTest(unittest.TestCase):
    """Chunks and manifest of a map are compared with their hashes."""

    def setUp(self):
        self.sent = []
        self.map = maps.MapFetch(lambda kind, body: self.sent.append(kind), maps.RAW)
        self.chunks = [bytes([number]) * 20_000 for number in range(9)]
        self.names = b"".join(u32(len(chunk)) + hashlib.sha256(chunk).digest() for chunk in self.chunks)
        head = u64(1) + u64(1) + u64(sum(map(len, self.chunks)))
        self.id = hashlib.sha256(head + self.names).digest()
        self.map.announce(self.id + head + u32(len(self.chunks)) + bytes(32) + u8(0))

    def pieces(self, number, data):
        for offset in range(0, len(data), maps.PIECE_BYTES):
            piece = data[offset:offset + maps.PIECE_BYTES]
            yield maps.MAP + self.id + u32(number) + u8(0) + u32(len(data)) + u32(offset) + piece

    def test_it_asks_for_eight_chunks_then_for_the_rest(self):
        self.map.take_names(maps.MAP + self.id + u32(0) + self.names)
        for number, chunk in enumerate(self.chunks):
            for piece in self.pieces(number, chunk):
                self.assertIsNone(self.map.data)
                self.map.take_piece(piece)
        self.assertEqual(self.map.data, b"".join(self.chunks))
        self.assertEqual(self.sent, [Frame.MANIFEST_REQUEST, Frame.CHUNK_REQUEST, Frame.CHUNK_REQUEST])

    def test_a_manifest_of_another_map_is_refused(self):
        with self.assertRaisesRegex(Refused, "map id"):
            self.map.take_names(maps.MAP + self.id + u32(0) + self.names[:-1] + b"?")

    def test_a_chunk_of_other_bytes_is_refused(self):
        self.map.take_names(maps.MAP + self.id + u32(0) + self.names)
        with self.assertRaisesRegex(Refused, "another hash"):
            for piece in self.pieces(0, self.chunks[1]):
                self.map.take_piece(piece)


class ConversationTest(unittest.TestCase):
    """Messages that nobody has reported."""

    def setUp(self):
        self.sent = []

    def send(self, kind, body):
        if kind == Frame.MESSAGE:
            self.sent.append(int.from_bytes(body[12:20], "little"))

    def report(self, last, window):
        return u8(0) + u32(1) + u64(last) + u32(window)

    def test_no_more_leave_than_the_window_has_room_for(self):
        conversation, fit = Conversation(1, self.send, self.fail), FIRST_WINDOW // (MOST + OVERHEAD)
        for number in range(1, 7):
            conversation.send(number, bytes(MOST))
        self.assertEqual(self.sent, list(range(1, fit + 1)))
        conversation.receive_report(self.report(fit, MOST))
        self.assertEqual(len(self.sent), fit)
        conversation.receive_report(self.report(fit, MOST + OVERHEAD))
        self.assertEqual(self.sent, list(range(1, fit + 2)))

    def test_through_members_they_leave_again_after_pauses_that_grow_until_a_report(self):
        conversation, tries = RelayedConversation(1, self.send, self.fail), []
        conversation.send(1, b"")
        conversation.send(2, b"")
        for tenth in range(0, 40):
            self.sent.clear()
            conversation.tick(tenth / 10)
            if self.sent:
                self.assertEqual(self.sent, [1, 2])
                tries.append(tenth)
        self.assertEqual(tries, [3, 8, 18, 38])
        conversation.receive_report(self.report(1, FIRST_WINDOW))
        self.sent.clear()
        conversation.tick(4.0)
        conversation.tick(4.3)
        self.assertEqual(self.sent, [2])


if __name__ == "__main__":
    unittest.main()
