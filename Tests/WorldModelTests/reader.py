#!/usr/bin/env python3
"""Reads a .worldmap file from Documentation/Protocol/worldmap-format.md alone; prints a line for each anchor and point.

It needs the standard library only. `GoldenMapTests` compares its lines with what the Swift decoder says.
"""
import struct
import sys
from itertools import accumulate

MASK = (1 << 64) - 1
P1, P2, P3, P4, P5 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)


class Damage(Exception):
    pass


def check(condition, what):
    if not condition:
        raise Damage(what)


def rotate(value, bits):
    return (value << bits | value >> (64 - bits)) & MASK


def xxh64(data):
    def step(lane, word):
        return rotate((lane + word * P2) & MASK, 31) * P1 & MASK

    at = 0
    if len(data) >= 32:
        lanes = [(P1 + P2) & MASK, P2, 0, -P1 & MASK]
        while len(data) - at >= 32:
            lanes = [step(lane, word) for lane, word in zip(lanes, struct.unpack_from("<4Q", data, at))]
            at += 32
        h = sum(rotate(lane, bits) for lane, bits in zip(lanes, (1, 7, 12, 18))) & MASK
        for lane in lanes:
            h = ((h ^ step(0, lane)) * P1 + P4) & MASK
    else:
        h = P5
    h = (h + len(data)) & MASK
    while len(data) - at >= 8:
        h = (rotate(h ^ step(0, struct.unpack_from("<Q", data, at)[0]), 27) * P1 + P4) & MASK
        at += 8
    if len(data) - at >= 4:
        h = (rotate(h ^ struct.unpack_from("<I", data, at)[0] * P1 & MASK, 23) * P2 + P3) & MASK
        at += 4
    for byte in data[at:]:
        h = rotate(h ^ byte * P5 & MASK, 11) * P1 & MASK
    h = (h ^ h >> 33) * P2 & MASK
    h = (h ^ h >> 29) * P3 & MASK
    return h ^ h >> 32


class Cursor:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        check(0 <= count <= len(self.data) - self.at, "truncated")
        self.at += count
        return self.data[self.at - count:self.at]

    def unpack(self, form):
        return struct.unpack("<" + form, self.take(struct.calcsize("<" + form)))

    def varint(self):
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def blob(self):
        return self.take(self.varint())


# MARK: container

def sections(data):
    check(data[:8] == b"\x89WMAP\r\n\x1a", "magic")
    major, minor, count, length, checksum = struct.unpack_from("<HHIQQ", data, 8)
    check(major == 1 and length == len(data), "version or length")
    check(xxh64(data[:24] + data[32:32 + 40 * count]) == checksum, "section table")
    at, found = 32 + 40 * count, {}
    for index in range(count):
        code, codec, stored, raw, covered, checksum = struct.unpack_from("<4sIQQQQ", data, 32 + 40 * index)
        body = data[at:at + stored]
        check(xxh64(body[:covered]) == checksum, code)
        found[code] = (codec, body, covered)
        at += stored
    check(at == len(data), "bytes outside every section")
    return found


def blocks(code, section):
    codec, body, covered = section
    check(codec == 1, "codec")
    count, parameters = struct.unpack_from("<II", body)
    rows, at = [], covered
    for index in range(count):
        stored, elements, checksum, low, high = struct.unpack_from("<IIQQQ", body, 8 + parameters + 56 * index)
        magic, name, again, length, same = struct.unpack_from("<4s4sIIQ", body, at)
        check((magic, name, again, length, same) == (b"WBLK", code, elements, stored, checksum), "head of a block")
        payload = body[at + 24:at + stored]
        check(xxh64(payload) == checksum, "block")
        rows.append((elements, low, high, payload))
        at += stored
    check(at == len(body), "bytes after the last block")
    return body[8:8 + parameters], rows


def parities(codec, body, covered):
    """For each block the exclusive or of its 128 pieces."""
    count, parameters = struct.unpack_from("<II", body)
    result, at = b"", covered
    for index in range(count):
        block = body[at:at + struct.unpack_from("<I", body, 8 + parameters + 56 * index)[0]]
        length, parity = (len(block) + 127) // 128, 0
        for piece in range(0, len(block), length):
            parity ^= int.from_bytes(block[piece:piece + length], "little")
        result += parity.to_bytes(length, "little")
        at += len(block)
    return result


# MARK: anchors

