package import Basics
package import BasicsLinux

/// The state of the network and of this machine, as far as discovery depends on it.
package struct NetworkFacts: Equatable, Sendable {
  /// An interface that can multicast, in one family of addresses.
  package struct Path: Equatable, Sendable {
    /// The name of the interface, such as `eth0`.
    package var interface: String
    package var isIPv4: Bool
    /// The failure of the system to send a question; nil when it was sent.
    package var failure: SystemCallFailure?

    package init(interface: String, isIPv4: Bool = true, failure: SystemCallFailure? = nil) {
      (self.interface, self.isIPv4, self.failure) = (interface, isIPv4, failure)
    }
  }

  /// Avahi's daemon.
  package var daemon: DaemonPulse
  /// Whether the library of the embedded responder is installed.
  package var hasResponder: Bool
  /// Whether another program holds UDP port 5353 and does not share it.
  package var isPortHeld: Bool
  /// Loopback is not among them.
  package var paths: [Path]
  /// Whether this machine's own questions came back to it.
  package var hearsItself: Bool
  /// Other machines that said anything by multicast.
  package var others: Set<SocketAddress.Host>
  /// Those of them that told of a service of the app's type.
  package var offering: Set<SocketAddress.Host>
  /// Names that two machines claim: of services of the app's type, and the host name of this machine.
  package var contestedNames: Set<String>

  package init(
    daemon: DaemonPulse, hasResponder: Bool = true, isPortHeld: Bool = false, paths: [Path], hearsItself: Bool = false,
    others: Set<SocketAddress.Host> = [], offering: Set<SocketAddress.Host> = [],
    contestedNames: Set<String> = []
  ) {
    self.hasResponder = hasResponder
    (self.daemon, self.isPortHeld, self.paths, self.hearsItself) = (daemon, isPortHeld, paths, hearsItself)
    (self.others, self.offering, self.contestedNames) = (others, offering, contestedNames)
  }
}
