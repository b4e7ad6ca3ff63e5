// Meet the peers whose keys the app knows, and nobody else.

import SharedWorld

let identity = try PeerIdentity.loadOrCreate(named: "kitchen")

// snippet.configuration
let ids = ["2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90"]
let friends = Set(ids.compactMap { PeerID($0) })
var configuration = Session.Configuration(service: "my-app")
configuration.invitations.incoming = .ask { invitation in
  friends.contains(invitation.peer.id) ? .accept : .decline(reason: "unknown")
}
// snippet.end

// snippet.session
try await Session.withSession(as: identity, configuration: configuration) { session in
  print("listening on port \(session.port)")
  // snippet.events
  await withDiscardingTaskGroup { invitations in
    for await event in session.events {
      switch event {
      case .candidateFound(let candidate):
        invitations.addTask {
          do {
            print("joined \(try await session.peers.invite(.candidate(candidate.id)).name)")
          } catch {
            print("\(candidate.id) did not join: \(error)")
          }
        }
      case .peerJoined(let peer) where friends.contains(peer.id): print("\(peer.name) is here")
      case .peerJoined:
        invitations.cancelAll()
        return
      case .anchorAdded(let anchor, let origin): print("\(anchor.name), \(origin)")
      default: break
      }
    }
  }
  // snippet.end
}
