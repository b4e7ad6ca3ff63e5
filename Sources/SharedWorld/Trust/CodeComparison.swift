/// Six digits that two people compare, to know that nobody stands between their devices.
///
/// Both screens show the same digits if the connection leads to the device that the people think of, with the key that it
/// has. An attacker between the two makes them equal with a chance of one in a million for each comparison.
public struct CodeComparison: Identifiable, Hashable, Sendable {
  /// Tells it from every other comparison of the session, earlier ones with the same peer included.
  public let id: UInt64
  /// The peer at the other end: proven by TLS, the name chosen by that peer.
  public let peer: Peer
  /// Six decimal digits.
  public let code: String
  /// How the key of the peer compares with those that this device has admitted before.
  public let recognition: Recognition

  package init(id: UInt64, peer: Peer, code: String, recognition: Recognition) {
    (self.id, self.peer, self.code, self.recognition) = (id, peer, code, recognition)
  }
}

extension CodeComparison: CustomStringConvertible {
  /// The digits in two groups, which are easier to read out: `042 317`.
  public var description: String { "\(code.prefix(3)) \(code.dropFirst(3))" }
}
