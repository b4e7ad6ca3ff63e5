"""Messages in all modes and to groups, objects, and requests with their answers."""

import asyncio
import unittest

import numpy as np
import sharedworld as sw
from sharedworld.events import (
    GroupsChanged, Message, MessageReturned, ObjectReceived, Request, RequestWithdrawn)

from peers import LIMIT, PeerTest

#: The size of the longest message (bytes).
LARGE = 60 << 10


class MessageTest(PeerTest):
    async def test_a_group_gets_what_is_sent_to_it_and_others_do_not(self):
        swift = self.worldpeer("swift")
        async with self.session("ann") as ann, self.session("bob") as bob:
            swift_id = await ann.invite("127.0.0.1", swift.port)
            await ann.invite("127.0.0.1", bob.port)
            await self.ask(swift, "group join red")
            joined = await self.event(ann, GroupsChanged)
            self.assertEqual((joined.peer, joined.groups), (swift_id, ("red",)))
            self.assertEqual(ann.groups, {"red": [swift_id]})
            ann.send_now(b"for-red", group="red")
            ann.send_now(b"for-all")
            await self.heard(swift, "message", text="for-red")
            self.assertEqual((await self.event(bob, Message)).data, b"for-all")
            bob.join_group("red")
            await self.heard(swift, "groups-changed", name="bob", groups=["red"])
            await self.ask(swift, "send --group red welcome")
            self.assertEqual((await self.event(bob, Message)).data, b"welcome")
            bob.leave_group("red")
            await self.heard(swift, "groups-changed", name="bob", groups=[])

    async def test_an_unreliable_message_has_its_key_and_a_critical_one_arrives(self):
        swift = self.worldpeer("swift")
        async with self.session("ann") as ann, self.session("bob") as bob:
            await ann.invite("127.0.0.1", swift.port)
            bob_id = await ann.invite("127.0.0.1", bob.port)
            ann.send_now(b"here", [bob_id], mode=sw.Mode.UNRELIABLE, key="pointer")
            message = await self.event(bob, Message)
            self.assertEqual((message.data, message.key), (b"here", "pointer"))
            ann.send_now(b"stop", mode=sw.Mode.CRITICAL)
            self.assertIsNone((await self.event(bob, Message)).key)
            await self.heard(swift, "message", text="stop")
            with self.assertRaises(sw.SharedWorldError) as caught:
                ann.send_now(bytes(17 << 10), mode=sw.Mode.UNRELIABLE, key="pointer")
            self.assertEqual(caught.exception.code, sw.Code.LIMIT_EXCEEDED)
            with self.assertRaises(sw.SharedWorldError) as caught:
                ann.send_now(b"", [bob_id], group="red")
            self.assertEqual(caught.exception.code, sw.Code.INVALID_ARGUMENT)

    async def test_a_message_waits_for_room_and_is_not_sent_when_its_task_is_cancelled(self):
        async with self.session("ann") as ann, self.session("bob") as bob:
            await ann.invite("127.0.0.1", bob.port)
            sent = await self.fill(ann)
            waiting = [asyncio.create_task(ann.send(bytes([number]) * LARGE)) for number in range(3)]
            await asyncio.sleep(0.1)
            self.assertFalse(any(task.done() for task in waiting))
            waiting[1].cancel()
            for _ in range(sent):
                await self.event(bob, Message)
            received = {(await self.event(bob, Message)).data[:1] for _ in range(2)}
            self.assertEqual(received, {b"\0", b"\2"})
            await asyncio.gather(waiting[0], waiting[2])
            self.assertEqual((waiting[1].cancelled(), ann._senders), (True, []))

    async def test_a_message_that_waits_for_room_fails_when_its_session_is_left(self):
        async with self.session("bob") as bob:
            async with self.session("ann") as ann:
                await ann.invite("127.0.0.1", bob.port)
                await self.fill(ann)
                waiting = asyncio.create_task(ann.send(bytes(LARGE)))
                await asyncio.sleep(0.1)
            with self.assertRaises(sw.SharedWorldError) as caught:
                await waiting
            self.assertEqual(caught.exception.code, sw.Code.ENDED)

    async def fill(self, session):
        """Sends until nothing more is taken, though what was on its way has made room; the number of messages."""
        sent, before = 0, -1
        while sent != before:
            before = sent
            with self.assertRaises(sw.SharedWorldError) as caught:
                while True:
                    session.send_now(bytes(LARGE))
                    sent += 1
            self.assertEqual(caught.exception.code, sw.Code.WOULD_BLOCK)
            await asyncio.sleep(0.1)
        return sent


