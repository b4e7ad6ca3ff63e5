import Basics
public import WorldModel

/// Where a peer can be reached and which key must answer there, as a text that people send to each other or scan:
/// `sharedworld://192.0.2.7:4711,[2001:db8::7]:4711/sharedworld#` and the 64 digits of the peer's id.
///
/// It needs no discovery, and a peer that answers at the address with another key is sent nothing. A link that carries a
/// passcode is as secret as that.
public struct InvitationLink: Hashable, Sendable {
  /// The most addresses of a link.
  public static let addressLimit = 16
  /// The longest text that is read as a link (bytes of UTF-8).
  static let lengthLimit = 2048

  private static let scheme = "sharedworld://"

  /// Where the peer listens; at least one.
  public let addresses: [PeerAddress]
  /// The service type of its session (``Session/Configuration/service``).
  public let service: String
  /// The key that must answer.
  public let peer: PeerID
  /// The passcode of the room, if the link carries it (``Session/Configuration/Authentication/passcode``).
  public let passcode: String?

  /// A link to a peer.
  ///
  /// - Parameters:
  ///   - addresses: where it listens; one to 16.
  ///   - service: the service type of its session.
  ///   - peer: its id.
  ///   - passcode: the passcode of the room; nil leaves it out.
  /// - Throws: ``SessionError`` with the code `invalidArgument`.
  public init(
    to addresses: [PeerAddress], service: String, peer: PeerID, passcode: String? = nil
  ) throws(SessionError) {
    guard (1...Self.addressLimit).contains(addresses.count), addresses.allSatisfy(Self.isPlain) else {
      throw Self.malformed("it names from one to \(Self.addressLimit) addresses, as HOST:PORT with a port over 0")
    }
    guard !service.isEmpty, service.utf8.allSatisfy(Self.isUnreserved) else {
      throw Self.malformed("behind the addresses it has a slash and a service type")
    }
    (self.addresses, self.service, self.peer, self.passcode) = (addresses, service, peer, passcode)
  }

  /// Reads a link; blanks around it are ignored.
  ///
  /// - Throws: ``SessionError`` with the code `invalidArgument`, which says what is wrong.
  public init(_ text: String) throws(SessionError) {
    guard text.utf8.count <= Self.lengthLimit else {
      throw Self.malformed("it has at most \(Self.lengthLimit) bytes")
    }
    let text = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    guard text.hasPrefix(Self.scheme) else { throw Self.malformed("it begins with \(Self.scheme)") }
    let halves = text.dropFirst(Self.scheme.count).split(separator: "#", omittingEmptySubsequences: false)
    guard halves.count == 2 else { throw Self.malformed("behind one '#' it has the id of the peer") }
    let place = halves[0].split(separator: "/", omittingEmptySubsequences: false)
    guard place.count == 2 else { throw Self.malformed("behind the addresses it has a slash and a service type") }
    let addresses = place[0].split(separator: ",", omittingEmptySubsequences: false).map { PeerAddress(String($0)) }
    let secrets = halves[1].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let peer = PeerID(String(secrets[0])) else { throw Self.malformed("an id has 64 hexadecimal digits") }
    let passcode = secrets.count > 1 ? Self.decoded(secrets[1]) : nil
    guard secrets.count == 1 || passcode != nil else {
      throw Self.malformed("its passcode is percent-encoded (RFC 3986 §2.1)")
    }
    guard addresses.allSatisfy({ $0 != nil }) else { throw Self.malformed("its addresses are HOST:PORT, by commas") }
    try self.init(to: addresses.compactMap(\.self), service: String(place[1]), peer: peer, passcode: passcode)
  }

  private static func malformed(_ rule: String) -> SessionError {
    SessionError(.invalidArgument, "this is no invitation link: \(rule). Copy the whole link")
  }

  /// Whether an address can be written into a link and read back.
  private static func isPlain(_ address: PeerAddress) -> Bool {
    address.port > 0 && !address.host.isEmpty && PeerAddress("\(address)") == address
      && address.host.utf8.allSatisfy { isUnreserved($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "%") }
  }

  /// Whether a byte stands for itself in every part of a URI (RFC 3986 §2.3).
  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
      true
    default: false
    }
  }

  private static func encoded(_ text: String) -> String {
    text.utf8.map { isUnreserved($0) ? String(Unicode.Scalar($0)) : "%" + [$0].hexadecimal }.joined()
  }

  private static func decoded(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%") {
        guard let value = [UInt8](hexadecimal: String(decoding: rest.prefix(2), as: UTF8.self)), value.count == 1 else {
          return nil
        }
        bytes += value
        rest = rest.dropFirst(2)
      } else if isUnreserved(byte) {
        bytes.append(byte)
      } else {
        return nil
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }
}

extension InvitationLink: CustomStringConvertible {
  /// The link as it is printed, sent and read again.
  public var description: String {
    let places = addresses.map(\.description).joined(separator: ",")
    let secret = passcode.map { "." + Self.encoded($0) } ?? ""
    return "\(Self.scheme)\(places)/\(service)#\(peer)\(secret)"
  }
}
