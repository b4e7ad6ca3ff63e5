import Foundation
import SharedWorld
import TestSupport
import Testing

@Suite("A driver with tickets", .endsHangs)
struct TicketDriverTests {
  private static let key = Array("the door's own secret".utf8)
  private static let life = 100

  /// Lets a guest with a ticket come to a door at a time, over TCP; returns why not, or nil if the two are members.
  private static func visit(
    _ guest: PeerIdentity, _ file: String, of door: PeerIdentity, at now: Int
  ) async throws -> String? {
    var configuration = Session.Configuration(service: "swexample")
    configuration.discovery.mode = .none
    configuration.listen = PeerAddress(host: "127.0.0.1", port: 0)
    configuration.invitations.incoming = .all
    // The reason counts here, not the time, which a busy machine takes.
    configuration.authentication.authenticatorTimeout = .seconds(60)
    configuration.authentication.authenticator = {
      TicketDriver(side: .door(key: key, life: life), context: $0, now: now)
    }
    let settings = configuration
    return try await Session.withSession(as: door, configuration: settings) { door in
      var configuration = settings
      configuration.authentication.authenticator = { TicketDriver(side: .guest(file: file), context: $0, now: now) }
      return try await Session.withSession(as: guest, configuration: configuration) { guest in
        do throws(SessionError) {
          let host = try await guest.peers.invite(.address(PeerAddress(host: "127.0.0.1", port: door.port)))
          #expect(host == door.localPeer)
          return nil
        } catch {
          #expect(error.code == .authenticationFailed)
          return error.message
        }
      }
    }
  }

  @Test("a guest comes back with the ticket that it was given; the first one has expired by then")
  func tickets() async throws {
    try await Peers.withFolder { folder in
      let (door, guest) = (
        try PeerIdentity.loadOrCreate(named: "door", in: folder),
        try PeerIdentity.loadOrCreate(named: "guest", in: folder)
      )
      let (file, copy) = (folder + "/ticket", folder + "/copy")
      #expect(try await Self.visit(guest, file, of: door, at: 0)?.contains("no ticket") == true)
      try JSONEncoder().encode(Ticket(for: guest.peerID, at: door.peerID, until: 50, key: Self.key))
        .write(to: URL(filePath: file))
      try FileManager.default.copyItem(atPath: file, toPath: copy)
      #expect(try await Self.visit(guest, file, of: door, at: 10) == nil)
      #expect(try await Self.visit(guest, file, of: door, at: 100) == nil, "the second ticket is good until 110")
      #expect(try await Self.visit(guest, file, of: door, at: 201)?.contains("ticket expired") == true)
      #expect(try await Self.visit(guest, copy, of: door, at: 60)?.contains("ticket expired") == true)
    }
  }

  @Test("a ticket that is forged, another guest's or for another door is refused with the reason")
  func refused() async throws {
    try await Peers.withFolder { folder in
      let identities = try ["door", "guest", "other"].map { try PeerIdentity.loadOrCreate(named: $0, in: folder) }
      let (door, guest, other) = (identities[0], identities[1], identities[2])
      let tickets = [
        (Ticket(for: guest.peerID, at: door.peerID, until: 50, key: [1, 2, 3]), "forged ticket"),
        (Ticket(for: other.peerID, at: door.peerID, until: 50, key: Self.key), "ticket of another guest"),
        (Ticket(for: guest.peerID, at: other.peerID, until: 50, key: Self.key), "a ticket for another door"),
      ]
      for (ticket, reason) in tickets {
        try JSONEncoder().encode(ticket).write(to: URL(filePath: folder + "/ticket"))
        #expect(try await Self.visit(guest, folder + "/ticket", of: door, at: 0)?.contains(reason) == true, "\(reason)")
      }
    }
  }
}
