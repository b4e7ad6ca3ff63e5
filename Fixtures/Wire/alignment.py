#!/usr/bin/env python3
"""Makes alignment.txt from Documentation/Protocol/frames.md alone: words about frames, and where the frames lie by them.

Where frames lie is never sent, so that two programs that differ in it see things at different places and nothing tells
them. Each case has the bodies of the words that a member holds, then what follows: for two frames where three points of
the first are in the second, or that they are apart, and the measurements that are held back.
A test compares what it prints with the file: Fixtures/Wire/alignment.py > Fixtures/Wire/alignment.txt
"""
import heapq
import math
import random
import struct

from frames import SHARED, f32, sha, u8, u32, u64

SIGMAS, DRIFT, MOST_DRIFT = 5, 0.2e-3 / 1000, 0.2
LEAST, MOST, LEVER = (4e-6, 3e-6), (1, 0.12), 9
CONFIRMED, ONE_SIDED, THIRD_PARTY = range(3)
POINTS = ((0, 0, 0), (1, 0, 0), (0, 1, 0))


class Motion:
    """A turn, by the axes of the source as columns, then a shift."""

    def __init__(self, axes, shift):
        self.axes, self.shift = axes, shift

    @staticmethod
    def of(axis, angle, shift):
        length = math.sqrt(sum(a * a for a in axis))
        x, y, z = (a / length for a in axis)
        c, s = math.cos(angle), math.sin(angle)
        t = 1 - c
        return Motion(((t * x * x + c, t * x * y + s * z, t * x * z - s * y),
                       (t * x * y - s * z, t * y * y + c, t * y * z + s * x),
                       (t * x * z + s * y, t * y * z - s * x, t * z * z + c)), tuple(shift))

    def __call__(self, p):
        return tuple(sum(self.axes[j][i] * p[j] for j in range(3)) + self.shift[i] for i in range(3))

    def turn(self, p):
        return tuple(sum(self.axes[j][i] * p[j] for j in range(3)) for i in range(3))

    def inverse(self):
        axes = tuple(tuple(self.axes[j][i] for j in range(3)) for i in range(3))
        back = Motion(axes, (0, 0, 0))
        return Motion(axes, tuple(-a for a in back(self.shift)))

    def after(self, first):
        return Motion(tuple(self.turn(axis) for axis in first.axes), self(first.shift))

    def chord_squared(self, other):
        """(2 sin θ/2)² of the turn between two: half of the squared distance of their axes."""
        return sum((a - b) ** 2 for one, two in zip(self.axes, other.axes) for a, b in zip(one, two)) / 2

    def rounded(self):
        """As the wire has it."""
        numbers = struct.unpack("<12f", self.bytes())
        return Motion((numbers[0:3], numbers[3:6], numbers[6:9]), numbers[9:12])

    def bytes(self):
        return f32(*self.axes[0], *self.axes[1], *self.axes[2], *self.shift)


IDENTITY = Motion(((1, 0, 0), (0, 1, 0), (0, 0, 1)), (0, 0, 0))


def distance_squared(p, q): return sum((a - b) ** 2 for a, b in zip(p, q))


def owner(number): return sha(f"owner {number}".encode())[:8] + struct.pack(">Q", 100 + number)
def frame(number, count=1): return owner(number) + u32(count)


def order(a_frame):
    """By owner, then by number."""
    return a_frame[:16], struct.unpack("<I", a_frame[16:])[0]


