"""Counts the multicast DNS packets that cross an interface: prints a line with the time of each, mdns_count.py INTERFACE."""

import socket
import struct
import sys
import time

PORT = 5353
IPV4, IPV6, EVERYTHING = 0x0800, 0x86DD, 3


def is_mdns(frame):
    """Whether a packet without its Ethernet header is UDP from or to the port."""
    version = frame[0] >> 4
    kind, start = (frame[9], (frame[0] & 15) * 4) if version == 4 else (frame[6], 40)
    return kind == 17 and PORT in struct.unpack_from("!2H", frame, start)


def main():
    """Watches until it is ended."""
    with socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(EVERYTHING)) as watch:
        watch.bind((sys.argv[1], EVERYTHING))
        print("watching", flush=True)
        while True:
            frame, (_, protocol, direction, *_) = watch.recvfrom(9000)
            if protocol in (IPV4, IPV6) and direction != socket.PACKET_OUTGOING and is_mdns(frame):
                print(time.monotonic(), flush=True)


if __name__ == "__main__":
    main()
