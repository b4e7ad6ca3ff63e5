"""A LAN on one machine: hosts in network namespaces, joined by a bridge, each with its own /run.

Run it below `unshare --net --mount --pid --fork --kill-child` (Scripts/lan.sh does): the kernel then removes hosts,
bridge and programs with the last process, also after a SIGKILL.
"""

import json
import pathlib
import shutil
import subprocess
import tempfile
import time
import types

AVAHI_CONFIGURATION = """
[server]
host-name={name}
use-ipv4=yes
use-ipv6=yes
allow-interfaces={interfaces}
[publish]
publish-workstation=no
publish-hinfo=no
"""

QUIET = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def run(*words):
    """Runs a short command; its words and its own message are in the error when it fails."""
    done = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, words))}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


class Host:
    """One machine of the lab: a network, a /run and a host name of its own."""

    def __init__(self, lab, number, name):
        self.name = name
        self.address = f"10.77.0.{number}"
        self.port_name = f"port{number}"
        self.folder = lab.folder / name
        self.folder.mkdir()
        self.programs = []
        # A process that does nothing holds the namespaces open.
        self.holder = subprocess.Popen(
            ["unshare", "--net", "--mount", "--uts", "sh", "-c", "mount -t tmpfs lab /run && echo up && exec sleep inf"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        if self.holder.stdout.readline() != "up\n":
            raise RuntimeError(f"{name}: the namespaces could not be made")
        self._connect()

    def _connect(self):
        run("ip", "link", "add", self.port_name, "type", "veth", "peer", "name", "eth0", "netns", str(self.holder.pid))
        run("ip", "link", "set", self.port_name, "master", "lan", "up")
        self.run("hostname", self.name)
        self.run("ip", "link", "set", "lo", "up")
        # Duplicate address detection would keep the IPv6 address from being used for a second or two.
        self.run("sh", "-c", "echo 0 >/proc/sys/net/ipv6/conf/eth0/accept_dad")
        self.run("ip", "address", "add", f"{self.address}/24", "dev", "eth0")
        self.run("ip", "link", "set", "eth0", "up")
        self.run("ip", "route", "add", "224.0.0.0/4", "dev", "eth0")

    def inside(self, *words):
        """The words of a command that runs on this host."""
        return ["nsenter", f"--target={self.holder.pid}", "--net", "--mount", "--uts", "--", *map(str, words)]

    def run(self, *words):
        """Runs a short command on this host and returns what it printed."""
        return run(*self.inside(*words))

    def start(self, *words, **options):
        """Starts a program on this host; it ends with the lab."""
        program = subprocess.Popen(self.inside(*words), **options)
        self.programs.append(program)
        return program

    def seat(self, name):
        """A place for one more peer on this host, with a name and files of its own."""
        folder = self.folder / name
        folder.mkdir()
        return types.SimpleNamespace(name=name, folder=folder, start=self.start)

    def start_avahi(self, interfaces="eth0"):
        """Starts the host's own D-Bus and avahi-daemon, and waits until the daemon answers."""
        self.interfaces = interfaces
        self.run("mkdir", "-p", "/run/dbus", "/run/avahi-daemon")
        self.start("dbus-daemon", "--system", "--nofork", "--nopidfile", **QUIET)
        wait_until(lambda: self.has("/run/dbus/system_bus_socket"), 10, f"{self.name}: dbus-daemon")
        self.start_avahi_daemon()

    def start_avahi_daemon(self):
        """Starts the avahi-daemon alone, also after it was killed, and waits until it answers."""
        configuration = self.folder / "avahi-daemon.conf"
        configuration.write_text(AVAHI_CONFIGURATION.format(name=self.name, interfaces=self.interfaces))
        # What a killed daemon left behind would be taken for the new one's.
        self.run("rm", "-f", "/run/avahi-daemon/socket", "/run/avahi-daemon/pid")
        self.avahi_daemon = self.start(
            "avahi-daemon", "--no-chroot", "--no-drop-root", "--no-rlimits", "-f", configuration, **QUIET)
        wait_until(lambda: self.has("/run/avahi-daemon/socket"), 10, f"{self.name}: avahi-daemon")

    def kill_avahi_daemon(self):
        """Kills the avahi-daemon without a chance to say goodbye."""
        self.avahi_daemon.kill()
        self.avahi_daemon.wait()

    def has(self, path):
        """Whether a file exists on this host."""
        return subprocess.run(self.inside("test", "-e", path), check=False).returncode == 0

    def unplug(self):
        """Takes the host off the LAN."""
        run("ip", "link", "set", self.port_name, "down")

    def plug(self):
        """Puts the host back on the LAN."""
        run("ip", "link", "set", self.port_name, "up")

    def limit(self, megabits):
        """Limits the host's link, both ways, to a rate (megabits a second), with the queue of a small switch: 10 ms."""
        shape = f"root tbf rate {megabits}mbit burst 16kb latency 10ms".split()
        run("tc", "qdisc", "replace", "dev", self.port_name, *shape)
        self.run("tc", "qdisc", "replace", "dev", "eth0", *shape)

    def received(self):
        """The bytes that have reached this host over the LAN so far, with every header."""
        [link] = json.loads(self.run("ip", "-json", "-stats", "link", "show", "eth0"))
        return link["stats64"]["rx"]["bytes"]

    def stop(self):
        """Ends every program of the host, and the host."""
        # The kernel takes a namespace down some time after its last process: its port must be gone at once.
        run("ip", "link", "delete", self.port_name)
        for program in [*self.programs, self.holder]:
            program.kill()
        for program in [*self.programs, self.holder]:
            program.wait()
            for stream in (program.stdin, program.stdout):
                if stream:
                    stream.close()


class Lab:
    """The bridge and the hosts on it, and a second bridge for those that a split sets apart.

    Files are kept in `folder`, if there is one, or else in one that is removed in the end.
    """

    def __init__(self, folder=None):
        self.is_kept = folder is not None
        self.folder = folder or pathlib.Path(tempfile.mkdtemp(prefix="swlan-"))
        self.hosts = []
        run("ip", "link", "set", "lo", "up")
        for bridge in ("lan", "apart"):
            # A bridge that snoops would drop multicast that nobody has asked for by IGMP yet.
            run("ip", "link", "add", bridge, "type", "bridge", "mcast_snooping", "0", "forward_delay", "0")
            run("ip", "link", "set", bridge, "up")

    def host(self, name):
        """Adds a host."""
        host = Host(self, len(self.hosts) + 1, name)
        self.hosts.append(host)
        return host

    def split(self, hosts):
        """Sets these hosts apart: they see each other and nobody else, until `heal`. Nobody's link goes down."""
        for host in self.hosts:
            run("ip", "link", "set", host.port_name, "master", "apart" if host in hosts else "lan")

    def heal(self):
        """Makes one LAN of all hosts again."""
        self.split([])

    def close(self):
        """Stops everything."""
        for host in self.hosts:
            host.stop()
        for bridge in ("lan", "apart"):
            run("ip", "link", "delete", bridge)
        if not self.is_kept:
            shutil.rmtree(self.folder, ignore_errors=True)


def wait_until(holds, seconds, what):
    """Waits until something holds, or fails with its name."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            raise TimeoutError(f"{what}: not within {seconds} s")
        time.sleep(0.02)
