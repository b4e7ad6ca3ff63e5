"""Writes the archives of this folder with nothing but the standard library, and beside each what a reader must find.

They have the structure of the archives in which ARKit saves an `ARWorldMap`, and nothing of any device: the scene, the
poses and the descriptors are made up from a seed. Run it in this folder; the files it writes are the ones in the
repository. README.md has the layout.
"""
import math
import plistlib
import random
import struct
import uuid

UID = plistlib.UID


# ---- Geometry, by columns of world axes (y up) and rows of tracking axes (z up)

def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def minus(a, b):
    return [x - y for x, y in zip(a, b)]


def unit(a):
    length = math.sqrt(dot(a, a))
    return [x / length for x in a]


def apply(rows, v):
    return [dot(row, v) for row in rows]


def transposed(rows):
    return [list(column) for column in zip(*rows)]


def product(a, b):
    return [[dot(row, column) for column in transposed(b)] for row in a]


def single(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


class Origin:
    """Where the tracking axes lie in the world: a turn about y and a shift."""

    def __init__(self, yaw, shift):
        c, s = single(math.cos(yaw)), single(math.sin(yaw))
        self.columns = [[c, 0.0, -s], [0.0, 1.0, 0.0], [s, 0.0, c]]
        self.shift = [single(x) for x in shift]

    def turned_back(self, v):
        """A direction of the world in tracking axes: world = T (-Y, Z, -X)."""
        x, y, z = apply(self.columns, v)
        return [-z, -x, y]

    def back(self, point):
        return self.turned_back(minus(point, self.shift))

    def matrix(self):
        return [x for column in self.columns for x in (*column, 0.0)] + [*self.shift, 1.0]


# ---- The scene

ORIGIN = Origin(0.9, (0.5, -0.2, 1.0))
SESSIONS = {1: [0x0102030405060708], 2: [0x1122334455667788, 0x8877665544332211]}
PINHOLE = dict(kind=1, f=270.0, cx=160.0, cy=90.0, k=(0.09, -0.12))
FISHEYE = dict(kind=2, f=200.0, cx=160.0, cy=120.0, k=(0.02, -0.01, 0.004, -0.001))
# The camera in the body of the device: rotation by rows, and place.
CAMERAS = {
    77: ([[0.0, -1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, -1.0]], [0.005, 0.06, 0.0], PINHOLE),
    90: ([[0.0, -0.8, 0.6], [-1.0, 0.0, 0.0], [0.0, -0.6, -0.8]], [0.01, 0.055, 0.002], FISHEYE),
}


def numbers(lens):
    """K, its inverse, and what distorts."""
    f, cx, cy = lens["f"], lens["cx"], lens["cy"]
    k = [f, 0.0, cx, 0.0, f, cy, 0.0, 0.0, 1.0]
    inverse = [1 / f, 0.0, -cx / f, 0.0, 1 / f, -cy / f, 0.0, 0.0, 1.0]
    return k + inverse + list(lens["k"]) + ([0.0, 0.0, 0.0, -0.6, 0.6, -0.34, 0.34] if lens["kind"] == 1 else [])


def pixel(lens, x, y):
    r = math.hypot(x, y)
    if lens["kind"] == 1:
        scale = 1 + lens["k"][0] * r**2 + lens["k"][1] * r**4
    else:
        t = math.atan(r)
        scale = t * (1 + sum(k * t ** (2 * i + 2) for i, k in enumerate(lens["k"]))) / r if r else 1.0
    return lens["f"] * x * scale + lens["cx"], lens["f"] * y * scale + lens["cy"]


def looking(eye, target):
    """The axes of a camera, right, down and ahead, in the world."""
    ahead = unit(minus(target, eye))
    right = unit(cross(ahead, [0.0, 1.0, 0.0]))
    return [right, cross(ahead, right), ahead]


class Scene:
    """A table before a wall, seen from a few places."""

    def __init__(self, version, points=48, frames=5):
        self.rng = random.Random(version)
        self.version = version
        self.moments = [self.moment(n) for n in range(frames)]
        self.points = [self.point(n) for n in range(points)]
        self.expected = []
        self.observe()

    def moment(self, n):
        eye = [0.9 * math.sin(0.5 * n), 1.3 + 0.05 * n, 1.4 * math.cos(0.4 * n)]
        axes = looking(eye, [0.1, 0.7, -0.6])
        camera = 90 if self.version == 2 and n % 2 else 77
        rotation, place, lens = CAMERAS[camera]
        seen = [ORIGIN.turned_back(axis) for axis in axes]
        body = product(transposed(rotation), seen)
        center = ORIGIN.back(eye)
        sessions = SESSIONS[self.version]
        return dict(
            session=sessions[n % len(sessions)], index=10 * n + 3, time=100.0 + 0.5 * n, camera=camera, lens=lens, eye=eye,
            axes=axes, seen=seen, center=center, rotation=body,
            position=minus(center, apply(transposed(body), place)), observations=[], words=[], used=[])

    def point(self, n):
        at = self.rng.uniform
        world = [at(-0.6, 0.8), 0.75, at(-0.9, 0.2)] if n % 3 else [at(-0.8, 0.9), at(0.2, 1.4), -1.0]
        sessions = SESSIONS[self.version]
        session = 0 if self.version == 1 else sessions[n % len(sessions)]
        return dict(session=session, id=3 * n + 1, world=world, tracking=ORIGIN.back(world), sightings=[])

    def add(self, place, ray, words):
        moment = self.moments[place]
        number = len(moment["observations"])
        moment["observations"].append((*pixel(moment["lens"], *ray), *ray))
        moment["words"].append(words)
        return number

    def observe(self):
        """Every frame sees the points before it, a third of a pixel off; two points do not fit what was seen."""
        for n, point in enumerate(self.points):
            common = self.rng.getrandbits(471)
            worst = 0.0
            for place, moment in enumerate(self.moments):
                x, y, z = apply(moment["seen"], minus(point["tracking"], moment["center"]))
                if z < 0.1 or math.hypot(x, y) > z or self.rng.random() < 0.3:
                    continue
                off = [self.rng.gauss(0, 0.3) / moment["lens"]["f"] for _ in range(2)]
                if n == 7:
                    off[0] += 25 / moment["lens"]["f"]
                worst = max(worst, moment["lens"]["f"] * math.hypot(*off))
                # A few bits differ from sighting to sighting.
                words = common ^ (1 << self.rng.randrange(471)) ^ (1 << self.rng.randrange(471))
                number = self.add(place, (x / z + off[0], y / z + off[1]), words)
                point["sightings"].append((place, number, words))
                moment["used"].append(number)
            if n == 11:
                # A place behind all cameras.
                point["tracking"] = ORIGIN.back([0.4, 1.0, 9.0])
                worst = math.inf
            if not point["sightings"]:
                continue
            place = point["sightings"][0][0]
            moment = self.moments[place]
            line = unit(minus(point["tracking"], moment["center"]))
            point["ray"], point["reference"] = apply(moment["seen"], line), place
            along, across = 0.08 + 0.001 * n, 0.004
            point["covariance"] = None if n % 5 == 4 else [
                (along**2 - across**2) * line[i] * line[j] + across**2 * (i == j) for i in range(3) for j in range(3)]
            if worst <= 10:
                sigma = along if point["covariance"] else -1.0
                words = point["sightings"][0][2].to_bytes(59, "little").hex()
                self.expected.append(
                    f"point {point['session']} {point['id']} {' '.join(map(repr, point['world']))} "
                    f"{len(point['sightings'])} {worst!r} {sigma!r} {words}")
        for place in range(len(self.moments)):  # and something that became no point
            self.add(place, (0.01 * place, 0.02), self.rng.getrandbits(471))
        for moment in self.moments:
            right, down, ahead = moment["axes"]
            pose = right + [-x for x in down] + [-x for x in ahead] + moment["eye"]
            self.expected.append(
                f"keyframe {moment['session']} {moment['index']} {moment['camera']} {moment['time']!r} "
                f"{' '.join(map(repr, pose))}")
            for u, v, x, y in moment["observations"]:
                self.expected.append(f"pixel {moment['index']} {x!r} {y!r} {u!r} {v!r}")

    @property
    def seen(self):
        return [point for point in self.points if point["sightings"]]


# ---- trackingData: MessagePack without arrays and maps

class Packer:
    def __init__(self):
        self.data = bytearray()

    def int(self, *values):
        for value in values:
            if value < 0x80:
                self.data.append(value)
            else:
                power = next(p for p in range(4) if value < 1 << (8 << p))
                self.data += bytes([0xCC + power]) + value.to_bytes(1 << power, "big")

    def real(self, *values):
        for value in values:
            self.data += b"\xcb" + struct.pack(">d", value)

    def single(self, *values):
        for value in values:
            self.data += b"\xca" + struct.pack(">f", value)

    def text(self, value):
        self.data += (bytes([0xA0 | len(value)]) if len(value) < 32 else bytes([0xD9, len(value)])) + value.encode()

    def rows(self, rows):
        for row in rows:
            self.real(*row)

    def lens(self, lens, later):
        parameters = numbers(lens)
        self.int(4 if later else 2, lens["kind"], len(parameters))
        self.real(*parameters)


def tracking(scene):
    later = scene.version == 2
    out = Packer()
    out.text("MapDataSample" if later else "VIODatabaseSample")
    out.int(*([1, 2] if later else [2]))
    used = sorted({moment["camera"] for moment in scene.moments})
    out.int(len(used))
    for number in used:
        rotation, place, lens = CAMERAS[number]
        out.int(number, 2)
        out.rows(rotation)
        out.real(*place)
        out.lens(lens, later)
    square = [float(i == j) for i in range(6) for j in range(6)]
    out.int(len(scene.moments))
    # Keyframes stand in another order than their frames.
    for moment in reversed(scene.moments):
        out.int(3 if later else 2)
        out.rows(moment["rotation"])
        out.real(*moment["position"], 0.1, -0.2, 0.05, *[0.001] * 6, *square, *square)
        out.int(0)
        out.real(moment["time"])
        out.int(moment["session"], moment["index"])
        if later:
            out.real(moment["time"])
    out.int(len(scene.moments))
    for moment in scene.moments:
        out.int(4, moment["session"], moment["index"], moment["camera"])
        out.real(-1.0)
        out.int(len(moment["observations"]))
        for number, (u, v, x, y) in enumerate(moment["observations"]):
            out.int(2, 500 + number)
            out.real(u, v, x, y, 0.5)
        out.int(len(moment["words"]))
        for words in moment["words"]:
            out.int(*(words >> 32 * n & 0xFFFFFFFF for n in range(16)))
        out.lens(moment["lens"], later)
        out.data.append(0xC2)
        out.int(len(moment["used"] if later else []), *(moment["used"] if later else []))
    out.int(len(scene.seen))
    for point in scene.seen:
        out.int(2, point["session"], point["id"])
        out.real(*point["tracking"], *point["ray"])
        out.int(1 if point["covariance"] else 0)
        out.real(*(point["covariance"] or []))
        out.int(len(point["sightings"]))
        for place, number, _ in point["sightings"]:
            out.int(place, number)
        out.int(point["reference"])
    if later:
        graph(out, scene)
    return bytes(out.data)


def graph(out, scene):
    """Nodes, edges, images and pins of the later layout; no reader of points needs their content."""
    keys = [(moment["session"], moment["index"]) for moment in scene.moments]
    out.int(1, len(keys))
    for key in keys:
        out.int(*key, 1, *key)
    out.int(len(keys) - 1)
    for one, next in zip(keys, keys[1:]):
        out.int(2, 0, *one, 0xFFFFFFFF, *next, 0xFFFFFFFF)
        out.real(*[float(i % 5 == 0) for i in range(16)], *[float(i % 7 == 0) for i in range(36)])
        out.int(2)
    out.int(0, 1, *keys[0], 77, 1)
    out.single(*[0.125] * 128)
    out.int(1)
    out.text(TABLE)
    out.int(1)
    out.text(TABLE)
    out.int(keys[0][0], *keys[0], 77)
    out.real(*[float(i % 5 == 0) for i in range(16)], *[0.0] * 16)
    out.int(1, 2, keys[0][0], keys[0][0])


# ---- The keyed archive

TABLE = "00000000-0000-4000-8000-00000000002A"


class Archive:
    """Objects that name each other by number. Version 2 stores small vectors inline, version 1 as objects."""

    def __init__(self, version):
        self.version, self.objects, self.classes = version, ["$null"], {}

    def add(self, value):
        self.objects.append(value)
        return UID(len(self.objects) - 1)

    def class_of(self, *names):
        if names not in self.classes:
            self.classes[names] = self.add({"$classname": names[0], "$classes": list(names)})
        return self.classes[names]

    def object(self, names, **values):
        return self.add({**values, "$class": self.class_of(*names, "NSObject")})

    def array(self, values):
        return self.object(["NSArray"], **{"NS.objects": values})

    def vector(self, *values):
        data = struct.pack(f"<{len(values)}f", *values)
        return data if self.version == 2 else self.add(data)

    def anchor(self, names, identifier, matrix, name=None, **values):
        if self.version == 2:
            values.update(referenceTransform=self.vector(*matrix), lastUpdateTimestamp=100.0)
        if name is not None:
            values["name"] = self.add(name)
        return self.object(
            [*names, "ARAnchor"] if names != ["ARAnchor"] else names,
            identifier=self.object(["NSUUID"], **{"NS.uuidbytes": uuid.UUID(identifier).bytes}),
            transform=self.vector(*matrix), **values)

    def plane(self, identifier, matrix, corners, classification, alignment=0, center=(0.0, 0.0), size=(1.0, 0.8)):
        box = dict(center=self.vector(center[0], 0.0, center[1], 1.0), extent=self.vector(size[0], 0.0, size[1], 0.0))
        fan = [n for corner in range(1, len(corners) - 1) for n in (0, corner, corner + 1)]
        geometry = UID(0)
        if corners:
            geometry = self.object(
                ["ARPlaneGeometry"], boundaryVertexCount=len(corners),
                vertexData=self.add(b"".join(struct.pack("<4f", x, 0.0, z, 1.0) for x, z in corners)),
                triangleData=self.add(struct.pack(f"<{len(fan)}H", *fan)), **box)
        return self.anchor(
            ["ARPlaneAnchor"], identifier, matrix, alignment=alignment, classification=classification,
            classificationStatus=3, worldAlignmentRotation=90, geometry=geometry, **box)

    def map(self, anchors, data, version=None, **values):
        """The whole file, of the map as `$top.root`."""
        blob = self.add(data)
        origin = self.vector(*ORIGIN.matrix())
        return self.file(self.object(
            ["ARWorldMap"], version=self.version if version is None else version, referenceOriginTransform=origin,
            anchors=self.array(anchors), trackingData=blob, surfaceData=self.add(b"\x01\x00"), **values))

    def file(self, root):
        return plistlib.dumps(
            {"$version": 100000, "$archiver": "NSKeyedArchiver", "$top": {"root": root}, "$objects": self.objects},
            fmt=plistlib.FMT_BINARY)


def matrix(x, y, z, turn=0.0):
    c, s = math.cos(turn), math.sin(turn)
    return [c, 0.0, -s, 0.0, 0.0, 1.0, 0.0, 0.0, s, 0.0, c, 0.0, x, y, z, 1.0]


def name_of(n):
    return f"00000000-0000-4000-8000-{n:012X}"


def anchors(archive):
    """One anchor of each kind."""
    table = [(-0.5, -0.4), (0.5, -0.4), (0.6, 0.0), (0.5, 0.4), (-0.5, 0.4)]
    return [
        archive.anchor(["ARAnchor"], name_of(1), matrix(0.1, 0.75, -0.3, 0.4), "mug"),
        archive.anchor(["ARAnchor"], name_of(2), matrix(0.0, 0.0, 0.0)),
        archive.anchor(["Example.LabelAnchor"], name_of(3), matrix(0.4, 0.8, -0.1), "Küche",
                       label=archive.add("left"), font=archive.object(["Example.Font"], size=12)),
        archive.plane(TABLE, matrix(0.1, 0.75, -0.35), table, 4, size=(1.1, 0.8), center=(0.05, 0.0)),
        archive.plane(name_of(5), matrix(0.0, 0.0, 0.2, 1.0), [], 2, center=(0.5, 0.25), size=(3.0, 2.0)),
        archive.plane(name_of(6), [0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 1.0, -1.0, 1.0],
                      [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0)], 1, alignment=1),
        archive.anchor(["ARImageAnchor"], name_of(7), matrix(0.2, 1.2, -1.0), "poster"),
        archive.anchor(["ARObjectAnchor"], name_of(8), matrix(-0.2, 0.75, -0.4), "teapot"),
        archive.anchor(["AREnvironmentProbeAnchor"], name_of(9), matrix(0.0, 1.0, 0.0),
                       extent=archive.vector(*[math.inf] * 3, 0.0), trackedPlaneIdentifier=UID(0)),
        archive.anchor(["AREnvironmentProbeAnchor"], name_of(10), matrix(0.1, 1.0, -0.4),
                       extent=archive.vector(1.0, 0.5, 2.0, 0.0), trackedPlaneIdentifier=UID(0)),
    ]


