"""Streams of bytes between Python peers."""

import asyncio
import contextlib
import time
import unittest

import sharedworld as sw
from sharedworld.events import StreamReceived

from peers import LIMIT, PeerTest

#: More than both sides take over before anybody reads.
LARGE = bytes(range(256)) * 8_000


class StreamTest(PeerTest):
    @contextlib.asynccontextmanager
    async def pair(self, name="log/x"):
        """Two sessions, and the ends of a stream between them."""
        async with self.session("ann") as ann, self.session("bob") as bob:
            bob_id = await ann.invite("127.0.0.1", bob.port)
            with bob.accept_streams("log/*") as accepting:
                near = await ann.open_stream(bob_id, name)
                opened = await self.event(bob, StreamReceived)
                self.assertEqual((near.name, near.peer, opened.name), (name, bob_id, name))
                self.assertEqual((opened.operation, opened.peer_name, opened.failure), (accepting.number, "ann", None))
                async with asyncio.timeout(LIMIT):
                    yield ann, bob, near, opened.stream

    async def all_of(self, stream):
        """Reads to the end."""
        return b"".join([data async for data in stream])

    async def test_both_directions_carry_what_is_larger_than_their_windows(self):
        async with self.pair() as (_, _, near, far):
            async def send(stream):
                await stream.write(LARGE)
                await stream.finish()
            got_near, got_far, *_ = await asyncio.gather(
                self.all_of(near), self.all_of(far), send(near), send(far))
            self.assertTrue(got_near == LARGE and got_far == LARGE)

    async def test_one_direction_ends_before_the_other_begins(self):
        async with self.pair() as (_, _, near, far):
            await near.write(b"question")
            await near.finish()
            self.assertEqual(await far.read(4), b"ques")
            self.assertEqual((await far.read(), await far.read()), (b"tion", b""))
            await far.write(b"answer")
            await far.finish()
            self.assertEqual(await self.all_of(near), b"answer")
            with self.assertRaises(sw.SharedWorldError) as caught:
                await near.write(b"more")
            self.assertEqual(caught.exception.code, sw.Code.INVALID_ARGUMENT)

    async def test_a_reset_says_why(self):
        async with self.pair() as (_, _, near, far):
            far.reset("busy", "come back later")
            with self.assertRaisesRegex(sw.SharedWorldError, "come back later") as caught:
                await near.read()
            self.assertEqual((caught.exception.code, caught.exception.word), (sw.Code.STREAM_RESET, "busy"))

    async def test_a_writer_waits_for_a_reader_without_turning_in_circles(self):
        async with self.pair() as (_, _, near, far):
            # Bytes that nobody reads keep the descriptor of the writer readable.
            await far.write(b"unread")
            writing = asyncio.create_task(near.write(LARGE))
            await asyncio.sleep(0.2)
            self.assertFalse(writing.done())
            used = time.thread_time()
            await asyncio.sleep(1)
            self.assertLess(time.thread_time() - used, 0.5)
            received = 0
            while received < len(LARGE):
                received += len(await far.read())
            await writing
            self.assertEqual(await near.read(), b"unread")

    async def test_a_stream_that_is_closed_is_reset_and_wakes_who_waits(self):
        async with self.pair() as (_, _, near, far):
            reading = asyncio.create_task(near.read())
            await asyncio.sleep(0)
            near.close()
            with self.assertRaisesRegex(ValueError, "this Stream is closed"):
                await reading
            with self.assertRaises(sw.SharedWorldError) as caught:
                await far.read()
            self.assertEqual((caught.exception.code, caught.exception.word), (sw.Code.STREAM_RESET, "released"))

    async def test_a_stream_ends_with_its_session(self):
        async with self.session("ann") as ann, self.session("bob") as bob:
            bob_id = await ann.invite("127.0.0.1", bob.port)
            bob.accept_streams()
            stream = await ann.open_stream(bob_id, "x")
            ann.leave()
            with self.assertRaises(sw.SharedWorldError) as caught:
                await stream.read()
            self.assertEqual(caught.exception.code, sw.Code.ENDED)

    async def test_a_name_that_nobody_accepts_is_refused(self):
        async with self.pair() as (ann, _, near, _):
            for name, code in (("other", sw.Code.UNHANDLED), ("a\nb", sw.Code.INVALID_ARGUMENT)):
                with self.assertRaises(sw.SharedWorldError) as caught:
                    await ann.open_stream(near.peer, name)
                self.assertEqual(caught.exception.code, code)


if __name__ == "__main__":
    unittest.main()
