extension Sequence<SocketAddress> {
  /// The addresses with IPv6 and IPv4 by turns, beginning with the family of the first one; the order within a family stays.
  ///
  /// Where one family leads nowhere, every second dial is of the other one (RFC 8305 §4).
  package var byTurns: [SocketAddress] {
    var families: [(isIPv6: Bool, addresses: [SocketAddress])] = []
    for address in self {
      let isIPv6 = address.bytes.count == 16
      if let index = families.firstIndex(where: { $0.isIPv6 == isIPv6 }) {
        families[index].addresses.append(address)
      } else {
        families.append((isIPv6, [address]))
      }
    }
    let longest = families.map(\.addresses.count).max() ?? 0
    return (0..<longest).flatMap { place in families.compactMap { $0.addresses.dropFirst(place).first } }
  }
}