def write(name, data):
    with open(name, "wb") as file:
        file.write(data)


def rooms():
    for version in (1, 2):
        scene = Scene(version)
        archive = Archive(version)
        write(f"room-{version}.arexperience", archive.map(anchors(archive), tracking(scene)))
        with open(f"room-{version}.txt", "w") as file:
            file.write("\n".join([f"left-out {len(scene.seen) - sum(e.startswith('point') for e in scene.expected)}",
                                  *scene.expected]) + "\n")


def partial():
    """Archives whose anchors are sound and whose points are of a layout that no reader knows."""
    known = tracking(Scene(1, points=6, frames=2))
    later = tracking(Scene(2, points=6, frames=2))
    variants = {
        "later-name": (1, b"\xaaFutureData\x01", None),
        "later-layout": (2, later[:14] + b"\x03" + later[15:], None),
        "later-archive": (2, later, 3),
        "left-over": (1, known + b"\x00", None),
        "cut": (1, known[:-40], None),
        "empty": (1, b"", None),
        "huge-count": (1, b"\xb1VIODatabaseSample\x02\xcf" + b"\xff" * 8, None),
        "wrapped": (2, later, None),
    }
    for name, (version, data, stated) in variants.items():
        archive = Archive(version)
        file = archive.map([archive.anchor(["ARAnchor"], name_of(1), matrix(1.0, 2.0, 3.0), "kept")], data, stated)
        if name == "wrapped":
            root = next(n for n, o in enumerate(archive.objects) if isinstance(o, dict) and "trackingData" in o)
            file = archive.file(archive.object(["Example.Save"], title=archive.add("my room"), map=UID(root)))
        write(f"{name}.arexperience", file)


