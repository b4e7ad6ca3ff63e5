// Invite whoever is found, and let the app decide about invitations.

import SharedWorld

let identity = try PeerIdentity.loadOrCreate(named: "kitchen")

// snippet.configuration
var configuration = Session.Configuration(service: "my-app")
configuration.invitationHandler = { invitation in
  invitation.peer.name == "studio" ? .accept : .decline(reason: "not today")
}
// snippet.end

// snippet.session
try await Session.withSession(as: identity, configuration: configuration) { session in
  print("listening on port \(session.port)")
  // snippet.events
  for await event in session.events {
    switch event {
    case .candidateFound(let candidate):
      let peer = try await session.invite(.candidate(candidate.id))
      print("joined \(peer.name)")
    case .peerJoined(let peer): print("\(peer.name) is here")
    case .anchorAdded(let anchor, let origin): print("\(anchor.name), \(origin)")
    default: break
    }
  }
  // snippet.end
}
