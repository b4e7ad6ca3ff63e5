import Basics

extension Session.Configuration {
  /// A way to be found and to find others beside multicast DNS: signed datagrams on a port of their own, to all machines of
  /// the link and to those that are asked.
  ///
  /// They show the peer's id to everybody on the network, for which they are not sent by default. A signature says who wrote
  /// one; whether that peer is there, a dial decides.
  public struct Announcements: Hashable, Sendable {
    /// The most addresses that are asked.
    static let probeLimit = 1024

    /// The UDP port; the same at all peers that are to meet.
    public var port: UInt16 = 47_824
    /// Machines and networks that are asked one by one, such as those of another subnet; at most 1,024 addresses in
    /// all.
    public var probes: [Probe] = []

    /// Announcements to all machines of the link.
    public init() {}
  }

  /// A machine or a network of IPv4 that is asked for its peers: `192.0.2.7`, `192.0.2.0/24` or `2001:db8::7`.
  public struct Probe: Hashable, Sendable {
    /// The first of the addresses.
    let first: SocketAddress.Host
    /// How many addresses.
    let count: Int
    private let text: String

    /// Reads an address, or a network of at most 1,024 addresses (IPv4 with 22 to 32 bits of prefix); nil for anything else.
    public init?(_ text: String) {
      let parts = text.split(separator: "/", omittingEmptySubsequences: false)
      guard parts.count <= 2, let host = SocketAddress.Host(String(parts[0])), host.isUnicast else { return nil }
      self.text = text
      guard parts.count == 2 else {
        (first, count) = (host, 1)
        return
      }
      guard case .ipv4(let word) = host, let bits = (22...32).first(where: { "\($0)" == parts[1] }) else {
        return nil
      }
      count = 1 << (32 - bits)
      first = .ipv4(word & ~UInt32(count - 1))
    }

    /// The addresses with a port; of a network without its own and its broadcast address.
    func addresses(port: UInt16) -> [SocketAddress] {
      guard case .ipv4(let word) = first, count > 1 else { return [SocketAddress(host: first, port: port)] }
      let hosts = count > 2 ? 1..<UInt32(count - 1) : 0..<UInt32(count)
      return hosts.map { SocketAddress(host: .ipv4(word + $0), port: port) }
    }
  }
}

extension Session.Configuration.Probe: CustomStringConvertible {
  /// The text that it was read from.
  public var description: String { text }
}
