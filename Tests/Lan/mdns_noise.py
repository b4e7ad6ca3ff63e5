"""Sends malformed and forged multicast DNS on eth0: mdns_noise.py SEED COUNT, or mdns_noise.py CORPUS."""

import random
import socket
import struct
import sys

GROUP = ("224.0.0.251", 5353)
SERVICE = "_sharedworld._tcp.local"
PTR, TXT, SRV, A, AAAA, NSEC, ANY = 12, 16, 33, 1, 28, 47, 255


def name(text):
    """A domain name as labels."""
    return b"".join(bytes([len(label)]) + label for label in text.encode().split(b".")) + b"\0"


def record(owner, kind, data, length=None, lifetime=120):
    """A record, whose length may lie."""
    head = struct.pack("!HHIH", kind, 0x8001 if kind != PTR else 1, lifetime, len(data) if length is None else length)
    return owner + head + data


def response(records, count=None):
    """A response, whose number of records may lie."""
    return struct.pack("!6H", 0, 0x8400, 0, len(records) if count is None else count, 0, 0) + b"".join(records)


def service(dice, number):
    """The records of a forged service."""
    instance = bytes([len(label := f"forged{number}".encode())]) + label + name(SERVICE)
    texts = [b"v=1", b"n=" + dice.randbytes(dice.randrange(60)), dice.randbytes(dice.randrange(200)), b"", b"=", b"st"]
    text = b"".join(bytes([len(each)]) + each for each in dice.sample(texts, 4))
    host = name(f"host{number}.local")
    return [
        record(name(SERVICE), PTR, instance), record(instance, TXT, text),
        record(instance, SRV, struct.pack("!3H", 0, 0, dice.randrange(65536)) + host),
        record(host, A, dice.randbytes(4)), record(host, AAAA, dice.randbytes(16)),
    ]


def malformed(dice, number):
    """One datagram that no honest responder sends, or that a stranger forges."""
    records = service(dice, number)
    whole = response(records)
    loop = struct.pack("!H", 0xC000 | dice.choice([12, 14, len(whole), 0x3FFF]))
    kinds = [
        lambda: dice.randbytes(dice.randrange(1400)),
        lambda: whole[:dice.randrange(len(whole))],
        lambda: response(records, count=dice.randrange(65536)),
        lambda: response([record(loop, dice.choice([PTR, TXT, SRV, NSEC, ANY]), loop)]),
        lambda: response([record(name(SERVICE), PTR, loop), record(name(SERVICE), PTR, b"\x3f" + dice.randbytes(20))]),
        lambda: response([record(name(SERVICE), TXT, dice.randbytes(50), length=dice.randrange(65536))]),
        lambda: response([record(b"\x3f" + b"x" * 63 + name(".".join(["y" * 63] * 4)), PTR, name(SERVICE))]),
        lambda: bytes(byte ^ (1 << dice.randrange(8)) if dice.random() < 0.02 else byte for byte in whole),
        lambda: whole,
    ]
    return dice.choice(kinds)()


def corpus(path):
    """The datagrams of a file with a name and hexadecimal bytes a line."""
    with open(path, encoding="ascii") as lines:
        return [bytes.fromhex(line.partition(":")[2]) for line in lines if not line.startswith("#")]


def open_sender(family=socket.AF_INET):
    """A socket that sends as a responder does, over IPv4 or over the IPv6 of eth0."""
    sender = socket.socket(family, socket.SOCK_DGRAM)
    sender.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sender.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    if family == socket.AF_INET:
        sender.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 255)
    else:
        sender.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        sender.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_HOPS, 255)
        sender.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_IF, socket.if_nametoindex("eth0"))
    # From the port of the protocol: Avahi ignores responses from any other.
    sender.bind(("", GROUP[1]))
    return sender


def main():
    """Sends the datagrams of a file, or as many made-up ones as the command line says."""
    sender = open_sender()
    if len(sys.argv) == 2:
        datagrams = corpus(sys.argv[1])
    else:
        dice = random.Random(int(sys.argv[1]))
        datagrams = (malformed(dice, number) for number in range(int(sys.argv[2])))
    for datagram in datagrams:
        sender.sendto(datagram, GROUP)


if __name__ == "__main__":
    main()
