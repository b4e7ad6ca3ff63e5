"""A LAN on one machine: hosts in network namespaces, joined by a bridge, each with its own /run.

Run it below `unshare --net --mount --pid --fork --kill-child` (Scripts/lan.sh does): the kernel then removes hosts,
bridge and programs with the last process, also after a SIGKILL.
"""

import pathlib
import shutil
import subprocess
import tempfile
import time

AVAHI_CONFIGURATION = """
[server]
host-name={name}
use-ipv4=yes
use-ipv6=yes
allow-interfaces=eth0
[publish]
publish-workstation=no
publish-hinfo=no
"""


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

    def start_avahi(self):
        """Starts the host's own D-Bus and avahi-daemon, and waits until the daemon answers."""
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        configuration = self.folder / "avahi-daemon.conf"
        configuration.write_text(AVAHI_CONFIGURATION.format(name=self.name))
        self.run("mkdir", "-p", "/run/dbus", "/run/avahi-daemon")
        self.start("dbus-daemon", "--system", "--nofork", "--nopidfile", **quiet)
        wait_until(lambda: self.has("/run/dbus/system_bus_socket"), 5, f"{self.name}: dbus-daemon")
        self.start("avahi-daemon", "--no-chroot", "--no-drop-root", "--no-rlimits", "-f", configuration, **quiet)
        wait_until(lambda: self.has("/run/avahi-daemon/socket"), 5, f"{self.name}: avahi-daemon")

    def has(self, path):
        """Whether a file exists on this host."""
        return subprocess.run(self.inside("test", "-e", path), check=False).returncode == 0

    def unplug(self):
        """Takes the host off the LAN."""
        run("ip", "link", "set", self.port_name, "down")

    def plug(self):
        """Puts the host back on the LAN."""
        run("ip", "link", "set", self.port_name, "up")

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
    """The bridge and the hosts on it."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="swlan-"))
        self.hosts = []
        run("ip", "link", "set", "lo", "up")
        # A bridge that snoops would drop multicast that nobody has asked for by IGMP yet.
        run("ip", "link", "add", "lan", "type", "bridge", "mcast_snooping", "0", "forward_delay", "0")
        run("ip", "link", "set", "lan", "up")

    def host(self, name):
        """Adds a host."""
        host = Host(self, len(self.hosts) + 1, name)
        self.hosts.append(host)
        return host

    def close(self):
        """Stops everything."""
        for host in self.hosts:
            host.stop()
        run("ip", "link", "delete", "lan")
        shutil.rmtree(self.folder, ignore_errors=True)


def wait_until(holds, seconds, what):
    """Waits until something holds, or fails with its name."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            raise TimeoutError(f"{what}: not within {seconds} s")
        time.sleep(0.02)
