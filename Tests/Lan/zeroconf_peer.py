"""python-zeroconf as the other side: prints JSON lines, takes commands on standard input until `quit`.

zeroconf_peer.py browse TYPE                  added, updated and removed services, with what they resolve to
zeroconf_peer.py publish TYPE NAME PORT K=V…  a service; `update K=V…` replaces its TXT record
"""

import json
import socket
import sys

from zeroconf import ServiceBrowser, ServiceInfo, Zeroconf


def say(event, **fields):
    print(json.dumps({"event": event, **fields}), flush=True)


class Listener:
    """Prints what a browser reports."""

    def add_service(self, zeroconf, kind, name):
        self._say("added", zeroconf, kind, name)

    def update_service(self, zeroconf, kind, name):
        self._say("updated", zeroconf, kind, name)

    def remove_service(self, _zeroconf, kind, name):
        say("removed", name=name.removesuffix(f".{kind}"))

    def _say(self, event, zeroconf, kind, name):
        info = zeroconf.get_service_info(kind, name)
        if info:
            say(event, name=name.removesuffix(f".{kind}"), port=info.port, addresses=info.parsed_addresses(),
                text=text(info))


def text(info):
    """The TXT record as words."""
    return {key.decode(): (value or b"").decode() for key, value in info.properties.items()}


def pairs(words):
    """K=V words as a record."""
    return dict(word.split("=", 1) for word in words)


def address():
    """The address of this host on the LAN."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("224.0.0.251", 5353))
        return probe.getsockname()[0]


def publish(zeroconf, kind, name, port, words):
    """Publishes a service, under another name if this one is taken."""
    info = ServiceInfo(
        kind, f"{name}.{kind}", port=int(port), properties=pairs(words), server=f"{socket.gethostname()}.local.",
        parsed_addresses=[address()])
    zeroconf.register_service(info, allow_name_change=True)
    say("registered", name=info.name.removesuffix(f".{kind}"))
    for line in sys.stdin:
        verb, *rest = line.split()
        if verb == "quit":
            return
        info._set_properties(pairs(rest))
        zeroconf.update_service(info)


def main():
    zeroconf = Zeroconf(interfaces=[address()])
    mode, kind, *rest = sys.argv[1:]
    if mode == "browse":
        ServiceBrowser(zeroconf, kind, Listener())
        sys.stdin.readline()
    else:
        publish(zeroconf, kind, rest[0], rest[1], rest[2:])
    zeroconf.unregister_all_services()
    zeroconf.close()


if __name__ == "__main__":
    main()