def hostile():
    """Archives that must be refused, and quickly."""
    def one(name, change, anchor=lambda archive: archive.anchor(["ARAnchor"], name_of(1), matrix(0, 0, 0))):
        archive = Archive(2)
        more = anchor(archive)
        root = archive.object(["ARWorldMap"], version=2, referenceOriginTransform=archive.vector(*ORIGIN.matrix()),
                              anchors=archive.array(more if isinstance(more, list) else [more]),
                              trackingData=archive.add(b""))
        change(archive)
        write(f"refused-{name}.arexperience", archive.file(root))

    def array(archive):
        return next(o for o in archive.objects if isinstance(o, dict) and "NS.objects" in o)

    def cycle(archive):
        array(archive)["NS.objects"][0] = UID(archive.objects.index(array(archive)))

    def beyond(archive):
        array(archive)["NS.objects"][0] = UID(9999)

    def deep(archive):
        inner = UID(0)
        for _ in range(40):
            inner = archive.array([inner])
        array(archive)["NS.objects"].append(inner)

    def fan(archive):
        inner = archive.array([])
        for _ in range(4):
            inner = archive.array([inner] * 40)
        array(archive)["NS.objects"].append(inner)

    def matrix_of(change):
        def anchor(archive):
            m = matrix(0.0, 0.0, 0.0)
            change(m)
            return archive.anchor(["ARAnchor"], name_of(1), m)
        return anchor

    keep = lambda archive: None
    one("cycle", cycle)
    one("reference", beyond)
    one("deep", deep)
    one("fan", fan)
    one("skew", keep, matrix_of(lambda m: m.__setitem__(4, 0.5)))
    one("infinite", keep, matrix_of(lambda m: m.__setitem__(12, math.inf)))
    one("scale", keep, matrix_of(lambda m: m.__setitem__(15, 2.0)))
    one("short-matrix", keep, matrix_of(lambda m: m.pop()))
    one("twice", keep, lambda archive: [
        archive.anchor(["ARAnchor"], name_of(1), matrix(n, 0.0, 0.0)) for n in (0.0, 1.0)])
    one("corner", keep, lambda archive: archive.plane(name_of(1), matrix(0, 0, 0), [(0, 0), (1, 0), (1, 1)], 2))
    archive = Archive(2)
    write("refused-other.arexperience", archive.file(archive.object(["Example.Save"], title=archive.add("no map"))))
    write("refused-plain.arexperience", plistlib.dumps({"title": "no archive"}, fmt=plistlib.FMT_BINARY))
    # The triangle's last corner, 2, becomes 9.
    with open("refused-corner.arexperience", "rb") as file:
        data = file.read()
    write("refused-corner.arexperience", data.replace(struct.pack("<3H", 0, 1, 2), struct.pack("<3H", 0, 1, 9)))


rooms()
partial()
hostile()
