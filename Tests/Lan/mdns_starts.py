"""Services that come and go, on eth0: mdns_starts.py FIRST COUNT; each is announced twice and says goodbye half a second later."""

import collections
import sys
import time

from mdns_noise import A, GROUP, PTR, SERVICE, SRV, TXT, name, open_sender, record, response

#: Services a second.
RATE = 25
#: How long a service is there (seconds).
LIFE = 0.5


def messages(number):
    """The announcement and the goodbye of a service."""
    instance = bytes([len(label := f"guest{number}".encode())]) + label + name(SERVICE)
    host = name(f"guest{number}.local")
    rest = [(instance, TXT, b"\x03v=1" + bytes([2 + len(label)]) + b"n=" + label),
            (instance, SRV, b"\0\0\0\0\x12\x67" + host), (host, A, b"\x0a\x4d\x00\xfa")]
    return [response([record(name(SERVICE), PTR, instance, lifetime=lifetime)]
                     + [record(*each, lifetime=lifetime) for each in rest]) for lifetime in (120, 0)]


def main():
    """Lets those come and go that the command line names: as many, from the number of the first."""
    sender = open_sender()
    leaving = collections.deque()
    first, count = map(int, sys.argv[1:])
    for number in range(first, first + count):
        there, gone = messages(number)
        for _ in range(2):
            sender.sendto(there, GROUP)
        leaving.append((time.monotonic() + LIFE, gone))
        while leaving and leaving[0][0] <= time.monotonic():
            sender.sendto(leaving.popleft()[1], GROUP)
        time.sleep(1 / RATE)
    for moment, gone in leaving:
        time.sleep(max(0, moment - time.monotonic()))
        sender.sendto(gone, GROUP)


if __name__ == "__main__":
    main()
