"""A robot that drives round a table and tells where it is, ten times a second.

It marks where it met each peer, says how far what others place is from what was there, and stops when a peer says so.

usage: robot.py FOLDER, a folder for the identity; prints its port, and what happens
"""

import asyncio
import math
import sys

import numpy as np
import sharedworld as sw
from sharedworld.events import AnchorAdded, Message, PeerJoined


def place(angle: float) -> sw.Transform:
    """Where the robot is on its round, looking ahead: its -z axis is the way."""
    cosine, sine = math.cos(angle), math.sin(angle)
    transform = np.eye(4, dtype=np.float32)
    transform[:3, :3] = [(cosine, 0, sine), (0, 1, 0), (-sine, 0, cosine)]
    transform[:3, 3] = cosine, 0, -sine
    return transform


async def drive(session: sw.Session) -> None:
    """Tells where the robot is, until its task is cancelled."""
    step = 0
    while True:
        session.update_pose(place(step * math.tau / 60))
        step += 1
        await asyncio.sleep(0.1)


async def listen(session: sw.Session) -> None:
    """Prints what happens, until a peer says stop."""
    async for event in session:
        match event:
            case PeerJoined(name=name):
                print(f"{name} is here", flush=True)
                session.place(f"met {name}", (0, 0, 0))
            case AnchorAdded(anchor=anchor, origin="remote"):
                nearest = min((math.dist(anchor.position, other.position), other.name)
                              for other in session.anchors if other.id != anchor.id)
                print(f"{anchor.name} is {nearest[0]:.1f} m from {nearest[1]}", flush=True)
            case Message(peer=peer, data=b"stop"):
                await session.send(b"stopped", [peer])
                return


async def main(folder: str) -> None:
    # A program of yours keeps the discovery and listens everywhere.
    config = sw.Config(
        discovery=sw.Discovery.NONE, listen_host="127.0.0.1", invitations=sw.Invitations.ACCEPT)
    async with sw.Session(sw.Identity.load_or_create("robot", folder), config) as session:
        print(session.port, flush=True)
        driving = asyncio.create_task(drive(session))
        await listen(session)
        driving.cancel()


asyncio.run(main(sys.argv[1]))
