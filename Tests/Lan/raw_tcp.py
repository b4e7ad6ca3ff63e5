"""What plain TCP does on a link of the lab: the measure for how much a map may delay anchors.

`receive` takes connections until its input ends and then prints how long messages took, one time a line (ms);
`write ADDRESS` sends 128 bytes, 50 times a second; `flood ADDRESS` sends as much as it can.
"""

import socket
import struct
import sys
import threading
import time

MESSAGE = struct.Struct("d120x")
WRITE_PORT, FLOOD_PORT = 5001, 5002
RATE = 50
#: How long writers write, and how long floods go on: they start first and end last (seconds).
WRITING, FLOODING = 4, 5.5


def receive():
    """Takes messages and floods, and prints how long the messages took."""
    times = []

    def take_messages(link):
        stream = link.makefile("rb")
        while len(message := stream.read(MESSAGE.size)) == MESSAGE.size:
            times.append(time.monotonic() - MESSAGE.unpack(message)[0])

    def take_flood(link):
        while link.recv(1 << 18):
            pass

    def serve(server, take):
        while True:
            threading.Thread(target=take, args=[server.accept()[0]], daemon=True).start()
    for port, take in ((WRITE_PORT, take_messages), (FLOOD_PORT, take_flood)):
        server = socket.create_server(("", port))
        threading.Thread(target=serve, args=[server, take], daemon=True).start()
    print("listening", flush=True)
    sys.stdin.read()
    print("\n".join(str(1000 * each) for each in times))


def write(address):
    """Sends messages at a steady pace, each with the moment at which it was sent."""
    with socket.create_connection((address, WRITE_PORT)) as link:
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        start = time.monotonic()
        for number in range(RATE * WRITING):
            time.sleep(max(0, start + number / RATE - time.monotonic()))
            link.sendall(MESSAGE.pack(time.monotonic()))


def flood(address):
    """Sends as fast as the link takes it."""
    with socket.create_connection((address, FLOOD_PORT)) as link:
        end = time.monotonic() + FLOODING
        while time.monotonic() < end:
            link.sendall(bytes(1 << 14))


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