class Measurement:
    def __init__(self, observer, source, target, motion, position=0.01, orientation=0.002, center=(0, 0, 0), time=0):
        self.observer, self.source, self.target, self.time = observer, source, target, time
        self.motion, self.center = motion.rounded(), struct.unpack("<3f", f32(*center))
        covariance = [0.0] * 21
        for row in range(6):
            covariance[row * (row + 3) // 2] = (orientation if row < 3 else position) ** 2 / 3
        self.body = u64(time) + motion.bytes() + f32(*center) + f32(*covariance) + f32(0) + u32(1)
        numbers = struct.unpack("<21f", f32(*covariance))
        self.variances = (sum(numbers[row * (row + 3) // 2] for row in range(3, 6)),
                          sum(numbers[row * (row + 3) // 2] for row in range(3)))

    @property
    def register(self): return self.observer, order(self.source), order(self.target)


class Relation:
    """A measurement as it counts: from the higher frame to the lower one."""

    def __init__(self, one):
        self.measurement = one
        self.low, self.high = sorted((one.source, one.target), key=order)
        downward = one.target == self.low
        self.motion = one.motion if downward else one.motion.inverse()
        self.center = one.center if downward else self.motion(one.center)
        self.position, self.orientation = (max(a, b) for a, b in zip(one.variances, LEAST))
        self.cost = self.position + LEVER * self.orientation
        self.owners = {one[:16] for one in (self.low, self.high)} - {SHARED[:16]}
        self.first_hand = one.observer in self.owners


def agree(first, motion, position, orientation, age):
    """Whether the first and another motion of the same two frames say the same."""
    drift = min(age * DRIFT, MOST_DRIFT) ** 2
    point = first.motion.inverse()(first.center)
    return (distance_squared(first.motion(point), motion(point)) <= SIGMAS ** 2 * (first.position + position + drift)
            and first.motion.chord_squared(motion) <= SIGMAS ** 2 * (first.orientation + orientation + drift))


def relation_of(pair):
    """The relation of a pair of frames and its trust; none if those that count do not agree."""
    first_hand = [one for one in pair if one.first_hand]
    counting = first_hand or pair
    best = min(counting, key=lambda one: (one.cost, one.measurement.register))
    for other in counting:
        spread = other.position + other.orientation * distance_squared(best.center, other.center)
        age = abs(best.measurement.time - other.measurement.time)
        if not agree(best, other.motion, spread, other.orientation, age):
            return None
    if not first_hand:
        return best, THIRD_PARTY
    observers = {one.measurement.observer for one in first_hand}
    return best, CONFIRMED if observers == best.owners else ONE_SIDED


def solve(declared, measurements):
    """Where all frames lie: of each its root, its motion to that, and the relations on the way; and what is held back."""
    counting = [Relation(one) for one in measurements
                if one.variances[0] <= MOST[0] and one.variances[1] <= MOST[1]]
    pairs = {}
    for one in counting:
        pairs.setdefault((order(one.low), order(one.high)), []).append(one)
    relations = [found for key in sorted(pairs) if (found := relation_of(pairs[key]))]
    frames = {one for relation in counting for one in (relation.low, relation.high)} | set(declared)
    roots = sorted(frames | {SHARED}, key=lambda one: (one != SHARED, declared.get(one, math.inf), order(one)))
    placed = {}
    for root in roots:
        if root in placed:
            continue
        placed[root] = (root, IDENTITY, [])
        queue, count = [], 0

        def reach(a_frame, cost):
            nonlocal count
            for relation, trust in relations:
                if a_frame in (relation.low, relation.high):
                    other = relation.high if a_frame == relation.low else relation.low
                    count += 1
                    entry = (trust, cost + relation.cost, order(relation.low), order(relation.high), count)
                    heapq.heappush(queue, entry + (a_frame, other, relation))

        reach(root, 0)
        while queue:
            _, cost, _, _, _, before, new, relation = heapq.heappop(queue)
            if new in placed:
                continue
            step = relation.motion if new == relation.high else relation.motion.inverse()
            placed[new] = (root, placed[before][1].after(step), placed[before][2] + [relation])
            reach(new, cost)
    held_back = [one.measurement for one in counting if not is_confirmed(one, placed)]
    return placed, sorted(held_back, key=lambda one: one.register)


def path(source, target, placed):
    """The motion from one frame to another, and the relations between them; none if they are apart."""
    (one_root, one, up), (other_root, other, down) = placed[source], placed[target]
    if one_root != other_root:
        return None
    shared = 0
    while shared < min(len(up), len(down)) and up[shared] is down[shared]:
        shared += 1
    return other.inverse().after(one), up[shared:] + down[shared:]


def is_confirmed(one, placed):
    found = path(one.high, one.low, placed)
    if found is None:
        return False
    motion, relations = found
    oldest = min((relation.measurement.time for relation in relations), default=one.measurement.time)
    cost, orientation = sum(r.cost for r in relations), sum(r.orientation for r in relations)
    return agree(one, motion, cost, orientation, abs(one.measurement.time - oldest))


def show(name, declared, measurements):
    """`declared` has the session time of each frame of an owner, from its first."""
    print(f"case {name}")
    times = {}
    for number, times_of_frames in declared.items():
        body = u8(len(times_of_frames)) + b"".join(
            u32(index + 1) + u8(0) + u64(10 * index) + u64(index + 1) + u64(time)
            for index, time in enumerate(times_of_frames))
        print(f"declarations {owner(number).hex()} {body.hex()}")
        times |= {frame(number, index + 1): time for index, time in enumerate(times_of_frames)}
    for one in measurements:
        print(f"measurement {one.observer.hex()} {(one.source + one.target).hex()} {one.body.hex()}")
    placed, held_back = solve(times, measurements)
    frames = sorted(placed, key=order)
    for index, source in enumerate(frames):
        for target in frames[:index]:
            found = path(source, target, placed)
            if found is None:
                print(f"apart {source.hex()} {target.hex()}")
            else:
                numbers = [f"{number:.4f}" for point in POINTS for number in found[0](point)]
                print(f"lies {source.hex()} {target.hex()} {' '.join(numbers)}")
    for one in held_back:
        print(f"held-back {one.observer.hex()} {(one.source + one.target).hex()}")


def confirm(one, other, motion, **quality):
    """Both owners measure alike, each from its own frame to the other one."""
    yield Measurement(owner(one), frame(one), frame(other), motion, **quality)
    yield Measurement(owner(other), frame(other), frame(one), motion.inverse(), **quality)


def drawn(seed):
    """Six frames that lie somewhere, measured by owners and others with noise; one member lies about everything."""
    dice = random.Random(seed)

    def number(most): return (dice.random() * 2 - 1) * most
    def motion(turn, shift):
        return Motion.of([number(1) + 1e-3 for _ in range(3)], number(turn), [number(shift) for _ in range(3)])
    truth = {index: motion(3, 4) for index in range(1, 7)}
    measurements = {}
    for _ in range(dice.randrange(4, 16)):
        one, other, observer = dice.randrange(1, 7), dice.randrange(0, 7), dice.randrange(1, 7)
        if one == other:
            continue
        if dice.random() < 0.7:
            observer = one
        true = (truth[other].inverse() if other else IDENTITY).after(truth[one])
        said = motion(3, 4) if observer == 6 else true.after(motion(0.002, 0.01))
        one_measured = Measurement(
            owner(observer), frame(one), frame(other) if other else SHARED, said,
            position=0.01 + 0.05 * dice.random(), orientation=0.002 + 0.01 * dice.random(),
            center=[number(2) for _ in range(3)], time=dice.randrange(0, 100_000))
        measurements[one_measured.register] = one_measured
    show(f"drawn-{seed}", {index: [dice.randrange(0, 1000)] for index in range(1, 7) if index != 5},
         list(measurements.values()))


TURN = Motion.of((0, 1, 0), 0.5, (2, 0, -1))
STEP = Motion.of((0, 1, 0.2), -1.2, (0.5, 0.1, 3))
ASIDE = Motion.of((0, 1, 0), 0, (0.5, 0, 0))

print("# Made by alignment.py, which says what it is.")
show("two-frames-of-unlike-origin", {1: [5], 2: [3]}, list(confirm(1, 2, TURN)))
show("a-chain", {1: [5], 2: [3], 3: [9]}, [*confirm(1, 2, TURN), *confirm(2, 3, STEP)])
show("owners-who-do-not-agree", {1: [5], 2: [3]},
     [Measurement(owner(1), frame(1), frame(2), TURN), Measurement(owner(2), frame(1), frame(2), ASIDE.after(TURN))])
show("a-third-party-does-not-move-what-owners-confirm", {1: [5], 2: [3], 3: [9]},
     [*confirm(1, 2, TURN), Measurement(owner(3), frame(1), frame(2), ASIDE.after(TURN), position=0.003)])
show("a-third-party-connects-what-nothing-else-does", {1: [5], 2: [3], 3: [9]},
     [Measurement(owner(3), frame(1), frame(2), TURN)])
show("the-surer-of-two-that-agree", {1: [5], 2: [3]},
     [Measurement(owner(1), frame(1), frame(2), TURN, position=0.05),
      Measurement(owner(2), frame(2), frame(1), Motion.of((0, 1, 0), 0, (0.03, 0, 0)).after(TURN).inverse())])
show("a-cheaper-way-that-is-less-trusted", {1: [5], 2: [3], 3: [9]},
     [*confirm(1, 2, TURN, position=0.2), *confirm(2, 3, STEP, position=0.2),
      Measurement(owner(1), frame(1), frame(3), ASIDE.after(STEP.inverse().after(TURN)), position=0.002)])
show("the-shared-frame-is-the-root", {1: [5], 2: [3]},
     [Measurement(owner(1), frame(1), SHARED, TURN), *confirm(1, 2, STEP)])
show("two-frames-of-one-owner", {1: [5, 50]}, [Measurement(owner(1), frame(1, 2), frame(1, 1), TURN)])
show("drift-forgives-what-is-old", {1: [5], 2: [3]},
     [Measurement(owner(1), frame(1), frame(2), TURN),
      Measurement(owner(2), frame(1), frame(2), ASIDE.after(TURN), time=1_000_000)])
show("too-uncertain-to-count", {1: [5], 2: [3]}, [Measurement(owner(1), frame(1), frame(2), TURN, position=1.1)])
show("a-lever", {1: [5], 2: [3]},
     [Measurement(owner(1), frame(1), frame(2), TURN, orientation=0.05, center=(4, 0, 0)),
      Measurement(owner(2), frame(1), frame(2), Motion.of((0, 1, 0), 0.08, (0, 0, 0)).after(TURN), orientation=0.05)])
show("frames-that-nobody-declared", {1: [5]}, list(confirm(2, 3, STEP)))
for a_seed in range(1, 25):
    drawn(a_seed)