def anchor(cursor):
    identifier, fields = cursor.take(16).hex(), cursor.take(1)[0]
    name = cursor.blob().decode()
    transform = cursor.take(48).hex()
    tag = cursor.take(1)[0]
    if tag == 0:
        kind = "plain"
    elif tag == 1:
        alignment, classification = cursor.unpack("BB")
        extent = cursor.take(8).hex()
        corners = cursor.varint()
        kind = f"plane {alignment} {classification} {extent} {cursor.take(8 * corners).hex()}"
    elif tag in (2, 3):
        reference = cursor.blob().decode()
        kind = f"{'image' if tag == 2 else 'object'} {reference} {cursor.take(8 if tag == 2 else 12).hex()}"
    elif tag == 4:
        reference = cursor.blob().decode()
        kind = f"mesh {reference} {cursor.take(12).hex()} {cursor.blob().hex()}"
    else:
        check(tag == 5, "kind of anchor")
        kind = f"participant {cursor.take(32).hex()}"
    payload = creator = created = "-"
    if fields & 1:
        payload = f"{cursor.blob().decode()}:{cursor.blob().hex()}"
    if fields & 2:
        creator = cursor.take(32).hex()
    if fields & 4:
        created = cursor.unpack("Q")[0]
    return f"anchor {identifier} {name} {transform} {kind} {payload} {creator} {created}"


# MARK: points

