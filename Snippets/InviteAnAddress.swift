// Join a peer where discovery is impossible, such as in a container, and look at what went wrong.

import SharedWorld

let identity = try PeerIdentity.loadOrCreate(named: "kitchen")
var configuration = Session.Configuration(service: "my-app")
configuration.discovery.mode = .none

try await Session.withSession(as: identity, configuration: configuration) { session in
  // snippet.invite
  do {
    let peer = try await session.peers.invite(.address(PeerAddress(host: "192.168.1.7", port: 4711)))
    print("joined \(peer.name)")
  } catch let error as SessionError where error.code == .declined {
    print("they do not want to: \(error.message)")
  }
  // snippet.end
}
