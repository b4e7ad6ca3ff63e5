// Peers that learn of each other by the app's own means: a server, a QR code, a file.

import SharedWorld

// snippet.configuration
var configuration = Session.Configuration(service: "my-app")
configuration.discovery.mode = .none
// snippet.end

/// Publishes the way to this peer, and invites another one.
func meet(_ session: Session, publish: (String) -> Void, received: String) async throws {
  // snippet.link
  publish(try await session.peers.invitationLink().description)

  let link = try InvitationLink(received)
  let peer = try await session.peers.invite(.link(link))
  print("joined \(peer.name), which has the key of the link")
  // snippet.end
}

/// Lists the peers of a network without a session.
func look() async throws {
  // snippet.browse
  for await event in try Browser(service: "my-app") {
    if case .found(let candidate) = event { print("\(candidate.name ?? candidate.id) is there") }
  }
  // snippet.end
}

print(configuration.service)
