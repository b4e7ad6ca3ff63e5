import Foundation
import SharedWorld
import Testing

/// A ticket that a door has issued to a guest.
struct Ticket: Codable {
  let guest: PeerID
  let door: PeerID
  /// Seconds since 1970.
  let expiry: Int
  private(set) var seal: [UInt8] = []

  init(for guest: PeerID, at door: PeerID, until expiry: Int, key: [UInt8]) {
    (self.guest, self.door, self.expiry) = (guest, door, expiry)
    seal = seal(under: key)
  }

  func seal(under key: [UInt8]) -> [UInt8] {
    HMAC.tag(of: guest.bytes + door.bytes + Array("\(expiry)".utf8), key: key)
  }
}

/// Guests show a ticket from a file to a door, which gives each a new one, with which it comes back.
///
/// A ticket names the key of its guest, and the door's key is in it; TLS proves both, so a stolen or recorded ticket serves nobody
/// else, and no channel binding is needed. Guests connect to the door alone, and see each other's anchors through it.
struct TicketDriver: Authenticator {
  enum Side {
    /// Issues tickets that are good for so many seconds.
    case door(key: [UInt8], life: Int)
    case guest(file: String)
  }

  let side: Side
  let context: AuthenticationContext
  /// Seconds since 1970.
  let now: Int

  func opened() -> AuthenticationStep {
    guard case .guest(let file) = side else { return .wait }
    guard let data = FileManager.default.contents(atPath: file), let ticket = Self.ticket(in: data) else {
      return .failed("no ticket")
    }
    return ticket.door == context.peer.id ? .send(Array(data)) : .failed("a ticket for another door")
  }

  func received(_ data: [UInt8]) -> AuthenticationStep {
    guard let ticket = Self.ticket(in: Data(data)) else { return .failed("not a ticket") }
    switch side {
    case .guest(let file):
      let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
      let isKept = FileManager.default.createFile(atPath: file, contents: Data(data), attributes: attributes)
      return isKept ? .authenticated : .failed("cannot keep the new ticket")
    case .door(let key, let life):
      guard ticket.seal.isSame(as: ticket.seal(under: key)) else { return .failed("forged ticket") }
      guard ticket.guest == context.peer.id else { return .failed("ticket of another guest") }
      guard ticket.expiry > now else { return .failed("ticket expired") }
      let next = Ticket(for: ticket.guest, at: context.localPeer.id, until: now + life, key: key)
      guard let data = try? JSONEncoder().encode(next) else { return .failed("cannot issue a ticket") }
      return AuthenticationStep(.authenticated, sending: Array(data))
    }
  }

  private static func ticket(in data: Data) -> Ticket? { try? JSONDecoder().decode(Ticket.self, from: data) }
}
