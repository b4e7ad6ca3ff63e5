"""A program that has nothing but the wheel: it hosts a room, and starts itself once more to join by code and address."""

import asyncio
import sys

import sharedworld as sw
from sharedworld.events import AnchorAdded


async def main(code: str | None = None, port: str = "") -> int:
    name = "bob" if code else "ann"
    session = sw.join("kitchen", code, name=name, at=f"127.0.0.1:{port}") if code else sw.host("kitchen", name=name)
    async with session as room, asyncio.timeout(60):
        other = None if code else await asyncio.create_subprocess_exec(sys.executable, __file__, room.code, str(room.port))
        room.place(f"lamp of {name}", (0, 1, -2))
        async for event in room:
            if isinstance(event, AnchorAdded) and event.anchor.name != f"lamp of {name}":
                print(f"{name} sees the {event.anchor.name}", flush=True)
                break
        await room.confirm_edits()
        return await other.wait() if other else 0


sys.exit(asyncio.run(main(*sys.argv[1:])))
