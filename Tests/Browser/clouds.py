"""Clouds that are not shaped like the maps of this package, as PLY files."""

import random
import struct


def room(count, seed, lack=0.0):
    """Places (x right, y up, z to the viewer, metres) on the floor, two walls and a table of a room of 6 by 2.5 by 5 m."""
    dice = random.Random(seed)
    faces = [((0, 0, 0), (6, 0, 0), (0, 0, 5), 12), ((0, 0, 0), (6, 0, 0), (0, 2.5, 0), 6),
             ((0, 0, 0), (0, 0, 5), (0, 2.5, 0), 5), ((2, 0.75, 2), (1.6, 0, 0), (0, 0, 1), 3)]
    for _ in range(count):
        corner, a, b, _ = dice.choices(faces, [weight for *_, weight in faces])[0]
        u, v = dice.random(), dice.random()
        yield tuple(c + u * p + v * q + dice.gauss(0, lack) for c, p, q in zip(corner, a, b))


def write(path, places, numbers=(), kind="double"):
    """A binary PLY; `numbers` are further columns as (name, values)."""
    places = list(places)
    code = {"double": "d", "float": "f"}[kind]
    head = f"ply\nformat binary_little_endian 1.0\nelement vertex {len(places)}\n"
    head += "".join(f"property {kind} {axis}\n" for axis in "xyz")
    head += "".join(f"property float {name}\n" for name, _ in numbers) + "end_header\n"
    rows = [struct.pack(f"<3{code}", *place) + b"".join(struct.pack("<f", values[row]) for _, values in numbers)
            for row, place in enumerate(places)]
    path.write_bytes(head.encode() + b"".join(rows))


def utm(places):
    """The same with z up, in the coordinates of a surveyor in Munich."""
    return [(691_607.25 + x, 5_334_760.5 - z, 519.5 + y) for x, y, z in places]