class ObjectTest(PeerTest):
    async def test_an_object_arrives_with_all_that_it_has(self):
        place, stroke = sw.translation(5, 6, 7), {"width": 2, "color": "grün"}
        async with self.session("ann") as ann, self.session("bob") as bob:
            await ann.invite("127.0.0.1", bob.port)
            with bob.read_objects("Stroke", "draw/*") as reading:
                ann.send_object(
                    sw.Object.of_json("draw/red", "Stroke", stroke, transform=place, fields={"a": "1", "b": ""}))
                received = await self.event(bob, ObjectReceived)
                self.assertEqual(received.operation, reading.number)
                found = received.object
                self.assertEqual((found.endpoint, found.type, found.content_type),
                                 ("draw/red", "Stroke", "application/json"))
                self.assertEqual((found.value, found.fields), (stroke, {"a": "1", "b": ""}))
                np.testing.assert_array_equal(found.transform, place)
                bare = sw.Object(endpoint="draw/blue", type="Stroke", data=b"\0\1", content_type="image/x")
                ann.send_object(bare, mode=sw.Mode.CRITICAL)
                found = (await self.event(bob, ObjectReceived)).object
                self.assertEqual((found.data, found.content_type, found.fields), (b"\0\1", "image/x", {}))
                self.assertIsNone(found.transform)
                unread = ann.send_object(sw.Object.of_json("paint", "Stroke", stroke))
                self.assertEqual((await self.event(ann, MessageReturned)).number, unread)
        reading.close()

    async def test_a_request_is_answered_or_refused(self):
        async with self.session("ann") as ann, self.session("bob") as bob:
            bob_id = await ann.invite("127.0.0.1", bob.port)
            bob.serve_requests("Sum", "calculate/**")

            def ask(numbers):
                question = sw.Object.of_json("calculate/sum", "Sum", numbers)
                return asyncio.create_task(ann.request(bob_id, question, timeout=LIMIT))

            asking = ask([1, 2, 3])
            request = await self.event(bob, Request)
            self.assertEqual(request.object.endpoint, "calculate/sum")
            bob.respond(request, sw.Object.of_json("", "Total", sum(request.object.value)))
            answer = await asking
            self.assertEqual((answer.type, answer.value), ("Total", 6))
            asking = ask([])
            bob.refuse(await self.event(bob, Request), "empty", "there is nothing to add")
            with self.assertRaisesRegex(sw.SharedWorldError, "there is nothing to add") as caught:
                await asking
            self.assertEqual((caught.exception.code, caught.exception.word), (sw.Code.REQUEST_FAILED, "empty"))
            with self.assertRaises(sw.SharedWorldError) as caught:
                await ann.request(bob_id, sw.Object.of_json("calculate/product", "Product", [1]))
            self.assertEqual(caught.exception.code, sw.Code.UNHANDLED)

    async def test_a_request_whose_task_is_cancelled_is_withdrawn(self):
        async with self.session("ann") as ann, self.session("bob") as bob:
            bob_id = await ann.invite("127.0.0.1", bob.port)
            bob.serve_requests("Sum")
            asking = asyncio.create_task(ann.request(bob_id, sw.Object.of_json("sum", "Sum", [1]), timeout=LIMIT))
            request = await self.event(bob, Request)
            asking.cancel()
            withdrawn = await self.event(bob, RequestWithdrawn)
            self.assertEqual(withdrawn.operation, request.operation)
            self.assertTrue(asking.cancelled())
            with self.assertRaises(sw.SharedWorldError) as caught:
                bob.respond(request, sw.Object.of_json("", "Total", 1))
            self.assertEqual(caught.exception.code, sw.Code.INVALID_ARGUMENT)


if __name__ == "__main__":
    unittest.main()
