"""Files and bytes go from one peer to another."""

import dataclasses
import pathlib
import unittest

import sharedworld as sw
from sharedworld.events import (
    AttachmentChanged, PeerJoined, ResourceFailed, ResourceOffered, ResourceProgress, ResourceReceived,
    ResourceSettled)

from peers import LOOPBACK, PeerTest

CONTENT = bytes(range(256)) * 10_000


class ResourceTest(PeerTest):
    def session(self, name, **fields):
        return super().session(name, dataclasses.replace(LOOPBACK, resource_folder=self.folder, **fields))

    async def test_a_file_arrives(self):
        path = self.folder / "scan.bin"
        path.write_bytes(CONTENT)
        async with self.session("ann") as ann, self.session("bob") as bob:
            bob_id = await ann.invite("127.0.0.1", bob.port)
            resource = await ann.offer_file(path, [bob_id])
            offered = await self.event(bob, ResourceOffered)
            self.assertEqual((offered.resource, offered.text, offered.total), (resource, "scan.bin", len(CONTENT)))
            await bob.accept_resource(resource)
            progress = await self.event(bob, ResourceProgress)
            self.assertEqual((progress.resource, progress.is_sent), (resource, False))
            received = await self.event(bob, ResourceReceived)
            self.assertEqual((received.name, received.peer_name), ("scan.bin", "ann"))
            self.assertEqual(pathlib.Path(received.text).read_bytes(), CONTENT)
            settled = await self.event(ann, ResourceSettled)
            self.assertEqual((settled.peer, settled.resource, settled.text), (bob_id, resource, None))
            self.assertEqual(settled.peer_name, "bob")
            size = len(CONTENT)
            self.assertEqual((settled.done, settled.total, settled.is_sent), (size, size, True))

    async def test_bytes_arrive_at_worldpeer(self):
        swift = self.worldpeer("swift")
        async with self.session("ann") as ann:
            swift_id = await ann.invite("127.0.0.1", swift.port)
            resource = await ann.offer_bytes(CONTENT, "scan", [swift_id])
            await self.heard(swift, "file-offered", file="scan", resourceID=resource.hex())
            await self.ask(swift, f"accept-file {resource.hex()} {self.folder}/taken")
            self.assertIsNone((await self.event(ann, ResourceSettled)).text)
            await self.heard(swift, "file-received", resourceID=resource.hex())
            self.assertEqual((self.folder / "taken").read_bytes(), CONTENT)

    async def test_what_is_attached_comes_by_itself(self):
        async with self.session("ann") as ann, self.session("bob") as bob:
            await ann.invite("127.0.0.1", bob.port)
            ann_id = (await self.event(bob, PeerJoined)).peer
            attachment = await ann.attach_bytes(CONTENT, "plan")
            while (changed := await self.event(bob, AttachmentChanged)).attachment != sw.AttachmentState.HERE:
                self.assertEqual((changed.resource, changed.name, changed.peer_name), (attachment, "plan", "ann"))
            plan, = bob.attachments
            self.assertEqual((plan.id, plan.author, plan.name, plan.size), (attachment, ann_id, "plan", len(CONTENT)))
            self.assertEqual((changed.text, pathlib.Path(plan.path).read_bytes()), (plan.path, CONTENT))
            bob.fetch_attachment(attachment)
            ann.detach(attachment)
            while (await self.event(bob, AttachmentChanged)).attachment != sw.AttachmentState.REMOVED:
                pass
            self.assertEqual(bob.attachments, [])
            with self.assertRaises(sw.SharedWorldError) as caught:
                ann.detach(attachment)
            self.assertEqual(caught.exception.code, sw.Code.UNKNOWN_RESOURCE)
            path = self.folder / "scan.bin"
            path.write_bytes(CONTENT)
            await bob.attach_file(path)
            self.assertEqual([(one.name, one.path) for one in bob.attachments], [("scan.bin", str(path))])

    async def test_an_attachment_over_the_limit_waits_until_it_is_fetched(self):
        small = len(CONTENT) - 1
        async with self.session("ann") as ann, self.session("bob", attachment_size_limit=small) as bob:
            await ann.invite("127.0.0.1", bob.port)
            attachment = await ann.attach_bytes(CONTENT, "plan")
            await self.event(bob, AttachmentChanged, lambda event: event.attachment == sw.AttachmentState.LISTED)
            bob.fetch_attachment(attachment)
            await self.event(bob, AttachmentChanged, lambda event: event.attachment == sw.AttachmentState.HERE)

    async def test_an_offer_is_declined_or_taken_back(self):
        async with self.session("ann") as ann, self.session("bob") as bob:
            bob_id = await ann.invite("127.0.0.1", bob.port)
            declined = await ann.offer_bytes(b"small", "small", [bob_id])
            await self.event(bob, ResourceOffered)
            bob.decline_resource(declined)
            settled = await self.event(ann, ResourceSettled)
            self.assertEqual((settled.resource, settled.text), (declined, "declined"))
            with self.assertRaises(sw.SharedWorldError) as caught:
                bob.decline_resource(declined)
            self.assertEqual(caught.exception.code, sw.Code.UNKNOWN_RESOURCE)
            withdrawn = await ann.offer_bytes(b"small", "small", [bob_id])
            await self.event(bob, ResourceOffered)
            ann.cancel_resource(withdrawn)
            failed = await self.event(bob, ResourceFailed)
            self.assertEqual((failed.resource, failed.text, failed.name), (withdrawn, "withdrawn", "small"))

    async def test_a_file_that_is_none_is_refused(self):
        async with self.session("ann") as ann, self.session("bob") as bob:
            bob_id = await ann.invite("127.0.0.1", bob.port)
            with self.assertRaises(sw.SharedWorldError) as caught:
                await ann.offer_file(self.folder / "nothing", [bob_id])
            self.assertIn(caught.exception.code, (sw.Code.IO, sw.Code.INVALID_ARGUMENT))


if __name__ == "__main__":
    unittest.main()
