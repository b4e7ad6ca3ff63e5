"""Shows services of no peer on eth0, at this host's address: mdns_forge.py ADDRESS PORT COUNT closed|silent.

It multicasts their records over IPv4 and IPv6, prints "shown", and answers every question about them until it is
killed. Behind the port is nobody (closed), or somebody who accepts connections and says nothing (silent).
"""

import selectors
import socket
import struct
import sys
import time

from mdns_noise import A, GROUP, PTR, SERVICE, SRV, TXT, name, open_sender, record, response

#: Services in a message, and the pause after each message (seconds): what a peer handles of one sender, and its daemon.
BATCH, PAUSE = 6, 0.006
TYPE = [label.encode() for label in SERVICE.split(".")]


def instance(number):
    """The name of a service."""
    label = f"forged{number}".encode()
    return bytes([len(label)]) + label + name(SERVICE)


def strings(*texts):
    """The data of a TXT record."""
    return b"".join(bytes([len(each)]) + each for each in texts)


class Forger:
    """The records of the services."""

    def __init__(self, address, port, count):
        self.address, self.port, self.count = address, port, count
        self.host = name("stranger.local")

    def service(self, number):
        """Those of one service."""
        owner = instance(number)
        return [
            record(name(SERVICE), PTR, owner, lifetime=4500),
            record(owner, TXT, strings(b"v=1", b"st=open", b"n=forged%d" % number), lifetime=4500),
            record(owner, SRV, struct.pack("!3H", 0, 0, self.port) + self.host)]

    def place(self):
        """Where all of them are."""
        return record(self.host, A, socket.inet_aton(self.address))

    def answer(self, labels):
        """The records that a question for a name is answered with."""
        if labels[1:] == TYPE and labels[0].startswith(b"forged") and int(labels[0][6:] or -1) < self.count:
            return [*self.service(int(labels[0][6:])), self.place()]
        return [self.place()] if labels[0] == b"stranger" else []


def questions(message):
    """The names that a question is about, as lists of labels."""
    if len(message) < 12 or message[2] & 0x80:
        return
    position = 12
    for _ in range(struct.unpack_from("!H", message, 4)[0]):
        labels, position = read_name(message, position)
        position += 4
        yield labels


def read_name(message, position):
    """A name and the place behind it."""
    labels, end = [], None
    while message[position]:
        if message[position] >= 0xC0:
            end = end or position + 2
            position = struct.unpack_from("!H", message, position)[0] & 0x3FFF
            continue
        labels.append(message[position + 1:position + 1 + message[position]])
        position += 1 + message[position]
    return labels, end or position + 1


def serve(forger, sender, door):
    """Answers questions, and takes connections without a word, until the end."""
    selector = selectors.DefaultSelector()
    selector.register(sender, selectors.EVENT_READ)
    if door:
        selector.register(door, selectors.EVENT_READ)
    kept = []
    while True:
        for key, _ in selector.select():
            if key.fileobj is door:
                kept.append(door.accept())
                continue
            message, (host, port) = sender.recvfrom(9000)
            for labels in questions(message):
                if records := forger.answer(labels):
                    # To one that asks from a port of its own by unicast (RFC 6762 §6.7).
                    sender.sendto(response(records), GROUP if port == GROUP[1] else (host, port))


def main():
    """Shows as many services as the command line says."""
    address, port, count, manner = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    forger, sender = Forger(address, port, count), open_sender()
    door = None
    if manner == "silent":
        door = socket.create_server((address, port), backlog=4096)
    # A cache has room for so many records of each IP version.
    other = open_sender(socket.AF_INET6)
    for first in range(0, count, BATCH):
        numbers = range(first, min(first + BATCH, count))
        message = response([*sum(map(forger.service, numbers), []), forger.place()])
        sender.sendto(message, GROUP)
        other.sendto(message, ("ff02::fb", GROUP[1]))
        time.sleep(PAUSE)
    print("shown", flush=True)
    sender.setsockopt(
        socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton(GROUP[0]) + socket.inet_aton(address))
    serve(forger, sender, door)


if __name__ == "__main__":
    main()
