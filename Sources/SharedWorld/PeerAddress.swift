public import Basics

/// A host and a TCP port that an app names by hand, for networks without discovery.
public struct PeerAddress: Hashable, Sendable {
  /// An IPv4 or IPv6 address, or a name the system can resolve.
  public var host: String
  /// The port, 0 to let the system choose one when listening.
  public var port: UInt16

  /// A host and a port.
  public init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// Reads `host:port`, `192.0.2.1:4000` or `[2001:db8::1]:4000`; nil for anything else.
  public init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else { return nil }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      return nil
    }
    guard !host.isEmpty else { return nil }
    self.init(host: String(host), port: port)
  }
}

extension PeerAddress: TextCodable {
  /// `host:port`, with an IPv6 address in brackets.
  public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
