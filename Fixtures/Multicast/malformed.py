"""Writes malformed.txt: multicast DNS datagrams that no honest responder sends, a name and hexadecimal bytes a line.

Each breaks one rule, which its name says, of RFC 1035 §4.1 (messages, compression), RFC 6762 §18 (multicast DNS), RFC 2782 (SRV)
or RFC 6763 §6 (TXT). The tests of discovery read them, and the LAN's stranger sends them to every peer: nobody may crash or hang,
and of the services that are named in them nobody lists one whose own records are broken. `sound` is the last one, and is listed.
"""

import pathlib
import struct

SERVICE = "_sharedworld._tcp.local"
A, PTR, TXT, AAAA, SRV, OPT, NSEC, ANY = 1, 12, 16, 28, 33, 41, 47, 255


def label(text):
    """One label; its length may lie when the text is longer than 63 bytes."""
    data = text if isinstance(text, bytes) else text.encode()
    return bytes([len(data) & 0xFF]) + data


def name(text):
    """A domain name as labels."""
    return b"".join(label(each) for each in text.split(".")) + b"\0"


def record(owner, kind, data, length=None, lifetime=120, cls=None):
    """A record, whose length may lie."""
    cls = cls if cls is not None else 1 if kind == PTR else 0x8001
    return owner + struct.pack("!HHIH", kind, cls, lifetime, len(data) if length is None else length) + data


def message(*records, flags=0x8400, counts=None):
    """A message, whose counts may lie."""
    return struct.pack("!6H", 0, flags, *(counts or (0, len(records), 0, 0))) + b"".join(records)


def service(instance, host="broken.local", port=4711, text=b"\x03v=1", address=b"\x0a\x4d\x00\xfa"):
    """The records of a service."""
    own = label(instance) + name(SERVICE)
    return [record(name(SERVICE), PTR, own), record(own, SRV, struct.pack("!3H", 0, 0, port) + name(host)),
            record(own, TXT, text), record(name(host), A, address)]


def pointer(data, length=None):
    """A message with a pointer of the service type."""
    return message(record(name(SERVICE), PTR, data, length))


def cases():
    """Every case by its name."""
    yield "empty", b""
    yield "head cut short", message()[:11]
    yield "head alone", message()
    yield "counts of everything", message(counts=(0xFFFF,) * 4)
    yield "answers that are missing", message(counts=(0, 0xFFFF, 0, 0))
    yield "a question that is missing", message(counts=(1, 0, 0, 0))
    yield "answers in a question", message(*service("in a question"), flags=0)
    yield "an operation that is not a query", message(*service("operation"), flags=0xA800)
    yield "an error code", message(*service("error code"), flags=0x8403)
    whole = message(*service("cut short"))
    for length in range(13, len(whole), 7):
        yield f"cut after {length} bytes", whole[:length]
    yield "a name that leads to itself", message(record(b"\xc0\x0c", PTR, b"\xc0\x0c"))
    yield "two names that lead to each other", message(record(b"\xc0\x0e\xc0\x0c", PTR, b"\xc0\x0c"))
    yield "a name that leads ahead", pointer(b"\xc0\xff")
    yield "a name that leads out of the message", pointer(b"\xff\xff")
    yield "a name that leads into the head", pointer(label("head") + b"\xc0\x02")
    yield "a name that leads nowhere", pointer(b"\xc0")
    yield "a label of a reserved kind", pointer(b"\x80" + b"x" * 128 + b"\0")
    yield "a label of an extended kind", pointer(b"\x41" + b"x" * 65 + b"\0")
    yield "a name of 300 bytes", pointer(b"".join(label("x" * 59) for _ in range(5)) + b"\0")
    yield "a name without an end", pointer(label("endless") + b"\x0bsharedworld")
    yield "a pointer to the root", pointer(b"\0")
    yield "a pointer to the type itself", pointer(name(SERVICE))
    yield "a pointer to another type", pointer(label("elsewhere") + name("_other._tcp.local"))
    yield "a pointer shorter than its name", pointer(label("short") + name(SERVICE), length=3)
    yield "a pointer longer than its name", pointer(label("long") + name(SERVICE) + b"tail")
    yield "a pointer without data", pointer(b"")
    yield "an instance without a name", message(*service(""))
    yield "an instance that is not UTF-8", message(*service(b"\xff\xfe\xc3"))
    yield "an instance with control characters", message(*service(b"\x1b[2J\x07\x00\n"))
    yield "an instance that turns the line around", message(*service("\u202egnorw\u202c"))
    own = label("half") + name(SERVICE)
    there = record(name(SERVICE), PTR, own)
    yield "a location without a host", message(there, record(own, SRV, struct.pack("!3H", 0, 0, 4711)))
    yield "a location of five bytes", message(there, record(own, SRV, b"\0\0\0\0\x12"))
    yield "a location with port 0", message(*service("port 0", port=0))
    yield "a location that leads to itself", message(there, record(own, SRV, struct.pack("!3H", 0, 0, 4711) + own))
    yield "a text that is longer than the record", message(there, record(own, TXT, b"\xffv=1"))
    yield "a text longer than the message", message(there, record(own, TXT, b"\x03v=1", length=0xFFFF))
    yield "a text of nothing", message(there, record(own, TXT, b""))
    yield "a text of empty strings", message(there, record(own, TXT, bytes(1000)))
    yield "a text without a key", message(there, record(own, TXT, b"\x02=1\x01="))
    for length in (0, 3, 5):
        yield f"an IPv4 address of {length} bytes", message(*service("address", address=bytes(length)))
    yield "an IPv6 address of 4 bytes", message(record(name("broken.local"), AAAA, bytes(4)))
    yield "a record of another class", message(record(name(SERVICE), PTR, own, cls=3))
    yield "a record of any type", message(record(name(SERVICE), ANY, own))
    yield "a pseudo-record", message(record(b"\0", OPT, b"\0\4\xff\xff"))
    yield "a bit map that is too long", message(record(own, NSEC, own + b"\0\xff" + bytes(3)))
    yield "a lifetime of 136 years", message(record(name(SERVICE), TXT, b"\0", lifetime=0xFFFFFFFF))
    yield "a goodbye of nobody", message(record(name(SERVICE), PTR, label("nobody") + name(SERVICE), lifetime=0))
    yield "9,000 bytes of pointers", pointer(b"\xc0\x0c" * 4480)
    yield "9,000 bytes of ones", b"\xff" * 9000
    yield "sound", message(*service("sound", host="sound.local"))


def main():
    """Writes the file beside this one."""
    lines = [f"{title}: {data.hex()}" for title, data in cases()]
    target = pathlib.Path(__file__).with_name("malformed.txt")
    target.write_text("# Made by malformed.py; one case a line.\n" + "\n".join(lines) + "\n", encoding="ascii")


if __name__ == "__main__":
    main()