def frame(cursor):
    head, exceptions = cursor.unpack("BB")
    width, high_bytes = head & 63, (head >> 6) + 1
    words = cursor.unpack(f"{4 * width}I")
    lanes = [sum(words[4 * word + lane] << 32 * word for word in range(width)) for lane in range(4)]
    elements = [lanes[index // 32] >> (index % 32) * width & (1 << width) - 1 for index in range(128)]
    for _ in range(exceptions):
        place = cursor.take(1)[0]
        elements[place] |= int.from_bytes(cursor.take(high_bytes), "little") << width
    return elements


def stream(cursor, count, has_bases=False):
    elements = []
    for _ in range(count // 128):
        base = cursor.unpack("I")[0] if has_bases else 0
        elements += [base + element for element in frame(cursor)]
    rest = count % 128
    if rest:
        base = cursor.unpack("I")[0] if has_bases else 0
        width = cursor.take(1)[0]
        check(width <= 32, "width of a tail")
        bits = int.from_bytes(cursor.take((rest * width + 7) // 8), "little")
        elements += [base + (bits >> index * width & (1 << width) - 1) for index in range(rest)]
    return elements


def code_words(cursor):
    lengths = {}
    for _ in range(cursor.take(1)[0]):
        first, last = cursor.take(2)
        pairs = cursor.take((last - first) // 2 + 1)
        for symbol in range(first, last + 1):
            pair = pairs[(symbol - first) // 2]
            length = pair & 15 if (symbol - first) % 2 == 0 else pair >> 4
            if length:
                lengths[symbol] = length
    words, word, last = {}, 0, 0
    for length, symbol in sorted((length, symbol) for symbol, length in lengths.items()):
        word <<= length - last
        words[length, word] = symbol
        word, last = word + 1, length
    check(last <= 11 and word == 1 << last, "code")
    return words


def code_stream(words, data, count):
    bits = "".join(f"{byte:08b}" for byte in data)
    symbols, at = [], 0
    for _ in range(count):
        for length in range(1, 12):
            symbol = words.get((length, int(bits[at:at + length] or "0", 2)))
            if symbol is not None:
                break
        symbols.append(symbol)
        at += length
    check((at + 7) // 8 == len(data), "length of a stream")
    return symbols


def plane(cursor, count):
    mode = cursor.take(1)[0]
    if mode == 0:
        return cursor.take(count)
    if mode == 1:
        return cursor.take(1) * count
    check(mode == 2, "mode of a plane")
    words = code_words(cursor)
    lengths = cursor.unpack("4H")
    counts = [count // 4] * 3 + [count - count // 4 * 3]
    return bytes(symbol for part, length in zip(counts, lengths)
                 for symbol in code_stream(words, cursor.take(length), part))


def planes(cursor, count, width):
    parts = [plane(cursor, count) for _ in range(width)]
    return [bytes(part[index] for part in parts) for index in range(count)]


def words_of_planes(cursor, count):
    words = [int.from_bytes(element, "little") for element in planes(cursor, count, 4)]
    result = words[:]
    for first in range(0, count - count % 128, 128):
        for place in range(128):
            group, lane, row = place // 16, place // 4 % 4, place % 4
            result[first + 32 * lane + 4 * group + row] = words[first + place]
    return result


def sums(zigzags):
    value, result = 0, []
    for zigzag in zigzags:
        value = (value + (zigzag >> 1 ^ -(zigzag & 1))) & 0xFFFFFFFF
        result.append(value)
    return result


def unordered(value):
    return value ^ 0x7FFFFFFF if value >> 31 else value


def nearest_float(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


def floats(method, cursor, count, step):
    if method == 7:
        number = cursor.unpack("I")[0]
        values = [unordered(value) for value in sums(stream(cursor, number))]
        places = floats(cursor.take(1)[0], cursor, count, 0)
        return [values[place] for place in places]
    if method in (0, 1):
        words = words_of_planes(cursor, count)
        return words if method == 0 else [unordered(value) for value in sums(words)]
    if method == 2:
        folded = [value & 0xFFFFFFFF for value in stream(cursor, count, has_bases=True)]
        return [(value >> 1 | value << 31) & 0xFFFFFFFF for value in folded]
    if method == 3:
        return [unordered(value) for value in sums(stream(cursor, count))]
    check(method == 6 and step > 0, "method")
    numbers = sums(stream(cursor, count))
    bits = [nearest_float((number - (number >> 31 << 32)) * step) for number in numbers]
    while cursor.at < len(cursor.data):
        index, exact = cursor.unpack("II")
        bits[index] = exact
    return bits


def gaps(method, cursor, count, first):
    check(method in (4, 5), "method of identifiers")
    distances = stream(cursor, count)
    if method == 5:
        distances = [low | high << 32 for low, high in zip(distances, stream(cursor, count))]
    result, following = [], first
    for distance in distances:
        result.append(following + distance)
        following = result[-1] + 1
    return result


def points(count, payload):
    cursor = Cursor(payload)
    channels, step, size = cursor.unpack("IfH")
    kind = cursor.blob().decode()
    first = cursor.unpack("Q")[0]
    numbers = [0, 1, 2, 3]
    numbers += [4] if channels & 1 else []
    numbers += [5, 6, 7] if channels & 2 else []
    numbers += [8, 9, 10] if channels & 4 else []
    numbers += [11] if channels & 8 else []
    columns = []
    for number in numbers:
        again, method, length = cursor.unpack("BBI")
        check(again == number, "order of components")
        part = Cursor(cursor.take(length))
        if number == 0:
            columns.append([f"{identifier}" for identifier in gaps(method, part, count, first)])
        elif number in (1, 2, 3, 4, 8, 9, 10):
            columns.append([f"{bits:08x}" for bits in floats(method, part, count, step)])
        else:
            check(method == 0 or method == 1 and number != 11, "method of bytes")
            elements = planes(part, count, size if number == 11 else 1)
            if method == 1:
                elements = [bytes([total & 255]) for total in accumulate(element[0] for element in elements)]
            columns.append([element.hex() for element in elements])
        check(part.at == len(part.data), "length of a component")
    check(cursor.at == len(payload), "bytes after the last component")
    return [f"point {kind or '-'} " + " ".join(row) for row in zip(*columns)]


def keyframe(cursor):
    session, number, camera, time = cursor.unpack("QQQd")
    pose, model = cursor.take(48), cursor.take(1)[0]
    print("keyframe", session, number, camera, time, model, (pose + cursor.take(64)).hex())


def evidence(cursor):
    identifier, session, number, sightings, residual, deviation = cursor.unpack("QQQIff")
    print("evidence", identifier, session, number, sightings, residual, deviation)


def survey(content, size, row):
    cursor = Cursor(content)
    count = cursor.unpack("I")[0]
    check(len(content) == 4 + count * size, "length of a plain section")
    for _ in range(count):
        row(cursor)


def main(path):
    with open(path, "rb") as file:
        found = sections(file.read())
    if b"META" in found:
        print("views", struct.unpack("<I", found[b"META"][1])[0])
    if b"PROV" in found:
        check(len(found[b"PROV"][1]) == 32, "length of a provider")
    if b"ANCH" in found:
        for count, _, _, payload in blocks(b"ANCH", found[b"ANCH"])[1]:
            cursor = Cursor(payload)
            for _ in range(count):
                print(anchor(cursor))
            check(cursor.at == len(payload), "bytes after the last anchor")
    if b"KEYF" in found:
        survey(found[b"KEYF"][1], 145, keyframe)
    if b"EVID" in found:
        survey(found[b"EVID"][1], 36, evidence)
    for count, low, high, payload in blocks(b"PNTS", found[b"PNTS"])[1]:
        lines = points(count, payload)
        check(lines[0].split()[2] == str(low) and lines[-1].split()[2] == str(high), "keys of a block")
        print("\n".join(lines))
    if b"PRTY" in found:
        check(found[b"PRTY"][1] == parities(*found[b"PNTS"]), "parity")


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except Damage as damage:
        sys.exit(f"damaged: {damage}")
