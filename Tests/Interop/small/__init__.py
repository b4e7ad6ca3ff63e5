"""A small peer of the protocol, a model for another implementation.

It dials one member, joins over TLS, fetches the map and checks its hashes, places anchors, and exchanges messages with
that member. It holds no anchors of others and follows no host; `leaf.py` beside this folder builds that upon it. These
files import only each other, the standard library and `cryptography`, and read the table of frames;
test_small_peer.py bounds their lines of code.

- `member.py`: the peer, without input and output; begin here
- `wire.py`: the fields of frames, as PROTOCOL.md notes them
- `frames.py`: numbers of frames, their largest bodies, where they are legal
- `author.py`, `maps.py`, `messages.py`: a page of the protocol each, as far as this peer needs it
- `session.py`: TLS and the clock. A program calls its `dial`:

      async with dial("192.168.1.7", 4711, "snake") as session:
          await session.until(lambda peer: peer.map.data, "the map")
          session.peer.place("cup", (0.1, 0.2, 0.3))
          session.peer.send(b"a cup stands there")
"""
